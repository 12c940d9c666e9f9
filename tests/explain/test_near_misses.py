"""Near misses in words, one for each part that can fail."""

import json
from pathlib import Path

import pytest

from explaining import fired, rule, told, traced, turn
from replay_cases import at, event, failure, success
from wakeful.explain.firings import firings
from wakeful.explain.misses import near_misses
from wakeful.explain.tracer import Tracer
from wakeful.logs import open_logs
from wakeful.model.time import format_instant
from wakeful.reading import read_automation
from wakeful.replay import Replay

LOGS = Path(__file__).parents[3] / "shared" / "logs"


def test_one_hit_short():
    trace = traced([failure(0), failure(1)], rule("toolFailed", count={"n": 3}))

    assert told(trace) == [
        (
            "2 of 3: toolFailed Bash:1 at 00:00, toolFailed Bash:1 at 00:01 · "
            "count.n: 1 short of 3 · it would have matched with 1 more of the 3, right after the last"
        )
    ]


def test_the_window_by_how_much_the_last_came_too_late():
    records = [failure(0), failure(60), failure(312)]
    trace = traced(records, rule("toolFailed", count={"n": 3, "within": "5m"}))

    assert told(trace) == [
        (
            "3 of 3: toolFailed Bash:1 at 00:00, toolFailed Bash:1 at 01:00, "
            "toolFailed Bash:1 at 05:12 · "
            "count.within: the last came 12s after the 5m, 5m12s after the first · "
            "it would have matched with count.within 5m12s"
        )
    ]


@pytest.mark.parametrize(
    ("when", "state", "words"),
    [
        (
            {"running": True},
            {"running": False},
            "when.running: was false at 00:11, the rule asks true",
        ),
        ({"running": False}, {}, "when.running: was not told at 00:11, the rule asks false"),
        (
            {"queuedAtLeast": 2},
            {"queued": 1},
            "when.queuedAtLeast: was 1 at 00:11, the rule asks 2",
        ),
        (
            {"toolCallsAtLeast": 3},
            {},
            "when.toolCallsAtLeast: was not told at 00:11, the rule asks 3",
        ),
        (
            {"turnLongerThan": "1m"},
            {},
            "when.turnLongerThan: was 11s at 00:11, the rule asks 1m",
        ),
    ],
)
def test_a_part_of_when_with_its_value_and_instant(when, state, words):
    records = [turn(0), event(11, "messageQueued", **state)]
    [miss] = told(traced(records, rule("messageQueued", when=when)))

    assert words in miss
    assert "it would have matched" in miss


def test_a_key_of_the_filter():
    trace = traced([failure(0)], rule("toolFailed", filter={"owners": ["user:ann"]}))

    assert told(trace) == [
        (
            "toolFailed Bash:1 at 00:00 · "
            "filter.owners: was not told at 00:00, the rule asks user:ann · "
            "it would have matched with the event as filter.owners asks"
        )
    ]


def test_the_event_that_broke_the_run():
    records = [failure(0), success(1), failure(2)]
    trace = traced(records, rule("toolFailed", count={"n": 2, "consecutive": True}))

    assert told(trace) == [
        (
            "2 of 2: toolFailed Bash:1 at 00:00, toolFailed Bash:1 at 00:02 · "
            "count.consecutive: the run was broken by toolCalled Bash:1 at 00:01 · "
            "it would have matched without the event between"
        )
    ]


def test_what_broke_a_wait_and_after_how_long():
    records = [event(0, "turnFailed"), event(40, "messageQueued")]
    trace = traced(records, rule("turnFailed", then={"kind": "idle", "for": "1m"}))

    assert told(trace) == [
        (
            "the count was satisfied by turnFailed at 00:00 · "
            "then.for: the wait of 1m was broken after 40s by messageQueued at 00:40 · "
            "it would have matched without it that broke the wait"
        )
    ]


def test_the_awaited_event_that_came_too_late():
    records = [event(0, "turnFailed"), event(70, "idle")]
    trace = traced(
        records, rule("turnFailed", then={"kind": "event", "event": "idle", "within": "1m"})
    )

    assert told(trace) == [
        (
            "the count was satisfied by turnFailed at 00:00 · "
            "then.within: idle at 01:10 came 10s after the 1m · "
            "it would have matched with then.within 1m10s"
        )
    ]


def test_a_silence_that_was_too_short():
    records = [turn(0), event(50, "activity")]
    trace = traced(records, rule("turnCompleted", when={"turnLongerThan": "1m"}))

    assert told(trace) == [
        (
            "when.turnLongerThan: quiet for 50s of 1m, from 00:00, until activity at 00:50 · "
            "it would have matched with when.turnLongerThan 50s"
        )
    ]


def test_a_silence_that_was_passed_over():
    records = [turn(0), event(1, "messageQueued", running=True, queued=0), event(99, "activity")]
    rules = rule("turnCompleted", when={"turnLongerThan": "1m", "queuedAtLeast": 1})

    assert told(traced(records, rules)) == [
        (
            "when.queuedAtLeast: was 0, the rule asks 1 · "
            "it would have matched without when.queuedAtLeast"
        )
    ]


