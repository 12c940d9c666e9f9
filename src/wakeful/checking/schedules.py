"""Schedules whose occurrences come closer together than their runs last."""

from collections.abc import Iterator
from heapq import merge
from itertools import islice, pairwise
from typing import Final

from wakeful.checking.findings import Finding, finding
from wakeful.checking.watched import Checked
from wakeful.cron import Schedule
from wakeful.model.time import Duration, Instant, format_duration
from wakeful.model.triggers import ScheduleTrigger
from wakeful.reading.paths import child

RUN_TIME: Final[Duration] = 300_000
"""How long a run is taken to last where nothing says it."""

_LOOKED_AT: Final = 500
"""How many coming occurrences are looked at: a working week of a quarter-hourly one."""

_SHOWN_FROM: Final[Instant] = 1_767_225_600_000
"""Where looking begins where no instant is given: 2026-01-01."""


def overlapping_schedules(
    checked: Checked, run_time: Duration, now: Instant | None
) -> Iterator[Finding]:
    """Under ``skip`` an occurrence that comes while a run is going is dropped."""
    if checked.automation.definition.overlap != "skip":
        return
    schedules = [
        (path, Schedule.parse(trigger.expression, trigger.time_zone))
        for path, trigger in checked.triggers()
        if isinstance(trigger, ScheduleTrigger)
    ]
    start = _SHOWN_FROM if now is None else now
    coming = merge(
        *(
            ((at, place) for at in islice(schedule.occurrences(start), _LOOKED_AT))
            for place, (_, schedule) in enumerate(schedules)
        )
    )
    gaps = [
        (later - at, place)
        for (at, _), (later, place) in pairwise(islice(coming, _LOOKED_AT))
        if later > at  # at one instant an automation runs once
    ]
    if not gaps or min(gaps)[0] >= run_time:
        return
    gap, place = min(gaps)
    yield finding(
        "effect-schedule-overlap",
        child(child(schedules[place][0], "schedule"), "expression"),
        f"occurrences come as close together as {format_duration(gap)}, and runs are taken to "
        f"last {format_duration(run_time)}: under skip those in between are dropped",
        "occurrences further apart, or overlap: queue; --run-time says how long runs last",
    )
