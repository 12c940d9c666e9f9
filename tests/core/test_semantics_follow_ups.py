"""Sections 5 to 7 of the semantics, a test or more a sentence: waits, silences, change."""

import pytest

from engine_scenes import (
    absent,
    automation,
    decisions,
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
    settled,
    started,
    turn,
    waits,
    watch,
    words,
)
from wakeful import Automation, Engine, Match, Resumed, Settings
from wakeful.presets import PRESETS

FOLLOWED = on("toolFailed", then=event_within("turnCompleted", "10m"))
ABSENT = on("toolFailed", then=absent("toolCalled", "5m"))
QUIET = on("toolFailed", then=idle("3m"))


def done(at, session="s"):
    return event("turnCompleted", at, session)


def followed(*inputs, until=None, trigger=FOLLOWED):
    return matched_at(run(automation(trigger), *inputs, until=until))


# -- 5.1 event within -------------------------------------------------------------------


def test_5_1_the_awaited_event_completes_the_rule():
    outputs = run(automation(FOLLOWED), fail(0), done(60))
    assert matches(outputs) == ["60 a/t1 s toolFailed x1"]


def test_seed_a_follow_up_fires_on_nothing_at_all_if_the_turn_never_comes():
    assert followed(fail(0), until=10_000) == []


def test_5_1_the_awaited_event_is_not_also_counted():
    rule = on("toolFailed", then=event_within("toolFailed", "60s"))
    assert followed(fail(0), fail(1), fail(2), fail(3), trigger=rule) == [1, 3]


@pytest.mark.parametrize(("at", "expected"), [(600, [600]), (600.001, [])])
def test_5_1_exactly_the_length_is_in_time(at, expected):
    assert followed(fail(0), done(at)) == expected


@pytest.mark.parametrize(
    "between", [turn(1), words(1), event("turnFailed", 1), event("idle", 1), ok(1)]
)
def test_5_1_nothing_breaks_it(between):
    assert followed(fail(0), between, done(60)) == [60]


def test_5_1_satisfying_the_count_again_moves_the_window_to_the_newer_one():
    rule = on("toolFailed", "messageQueued", then=event_within("turnCompleted", "60s"))
    outputs = run(automation(rule), fail(0), event("messageQueued", 30), done(80))
    assert matches(outputs) == ["80 a/t1 s messageQueued x1"]


def test_5_1_the_count_goes_on_while_it_waits():
    rule = on("toolFailed", count={"n": 2}, then=event_within("turnCompleted", "60s"))
    assert followed(fail(0), fail(1), fail(50), fail(61), done(100), trigger=rule) == [100]


def test_5_1_a_window_that_passes_leaves_the_hits():
    rule = on("toolFailed", count={"n": 2}, then=event_within("turnCompleted", "10s"))
    inputs = [fail(0), fail(1), fail(5), fail(100), done(105)]
    assert followed(*inputs, trigger=rule) == [105]


def test_5_1_completing_clears_the_hits():
    rule = on("toolFailed", count={"n": 2}, then=event_within("turnCompleted", "60s"))
    inputs = [fail(0), fail(1), fail(5), done(10), fail(20), done(25)]
    assert followed(*inputs, trigger=rule) == [10]


def test_5_the_filter_is_not_asked_of_the_awaited_event():
    rule = on("toolFailed", then=event_within("idle", "60s"), filter={"projects": ["api"]})
    assert followed(fail(0, facts={"project": "api"}), event("idle", 1), trigger=rule) == [1]


def test_5_when_is_not_asked_of_the_awaited_event():
    rule = on("toolFailed", then=event_within("idle", "60s"), when={"running": True})
    assert followed(fail(0, running=True), event("idle", 1, running=False), trigger=rule) == [1]


# -- 5.2 absent -------------------------------------------------------------------------


def test_5_2_an_absence_completes_at_exactly_its_length():
    assert followed(fail(0), until=300, trigger=ABSENT) == [300]
    assert followed(fail(0), until=299.999, trigger=ABSENT) == []


def test_5_2_the_event_ends_it_if_it_comes_before():
    assert followed(fail(0), ok(299.999), until=1_000, trigger=ABSENT) == []
    assert followed(fail(0), ok(300), until=1_000, trigger=ABSENT) == [300]


def test_seed_an_absence_is_about_its_own_session():
    assert followed(fail(0), ok(1, "other"), until=300, trigger=ABSENT) == [300]


