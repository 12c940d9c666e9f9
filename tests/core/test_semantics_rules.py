"""Sections 3 and 4 of the semantics, a test or more a sentence: what counts, and how often."""

import pytest

from engine_scenes import (
    automation,
    decisions,
    ended,
    event,
    fail,
    idle,
    matched_at,
    matches,
    ok,
    on,
    plugin,
    run,
    turn,
    watch,
    words,
)
from wakeful import Engine, PluginEvent, Settings, TriggerEvent, TriggerType, TypeRegistered

ENDINGS = ("turnCompleted", "turnFailed", "turnCancelled")
EVERY_KIND = (
    *ENDINGS, "toolCalled", "toolFailed", "messageQueued", "idle", "childFinished",
)  # fmt: skip


def counted(*inputs, **config):
    """The seconds at which failures match under this config."""
    return matched_at(run(automation(on("toolFailed", **config)), *inputs))


# -- 3 What a rule counts ---------------------------------------------------------------


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_3_1_a_rule_counts_the_kind_it_selected_and_no_other(kind):
    every = [event(each, at) for at, each in enumerate(EVERY_KIND)]
    outputs = run(automation(on(kind, count={})), *every)
    assert matches(outputs) == [f"{EVERY_KIND.index(kind)} a/t1 s {kind} x1"]


def test_3_1_filter_and_when_both_have_to_hold():
    rule = {"filter": {"projects": ["api"]}, "when": {"running": True}}
    inputs = [
        fail(0, facts={"project": "api"}, running=False),
        fail(1, facts={"project": "web"}, running=True),
        fail(2, facts={"project": "api"}, running=True),
    ]
    assert counted(*inputs, **rule) == [2]


FACTS = {
    "owner": "user:ann",
    "provider": "claude",
    "project": "api",
    "folders": ("file:///w/api", "file:///w/lib"),
}


@pytest.mark.parametrize(
    ("filter_", "holds"),
    [
        ({}, True),
        ({"sessions": ["other", "s"]}, True),
        ({"sessions": ["other"]}, False),
        ({"providers": ["codex", "claude"]}, True),
        ({"providers": ["Claude"]}, False),
        ({"owners": ["user:ann"]}, True),
        ({"owners": ["user:bob"]}, False),
        ({"projects": ["api"]}, True),
        ({"projects": ["ap"]}, False),
        ({"folders": ["file:///w/lib"]}, True),
        ({"folders": ["file:///w/lib/"]}, False),
        ({"folders": ["file:///w"]}, False),
        ({"automated": False}, True),
        ({"automated": True}, False),
        ({"projects": ["api"], "owners": ["user:bob"]}, False),
        ({"projects": ["api"], "owners": ["user:ann"], "automated": False}, True),
        ({"sessions": []}, False),
        ({"providers": []}, False),
        ({"owners": []}, False),
        ({"projects": []}, False),
        ({"folders": []}, False),
    ],
)
def test_3_2_every_key_of_a_filter_has_to_hold(filter_, holds):
    assert counted(fail(0, facts=FACTS), filter=filter_) == ([0] if holds else [])


@pytest.mark.parametrize("key", ["providers", "owners", "projects", "folders"])
def test_3_2_a_fact_that_is_not_there_is_not_listed(key):
    assert counted(fail(0), filter={key: ["", "None", "x"]}) == []


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("told", [True, False])
def test_3_2_automated_is_equal(asked, told):
    found = counted(fail(0, facts={"automated": told}), filter={"automated": asked})
    assert found == ([0] if asked == told else [])


@pytest.mark.parametrize(
    ("when", "state", "holds"),
    [
        ({"running": True}, {"running": True}, True),
        ({"running": True}, {"running": False}, False),
        ({"running": True}, {}, False),
        ({"running": False}, {"running": False}, True),
        ({"running": False}, {}, False),
        ({"queuedAtLeast": 2}, {"queued": 2}, True),
        ({"queuedAtLeast": 2}, {"queued": 1}, False),
        ({"queuedAtLeast": 1}, {}, False),
        ({"queuedAtLeast": 0}, {}, True),
        ({"toolCallsAtLeast": 3}, {"turn_tool_calls": 4}, True),
        ({"toolCallsAtLeast": 3}, {"turn_tool_calls": 2}, False),
        ({"toolCallsAtLeast": 1}, {}, False),
        ({"toolCallsAtLeast": 0}, {}, True),
        ({"running": True, "queuedAtLeast": 1}, {"running": True, "queued": 0}, False),
    ],
)
def test_3_3_when_asks_the_state_that_the_event_tells(when, state, holds):
    assert counted(fail(0, **state), when=when) == ([0] if holds else [])


