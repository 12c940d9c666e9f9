"""The native log: JSON Lines, one input a line (the interface "The native log").

Nearly every line is a session's event or activity, so those are decoded straight into one
flat record and turned into the model's with as little as possible in between: instants by
their text up to the second, facts and tools by what they consist of, each shared while it
keeps being said. Every other kind, and every line that does not fit, takes a slower road
where each kind has a record of its own, and the members of other kinds are unknown ones.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from operator import attrgetter
from typing import Any, ClassVar, Final

import attrs
import msgspec
from msgspec.structs import astuple

from wakeful.errors import InvalidError
from wakeful.logs.instants import FRACTIONS, InstantReader
from wakeful.logs.native_lines import (
    OTHER_LINES,
    EventLine,
    Line,
    SessionLine,
    SessionWord,
    ToolPart,
    TurnLine,
    tool_of,
)
from wakeful.logs.reader import Head, Origin, Reader
from wakeful.logs.values import LineError, decode
from wakeful.logs.words import input_kind
from wakeful.model.events import (
    EVENT_KINDS,
    Activity,
    Facts,
    Input,
    SessionEnded,
    SessionEvent,
    Tool,
    TurnStarted,
)
from wakeful.model.time import Duration, Instant

_KEPT: Final = 8192
"""How many sets of facts, and how many tools, are shared at once."""

_EVENT_KINDS: Final = frozenset(EVENT_KINDS)

_AT_ONCE: Final = 128
"""How many lines are read together, and are read one by one where one of them is unlike."""

_FactsKey = tuple[str | None, str | None, str | None, tuple[str, ...] | None, bool | None]
_facts_of: Final[Callable[[object], _FactsKey]] = attrgetter(
    "owner", "provider", "project", "folders", "automated"
)


@attrs.define
class Batch:
    """Inputs that were read together, with the instant, the kind and the line's index of each."""

    inputs: list[Input] = attrs.Factory(list)
    instants: list[Instant] = attrs.Factory(list)
    words: list[str] = attrs.Factory(list)
    indices: list[int] = attrs.Factory(list)


class NativeReader(Reader):
    """Reads native logs. A line is an input, so there is no state but what is shared."""

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._instants = InstantReader(zone)
        self._event = msgspec.json.Decoder(EventLine)
        self._line = msgspec.json.Decoder(Line)
        self._turn = msgspec.json.Decoder(TurnLine)
        self._session = msgspec.json.Decoder(SessionLine)
        self._others: dict[str, msgspec.json.Decoder[Any]] = {
            kind: msgspec.json.Decoder(shape) for kind, (shape, _) in OTHER_LINES.items()
        }
        self._facts = _SharedFacts()
        self._tools = _SharedTools()

    def decode(self, line: bytes, origin: Origin) -> Sequence[Input]:  # noqa: ARG002
        """The input of one line; none where the line is blank or its kind unknown."""
        found = self._read_line(line)
        return () if found is None else (found,)

    def apply(self, record: Any) -> Sequence[Input]:
        """The record itself: it is an input already."""
        return (record,)

    def read(self, lines: Sequence[bytes], refuse: Callable[[int, Exception], None]) -> Batch:
        """Read many lines at once, as replays do.

        Args:
            lines: The lines; blank ones are passed over.
            refuse: Is told the index of each line that cannot be read, and why.
        """
        batch = Batch()
        for start in range(0, len(lines), _AT_ONCE):
            some = lines[start : start + _AT_ONCE]
            try:
                self._read_alike(some, batch)
                batch.indices += range(start, start + len(some))
            except (LineError, ValueError, KeyError, TypeError, RecursionError):
                self._read_unlike(some, start, batch, refuse)
        return batch

    def _read_alike(self, lines: Sequence[bytes], batch: Batch) -> None:
        """Lines that are all about sessions, in columns: the fewest steps for each.

        Raises:
            LineError, ValueError, KeyError, TypeError, RecursionError: Some line is of
                another kind, or cannot be read like this; nothing was read.
        """
        ats, kinds, sessions, *facts, running, queued, calls, tools, children, titles = zip(
            *map(astuple, map(self._event.decode, lines)), strict=True
        )
        instants = self._read_instants(ats)
        known, share = self._tools.by_hash.get, self._tools.share
        columns = (
            kinds,
            sessions,
            instants,
            map(self._facts.__getitem__, zip(*facts, strict=True)),
            running,
            queued,
            calls,
            [
                None
                if part is None
                else tool
                if (tool := known(part.input_hash)) is not None and tool.name == part.name
                else share(part)
                for part in tools
            ],
            children,
            titles,
        )
        if _EVENT_KINDS.issuperset(kinds):
            batch.inputs += map(SessionEvent, *columns)
        else:
            # Spelled out, since a call for each line would cost as much as its record.
            batch.inputs += [
                SessionEvent(kind, name, at, said, run, queue, count, tool, child, title)
                if kind in _EVENT_KINDS
                else Activity(name, at)
                if kind == "activity"
                else _make(kind, name, at, said, run, queue, count, tool, child, title)
                for kind, name, at, said, run, queue, count, tool, child, title in zip(
                    *columns, strict=True
                )
            ]
        batch.instants += instants
        batch.words += kinds

    def _read_instants(self, texts: Sequence[Any]) -> list[Instant]:
        """The instants of many lines; neighbours mostly share their second.

        Raises:
            ValueError, KeyError, TypeError: One is written in another form.
        """
        instants = []
        seconds, fractions = self._instants.seconds, FRACTIONS
        last, begin = "", 0
        for text in texts:
            second = text[:19]
            if second != last:
                last, begin = second, seconds[second]
            instants.append(begin + fractions[text[19:]])
        return instants

    def _read_unlike(
        self,
        lines: Sequence[bytes],
        start: int,
        batch: Batch,
        refuse: Callable[[int, Exception], None],
    ) -> None:
        """Lines of any kinds, one by one; ``start`` is the index of the first."""
        for index, line in enumerate(lines, start):
            try:
                found = self._read_line(line)
            except (InvalidError, LineError) as problem:
                refuse(index, problem)
            else:
                if found is not None:
                    batch.inputs.append(found)
                    batch.instants.append(found.at)
                    batch.words.append(input_kind(found))
                    batch.indices.append(index)

    def _read_line(self, line: bytes) -> Input | None:
        """A line of any kind, by itself.

        Raises:
            LineError: It is no JSON, or a member has the wrong type.
            InvalidError: Its instant is none, or its definition is refused.
        """
        try:
            event = self._event.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            return self._read_other(line) if line and not line.isspace() else None
        return self._of_session(event)

    def _of_session(self, line: EventLine) -> Input:
        return _make(
            line.kind,
            line.session,
            self._instants.read(line.at),
            self._facts[_facts_of(line)],
            line.running,
            line.queued,
            line.turn_tool_calls,
            None if line.tool is None else self._tools.share(line.tool),
            line.child,
            line.title,
        )

    def _read_other(self, line: bytes) -> Input | None:
        """A line that does not fit an event's record, leniently decoded as its own kind."""
        head = decode(self._line, line)
        kind = head.kind
        if kind in OTHER_LINES:
            record = decode(self._others[kind], line)
            return OTHER_LINES[kind][1](record, self._instants.read(head.at))
        if kind == "turnStarted":
            turn = decode(self._turn, line)
            facts = self._facts[_facts_of(turn)]
            return TurnStarted(turn.session, self._instants.read(head.at), facts, turn.title)
        if kind in ("activity", "sessionEnded"):
            session = decode(self._session, line).session
            at = self._instants.read(head.at)
            return Activity(session, at) if kind == "activity" else SessionEnded(session, at)
        if kind in _EVENT_KINDS:
            return self._of_session(decode(self._event, line))
        self.skipped[kind] += 1
        return None


