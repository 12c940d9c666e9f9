"""Cron beside croniter, cronsim and APScheduler 3, in one run.

Run with ``pytest benchmarks/test_cron.py``: a group for each question, and at the end how
many times slower each of the others is. Each rival is asked in the fastest way it
offers: cronsim's iterator, which has no call for "the next after", is set back by its own
attribute, not made anew. None of them follows this dialect's rule on changes of clocks, so
instants are chosen where all agree.
"""

from datetime import datetime
from itertools import islice
from time import process_time
from timeit import Timer
from zoneinfo import ZoneInfo

import pytest
from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim
from measuring import once, tell, yardstick

from wakeful.cron import CronExpression, Schedule
from wakeful.model.time import from_datetime

COMMON, ZONED, SPARSE = "*/5 * * * *", "30 9 * * 1-5", "0 0 29 2 *"
# APScheduler counts weekdays from Monday, so it is told names.
FOR_APSCHEDULER = {ZONED: "30 9 * * mon-fri"}

QUESTIONS = {
    "parse, common": ("parse", COMMON, "UTC"),
    "parse, weekdays": ("parse", ZONED, "UTC"),
    "next, common": ("next", COMMON, "UTC"),
    "next, sparse": ("next", SPARSE, "UTC"),
    "next, zoned": ("next", ZONED, "Europe/Berlin"),
    "next, common and zoned": ("next", COMMON, "Europe/Berlin"),
    "next, sparse and zoned": ("next", SPARSE, "Europe/Berlin"),
    "1000 in a row": ("row", COMMON, "UTC"),
    "1000 in a row, zoned": ("row", COMMON, "Europe/Berlin"),
    "1000 in a row, weekdays": ("row", ZONED, "Europe/Berlin"),
}


def wakeful(question, text, zone):
    start = from_datetime(start_in(zone))
    schedule = Schedule.parse(text, zone)
    return {
        "parse": lambda: CronExpression.parse(text),
        "next": lambda: schedule.next_after(start),
        "row": lambda: list(islice(schedule.occurrences(start), 1000)),
    }[question]


def with_croniter(question, text, zone):
    start = start_in(zone)
    rival = croniter(text, start)
    return {
        "parse": lambda: croniter.expand(text),
        "next": lambda: rival.get_next(datetime, start_time=start),
        "row": lambda: list(islice(croniter(text, start, ret_type=datetime), 1000)),
    }[question]


def with_cronsim(question, text, zone):
    start = start_in(zone)
    rival = CronSim(text, start)

    def following():
        rival.dt = start
        return next(rival)

    return {
        "parse": lambda: CronSim(text, start),
        "next": following,
        "row": lambda: list(islice(CronSim(text, start), 1000)),
    }[question]


def with_apscheduler(question, text, zone):
    start = start_in(zone)
    text = FOR_APSCHEDULER.get(text, text)
    trigger = CronTrigger.from_crontab(text, start.tzinfo)

    def row():
        found, previous = [], None
        now = start
        for _ in range(1000):
            previous = now = trigger.get_next_fire_time(previous, now)
            found.append(now)
        return found

    return {
        "parse": lambda: CronTrigger.from_crontab(text, start.tzinfo),
        "next": lambda: trigger.get_next_fire_time(None, start),
        "row": row,
    }[question]


LIBRARIES = {
    "wakeful": wakeful,
    "croniter": with_croniter,
    "cronsim": with_cronsim,
    "APScheduler": with_apscheduler,
}


def start_in(zone):
    return datetime(2026, 10, 7, 14, 22, 5, tzinfo=ZoneInfo(zone))


def instants(found):
    """What a library found, as instants, whatever it calls them."""
    found = found if isinstance(found, list) else [found]
    return [item if isinstance(item, int) else from_datetime(item) for item in found]


@pytest.mark.parametrize(
    "question", [name for name, asked in QUESTIONS.items() if asked[0] != "parse"]
)
def test_all_find_the_same(question):
    # Thirteen, which end before the clocks change.
    expected, *others = (instants(make(*QUESTIONS[question])())[:13] for make in LIBRARIES.values())
    assert [expected] * len(others) == others


@pytest.mark.parametrize("question", QUESTIONS)
def test_ahead_of_each(benchmark, capsys, question):
    benchmark.group = "cron"

    def measure():
        shortest = {}
        for library, make in LIBRARIES.items():
            timer = Timer(make(*QUESTIONS[question]), timer=process_time)
            if benchmark.disabled:
                shortest[library] = timer.timeit(1)
                continue
            # The shortest of several rounds, each of some twenty milliseconds.
            number = max(1, int(0.02 / max(timer.timeit(3) / 3, 1e-7)))
            shortest[library] = min(timer.repeat(5, number)) / number
        return shortest

    shortest = once(benchmark, measure)
    ours = shortest["wakeful"]
    microseconds = {library: time * 1e6 for library, time in shortest.items()}
    benchmark.extra_info |= {"question": question, "microseconds": microseconds}
    others = {library: time / ours for library, time in shortest.items() if library != "wakeful"}
    tell(benchmark, capsys, f"{question}, {ours * 1e6:.1f} us; times as long", {"others": others})
    what = f"cron, {question}: the fastest of the others, to this"
    yardstick(benchmark, capsys, what, min(others.values()), 1, bound="at least")
