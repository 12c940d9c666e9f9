"""Lines of one partition, clamped, dealt out and cut into batches.

Nearly every line is about a session and goes to the session's shard. Of the rest some concern
everybody (definitions, grants, types, a host that was away) and go everywhere; a press goes
where the presses of its request id go, since that id is global; what is about a run alone, where
its automation's name falls; a plugin's event, where its type's does.

Which line is about what is read off with the reader of native logs itself, so that what is
no line here is none there. A line that cannot be read is counted and told, moves no clock and
goes nowhere.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from wakeful.distributed.codec import Control, Lines
from wakeful.distributed.places import NEVER, shard_of
from wakeful.logs.native import NativeReader
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    GrantsChanged,
    Input,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    TurnStarted,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.time import Instant

CONTROLS: Final = (
    DefinitionSaved,
    DefinitionRemoved,
    TypeRegistered,
    TypeRemoved,
    GrantsChanged,
    Resumed,
)
"""The inputs that concern everybody."""


@attrs.frozen(kw_only=True)
class Dealing:
    """How names are dealt out; fixed for the life of a job's state.

    Attributes:
        shards: How many shards sessions are dealt out among. ``None``: each name is a shard of
            its own, which is slow, and what the other is held against.
        gates: How many gates automations are dealt out among.
    """

    shards: int | None = 64
    gates: int = 16

    def shard(self, name: str) -> str:
        """The shard of a name, which says what it is a name of: ``session:s1``."""
        return name if self.shards is None else str(shard_of(name, self.shards))

    def gate(self, automation: str) -> int:
        """The gate of an automation."""
        return shard_of(automation, self.gates)


def name_of(item: Input, partition: int) -> str | None:
    """What an input's shard is found by; ``None`` where it concerns everybody."""
    match item:
        case SessionEvent() | TurnStarted() | Activity() | SessionEnded() | RunLinked():
            return f"session:{item.session}"
        case RunStarted():
            if item.session is not None:
                return f"session:{item.session}"
            return f"automation:{item.automation}"
        case RunSettled() | SteerFailed():
            return f"automation:{item.automation}"
        case Press():
            return f"request:{item.request_id}"
        case PluginEvent():
            return f"type:{item.type}"
        case Tick():
            return f"partition:{partition}"
        case _:
            return None


@attrs.define(kw_only=True)
class Progress:
    """How far a partition was dealt out; what of it is kept between lines.

    Attributes:
        at: The latest instant so far, below which no line stands.
        offset: Where the last input stood.
        controls: How many lines that concern everybody there were.
        began: Whether the shards that greet gates were sent to.
        unread: Lines that could not be read.
        early: Lines that were from before the latest instant, and stand at it.
    """

    at: Instant = NEVER
    offset: int = -1
    controls: int = 0
    began: bool = False
    unread: int = 0
    early: int = 0


class Partition:
    """Deals out the lines of one partition.

    Args:
        number: Which partition it is, from 0.
        dealing: Among whom.
        progress: How far it was.
    """

    def __init__(self, number: int, dealing: Dealing, progress: Progress | None = None) -> None:
        self.number = number
        self.progress = Progress() if progress is None else progress
        self._dealing = dealing
        self._reader = NativeReader()
        # Sessions come again and again; a hash of each line's would be half of the work.
        self._shards: dict[str, str] = {}

    def deal(self, lines: Sequence[tuple[int, bytes]]) -> Iterator[tuple[str, Lines] | Control]:
        """Deal out lines, each with its offset, in their order.

        Yields:
            Batches with the shard each is for, and what concerns everybody.
        """
        progress = self.progress
        batches: dict[str, list[tuple[Instant, int, bytes]]] = {}
        refused: list[int] = []
        read = self._reader.read(
            [line for _, line in lines], lambda index, _problem: refused.append(index)
        )
        progress.unread += len(refused)
        for index, instant, item in zip(read.indices, read.instants, read.inputs, strict=True):
            at = max(instant, progress.at)
            progress.early += at > instant
            progress.at = at
            offset, line = lines[index]
            progress.offset = offset
            shard = self._shard_of(item)
            if shard is None:
                yield self._control(line)
            else:
                batches.setdefault(shard, []).append((at, offset, line))
        if not progress.began:
            progress.began = True
            yield from self._greetings()
        for shard, some in batches.items():
            yield shard, Lines(self.number, some)

    def end(self) -> Control:
        """Say that the partition has ended."""
        return self._control(b"")

    def _control(self, line: bytes) -> Control:
        progress = self.progress
        made = Control(self.number, progress.controls, progress.at, progress.offset, line)
        progress.controls += 1
        return made

    def _greetings(self) -> Iterator[tuple[str, Lines]]:
        """A gate exists once it was spoken to, and its schedules with it."""
        greets: dict[str, list[int]] = {}
        for gate in range(self._dealing.gates):
            greets.setdefault(self._dealing.shard(f"gate:{gate}"), []).append(gate)
        for shard, gates in greets.items():
            yield shard, Lines(self.number, (), gates)

    def _shard_of(self, item: Input) -> str | None:
        name = name_of(item, self.number)
        if name is None:
            return None
        shard = self._shards.get(name)
        if shard is None:
            if len(self._shards) >= _KEPT:
                self._shards.clear()
            shard = self._shards[name] = self._dealing.shard(name)
        return shard


_KEPT: Final = 65_536
"""How many names' shards are remembered at once."""
