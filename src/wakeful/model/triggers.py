"""Triggers, and the trigger types that plugins register (the seed's three kinds)."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import attrs

from wakeful.model.rules import SessionRule

MisfirePolicy: TypeAlias = Literal["runOnce", "skip"]
"""What becomes of occurrences that were missed; ``runOnce`` where left out."""

RESERVED_TYPES: Final = ("session", "watch")
"""The types of this library; no plugin can register them (semantics 11.1)."""


@attrs.frozen(kw_only=True)
class ScheduleTrigger:
    """Wakes by a five-field cron expression in a named zone (semantics, section 10)."""

    id: str
    expression: str
    time_zone: str = "UTC"
    misfire_policy: MisfirePolicy = "runOnce"
    title: str | None = None


@attrs.frozen(kw_only=True)
class SessionTrigger:
    """Wakes by a rule over what sessions do; any of its events counts, in one common count.

    Attributes:
        events: The kinds in the order they were written.
        title: As its author wrote it; ``None`` where left out.
    """

    id: str
    events: tuple[str, ...]
    rule: SessionRule
    title: str | None = None
    description: str | None = None


@attrs.frozen(kw_only=True)
class WatchTrigger:
    """Wakes by presets. Each is a rule of its own, in the order they were written.

    Attributes:
        rules: Preset id and the rule it means, with this trigger's numbers and filter.
    """

    id: str
    rules: tuple[tuple[str, SessionRule], ...]
    title: str | None = None
    description: str | None = None


@attrs.frozen(kw_only=True)
class EventLabel:
    """How a selected event was last called: to show it, and no sign that it is still offered."""

    id: str
    title: str | None = None
    description: str | None = None


@attrs.frozen(kw_only=True)
class PluginTrigger:
    """Wakes by the events of a plugin's type; the config belongs to the plugin.

    Attributes:
        labels: Those of its events that were written with a title or a description.
    """

    id: str
    type: str
    events: tuple[str, ...]
    config: Mapping[str, Any] = attrs.field(factory=dict)
    title: str | None = None
    description: str | None = None
    labels: tuple[EventLabel, ...] = ()


Trigger: TypeAlias = ScheduleTrigger | SessionTrigger | WatchTrigger | PluginTrigger


@attrs.frozen(kw_only=True)
class TriggerEvent:
    """One event that a trigger type offers."""

    id: str
    title: str
    description: str | None = None


@attrs.frozen(kw_only=True)
class TriggerType:
    """A trigger type as a plugin registers it (the channel's ``AutomationTriggerDefinition``)."""

    type: str
    title: str
    events: tuple[TriggerEvent, ...]
    description: str | None = None
    config_schema: Mapping[str, Any] | None = None
