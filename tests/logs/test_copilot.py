"""Copilot CLI's events, one trap a test."""

from itertools import count

import pytest

from logs.kit import kinds, read, short, write
from wakeful.logs import input_hash
from wakeful.model.events import Activity, Facts, Tool

_numbers = count(1)


def event(time, kind, **data):
    return {
        "type": kind,
        "data": data,
        "id": f"e{next(_numbers)}",
        "timestamp": f"2026-03-02T{time}Z",
        "parentId": None,
    }


def start(time="10:00:00.000"):
    return event(time, "session.start", sessionId="s1", context={"cwd": "/home/ann/web"})


def prompt(time, **data):
    return event(time, "user.message", content="go", **{"delivery": "idle"} | data)


def answer(begin, end, *calls):
    """A reply: its beginning, its words, its calls (id, success, begin, end), its end."""
    lines = [event(begin, "assistant.turn_start", turnId="0")]
    lines.append(
        event(begin, "assistant.message", toolRequests=[{"toolCallId": c[0]} for c in calls])
    )
    for id_, success, called, done in calls:
        lines.append(
            event(
                called, "tool.execution_start", toolCallId=id_, toolName="bash", arguments={"c": 1}
            )
        )
        lines.append(event(done, "tool.execution_complete", toolCallId=id_, success=success))
    return [*lines, event(end, "assistant.turn_end", turnId="0")]


def of(tmp_path, *lines, **options):
    inputs, report = read(write(tmp_path / "s" / "events.jsonl", lines), **options)
    assert report.unreadable == 0, report.problems
    return [one for one in inputs if not isinstance(one, Activity)]


def test_a_turn_runs_from_the_message_to_the_last_reply_of_its_interaction(tmp_path):
    inputs = of(
        tmp_path,
        start(),
        prompt("10:00:01.000"),
        *answer("10:00:02.000", "10:00:05.000", ("c1", True, "10:00:03.000", "10:00:04.000")),
        *answer("10:00:05.001", "10:00:09.000"),
    )
    assert short(inputs) == [
        "10:00:01.000 TurnStarted s1",
        "10:00:04.000 toolCalled s1",
        "10:00:09.000 turnCompleted s1",
        "10:00:09.000 idle s1",
    ]
    assert inputs[0].facts == Facts(
        provider="copilot", project="web", folders=("file:///home/ann/web",)
    )
    assert inputs[1].tool == Tool("bash", input_hash({"c": 1}))


def test_a_turn_that_the_program_goes_on_with_by_itself_is_a_turn(tmp_path):
    inputs = of(
        tmp_path,
        start(),
        prompt("10:00:01.000"),
        *answer("10:00:02.000", "10:00:03.000"),
        prompt("10:00:04.000", isAutopilotContinuation=True),
        *answer("10:00:05.000", "10:00:06.000"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle"] * 2


def test_a_call_that_did_not_succeed_failed(tmp_path):
    inputs = of(
        tmp_path,
        start(),
        prompt("10:00:01.000"),
        *answer("10:00:02.000", "10:00:05.000", ("c1", False, "10:00:03.000", "10:00:04.000")),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed"]


@pytest.mark.parametrize("delivery", ["steering", "queued"])
def test_a_message_for_the_running_turn_starts_no_other(tmp_path, delivery):
    inputs = of(
        tmp_path, start(), prompt("10:00:01.000"), prompt("10:00:02.000", delivery=delivery)
    )
    assert kinds(inputs) == ["TurnStarted"]


def test_an_error_fails_the_turn_and_an_abort_cancels_it(tmp_path):
    inputs = of(
        tmp_path,
        start(),
        prompt("10:00:01.000"),
        event("10:00:02.000", "session.error", errorType="quota", message="x"),
        prompt("10:00:03.000"),
        event("10:00:04.000", "abort", reason="user"),
        *answer("10:00:04.000", "10:00:04.001")[3:],
    )
    assert kinds(inputs) == [
        "TurnStarted",
        "turnFailed",
        "idle",
        "TurnStarted",
        "turnCancelled",
        "idle",
    ]


def test_a_session_that_shuts_down_has_ended_and_may_be_resumed(tmp_path):
    inputs = of(
        tmp_path,
        start(),
        prompt("10:00:01.000"),
        event("10:00:02.000", "session.shutdown"),
        event("10:10:00.000", "session.resume", context={"cwd": "/home/ann/api"}),
        prompt("10:10:01.000"),
    )
    assert short(inputs) == [
        "10:00:01.000 TurnStarted s1",
        "10:00:02.000 SessionEnded s1",
        "10:10:01.000 TurnStarted s1",
    ]
    assert inputs[-1].facts.project == "api"


def test_a_log_that_begins_within_a_session_is_named_by_its_folder(tmp_path):
    inputs = of(tmp_path, *answer("10:00:02.000", "10:00:03.000"))
    assert short(inputs)[0] == "10:00:02.000 TurnStarted s"


def test_events_that_are_written_twice_count_once(tmp_path):
    lines = [start(), prompt("10:00:01.000"), *answer("10:00:02.000", "10:00:03.000")]
    log = write(tmp_path / "events.jsonl", lines + lines)
    inputs, report = read(log)
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle"]
    assert (report.duplicates, report.late) == (len(lines), 0)


def test_the_title_is_told(tmp_path):
    (turn,) = of(
        tmp_path,
        start(),
        event("10:00:00.500", "session.title_changed", title="T"),
        prompt("10:00:01.000"),
    )
    assert turn.title == "T"


def test_unknown_types_are_skipped_and_counted(tmp_path):
    _, report = read(write(tmp_path / "a.jsonl", [start(), event("10:00:00.000", "session.party")]))
    assert report.skipped == {"session.party": 1}
