"""Recorded actions of the Agent Host Protocol, one trap a test."""

from itertools import count

import pytest

from logs.kit import kinds, read, short, write
from wakeful.logs import input_hash
from wakeful.logs.ahp import provider_of
from wakeful.model.events import Activity, Facts, SessionEvent, Tool

S = "ahp-session://claude/local/s1"
_numbers = count(1)


def action(time, type_, channel=S, /, **members):
    return {
        "at": f"2026-03-02T{time}Z",
        "channel": channel,
        "action": {"type": type_} | members,
        "serverSeq": next(_numbers),
    }


def turn(time, id_="t1", channel=S, **members):
    return action(time, "chat/turnStarted", channel, turnId=id_, **members)


def call(time, id_, given, success=None, channel=S):
    """A call's start, and ready, and completion where its success is given."""
    lines = [
        action(time, "chat/toolCallStart", channel, turnId="t1", toolCallId=id_, toolName="Bash"),
        action(time, "chat/toolCallReady", channel, turnId="t1", toolCallId=id_, toolInput=given),
    ]
    if success is not None:
        result = {"success": success}
        lines.append(
            action(
                time, "chat/toolCallComplete", channel, turnId="t1", toolCallId=id_, result=result
            )
        )
    return lines


def everything(tmp_path, *lines):
    inputs, report = read(write(tmp_path / "ahp.jsonl", lines))
    assert report.unreadable == 0, report.problems
    return inputs


def of(tmp_path, *lines):
    return [one for one in everything(tmp_path, *lines) if not isinstance(one, Activity)]


def test_a_turn_with_its_calls_and_state(tmp_path):
    inputs = of(
        tmp_path,
        turn("10:00:00.000"),
        *call("10:00:01.000", "c1", {"b": 2, "a": 1}, success=True),
        *call("10:00:02.000", "c2", '{"a":1,"b":2}', success=False),
        action("10:00:03.000", "chat/turnComplete", turnId="t1"),
    )
    tool = Tool("Bash", input_hash({"a": 1, "b": 2}))
    facts = Facts(provider="claude")
    assert inputs[1:] == [
        SessionEvent("toolCalled", S, inputs[1].at, facts, True, 0, 1, tool),
        SessionEvent("toolFailed", S, inputs[2].at, facts, True, 0, 2, tool),
        SessionEvent("turnCompleted", S, inputs[3].at, facts, False, 0, 2),
        SessionEvent("idle", S, inputs[3].at, facts, False, 0, 0),
    ]


def test_the_input_counts_that_came_with_ready_last(tmp_path):
    inputs = of(
        tmp_path,
        turn("10:00:00.000"),
        *call("10:00:01.000", "c1", {"n": 1}),
        *call("10:00:02.000", "c1", {"n": 2}, success=True),
    )
    assert inputs[-1].tool == Tool("Bash", input_hash({"n": 2}))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("chat/turnComplete", "turnCompleted"),
        ("chat/turnCancelled", "turnCancelled"),
        ("chat/error", "turnFailed"),
        ("chat/truncated", "turnCancelled"),
    ],
)
def test_every_way_in_which_a_turn_ends(tmp_path, kind, expected):
    inputs = of(tmp_path, turn("10:00:00.000"), action("10:00:01.000", kind, turnId="t1"))
    assert kinds(inputs) == ["TurnStarted", expected, "idle"]


def test_truncating_names_the_turn_that_stays(tmp_path):
    inputs = of(
        tmp_path, turn("10:00:00.000", "t2"), action("10:00:01.000", "chat/truncated", turnId="t1")
    )
    assert kinds(inputs) == ["TurnStarted", "turnCancelled", "idle"]


def test_actions_for_calls_and_turns_that_are_not_there_do_nothing(tmp_path):
    nothing = {"success": False}
    inputs = everything(
        tmp_path,
        turn("10:00:00.000", "t1"),
        action("10:00:01.000", "chat/toolCallComplete", toolCallId="x", result=nothing),
        action("10:00:02.000", "chat/toolCallReady", toolCallId="x"),
        action("10:00:03.000", "chat/turnComplete", turnId="t0"),
        action("10:00:04.000", "chat/delta", turnId="t0"),
    )
    assert len(inputs) == 1


