"""Reported faults 8 to 15 and 18: what matches twice, or never, elsewhere."""

import pytest

from engine_scenes import (
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
    ok,
    on,
    run,
    turn,
    waits,
    watch,
    words,
)
from wakeful import Engine, Settings


@pytest.mark.parametrize("starter", ["idle", "turnFailed"])
def test_fault_08_idle_said_again_and_again_is_one_match(starter):
    quiet = automation(on(starter, then=idle("300s")))
    inputs = [event(starter, 0), event("idle", 100), event("idle", 200)]
    assert matched_at(run(quiet, *inputs, until=450)) == [300]


def test_fault_08_an_absence_is_not_restarted_by_what_started_it():
    quiet = automation(on("idle", then=absent("toolCalled", "300s")))
    inputs = [event("idle", 0), event("idle", 100), event("idle", 200)]
    assert matched_at(run(quiet, *inputs, until=450)) == [300]


FOUR = automation(on("toolFailed", count={"n": 4, "within": "300s"}))


def test_fault_09_hits_that_matched_alert_no_second_time():
    assert matched_at(run(FOUR, *(fail(at) for at in (0, 10, 20, 30, 40, 50)))) == [30]


def test_fault_09_as_many_new_hits_alert_again():
    assert matched_at(run(FOUR, *(fail(at) for at in range(0, 80, 10)))) == [30, 70]


FIFTY = [f"s{number}" for number in range(50)]


def six_hours_over_fifty_waits(**config):
    each = automation(on("toolFailed", **config), overlap="parallel")
    engine = Engine([each], settings=Settings(run_time="log"))
    # Armed in an order that is not that of their names.
    for number, session in enumerate(reversed(FIFTY)):
        engine.feed(fail(number, session))
    return engine.advance(ms(6 * 3_600))


@pytest.mark.parametrize(
    "then", [idle("1800s"), absent("toolCalled", "1800s")], ids=["idle", "absent"]
)
def test_fault_10_fifty_waits_passed_over_at_once_match_in_deadline_order(then):
    expected = [
        f"{1_800 + number} a/t1 {session} toolFailed x1"
        for number, session in enumerate(reversed(FIFTY))
    ]
    assert expected == matches(six_hours_over_fifty_waits(then=then))


def test_fault_10_of_fifty_wakes_at_once_twenty_start_and_thirty_are_capped():
    said = [
        line.split(" ", 2)[2] for line in decisions(six_hours_over_fifty_waits(then=idle("1800s")))
    ]
    assert said == ["start 1"] * 20 + ["drop rateLimited 1"] * 30


def test_fault_10_fifty_silent_turns_passed_over_at_once_match_in_deadline_order():
    silent = automation(on("turnCompleted", when={"turnLongerThan": "600s"}))
    engine = Engine([silent])
    engine.feed_many(turn(number, session) for number, session in enumerate(FIFTY))
    expected = [f"{600 + number} a/t1 s{number} turnStarted x1" for number in range(50)]
    assert expected == matches(engine.advance(ms(6 * 3_600)))


ABSENCE = automation(on("toolFailed", then=absent("toolCalled", "600s")))


def test_fault_11_a_log_that_ends_is_no_time_that_passed():
    engine = Engine([ABSENCE])
    outputs = engine.feed_many([fail(0), fail(180, "other")])
    assert matches(outputs) == []
    assert waits(engine) == ["600 a/t1 s absent", "780 a/t1 other absent"]


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        (on("toolFailed", then=idle("600s")), ["600 a/t1 s idle"]),
        (on("toolFailed", then=event_within("idle", "600s")), ["600 a/t1 s event"]),
        (on("turnFailed", when={"turnLongerThan": "600s"}), ["600 a/t1 s silence"]),
        (watch("long-silent-turn"), ["600 a/long-silent-turn s silence"]),
    ],
)
def test_fault_11_each_kind_of_wait_is_listed_with_its_deadline(trigger, expected):
    engine = Engine([automation(trigger)])
    engine.feed_many([turn(0), fail(0)])
    assert expected == waits(engine)


def test_fault_12_an_absence_is_found_before_the_next_event_of_another_session():
    both = automation(
        on("toolFailed", then=absent("toolCalled", "600s")), on("messageQueued", id="t2")
    )
    assert matches(run(both, fail(0), event("messageQueued", 700, "other"))) == [
        "600 a/t1 s toolFailed x1",
        "700 a/t2 other messageQueued x1",
    ]


