"""Semantics 10.5 to 10.8 and 9.10 through the engine: when schedules wake, late or not."""

import pytest

from engine_scenes import (
    automation,
    decisions,
    event,
    fail,
    ms,
    on,
    saved,
    schedule,
    settled,
    started,
    turn,
)
from wakeful import Decision, DefinitionRemoved, Engine, Match, Resumed, Settings, Tick
from wakeful.model.time import HOUR, MINUTE

A = "ahp-automation:/a"
OVER = Settings(run_time="none")
LIVE = Settings(run_time="log")
MINUTELY = automation(schedule("* * * * *"))


def engine_of(*automations, at=0, settings=OVER, **given):
    return Engine(automations, at=at, settings=settings, **given)


def hourly(policy="runOnce", **more):
    return automation(schedule("0 * * * *", misfirePolicy=policy), **more)


def told(outputs):
    """Instant, scheduled for (both in minutes), and whether caught up and late."""
    return [
        (each.at / MINUTE, each.scheduled_for / MINUTE, each.catch_up, each.late)
        for each in outputs
        if isinstance(each, Decision)
    ]


# -- 10.5 Late and caught up ------------------------------------------------------------


def test_10_5_time_that_is_advanced_over_is_never_late():
    assert told(engine_of(MINUTELY).advance(3 * MINUTE)) == [
        (1, 1, False, False),
        (2, 2, False, False),
        (3, 3, False, False),
    ]


def test_10_5_an_input_after_an_hour_is_time_that_passed_too():
    outputs = engine_of(hourly("skip")).feed(Tick(2 * HOUR + 30 * MINUTE))
    assert told(outputs) == [(60, 60, False, False), (120, 120, False, False)]


@pytest.mark.parametrize("policy", ["runOnce", "skip"])
@pytest.mark.parametrize("behind", [1, 59_999])
def test_10_5_after_a_resumed_less_than_a_minute_late_is_an_ordinary_run(policy, behind):
    outputs = engine_of(hourly(policy)).feed(Resumed(at=HOUR + behind))
    assert told(outputs) == [((HOUR + behind) / MINUTE, 60, False, True)]


def test_10_5_an_occurrence_at_the_very_instant_of_resuming_is_not_late():
    assert told(engine_of(hourly()).feed(Resumed(at=HOUR))) == [(60, 60, False, False)]


def test_10_5_a_minute_or_more_is_a_catch_up_stamped_with_the_resuming():
    outputs = engine_of(hourly()).feed(Resumed(at=HOUR + MINUTE))
    assert told(outputs) == [(61, 60, True, True)]


def test_10_5_run_once_runs_once_for_the_oldest_however_many_went_by():
    engine = engine_of(hourly())
    assert told(engine.feed(Resumed(at=5 * HOUR + 30 * MINUTE))) == [(330, 60, True, True)]
    assert told(engine.advance(6 * HOUR)) == [(360, 360, False, False)]


def test_10_5_one_that_is_reached_in_time_beside_missed_ones_is_part_of_the_catch_up():
    # The oldest waiting says whether it is a catch-up; the newest is only seconds late.
    assert told(engine_of(hourly()).feed(Resumed(at=3 * HOUR + 1_000))) == [
        ((3 * HOUR + 1_000) / MINUTE, 60, True, True)
    ]


def test_10_5_skip_runs_not_at_all_and_says_how_many_it_missed():
    engine = engine_of(hourly("skip"))
    assert decisions(engine.feed(Resumed(at=5 * HOUR + 30 * MINUTE))) == ["19800 a drop missed 5"]
    assert told(engine.advance(6 * HOUR)) == [(360, 360, False, False)]


def test_10_5_catching_up_comes_after_everything_due_earlier():
    waits = on("toolFailed", id="t2", then={"kind": "idle", "for": "90m"})
    rules = [automation(schedule("0 * * * *"), waits)]
    engine = engine_of(*rules)
    engine.feed(fail(0))
    outputs = engine.feed(Resumed(at=3 * HOUR))
    assert decisions(outputs) == ["5400 a start 1", "10800 a start 1"]


def test_10_5_runs_that_do_not_live_settle_after_the_catch_up_was_decided():
    engine = engine_of(hourly(), settings=LIVE)
    engine.advance(HOUR)
    engine.feed(started(3_601, "r"))
    outputs = engine.feed(Resumed(at=3 * HOUR, live=()))
    assert decisions(outputs) == ["10800 a hold 1", "10800 a release 1"]


