"""Definitions as the wire carries them (the channel seed's State Types).

These are what clients hold and send: every member as it was written, and beside them, in
``unknown``, those that this version does not know. What a definition *means* is another
record, :class:`wakeful.AutomationDefinition`, which the host's side reads out of it.

``None`` is an optional member that is not there.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import attrs

Plain: TypeAlias = Mapping[str, Any]
"""A map of plain data, kept as it is."""

NOTHING: Final[Plain] = {}


@attrs.frozen(kw_only=True)
class Schedule:
    """A recurring schedule in a named zone."""

    expression: str
    time_zone: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class ScheduleTrigger:
    """Wakes by a schedule; ``misfire_policy`` left out is ``runOnce``."""

    id: str
    kind: Literal["schedule"] = attrs.field(default="schedule", init=False)
    schedule: Schedule
    misfire_policy: str | None = None
    title: str | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class EventDescriptor:
    """An event that a type offers or a trigger selected, and how it is called."""

    id: str
    title: str
    description: str | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class EventTrigger:
    """Wakes by events of a type; titles and descriptions are how they were last called."""

    id: str
    kind: Literal["event"] = attrs.field(default="event", init=False)
    type: str
    title: str
    events: tuple[EventDescriptor, ...]
    description: str | None = None
    config: Plain | None = None
    unknown: Plain = NOTHING


Trigger: TypeAlias = ScheduleTrigger | EventTrigger


@attrs.frozen(kw_only=True)
class TriggerDefinition:
    """An event trigger type as discovery answers it; never durable state."""

    type: str
    title: str
    events: tuple[EventDescriptor, ...]
    description: str | None = None
    config_schema: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class SessionTemplate:
    """What each run's session is made from. The host checks it again at every start."""

    provider: str | None = None
    model: Plain | None = None
    agent: Plain | None = None
    working_directories: tuple[str, ...] | None = None
    config: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class DisableCondition:
    """When automatic runs end: ``afterRuns`` with ``max``, ``afterDate`` with ``date``."""

    kind: str
    max: int | None = None
    date: str | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Definition:
    """What clients edit: the message, the session's shape, the triggers.

    Attributes:
        message: The protocol's message, whole.
        triggers: Empty for one that is started by hand only.
    """

    title: str
    message: Plain
    session: SessionTemplate
    enabled: bool
    triggers: tuple[Trigger, ...]
    disable_conditions: tuple[DisableCondition, ...] | None = None
    meta: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class DefinitionPatch:
    """Members to replace whole; what is left out stays as it is."""

    title: str | None = None
    message: Plain | None = None
    session: SessionTemplate | None = None
    enabled: bool | None = None
    triggers: tuple[Trigger, ...] | None = None
    disable_conditions: tuple[DisableCondition, ...] | None = None
    meta: Plain | None = None
    unknown: Plain = NOTHING