def test_5_2_the_event_that_ends_it_is_then_offered_to_the_count():
    rule = on("toolFailed", then=absent("toolFailed", "60s"))
    assert followed(fail(0), fail(30), until=600, trigger=rule) == [90]


def test_5_2_it_is_neither_postponed_nor_reported_twice():
    assert followed(fail(0), fail(100), fail(200), until=2_000, trigger=ABSENT) == [300]


def test_5_2_nothing_is_counted_while_it_is_timed():
    rule = on("toolFailed", count={"n": 2}, then=absent("toolCalled", "60s"))
    inputs = [fail(0), fail(1), fail(30), fail(62)]
    assert followed(*inputs, until=600, trigger=rule) == [61]


@pytest.mark.parametrize("between", [turn(1), words(1), event("idle", 1), done(1)])
def test_5_2_nothing_else_ends_it(between):
    assert followed(fail(0), between, until=300, trigger=ABSENT) == [300]


def test_5_2_neither_filter_nor_when_is_asked_of_what_ends_it():
    rule = on(
        "toolFailed",
        then=absent("toolCalled", "60s"),
        filter={"projects": ["api"]},
        when={"running": True},
    )
    inputs = [fail(0, facts={"project": "api"}, running=True), ok(30, running=False)]
    assert followed(*inputs, until=600, trigger=rule) == []


# -- 5.3 idle ---------------------------------------------------------------------------


def test_5_3_a_quiet_completes_at_exactly_its_length():
    assert followed(fail(0), until=180, trigger=QUIET) == [180]


@pytest.mark.parametrize("what", [ok(179.999), turn(179.999), words(179.999), done(179.999)])
def test_5_3_anything_before_that_breaks_it(what):
    assert followed(fail(0), what, until=1_000, trigger=QUIET) == []


def test_5_3_idle_does_not_break_it():
    assert followed(fail(0), event("idle", 1), event("idle", 100), until=180, trigger=QUIET) == [
        180
    ]


def test_5_3_what_broke_it_is_then_offered_to_the_count():
    assert followed(fail(0), fail(100), until=1_000, trigger=QUIET) == [280]


def test_5_3_idle_that_counts_does_not_restart_its_own_quiet():
    rule = on("idle", then=idle("60s"))
    assert followed(event("idle", 0), event("idle", 30), until=600, trigger=rule) == [60]


def test_5_3_a_broken_quiet_is_found_at_an_idle_that_counts():
    rule = on("idle", then=idle("60s"))
    inputs = [event("idle", 0), words(10), event("idle", 30)]
    assert followed(*inputs, until=600, trigger=rule) == [90]


# -- 5.4, 5.5 ---------------------------------------------------------------------------


@pytest.mark.parametrize("then", [absent("toolCalled", "60s"), idle("60s")])
def test_5_4_breaking_a_wait_clears_the_hits(then):
    rule = on("toolFailed", count={"n": 2}, then=then)
    assert followed(fail(0), fail(1), ok(30), fail(40), until=90, trigger=rule) == []


@pytest.mark.parametrize("then", [absent("toolCalled", "60s"), idle("60s")])
def test_5_4_completing_a_wait_clears_the_hits(then):
    rule = on("toolFailed", count={"n": 2}, then=then)
    assert followed(fail(0), fail(1), fail(100), until=200, trigger=rule) == [61]


def test_5_5_what_still_waits_is_listed_with_its_deadline():
    rules = [
        automation(FOLLOWED, id="f"), automation(ABSENT, id="a"), automation(QUIET, id="q"),
        automation(watch("long-silent-turn", minutes=7), id="w"),
    ]  # fmt: skip
    engine = Engine(rules)
    engine.feed_many([turn(0), fail(5)])
    assert waits(engine) == [
        "185 q/t1 s idle",
        "305 a/t1 s absent",
        "425 w/long-silent-turn s silence",
        "605 f/t1 s event",
    ]


def test_5_5_an_event_wait_is_listed_until_its_last_instant_in_time():
    engine = Engine([automation(FOLLOWED)])
    engine.feed(fail(0))
    engine.advance(ms(600))
    assert waits(engine) == ["600 a/t1 s event"]
    engine.advance(ms(600) + 1)
    assert waits(engine) == []


