"""Reported faults 19 to 22 and 24 to 27: what a wake meets on its way to a run."""

from collections import Counter

import pytest

from engine_scenes import (
    automation,
    decisions,
    event,
    event_within,
    fail,
    matched_at,
    matches,
    ms,
    on,
    run,
    saved,
    schedule,
    settled,
    started,
    turn,
)
from wakeful import Decision, DecisionKind, Engine, Match, Settings, TurnStarted

LIVE = Settings(run_time="log")
EACH = on("toolFailed")


def test_fault_19_two_triggers_satisfied_by_one_event_under_skip_start_once():
    both = automation(EACH, on("toolFailed", id="t2"), overlap="skip")
    outputs = run(both, fail(0), settings=LIVE)
    assert matches(outputs) == ["0 a/t1 s toolFailed x1", "0 a/t2 s toolFailed x1"]
    assert decisions(outputs) == ["0 a start 1", "0 a drop skipped 1"]


@pytest.mark.parametrize(
    ("overlap", "second"), [("queue", "hold 1"), ("steer", "hold 1"), ("parallel", "start 1")]
)
def test_fault_19_two_triggers_satisfied_by_one_event_under_the_other_modes(overlap, second):
    both = automation(EACH, on("toolFailed", id="t2"), overlap=overlap)
    assert ["0 a start 1", f"0 a {second}"] == decisions(run(both, fail(0), settings=LIVE))


def test_fault_20_ten_matches_a_millisecond_apart_are_one_start_one_hold_and_folds():
    failures = [fail(number / 1_000) for number in range(10)]
    outputs = run(automation(EACH), *failures, started(1, "r"), settled(2, "r"), settings=LIVE)
    said = [line.split(" ", 2)[2] for line in decisions(outputs)]
    assert ["start 1", "hold 1", *["fold 1"] * 8, "release 9"] == said


def test_fault_20_the_count_that_is_released_is_the_sum_of_what_rules_counted():
    each = automation(on("toolFailed", count={"n": 3}))
    failures = [fail(number) for number in range(9)]
    outputs = run(each, *failures, started(20, "r"), settled(21, "r"), settings=LIVE)
    assert decisions(outputs) == ["2 a start 3", "5 a hold 3", "8 a fold 3", "21 a release 6"]


@pytest.mark.parametrize("outcome", ["notStarted", "failed", "cancelled", "completed"])
def test_fault_21_a_wake_behind_a_run_is_released_however_that_run_ends(outcome):
    ends = [] if outcome == "notStarted" else [started(2, "r")]
    outputs = run(
        automation(EACH), fail(0), fail(1), *ends, settled(3, "r", outcome), settings=LIVE
    )
    assert decisions(outputs) == ["0 a start 1", "1 a hold 1", "3 a release 1"]


def test_fault_21_a_released_wake_whose_run_fails_to_start_strands_nobody_either():
    outputs = run(
        automation(EACH),
        *(fail(0), fail(1), settled(2, "r1", "notStarted")),
        *(fail(3), settled(4, "r2", "notStarted")),
        settings=LIVE,
    )
    expected = ["0 a start 1", "1 a hold 1", "2 a release 1", "3 a hold 1", "4 a release 1"]
    assert expected == decisions(outputs)


MINUTELY = automation(schedule("* * * * *"))


def test_fault_22_a_schedule_only_automation_under_queue_keeps_its_waiting_wake():
    engine = Engine([MINUTELY], at=0, settings=LIVE)
    outputs = engine.advance(ms(185))
    outputs += engine.feed_many([started(190, "r"), settled(200, "r")])
    assert decisions(outputs) == ["60 a start 1", "120 a hold 1", "180 a fold 1", "200 a release 2"]


def test_fault_22_it_is_kept_through_an_edit_that_has_no_event_trigger_either():
    engine = Engine([MINUTELY], at=0, settings=LIVE)
    outputs = engine.advance(ms(125))
    edited = automation(schedule("0 0 1 1 *"), title="edited")
    outputs += engine.feed_many([saved(130, edited), started(190, "r"), settled(200, "r")])
    assert decisions(outputs) == ["60 a start 1", "120 a hold 1", "200 a release 1"]


def eventful_hour(overlap):
    """Matches of two sessions, one of which becomes a run's own, with runs that come and go."""
    engine = Engine(
        [automation(EACH, id="a", overlap=overlap), automation(EACH, id="b")], settings=LIVE
    )
    outputs = []
    for number in range(60):
        at = number * 10
        outputs += engine.feed(fail(at))
        if number % 7 == 3:
            outputs += engine.feed(started(at + 1, f"r{number}", "work"))
            outputs += engine.feed(TurnStarted("work", ms(at + 2)))
            outputs += engine.feed(fail(at + 3, "work"))
        if number % 7 == 6:
            outputs += engine.feed(settled(at + 5, f"r{number - 3}"))
        if number == 50:
            outputs += engine.feed(saved(at + 6, automation(EACH, id="a", enabled=False)))
    return outputs


@pytest.mark.parametrize("overlap", ["queue", "steer", "parallel", "skip"])
def test_fault_24_the_first_decisions_by_reason_add_up_to_the_matches(overlap):
    outputs = eventful_hour(overlap)
    found = [each for each in outputs if isinstance(each, Match)]
    places = {(each.automation, each.key) for each in found}
    first = [
        each
        for each in outputs
        if isinstance(each, Decision) and (each.automation, each.key) in places
    ]
    assert len(found) == sum(Counter((each.kind, each.reason) for each in first).values())
    assert places == {(each.automation, each.key) for each in first}
    assert {"drop"} < {str(each.kind) for each in first}


