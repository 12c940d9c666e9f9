"""Sections 1 and 2 of the semantics, a test or more a sentence, through the engine.

Instants and durations as text (1.1, 1.2) are the model's and tested with it.
"""

import pytest

from engine_scenes import (
    MATCHES_ONLY,
    absent,
    automation,
    ended,
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
    saved,
    schedule,
    turn,
    waits,
    watch,
    words,
)
from wakeful import (
    Activity,
    Decision,
    Engine,
    InvalidError,
    Match,
    Settings,
    Tick,
    from_datetime,
    parse_duration,
    parse_instant,
)

EACH = automation(on("toolFailed"))
QUIET = on("toolFailed", then=idle("10s"))


# -- 1 Time -----------------------------------------------------------------------------


def test_1_1_an_instant_without_a_zone_is_refused():
    from datetime import datetime

    with pytest.raises(InvalidError):
        parse_instant("2026-10-07T14:22:05.118")
    with pytest.raises(InvalidError):
        from_datetime(datetime(2026, 10, 7))  # noqa: DTZ001 - that is the point


@pytest.mark.parametrize("text", ["5", "250ms", "1h30m", "-1m", "1.5m", "5M", ""])
def test_1_2_what_is_no_duration_is_refused(text):
    with pytest.raises(InvalidError):
        parse_duration(text)


def test_1_2_no_time_at_all_is_a_duration():
    assert parse_duration(" 0s ") == 0


def test_1_2_a_wait_of_600_hours_works():
    long = automation(on("toolFailed", then=absent("toolCalled", "600h")))
    assert matched_at(run(long, fail(0), until=600 * 3_600 - 0.001)) == []
    assert matched_at(run(long, fail(0), until=600 * 3_600)) == [600 * 3_600]


def test_1_3_the_core_reads_no_clock(monkeypatch):
    import time

    def read():
        raise AssertionError("the core read a clock")

    for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter"):
        monkeypatch.setattr(time, name, read)
    assert matched_at(run(automation(QUIET), fail(0), until=60)) == [10]


def test_1_4_an_input_from_the_past_is_taken_at_the_engines_instant():
    outputs = run(EACH, event("idle", 100), fail(40))
    assert matched_at(outputs) == [100]


def test_1_4_an_input_from_the_past_is_counted_as_late():
    engine = Engine([EACH])
    engine.feed_many([event("idle", 100), fail(40), fail(100), words(99)])
    assert engine.statistics().late == 2


def test_1_4_what_is_due_at_the_engines_instant_goes_before_a_late_input():
    zero = automation(on("toolFailed", then=idle("0s")))
    assert matched_at(run(zero, event("idle", 90), fail(100), words(40))) == [100]


def test_1_4_advancing_to_the_past_does_nothing():
    engine = Engine([automation(QUIET)])
    engine.feed(fail(100))
    assert engine.advance(ms(50)) == []
    assert engine.now == ms(100)
    assert engine.statistics().late == 0


@pytest.mark.parametrize("at", [10, 11, 500])
def test_1_5_advancing_first_changes_nothing_about_the_outputs(at):
    both = automation(QUIET, on("messageQueued", id="t2"))
    alone, advanced = Engine([both]), Engine([both])
    alone.feed(fail(0))
    advanced.feed(fail(0))
    expected = alone.feed(event("messageQueued", at))
    assert advanced.advance(ms(at)) + advanced.feed(event("messageQueued", at)) == expected


def test_1_5_what_is_due_by_an_instant_goes_before_what_is_fed_at_it():
    both = automation(QUIET, on("messageQueued", id="t2"))
    outputs = run(both, fail(0), event("messageQueued", 10))
    assert matches(outputs) == ["10 a/t1 s toolFailed x1", "10 a/t2 s messageQueued x1"]


@pytest.mark.parametrize("call", [Engine.advance, lambda engine, at: engine.feed(Tick(at))])
def test_1_5_what_an_input_makes_due_at_once_is_done_by_the_next_call(call):
    engine = Engine([automation(on("toolFailed", then=idle("0s")))])
    assert engine.feed(fail(5)) == []
    assert matched_at(call(engine, ms(5))) == [5]


# -- 1.6 Order --------------------------------------------------------------------------


def test_1_6_what_is_due_goes_by_deadline():
    both = automation(
        on("toolFailed", then=idle("20s")), on("toolFailed", id="t2", then=idle("10s"))
    )
    outputs = run(both, fail(0, "x"), fail(5, "y"), until=60)
    assert matched_at(outputs) == [10, 15, 20, 25]


