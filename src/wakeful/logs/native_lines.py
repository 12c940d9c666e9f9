"""The lines of the native log, kind by kind: what each has to hold, and the input it is."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from wakeful.logs.values import LineError, input_hash
from wakeful.model.automations import SCHEME
from wakeful.model.events import (
    DefinitionRemoved,
    DefinitionSaved,
    EventKind,
    GrantsChanged,
    Input,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SteerFailed,
    Tick,
    Tool,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.time import Instant

SessionWord: TypeAlias = EventKind | Literal["turnStarted", "activity", "sessionEnded"]
"""The kinds of lines that are about a session alone."""


class Line(msgspec.Struct, gc=False):
    """What every line has."""

    at: str | int
    kind: str


class ToolPart(msgspec.Struct, rename="camel", gc=False):
    """A tool, with the hash of its input or the input itself."""

    name: str
    input_hash: str | None = None
    input: Any = msgspec.UNSET


class EventLine(msgspec.Struct, rename="camel", gc=False):
    """A session event, and, with fewer members, any other line about a session.

    A kind that is spelled out here is decoded to one and the same text each time.
    """

    at: str | int
    kind: SessionWord
    session: str
    owner: str | None = None
    provider: str | None = None
    project: str | None = None
    folders: tuple[str, ...] | None = ()
    automated: bool | None = False
    running: bool | None = None
    queued: int | None = None
    turn_tool_calls: int | None = None
    tool: ToolPart | None = None
    child: str | None = None
    title: str | None = None


class TurnLine(Line, rename="camel", gc=False):
    """A turn that started."""

    session: str
    owner: str | None = None
    provider: str | None = None
    project: str | None = None
    folders: tuple[str, ...] | None = ()
    automated: bool | None = False
    title: str | None = None


class SessionLine(Line, gc=False):
    """Activity, or the end of a session."""

    session: str


class _Plugin(Line):
    type: str
    event: str
    data: dict[str, Any] | None = None
    by: str | None = None


class _Run(Line):
    automation: str
    run: str
    session: str | None = None


class _Linked(Line):
    automation: str
    run: str
    session: str


class _Settled(Line):
    automation: str
    run: str
    outcome: Literal["completed", "failed", "cancelled", "notStarted"]


class _Press(Line, rename="camel"):
    automation: str
    request_id: str


class _Saved(Line):
    automation: str
    definition: dict[str, Any]
    owner: str | None = None


class _Automation(Line):
    automation: str


class _Registered(Line):
    definition: dict[str, Any]
    by: str | None = None


class _Type(Line):
    type: str


class _Grants(Line):
    principal: str
    grants: tuple[str, ...]


class _Resumed(Line):
    live: tuple[str, ...] | None = None


def resource(automation: str) -> str:
    """An automation's resource, where a log names it by its id alone."""
    return automation if ":" in automation else f"{SCHEME}/{automation}"


def tool_of(part: ToolPart) -> Tool:
    """The tool of a line, its input hashed where it is there in place of the hash.

    Raises:
        LineError: It has neither.
    """
    if part.input_hash is not None:
        return Tool(part.name, part.input_hash)
    if part.input is msgspec.UNSET:
        raise LineError("a tool needs inputHash or input - at `$.tool`")
    return Tool(part.name, input_hash(part.input))


def _plugin(line: _Plugin, at: Instant) -> Input:
    return PluginEvent(type=line.type, event=line.event, at=at, data=line.data or {}, by=line.by)


def _run_started(line: _Run, at: Instant) -> Input:
    return RunStarted(
        automation=resource(line.automation), run=line.run, at=at, session=line.session
    )


def _run_linked(line: _Linked, at: Instant) -> Input:
    return RunLinked(
        automation=resource(line.automation), run=line.run, session=line.session, at=at
    )


def _run_settled(line: _Settled, at: Instant) -> Input:
    return RunSettled(
        automation=resource(line.automation), run=line.run, outcome=line.outcome, at=at
    )


def _steer_failed(line: _Run, at: Instant) -> Input:
    return SteerFailed(automation=resource(line.automation), run=line.run, at=at)


def _press(line: _Press, at: Instant) -> Input:
    return Press(automation=resource(line.automation), request_id=line.request_id, at=at)


def _saved(line: _Saved, at: Instant) -> Input:
    # Imported here: a log without definitions needs no reader of definitions.
    from wakeful.reading import read_automation  # noqa: PLC0415

    data: dict[str, Any] = {
        "resource": resource(line.automation),
        "definition": line.definition,
    }
    if line.owner is not None:
        data["owner"] = line.owner
    return DefinitionSaved(automation=read_automation(data), at=at)


def _removed(line: _Automation, at: Instant) -> Input:
    return DefinitionRemoved(automation=resource(line.automation), at=at)


def _registered(line: _Registered, at: Instant) -> Input:
    from wakeful.reading import read_trigger_type  # noqa: PLC0415 - as above

    return TypeRegistered(definition=read_trigger_type(line.definition), at=at, by=line.by)


def _type_removed(line: _Type, at: Instant) -> Input:
    return TypeRemoved(type=line.type, at=at)


def _grants(line: _Grants, at: Instant) -> Input:
    return GrantsChanged(principal=line.principal, grants=line.grants, at=at)


def _resumed(line: _Resumed, at: Instant) -> Input:
    return Resumed(at=at, live=line.live)


def _tick(line: Line, at: Instant) -> Input:  # noqa: ARG001 - a tick holds nothing
    return Tick(at)


OTHER_LINES: Final[Mapping[str, tuple[type[Line], Callable[[Any, Instant], Input]]]] = {
    "plugin": (_Plugin, _plugin),
    "runStarted": (_Run, _run_started),
    "runLinked": (_Linked, _run_linked),
    "runSettled": (_Settled, _run_settled),
    "steerFailed": (_Run, _steer_failed),
    "press": (_Press, _press),
    "definitionSaved": (_Saved, _saved),
    "definitionRemoved": (_Automation, _removed),
    "typeRegistered": (_Registered, _registered),
    "typeRemoved": (_Type, _type_removed),
    "grantsChanged": (_Grants, _grants),
    "resumed": (_Resumed, _resumed),
    "tick": (Line, _tick),
}
"""What a line of each kind that is not about a session alone has to hold, and its input."""
