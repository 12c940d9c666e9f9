"""Semantics 9.1, 9.2 and 9.13 where they meet the matcher: who is watched, and from when."""

import pytest

from engine_scenes import (
    absent,
    automation,
    decisions,
    event,
    fail,
    idle,
    matched_at,
    matches,
    on,
    run,
    saved,
    schedule,
    settled,
    started,
    turn,
)
from wakeful import DefinitionRemoved, Engine, Settings, Tick
from wakeful.model.time import MINUTE

LIVE = Settings(run_time="log")
THREE = on("toolFailed", count={"n": 3})
OFF = automation(THREE, enabled=False)
ON = automation(THREE)


# -- 9.1 --------------------------------------------------------------------------------


def test_9_1_an_automation_that_is_off_has_no_hits_and_no_outputs():
    engine = Engine([OFF], settings=LIVE)
    assert engine.feed_many([fail(0), fail(1), fail(2)]) == []
    assert engine.statistics().hits == 0
    assert engine.statistics().rules == 0


def test_9_1_switching_on_starts_from_nothing():
    assert matched_at(run(OFF, fail(0), fail(1), saved(2, ON), fail(3), fail(4), fail(5))) == [5]


def test_9_1_what_was_counted_before_switching_off_is_gone():
    inputs = [fail(0), fail(1), saved(2, OFF), saved(3, ON), fail(4), fail(5), fail(6)]
    assert matched_at(run(ON, *inputs)) == [6]


@pytest.mark.parametrize("then", [idle("60s"), absent("toolCalled", "60s")])
def test_9_1_switching_off_ends_waits(then):
    rule = on("toolFailed", then=then)
    inputs = [fail(0), saved(1, automation(rule, enabled=False)), saved(2, automation(rule))]
    assert matched_at(run(automation(rule), *inputs, until=600)) == []


def test_9_1_what_waited_is_dropped_as_disabled_with_its_sum():
    each = automation(on("toolFailed"))
    off = automation(on("toolFailed"), enabled=False)
    outputs = run(each, fail(0), fail(1), fail(2), saved(3, off), settings=LIVE)
    assert decisions(outputs) == ["0 a start 1", "1 a hold 1", "2 a fold 1", "3 a drop disabled 2"]


def test_9_1_removing_drops_what_waits_too():
    each = automation(on("toolFailed"))
    gone = DefinitionRemoved(automation=each.resource, at=3_000)
    outputs = run(each, fail(0), fail(1), gone, settings=LIVE)
    assert decisions(outputs) == ["0 a start 1", "1 a hold 1", "3 a drop disabled 1"]


def test_9_1_switching_on_while_a_turn_runs_times_its_silence():
    silent = on("turnFailed", when={"turnLongerThan": "60s"})
    inputs = [turn(0), saved(30, automation(silent))]
    assert matched_at(run(automation(silent, enabled=False), *inputs, until=600)) == [60]


# -- 9.13 -------------------------------------------------------------------------------


def after_runs(number, *triggers, **more):
    return automation(*triggers, disableConditions=[{"kind": "afterRuns", "max": number}], **more)


def test_9_13_after_its_last_run_it_is_not_watched_any_more():
    outputs = run(after_runs(2, on("toolFailed")), *(fail(at) for at in range(5)))
    assert decisions(outputs) == ["0 a start 1", "1 a start 1"]
    assert matched_at(outputs) == [0, 1]


def test_9_13_what_matched_in_the_same_step_is_dropped():
    both = after_runs(1, on("toolFailed"), on("toolFailed", id="t2"), overlap="parallel")
    outputs = run(both, fail(0), settings=LIVE)
    assert matches(outputs) == ["0 a/t1 s toolFailed x1", "0 a/t2 s toolFailed x1"]
    assert decisions(outputs) == ["0 a start 1", "0 a drop disabled 1"]


def test_9_13_each_due_item_is_a_step_of_its_own():
    both = after_runs(
        1, on("toolFailed", then=idle("60s")), on("toolFailed", id="t2", then=idle("60s"))
    )
    outputs = run(both, fail(0), until=600)
    assert decisions(outputs) == ["60 a start 1"]
    assert matched_at(outputs) == [60]


def test_9_13_an_occurrence_counts_among_the_runs():
    mixed = after_runs(2, on("toolFailed"), schedule("* * * * *", id="t2"))
    engine = Engine([mixed], at=0, settings=Settings(run_time="none"))
    outputs = engine.advance(MINUTE) + engine.feed_many([fail(61), fail(62), Tick(9 * MINUTE)])
    assert decisions(outputs) == ["60 a start 1", "61 a start 1"]


def test_9_13_a_release_is_the_last_run_too():
    outputs = run(
        after_runs(2, on("toolFailed")),
        *(fail(0), fail(1), started(2, "r"), settled(3, "r"), fail(4)),
        settings=LIVE,
    )
    assert decisions(outputs) == ["0 a start 1", "1 a hold 1", "3 a release 1"]


def test_9_13_saving_it_again_switches_it_on_and_counts_from_nothing():
    twice = after_runs(1, on("toolFailed"))
    outputs = run(twice, fail(0), fail(1), saved(2, twice), fail(3), fail(4))
    assert decisions(outputs) == ["0 a start 1", "3 a start 1"]


@pytest.mark.parametrize(("date", "expected"), [("00:01:00", []), ("00:01:01", [60])])
def test_9_13_a_date_passes_before_what_is_due_at_its_instant(date, expected):
    until = automation(
        on("toolFailed", then=idle("60s")),
        disableConditions=[{"kind": "afterDate", "date": f"1970-01-01T{date}Z"}],
    )
    assert matched_at(run(until, fail(0), until=600)) == expected


def test_9_13_a_date_passes_before_what_is_fed_at_its_instant():
    until = automation(
        on("toolFailed"),
        disableConditions=[{"kind": "afterDate", "date": "1970-01-01T00:01:00Z"}],
    )
    assert matched_at(run(until, fail(59), fail(60), event("idle", 61))) == [59]