def test_1_6_at_one_deadline_it_goes_by_the_input_that_armed_it():
    rules = automation(
        on("turnFailed", then=idle("10s")),
        on("toolFailed", id="t2", then=idle("20s")),
    )
    outputs = run(rules, fail(0, "x"), event("turnFailed", 10, "y"), until=60)
    assert matches(outputs) == ["20 a/t2 x toolFailed x1", "20 a/t1 y turnFailed x1"]


def test_1_6_what_one_input_armed_goes_in_definition_order():
    rules = [
        automation(on("toolFailed", id="z", then=idle("9s")), on("toolFailed", id="y", then=idle("9s")), id="b"),
        automation(on("toolFailed", id="x", then=absent("idle", "9s")), id="a"),
    ]  # fmt: skip
    said = [line.split()[1] for line in matches(run(rules, fail(0), until=60))]
    assert said == ["b/z", "b/y", "a/x"]


def test_1_6_arming_again_is_arming():
    silent = automation(watch("long-silent-turn", minutes=1))
    outputs = run(silent, turn(0, "x"), turn(0, "y"), words(10, "y"), words(10, "x"), until=70)
    assert matches(outputs) == [
        "70 a/long-silent-turn y turnStarted x1",
        "70 a/long-silent-turn x turnStarted x1",
    ]


def test_1_6_waits_go_before_runs_that_settle_and_these_before_occurrences():
    rules = [
        automation(schedule("* * * * *"), id="clock"),
        automation(on("turnFailed"), on("toolFailed", id="t2", then=idle("30s")), id="runs"),
    ]
    engine = Engine(rules, settings=Settings(run_time=ms(60)), at=0)
    engine.feed_many([event("turnFailed", 0), fail(30)])
    said = [
        (str(each.kind), each.automation.split("/")[1])
        for each in engine.advance(ms(60))
        if isinstance(each, Decision)
    ]
    assert said == [("hold", "runs"), ("release", "runs"), ("start", "clock")]


def test_1_6_each_output_is_stamped_with_its_own_deadline():
    outputs = run(automation(QUIET), fail(0, "x"), fail(3, "y"), until=1_000)
    assert [each.at for each in outputs] == [10_000, 10_000, 13_000, 13_000]


def test_1_6_each_match_is_followed_by_its_decision():
    outputs = run([automation(on("toolFailed"), id=name) for name in "ab"], fail(0))
    said = [(type(each), each.automation[-1]) for each in outputs]
    assert said == [(Match, "a"), (Decision, "a"), (Match, "b"), (Decision, "b")]


def test_1_6_the_matches_of_an_input_come_by_automation_trigger_and_preset():
    rules = [
        automation(
            on("toolFailed", id="t9"), watch("looks-stuck", "failing-tools", times=1), id="b"
        ),
        automation(on("toolFailed"), id="a"),
    ]
    said = [line.split()[1] for line in matches(run(rules, fail(0)))]
    assert said == ["b/t9", "b/looks-stuck", "b/failing-tools", "a/t1"]


def test_1_6_a_saved_definition_keeps_its_place_and_a_new_one_goes_last():
    rules = [automation(on("toolFailed"), id=name) for name in ("b", "a")]
    changed = automation(on("toolFailed", "idle"), id="b")
    new = automation(on("toolFailed"), id="0")
    outputs = run(rules, saved(0, new), saved(0, changed), fail(1))
    assert [line.split()[1] for line in matches(outputs)] == ["b/t1", "a/t1", "0/t1"]


def test_1_6_a_removed_definition_that_is_saved_again_is_new():
    from wakeful import DefinitionRemoved

    rules = [automation(on("toolFailed"), id=name) for name in ("b", "a")]
    gone = DefinitionRemoved(automation=rules[0].resource, at=0)
    outputs = run(rules, gone, saved(0, rules[0]), fail(1))
    assert [line.split()[1] for line in matches(outputs)] == ["a/t1", "b/t1"]


def test_1_6_what_an_input_lets_go_comes_after_its_matches():
    pinned = automation(
        on("toolFailed"), _meta={"ahpd": {"session": "pinned", "pinnedSession": "chat"}}, id="p"
    )
    other = automation(on("turnCompleted"), id="q")
    outputs = run(
        [pinned, other],
        *(turn(0, "chat"), fail(1), event("turnCompleted", 2, "chat")),
        settings=Settings(run_time="log"),
    )
    said = [(type(each).__name__, each.automation[-1]) for each in outputs][2:]
    assert said == [("Match", "q"), ("Decision", "q"), ("Decision", "p")]


# -- 2 Inputs ---------------------------------------------------------------------------


def test_2_1_a_call_that_failed_is_no_call_that_finished():
    assert matched_at(run(automation(on("toolCalled")), fail(0))) == []
    assert matched_at(run(EACH, ok(0))) == []


