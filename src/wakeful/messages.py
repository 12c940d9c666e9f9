"""What a run is told: placeholders, and the block that says what woke it (semantics 8.2-8.7).

A text is taken apart once per definition (:class:`Template`) and put together once per run,
in one pass: what is filled in is never looked at again, so a session titled ``{{at}}`` stays
what it is. An event's wake is told twice, in the text where its author asked for it and in
the block below; a schedule's and a press's have no block.
"""

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from wakeful.model._records import record
from wakeful.model.time import Instant, format_instant
from wakeful.model.triggers import (
    PluginTrigger,
    ScheduleTrigger,
    Trigger,
    TriggerType,
    WatchTrigger,
)
from wakeful.presets import EVENT_TITLES, PRESETS, SILENCE_TITLE

SILENCE: Final = "turnStarted"
"""What a match of a silence names as its event (semantics 8.1: for a silence, the turn)."""

TYPE_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {"session": "What a session does", "watch": "Patterns worth watching for"}
)
"""What the two types of this library are called where a trigger has no title of its own."""

FindType: TypeAlias = Callable[[str], TriggerType | None]
"""Looks a registered plugin type up by its name."""

_EVENT_TITLES: Final[Mapping[str, str]] = {kind: title for kind, title in EVENT_TITLES.items()}  # noqa: C416 - widens the key
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+(?:\.\w+)?)\}\}", re.ASCII)
_NAMES: Final = frozenset({"trigger", "event", "session", "sessionTitle", "count", "at"})
_FIELD: Final = "event."


def no_types(_name: str) -> TriggerType | None:
    """A :data:`FindType` of a host without plugins: every type is unknown."""
    return None


@record(kw_only=True)
class Telling:
    """What there is to say about a wake. ``None`` is filled with nothing.

    Attributes:
        at: The instant of the match that is told, of the occurrence, of the press.
        trigger: The trigger's title.
        event: The event's title; ``None`` for a schedule and a press, which get no block.
        session: The session's URI.
        session_title: Its title last told.
        count: How many events, in sum where wakes were folded.
        data: A plugin event's data.
    """

    at: Instant
    trigger: str | None = None
    event: str | None = None
    session: str | None = None
    session_title: str | None = None
    count: int | None = None
    data: Mapping[str, Any] | None = None


class Template:
    """A message's text, taken apart at its placeholders.

    A name is one of the seed's table, or ``event.`` and one field of a plugin event's data,
    in ASCII word characters between double braces without blanks, in the case of the table.
    Anything else stays as its author wrote it.

    >>> Template("{{event}}, {{ event }}, {{Event}}").fill(Telling(at=0, event="A turn failed"))
    'A turn failed, {{ event }}, {{Event}}'
    """

    __slots__ = ("_literals", "_names", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        literals: list[str] = []
        names: list[str] = []
        end = 0
        for found in _PLACEHOLDER.finditer(text):
            name = found[1]
            if name in _NAMES or name.startswith(_FIELD):
                literals.append(text[end : found.start()])
                names.append(name)
                end = found.end()
        literals.append(text[end:])
        self._literals = tuple(literals)
        self._names = tuple(names)

    def fill(self, telling: Telling) -> str:
        """The text with every placeholder filled, without a block."""
        if not self._names:
            return self.text
        parts: list[str] = []
        for literal, name in zip(self._literals, self._names, strict=False):
            parts.append(literal)
            parts.append(_value(name, telling))
        parts.append(self._literals[-1])
        return "".join(parts)

    def tell(self, telling: Telling) -> str:
        """The filled text, and the block below it where an event woke the run (semantics 8.3)."""
        text = self.fill(telling)
        return text if telling.event is None else f"{text}\n\n{summary_block(telling)}"


def summary_block(telling: Telling) -> str:
    r"""The lines that say what woke a run; no newline at the end.

    >>> print(summary_block(Telling(at=0, event="A turn failed", session="s:/1", count=3)))
    What woke this run: A turn failed
    Session: s:/1
    Count: 3
    At: 1970-01-01T00:00:00.000Z
    """
    lines = [f"What woke this run: {telling.event or ''}"]
    if telling.session is not None:
        lines.append(
            f"Session: {telling.session_title} ({telling.session})"
            if telling.session_title
            else f"Session: {telling.session}"
        )
    if telling.count is not None:
        lines.append(f"Count: {telling.count}")
    lines.append(f"At: {format_instant(telling.at)}")
    return "\n".join(lines)


def trigger_title(trigger: Trigger | None, find_type: FindType = no_types) -> str:
    """A trigger's title as its author wrote it, and its type's where left out (semantics 8.7).

    A schedule without a title has no type to be named by, and a trigger that is gone has
    nothing: both are the empty text. A plugin type that is not registered goes by its name.
    """
    if trigger is None:
        return ""
    if trigger.title is not None:
        return trigger.title
    if isinstance(trigger, ScheduleTrigger):
        return ""
    if isinstance(trigger, PluginTrigger):
        found = find_type(trigger.type)
        return trigger.type if found is None else found.title
    return TYPE_TITLES["watch" if isinstance(trigger, WatchTrigger) else "session"]


def event_title(
    event: str,
    *,
    preset: str | None = None,
    trigger: Trigger | None = None,
    find_type: FindType = no_types,
) -> str:
    """What an event is called in a message (semantics 8.4).

    A preset's title for a ``watch`` trigger, the title its registered type gives a plugin's
    event, and the event's id where nobody names it.
    """
    if preset is not None:
        known = PRESETS.get(preset)
        return preset if known is None else known.title
    if isinstance(trigger, PluginTrigger):
        found = find_type(trigger.type)
        offered = () if found is None else found.events
        return next((each.title for each in offered if each.id == event), event)
    if event == SILENCE:
        return SILENCE_TITLE
    return _EVENT_TITLES.get(event, event)


def _value(name: str, telling: Telling) -> str:
    match name:
        case "trigger":
            return telling.trigger or ""
        case "event":
            return telling.event or ""
        case "session":
            return telling.session or ""
        case "sessionTitle":
            return telling.session_title or ""
        case "count":
            return "" if telling.count is None else str(telling.count)
        case "at":
            return format_instant(telling.at)
    data = telling.data
    field = name.removeprefix(_FIELD)
    if data is None or field not in data:
        return ""
    value = data[field]
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (ValueError, RecursionError, TypeError):
        # A value that holds itself, or keys that are no text, handed in by code: a message
        # must not stop the step that it is part of.
        return ""