def test_10_5_a_second_resumed_catches_nothing_up_again():
    engine = engine_of(hourly())
    engine.feed(Resumed(at=3 * HOUR + MINUTE))
    assert engine.feed(Resumed(at=3 * HOUR + 2 * MINUTE)) == []


def test_10_5_the_first_input_of_an_engine_may_be_a_resumed():
    engine = Engine([hourly()], settings=OVER)
    assert engine.feed(Resumed(at=90 * MINUTE)) == []
    assert engine.next_run_at(A) == 2 * HOUR


# -- 10.6 All that are due --------------------------------------------------------------


def test_10_6_all_that_are_due_at_one_instant_run_in_definition_order():
    rules = [automation(schedule("0 * * * *"), id=name) for name in ("c", "a", "b")]
    said = [line.split()[1] for line in decisions(engine_of(*rules).advance(HOUR))]
    assert said == ["c", "a", "b"]


def test_10_6_an_automation_runs_at_most_once_an_instant():
    both = automation(schedule("0 * * * *"), schedule("*/30 * * * *", id="t2"))
    engine = engine_of(both)
    assert [each.trigger for each in engine.advance(HOUR)] == ["t2", "t1"]
    assert engine.next_run_at(A) == 90 * MINUTE


def test_10_6_after_a_resumed_too():
    both = automation(schedule("0 * * * *"), schedule("*/30 * * * *", id="t2"))
    engine = engine_of(both)
    assert told(engine.feed(Resumed(at=3 * HOUR + 5 * MINUTE))) == [(185, 60, True, True)]
    assert engine.next_run_at(A) == 3 * HOUR + 30 * MINUTE


def test_10_6_one_automation_that_catches_up_hides_no_other():
    rules = [hourly(id=name) for name in ("b", "a")]
    said = [line.split()[1] for line in decisions(engine_of(*rules).feed(Resumed(at=5 * HOUR)))]
    assert said == ["b", "a"]


# -- 10.7 Edits and switches ------------------------------------------------------------


def test_10_7_enabling_computes_the_next_occurrence_from_then():
    engine = engine_of(hourly(enabled=False))
    assert engine.feed(saved(3.5 * 3_600, hourly())) == []
    assert engine.next_run_at(A) == 4 * HOUR


def test_10_7_an_automation_that_is_off_runs_nothing():
    assert engine_of(hourly(enabled=False)).advance(9 * HOUR) == []


def test_10_7_changing_a_trigger_computes_its_next_occurrence_from_then():
    engine = engine_of(hourly())
    engine.feed(saved(10, automation(schedule("*/10 * * * *"))))
    assert engine.next_run_at(A) == 10 * MINUTE


@pytest.mark.parametrize(
    "again",
    [
        automation(schedule("0 * * * *"), title="Renamed"),
        automation(schedule("0 */1 * * *")),
        automation(schedule("0 * * * *", title="Titled")),
        automation(on("toolFailed", id="t2"), schedule("0 * * * *")),
        automation(schedule("0 * * * *"), overlap="parallel"),
    ],
    ids=["title", "same meaning", "trigger's title", "a trigger beside it", "overlap"],
)
def test_10_7_any_other_edit_leaves_what_it_waits_for_alone(again):
    # Given one further on than the next, it shows whether it was computed anew.
    waited = {(A, "t1"): 7 * HOUR}
    engine = engine_of(hourly(), at=5 * HOUR, occurrences=waited)
    engine.feed(saved(5 * 3_600, again))
    assert engine.occurrences == waited


def test_10_7_a_run_that_starts_and_settles_leaves_it_alone():
    engine = engine_of(hourly(), settings=LIVE)
    engine.advance(HOUR)
    engine.feed_many([started(3_601, "r"), settled(3_602, "r")])
    assert engine.occurrences == {(A, "t1"): 2 * HOUR}


def test_10_7_another_automations_change_leaves_it_alone():
    waited = {(A, "t1"): 7 * HOUR}
    engine = engine_of(hourly(), at=5 * HOUR, occurrences=waited)
    engine.feed(saved(5 * 3_600, hourly(id="b")))
    engine.feed(DefinitionRemoved(automation="ahp-automation:/b", at=5 * HOUR))
    assert engine.occurrences == waited


