"""The payloads of Claude Code's hooks, one trap a test."""

import pytest

from logs.kit import kinds, read, short, write
from wakeful.logs import input_hash
from wakeful.model.events import Activity, Facts, Tool


def hook(time, name, **members):
    return {
        "at": f"2026-03-02T{time}Z",
        "session_id": "s1",
        "cwd": "/home/ann/web",
        "hook_event_name": name,
    } | members


def call(time, id_, name="PreToolUse", **members):
    return hook(
        time, name, tool_name="Bash", tool_input={"command": "make"}, tool_use_id=id_, **members
    )


def of(tmp_path, *lines):
    inputs, report = read(write(tmp_path / "hooks.jsonl", lines))
    assert report.unreadable == 0, report.problems
    return [one for one in inputs if not isinstance(one, Activity)]


def test_a_turn_from_prompt_to_stop(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:00.000", "SessionStart", source="startup"),
        hook("10:00:01.000", "UserPromptSubmit", prompt="go"),
        call("10:00:02.000", "t1"),
        call("10:00:03.000", "t1", "PostToolUse", tool_response={}),
        call("10:00:03.100", "t2", "PostToolUseFailure", error="No such file"),
        hook("10:00:04.000", "Stop", stop_hook_active=False),
        hook("10:00:05.000", "SessionEnd", reason="exit"),
    )
    assert short(inputs) == [
        "10:00:01.000 TurnStarted s1",
        "10:00:03.000 toolCalled s1",
        "10:00:03.100 toolFailed s1",
        "10:00:04.000 turnCompleted s1",
        "10:00:04.000 idle s1",
        "10:00:05.000 SessionEnded s1",
    ]
    assert inputs[0].facts == Facts(
        provider="claude", project="web", folders=("file:///home/ann/web",)
    )
    tool = Tool("Bash", input_hash({"command": "make"}))
    assert (inputs[1].tool, inputs[2].tool) == (tool, tool)


def test_42_a_cascade_is_no_failure(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        call("10:00:02.000", "t1", "PostToolUseFailure", error="No such file"),
        call("10:00:02.000", "t2", "PostToolUseFailure", error="Sibling tool call errored"),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed"]


def test_a_call_that_a_person_interrupted_ends_a_cancelled_turn(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        call("10:00:02.000", "t1", "PostToolUseFailure", error="x", is_interrupt=True),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed", "turnCancelled", "idle"]


def test_a_turn_that_was_interrupted_unheard_ends_with_the_reminder(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        hook("10:00:02.000", "Notification", notification_type="permission_prompt"),
        hook("10:01:02.000", "Notification", notification_type="idle_prompt"),
        hook("10:02:02.000", "Notification", notification_type="idle_prompt"),
    )
    assert short(inputs) == [
        "10:00:01.000 TurnStarted s1",
        "10:01:02.000 turnCancelled s1",
        "10:01:02.000 idle s1",
    ]


def test_an_error_of_the_api_fails_the_turn(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        hook("10:00:02.000", "StopFailure", error="overloaded"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnFailed", "idle"]


def test_an_agent_that_goes_on_after_its_stop_has_started_a_turn(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        hook("10:00:02.000", "Stop"),
        call("10:00:03.000", "t1"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle", "TurnStarted"]


def test_a_denied_call_failed(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        call("10:00:02.000", "t1"),
        call("10:00:03.000", "t1", "PermissionDenied"),
        call("10:00:03.000", "t9", "PermissionDenied"),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed"]


def test_a_subagent_is_a_session_of_its_own(tmp_path):
    inputs = of(
        tmp_path,
        hook("10:00:01.000", "UserPromptSubmit"),
        hook("10:00:02.000", "SubagentStart", agent_id="a1"),
        call("10:00:03.000", "t1", "PostToolUse", agent_id="a1"),
        hook("10:00:04.000", "SubagentStop", agent_id="a1"),
    )
    assert short(inputs) == [
        "10:00:01.000 TurnStarted s1",
        "10:00:02.000 TurnStarted a1",
        "10:00:03.000 toolCalled a1",
        "10:00:04.000 turnCompleted a1",
        "10:00:04.000 idle a1",
        "10:00:04.000 childFinished s1",
    ]


def test_a_payload_that_was_not_stamped_is_a_problem(tmp_path):
    lines = [hook("10:00:01.000", "UserPromptSubmit"), {"hook_event_name": "Stop"}]
    inputs, report = read(write(tmp_path / "hooks.jsonl", lines))
    assert kinds(inputs) == ["TurnStarted"]
    assert "`at` is missing" in report.problems[0].message


@pytest.mark.parametrize("name", ["Party", 5, None])
def test_unknown_hooks_are_skipped_and_counted(tmp_path, name):
    lines = [hook("10:00:01.000", "UserPromptSubmit"), hook("10:00:02.000", name)]
    _, report = read(write(tmp_path / "hooks.jsonl", lines))
    assert sum(report.skipped.values()) == 1
    assert report.unreadable == 0