def test_the_end_of_a_turn_cancels_its_calls(tmp_path):
    inputs = of(
        tmp_path,
        turn("10:00:00.000"),
        *call("10:00:01.000", "c1", {}),
        action("10:00:02.000", "chat/turnComplete", turnId="t1"),
        action("10:00:03.000", "chat/toolCallComplete", toolCallId="c1", result={"success": True}),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle"]


def test_a_call_that_was_not_approved_is_neither_good_nor_failed(tmp_path):
    inputs = of(
        tmp_path,
        turn("10:00:00.000"),
        *call("10:00:01.000", "c1", {}),
        action("10:00:02.000", "chat/toolCallConfirmed", toolCallId="c1", approved=False),
        action("10:00:03.000", "chat/toolCallComplete", toolCallId="c1", result={"success": True}),
    )
    assert kinds(inputs) == ["TurnStarted"]


@pytest.mark.parametrize(
    "kind",
    [
        "chat/delta",
        "chat/reasoning",
        "chat/toolCallStart",
        "chat/toolCallDelta",
        "chat/activityChanged",
    ],
)
def test_what_the_agent_says_is_activity(tmp_path, kind):
    inputs = everything(
        tmp_path,
        turn("10:00:00.000"),
        action("10:00:01.000", kind, turnId="t1", toolCallId="c1"),
    )
    assert inputs[1:] == [Activity(S, inputs[1].at)]


def test_messages_that_wait_are_counted_and_steering_is_activity(tmp_path):
    def waits(time, what, /, **members):
        return action(time, f"chat/pendingMessage{what}", **members)

    inputs = of(
        tmp_path,
        turn("10:00:00.000"),
        waits("10:00:01.000", "Set", kind="queued", id="m1"),
        waits("10:00:02.000", "Set", kind="queued", id="m1"),
        waits("10:00:03.000", "Set", kind="steering", id="m2"),
        waits("10:00:04.000", "Set", kind="queued", id="m3"),
        waits("10:00:05.000", "Removed", kind="queued", id="m3"),
        action("10:00:06.000", "chat/turnComplete", turnId="t1"),
        turn("10:00:06.100", "t2", queuedMessageId="m1"),
        action("10:00:07.000", "chat/turnComplete", turnId="t2"),
    )
    assert [(one.kind, one.queued) for one in inputs if isinstance(one, SessionEvent)] == [
        ("messageQueued", 1),
        ("messageQueued", 2),
        ("turnCompleted", 1),
        ("turnCompleted", 0),
        ("idle", 0),
    ]


def test_a_rejected_action_did_not_happen(tmp_path):
    log = write(
        tmp_path / "a.jsonl",
        [
            turn("10:00:00.000"),
            action("10:00:01.000", "chat/turnComplete", turnId="t1") | {"rejectionReason": "no"},
        ],
    )
    inputs, report = read(log)
    assert kinds(inputs) == ["TurnStarted"]
    assert report.skipped == {"rejected": 1}


def test_an_action_that_was_replayed_after_a_reconnection_happened_once(tmp_path):
    start = turn("10:00:00.000")
    log = write(tmp_path / "a.jsonl", [start, start | {"at": "2026-03-02T10:00:05.000Z"}])
    inputs, report = read(log)
    assert kinds(inputs) == ["TurnStarted"]
    assert report.duplicates == 1


def test_a_host_that_started_again_counts_from_the_beginning(tmp_path):
    first = turn("10:00:00.000", "t1")
    inputs = of(tmp_path, first, turn("10:00:05.000", "t2") | {"serverSeq": first["serverSeq"]})
    assert kinds(inputs) == ["TurnStarted", "TurnStarted"]


def test_a_turn_that_an_automation_started_makes_its_session_automated(tmp_path):
    inputs = of(tmp_path, turn("10:00:00.000", message={"origin": {"kind": "automation"}}))
    assert inputs[0].facts.automated is True


def test_facts_and_titles_are_those_of_the_summary(tmp_path):
    summary = {
        "resource": S,
        "provider": "copilot",
        "title": "About web",
        "workingDirectories": ["file:///home/ann/my%20web"],
    }
    inputs = of(
        tmp_path,
        action("09:59:00.000", "root/sessionAdded", "ahp-root://", summary=summary),
        turn("10:00:00.000"),
        action("10:00:01.000", "session/titleChanged", title="Another"),
        turn("10:00:02.000", "t2"),
    )
    assert inputs[0].facts == Facts(
        provider="copilot", project="my web", folders=("file:///home/ann/my%20web",)
    )
    assert [one.title for one in inputs] == ["About web", "Another"]


def test_a_turn_counts_for_the_default_chat_and_a_workers_end_is_a_childs(tmp_path):
    chat, worker, side = "ahp-chat:/main", "ahp-chat:/worker", "ahp-chat:/side"

    def added(uri, kind):
        summary = {"resource": uri, "origin": {"kind": kind}}
        return action("09:59:00.000", "session/chatAdded", summary=summary)

    inputs = of(
        tmp_path,
        added(chat, "user"),
        added(worker, "tool"),
        added(side, "user"),
        turn("10:00:00.000", channel=chat),
        turn("10:00:01.000", channel=worker),
        turn("10:00:02.000", channel=side),
        *call("10:00:03.000", "c1", {}, success=True, channel=worker),
        action("10:00:04.000", "chat/turnComplete", side, turnId="t1"),
        action("10:00:05.000", "chat/turnComplete", worker, turnId="t1"),
        action("10:00:06.000", "chat/turnComplete", chat, turnId="t1"),
    )
    assert short(inputs) == [
        f"10:00:00.000 TurnStarted {S}",
        f"10:00:03.000 toolCalled {S}",
        f"10:00:05.000 childFinished {S}",
        f"10:00:06.000 turnCompleted {S}",
        f"10:00:06.000 idle {S}",
    ]
    assert inputs[2].child == worker
    assert [one.turn_tool_calls for one in inputs[1:]] == [0, 0, 0, 0]


def test_a_child_sessions_quiet_and_its_disposal_are_told_of_the_parent(tmp_path):
    child = "ahp-session://claude/local/c1"
    inputs = of(
        tmp_path,
        turn("10:00:00.000"),
        action(
            "10:00:00.500",
            "root/sessionAdded",
            "ahp-root://",
            summary={"resource": child, "parent": S},
        ),
        turn("10:00:01.000", channel=child),
        action("10:00:02.000", "chat/turnComplete", child, turnId="t1"),
        action("10:00:03.000", "root/sessionRemoved", "ahp-root://", session=child),
    )
    assert short(inputs) == [
        f"10:00:00.000 TurnStarted {S}",
        f"10:00:01.000 TurnStarted {child}",
        f"10:00:02.000 turnCompleted {child}",
        f"10:00:02.000 idle {child}",
        f"10:00:02.000 childFinished {S}",
        f"10:00:03.000 childFinished {S}",
        f"10:00:03.000 SessionEnded {child}",
    ]


def test_a_record_that_begins_within_a_turn_knows_its_end(tmp_path):
    inputs = of(
        tmp_path,
        *call("10:00:01.000", "c1", {}, success=True),
        action("10:00:02.000", "chat/turnComplete", turnId="t1"),
    )
    assert kinds(inputs) == ["toolCalled", "turnCompleted", "idle"]
    assert inputs[0].running is True


@pytest.mark.parametrize(
    ("uri", "provider"),
    [
        ("ahp-session://claude/local/1", "claude"),
        ("copilot:/1", "copilot"),
        ("ahp-session:/1", None),
        ("no uri", None),
        ("http://[", None),
    ],
)
def test_the_provider_is_read_from_the_sessions_uri(uri, provider):
    assert provider_of(uri) == provider


@pytest.mark.parametrize(
    "line",
    [
        {"channel": S, "action": {"type": "chat/delta"}},
        {"at": "2026-03-02T10:00:00Z", "channel": S, "action": {}},
        {"at": "2026-03-02T10:00:00Z", "channel": "", "action": {"type": "chat/delta"}},
        {"at": "2026-03-02T10:00:00Z", "channel": S, "action": 5},
        {"at": "2026-03-02T10:00:00", "channel": S, "action": {"type": "chat/delta"}},
    ],
    ids=str,
)
def test_an_envelope_that_cannot_be_read_is_a_problem_with_its_line(tmp_path, line):
    inputs, report = read(write(tmp_path / "a.jsonl", [turn("10:00:00.000"), line]))
    assert kinds(inputs) == ["TurnStarted"]
    assert [problem.line for problem in report.problems] == [2]


def test_unknown_actions_are_skipped_and_counted(tmp_path):
    lines = [
        turn("10:00:00.000"),
        *(action("10:00:01.000", k) for k in ("chat/sing", "session/x", "automation/set")),
    ]
    _, report = read(write(tmp_path / "a.jsonl", lines))
    assert report.skipped == {"chat/sing": 1, "session/x": 1, "automation/set": 1}
