"""Inputs as lines of the native log; reading a line back gives an equal input."""

from collections.abc import Mapping
from typing import Any, Final, assert_never

import msgspec

from wakeful.errors import InvalidError
from wakeful.logs.values import writable
from wakeful.logs.words import input_kind
from wakeful.model.events import (
    NO_FACTS,
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    Facts,
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
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT, format_instant

REDACTED: Final = "(redacted)"
"""What stands in place of a title or a value that was taken out."""


def write_native(one: Input, *, redact: bool = False) -> str:
    """The line of an input, without a newline.

    Members that say nothing are left out. What JSON cannot hold (a lone surrogate, ``NaN``)
    is written as reading would have read it.

    Args:
        one: The input.
        redact: Put :data:`REDACTED` in place of titles (of sessions, automations, triggers,
            types and their events) and of the values of a plugin event's data; its keys
            stay, and so do sessions, folders, owners and the texts of messages.

    Raises:
        InvalidError: Its instant lies outside the years 1 to 9999, or a plugin's data is not
            plain JSON data.
    """
    if not MIN_INSTANT <= one.at <= MAX_INSTANT:
        raise InvalidError.single("at", one.at, "milliseconds within the years 1 to 9999")
    members = {"at": format_instant(one.at), "kind": input_kind(one)}
    members |= {
        key: value for key, value in _members(one, redact=redact).items() if value is not None
    }
    try:
        return msgspec.json.encode(members).decode()
    except (UnicodeEncodeError, ValueError):
        return msgspec.json.encode(writable(members)).decode()
    except (TypeError, RecursionError) as problem:
        raise InvalidError.single(
            "", one, "an input of plain JSON data", f"not plain JSON data: {problem}"
        ) from None


def _members(one: Input, *, redact: bool) -> dict[str, Any]:
    """What an input's line holds besides its instant and kind; ``None`` is left out."""
    match one:
        case SessionEvent():
            return {
                "session": one.session,
                **_facts(one.facts),
                "running": one.running,
                "queued": one.queued,
                "turnToolCalls": one.turn_tool_calls,
                "tool": one.tool and {"name": one.tool.name, "inputHash": one.tool.input_hash},
                "child": one.child,
                "title": _title(one.title, redact=redact),
            }
        case TurnStarted():
            title = _title(one.title, redact=redact)
            return {"session": one.session, **_facts(one.facts), "title": title}
        case Activity() | SessionEnded():
            return {"session": one.session}
        case PluginEvent():
            data = dict.fromkeys(one.data, REDACTED) if redact else writable(dict(one.data))
            return {"type": one.type, "event": one.event, "data": data or None, "by": one.by}
        case DefinitionSaved() | TypeRegistered():
            return _definition(one, redact=redact)
        case _:
            return _of_automation(one)


def _of_automation(
    one: RunStarted
    | RunLinked
    | RunSettled
    | SteerFailed
    | Press
    | DefinitionRemoved
    | TypeRemoved
    | GrantsChanged
    | Resumed
    | Tick,
) -> dict[str, Any]:
    match one:
        case RunStarted() | RunLinked():
            return {"automation": one.automation, "run": one.run, "session": one.session}
        case RunSettled():
            return {"automation": one.automation, "run": one.run, "outcome": one.outcome}
        case SteerFailed():
            return {"automation": one.automation, "run": one.run}
        case Press():
            return {"automation": one.automation, "requestId": one.request_id}
        case DefinitionRemoved():
            return {"automation": one.automation}
        case TypeRemoved():
            return {"type": one.type}
        case GrantsChanged():
            return {"principal": one.principal, "grants": one.grants}
        case Resumed():
            return {"live": one.live}
        case Tick():
            return {}
    assert_never(one)


def _facts(facts: Facts) -> dict[str, Any]:
    if facts is NO_FACTS:
        return {}
    return {
        "owner": facts.owner,
        "provider": facts.provider,
        "project": facts.project,
        "folders": facts.folders or None,
        "automated": facts.automated or None,
    }


def _title(title: str | None, *, redact: bool) -> str | None:
    return REDACTED if redact and title is not None else title


def _definition(one: DefinitionSaved | TypeRegistered, *, redact: bool) -> dict[str, Any]:
    # Imported here: most logs hold no definitions, and reading is a large room.
    from wakeful.reading import write_definition, write_trigger_type  # noqa: PLC0415

    if isinstance(one, TypeRegistered):
        definition = write_trigger_type(one.definition)
        members: dict[str, Any] = {"by": one.by}
    else:
        definition = write_definition(one.automation.definition)
        members = {"automation": one.automation.resource, "owner": one.automation.owner}
    return members | {"definition": _untitled(definition) if redact else definition}


def _untitled(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A definition with its titles, and those of its triggers and events, taken out."""
    plain = dict(definition)
    if "title" in plain:
        plain["title"] = REDACTED
    for key in ("triggers", "events"):
        if key in plain:
            plain[key] = [
                _untitled(part) if isinstance(part, Mapping) else part for part in plain[key]
            ]
    return plain
