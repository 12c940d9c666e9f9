"""A clock's view: when a schedule ran, when it did not, and why."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from wakeful.cron import Schedule
from wakeful.model._records import record
from wakeful.model.automations import Automation
from wakeful.model.outputs import Decision
from wakeful.model.time import Instant
from wakeful.model.triggers import ScheduleTrigger

_MOST = 1_000
"""How many occurrences without a decision are told one by one."""


class Fate(StrEnum):
    """What became of an occurrence."""

    DECIDED = "decided"
    NOT_WATCHED = "notWatched"
    """Nothing was decided: the automation was off, or the schedule was another then."""
    SKIPPED_BY_CLOCK = "skippedByClock"
    """The local minute does not exist: the clocks were put forward over it."""


@record(kw_only=True)
class Tick:
    """One occurrence of a schedule, or one that the clocks left out.

    Attributes:
        at: When it was due; of a minute that does not exist, when the clocks were changed.
        local: The minute on the calendar of the zone, where it does not exist.
        decision: What was decided.
    """

    automation: str
    trigger: str
    at: Instant
    fate: Fate
    local: Instant | None = None
    decision: Decision | None = None


def ticks(
    automations: Sequence[Automation],
    decisions: Sequence[Decision],
    *,
    since: Instant,
    until: Instant,
) -> list[Tick]:
    """What became of the occurrences of schedules, from one instant to another, in order."""
    found: list[Tick] = []
    for automation in automations:
        for trigger in automation.definition.triggers:
            if isinstance(trigger, ScheduleTrigger):
                found += _of(automation.resource, trigger, decisions, since, until)
    return sorted(found, key=_at)


def _of(
    automation: str,
    trigger: ScheduleTrigger,
    decisions: Sequence[Decision],
    since: Instant,
    until: Instant,
) -> Iterator[Tick]:
    schedule = Schedule.parse(trigger.expression, trigger.time_zone)
    mine = [
        each
        for each in decisions
        if (each.automation, each.trigger) == (automation, trigger.id)
        and each.scheduled_for is not None
    ]
    decided = {each.scheduled_for for each in mine}
    # A catch-up stands for all that went by until it was decided.
    caught = [(each.scheduled_for or 0, each.at) for each in mine]
    for decision in mine:
        yield Tick(
            automation=automation,
            trigger=trigger.id,
            at=decision.scheduled_for or decision.at,
            fate=Fate.DECIDED,
            decision=decision,
        )
    told = 0
    for due in schedule.occurrences(since):
        if due > until or told == _MOST:
            break
        if due not in decided and not any(first <= due <= last for first, last in caught):
            told += 1
            yield Tick(automation=automation, trigger=trigger.id, at=due, fate=Fate.NOT_WATCHED)
    for change, local in schedule.skipped(since, until):
        yield Tick(
            automation=automation,
            trigger=trigger.id,
            at=change,
            fate=Fate.SKIPPED_BY_CLOCK,
            local=local * 60_000,
        )


def _at(tick: Tick) -> Instant:
    return tick.at