@pytest.mark.parametrize(("at", "holds"), [(59.999, False), (60, True), (61, True)])
def test_3_3_a_turn_is_longer_once_that_long_has_passed_since_it_started(at, holds):
    assert counted(turn(0), fail(at), when={"turnLongerThan": "60s"}) == ([at] if holds else [])


def test_3_3_where_no_turn_runs_none_is_longer():
    assert counted(fail(0), when={"turnLongerThan": "0s"}) == []
    ended_turn = [turn(0), event("turnFailed", 100), fail(200)]
    assert counted(*ended_turn, when={"turnLongerThan": "0s"}) == []


def test_3_3_for_an_ending_the_turn_it_ends_is_measured():
    took = automation(on("turnCompleted", count={}, when={"turnLongerThan": "60s"}))
    assert matched_at(run(took, turn(0), event("turnCompleted", 60))) == [60]


def test_3_3_for_the_idle_after_an_ending_there_is_no_turn():
    rule = automation(on("idle", when={"turnLongerThan": "0s"}))
    assert matched_at(run(rule, turn(0), event("turnCompleted", 60), event("idle", 60))) == []


def test_3_4_several_events_of_a_session_trigger_are_counted_together():
    both = automation(on("toolFailed", "toolCalled", count={"n": 3}))
    assert matches(run(both, fail(0), ok(1), fail(2))) == ["2 a/t1 s toolFailed x3"]


def test_3_4_each_preset_of_a_watch_trigger_counts_for_itself():
    both = automation(watch("failing-tools", "looks-stuck", times=2))
    calls = [fail(0, call="x"), ok(1, call="x"), fail(2, call="y"), fail(3, call="z")]
    assert matches(run(both, *calls)) == [
        "1 a/looks-stuck s toolCalled x2",
        "3 a/failing-tools s toolFailed x2",
    ]


def test_3_4_any_event_of_a_plugin_trigger_wakes():
    type_ = TriggerType(
        type="ci",
        title="CI",
        events=tuple(TriggerEvent(id=id_, title=id_) for id_ in ("red", "green", "blue")),
    )
    engine = Engine([automation(plugin("ci", "red", "green"))], settings=Settings(run_time="none"))
    engine.feed(TypeRegistered(definition=type_, at=0))
    outputs = engine.feed_many(
        PluginEvent(type="ci", event=each, at=at)
        for at, each in enumerate(("red", "blue", "green"))
    )
    assert matches(outputs) == ["0 a/t1 None red x1", "0.002 a/t1 None green x1"]


def test_3_5_every_trigger_is_watched_with_a_state_of_its_own():
    both = automation(on("toolFailed", count={"n": 2}), on("toolFailed", id="t2", count={"n": 3}))
    assert matches(run(both, fail(0), fail(1), fail(2))) == [
        "1 a/t1 s toolFailed x2",
        "2 a/t2 s toolFailed x3",
    ]


def test_3_5_a_wake_names_its_trigger():
    both = automation(on("idle"), on("toolFailed", id="t2"))
    outputs = run(both, fail(0))
    assert [each.trigger for each in outputs] == ["t2", "t2"]


# -- 4 Count ----------------------------------------------------------------------------


@pytest.mark.parametrize("config", [{}, {"count": {}}, {"count": {"n": 1}}])
def test_4_1_left_out_the_count_is_one(config):
    assert counted(fail(0), fail(1), **config) == [0, 1]


@pytest.mark.parametrize("more", [{}, {"within": "1h"}, {"consecutive": True}, {"sameInput": True}])
def test_4_1_reaching_n_clears_the_hits(more):
    failures = [fail(at, call="x") for at in range(7)]
    assert counted(*failures, count={"n": 3, **more}) == [2, 5]


def test_4_2_the_window_slides():
    failures = [fail(at) for at in (0, 40, 70, 90)]
    assert counted(*failures, count={"n": 3, "within": "60s"}) == [90]