def test_10_7_a_skip_trigger_does_not_hide_another_triggers_occurrence():
    both = automation(schedule("0 * * * *", misfirePolicy="skip"), schedule("0 * * * *", id="t2"))
    outputs = engine_of(both).feed(Resumed(at=3 * HOUR + 5 * MINUTE))
    assert decisions(outputs) == ["11100 a drop missed 3", "11100 a start 1"]
    assert [each.trigger for each in outputs] == ["t1", "t2"]


def test_10_7_a_removed_trigger_runs_no_more():
    engine = engine_of(automation(schedule("0 * * * *"), schedule("30 * * * *", id="t2")))
    engine.feed(saved(1, hourly()))
    assert told(engine.advance(90 * MINUTE)) == [(60, 60, False, False)]


def test_10_7_a_removed_automation_runs_no_more():
    engine = engine_of(hourly())
    engine.feed(DefinitionRemoved(automation=A, at=1))
    assert engine.advance(9 * HOUR) == []
    assert engine.next_deadline is None


def test_10_7_a_disable_condition_that_is_met_stops_the_schedule():
    twice = hourly(disableConditions=[{"kind": "afterRuns", "max": 2}])
    engine = engine_of(twice)
    assert [at for at, *_ in told(engine.advance(9 * HOUR))] == [60, 120]
    assert engine.next_run_at(A) is None


def test_10_7_a_date_passes_before_the_occurrence_of_its_instant():
    until = hourly(disableConditions=[{"kind": "afterDate", "date": "1970-01-01T02:00:00Z"}])
    assert [at for at, *_ in told(engine_of(until).advance(9 * HOUR))] == [60]


# -- 10.8 nextRunAt ---------------------------------------------------------------------


def test_10_8_next_run_at_is_the_earliest_of_its_schedules():
    both = automation(schedule("0 5 * * *"), schedule("0 3 * * *", id="t2"))
    assert engine_of(both).next_run_at(A) == 3 * HOUR


def test_10_8_next_run_at_moves_on_as_it_runs():
    engine = engine_of(hourly())
    engine.advance(HOUR)
    assert engine.next_run_at(A) == 2 * HOUR


def test_10_1_zones_count():
    berlin = automation(schedule("0 9 * * *", "Europe/Berlin"))
    assert engine_of(berlin).next_run_at(A) == 8 * HOUR


# -- Occurrences given back -------------------------------------------------------------


def test_occurrences_given_back_are_caught_up_at_the_resumed():
    before = engine_of(hourly())
    before.advance(HOUR)
    after = Engine([hourly()], settings=OVER, occurrences=before.occurrences)
    assert told(after.feed(Resumed(at=5 * HOUR + 30 * MINUTE))) == [(330, 120, True, True)]


def test_occurrences_given_back_that_lie_ahead_are_waited_for():
    after = engine_of(hourly(), at=5 * HOUR, occurrences={(A, "t1"): 7 * HOUR})
    assert told(after.advance(6 * HOUR + 1)) == []
    assert [at for at, *_ in told(after.advance(7 * HOUR))] == [420]


def test_without_them_nothing_is_caught_up():
    after = Engine([hourly()], settings=OVER)
    assert after.feed(Resumed(at=5 * HOUR + 30 * MINUTE)) == []


def test_occurrences_of_nobody_are_let_go():
    engine = engine_of(hourly(), occurrences={("ahp-automation:/gone", "t1"): HOUR})
    assert engine.occurrences == {(A, "t1"): HOUR}


def test_an_occurrence_given_back_is_used_once():
    engine = engine_of(hourly(), at=5 * HOUR, occurrences={(A, "t1"): 7 * HOUR})
    engine.feed(saved(5 * 3_600, hourly(enabled=False)))
    engine.feed(saved(5 * 3_600, hourly()))
    assert engine.next_run_at(A) == 6 * HOUR


def test_10_7_enabling_waits_from_then_also_where_an_occurrence_was_given_back():
    engine = engine_of(hourly(enabled=False), at=5 * HOUR, occurrences={(A, "t1"): 7 * HOUR})
    engine.feed(saved(5 * 3_600, hourly()))
    assert engine.next_run_at(A) == 6 * HOUR


