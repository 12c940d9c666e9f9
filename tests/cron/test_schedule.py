"""Occurrences: the vectors, the reported faults, gaps and repeats, intervals and counts."""

import json
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.cron_strategies import expressions
from models.plain_cron import PlainCron, changes_of
from wakeful.cron import CronExpression, Schedule, load_zone, zone_names
from wakeful.errors import InvalidError
from wakeful.model.time import MAX_INSTANT, MINUTE, format_instant, parse_instant

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "cron.jsonl"
NEW_YORK, BERLIN, SANTIAGO = "America/New_York", "Europe/Berlin", "America/Santiago"
YEAR = 365 * 1440 * MINUTE
SPELLED_OUT = {"Africa/Casablanca", "Africa/El_Aaiun"}
"""Zones whose files list changes for decades to come, in place of a rule."""


def at(text):
    return parse_instant(text)


def following(expression, zone, after, number=1):
    schedule = Schedule.parse(expression, zone)
    return [
        format_instant(instant).replace(":00.000Z", "Z")
        for instant in islice(schedule.occurrences(at(after)), number)
    ]


@pytest.mark.skipif(not VECTORS.exists(), reason="the shared vectors are not beside the checkout")
def test_the_shared_vectors_hold():
    lines = VECTORS.read_text("utf-8").splitlines()
    for line in lines:
        vector = json.loads(line)
        schedule = Schedule.parse(vector["expression"], vector["timeZone"])
        expected = [at(text) for text in vector["next"]]
        found = list(islice(schedule.occurrences(at(vector["after"])), len(expected)))
        assert expected == found, vector
    assert lines


@pytest.mark.parametrize(
    ("expected", "expression", "zone", "after"),
    [
        ("2026-01-01T00:15Z", "*/15 * * * *", "UTC", "2026-01-01T00:07Z"),
        ("2026-01-05T09:30Z", "30 9 * JAN MON-FRI", "UTC", "2026-01-02T09:30Z"),
        ("2026-01-04T12:00Z", "0 12 * * 7", "UTC", "2026-01-03T12:00Z"),
        ("2026-01-15T00:00Z", "0 0 15 * MON", "UTC", "2026-01-12T00:00Z"),
        ("2026-06-01T16:00Z", "0 9 * * *", "America/Los_Angeles", "2026-06-01T15:59Z"),
        ("2027-01-01T00:00Z", "0 0 1 JAN *", "UTC", "2026-01-02T00:00Z"),
        ("2028-02-29T00:00Z", "0 0 29 FEB *", "UTC", "2024-03-01T00:00Z"),
        ("2026-03-09T09:30Z", "30 2 * * *", "America/Los_Angeles", "2026-03-08T09:59Z"),
        ("2026-11-01T09:30Z", "30 1 * * *", "America/Los_Angeles", "2026-11-01T08:31Z"),
        ("2027-03-08T10:30Z", "30 2 8 MAR *", "America/Los_Angeles", "2026-03-01T00:00Z"),
    ],
)
def test_the_vectors_of_the_known_host_hold(expected, expression, zone, after):
    assert [expected] == following(expression, zone, after)