def test_4_2_a_hit_that_was_forgotten_leaves_the_others():
    failures = [fail(at) for at in (0, 50, 61, 100)]
    assert counted(*failures, count={"n": 3, "within": "60s"}) == [100]


RUN = {"count": {"n": 2, "consecutive": True}}


@pytest.mark.parametrize(
    "kind", [kind for kind in EVERY_KIND if kind not in ("toolFailed", "idle")]
)
def test_4_3_another_kind_breaks_a_run(kind):
    assert counted(fail(0), event(kind, 1), fail(2), **RUN) == []


def test_4_3_the_same_kind_failing_when_breaks_a_run():
    inputs = [fail(0, running=True), fail(1, running=False), fail(2, running=True)]
    assert counted(*inputs, when={"running": True}, **RUN) == []


def test_4_3_the_same_kind_failing_filter_breaks_a_run():
    api, web = {"project": "api"}, {"project": "web"}
    inputs = [fail(0, facts=api), fail(1, facts=web), fail(2, facts=api)]
    assert counted(*inputs, filter={"projects": ["api"]}, **RUN) == []


def test_4_3_another_session_breaks_no_run():
    assert counted(fail(0), ok(1, "other"), fail(2), **RUN) == [2]


@pytest.mark.parametrize(
    "between", [turn(1), words(1), event("idle", 1)], ids=["turn", "words", "idle"]
)
def test_4_3_what_is_no_event_breaks_no_run_and_idle_does_not_either(between):
    assert counted(fail(0), between, fail(2), **RUN) == [2]


def test_4_3_idle_breaks_a_run_of_a_rule_that_selected_it():
    # It is counted where the filter holds, so it can only break a run by failing `when`.
    rule = automation(
        on("toolFailed", "idle", count={"n": 2, "consecutive": True}, when={"running": True})
    )
    inputs = [fail(0, running=True), event("idle", 1, running=False), fail(2, running=True)]
    assert matched_at(run(rule, *inputs)) == []


def test_4_3_a_rule_on_endings_counts_turns_in_a_row():
    rule = automation(on("turnFailed", count={"n": 2, "consecutive": True}))
    inside = [turn(1), ok(2), fail(3), event("messageQueued", 4), event("childFinished", 5)]
    assert matched_at(run(rule, event("turnFailed", 0), *inside, event("turnFailed", 9))) == [9]


@pytest.mark.parametrize("kind", ["turnCompleted", "turnCancelled"])
def test_4_3_only_an_ending_that_is_not_counted_breaks_turns_in_a_row(kind):
    rule = automation(on("turnFailed", count={"n": 2, "consecutive": True}))
    inputs = [event("turnFailed", 0), event(kind, 1), event("turnFailed", 2)]
    assert matched_at(run(rule, *inputs)) == []


def test_4_3_a_run_of_calls_ends_with_the_turns_ending():
    assert counted(turn(0), fail(1), event("turnFailed", 2), turn(3), fail(4), **RUN) == []


def test_4_3_a_turn_start_that_replaces_a_turn_does_not_end_a_run():
    assert counted(turn(0), fail(1), turn(3), fail(4), **RUN) == [4]


SAME = {"count": {"n": 2, "sameInput": True}}


def test_4_4_hits_are_counted_per_call():
    calls = [fail(0, call="x"), fail(1, call="y"), fail(2, call="x")]
    assert counted(*calls, **SAME) == [2]


def test_4_4_other_calls_in_between_change_nothing():
    calls = [fail(0, call="x"), ok(1, call="x"), fail(2, call="y"), fail(3, call="x")]
    assert counted(*calls, **SAME) == [3]


def test_4_4_with_consecutive_a_counted_call_with_another_input_begins_a_new_run():
    rule = {"count": {"n": 2, "sameInput": True, "consecutive": True}}
    calls = [fail(0, call="x"), fail(1, call="y"), fail(2, call="x"), fail(3, call="x")]
    assert counted(*calls, **rule) == [3]


def test_4_4_with_consecutive_an_event_that_is_not_counted_breaks_the_run_too():
    rule = {"count": {"n": 2, "sameInput": True, "consecutive": True}}
    assert counted(fail(0, call="x"), ok(1, call="x"), fail(2, call="x"), **rule) == []


def test_4_4_equal_is_the_same_name_and_hash_whatever_the_kind():
    both = automation(on("toolFailed", "toolCalled", **SAME))
    assert matched_at(run(both, fail(0, call="x"), ok(1, call="x"))) == [1]