def test_fault_12_an_absence_is_found_before_the_late_event_of_its_own_session():
    assert matched_at(run(ABSENCE, fail(0), ok(700))) == [600]


def test_fault_12_time_alone_finds_an_absence():
    engine = Engine([ABSENCE])
    engine.feed(fail(0))
    assert ms(600) == engine.next_deadline
    assert matched_at(engine.advance(ms(600))) == [600]


def test_fault_13_the_awaited_event_cancels_an_absence_that_two_failures_started():
    assert matched_at(run(ABSENCE, fail(0), fail(60), ok(90), until=2_000)) == []


def test_fault_13_a_second_failure_neither_postpones_nor_doubles_an_absence():
    assert matched_at(run(ABSENCE, fail(0), fail(60), until=2_000)) == [600]


def test_fault_13_a_failure_after_the_awaited_event_starts_an_absence_of_its_own():
    assert matched_at(run(ABSENCE, fail(0), fail(60), ok(90), fail(100), until=2_000)) == [700]


FOLLOWED = automation(on("toolFailed", then=event_within("turnCompleted", "100s")))


def test_fault_14_a_second_failure_moves_the_window_and_matches_once():
    assert matched_at(run(FOLLOWED, fail(0), fail(60), event("turnCompleted", 130))) == [130]


def test_fault_14_inside_both_windows_it_matches_once_too():
    ends = [event("turnCompleted", 90), event("turnCompleted", 95)]
    assert matched_at(run(FOLLOWED, fail(0), fail(60), *ends)) == [90]


QUIET = automation(on("turnFailed", then=idle("300s")))


@pytest.mark.parametrize(
    "broken_by",
    [[turn(100)], [words(100)], [turn(100), words(110), words(299)], [event("messageQueued", 100)]],
    ids=["turn", "words", "turn of words", "event"],
)
def test_fault_15_a_quiet_is_broken_by_whatever_the_session_does(broken_by):
    assert matched_at(run(QUIET, event("turnFailed", 0), *broken_by, until=2_000)) == []


def test_fault_15_a_quiet_is_not_broken_by_another_session():
    others = [turn(100, "other"), words(110, "other"), fail(120, "other")]
    assert matched_at(run(QUIET, event("turnFailed", 0), *others, until=2_000)) == [300]


EDGE = [(299.999, True), (300.000, True), (300.001, False)]


@pytest.mark.parametrize(("after", "counts"), EDGE)
@pytest.mark.parametrize("more", [{}, {"consecutive": True}, {"sameInput": True}])
def test_fault_18_a_hit_exactly_as_old_as_the_window_counts(after, counts, more):
    two = automation(on("toolFailed", count={"n": 2, "within": "300s", **more}))
    assert counts == bool(matched_at(run(two, fail(0, call="x"), fail(after, call="x"))))


@pytest.mark.parametrize(("after", "counts"), EDGE)
def test_fault_18_an_event_exactly_at_the_end_of_its_window_is_in_time(after, counts):
    rule = automation(on("toolFailed", then=event_within("idle", "300s")))
    assert counts == bool(matched_at(run(rule, fail(0), event("idle", after))))


@pytest.mark.parametrize(("after", "matched"), [(299.999, False), (300.000, True), (300.001, True)])
@pytest.mark.parametrize(
    "trigger",
    [on("toolFailed", then=absent("toolCalled", "300s")), on("toolFailed", then=idle("300s"))],
    ids=["absent", "idle"],
)
def test_fault_18_what_comes_exactly_at_the_deadline_comes_too_late_to_break(
    trigger, after, matched
):
    assert matched == bool(matched_at(run(automation(trigger), fail(0), ok(after))))


@pytest.mark.parametrize(("after", "matched"), [(299.999, False), (300.000, True), (300.001, True)])
def test_fault_18_a_turn_silent_for_exactly_the_length_is_told(after, matched):
    silent = automation(on("turnCompleted", when={"turnLongerThan": "300s"}))
    assert matched == bool(matched_at(run(silent, turn(0), words(after))))


@pytest.mark.parametrize(("after", "holds"), [(299.999, False), (300.000, True), (300.001, True)])
def test_fault_18_a_turn_that_took_exactly_the_length_took_that_long(after, holds):
    long = automation(on("turnCompleted", count={}, when={"turnLongerThan": "300s"}))
    assert holds == bool(matched_at(run(long, turn(0), event("turnCompleted", after))))
