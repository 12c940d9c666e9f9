"""Reported faults 23, 28 to 31, and 32 and 33 once more: schedules through the engine."""

import sys

import pytest

from engine_scenes import automation, decisions, ms, saved, schedule
from wakeful import Decision, Engine, Resumed, Settings, Tick, format_instant, parse_instant
from wakeful.model.time import DAY, HOUR, MINUTE

LIVE = Settings(run_time="none")
HOURLY = automation(schedule("0 * * * *"))


def resumed(at):
    return Resumed(at=at)


@pytest.mark.parametrize("call", [lambda engine: engine.advance(MINUTE),
                                  lambda engine: engine.feed(Tick(MINUTE)),
                                  lambda engine: engine.feed(resumed(MINUTE + 59_000))],
                         ids=["advance", "tick", "resumed"])  # fmt: skip
def test_fault_23_two_automations_due_in_the_same_minute_both_start(call):
    both = [automation(schedule("* * * * *"), id=name) for name in ("b", "a")]
    said = [line.split(" ", 1)[1] for line in decisions(call(Engine(both, at=0, settings=LIVE)))]
    assert said == ["b start 1", "a start 1"]


def hourly(policy):
    return automation(schedule("0 * * * *", misfirePolicy=policy))


def test_fault_28_after_a_suspended_night_an_hourly_schedule_runs_once():
    engine = Engine([hourly("runOnce")], at=ms(60), settings=LIVE)
    (caught_up,) = engine.feed(resumed(8 * HOUR + 30 * MINUTE))
    assert decisions([caught_up]) == ["30600 a start 1"]
    assert caught_up.catch_up
    assert caught_up.scheduled_for == HOUR
    assert engine.next_run_at("ahp-automation:/a") == 9 * HOUR


def test_fault_28_under_skip_it_runs_not_at_all_and_says_how_many_were_missed():
    engine = Engine([hourly("skip")], at=ms(60), settings=LIVE)
    assert decisions(engine.feed(resumed(8 * HOUR + 30 * MINUTE))) == ["30600 a drop missed 8"]
    assert engine.next_run_at("ahp-automation:/a") == 9 * HOUR


def calls_of(function, *arguments):
    """How many functions are called, and what came back: a cost that no clock disturbs."""
    count = 0

    def counted(_frame, what, _argument):
        nonlocal count
        count += what in {"call", "c_call"}

    sys.setprofile(counted)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(None)
    return count, result


@pytest.mark.parametrize(("policy", "said"), [("runOnce", "start 1"), ("skip", "drop missed 4320")])
def test_fault_28_thousands_of_missed_minutes_cost_no_more_than_one(policy, said):
    def resume_after(downtime):
        engine = Engine(
            [automation(schedule("* * * * *", misfirePolicy=policy))], at=0, settings=LIVE
        )
        return calls_of(engine.feed, resumed(downtime))

    cost_of_few, _ = resume_after(3 * MINUTE)
    cost_of_many, outputs = resume_after(3 * DAY)
    assert [f"{3 * DAY // 1_000} a {said}"] == decisions(outputs)
    assert cost_of_many <= 2 * cost_of_few


@pytest.mark.parametrize("behind", [0, 1_200, 59_000, 59_999])
@pytest.mark.parametrize("policy", ["runOnce", "skip"])
def test_fault_29_a_run_reached_less_than_a_minute_late_is_an_ordinary_run(behind, policy):
    engine = Engine([hourly(policy)], at=ms(60), settings=LIVE)
    (start,) = engine.feed(resumed(HOUR + behind))
    assert [line.split(" ", 1)[1] for line in decisions([start])] == ["a start 1"]
    assert not start.catch_up
    assert start.scheduled_for == HOUR


@pytest.mark.parametrize("behind", [1_200, 59_000, 10 * MINUTE])
@pytest.mark.parametrize("policy", ["runOnce", "skip"])
def test_fault_29_a_tick_that_comes_late_is_no_downtime(behind, policy):
    engine = Engine([hourly(policy)], at=ms(60), settings=LIVE)
    (start,) = engine.feed(Tick(HOUR + behind))
    assert isinstance(start, Decision)
    assert (start.kind, start.at, start.catch_up, start.late) == ("start", HOUR, False, False)


