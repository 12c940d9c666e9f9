"""Restoring against other rules: what still means the same goes on, what was let go is said."""

import attrs
import pytest

from engine_scenes import (
    MATCHES_ONLY,
    absent,
    automation,
    decisions,
    fail,
    idle,
    matched_at,
    ms,
    on,
    schedule,
    settled,
    turn,
    waits,
    watch,
)
from wakeful import Engine, Press, Resumed, Settings, Tick
from wakeful.core.session_state import LetGo

A = "ahp-automation:/a"


def press(at, request_id):
    return Press(automation=A, request_id=request_id, at=ms(at))


TWO = on("toolFailed", count={"n": 2})
LONG = on("turnCompleted", when={"turnLongerThan": "600s"})


def restored(before, inputs, after, **more):
    engine = Engine([before], at=0, settings=MATCHES_ONLY)
    engine.feed_many(inputs)
    return Engine.restore(engine.snapshot(), after, settings=MATCHES_ONLY, **more)


@pytest.mark.parametrize(
    "after",
    [
        automation(on("toolFailed", count={"n": 2, "within": "300s"}), title="Another title"),
        automation(on("toolFailed", count={"n": 2, "within": "5m"})),
        automation(on("idle", id="t0"), on("toolFailed", count={"n": 2, "within": "300s"})),
    ],
    ids=["title", "same duration", "place"],
)
def test_a_rule_that_still_means_the_same_keeps_its_hits(after):
    before = automation(on("toolFailed", count={"n": 2, "within": "300s"}))
    found = restored(before, [fail(1)], [after])
    assert found.let_go == ()
    assert matched_at(found.engine.feed(fail(2))) == [2]


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (automation(on("toolFailed", count={"n": 3})), "changed"),
        (automation(on("toolFailed", "toolCalled", count={"n": 2})), "changed"),
        (automation(on("toolFailed", id="t2", count={"n": 2})), "gone"),
        (automation(watch("failing-tools", times=2)), "gone"),
        (automation(schedule("* * * * *")), "gone"),
        (automation(TWO, enabled=False), "gone"),
    ],
    ids=["another count", "another kind", "another trigger", "a preset", "a schedule", "off"],
)
def test_a_rule_that_means_another_thing_loses_its_hits_and_that_is_said(after, why):
    found = restored(automation(TWO), [fail(1)], [after])
    assert found.let_go == (LetGo(A, "t1", None, "s", why),)
    assert matched_at(found.engine.feed(fail(2))) == []


def test_an_automation_that_is_gone_loses_what_its_rules_waited_for():
    found = restored(automation(on("toolFailed", then=absent("toolCalled", "600s"))), [fail(1)], [])
    assert found.let_go == (LetGo(A, "t1", None, "s", "gone"),)
    assert waits(found.engine) == []


def test_only_what_changed_is_let_go():
    first = on("toolFailed", then=idle("600s"))
    before = automation(first, on("toolFailed", id="t2", then=idle("60s")))
    after = automation(first, on("toolFailed", id="t2", then=idle("61s")))
    found = restored(before, [fail(1)], [after])
    assert found.let_go == (LetGo(A, "t2", None, "s", "changed"),)
    assert waits(found.engine) == ["601 a/t1 s idle"]


def test_a_schedule_that_changed_waits_from_the_snapshots_instant():
    found = restored(
        automation(schedule("0 * * * *")), [Tick(ms(60))], [automation(schedule("*/5 * * * *"))]
    )
    assert found.let_go == (LetGo(A, "t1", None, None, "changed"),)
    assert found.engine.next_run_at(A) == ms(300)


def test_a_new_definition_begins_at_the_snapshots_instant():
    new = automation(schedule("0 * * * *"), id="b")
    found = restored(automation(TWO), [fail(1)], [automation(TWO), new])
    assert found.engine.next_run_at("ahp-automation:/b") == ms(3_600)


def test_a_wake_that_waited_for_an_automation_that_is_gone_is_dropped_when_restoring():
    rule = automation(on("toolFailed"))
    engine = Engine([rule])
    engine.feed_many([fail(1), fail(2), fail(3)])
    found = Engine.restore(engine.snapshot(), [])
    assert decisions(found.outputs) == ["3 a drop disabled 2"]


def test_a_wake_that_waited_for_an_automation_switched_off_is_dropped_when_restoring():
    engine = Engine([automation(on("toolFailed"))])
    engine.feed_many([fail(1), fail(2)])
    found = Engine.restore(engine.snapshot(), [automation(on("toolFailed"), enabled=False)])
    assert decisions(found.outputs) == ["2 a drop disabled 1"]


def test_the_hour_survives_a_lower_cap_with_its_newest_wakes():
    rule = automation(on("toolFailed"))
    parallel = attrs.evolve(rule, definition=attrs.evolve(rule.definition, overlap="parallel"))
    engine = Engine([parallel])
    engine.feed_many([fail(at) for at in (1, 2, 3)])
    again = Engine.restore(engine.snapshot(), [parallel], settings=Settings(cap=2)).engine
    again.check()
    assert decisions(again.feed(fail(3_601.5))) == ["3601.5 a drop rateLimited 1"]
    assert decisions(again.feed(fail(3_602))) == ["3602 a start 1"]


def test_a_lower_bound_of_runs_lets_the_oldest_go_with_its_request_id():
    rule = automation(on("toolFailed"))
    engine = Engine([rule])
    for number in (1, 2):
        engine.feed_many([press(number, f"p{number}"), settled(number, f"wakeful-run:/a/{number}")])
    again = Engine.restore(engine.snapshot(), [rule], settings=Settings(runs_kept=1)).engine
    assert decisions(again.feed(press(3, "p2"))) == ["3 a answer"]
    assert decisions(again.feed(press(4, "p1"))) == ["4 a start"]


def test_a_lower_bound_of_runs_lets_the_oldest_starts_go_that_nobody_claimed():
    rule = automation(on("toolFailed"))
    settings = Settings(unmet="every", run_time="none", runs_kept=9)
    engine = Engine([rule], settings=settings)
    engine.feed_many([fail(at) for at in range(1, 10)])
    lower = attrs.evolve(settings, runs_kept=2)
    again = Engine.restore(engine.snapshot(), [rule], settings=lower).engine
    again.check()
    assert again._parts.gate.statistics().runs_kept == 4  # two that are over, two to be claimed


def test_a_rule_that_times_silences_and_is_new_is_armed_by_the_restart():
    found = restored(automation(TWO), [turn(0), Tick(ms(900))], [automation(LONG)])
    assert matched_at(found.engine.feed(Resumed(at=ms(901)))) == [900]


def test_definitions_in_another_order_keep_the_places_they_had():
    first, second = automation(on("toolFailed")), automation(on("toolFailed"), id="b")
    engine = Engine([first, second], settings=MATCHES_ONLY)
    engine.feed(Tick(0))
    expected = engine.feed(fail(1))
    engine = Engine([first, second], settings=MATCHES_ONLY)
    engine.feed(Tick(0))
    again = Engine.restore(engine.snapshot(), [second, first], settings=MATCHES_ONLY).engine
    assert expected == again.feed(fail(1))
