"""What an engine answers when it is asked, and what it says of what is no input."""

import pytest

from engine_scenes import (
    MATCHES_ONLY,
    absent,
    automation,
    event_within,
    fail,
    idle,
    ms,
    on,
    schedule,
    settled,
    turn,
    waits,
)
from wakeful import Engine, Facts, InputRefusedError, SessionEvent, Tick, TurnStarted
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT

THREE = {"disableConditions": [{"kind": "afterRuns", "max": 3}]}


def test_the_inputs_taken_are_counted_and_time_that_passes_is_none():
    engine = Engine([automation(on("toolFailed"))])
    assert engine.inputs == 0
    engine.feed_many([fail(1), Tick(ms(2)), fail(3)])
    engine.advance(ms(9))
    assert engine.inputs == 3


def test_a_refused_input_is_not_counted():
    engine = Engine([automation(on("toolFailed"))], at=0)
    with pytest.raises(InputRefusedError):
        engine.feed(SessionEvent("toolFailed", "s", "now"))
    assert engine.inputs == 0


def test_the_runs_that_an_allowance_counted_are_told():
    engine = Engine([automation(on("toolFailed"), **THREE)], at=0)
    assert engine.run_count("ahp-automation:/a") == 0
    engine.feed_many([fail(1), settled(2, "wakeful-run:/a/1"), fail(3)])
    assert engine.run_count("ahp-automation:/a") == 2


@pytest.mark.parametrize("resource", ["ahp-automation:/b", "ahp-automation:/nobody"])
def test_without_an_allowance_no_runs_are_counted(resource):
    engine = Engine(
        [automation(on("toolFailed"), **THREE), automation(on("toolFailed"), id="b")], at=0
    )
    engine.feed(fail(1))
    assert engine.run_count(resource) is None


def test_what_is_pending_is_told_by_deadline_whatever_it_is():
    engine = Engine(
        [
            automation(on("toolFailed", then=absent("idle", "300s"))),
            automation(schedule("3 * * * *"), id="b"),
            automation(on("turnCompleted", when={"turnLongerThan": "60s"}), id="c"),
            automation(on("toolFailed", then=event_within("idle", "90s")), id="d"),
            automation(schedule("2 * * * *"), id="e"),
            automation(on("toolFailed", then=idle("30s")), id="f"),
        ],
        settings=MATCHES_ONLY,
        at=0,
    )
    engine.feed_many([turn(1), fail(2)])
    assert waits(engine) == [
        "32 f/t1 s idle",
        "62 c/t1 s silence",
        "92 d/t1 s event",
        "120 e/t1 occurrence",
        "180 b/t1 occurrence",
        "302 a/t1 s absent",
    ]


def test_hits_alone_are_nothing_that_waits():
    engine = Engine([automation(on("toolFailed", count={"n": 2}, then=idle("30s")))], at=0)
    engine.feed(fail(1))
    assert engine.pending() == ()


def test_what_the_schedules_of_an_automation_wait_for_is_told_by_trigger():
    engine = Engine(
        [
            automation(schedule("5 * * * *"), schedule("3 * * * *", id="t2"), on("idle", id="t3")),
            automation(schedule("4 * * * *"), id="b"),
        ],
        at=0,
    )
    assert engine.occurrences_of("ahp-automation:/a") == {"t1": ms(300), "t2": ms(180)}
    engine.advance(ms(200))
    assert engine.occurrences_of("ahp-automation:/a") == {"t1": ms(300), "t2": ms(3_780)}
    assert engine.occurrences_of("ahp-automation:/nobody") == {}


def test_a_look_at_a_session_tells_what_each_rule_has_there():
    definition = automation(
        on("toolFailed", count={"n": 3}),
        on("toolFailed", id="t2", then=idle("30s")),
        on("turnCompleted", id="t3", when={"turnLongerThan": "60s"}),
        on("toolCalled", id="t4", count={"n": 2}),
    )
    engine = Engine([definition], settings=MATCHES_ONLY, at=0)
    engine.feed_many([turn(1), fail(2)])
    counted, quiet, silent, _nothing = engine.rules()
    look = engine.look("s")
    assert (look.turn_at, look.touched_by) == (ms(1), 2)
    assert look.hits == {counted: 1}
    assert {rule: (wait.due, wait.armed_by, wait.event) for rule, wait in look.waits.items()} == {
        quiet: (ms(32), 2, "toolFailed")
    }
    assert look.silences == {silent: ms(62)}


def test_a_look_at_a_session_that_is_not_known_finds_nothing():
    look = Engine(at=0).look("s")
    assert (look.turn_at, look.hits, look.waits, look.silences) == (None, {}, {}, {})


def refusal(item):
    with pytest.raises(InputRefusedError) as refused:
        Engine(at=0).feed(item)
    return str(refused.value)


@pytest.mark.parametrize("at", [MIN_INSTANT, 0, MAX_INSTANT])
def test_a_wrong_session_is_what_is_said_at_any_instant_of_the_years(at):
    assert "needs a text as session" in refusal(SessionEvent("idle", 5, at))


@pytest.mark.parametrize("at", [MIN_INSTANT - 1, MAX_INSTANT + 1])
def test_an_instant_outside_the_years_is_what_is_said(at):
    assert "outside the years 1 to 9999" in refusal(SessionEvent("idle", "s", at))


@pytest.mark.parametrize("facts", [None, {}, "x"])
def test_a_turn_start_without_facts_of_their_kind_is_refused(facts):
    assert "facts" in refusal(TurnStarted("s", 1, facts))


@pytest.mark.parametrize("instant", ["now", 1.5, True, None])
def test_time_passes_to_an_instant_and_to_nothing_else(instant):
    with pytest.raises(InputRefusedError, match="whole milliseconds"):
        Engine(at=0).advance(instant)


def test_a_turn_start_with_facts_is_taken():
    assert Engine(at=0).feed(TurnStarted("s", 1, Facts(project="web"))) == []