def test_4_4_another_tool_with_the_same_hash_is_another_call():
    from wakeful import Tool

    calls = [event("toolFailed", at, tool=Tool(name, "x")) for at, name in enumerate(("A", "B"))]
    assert counted(*calls, **SAME) == []


def test_4_4_two_events_without_a_tool_are_equal_and_one_with_and_one_without_are_not():
    assert counted(fail(0), fail(1), **SAME) == [1]
    assert counted(fail(0), fail(1, call="x"), **SAME) == []


def test_4_4_satisfying_the_count_clears_the_hits_of_that_call_alone():
    calls = [fail(0, call="y"), fail(1, call="x"), fail(2, call="x"), fail(3, call="x")]
    assert counted(*calls, fail(4, call="y"), **SAME) == [2, 4]


def test_4_4_the_window_is_each_calls_own():
    rule = {"count": {"n": 2, "sameInput": True, "within": "10s"}}
    calls = [fail(0, call="x"), fail(5, call="y"), fail(11, call="x"), fail(15, call="y")]
    assert counted(*calls, **rule) == [15]


def test_4_4_of_1025_calls_the_one_longest_untouched_is_let_go_and_counted():
    engine = Engine([automation(on("toolFailed", **SAME))])
    engine.feed_many(fail(number, call=str(number)) for number in range(1_024))
    assert engine.statistics().evicted == 0
    engine.feed(fail(1_024, call="1024"))
    assert engine.statistics().evicted == 1
    assert matched_at(engine.feed(fail(1_025, call="1"))) == [1_025]
    assert matched_at(engine.feed(fail(1_026, call="0"))) == []


def test_4_4_the_bound_is_per_rule_and_session():
    engine = Engine([automation(on("toolFailed", **SAME), on("toolFailed", id="t2", **SAME))])
    for session in ("x", "y"):
        engine.feed_many(fail(0, session, call=str(number)) for number in range(1_024))
    assert engine.statistics().evicted == 0
    assert engine.statistics().hits == 4 * 1_024


def test_4_5_hits_are_per_rule_and_session():
    assert counted(fail(0), fail(1, "other"), fail(2), count={"n": 2}) == [2]


def test_4_5_hits_outlive_turns():
    between = [event("turnCompleted", 1), event("idle", 1), turn(2)]
    assert counted(turn(0), fail(0), *between, fail(3), count={"n": 2}) == [3]


def test_4_5_hits_end_with_the_session():
    assert counted(fail(0), ended(1), fail(2), count={"n": 2}) == []


# -- The seed's own examples ------------------------------------------------------------

SEED = on(
    "toolFailed",
    count={"n": 3, "consecutive": True, "within": "5m"},
    when={"running": True},
    filter={"projects": ["api"]},
)


def failing(at, project="api", *, running=True):
    return fail(at, facts={"project": project}, running=running)


def test_seed_three_calls_failing_one_after_another_inside_five_minutes_match():
    assert matched_at(run(automation(SEED), failing(0), failing(100), failing(300))) == [300]


@pytest.mark.parametrize(
    "inputs",
    [
        [failing(0), failing(100), failing(300.001)],
        [failing(0), failing(100), event("toolCalled", 150), failing(200)],
        [failing(0), failing(100), failing(200, running=False)],
        [failing(0, "web"), failing(100, "web"), failing(200, "web")],
    ],
    ids=["too slow", "not one after another", "turn over", "another project"],
)
def test_seed_anything_less_does_not(inputs):
    assert matched_at(run(automation(SEED), *inputs)) == []


def test_seed_a_rule_with_every_part_left_out_fires_on_the_event_itself_in_any_session():
    outputs = run(automation(on("childFinished")), *(event("childFinished", 0, s) for s in "xy"))
    assert decisions(outputs) == ["0 a start 1", "0 a start 1"]


def test_seed_an_automation_without_triggers_is_manual_only():
    from wakeful import Press

    manual = automation()
    inputs = [fail(0), Press(automation=manual.resource, request_id="r", at=1)]
    assert decisions(run(manual, *inputs)) == ["0.001 a start"]


def test_seed_a_quiet_of_three_minutes():
    quiet = automation(on("turnCompleted", then=idle("3m")))
    assert matched_at(run(quiet, event("turnCompleted", 0), until=600)) == [180]
