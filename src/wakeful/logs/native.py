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
from sys import intern
from typing import Any, ClassVar, Final

import msgspec

from wakeful.logs.instants import InstantReader
from wakeful.logs.native_lines import (
    OTHER_LINES,
    EventLine,
    Line,
    SessionLine,
    ToolPart,
    TurnLine,
    tool_of,
)
from wakeful.logs.reader import Head, Origin, Reader
from wakeful.logs.values import LineError, decode
from wakeful.model.events import (
    EVENT_KINDS,
    Activity,
    EventKind,
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

_EVENTS: Final[Mapping[str, EventKind]] = {kind: kind for kind in EVENT_KINDS}

_FactsKey = tuple[str | None, str | None, str | None, tuple[str, ...] | None, bool | None]
_facts_of: Final[Callable[[object], _FactsKey]] = attrgetter(
    "owner", "provider", "project", "folders", "automated"
)


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
        self._facts: dict[_FactsKey, Facts] = {}
        self._tools: dict[tuple[str, str | None], Tool] = {}

    def decode(self, line: bytes, origin: Origin) -> Sequence[Input]:  # noqa: ARG002
        """The input of one line; none where the line is blank or its kind unknown."""
        given: list[Input] = []
        self.read([line], given, _raise)
        return given

    def apply(self, record: Any) -> Sequence[Input]:
        """The record itself: it is an input already."""
        return (record,)

    def read(
        self,
        lines: Sequence[bytes],
        given: list[Input],
        refuse: Callable[[int, Exception], None],
    ) -> None:
        """Read many lines at once, as replays do.

        Args:
            lines: The lines; blank ones are passed over.
            given: The inputs are appended here.
            refuse: Is told the index of each line that cannot be read, and why.
        """
        decode_event = self._event.decode
        seconds, fractions = self._instants.seconds, self._instants.fractions
        all_facts, all_tools = self._facts, self._tools
        kind_of, facts_of = _EVENTS.get, _facts_of
        add = given.append
        for index, line in enumerate(lines):
            try:
                try:
                    event = decode_event(line)
                except (msgspec.MsgspecError, RecursionError):
                    if line and not line.isspace():
                        add_all(given, self._read_other(line))
                    continue
                kind = kind_of(event.kind)
                text = event.at
                try:
                    at = seconds[text[:19]] + fractions[text[19:]]  # type: ignore[index]
                except (KeyError, TypeError):
                    at = self._instants.read(text)
                if kind is None:
                    add_all(given, self._read_plain(line, event, at))
                    continue
                facts = all_facts.get(key := facts_of(event))
                if facts is None:
                    facts = self._share_facts(key)
                tool: Tool | None
                if (part := event.tool) is None:
                    tool = None
                else:
                    tool = all_tools.get((part.name, part.input_hash))
                    if tool is None:
                        tool = self._share_tool(part)
                add(
                    SessionEvent(
                        kind,
                        intern(event.session),
                        at,
                        facts,
                        event.running,
                        event.queued,
                        event.turn_tool_calls,
                        tool,
                        event.child,
                        event.title,
                    )
                )
            except (ValueError, LineError) as problem:
                refuse(index, problem)

    def _read_plain(self, line: bytes, event: EventLine, at: Instant) -> Input | None:
        """A line that fits an event's record, and is of another kind."""
        match event.kind:
            case "activity":
                return Activity(intern(event.session), at)
            case "turnStarted":
                return self._turn_started(event, at)
            case "sessionEnded":
                return SessionEnded(intern(event.session), at)
            case _:
                return self._read_other(line)

    def _read_other(self, line: bytes) -> Input | None:
        """A line of any kind, at leisure: leniently decoded, with its kind's own record.

        Raises:
            LineError: It is no JSON, or a member has the wrong type.
            InvalidError: Its instant is none, or its definition is refused.
        """
        head = decode(self._line, line)
        kind = head.kind
        if (event_kind := _EVENTS.get(kind)) is not None:
            event = decode(self._event, line)
            return SessionEvent(
                event_kind,
                intern(event.session),
                self._instants.read(event.at),
                self._share_facts(_facts_of(event)),
                event.running,
                event.queued,
                event.turn_tool_calls,
                None if event.tool is None else self._share_tool(event.tool),
                event.child,
                event.title,
            )
        if kind == "turnStarted":
            return self._turn_started(decode(self._turn, line), self._instants.read(head.at))
        if kind in ("activity", "sessionEnded"):
            session = decode(self._session, line).session
            at = self._instants.read(head.at)
            return Activity(session, at) if kind == "activity" else SessionEnded(session, at)
        if kind not in OTHER_LINES:
            self.skipped[kind] += 1
            return None
        record = decode(self._others[kind], line)
        return OTHER_LINES[kind][1](record, self._instants.read(head.at))

    def _turn_started(self, line: EventLine | TurnLine, at: Instant) -> TurnStarted:
        return TurnStarted(intern(line.session), at, self._share_facts(_facts_of(line)), line.title)

    def _share_facts(self, key: _FactsKey) -> Facts:
        """The one record of these facts."""
        found = self._facts.get(key)
        if found is None:
            if len(self._facts) >= _KEPT:
                self._facts.clear()
            owner, provider, project, folders, automated = key
            found = self._facts[key] = Facts(
                owner=owner,
                provider=provider,
                project=project,
                folders=folders or (),
                automated=bool(automated),
            )
        return found

    def _share_tool(self, part: ToolPart) -> Tool:
        """The one record of this tool and input."""
        tool = tool_of(part)
        if len(self._tools) >= _KEPT:
            self._tools.clear()
        return self._tools.setdefault((tool.name, tool.input_hash), tool)


def add_all(given: list[Input], found: Input | None) -> None:
    """Append what is there."""
    if found is not None:
        given.append(found)


def _raise(_index: int, problem: Exception) -> None:
    raise problem


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
