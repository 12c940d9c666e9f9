"""Splitting a log by session, into files: each part's inputs, and what decides something."""

from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from zlib import crc32

from wakeful.core.deciding import place_of_input
from wakeful.core.matching import CONCERNS_RULES, OF_SESSIONS
from wakeful.core.numbering import Numbering
from wakeful.core.settings import Settings
from wakeful.errors import WakefulError
from wakeful.model.automations import Automation
from wakeful.model.events import (
    Activity,
    DefinitionSaved,
    Input,
    Resumed,
    RunLinked,
    RunStarted,
    SessionEnded,
    SessionEvent,
    Tick,
    TurnStarted,
)
from wakeful.model.time import Instant
from wakeful.replay.parallel.frames import FrameWriter, row_of_input

_EVERY_PART: Final = -1
_NO_PART: Final = -2
"""Who has the last input, where it is no single part."""


class BeyondBoundsError(WakefulError):
    """More is known at once than one engine keeps, which would let go of some of it."""


class Splitter:
    """Deals a log out to parts.

    Args:
        folder: An empty folder.
        parts: How many parts.
        settings: Those of the replay.
        automations: Those it begins with.

    Attributes:
        parts: The parts' files.
        control: The file of what decides something.
        watched: The sessions that runs or chats have, whose turns the gate has to know of.
        first_at: The first input's instant; ``None`` where there was none.
    """

    def __init__(
        self,
        folder: Path,
        parts: int,
        settings: Settings,
        automations: tuple[Automation, ...],
    ) -> None:
        self._numbering = Numbering(settings)
        self._control = FrameWriter(folder / "control")
        self._parts = [FrameWriter(folder / f"part-{number:04d}") for number in range(parts)]
        self._last = _EVERY_PART
        self._known: dict[str, int] = {}
        self._most = settings.sessions_kept
        self.parts = [writer.path for writer in self._parts]
        self.control = self._control.path
        self.watched: set[str] = set()
        self.first_at: Instant | None = None
        for automation in automations:
            self._watch_chat(automation)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for writer in (self._control, *self._parts):
            writer.close()

    def take(self, item: Input) -> None:
        """Take the next input.

        Raises:
            InputRefusedError: One engine would refuse it; it is passed over.
            BeyondBoundsError: One engine would forget sessions by now.
        """
        numbering = self._numbering
        now, last = numbering.now, numbering.number
        given: Any = numbering.take(item)
        if now is None:
            self.first_at = now = given.at
        number = numbering.number
        form = type(given)
        if form in OF_SESSIONS:
            part = self._known.get(given.session)
            if part is None:
                part = self._meet(given)
            elif form is SessionEnded:
                del self._known[given.session]
            self._parts[part].add(row_of_input(number, given))
            self._last = part
        else:
            self._take_other(given, number, now, last)

    def _take_other(self, item: Input, number: int, now: Instant, last: int) -> None:
        """An input that is no session's; ``last`` is the number of the one before, at ``now``."""
        if isinstance(item, Resumed):
            self._tell_time(now, last)
        self._control.add(row_of_input(tuple(place_of_input(item.at, number)), item))
        self._watch(item)
        if type(item) in CONCERNS_RULES:
            for writer in self._parts:
                writer.add(row_of_input(number, item))
            self._last = _EVERY_PART
        else:
            self._last = _NO_PART

    def finish(self) -> None:
        """The log is at its end."""
        if self._numbering.now is not None:
            self._tell_time(self._numbering.now, self._numbering.number)
        for writer in (self._control, *self._parts):
            writer.finish()

    def _tell_time(self, at: Instant, number: int) -> None:
        """Tell every part that does not know how far time has come, and by which input."""
        if self._last == _EVERY_PART:
            return
        for part, writer in enumerate(self._parts):
            if part != self._last:
                writer.add(row_of_input(number, Tick(at)))

    def _watch(self, item: Input) -> None:
        match item:
            case RunStarted(session=str(session)) | RunLinked(session=session):
                self.watched.add(session)
            case DefinitionSaved(automation=automation):
                self._watch_chat(automation)
            case _:
                pass

    def _watch_chat(self, automation: Automation) -> None:
        if automation.definition.pinned_session is not None:
            self.watched.add(automation.definition.pinned_session)

    def _meet(self, item: SessionEvent | TurnStarted | Activity | SessionEnded) -> int:
        """The part of a session that is not known; an engine would know it from now on."""
        part = part_of(item.session, len(self._parts))
        if isinstance(item, SessionEvent | TurnStarted):
            if len(self._known) == self._most:
                raise BeyondBoundsError(
                    f"more than {self._most:,} sessions are known at once, beyond which one "
                    "engine forgets those that are idle: replay this log in one process"
                )
            self._known[item.session] = part
        return part


def part_of(session: str, parts: int) -> int:
    """Which of that many parts a session belongs to: the same in every process."""
    return crc32(session.encode("utf-8", "surrogatepass")) % parts