def test_10_7_a_new_trigger_waits_from_then_also_where_one_of_its_name_was_given_back():
    waited = {(A, "t1"): 7 * HOUR, (A, "t2"): 9 * HOUR}
    engine = engine_of(hourly(), at=5 * HOUR, occurrences=waited)
    engine.feed(saved(5 * 3_600, automation(schedule("0 * * * *"), schedule("5 * * * *", id="t2"))))
    assert engine.occurrences == {(A, "t1"): 7 * HOUR, (A, "t2"): 5 * HOUR + 5 * MINUTE}


def test_a_definition_saved_first_thing_takes_what_was_given_back_for_it():
    engine = Engine(at=5 * HOUR, settings=OVER, occurrences={(A, "t1"): 7 * HOUR})
    engine.feed(saved(5 * 3_600, hourly()))
    assert engine.next_run_at(A) == 7 * HOUR


# -- 9.10 The same road -----------------------------------------------------------------


def test_9_10_an_occurrence_is_no_match():
    outputs = engine_of(MINUTELY).advance(MINUTE)
    assert not [each for each in outputs if isinstance(each, Match)]
    (start,) = outputs
    assert (start.count, start.session, start.event, start.trigger) == (1, None, None, "t1")


def test_9_10_occurrences_take_no_slot_of_the_cap():
    both = automation(schedule("* * * * *"), on("toolFailed", id="t2"))
    engine = engine_of(both)
    outputs = engine.advance(50 * MINUTE)
    outputs += engine.feed_many(fail(50 * 60 + number) for number in range(21))
    said = [line.split(" ", 2)[2] for line in decisions(outputs)]
    assert said == ["start 1"] * 70 + ["drop rateLimited 1"]


@pytest.mark.parametrize(
    ("overlap", "second"),
    [("queue", "hold 1"), ("skip", "drop skipped 1"), ("parallel", "start 1"), ("steer", "hold 1")],
)
def test_9_10_while_a_run_is_going_an_occurrence_meets_the_overlap(overlap, second):
    engine = engine_of(automation(schedule("* * * * *"), overlap=overlap), settings=LIVE)
    assert decisions(engine.advance(2 * MINUTE)) == ["60 a start 1", f"120 a {second}"]


def test_9_10_under_steer_its_text_goes_into_the_running_turn():
    each = automation(schedule("* * * * *"), overlap="steer", message={"text": "It is {{at}}."})
    engine = engine_of(each, settings=LIVE)
    engine.advance(MINUTE)
    engine.feed_many([started(61, "r", "work"), turn(62, "work")])
    (steer,) = engine.advance(2 * MINUTE)
    assert (str(steer.kind), steer.into, steer.run) == ("steer", "work", "r")
    assert steer.message == "It is 1970-01-01T00:02:00.000Z."


def test_9_10_an_occurrence_is_held_to_no_own_run_check():
    engine = engine_of(automation(schedule("* * * * *"), overlap="parallel"), settings=LIVE)
    engine.advance(MINUTE)
    engine.feed_many(
        [started(61, "r", "work"), turn(62, "work"), event("turnCompleted", 63, "work")]
    )
    assert decisions(engine.advance(2 * MINUTE)) == ["120 a start 1"]


def test_9_8_an_occurrence_folds_its_count_into_a_waiting_event():
    both = automation(schedule("* * * * *"), on("toolFailed", id="t2"))
    engine = engine_of(both, settings=LIVE)
    outputs = engine.feed_many([fail(1), fail(2), Tick(MINUTE), started(61, "r"), settled(62, "r")])
    assert decisions(outputs)[2:] == ["60 a fold 1", "62 a release 2"]
    release = outputs[-1]
    assert (release.event, release.session) == ("toolFailed", "s")


def test_9_2_a_user_not_met_gets_no_run():
    outputs = engine_of(hourly(owner="user:ann")).advance(HOUR)
    assert decisions(outputs) == ["3600 a drop ownerUnknown 1"]


def test_a_minute_costs_no_input():
    engine = engine_of(MINUTELY)
    engine.advance(10 * MINUTE)
    assert engine.statistics().inputs == 0
    assert engine.now == ms(600)


def test_an_occurrence_given_back_waits_for_the_resumed_however_time_passes():
    engine = engine_of(hourly(), at=5 * HOUR, occurrences={(A, "t1"): HOUR})
    assert engine.feed(Tick(6 * HOUR)) == []
    assert told(engine.feed(Resumed(at=6 * HOUR + MINUTE))) == [(361, 60, True, True)]
    assert engine.next_run_at(A) == 7 * HOUR
