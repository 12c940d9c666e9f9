"""What was lacking where a rule came close, and how far that was from holding."""

from typing import Any, Final, Literal

import attrs

from wakeful.explain.clauses import Clause
from wakeful.explain.remedies import Remedy
from wakeful.explain.steps import RuleName, Taken
from wakeful.model._records import record
from wakeful.model.rules import FollowUp
from wakeful.model.time import SECOND, Duration, Instant

Stage = Literal["count", "then", "silence"]

FARTHEST: Final = 10.0
"""Beyond this many times the length asked for, a length is no nearer than another."""


@record(kw_only=True)
class Lack:
    """A part of the rule that failed, with what it failed by.

    Attributes:
        path: The part, as the rule's author wrote it.
        wanted: What the rule asks for; a length of time in milliseconds.
        had: What there was.
        by: The inputs it failed by: events that were not as asked for, events that broke the
            run or the wait, the event that came too late.
    """

    path: str
    wanted: Any
    had: Any
    by: tuple[Taken, ...] = ()


@record(kw_only=True)
class Miss:
    """Where a rule came close in a session.

    Attributes:
        stage: Whether events were counted, a follow-up was waited for, or a silence timed.
        at: When it ended: at the last of its events, or when the wait or silence did.
        since: When it began.
        events: The events it is about.
        counted: How many of them counted together.
        of: How many satisfy the count.
        lacks: What failed; one is the nearest there is.
        distance: How far that was from holding; 0 is nearest.
        then: What has to follow the count.
        remedy: What would have made it match, tried on a replay; only where one part failed.
    """

    rule: RuleName
    session: str
    stage: Stage
    at: Instant
    since: Instant
    events: tuple[Taken, ...]
    counted: int
    of: int
    lacks: tuple[Lack, ...]
    distance: float
    then: FollowUp | None = None
    remedy: Remedy | None = None
    remedies: tuple[Remedy, ...] = attrs.field(default=(), repr=False)


def how_far(clause: Clause) -> float:
    """How far a part was from holding: numbers by what was missing of them."""
    if isinstance(clause.wanted, bool) or not isinstance(clause.wanted, int):
        return 0.5
    return min(ratio(clause.wanted - (clause.had or 0), clause.wanted), 1.0)


def ratio(missing: Duration, wanted: Duration) -> float:
    """How much of a length was missing; no more than ten times it counts."""
    return min(missing / (wanted or SECOND), FARTHEST)