def test_5_5_a_silence_is_listed_where_the_filter_holds_whatever_the_rest_of_when():
    rule = on("turnFailed", when={"turnLongerThan": "60s", "queuedAtLeast": 5})
    narrow = on("turnFailed", when={"turnLongerThan": "60s"}, filter={"projects": ["x"]})
    engine = Engine([automation(rule, id="a"), automation(narrow, id="b")])
    engine.feed(turn(0))
    assert waits(engine) == ["60 a/t1 s silence"]


# -- 6 Silence --------------------------------------------------------------------------

SILENT = on("turnCompleted", "turnFailed", when={"turnLongerThan": "60s"})


def silent(*inputs, until=None, trigger=SILENT):
    return followed(*inputs, until=until, trigger=trigger)


def test_6_1_a_rule_on_endings_with_a_length_alone_is_timed():
    assert silent(turn(0), until=600) == [60]


@pytest.mark.parametrize(
    "trigger",
    [
        on("turnCompleted", count={}, when={"turnLongerThan": "60s"}),
        on("turnCompleted", when={"turnLongerThan": "60s"}, then=idle("1s")),
        on("turnCompleted", "idle", when={"turnLongerThan": "60s"}),
        on("toolCalled", when={"turnLongerThan": "60s"}),
        on("turnCompleted", when={}),
    ],
)
def test_6_1_any_other_rule_is_an_ordinary_one(trigger):
    assert silent(turn(0), until=600, trigger=trigger) == []


def test_6_1_with_an_empty_count_it_says_that_a_turn_of_that_length_has_ended():
    rule = on("turnCompleted", count={}, when={"turnLongerThan": "60s"})
    assert silent(turn(0), words(50), done(70), trigger=rule) == [70]


@pytest.mark.parametrize(
    "doing", [ok(30), words(30), event("idle", 30), event("messageQueued", 30)]
)
def test_6_2_it_is_measured_from_the_last_thing_the_session_did(doing):
    assert silent(turn(0), doing, until=600) == [90]


def test_6_2_it_matches_once_a_silence_and_again_after_the_session_did_something():
    assert silent(turn(0), words(100), until=600) == [60, 160]


def test_6_2_a_new_turn_is_measured_from_its_own_start():
    assert silent(turn(0), turn(30), until=600) == [90]


def test_6_2_two_lengths_are_two_silences():
    rule = automation(SILENT, on("turnFailed", id="t2", when={"turnLongerThan": "90s"}))
    assert matches(run(rule, turn(0), until=600)) == [
        "60 a/t1 s turnStarted x1",
        "90 a/t2 s turnStarted x1",
    ]


def test_6_3_the_other_parts_of_when_are_asked_as_it_matches():
    rule = on("turnFailed", when={"turnLongerThan": "60s", "queuedAtLeast": 1})
    assert silent(turn(0), event("messageQueued", 30, queued=1), until=600, trigger=rule) == [90]
    assert silent(turn(0), event("messageQueued", 30, queued=0), until=600, trigger=rule) == []


def test_6_3_a_silence_that_was_passed_over_is_not_asked_again_before_the_session_acts():
    rule = on("turnFailed", when={"turnLongerThan": "60s", "queuedAtLeast": 1})
    told = event("messageQueued", 100, queued=1)
    assert silent(turn(0), told, until=159, trigger=rule) == []
    assert silent(turn(0), told, until=160, trigger=rule) == [160]


def test_6_4_an_ending_cancels_it_and_never_matches_it():
    assert silent(turn(0), done(30), until=600) == []
    assert silent(turn(0), done(60), until=600) == [60]


def test_6_4_it_is_armed_for_turns_running_when_the_rule_is_added():
    outputs = run([], turn(0), words(30), saved(40, automation(SILENT)), until=600)
    assert matched_at(outputs) == [90]


def test_6_4_a_silence_long_enough_already_is_due_by_the_next_call_stamped_with_the_adding():
    engine = Engine()
    assert engine.feed_many([turn(0), saved(100, automation(SILENT))]) == []
    assert matches(engine.advance(ms(500))) == ["100 a/t1 s turnStarted x1"]


@pytest.mark.parametrize(
    ("id_", "title"),
    [
        ("looks-stuck", "Looks stuck"),
        ("failing-tools", "Failing tools"),
        ("long-silent-turn", "Long silent turn"),
        ("idle-after-failure", "Idle after failure"),
        ("waiting-while-busy", "Waiting while busy"),
    ],
)
def test_6_5_a_preset_has_its_title(id_, title):
    assert PRESETS[id_].title == title


