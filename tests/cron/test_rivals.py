"""Where dialects agree and no clock changes, the known libraries find the same."""

import calendar
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.cron_strategies import expressions
from models.plain_cron import EPOCH, zone_of
from wakeful.cron import Schedule, zone_names
from wakeful.errors import InvalidError
from wakeful.model.time import from_datetime

croniter = pytest.importorskip("croniter")
cronsim = pytest.importorskip("cronsim")


@settings(max_examples=80, deadline=None)
@given(
    text=expressions(shared=True),
    name=st.sampled_from(sorted(zone_names())),
    year=st.integers(1973, 2035),
    month=st.integers(1, 12),
)
def test_a_month_without_a_change_is_that_of_croniter_and_cronsim(text, name, year, month):
    zone = zone_of(name)
    length = calendar.monthrange(year, month)[1]
    start = datetime(year, month, 1, tzinfo=UTC)
    days = [(start + timedelta(days=day)).astimezone(zone) for day in range(-2, length + 3)]
    # A month without a change of clocks: one offset, so nothing to be of two minds about.
    assume(len({day.utcoffset() for day in days}) == 1)
    try:
        schedule = Schedule.parse(text, name)
    except InvalidError:
        return
    local = start.astimezone(zone)
    end = from_datetime(start + timedelta(days=length))
    expected = list(
        islice((at for at in _until(schedule.occurrences(from_datetime(local)), end)), 50)
    )
    for rival in (_croniter(text, local), _cronsim(text, local)):
        assert expected == list(islice(_until(rival, end), 50))


def _until(instants, end):
    for instant in instants:
        if instant > end:
            return
        yield instant


def _croniter(text, local):
    rival = croniter.croniter(text, local, max_years_between_matches=9)
    while True:
        try:
            found = rival.get_next(datetime)
        except croniter.CroniterBadDateError:
            return
        yield from_datetime(found)


def _cronsim(text, local):
    # Its wall clock, without a zone, so that none of its own rules about changes applies.
    offset = local.utcoffset()
    for found in cronsim.CronSim(text, local.replace(tzinfo=None)):
        yield from_datetime(EPOCH + (found - EPOCH.replace(tzinfo=None)) - offset)
