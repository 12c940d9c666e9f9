"""Discovery: what ``listAutomationTriggerDefinitions`` answers.

The two types of this library, then plugins' in order of registration; schedules never,
they need no form (the seed's "The three kinds of trigger"). What a form can be built from
is said in the protocol's ConfigSchema, for ``session`` and ``watch`` too. Such a schema
says less than reading does: that ``then`` of the kind ``event`` needs ``event`` and
``within``, for one, is held when a definition is read.
"""

from collections.abc import Mapping
from typing import Any, Final

from wakeful.model.events import EVENT_KINDS, EventKind
from wakeful.model.rules import MAX_COUNT
from wakeful.model.triggers import TriggerType
from wakeful.plugins.connectors import Connectors, offered
from wakeful.plugins.frozen import plain
from wakeful.plugins.registry import TypeRegistry
from wakeful.presets import EVENT_TITLES, PRESETS, Preset

PRESET_DEFAULTS_KEY: Final = "x-wakeful-defaults"
"""In the ``watch`` schema, what a number starts as, by preset: two may share its key."""

_EVENT_DESCRIPTIONS: Final[Mapping[EventKind, str]] = {
    "turnCompleted": "The session's turn ended well",
    "turnFailed": "The session's turn ended with an error",
    "turnCancelled": "Somebody stopped the session's turn",
    "toolCalled": "A tool call in the session finished well",
    "toolFailed": "A tool call in the session failed",
    "messageQueued": "A message waits behind the turn that is running",
    "idle": "A turn ended and nothing waits behind it",
    "childFinished": "A session or worker chat that this one started went quiet",
}

_PRESET_DESCRIPTIONS: Final = {
    "looks-stuck": "The same tool is called with the same input again and again",
    "failing-tools": "Tool calls fail one after another",
    "long-silent-turn": "A turn is running and nothing has happened in it for a while",
    "idle-after-failure": "A turn failed and the session has been quiet since",
    "waiting-while-busy": "A message is queued behind a turn that has run several tool calls",
}

_NUMBERS: Final = {
    "times": ("Times", "How many calls it takes"),
    "minutes": ("Minutes", "How many minutes of quiet it takes"),
    "toolCalls": ("Tool calls", "How many calls the turn has finished by then"),
}
"""Title and description of each preset's number."""


def _texts(title: str, description: str) -> dict[str, Any]:
    return {
        "type": "array",
        "title": title,
        "description": description,
        "items": {"type": "string", "title": title},
    }


def _duration(title: str, description: str) -> dict[str, Any]:
    return {
        "type": "string",
        "title": title,
        "description": f"{description}: digits and s, m or h",
        "examples": ["30s", "5m", "2h"],
    }


def _flag(title: str, description: str) -> dict[str, Any]:
    return {"type": "boolean", "title": title, "description": description}


def _whole(title: str, description: str, least: int, most: int | None = None) -> dict[str, Any]:
    bounds = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return {"type": "integer", "title": title, "description": description, **bounds}


def _filter_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "title": "Filter",
        "description": "Which sessions are looked at; every key given must hold",
        "properties": {
            "sessions": _texts("Sessions", "Sessions, by URI"),
            "providers": _texts("Providers", "Providers of the session"),
            "owners": _texts("Owners", "Owners of the session, such as user:ann"),
            "projects": _texts("Projects", "Projects of the session"),
            "folders": _texts("Folders", "Folders, one of which is exactly one of the session's"),
            "automated": _flag("Automated", "Whether a run of an automation made the session"),
        },
    }


