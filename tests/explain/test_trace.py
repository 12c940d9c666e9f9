"""The steps of a trace, one kind each."""

import json
from collections import Counter

import pytest

from explaining import rule, steps, traced, turn
from replay_cases import at, event, failure, success
from replay_player import inputs
from wakeful.explain.steps import What
from wakeful.explain.trace_lines import write_trace
from wakeful.explain.watching import Watch
from wakeful.model.outputs import Match
from wakeful.reading import read_automation
from wakeful.replay import Replay


def test_hits_are_counted_and_satisfy():
    trace = traced([failure(0), failure(1)], rule("toolFailed", count={"n": 2}))

    assert steps(trace) == [
        ("counted", None, 1),
        ("counted", None, 2),
        ("satisfied", None, 2),
        ("completed", None, 2),
    ]


def test_a_hit_outside_the_window_is_forgotten_a_millisecond_after_its_last_instant():
    trace = traced([failure(0), failure(100)], rule("toolFailed", count={"n": 2, "within": "1m"}))
    [forgotten] = [step for step in trace.steps if step.what is What.FORGOTTEN]

    assert (forgotten.why.value, forgotten.at) == ("window", inputs(failure(60.001))[0].at)


def test_a_run_is_forgotten_by_the_event_that_broke_it():
    trace = traced(
        [failure(0), success(1), failure(2)],
        rule("toolFailed", count={"n": 2, "consecutive": True}),
    )

    assert ("forgotten", "run", 2) in steps(trace)


def test_another_call_begins_a_run_of_its_own():
    trace = traced(
        [failure(0), failure(1, input_hash="2")],
        rule("toolFailed", count={"n": 2, "consecutive": True, "sameInput": True}),
    )

    assert steps(trace) == [
        ("counted", None, 1),
        ("forgotten", "call", 2),
        ("counted", None, 2),
    ]


def test_an_event_that_fails_the_rest_of_the_rule_is_passed_over_with_what_it_failed():
    trace = traced(
        [event(0, "toolFailed", running=False)], rule("toolFailed", when={"running": True})
    )
    [step] = trace.steps
    [clause] = step.clauses

    assert (step.what, clause.path, clause.wanted, clause.had) == (
        What.PASSED_OVER,
        "when.running",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("then", "between", "expected"),
    [
        (
            {"kind": "absent", "event": "idle", "for": "1m"},
            event(30, "idle"),
            ("broken", "awaited", 2),
        ),
        (
            {"kind": "absent", "event": "idle", "for": "1m"},
            event(30, "toolCalled"),
            ("completed", None, None),
        ),
        ({"kind": "idle", "for": "1m"}, event(30, "activity"), ("broken", "stirred", 2)),
        ({"kind": "idle", "for": "1m"}, event(30, "idle"), ("completed", None, None)),
        (
            {"kind": "event", "event": "idle", "within": "1m"},
            event(30, "idle"),
            ("completed", None, 2),
        ),
        (
            {"kind": "event", "event": "idle", "within": "1m"},
            event(61, "idle"),
            ("broken", "passed", None),
        ),
    ],
)
def test_how_a_wait_ends(then, between, expected):
    trace = traced([event(0, "turnFailed"), between], rule("turnFailed", then=then), until=90)

    assert steps(trace)[2:4] == [("waiting", None, 1), expected]


def test_the_end_of_a_session_forgets_hits():
    trace = traced([failure(0), event(1, "sessionEnded")], rule("toolFailed", count={"n": 2}))

    assert ("forgotten", "sessionEnded", 2) in steps(trace)


def test_a_silence_that_is_broken_says_how_long_it_was():
    trace = traced(
        [turn(0), event(40, "activity")],
        rule("turnCompleted", when={"turnLongerThan": "1m"}),
    )
    [step] = trace.steps

    assert (step.what, step.quiet, step.by.number) == (What.BROKEN, 40_000, 2)


def test_a_decision_names_its_match():
    trace = traced([failure(0)], rule("toolFailed"))
    decided = [step for step in trace.steps if step.what is What.DECIDED]

    assert [(step.decision.kind, step.match.event) for step in decided] == [("start", "toolFailed")]


def test_an_automation_that_gets_another_owner_is_asked_as_that_one():
    mine = {**rule("toolFailed"), "owner": "user:ann"}
    saved = {
        "at": at(1),
        "kind": "definitionSaved",
        "automation": "a",
        "owner": "user:bob",
        "definition": {key: mine[key] for key in ("title", "message", "triggers")},
    }
    denied = {"at": at(0), "kind": "grantsChanged", "principal": "user:ann", "grants": []}
    trace = traced([denied, failure(0.5), saved, failure(2)], mine)

    assert steps(trace) == [
        ("passedOver", None, 2),
        ("counted", None, 4),
        ("satisfied", None, 4),
        ("completed", None, 4),
    ]


def test_what_is_not_watched_leaves_no_step():
    records = [failure(0), failure(1, "s2")]
    trace = traced(records, rule("toolFailed"), watch=Watch(sessions=frozenset({"s2"})))

    assert {step.session for step in trace.steps} == {"s2"}


def test_an_observer_is_told_every_step():
    seen = []
    trace = traced(
        [failure(0), success(1), failure(2), failure(3)],
        rule("toolFailed", count={"n": 2, "consecutive": True}),
        observer=seen.append,
    )

    assert Counter(map(repr, seen)) == Counter(map(repr, trace.steps))


def test_a_trace_written_as_lines_is_a_log_that_gives_the_same_matches():
    records = [failure(0), success(1), failure(2), failure(3), turn(4), event(90, "activity")]
    rules = (
        rule("toolFailed", count={"n": 2, "consecutive": True}),
        {**rule("turnCompleted", when={"turnLongerThan": "1m"}), "id": "b"},
    )
    lines = [json.loads(line) for line in write_trace(traced(records, *rules))]
    expected = matches(inputs(*records), rules)

    assert matches(inputs(*lines), rules) == expected
    assert len(expected) == 2


def test_a_line_of_a_trace_tells_its_steps():
    [line] = write_trace(traced([failure(0)], rule("toolFailed", count={"n": 2})))
    record = json.loads(line)

    assert (record["at"], record["kind"], record["steps"]) == (
        at(0),
        "toolFailed",
        [
            {
                "step": "counted",
                "at": at(0),
                "automation": "ahp-automation:/a",
                "trigger": "t1",
                "session": "s1",
                "by": 1,
                "events": [1],
                "hits": 1,
                "of": 2,
            }
        ],
    )


def matches(given, rules):
    replay = Replay([read_automation(each) for each in rules])
    return [
        (output.at, output.automation, output.event, output.count)
        for output in replay.outputs(given)
        if isinstance(output, Match)
    ]
