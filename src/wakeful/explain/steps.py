"""The steps of a trace: what changed for a rule in a session, by which input, and why."""

from enum import StrEnum
from typing import Any, TypeAlias

import attrs

from wakeful.core.looking import WaitSeen
from wakeful.explain.clauses import Clause
from wakeful.explain.standing import Standing
from wakeful.model._records import record
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Match, OrderKey
from wakeful.model.time import Duration, Instant


class What(StrEnum):
    """What happened in a step."""

    COUNTED = "counted"
    PASSED_OVER = "passedOver"
    """An event of a kind that is selected was not counted; or a silence was long enough, and
    the rest of ``when`` did not hold. Nothing changed."""
    FORGOTTEN = "forgotten"
    SATISFIED = "satisfied"
    WAITING = "waiting"
    BROKEN = "broken"
    COMPLETED = "completed"
    DECIDED = "decided"


class Why(StrEnum):
    """Why hits were forgotten, or what a wait or a silence ended by."""

    WINDOW = "window"
    """Forgotten: older than ``count.within``."""
    RUN = "run"
    """Forgotten: an event came that the rule does not count (``count.consecutive``)."""
    CALL = "call"
    """Forgotten: a call with another input began a run of its own."""
    BOUND = "bound"
    """Forgotten: too many different calls are kept (semantics 4.4)."""
    WAIT = "wait"
    """Forgotten: completing or breaking a wait clears the hits."""
    SESSION_ENDED = "sessionEnded"
    RULE = "rule"
    """The rule was changed, taken out or switched off."""
    SIGHT = "sight"
    """The automation's owner does not see the session any more."""
    AWAITED = "awaited"
    """Broken: the event came whose absence was timed."""
    STIRRED = "stirred"
    """Broken: the session did something."""
    PASSED = "passed"
    """Broken: the window passed without the awaited event."""


@record(kw_only=True)
class Taken:
    """An input as it was taken.

    Attributes:
        number: Its place among the inputs of the replay, the first being 1.
        at: The instant it was taken at, which for a late one is the engine's.
    """

    number: int
    at: Instant
    input: Input

    @property
    def restamped(self) -> Input:
        """The input with the instant it was taken at."""
        return self.input if self.input.at == self.at else attrs.evolve(self.input, at=self.at)


@record(kw_only=True)
class RuleName:
    """What a rule is known by."""

    automation: str
    trigger: str
    preset: str | None = None

    def __str__(self) -> str:
        name = f"{self.automation}#{self.trigger}"
        return name if self.preset is None else f"{name}/{self.preset}"


@record(kw_only=True)
class Step:
    """One step of a rule in a session.

    Attributes:
        at: The instant it holds from.
        rule: The rule; for a decision, the one whose match was decided.
        hits: How many hits count after it, as the engine says.
        of: How many satisfy the count.
        why: For ``forgotten`` and ``broken``.
        by: The input that did it; ``None`` where time did.
        events: The events concerned: counted, forgotten, or those that satisfied the count.
        clauses: What an event that was passed over failed.
        wait: The follow-up, for ``waiting``, ``broken`` and ``completed``.
        quiet: How long a turn was quiet, of a silence that was broken or passed over.
        since: The instant from which it was.
        match: The match of a ``completed``.
        decision: The decision of a ``decided``; ``standing`` is what stood before it.
        needs: For a ``completed``: the inputs, beside the events, that it would not have come
            to without: starts of turns, the last sign of life before a silence.
    """

    what: What
    at: Instant
    rule: RuleName
    session: str | None
    hits: int = 0
    of: int = 1
    why: Why | None = None
    by: Taken | None = None
    events: tuple[Taken, ...] = ()
    clauses: tuple[Clause, ...] = ()
    wait: WaitSeen | None = None
    quiet: Duration | None = None
    since: Instant | None = None
    match: Match | None = None
    decision: Decision | None = None
    standing: Standing | None = None
    needs: tuple[Taken, ...] = ()


Identity: TypeAlias = tuple[OrderKey, str, str | None]
"""What tells matches apart: silences of two sessions can stand in one place."""


def identity(match: Match) -> Identity:
    """What tells a match from all others."""
    return (match.key, match.automation, match.session)


def plain_value(value: Any) -> Any:
    """A value of a clause as JSON has it."""
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
