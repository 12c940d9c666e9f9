"""Automations: a message, the shape of a session, and the triggers that wake it."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import attrs

from wakeful.model.time import Instant
from wakeful.model.triggers import Trigger

SCHEME: Final = "ahp-automation:"
"""The scheme of every automation's resource."""

Overlap: TypeAlias = Literal["queue", "steer", "parallel", "skip"]
"""What a wake does while a run of the same automation is going; ``queue`` where left out."""


@attrs.frozen(kw_only=True)
class Message:
    """The first message of a run, with placeholders unfilled.

    Attributes:
        text: What the agent reads.
        extra: The other members of the protocol's message, kept as they are.
    """

    text: str
    extra: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class AfterRuns:
    """Switches the automation off once triggers have started ``max`` runs."""

    max: int


@attrs.frozen(kw_only=True)
class AfterDate:
    """Switches the automation off when ``date`` (an instant) has come."""

    date: Instant


DisableCondition: TypeAlias = AfterRuns | AfterDate


@attrs.frozen(kw_only=True)
class AutomationDefinition:
    """What a person writes: when to wake, and what the run is told.

    Attributes:
        session: The protocol's session template, as plain data.
        enabled: Whether triggers may wake it; a press always may.
        overlap: From ``_meta.ahpd.overlap``.
        pinned: Whether it keeps one chat, from ``_meta.ahpd.session``.
        pinned_session: That chat, from ``_meta.ahpd.pinnedSession``: the host's note.
        meta: ``_meta`` whole, unknown members included.
    """

    title: str
    message: Message
    triggers: tuple[Trigger, ...] = ()
    session: Mapping[str, Any] = attrs.field(factory=dict)
    enabled: bool = True
    disable_conditions: tuple[DisableCondition, ...] = ()
    overlap: Overlap = "queue"
    pinned: bool = False
    pinned_session: str | None = None
    meta: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Automation:
    """A definition under its resource (``ahp-automation:/<id>``), with its owner."""

    resource: str
    definition: AutomationDefinition
    owner: str | None = None
