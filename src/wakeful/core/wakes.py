"""What wakes an automation and what of it waits: occurrences beside matches, and the one place."""

from typing import TypeAlias

import attrs

from wakeful.model._records import record
from wakeful.model.outputs import Match, OrderKey
from wakeful.model.time import Instant
from wakeful.model.triggers import Trigger


@record(kw_only=True)
class Occurrence:
    """A schedule's occurrence on its way through the gate (semantics 9.10).

    Attributes:
        key: Its place among all outputs.
        scheduled_for: The instant it was due; for a catch-up the oldest that was missed.
        session: None, ever: it is about no session, and no event.
    """

    automation: str
    trigger: str
    at: Instant
    key: OrderKey
    scheduled_for: Instant
    catch_up: bool = False
    late: bool = False
    count: int = 1
    session: None = None
    event: None = None


Told: TypeAlias = Match | Occurrence
"""What a run is told of: an event's match, or a schedule's occurrence."""


@attrs.define(eq=False)
class Waiting:
    """The wake that waits; an automation has at most one (semantics 9.8).

    Attributes:
        told: What the run will be told of.
        count: The sum of what was folded together.
        since: The instant it began to wait.
        trigger: The trigger as it last was, for a definition that no longer has it.
    """

    told: Told
    count: int
    since: Instant
    trigger: Trigger | None = None

    def fold(self, told: Told) -> None:
        """Add another wake. The newest event is told; an occurrence never displaces an event."""
        self.count += told.count
        held = self.told
        if isinstance(told, Match) == isinstance(held, Match):
            # A steer that was not delivered may be older than what already waits.
            newer = told.key >= held.key
        else:
            newer = isinstance(told, Match)
        if newer:
            self.told = told


@attrs.frozen(kw_only=True)
class WaitingWake:
    """A wake that waits, as it is reported."""

    automation: str
    trigger: str
    count: int
    since: Instant
    session: str | None = None
    event: str | None = None