class _SharedFacts(dict[_FactsKey, Facts]):
    """One record of equal facts, as long as not too many others are said."""

    def __missing__(self, key: _FactsKey) -> Facts:
        if len(self) >= _KEPT:
            self.clear()
        owner, provider, project, folders, automated = key
        found = self[key] = Facts(
            owner=owner,
            provider=provider,
            project=project,
            folders=folders or (),
            automated=bool(automated),
        )
        return found


class _SharedTools:
    """One record of each tool and input, as long as not too many others are called.

    Attributes:
        by_hash: The tool called last with each input hash.
    """

    def __init__(self) -> None:
        self.by_hash: dict[str | None, Tool] = {}

    def share(self, part: ToolPart) -> Tool:
        """The tool of a line's part.

        Raises:
            LineError: The part has neither a hash nor an input.
        """
        found = self.by_hash.get(part.input_hash)
        if found is None or found.name != part.name:
            found = tool_of(part)
            if len(self.by_hash) >= _KEPT:
                self.by_hash.clear()
            self.by_hash[found.input_hash] = found
        return found


def _make(
    kind: SessionWord,
    session: str,
    at: Instant,
    facts: Facts,
    *state: Any,
) -> Input:
    """The input of a line about a session."""
    if kind == "activity":
        return Activity(session, at)
    if kind == "turnStarted":
        return TurnStarted(session, at, facts, state[-1])
    if kind == "sessionEnded":
        return SessionEnded(session, at)
    return SessionEvent(kind, session, at, facts, *state)


class NativeFormat:
    """JSON Lines with ``at`` and ``kind``."""

    name: ClassVar[str] = "wakeful"
    reorder: ClassVar[Duration] = 0
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {}
    endings_inferred: ClassVar[bool] = False

    def recognise(self, head: Head) -> bool:
        """Whether a line has ``at`` and a ``kind`` that is text."""
        return any("at" in line and isinstance(line.get("kind"), str) for line in head.objects)

    def reader(self, *, zone: tzinfo | None = None) -> NativeReader:
        """A new reader."""
        return NativeReader(zone=zone)