@pytest.mark.parametrize(
    ("expected", "expression", "zone", "after"),
    [
        # Fault 32: a minute in the gap has no occurrence.
        (["2026-03-07T07:30Z", "2026-03-09T06:30Z"], "30 2 * * *", NEW_YORK, "2026-03-07T00:00Z"),
        # Fault 33: a minute that comes twice has two.
        (["2026-11-01T05:30Z", "2026-11-01T06:30Z"], "30 1 * * *", NEW_YORK, "2026-11-01T00:00Z"),
        (["2026-10-25T00:30Z", "2026-10-25T01:30Z"], "30 2 * * *", BERLIN, "2026-10-24T12:00Z"),
        (
            ["2026-10-25T00:30Z", "2026-10-25T01:30Z"],
            "30 1 * * *",
            "Europe/London",
            "2026-10-24T12:00Z",
        ),
        # Fault 34: never an instant in the past, inside the second pass.
        (["2026-11-01T06:31Z"], "* * * * *", NEW_YORK, "2026-11-01T06:30:15Z"),
        # Fault 36: Santiago has no midnight on 6 September 2026.
        (["2026-09-13T03:00Z"], "0 0 * * 0", SANTIAGO, "2026-08-30T12:00Z"),
        # A day that a zone skipped: Samoa had no 30 December 2011.
        (
            ["2011-12-29T22:00Z", "2011-12-30T22:00Z"],
            "0 12 * * *",
            "Pacific/Apia",
            "2011-12-29T21:00Z",
        ),
        (["2012-12-29T22:00Z"], "0 12 30 12 *", "Pacific/Apia", "2011-12-29T00:00Z"),
        # The leap day across a century without one.
        (["2104-02-29T00:00Z"], "0 0 29 2 *", "UTC", "2096-02-29T00:00Z"),
        (["2104-02-28T23:00Z"], "0 0 29 2 *", BERLIN, "2096-02-29T00:00Z"),
        (["2904-02-29T00:00Z"], "0 0 29 2 *", "UTC", "2896-02-29T00:00Z"),
        # The rule of a zone holds to the end of the years.
        (["9999-12-31T23:00Z"], "0 0 1 1 *", BERLIN, "9999-01-02T00:00Z"),
    ],
)
def test_faults_that_others_reported_do_not_occur(expected, expression, zone, after):
    assert expected == following(expression, zone, after, len(expected))


def test_fault_35_every_minute_of_400_is_there_once_in_every_zone():
    for name in sorted(zone_names()):
        schedule = Schedule.parse("* * * * *", name)
        # Over the last change of clocks that the zone has, or will have, by the year 2040.
        changes = [instant for instant, _, _ in schedule.zone.changes(0, 70 * YEAR)]
        start = (changes[-1] if changes else 0) - 200 * MINUTE
        expected = [start + step * MINUTE for step in range(1, 401)]
        assert expected == list(islice(schedule.occurrences(start), 400)), name


def test_an_occurrence_is_strictly_after_and_a_whole_minute():
    schedule = Schedule.parse("* * * * *")
    assert [schedule.next_after(instant) for instant in (0, 59_999, 60_000, -1)] == [
        60_000,
        60_000,
        120_000,
        0,
    ]


def test_the_time_zone_left_out_is_utc():
    assert load_zone("UTC") == Schedule.parse("0 9 * * *").zone


def test_what_is_wrong_with_expression_and_zone_is_told_together():
    with pytest.raises(InvalidError) as caught:
        Schedule.parse("60 * * * 9", "Mars/Olympus")
    assert [item.path for item in caught.value.problems] == ["minute", "day of week", "timeZone"]


def test_schedules_are_equal_by_meaning_and_zone():
    assert Schedule.parse("0 9 * * 1-5", BERLIN) == Schedule.parse("0 9 * * mon-fri", BERLIN)
    assert Schedule.parse("0 9 * * 1-5", BERLIN) != Schedule.parse("0 9 * * 1-5", "Europe/Paris")


def test_there_is_a_next_occurrence_at_the_end_of_the_years():
    assert Schedule.parse("0 0 29 2 *", NEW_YORK).next_after(MAX_INSTANT) > MAX_INSTANT


def test_what_is_skipped_is_told_with_its_change():
    schedule = Schedule.parse("*/20 2,3 * * *", NEW_YORK)
    change = at("2026-03-08T07:00Z")
    midnight = at("2026-03-08T00:00Z") // MINUTE
    assert [(change, midnight + 120), (change, midnight + 140), (change, midnight + 160)] == list(
        schedule.skipped(at("2026-01-01T00:00Z"), at("2026-12-31T00:00Z"))
    )


@st.composite
def windows(draw, first_year, last_year):
    """A zone, and a minute from which three days hold a change of its clocks, if it has any."""
    name = draw(st.sampled_from(sorted(zone_names())))
    changes = changes_of(name, first_year, last_year)
    if changes and draw(st.integers(0, 9)):
        return name, draw(st.sampled_from(changes)) - draw(st.integers(0, 1440))
    span = ((first_year - 1970) * 525_960, (last_year - 1970) * 525_960)
    return name, draw(st.integers(*span))