def preset(id_, *inputs, until=None, **config):
    return matched_at(run(automation(watch(id_, **config)), *inputs, until=until))


def test_seed_looks_stuck_is_three_of_the_same_call_inside_ten_minutes():
    assert preset("looks-stuck", *(ok(at, call="x") for at in (0, 300, 600))) == [600]
    assert preset("looks-stuck", *(ok(at, call="x") for at in (0, 300, 601))) == []
    between = [fail(0, call="x"), ok(1, call="edit"), ok(2, call="x"), fail(3, call="x")]
    assert preset("looks-stuck", *between) == [3]


def test_seed_failing_tools_is_three_failures_one_after_another():
    assert preset("failing-tools", fail(0), fail(1), fail(2)) == [2]
    assert preset("failing-tools", fail(0), fail(1), ok(2), fail(3)) == []


def test_seed_long_silent_turn_is_ten_minutes_of_nothing_in_a_running_turn():
    assert preset("long-silent-turn", turn(0), words(60), until=1_000) == [660]
    assert preset("long-silent-turn", turn(0), done(60), until=1_000) == []


def test_seed_idle_after_failure_is_three_quiet_minutes_after_a_failed_turn():
    failed = [turn(0), event("turnFailed", 10), event("idle", 10)]
    assert preset("idle-after-failure", *failed, until=1_000) == [190]
    assert preset("idle-after-failure", *failed, turn(100), until=1_000) == []


def test_seed_waiting_while_busy_is_a_message_behind_a_turn_of_three_calls():
    def queued(calls, *, running=True):
        return event("messageQueued", 9, running=running, queued=1, turn_tool_calls=calls)

    assert preset("waiting-while-busy", queued(3)) == [9]
    assert preset("waiting-while-busy", queued(2)) == []
    assert preset("waiting-while-busy", queued(3, running=False)) == []


def test_seed_a_presets_number_and_filter_are_the_authors():
    filter_ = {"folders": ["file:///w/api"]}
    failures = [fail(at, facts={"folders": ("file:///w/api",)}) for at in range(2)]
    assert preset("failing-tools", *failures, times=2, filter=filter_) == [1]
    assert preset("failing-tools", fail(0), fail(1), times=2, filter=filter_) == []


# -- 7 Change ---------------------------------------------------------------------------


def changed(first: Automation, second: Automation, *, until=None, after=(), before=()):
    return matched_at(run(first, *before, saved(20, second), *after, until=until))


@pytest.mark.parametrize(
    "same",
    [
        on("toolCalled", "toolFailed", count={"n": 2, "within": "300s"}),
        {**on("toolFailed", "toolCalled", count={"n": 2, "within": "5m"}), "title": "Renamed"},
        on("toolFailed", "toolCalled", count={"n": 2, "within": "5m", "consecutive": False}),
    ],
    ids=["order and unit", "title", "a default written out"],
)
def test_7_1_a_trigger_that_means_the_same_keeps_its_hits(same):
    rule = on("toolFailed", "toolCalled", count={"n": 2, "within": "5m"})
    first, second = automation(rule), automation(same)
    assert changed(first, second, before=[fail(0)], after=[fail(30)]) == [30]


@pytest.mark.parametrize("trigger", [ABSENT, QUIET, FOLLOWED, SILENT])
def test_7_1_a_trigger_that_means_the_same_keeps_its_waits(trigger):
    again = automation({**trigger, "title": "Again"}, title="Again", message={"text": "again"})
    inputs = [turn(0), fail(0)]
    later = [] if trigger in (QUIET, ABSENT, SILENT) else [done(60)]
    found = changed(automation(trigger), again, before=inputs, after=later, until=600)
    assert found == followed(*inputs, *later, until=600, trigger=trigger) != []


def test_7_1_a_changed_trigger_loses_exactly_its_own():
    kept = on("toolFailed", id="kept", count={"n": 2})
    first = automation(kept, on("toolFailed", id="changed", count={"n": 3}))
    second = automation(kept, on("toolFailed", id="changed", count={"n": 4}))
    outputs = run(first, fail(0), saved(20, second), fail(30), fail(40), fail(50))
    assert matches(outputs) == ["30 a/kept s toolFailed x2", "50 a/kept s toolFailed x2"]