def test_fewer_failing_parts_are_nearer():
    records = [
        event(0, "toolFailed", running=False, queued=0),
        event(9, "toolFailed", running=True, queued=0),
    ]
    trace = traced(records, rule("toolFailed", when={"running": True, "queuedAtLeast": 1}))

    assert [len(miss.lacks) for miss in near_misses(trace)] == [1, 2]


def test_among_as_many_failing_parts_the_smaller_distance_is_nearer():
    records = [failure(0), failure(400), failure(1_400), failure(1_710)]
    trace = traced(records, rule("toolFailed", count={"n": 2, "within": "5m"}))
    first = near_misses(trace)[0]

    assert [taken.number for taken in first.events] == [3, 4]


def test_what_matched_is_no_miss():
    trace = traced([failure(0), failure(1)], rule("toolFailed", count={"n": 2}))

    assert near_misses(trace) == []


def test_what_still_waits_is_no_miss():
    trace = traced(
        [event(0, "turnFailed")], rule("turnFailed", then={"kind": "idle", "for": "1m"}), until=30
    )

    assert near_misses(trace) == []


def test_a_match_tells_its_events_the_wait_and_the_decision():
    records = [event(0, "turnFailed"), event(70, "activity")]
    trace = traced(records, rule("turnFailed", then={"kind": "idle", "for": "1m"}))

    assert fired(trace) == [
        (
            "1 counted: turnFailed at 00:00 · then nothing broke the wait until 01:00 · "
            "started: nothing of the automation was in its way"
        )
    ]


def test_a_wake_over_the_cap_tells_how_many_there_were_and_since_when():
    trace = traced([failure(second) for second in range(60, 81)], rule("toolFailed"))

    assert fired(trace)[-1].endswith("dropped: the cap, 20 since 01:00")


def test_a_wake_that_is_skipped_names_the_run_that_was_going():
    rules = rule("toolFailed", overlap="skip")
    trace = traced([failure(0), failure(9)], rules, run_time=60_000)

    assert fired(trace)[1].endswith("skipped, the run wakeful-run:/a/1 was going, begun at 00:00")


def test_a_wake_of_its_own_run_is_told_so():
    records = [
        failure(0),
        {**event(1, "runStarted", "s1"), "automation": "a", "run": "r1"},
        failure(2),
    ]
    trace = traced(records, rule("toolFailed"), run_time="log")

    assert fired(trace)[1].endswith("dropped: the session belongs to its own run r1")


def test_a_first_match_that_switches_its_automation_off_is_explained():
    once = {**rule("toolFailed"), "disableConditions": [{"kind": "afterRuns", "max": 1}]}

    assert fired(traced([failure(0)], once)) == [
        "1 counted: toolFailed Bash:1 at 00:00 · started: nothing of the automation was in its way"
    ]


def test_silences_of_two_sessions_that_stand_in_one_place_are_told_apart():
    saved = {
        "at": at(60),
        "kind": "definitionSaved",
        "automation": "a",
        "definition": {
            key: value
            for key, value in rule("turnCompleted", when={"turnLongerThan": "1s"}).items()
            if key in {"title", "message", "triggers"}
        },
    }
    trace = traced([turn(0, "s2"), turn(1, "s1"), saved], until=61)

    assert [firing.match.session for firing in firings(trace)] == ["s2", "s1"]


def test_a_plugins_event_explains_its_match_alone():
    plugin = {
        "id": "t1",
        "kind": "event",
        "type": "forge",
        "events": [{"id": "opened"}],
        "config": {},
    }
    records = [failure(0), {"at": at(1), "kind": "plugin", "type": "forge", "event": "opened"}]
    trace = traced(records, {**rule("toolFailed"), "triggers": [plugin]})
    [firing] = firings(trace)

    assert fired(trace)[0].startswith("the plugin's event opened came · started")
    assert [each.event for each in firing.inputs] == ["opened"]


@pytest.mark.skipif(not LOGS.is_dir(), reason="the recorded logs are not here")
def test_a_commit_loop_names_the_calls_between_and_which_broke_the_run():
    loop = read_automation(
        rule("toolCalled", "toolFailed", count={"n": 3, "consecutive": True, "sameInput": True})
    )
    log = LOGS / "claude-code-commit-hook-loop.jsonl"
    tracer = Tracer(Replay([loop]))
    tracer.play(open_logs([str(log)]))
    [miss] = near_misses(tracer, limit=1)
    [lack] = miss.lacks

    assert [taken.input.tool.name for taken in miss.events] == ["Bash"] * 3
    assert len({taken.input.tool for taken in miss.events}) == 1
    assert lack.path == "count.consecutive"
    assert [taken.input.tool.name for taken in lack.by] == ["Read", "Edit", "Read", "Edit"]
    assert is_commit(log, miss.events[0])
    assert miss.remedy.without == {taken.number for taken in lack.by}


def is_commit(log, taken):
    """Whether the call of an event is one of git commit, by the log's own words."""
    calls = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        message = record.get("message") or {}
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "tool_use":
                calls[part["id"]] = part["input"].get("command", "")
            elif (
                part.get("type") == "tool_result"
                and part["tool_use_id"] in calls
                and record["timestamp"] == format_instant(taken.at)
            ):
                return "git commit" in calls[part["tool_use_id"]]
    return False