@pytest.mark.parametrize(("policy", "said"), [("runOnce", "start 1"), ("skip", "drop missed 1")])
def test_fault_29_a_whole_minute_late_is_a_catch_up(policy, said):
    engine = Engine([hourly(policy)], at=ms(60), settings=LIVE)
    assert [f"3660 a {said}"] == decisions(engine.feed(resumed(HOUR + MINUTE)))


def test_fault_30_switching_on_at_half_past_waits_for_the_full_hour():
    engine = Engine([HOURLY], at=9 * HOUR + MINUTE, settings=LIVE)
    off = automation(schedule("0 * * * *"), enabled=False)
    outputs = engine.feed(saved(10 * 3_600, off))
    outputs += engine.feed(saved(12.5 * 3_600, HOURLY))
    assert decisions(outputs) == ["36000 a start 1"]
    assert engine.next_run_at("ahp-automation:/a") == 13 * HOUR


def test_fault_30_an_expression_changed_to_an_earlier_hour_that_has_passed_waits_for_tomorrow():
    engine = Engine([automation(schedule("0 9 * * *"))], at=7 * HOUR, settings=LIVE)
    outputs = engine.feed(saved(8.5 * 3_600, automation(schedule("0 8 * * *"))))
    outputs += engine.advance(24 * HOUR)
    assert decisions(outputs) == []
    assert engine.next_run_at("ahp-automation:/a") == DAY + 8 * HOUR


def test_fault_31_a_clock_that_steps_back_after_a_run_fires_nothing_again():
    engine = Engine([HOURLY], at=ms(60), settings=LIVE)
    outputs = engine.feed(Tick(HOUR))
    outputs += engine.advance(HOUR - 30_000)
    outputs += engine.feed(Tick(HOUR - 30_000))
    outputs += engine.feed(Tick(HOUR))
    assert decisions(outputs) == ["3600 a start 1"]


def test_fault_31_a_clock_that_steps_back_leaves_nothing_to_spin_on():
    engine = Engine([HOURLY], at=ms(60), settings=LIVE)
    engine.feed_many([Tick(HOUR), Tick(HOUR - 30_000)])
    assert engine.next_deadline == 2 * HOUR


def test_fault_31_a_resumed_that_steps_back_catches_nothing_up():
    engine = Engine([HOURLY], at=ms(60), settings=LIVE)
    engine.feed(Tick(HOUR))
    assert engine.feed(resumed(HOUR - 30_000)) == []


def test_fault_32_through_the_engine_a_minute_in_the_gap_runs_at_no_other_time():
    gap = automation(schedule("30 2 * * *", "America/New_York"))
    engine = Engine([gap], at=parse_instant("2026-03-07T00:00Z"), settings=LIVE)
    runs = engine.advance(parse_instant("2026-03-09T12:00Z"))
    assert [format_instant(each.at) for each in runs] == [
        "2026-03-07T07:30:00.000Z",
        "2026-03-09T06:30:00.000Z",
    ]


def test_fault_33_through_the_engine_a_minute_that_comes_twice_runs_twice():
    twice = automation(schedule("30 1 * * *", "America/New_York"))
    engine = Engine([twice], at=parse_instant("2026-11-01T00:00Z"), settings=LIVE)
    runs = engine.advance(parse_instant("2026-11-01T12:00Z"))
    assert [format_instant(each.at) for each in runs] == [
        "2026-11-01T05:30:00.000Z",
        "2026-11-01T06:30:00.000Z",
    ]


@pytest.mark.parametrize(("policy", "said"), [("runOnce", "start 1"), ("skip", "drop missed 2")])
def test_fault_33_both_passes_slept_through_are_both_counted(policy, said):
    twice = automation(schedule("30 1 * * *", "America/New_York", misfirePolicy=policy))
    engine = Engine([twice], at=parse_instant("2026-11-01T00:00Z"), settings=LIVE)
    (caught_up,) = decisions(engine.feed(resumed(parse_instant("2026-11-01T12:00Z"))))
    assert caught_up.endswith(f" a {said}")