def test_7_1_a_trigger_under_another_id_is_another_trigger():
    rule = on("toolFailed", count={"n": 2})
    second = automation({**rule, "id": "other"})
    assert changed(automation(rule), second, before=[fail(0)], after=[fail(30)]) == []


def test_7_1_a_preset_is_the_same_one_by_its_id_beside_others():
    first = automation(watch("failing-tools", times=2))
    second = automation(watch("looks-stuck", "failing-tools", times=2))
    assert changed(first, second, before=[fail(0)], after=[fail(30, call="x")]) == [30]


def test_7_1_triggers_that_change_places_keep_their_state():
    one, two = on("toolFailed", count={"n": 2}), on("toolFailed", id="t2", count={"n": 2})
    outputs = run(automation(one, two), fail(0), saved(20, automation(two, one)), fail(30))
    assert [line.split()[1] for line in matches(outputs)] == ["a/t2", "a/t1"]


def test_7_1_a_run_that_starts_and_settles_changes_nothing():
    rule = automation(on("toolFailed", count={"n": 3}))
    inputs = [fail(0), fail(1), started(2, "r", "w"), settled(3, "r"), fail(4)]
    assert matched_at(run(rule, *inputs, settings=Settings(run_time="log"))) == [4]


@pytest.mark.parametrize("trigger", [ABSENT, QUIET, FOLLOWED, SILENT])
def test_7_2_the_end_of_a_session_forgets_its_waits_and_silences(trigger):
    inputs = [turn(0), fail(0), ended(30), done(60)]
    assert followed(*inputs, until=2_000, trigger=trigger) == []


def test_7_2_the_end_of_a_session_forgets_its_state():
    rule = on("turnFailed", when={"turnLongerThan": "60s", "queuedAtLeast": 1})
    inputs = [event("messageQueued", 0, queued=3), ended(1), turn(2)]
    assert silent(*inputs, until=600, trigger=rule) == []


def test_7_2_a_turn_running_there_is_over():
    pinned = automation(
        on("toolFailed"), _meta={"ahpd": {"session": "pinned", "pinnedSession": "chat"}}
    )
    inputs = [turn(0, "chat"), fail(1), ended(2, "chat")]
    outputs = run(pinned, *inputs, settings=Settings(run_time="log"))
    assert decisions(outputs) == ["1 a hold 1", "2 a release 1"]


def test_7_2_a_wake_that_waits_in_the_gate_stays():
    inputs = [fail(0), fail(1), ended(2), started(3, "r"), settled(4, "r")]
    outputs = run(automation(on("toolFailed")), *inputs, settings=Settings(run_time="log"))
    assert decisions(outputs) == ["0 a start 1", "1 a hold 1", "4 a release 1"]


@pytest.mark.parametrize("trigger", [ABSENT, QUIET, SILENT])
def test_7_3_what_fell_due_before_a_resumed_is_late_and_stamped_with_its_deadline(trigger):
    engine = Engine([automation(trigger)])
    engine.feed_many([turn(0), fail(0)])
    late = engine.feed(Resumed(at=ms(1_000)))
    assert [(each.at, each.late) for each in late] == [
        (ms(followed(turn(0), fail(0), until=1_000, trigger=trigger)[0]), True)
    ] * 2


def test_7_3_what_falls_due_in_the_ordinary_way_is_not_late():
    engine = Engine([automation(ABSENT)])
    engine.feed(fail(0))
    (match, decision) = engine.advance(ms(1_000))
    assert isinstance(match, Match)
    assert (match.late, decision.late) == (False, False)


def test_7_4_runs_that_do_not_live_settle_and_let_go_what_waited():
    engine = Engine([automation(on("toolFailed"))])
    engine.feed_many([fail(0), started(1, "r"), fail(2)])
    outputs = engine.feed(Resumed(at=ms(100), live=()))
    assert decisions(outputs) == ["100 a release 1"]


def test_7_4_runs_that_live_go_on():
    engine = Engine([automation(on("toolFailed"))])
    engine.feed_many([fail(0), started(1, "r"), fail(2)])
    assert engine.feed(Resumed(at=ms(100), live=("r",))) == []
    assert decisions(engine.feed(settled(200, "r"))) == ["200 a release 1"]
