"""A shard: the sessions that fall to it, and what rules make of them.

Theory
------
Lines come from any number of partitions, each in its order. The shard holds them back until
the watermark has passed them, and takes them in the order of their places, with everybody's
controls between them, so that what it gives depends on nothing but what is in the partitions.
What is due by an input's instant comes before it (the matching half does so); after the last
input that the watermark covers, time goes on to the watermark.

Kept is: the lines held back; each session's state, written when an input or a match touched it;
how far the shard is. Rules are not kept: they are made again from the log of controls, up to
where the shard was, which also tells since when each has watched. A change of rules or sight may
change any session, so all are written after one; that is the price of an edit.

An automation with a disable condition may have been switched off by its gate before its next
definition, which then begins from nothing (semantics 9.1); a shard cannot know. So from that
definition on it watches the automation twice, as it was and from nothing, and the gate, which
does know, listens to one of the two. A definition that is off ends that.

For gates it tells, besides matches, what they cannot see: the turns of sessions that belong to
runs, and at a ``resumed`` which input came before it, since what fell due after that one is late.

A line that comes after the watermark passed its place is taken at the first instant that is
still open, and counted.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Final, Protocol, TypeAlias

import attrs

from wakeful.core.deciding import place_of_input
from wakeful.core.matching import Matching
from wakeful.core.numbering import Numbering
from wakeful.core.settings import Settings
from wakeful.distributed.codec import (
    Item,
    Lines,
    match_data,
    pack,
    pack_json,
    text_of,
    unpack,
    unpack_json,
)
from wakeful.distributed.controls import ControlLog, decode
from wakeful.distributed.partitions import Dealing
from wakeful.distributed.places import NEVER, Place
from wakeful.errors import InputRefusedError
from wakeful.logs.native import NativeReader
from wakeful.logs.values import LineError
from wakeful.model.automations import Automation
from wakeful.model.events import (
    ENDINGS,
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
    TurnStarted,
)
from wakeful.model.outputs import Match
from wakeful.model.time import Instant

_META: Final = "meta"
_LINES: Final = "lines/"
_SESSION: Final = "session/"
_WATCHED: Final = "watched/"
_REQUEST: Final = "request/"


_CHANGES_SESSIONS: Final = (DefinitionSaved, DefinitionRemoved, GrantsChanged)
"""The controls after which any session may be another."""

_REQUESTS_KEPT: Final = 100_000
"""How many request ids of presses a shard knows, the newest."""

_ANEW: Final = "\n"
"""Between an automation's resource and the number of the definition it is watched from; no
resource holds it."""

Told: TypeAlias = dict[int, list[Item]]
"""What is to be told to each gate."""


class Store(Protocol):
    """Where the state of one shard or gate is kept: bytes by name."""

    def get(self, name: str, /) -> bytes | None:
        """What is kept under a name."""

    def put(self, name: str, data: bytes, /) -> None:
        """Keep it."""

    def remove(self, name: str, /) -> None:
        """Keep it no more."""

    def items(self) -> Iterator[tuple[str, bytes]]:
        """All that is kept."""


class Shard:
    """One shard.

    Args:
        key: Which one.
        controls: What concerns everybody, as far as it came; shared with other shards.
        store: Where its state is kept. What is there is gone on from.
        dealing: How names are dealt out.
        settings: As for an engine; ``sessions_kept`` is for this shard.

    Attributes:
        until: The watermark up to which it is.
        late: Lines that came too late, which were taken all the same.

    Raises:
        SnapshotError: What is kept is of another version, or damaged.
    """

    def __init__(
        self, key: str, controls: ControlLog, store: Store, *, dealing: Dealing, settings: Settings
    ) -> None:
        self.until: Instant = NEVER
        self.late = 0
        self._key = key
        self._controls = controls
        self._store = store
        self._dealing = dealing
        self._matching = Matching(settings=settings)
        self._admitting = Numbering(settings)
        self._reader = NativeReader()
        self._last = 0
        """The number of the last input that was taken."""
        self._batches: dict[int, tuple[Lines, int]] = {}
        """What is held back, by the name it is kept under, and its next line."""
        self._heap: list[tuple[int, int]] = []
        """The number of the next line of each batch, and the batch's name."""
        self._received = 0
        self._definitions: dict[str, Automation] = {}
        self._anew: dict[str, list[str]] = {}
        """Of each automation, the names under which it is watched from nothing."""
        self._watched: dict[str, set[str]] = {}
        self._requests: dict[str, str] = {}
        self._touched: set[str] = set()
        self._all_touched = False
        self._restore()

    # -- what comes -----------------------------------------------------------------------

    def receive(self, data: bytes, watermark: Instant = NEVER) -> dict[int, bytes]:
        """Hold back a batch of lines until the watermark passes them. O(its lines).

        Args:
            data: The batch.
            watermark: As it stands; the lines should stand after it.

        Returns:
            A message for each gate that the batch greets.

        Raises:
            SnapshotError: It is of another version.
        """
        batch = unpack(data, Lines)
        if batch.lines:
            passed = max(watermark, self.until)
            if batch.lines[0][0] <= passed:
                batch = self._from(passed + 1, batch)
                data = pack(batch)
            self._store.put(f"{_LINES}{self._received}", data)
            self._hold(self._received, batch)
            self._received += 1
        return self._message({gate: [] for gate in batch.greets})

    def _from(self, open_at: Instant, batch: Lines) -> Lines:
        """The batch, with what came too late at the first instant that is still open."""
        self.late += sum(at < open_at for at, _, _ in batch.lines)
        lines = [(max(at, open_at), offset, line) for at, offset, line in batch.lines]
        return Lines(batch.partition, lines)

    def _hold(self, name: int, batch: Lines) -> None:
        self._batches[name] = batch, 0
        heappush(self._heap, (_number_of(batch, 0), name))

    # -- what the watermark lets through --------------------------------------------------

    def advance(self, until: Instant, *, ended: bool = False) -> dict[int, bytes]:
        """Take what stands at or before an instant, and what is due by then.

        Args:
            until: The watermark.
            ended: Whether every partition has ended. A log that ends is not time that passed
                (semantics 5.5): nothing is due then after the last input of all.

        Returns:
            A message for each gate that has something to hear.
        """
        told: Told = {}
        end = None
        if ended:
            tails = (_number_of(batch, -1) for batch, _ in self._batches.values())
            end = max([self._controls.end, *tails])
            until = min(until, Place.of(end).at)
        if until <= self.until:
            return {}
        self._take_all(self._controls.between(self.until, until), _end_of(until), told)
        due = self._matching.advance(until)
        if end is not None:
            place = place_of_input(until, end)
            due = [match for match in due if match.key < place]
        self._tell_matches(due, told)
        self.until = until
        self._keep()
        return self._message(told)

    def _take_all(self, controls: Sequence[tuple[int, Input]], end: int, told: Told) -> None:
        """Take controls, and the lines that are held back and numbered below ``end``."""
        heap = self._heap
        for number, item in controls:
            while heap and heap[0][0] < number:
                self._take_line(told)
            self._take_control(number, item, told)
        while heap and heap[0][0] < end:
            self._take_line(told)

    def _take_line(self, told: Told) -> None:
        number, name = heappop(self._heap)
        batch, index = self._batches[name]
        at, _, line = batch.lines[index]
        index += 1
        if index < len(batch.lines):
            self._batches[name] = batch, index
            heappush(self._heap, (_number_of(batch, index), name))
        else:
            del self._batches[name]
            self._store.remove(f"{_LINES}{name}")
        try:
            item = decode(self._reader, line, at)
        except (LineError, ValueError):  # the partition has read and counted it
            item = None
        if item is not None:
            self._take(item, number, line, told)
        self._last = max(self._last, number)

    def _take(self, item: Input, number: int, line: bytes, told: Told) -> None:
        match item:
            case SessionEvent() | TurnStarted() | SessionEnded():
                self._take_of_session(item, number, line, told)
            case Activity():
                self._touched.add(item.session)
                self._tell_matches(self._matching.take(item, number), told)
            case RunStarted() | RunLinked():
                if item.session is not None:
                    self._watch(item.session, item.automation, number, told)
                self._tell(item.automation, told, {"number": number, "line": text_of(line)})
            case RunSettled() | SteerFailed():
                self._tell(item.automation, told, {"number": number, "line": text_of(line)})
            case Press():
                self._take_press(item, number, line, told)
            case PluginEvent():
                for gate in range(self._dealing.gates):
                    told.setdefault(gate, []).append({"number": number, "line": text_of(line)})
            case _:
                self._tell_matches(self._matching.take(item, number), told)

    def _take_of_session(
        self,
        item: SessionEvent | TurnStarted | SessionEnded,
        number: int,
        line: bytes,
        told: Told,
    ) -> None:
        session = item.session
        matches = self._matching.take(item, number)
        self._touched.add(session)
        self._tell_matches(matches, told)
        watching = self._watched.get(session)
        if watching and (type(item) is not SessionEvent or item.kind in ENDINGS):
            # Inputs sort before the matches they brought, so it does not matter who tells first.
            for automation in sorted(watching):
                one: Item = {"number": number, "line": text_of(line), "of": automation}
                self._tell(automation, told, one)

    def _take_press(self, press: Press, number: int, line: bytes, told: Told) -> None:
        """A request id is global: the gate hears on which other automation it was pressed first."""
        told_of: Item = {"number": number, "line": text_of(line)}
        request_id, automation = press.request_id, press.automation
        first = self._requests.get(request_id)
        if first is not None and first != automation:
            told_of["first"] = first
        elif first is None and request_id and automation in self._definitions:
            self._requests[request_id] = automation
            self._store.put(f"{_REQUEST}{request_id}", pack_json([number, automation]))
            if len(self._requests) > _REQUESTS_KEPT:
                oldest = next(iter(self._requests))
                del self._requests[oldest]
                self._store.remove(f"{_REQUEST}{oldest}")
        self._tell(automation, told, told_of)

    def _take_control(self, number: int, item: Input, told: Told) -> None:
        try:
            self._admitting.take(item)
        except InputRefusedError:
            return  # the gates count it
        # What is due stands in the places that definitions have until then.
        self._tell_matches(self._matching.advance(item.at), told)
        self._tell_matches(self._matching.take(item, number), told)
        match item:
            case DefinitionSaved():
                self._save(item.automation, number)
                chat = item.automation.definition.pinned_session
                if chat is not None and self._is_mine(chat):
                    self._watch(chat, item.automation.resource, number, told)
            case DefinitionRemoved():
                self._definitions.pop(item.automation, None)
                self._once(item.automation)
            case Resumed():
                beat: Item = {"number": number, "after": self._last}
                for gate in range(self._dealing.gates):
                    told.setdefault(gate, []).append(beat)
            case _:
                pass
        if type(item) in _CHANGES_SESSIONS:
            self._all_touched = True
        self._last = max(self._last, number)

    def _save(self, automation: Automation, number: int) -> None:
        resource = automation.resource
        standing = self._definitions.get(resource)
        self._definitions[resource] = automation
        if not automation.definition.enabled:
            self._once(resource)
            return
        names = self._anew.setdefault(resource, [])
        if standing is not None and _may_go_off(standing):
            names.append(f"{resource}{_ANEW}{number:x}")
        for name in names:
            self._matching.watch_anew(automation, name, number)

    def _once(self, resource: str) -> None:
        """Watch an automation once again: however it went off, it begins from nothing."""
        for name in self._anew.pop(resource, ()):
            self._matching.unwatch(name)

    def _watch(self, session: str, automation: str, number: int, told: Told) -> None:
        """From now on a gate hears when a turn begins and ends there; and whether one runs now."""
        watching = self._watched.setdefault(session, set())
        if automation not in watching:
            watching.add(automation)
            self._store.put(f"{_WATCHED}{session}", pack_json(sorted(watching)))
        # Told again each time: a gate keeps turns of sessions that matter to it, and it may
        # have been restored since this one last did.
        if self._matching.turn_running(session):
            self._tell(automation, told, {"number": number, "turn": session, "of": automation})

    # -- what gates are told --------------------------------------------------------------

    def _tell(self, automation: str, told: Told, item: Item) -> None:
        told.setdefault(self._dealing.gate(automation), []).append(item)

    def _tell_matches(self, matches: Sequence[Match], told: Told) -> None:
        for match in matches:
            if match.session is not None:
                self._touched.add(match.session)
            automation, _, since = match.automation.partition(_ANEW)
            if since:
                key = self._matching.in_its_place(match.key, automation)
                data = match_data(attrs.evolve(match, automation=automation, key=key))
                data["since"] = int(since, 16)
            else:
                data = match_data(match)
            self._tell(automation, told, {"match": data})

    def _message(self, told: Told) -> dict[int, bytes]:
        return {
            gate: pack_json({"last": self._last, "items": items}) for gate, items in told.items()
        }

    def _is_mine(self, session: str) -> bool:
        return self._dealing.shard(f"session:{session}") == self._key

    # -- what is kept ---------------------------------------------------------------------

    def _keep(self) -> None:
        names = self._matching.sessions() if self._all_touched else ()
        for session in {*names, *self._touched}:
            data = self._matching.export_session(session)
            if data is None:
                self._store.remove(f"{_SESSION}{session}")
            else:
                self._store.put(f"{_SESSION}{session}", data)
        self._touched.clear()
        self._all_touched = False
        self._store.put(_META, pack_json([self.until, self._last, self._received]))

    def _restore(self) -> None:
        """Go on from what is kept: rules first, then sessions, then what is held back."""
        kept = dict(self._store.items())
        meta = kept.get(_META)
        if meta is not None:
            self.until, self._last, self._received = unpack_json(meta, tuple[int, int, int])
        for name, data in kept.items():
            # Before definitions, which add to them and write them down.
            if name.startswith(_WATCHED):
                self._watched[name.removeprefix(_WATCHED)] = unpack_json(data, set[str])
        for number, item in self._controls.between(NEVER, self.until):
            self._take_control(number, item, {})
        if self.until > NEVER:
            self._matching.advance(self.until)
        self._touched.clear()
        self._all_touched = False
        requests = []
        for name, data in sorted(kept.items()):
            if name.startswith(_SESSION):
                self._matching.import_session(data)
            elif name.startswith(_LINES):
                number = int(name.removeprefix(_LINES))
                self._received = max(self._received, number + 1)
                self._hold_rest(number, unpack(data, Lines))
            elif name.startswith(_REQUEST):
                requests.append((*unpack_json(data, tuple[int, str]), name.removeprefix(_REQUEST)))
        self._requests = {request: automation for _, automation, request in sorted(requests)}

    def _hold_rest(self, name: int, batch: Lines) -> None:
        """Hold back what of a batch was not taken."""
        rest = [line for line in batch.lines if line[0] > self.until]
        if rest:
            self._hold(name, Lines(batch.partition, rest))
        else:
            self._store.remove(f"{_LINES}{name}")


def _number_of(batch: Lines, index: int) -> int:
    at, offset, _ = batch.lines[index]
    return Place(at, batch.partition, offset).number


def _end_of(instant: Instant) -> int:
    """A number above all that stand at an instant, and not above any that stands after it."""
    return Place(instant + 1, 0, 0).number


def _may_go_off(automation: Automation) -> bool:
    definition = automation.definition
    return definition.enabled and bool(definition.disable_conditions)
