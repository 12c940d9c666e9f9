"""From a rule as data to a rule as the matcher runs it.

A rule becomes one slotted record with the function of its shape in ``step``; functions are
shared by all rules of a shape, so a rule costs a record and no closures.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from wakeful.core import machine
from wakeful.model.automations import Automation
from wakeful.model.events import ENDINGS, EVENT_KINDS
from wakeful.model.rules import AbsentFor, Count, EventWithin, IdleFor, SessionRule
from wakeful.model.time import Duration, Instant
from wakeful.model.triggers import SessionTrigger, WatchTrigger

BITS: Final[dict[str, int]] = {kind: 1 << index for index, kind in enumerate(EVENT_KINDS)}
"""Each kind as a bit, so that one look-up answers every question about it."""

Checks: TypeAlias = tuple[bool | None, int, int, Duration]
"""``when`` without names: running, queued, calls, turn length; 0 and -1 ask nothing."""

ANY_TURN: Final = -1
"""The turn length that is not asked for: 0 asks that a turn runs."""


class Rule:
    """One rule of one trigger (and preset) of one automation, compiled.

    Attributes:
        order: Automation, trigger, preset: the place in definition order.
        spec: The rule as data; two rules are the same where these are equal.
        checks: ``when``, or ``None``.
        step: Counts a hit, and says whether the count is satisfied; ``None`` where one hit is.
        then: How the follow-up waits, or ``None``.
        within: The count's window, or ``None``; ``window`` is the same as a number.
        awaited: The kind that is waited for, or ``None``; ``awaited_bit`` is its bit, or 0.
        for_: How long is waited, in milliseconds.
        silence: The length of the silence it is timed by, or ``None``.
        since: When it was added, and by which input: no silence is matched from before.
        evicted: How many calls of ``sameInput`` were let go at the bound.
        alive: False once it was taken out; whoever meets it then drops what it finds.
    """

    __slots__ = (
        "alive",
        "automation",
        "awaited",
        "awaited_bit",
        "checks",
        "evicted",
        "for_",
        "n",
        "order",
        "owner",
        "preset",
        "run_of",
        "silence",
        "since",
        "spec",
        "step",
        "then",
        "trigger",
        "window",
        "within",
    )

    def __init__(  # noqa: PLR0913, PLR0917 - the name of a rule has four parts
        self,
        automation: Automation,
        trigger: str,
        preset: str | None,
        spec: SessionRule,
        order: tuple[int, int, int],
        since: tuple[Instant, int],
    ) -> None:
        self.automation = automation.resource
        self.owner = automation.owner
        self.trigger = trigger
        self.preset = preset
        self.spec = spec
        self.order = order
        self.since = since
        self.alive = True
        self.evicted = 0
        self.silence = spec.silence
        self.checks = _checks(spec, timed=self.silence is not None)
        count = spec.count or Count()
        self.n = count.n
        self.within = count.within
        self.window: Duration = count.within or 0
        self.run_of = _run_of(spec)
        self.step = machine.step_for(count)
        self.awaited: str | None = None
        self.awaited_bit = 0
        self.for_: Duration = 0
        self.then: machine.Then | None = None
        match spec.then:
            case EventWithin(event, within):
                self.then, self.awaited, self.for_ = machine.Then.EVENT, event, within
            case AbsentFor(event, for_):
                self.then, self.awaited, self.for_ = machine.Then.ABSENT, event, for_
            case IdleFor(for_):
                self.then, self.for_ = machine.Then.IDLE, for_
            case None:
                pass
        if self.awaited is not None:
            self.awaited_bit = BITS[self.awaited]

    def __repr__(self) -> str:
        name = f"{self.automation}#{self.trigger}"
        return f"<Rule {name}/{self.preset}>" if self.preset else f"<Rule {name}>"


def _checks(spec: SessionRule, *, timed: bool) -> Checks | None:
    when = spec.when
    if when is None:
        return None
    longer = when.turn_longer_than
    checks: Checks = (
        when.running,
        when.queued_at_least or 0,
        when.tool_calls_at_least or 0,
        ANY_TURN if longer is None or timed else longer,
    )
    return None if checks == (None, 0, 0, ANY_TURN) else checks


def _run_of(spec: SessionRule) -> "machine.RunOf":
    """Which events break a run of this rule's (semantics 4.3)."""
    if spec.events <= ENDINGS:
        return machine.RunOf.ENDINGS
    return machine.RunOf.EVENTS if "idle" in spec.events else machine.RunOf.ACTIVE


def rules_of(automation: Automation) -> Iterator[tuple[str, str | None, SessionRule, int, int]]:
    """The session rules of an automation, with trigger, preset and their places in it."""
    for place, trigger in enumerate(automation.definition.triggers):
        match trigger:
            case SessionTrigger():
                yield trigger.id, None, trigger.rule, place, 0
            case WatchTrigger():
                for index, (preset, rule) in enumerate(trigger.rules):
                    yield trigger.id, preset, rule, place, index
            case _:
                pass
