"""Reported faults 2, 4, 6 and 7: what an edit, a reload or an announcement must not do."""

import pytest

from engine_scenes import (
    MATCHES_ONLY,
    absent,
    automation,
    decisions,
    event,
    event_within,
    fail,
    idle,
    matched_at,
    matches,
    ms,
    on,
    run,
    saved,
    settled,
    started,
    turn,
    waits,
)
from wakeful import DefinitionRemoved, Engine, RunLinked, Settings, SteerFailed

THREE = automation(on("toolFailed", count={"n": 3}))
WAITS = {
    "absent": on("toolFailed", then=absent("toolCalled", "600s")),
    "idle": on("toolFailed", then=idle("600s")),
    "event": on("toolFailed", then=event_within("idle", "600s")),
    "silence": on("turnCompleted", when={"turnLongerThan": "600s"}),
}
waiting = pytest.mark.parametrize("trigger", WAITS.values(), ids=WAITS)


def removed(at):
    return DefinitionRemoved(automation="ahp-automation:/a", at=ms(at))


def test_fault_02_saving_the_same_text_ten_times_resets_no_count():
    saves = [saved(20 + number, THREE) for number in range(10)]
    assert matched_at(run(THREE, fail(0), fail(10), *saves, fail(40), fail(50))) == [40]


def test_fault_02_editing_one_automation_leaves_the_timer_of_another():
    other = automation(on("toolFailed", count={"n": 9}), id="b")
    edited = automation(on("toolFailed", count={"n": 8}), id="b")
    slow = automation(WAITS["absent"])
    assert matches(run([slow, other], fail(0), saved(300, edited), until=700)) == [
        "600 a/t1 s toolFailed x1"
    ]


def test_fault_02_editing_one_trigger_leaves_the_hits_of_its_neighbour():
    first = on("toolFailed", count={"n": 3})
    before = automation(first, on("idle", id="t2"))
    after = automation(first, on("idle", id="t2", count={"n": 2}))
    assert matched_at(run(before, fail(0), fail(10), saved(20, after), fail(30))) == [30]


@waiting
def test_fault_04_a_removed_rule_with_a_pending_wait_does_not_match(trigger):
    before = [turn(0), fail(0), removed(300), event("idle", 500)]
    assert matched_at(run(automation(trigger), *before, until=2_000)) == []


@waiting
def test_fault_04_a_removed_rule_is_not_listed_as_pending(trigger):
    engine = Engine([automation(trigger)])
    engine.feed_many([turn(0), fail(0)])
    assert len(waits(engine)) == 1
    engine.feed(removed(300))
    assert waits(engine) == []
    assert engine.statistics().timers == 0


@waiting
def test_fault_04_a_rule_switched_off_with_a_pending_wait_does_not_match(trigger):
    off = automation(trigger, enabled=False)
    before = [turn(0), fail(0), saved(300, off), event("idle", 500)]
    assert matched_at(run(automation(trigger), *before, until=2_000)) == []


@waiting
def test_fault_04_a_trigger_that_was_changed_loses_its_wait(trigger):
    other = automation(on("childFinished"))
    before = [turn(0), fail(0), saved(300, other), event("idle", 500)]
    assert matched_at(run(automation(trigger), *before, until=2_000)) == []


@pytest.mark.parametrize("kind", ["absent", "idle"])
def test_fault_04_removing_a_rule_and_adding_it_again_starts_from_nothing(kind):
    again = automation(WAITS[kind])
    assert matched_at(run(again, fail(0), removed(300), saved(300, again), until=2_000)) == []


RESOURCE = "ahp-automation:/a"


def announced(*announcements, trigger):
    """Announcements at 15 seconds: records of runs as they are, and a note the host takes."""
    noted = automation(trigger, _meta={"ahpd": {"pinnedSession": "chat", "note": 1}})
    return [saved(15, noted) if each == "note" else each for each in announcements]


announcements = pytest.mark.parametrize(
    "announcements",
    [
        pytest.param([started(15, "r", "work")], id="run started"),
        pytest.param(
            [started(15, "r"), RunLinked(automation=RESOURCE, run="r", session="w", at=ms(15))],
            id="run linked",
        ),
        pytest.param([started(15, "r"), settled(15, "r")], id="run settled"),
        pytest.param([started(15, "r"), settled(15, "r", "failed")], id="run failed"),
        pytest.param([settled(15, "r", "notStarted")], id="run not started"),
        pytest.param([SteerFailed(automation=RESOURCE, run="r", at=ms(15))], id="steer failed"),
        pytest.param(["note"], id="note taken"),
    ],
)


@announcements
def test_fault_06_an_announcement_about_an_automation_resets_no_count(announcements):
    trigger = on("toolFailed", count={"n": 3})
    outputs = run(
        automation(trigger),
        *(fail(0), fail(1, "s2"), fail(10), fail(11, "s2")),
        *announced(*announcements, trigger=trigger),
        *(fail(20), fail(21, "s2")),
        settings=Settings(run_time="log"),
    )
    assert matches(outputs) == ["20 a/t1 s toolFailed x3", "21 a/t1 s2 toolFailed x3"]


@announcements
def test_fault_06_an_announcement_about_an_automation_stops_no_timer(announcements):
    trigger = on("toolFailed", then=absent("toolCalled", "600s"))
    noted = announced(*announcements, trigger=trigger)
    assert matched_at(run(automation(trigger), fail(0), *noted, until=600)) == [600]


SILENT = automation(on("turnCompleted", when={"turnLongerThan": "300s"}))


def test_fault_07_a_silent_turn_is_told_once_however_often_its_runs_end():
    ends = [
        each
        for number in range(3)
        for each in (started(310 + number, f"r{number}"), settled(320 + number, f"r{number}"))
    ]
    outputs = run(SILENT, turn(0), *ends, until=3_000, settings=Settings(run_time="log"))
    assert matches(outputs) == ["300 a/t1 s turnStarted x1"]
    assert decisions(outputs) == ["300 a start 1"]


def test_fault_07_saving_the_definition_tells_a_silent_turn_no_second_time():
    assert matched_at(run(SILENT, turn(0), saved(400, SILENT), until=3_000)) == [300]


def test_fault_07_a_silent_turn_is_told_again_once_it_did_something():
    outputs = run(SILENT, turn(0), fail(400), until=3_000, settings=MATCHES_ONLY)
    assert matched_at(outputs) == [300, 700]