def agrees_with_the_walker(text, window, days=3):
    name, start = window
    try:
        schedule = Schedule.parse(text, name)
    except InvalidError:
        assert text.endswith(" *")  # can never occur
        return
    end = start + days * 1440
    expected = list(PlainCron(text, name).between(start, end))
    found = []
    for instant in schedule.occurrences(start * MINUTE):
        if instant > end * MINUTE:
            break
        found.append(instant // MINUTE)
    assert expected == found
    assert len(expected) == schedule.count(start * MINUTE, end * MINUTE)
    around = range(start + 1, end + 1, 7)
    assert [minute in set(expected) for minute in around] == [
        schedule.matches(minute * MINUTE) for minute in around
    ]


@settings(max_examples=80, deadline=None)
@given(text=expressions(), window=windows(1973, 2040))
def test_the_walker_over_every_minute_agrees(text, window):
    agrees_with_the_walker(text, window)


@settings(max_examples=20, deadline=None)
@given(
    text=expressions(), window=st.integers(2100, 9990).flatmap(lambda year: windows(year, year + 1))
)
def test_the_walker_agrees_in_far_years(text, window):
    agrees_with_the_walker(text, window)


@pytest.mark.deep
@settings(max_examples=500, deadline=None)
@given(text=expressions(), window=windows(1973, 2100))
def test_the_walker_agrees_deep(text, window):
    agrees_with_the_walker(text, window, days=5)


@settings(max_examples=60, deadline=None)
@given(
    text=expressions(),
    window=windows(1973, 2040),
    spans=st.lists(st.integers(0, 200 * 1440 * MINUTE), min_size=2, max_size=2),
)
def test_counts_add_up(text, window, spans):
    try:
        schedule = Schedule.parse(text, window[0])
    except InvalidError:
        return
    first = window[1] * MINUTE
    second, third = first + spans[0], first + sum(spans)
    assert schedule.count(first, third) == schedule.count(first, second) + schedule.count(
        second, third
    )


def test_a_count_is_after_one_instant_and_up_to_the_other():
    schedule = Schedule.parse("0 * * * *")
    hour = 60 * MINUTE
    assert [
        schedule.count(*span)
        for span in [(0, hour), (0, hour - 1), (hour, hour), (0, 24 * hour), (hour, 0)]
    ] == [1, 0, 0, 24, 0]


def test_4320_missed_minutes_are_counted():
    start = at("2026-10-23T12:00Z")
    assert Schedule.parse("* * * * *", BERLIN).count(start, start + 4320 * MINUTE) == 4320


def test_a_count_over_400_years_is_that_of_the_calendar():
    assert (
        Schedule.parse("0 0 29 2 *").count(at("2000-01-01T00:00Z"), at("2400-01-01T00:00Z")) == 97
    )


@pytest.mark.parametrize(
    ("expected", "expression", "after", "until"),
    [
        (4, "0 0 1 * *", "2399-11-15T00:00Z", "2400-03-15T00:00Z"),
        (3, "0 0 31 * *", "2399-11-15T00:00Z", "2400-03-31T00:00Z"),
        (121, "0 0 * * *", "2399-11-15T00:00Z", "2400-03-15T00:00Z"),
        (12, "0 0 1 * *", "2399-12-31T23:59Z", "2400-12-31T23:59Z"),
    ],
)
def test_a_count_goes_on_where_the_calendar_begins_anew(expected, expression, after, until):
    assert Schedule.parse(expression).count(at(after), at(until)) == expected


@pytest.mark.parametrize(
    ("minutes", "expression", "zone"),
    [
        (1, "* * * * *", BERLIN),
        (5, "*/5 * * * *", BERLIN),
        (4, "*/7 * * * *", "UTC"),
        (1, "0,59 * * * *", "UTC"),
        (59, "0,59 12 * * *", "UTC"),
        (1440, "0 9 * * *", "UTC"),
        # Over midnight two days come closer than the two times of one.
        (60, "0 0,23 * * *", "UTC"),
        (20, "10,50 0,23 * * *", "UTC"),
        # The day on which the clocks go forward has 23 hours, in Lord Howe 23 and a half.
        (1380, "0 9 * * *", NEW_YORK),
        (1410, "0 9 * * *", "Australia/Lord_Howe"),
        # Minutes that come again, an hour or half an hour later.
        (60, "30 1 * * *", NEW_YORK),
        (30, "45 1 * * *", "Australia/Lord_Howe"),
        # 01:00 and 03:00 are an hour apart where there is no two o'clock; 01:30 half of one.
        (60, "0 1,3 * * *", NEW_YORK),
        (30, "30-59/30,0 1,3 * 3 *", NEW_YORK),
        (1440, "0 9 * * 1-5", "UTC"),
        (2880, "0 9 * * 1,3,5", "UTC"),
        (10080, "0 9 * * 1", "Asia/Tokyo"),
        (10020, "0 9 * * 1", BERLIN),
        (28 * 1440, "0 0 1 * *", "UTC"),
        (31 * 1440, "0 0 31 * *", "UTC"),
        (1440, "0 0 1,31 * *", "UTC"),
        (1461 * 1440, "0 0 29 2 *", "UTC"),
        (365 * 1440, "0 0 1 1 *", BERLIN),
        (181 * 1440, "0 0 1 1,7 *", "UTC"),
        (181 * 1440 - 60, "0 0 1 1,7 *", BERLIN),
        (181 * 1440 + 60, "0 0 1 1,7 *", "Australia/Sydney"),
        (1440, "0 0 13 * 5", "UTC"),
    ],
)
def test_the_smallest_interval(minutes, expression, zone):
    schedule = Schedule.parse(expression, zone)
    now = at("2026-10-07T14:00Z")
    assert minutes * MINUTE == schedule.smallest_interval(now)
    assert not schedule.closer_than(minutes, now)
    assert schedule.closer_than(minutes + 0.5, now)


def test_changes_that_are_over_do_not_count():
    # Tokyo had summer time until 1951.
    schedule = Schedule.parse("0 9 * * *", "Asia/Tokyo")
    assert [
        schedule.smallest_interval(at(text)) // MINUTE
        for text in ("1948-01-01T00:00Z", "1952-01-01T00:00Z")
    ] == [1380, 1440]


def test_changes_that_a_zone_spells_out_for_later_years_count():
    # Morocco changes its clocks around each Ramadan, by a list of dates, not by a rule.
    schedule = Schedule.parse("30 2 * * *", "Africa/Casablanca")
    now = at("2026-10-07T14:00Z")
    found = schedule.smallest_interval(now)
    assert found == min(
        later - earlier for earlier, later in pairwise(islice(schedule.occurrences(now), 70 * 365))
    )


@settings(max_examples=15, deadline=None)
@given(
    minute=st.integers(0, 59),
    hours=st.sets(st.integers(0, 4), min_size=1, max_size=2),
    days=st.sampled_from(
        ["* * *", "* * 1,4", "1,15 * *", "*/2 * *", "1 1,7 *", "31 3,10 0", "28 2 *"]
    ),
    zone=st.sampled_from(sorted(zone_names())),
)
def test_the_smallest_interval_is_that_of_a_walk_over_forty_years(minute, hours, days, zone):
    schedule = Schedule.parse(f"{minute} {','.join(map(str, hours))} {days}", zone)
    now = at("2026-10-07T14:00Z")
    walked = []
    for instant in schedule.occurrences(now):
        walked.append(instant)
        if instant > now + 40 * YEAR:
            break
    distances = {later - earlier for earlier, later in pairwise(walked)}
    # What a zone spells out beyond forty years may come closer still.
    assert schedule.smallest_interval(now) <= min(distances)
    if zone not in SPELLED_OUT:
        assert schedule.smallest_interval(now) == min(distances)


def test_the_masks_tell_the_times_of_a_day():
    read = CronExpression.parse("10,50 8,20 * * *")
    assert (
        read.first_time,
        read.last_time,
        read.times_per_day,
        read.smallest_gap,
    ) == (490, 1250, 4, 40)
