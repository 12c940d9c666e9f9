"""What is written where it differs from the record it becomes.

The names are the keys' (``timeZone`` is ``time_zone``); a class lists exactly the keys
that are known in its place. Records that are written as they are (filters, counts, parts
of ``when`` and ``then``) have no shape here.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from wakeful.model.automations import (
    AutomationDefinition,
    DisableCondition,
    Message,
    Overlap,
)
from wakeful.model.rules import Count, Filter, FollowUp, When
from wakeful.model.time import Instant
from wakeful.model.triggers import (
    EventLabel,
    MisfirePolicy,
    Trigger,
    TriggerEvent,
    TriggerType,
)


@attrs.frozen(kw_only=True)
class SessionEventShape(EventLabel):
    """An event of a ``session`` trigger: one of the eight kinds."""


@attrs.frozen(kw_only=True)
class PresetShape(EventLabel):
    """An event of a ``watch`` trigger: one of the five presets."""


@attrs.frozen(kw_only=True)
class SessionConfig:
    """The rule around the event."""

    filter: Filter | None = None
    count: Count | None = None
    then: FollowUp | None = None
    when: When | None = None


@attrs.frozen(kw_only=True)
class WatchConfig:
    """The presets' numbers, and their filter."""

    times: int | None = None
    minutes: int | None = None
    tool_calls: int | None = None
    filter: Filter | None = None


@attrs.frozen(kw_only=True)
class ScheduleShape:
    """A cron expression and its zone."""

    expression: str
    time_zone: str = "UTC"


@attrs.frozen(kw_only=True)
class ScheduleTriggerShape:
    """A trigger of kind ``schedule``."""

    id: str
    kind: str
    schedule: ScheduleShape
    misfire_policy: MisfirePolicy = "runOnce"
    title: str | None = None


@attrs.frozen(kw_only=True)
class EventTriggerShape:
    """What triggers of kind ``event`` have in common."""

    id: str
    kind: str
    type: str
    title: str | None = None
    description: str | None = None


@attrs.frozen(kw_only=True)
class SessionTriggerShape(EventTriggerShape):
    """A trigger of type ``session``."""

    events: tuple[SessionEventShape, ...]
    config: SessionConfig = SessionConfig()


@attrs.frozen(kw_only=True)
class WatchTriggerShape(EventTriggerShape):
    """A trigger of type ``watch``."""

    events: tuple[PresetShape, ...]
    config: WatchConfig = WatchConfig()


@attrs.frozen(kw_only=True)
class PluginTriggerShape(EventTriggerShape):
    """A trigger of a plugin's type; what its config means is for the plugin to say."""

    events: tuple[EventLabel, ...]
    config: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class SessionTemplate:
    """The protocol's session template: which keys it has, and of which kind they are."""

    provider: str | None = None
    model: Mapping[str, Any] | None = None
    agent: Mapping[str, Any] | None = None
    working_directories: tuple[str, ...] | None = None
    config: Mapping[str, Any] | None = None
    customizations: tuple[Mapping[str, Any], ...] | None = None
    meta: Mapping[str, Any] | None = None


@attrs.frozen(kw_only=True)
class DefinitionShape:
    """A definition in the protocol's shape."""

    title: str
    message: Message
    session: Mapping[str, Any] = attrs.field(factory=dict)
    enabled: bool = True
    triggers: tuple[Trigger, ...] = ()
    disable_conditions: tuple[DisableCondition, ...] = ()
    meta: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class AutomationShape(DefinitionShape):
    """An automation of a ruleset: a definition, its id and owner, and two shorthands."""

    id: str
    owner: str | None = None
    overlap: Overlap | None = None
    pinned: bool | None = None


@attrs.frozen(kw_only=True)
class FileShape(DefinitionShape):
    """An automation file: its front matter, with the body as the text of the message."""

    owner: str | None = None
    created_at: Instant | None = None
    overlap: Overlap | None = None
    pinned: bool | None = None


@attrs.frozen(kw_only=True)
class EntryShape:
    """An automation in the protocol's shape."""

    resource: str
    definition: AutomationDefinition
    owner: str | None = None


@attrs.frozen(kw_only=True)
class TypeShape:
    """A plugin's trigger type as a ruleset declares it."""

    type: str
    title: str
    events: tuple[TriggerEvent, ...]
    description: str | None = None
    config_schema: Mapping[str, Any] | None = None
    by: str | None = None

    def definition(self) -> TriggerType:
        """The type alone, without who may fire it."""
        return TriggerType(
            type=self.type,
            title=self.title,
            events=self.events,
            description=self.description,
            config_schema=self.config_schema,
        )


@attrs.frozen(kw_only=True)
class RulesetShape:
    """A whole ruleset file, its items not yet read."""

    automations: tuple[Any, ...] = ()
    types: tuple[Any, ...] = ()
    meta: Mapping[str, Any] = attrs.field(factory=dict)