def test_2_4_a_turn_start_sets_running_and_no_calls_and_keeps_what_is_queued():
    # Only a silence asks for the state last known.
    for when, holds in (
        ({"running": True}, True),
        ({"running": False}, False),
        ({"queuedAtLeast": 2}, True),
        ({"queuedAtLeast": 3}, False),
        ({"toolCallsAtLeast": 1}, False),
    ):
        silent = automation(on("turnFailed", when={"turnLongerThan": "10s", **when}))
        before = event("messageQueued", 0, running=False, queued=2, turn_tool_calls=7)
        assert holds == bool(matched_at(run(silent, before, turn(1), until=60))), when


def test_2_4_a_member_that_the_last_event_lacks_is_missing():
    silent = automation(on("turnFailed", when={"turnLongerThan": "10s", "queuedAtLeast": 1}))
    told = event("messageQueued", 1, running=True, queued=1)
    assert matched_at(run(silent, turn(0), told, until=60)) == [11]
    assert matched_at(run(silent, turn(0), told, fail(2, running=True), until=60)) == []


def test_2_4_a_turn_start_while_a_turn_runs_replaces_it():
    long = automation(on("turnCompleted", count={}, when={"turnLongerThan": "60s"}))
    assert matched_at(run(long, turn(0), turn(30), event("turnCompleted", 70))) == []
    assert matched_at(run(long, turn(0), turn(30), event("turnCompleted", 90))) == [90]


@pytest.mark.parametrize("kind", ["turnCompleted", "turnFailed", "turnCancelled"])
def test_2_4_any_ending_ends_the_turn(kind):
    silent = automation(watch("long-silent-turn", minutes=1))
    assert matched_at(run(silent, turn(0), event(kind, 30), until=600)) == []


def test_2_4_an_event_that_says_running_makes_no_turn_known():
    silent = automation(watch("long-silent-turn", minutes=1))
    assert matched_at(run(silent, ok(0, running=True, turn_tool_calls=4), until=600)) == []
    long = automation(on("toolCalled", count={}, when={"turnLongerThan": "0s"}))
    assert matched_at(run(long, ok(0, running=True, turn_tool_calls=4))) == []


API, WEB = {"project": "api"}, {"project": "web"}
IN_API = automation(on("toolFailed", count={"n": 2}, filter={"projects": ["api"]}))


def test_2_6_the_facts_of_a_session_are_those_of_its_last_event():
    failures = [fail(0, facts=API), fail(1, facts=WEB), fail(2, facts=API)]
    assert matched_at(run(IN_API, *failures)) == [2]


def test_2_6_a_fact_that_is_absent_in_the_last_event_is_absent():
    assert matched_at(run(IN_API, fail(0, facts=API), fail(1))) == []


def test_2_6_the_facts_of_a_turn_start_count():
    silent = on("turnFailed", when={"turnLongerThan": "60s"}, filter={"projects": ["api"]})
    assert matched_at(run(automation(silent), turn(0, project="api"), until=60)) == [60]
    assert matched_at(run(automation(silent), turn(0, project="web"), until=60)) == []


def test_2_6_activity_changes_no_fact():
    silent = on("turnFailed", when={"turnLongerThan": "60s"}, filter={"projects": ["api"]})
    outputs = run(automation(silent), turn(0, project="api"), words(30), until=90)
    assert matched_at(outputs) == [90]


def test_2_6_a_session_known_by_activity_alone_has_no_facts():
    engine = Engine([IN_API])
    assert engine.feed(Activity("new", 0)) == []
    assert engine.statistics().hits == 0


def test_2_6_hits_and_waits_stay_when_the_facts_change():
    rule = on("toolFailed", then=absent("toolCalled", "60s"), filter={"projects": ["api"]})
    outputs = run(automation(rule), fail(0, facts=API), event("idle", 1, facts=WEB), until=60)
    assert matched_at(outputs) == [60]


def test_2_6_an_awaited_event_counts_as_awaited_whatever_the_facts_are_by_then():
    follows = on("toolFailed", then=event_within("idle", "60s"), filter={"projects": ["api"]})
    outputs = run(automation(follows), fail(0, facts=API), event("idle", 1, facts=WEB))
    assert matched_at(outputs) == [1]
    vanishes = on("toolFailed", then=absent("idle", "60s"), filter={"projects": ["api"]})
    inputs = [fail(0, facts=API), event("idle", 1, facts=WEB)]
    assert matched_at(run(automation(vanishes), *inputs, until=600)) == []


def test_2_the_end_of_a_session_nobody_knows_is_no_error():
    assert run(EACH, ended(0, "nobody"), settings=MATCHES_ONLY) == []


def test_2_waits_are_listed_until_they_are_over():
    engine = Engine([automation(QUIET)])
    engine.feed(fail(0))
    assert waits(engine) == ["10 a/t1 s idle"]
    engine.advance(ms(10))
    assert waits(engine) == []