@pytest.mark.parametrize("overlap", ["queue", "steer", "parallel", "skip"])
def test_fault_24_every_drop_says_why(overlap):
    dropped = [
        each
        for each in eventful_hour(overlap)
        if isinstance(each, Decision) and each.kind is DecisionKind.DROP
    ]
    assert dropped
    assert all(each.reason is not None and each.count for each in dropped)


BUSY = on("toolFailed", when={"running": True})


def test_fault_25_a_when_that_is_false_uses_no_slot_of_the_cap():
    idle_failures = [fail(number, running=False) for number in range(30)]
    busy_failures = [fail(100 + number, running=True) for number in range(21)]
    outputs = run(automation(BUSY, overlap="parallel"), *idle_failures, *busy_failures)
    said = Counter(line.split(" ", 2)[2] for line in decisions(outputs))
    assert said == {"start 1": 20, "drop rateLimited 1": 1}


def test_fault_25_a_when_that_is_false_takes_no_place_in_the_queue():
    outputs = run(
        automation(BUSY),
        *(fail(0, running=True), fail(1, running=False), fail(2, running=True)),
        *(started(3, "r"), settled(4, "r")),
        settings=LIVE,
    )
    assert decisions(outputs) == ["0 a start 1", "2 a hold 1", "4 a release 1"]


def test_fault_25_a_wait_that_came_to_nothing_uses_no_slot_either():
    rule = on("toolFailed", then=event_within("idle", "1s"))
    vain = [fail(number * 2) for number in range(30)]
    paired = [
        each for number in range(20) for each in (fail(100 + number), event("idle", 100 + number))
    ]
    outputs = run(automation(rule, overlap="parallel"), *vain, *paired)
    assert [line.split(" ", 2)[2] for line in decisions(outputs)] == ["start 1"] * 20


def test_fault_26_the_hour_of_the_cap_slides():
    minutes = [*range(20), 59, 61]
    outputs = run(automation(EACH, overlap="parallel"), *(fail(60 * at) for at in minutes))
    said = [line.split(" ", 2)[2] for line in decisions(outputs)]
    assert said == ["start 1"] * 20 + ["drop rateLimited 1", "start 1"]


@pytest.mark.parametrize(
    ("at", "said"),
    [(3_599.999, "drop rateLimited 1"), (3_600.0, "start 1"), (3_600.001, "start 1")],
)
def test_fault_26_a_wake_exactly_an_hour_old_is_free(at, said):
    twenty = [fail(0), *(fail(1_000 + number) for number in range(19))]
    outputs = run(automation(EACH, overlap="parallel"), *twenty, fail(at))
    assert decisions(outputs)[-1].endswith(said)


ENDINGS = on("turnCompleted", "turnFailed", "turnCancelled")


def ending(at, session="s", kind="turnCompleted"):
    return event(kind, at, session)


@pytest.mark.parametrize("kind", ["turnCompleted", "turnFailed", "turnCancelled"])
def test_fault_27_a_rule_on_endings_is_not_woken_by_its_own_run(kind):
    outputs = run(
        automation(ENDINGS),
        *(ending(0), started(1, "r", "work"), turn(2, "work"), ending(60, "work", kind)),
        settings=LIVE,
    )
    assert decisions(outputs) == ["0 a start 1", "60 a drop ownRun 1"]


def test_fault_27_nor_by_that_session_after_the_run_settled_and_the_session_was_resumed():
    outputs = run(
        automation(ENDINGS),
        *(ending(0), started(1, "r", "work"), ending(60, "work"), settled(60, "r")),
        *(event("idle", 61, "work"), turn(3_000, "work"), ending(3_060, "work")),
        settings=LIVE,
    )
    assert decisions(outputs) == ["0 a start 1", "60 a drop ownRun 1", "3060 a drop ownRun 1"]


def test_fault_27_nor_by_the_turn_that_the_wake_started_in_a_pinned_chat():
    pinned = automation(ENDINGS, _meta={"ahpd": {"session": "pinned", "pinnedSession": "chat"}})
    outputs = run(
        pinned,
        *(ending(0), started(1, "r", "chat"), turn(2, "chat"), ending(60, "chat")),
        settled(60, "r"),
        settings=LIVE,
    )
    assert decisions(outputs) == ["0 a start 1", "60 a drop ownRun 1"]


def test_fault_27_nor_by_somebodys_own_turn_in_the_pinned_chat():
    pinned = automation(ENDINGS, _meta={"ahpd": {"session": "pinned", "pinnedSession": "chat"}})
    outputs = run(pinned, turn(0, "chat"), ending(60, "chat"), settings=LIVE)
    assert decisions(outputs) == ["60 a drop ownRun 1"]


def test_fault_27_a_silence_in_its_own_run_wakes_nobody_either():
    silent = automation(on("turnCompleted", when={"turnLongerThan": "60s"}))
    outputs = run(
        silent,
        *(turn(0), started(61, "r", "work"), turn(62, "work")),
        until=200,
        settings=LIVE,
    )
    assert decisions(outputs) == ["60 a start 1", "122 a drop ownRun 1"]
    assert matched_at(outputs) == [60, 122]


def test_fault_27_another_automations_run_is_a_session_like_any():
    outputs = run(
        [automation(ENDINGS, id="a"), automation(on("toolFailed"), id="b")],
        *(fail(0), started(1, "r", "work", of="b"), ending(60, "work")),
        settings=LIVE,
    )
    assert decisions(outputs) == ["0 b start 1", "60 a start 1"]
