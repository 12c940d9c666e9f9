"""What must cost little: told in work done where that can be told, in time where not."""

from time import perf_counter

import pytest

from wakeful.cron import Schedule
from wakeful.model.time import MINUTE, parse_instant


def best_of(call, *, rounds=30):
    """The shortest of many rounds: what the call costs when nothing else runs."""
    times = []
    for _ in range(rounds):
        begun = perf_counter()
        for _ in range(20):
            call()
        times.append((perf_counter() - begun) / 20)
    return min(times)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_the_next_occurrence_years_away_takes_less_than_a_millisecond(zone):
    schedule = Schedule.parse("0 0 29 2 *", zone)
    instant = parse_instant("2096-03-01T00:00:00Z")
    assert schedule.next_after(instant) - instant > 7 * 365 * 1440 * MINUTE
    assert best_of(lambda: schedule.next_after(instant)) < 0.001


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_what_is_years_away_costs_at_most_ten_times_what_is_near(zone):
    far, near = Schedule.parse("0 0 29 2 *", zone), Schedule.parse("*/5 * * * *", zone)
    instant = parse_instant("2096-03-01T00:00:00Z")
    assert best_of(lambda: far.next_after(instant)) < 10 * best_of(lambda: near.next_after(instant))


def test_counting_4320_missed_minutes_costs_no_more_than_ten_next_ones():
    schedule = Schedule.parse("* * * * *", "Europe/Berlin")
    instant = parse_instant("2026-10-23T12:00:00Z")
    until = instant + 4320 * MINUTE
    assert best_of(lambda: schedule.count(instant, until)) < 10 * best_of(
        lambda: schedule.next_after(instant)
    )