def session_schema() -> dict[str, Any]:
    """The config of a ``session`` trigger as a ConfigSchema: the rule around the event."""
    return {
        "type": "object",
        "properties": {
            "filter": _filter_schema(),
            "count": {
                "type": "object",
                "title": "Count",
                "description": "How many times the event has to happen",
                "properties": {
                    "n": {**_whole("Times", "How many events", 1, MAX_COUNT), "default": 1},
                    "consecutive": _flag("In a row", "Another event forgets what was counted"),
                    "sameInput": _flag("Same input", "Only calls of one tool with one input"),
                    "within": _duration("Within", "How long an event is counted"),
                },
            },
            "then": {
                "type": "object",
                "title": "Then",
                "description": "What has to follow",
                "properties": {
                    "kind": {
                        "type": "string",
                        "title": "Follow-up",
                        "enum": ["event", "idle", "absent"],
                        "enumLabels": ["Another event", "Quiet", "An event that does not come"],
                    },
                    "event": {
                        "type": "string",
                        "title": "Event",
                        "description": "What is awaited or stays away",
                        "enum": list(EVENT_KINDS),
                        "enumLabels": [EVENT_TITLES[kind] for kind in EVENT_KINDS],
                    },
                    "within": _duration("Within", "How long the event has to come"),
                    "for": _duration("For", "How long it has to last"),
                },
                "required": ["kind"],
            },
            "when": {
                "type": "object",
                "title": "When",
                "description": "What the session has to look like as the event arrives",
                "properties": {
                    "running": _flag("Running", "Whether a turn is running"),
                    "queuedAtLeast": _whole("Queued", "At least so many messages wait", 0),
                    "toolCallsAtLeast": _whole(
                        "Tool calls", "At least so many calls of the turn have finished", 0
                    ),
                    "turnLongerThan": _duration("Turn longer than", "How long the turn has run"),
                },
            },
        },
    }


def watch_schema() -> dict[str, Any]:
    """The config of a ``watch`` trigger as a ConfigSchema: the presets' numbers, and a filter."""
    by_number: dict[str, list[Preset]] = {}
    for preset in PRESETS.values():
        by_number.setdefault(preset.number, []).append(preset)
    return {
        "type": "object",
        "properties": {
            **{number: _number_schema(number, of) for number, of in by_number.items()},
            "filter": _filter_schema(),
        },
    }


def _number_schema(number: str, presets: list[Preset]) -> dict[str, Any]:
    title, description = _NUMBERS[number]
    starts = {preset.id: preset.default for preset in presets}
    bounds = [preset.largest for preset in presets if preset.largest is not None]
    said = ", ".join(f"{preset.title} {preset.default}" for preset in presets)
    schema = _whole(title, f"{description}. Left out: {said}", 1, min(bounds, default=None))
    if len(set(starts.values())) == 1:
        schema["default"] = presets[0].default
    return {**schema, PRESET_DEFAULTS_KEY: starts}


def list_trigger_definitions(registry: TypeRegistry) -> list[dict[str, Any]]:
    """Every event trigger type there is, as ``AutomationTriggerDefinition`` objects.

    ``session``, ``watch``, then the registered ones in order of registration. Connector
    fields are sent with the host's connectors as their choices; a person's own come from
    :func:`~wakeful.plugins.completions`.

    Args:
        registry: The registered types, which knows the host's connectors.

    Returns:
        Fresh plain data: the ``items`` of the command's answer.
    """
    return [
        {
            "type": "session",
            "title": "Session event",
            "description": "Something that a session does, with a rule around it",
            "events": [
                {"id": kind, "title": EVENT_TITLES[kind], "description": _EVENT_DESCRIPTIONS[kind]}
                for kind in EVENT_KINDS
            ],
            "configSchema": session_schema(),
        },
        {
            "type": "watch",
            "title": "Watch a session",
            "description": "A pattern somebody already thought about, with its number left to you",
            "events": [
                {
                    "id": preset.id,
                    "title": preset.title,
                    "description": _PRESET_DESCRIPTIONS[preset.id],
                }
                for preset in PRESETS.values()
            ],
            "configSchema": watch_schema(),
        },
        *(_sent(registered.definition, registry.connectors) for registered in registry),
    ]


def _sent(definition: TriggerType, connectors: Connectors) -> dict[str, Any]:
    sent: dict[str, Any] = {
        **_described("type", definition.type, definition.title, definition.description),
        "events": [
            _described("id", event.id, event.title, event.description)
            for event in definition.events
        ],
    }
    if definition.config_schema is not None:
        sent["configSchema"] = plain(offered(definition.config_schema, connectors))
    return sent


def _described(key: str, name: str, title: str, description: str | None) -> dict[str, Any]:
    said = {key: name, "title": title}
    return said if description is None else {**said, "description": description}
