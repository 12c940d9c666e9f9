"""Reported faults 1 to 7 of other systems, across a restart."""

import pytest

from engine_scenes import (
    MATCHES_ONLY,
    automation,
    decisions,
    event,
    fail,
    idle,
    matched_at,
    matches,
    ms,
    on,
    saved,
    schedule,
    settled,
    started,
    turn,
    waits,
)
from wakeful import DefinitionRemoved, Engine, Resumed, Settings

QUIET = automation(on("toolFailed", then=idle("600s")))
THREE = automation(on("toolFailed", count={"n": 3}))
SILENT = automation(on("turnCompleted", when={"turnLongerThan": "300s"}))


def restarted(engine: Engine, *automations, settings=MATCHES_ONLY) -> Engine:
    found = Engine.restore(engine.snapshot(), automations, settings=settings)
    assert found.outputs == ()
    assert found.let_go == ()
    return found.engine


def engine_at(seconds: float, rule, *inputs, settings=MATCHES_ONLY) -> Engine:
    engine = Engine([rule], settings=settings)
    engine.feed_many(inputs)
    engine.advance(ms(seconds))
    return engine


def test_fault_01_a_timer_survives_a_restart_and_matches_once():
    engine = restarted(engine_at(240, QUIET, fail(0)), QUIET)
    assert matched_at(engine.advance(ms(10_000))) == [600]


def test_fault_01_a_timer_survives_ten_restarts():
    engine = engine_at(0, QUIET, fail(0))
    for at in range(0, 600, 60):
        engine = restarted(engine, QUIET)
        assert engine.advance(ms(at)) == []
    assert matched_at(engine.advance(ms(10_000))) == [600]


def test_fault_01_a_quiet_that_was_broken_before_the_restart_stays_broken():
    engine = restarted(engine_at(240, QUIET, fail(0), event("messageQueued", 100)), QUIET)
    assert matched_at(engine.advance(ms(10_000))) == []


def test_fault_02_saving_the_same_text_after_a_restart_resets_no_count():
    engine = restarted(engine_at(10, THREE, fail(0), fail(10)), THREE)
    outputs = engine.feed_many([*(saved(20 + n, THREE) for n in range(10)), fail(40)])
    assert matched_at(outputs) == [40]


def test_fault_02_editing_another_automation_while_the_host_was_down_leaves_a_count():
    other = automation(on("toolFailed", count={"n": 9}), id="b")
    edited = automation(on("toolFailed", count={"n": 8}), id="b")
    engine = Engine([THREE, other], settings=MATCHES_ONLY)
    engine.feed_many([fail(0), fail(10)])
    again = Engine.restore(engine.snapshot(), [THREE, edited], settings=MATCHES_ONLY).engine
    assert matches(again.feed(fail(40))) == ["40 a/t1 s toolFailed x3"]


def test_fault_03_what_fell_due_in_downtime_matches_once_at_its_deadline_and_is_late():
    engine = restarted(engine_at(300, QUIET, fail(0)), QUIET)
    outputs = engine.feed(Resumed(at=ms(1_000)))
    assert [(output.at, output.late) for output in outputs] == [(ms(600), True)] * 2
    assert matched_at(engine.advance(ms(10_000))) == []


def test_fault_03_what_falls_due_after_the_downtime_is_not_late():
    engine = restarted(engine_at(300, QUIET, fail(0)), QUIET)
    assert engine.feed(Resumed(at=ms(500))) == []
    (match, _) = engine.advance(ms(700))
    assert (match.at, match.late) == (ms(600), False)


def test_fault_03_everything_that_fell_due_in_downtime_comes_in_order_of_deadline():
    rule = automation(
        on("toolFailed", then=idle("600s")), on("toolCalled", id="t2", then=idle("60s"))
    )
    before = engine_at(100, rule, fail(0), event("toolCalled", 50, "other"), settings=MATCHES_ONLY)
    outputs = restarted(before, rule).feed(Resumed(at=ms(9_000)))
    assert matched_at(outputs) == [110, 600]


@pytest.mark.parametrize("rule", [QUIET, SILENT], ids=["wait", "silence"])
def test_fault_04_a_rule_removed_while_the_host_was_down_does_not_match(rule):
    engine = engine_at(100, rule, turn(0), fail(0))
    assert len(waits(engine)) == 1
    again = Engine.restore(engine.snapshot(), [], settings=MATCHES_ONLY).engine
    assert waits(again) == []
    assert again.feed(Resumed(at=ms(9_000))) == []


def test_fault_04_a_rule_removed_after_the_restart_does_not_match():
    engine = restarted(engine_at(100, QUIET, fail(0)), QUIET)
    engine.feed(DefinitionRemoved(automation="ahp-automation:/a", at=ms(200)))
    assert waits(engine) == []
    assert engine.advance(ms(9_000)) == []


@pytest.mark.parametrize("call", ["advance", "feed", "resumed"])
def test_fault_05_the_first_call_after_restoring_returns_what_fell_due(call):
    engine = restarted(engine_at(300, QUIET, fail(0)), QUIET)
    outputs = {
        "advance": lambda: engine.advance(ms(1_000)),
        "feed": lambda: engine.feed(event("idle", 1_000)),
        "resumed": lambda: engine.feed(Resumed(at=ms(1_000))),
    }[call]()
    assert matched_at(outputs) == [600]


def test_fault_05_an_occurrence_that_fell_due_in_downtime_is_returned_by_the_first_call():
    rule = automation(schedule("0 * * * *"))
    engine = restarted(engine_at(300, rule), rule)
    assert decisions(engine.feed(Resumed(at=ms(9_000)))) == ["9000 a start 1"]


def test_fault_06_a_run_that_starts_and_settles_around_a_restart_resets_no_count():
    told = Settings(run_time="log")
    before = engine_at(10, THREE, fail(0), fail(5), started(10, "r1"), settings=told)
    engine = restarted(before, THREE, settings=told)
    engine.feed_many([settled(20, "r1"), started(30, "r2"), settled(31, "r2")])
    assert matched_at(engine.feed(fail(40))) == [40]


def test_fault_07_a_silent_turn_told_before_the_restart_is_not_told_again():
    told = Settings(run_time="log")
    before = engine_at(400, SILENT, turn(0), settings=told)
    engine = restarted(before, SILENT, settings=told)
    outputs = engine.feed_many(
        [Resumed(at=ms(500)), started(510, "r1"), settled(520, "r1"), saved(530, SILENT)]
    )
    assert matched_at([*outputs, *engine.advance(ms(9_000))]) == []


def test_fault_07_a_silent_turn_told_before_the_restart_is_told_again_once_it_did_something():
    engine = restarted(engine_at(400, SILENT, turn(0)), SILENT)
    assert matched_at([*engine.feed(fail(500)), *engine.advance(ms(9_000))]) == [800]
