"""OpenHands' events, one trap a test."""

import json
from datetime import UTC
from itertools import count
from zoneinfo import ZoneInfo

import pytest

from logs.kit import at, kinds, read, short, write
from wakeful.errors import LogError
from wakeful.logs import input_hash, open_logs
from wakeful.model.events import Activity, Facts, Tool

_numbers = count(1)


def event(time, kind, source="agent", **members):
    """An event; the time is naive and has microseconds."""
    return {
        "id": f"e{next(_numbers)}",
        "timestamp": f"2026-03-02T{time}999",
        "source": source,
        "kind": kind,
    } | members


def status(time, value):
    return event(
        time, "ConversationStateUpdateEvent", "environment", key="execution_status", value=value
    )


def said(time, source="agent"):
    return event(time, "MessageEvent", source, llm_message={"content": []})


def action(time, id_, name="terminal", command="ls", **members):
    given = {"command": command, "kind": "TerminalAction"}
    return event(time, "ActionEvent", tool_name=name, tool_call_id=id_, action=given, **members)


def observed(time, id_, **observation):
    return event(
        time,
        "ObservationEvent",
        "environment",
        tool_name="terminal",
        tool_call_id=id_,
        observation={"content": []} | observation,
    )


def of(tmp_path, *lines):
    inputs, report = read(write(tmp_path / "talk.jsonl", lines), zone=UTC)
    assert report.unreadable == 0, report.problems
    return [one for one in inputs if not isinstance(one, Activity)]


def test_a_turn_as_the_execution_status_tells_it(tmp_path):
    inputs = of(
        tmp_path,
        said("10:00:00.000", "user"),
        status("10:00:00.100", "running"),
        action("10:00:01.000", "c1", thought=["first"]),
        observed("10:00:02.000", "c1", exit_code=0, is_error=False),
        said("10:00:03.000"),
        status("10:00:20.000", "finished"),
        status("10:00:20.001", "idle"),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted talk",
        "10:00:02.000 toolCalled talk",
        "10:00:20.000 turnCompleted talk",
        "10:00:20.000 idle talk",
    ]
    assert inputs[1].tool == Tool(
        "terminal", input_hash({"command": "ls", "kind": "TerminalAction"})
    )


def test_47_instants_without_a_zone_need_one_and_microseconds_are_cut(tmp_path):
    log = write(tmp_path / "talk.jsonl", [said("10:00:00.000", "user")])

    inputs, report = read(log)
    assert (inputs, report.unreadable, report.without_zone) == ([], 1, 1)

    inputs, _ = read(log, zone=ZoneInfo("Europe/Berlin"))
    assert [one.at for one in inputs] == [at("09:00:00.000")]


def test_without_a_status_the_message_starts_a_turn_and_quiet_ends_it(tmp_path):
    inputs = of(
        tmp_path,
        said("10:00:00.000", "user"),
        action("10:00:01.000", "c1"),
        observed("10:00:30.000", "c1"),
        said("10:00:31.000"),
        said("10:01:00.000", "user"),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted talk",
        "10:00:30.000 toolCalled talk",
        "10:00:36.000 turnCompleted talk",
        "10:00:36.000 idle talk",
        "10:01:00.000 TurnStarted talk",
    ]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("finished", "turnCompleted"),
        ("idle", "turnCompleted"),
        ("paused", "turnCancelled"),
        ("error", "turnFailed"),
        ("stuck", "turnFailed"),
    ],
)
def test_the_status_says_how_a_turn_ended(tmp_path, value, kind):
    inputs = of(tmp_path, status("10:00:00.000", "running"), status("10:00:01.000", value))
    assert kinds(inputs) == ["TurnStarted", kind, "idle"]


def test_waiting_for_confirmation_ends_no_turn(tmp_path):
    inputs = of(
        tmp_path,
        status("10:00:00.000", "running"),
        status("10:00:01.000", "waiting_for_confirmation"),
    )
    assert kinds(inputs) == ["TurnStarted"]


@pytest.mark.parametrize(
    ("observation", "kind"),
    [
        ({"exit_code": 0, "is_error": False}, "toolCalled"),
        ({"exit_code": None}, "toolCalled"),
        ({"exit_code": -1}, "toolCalled"),
        ({"exit_code": 2, "is_error": False}, "toolFailed"),
        ({"is_error": True}, "toolFailed"),
    ],
    ids=str,
)
def test_a_call_fails_by_its_error_or_its_exit_code(tmp_path, observation, kind):
    inputs = of(
        tmp_path,
        status("10:00:00.000", "running"),
        action("10:00:01.000", "c1"),
        observed("10:00:02.000", "c1", **observation),
    )
    assert kinds(inputs) == ["TurnStarted", kind]


@pytest.mark.parametrize("kind", ["AgentErrorEvent", "UserRejectObservation"])
def test_a_call_that_never_ran_failed(tmp_path, kind):
    inputs = of(
        tmp_path,
        status("10:00:00.000", "running"),
        action("10:00:01.000", "c1"),
        event("10:00:02.000", kind, tool_call_id="c1", error="x"),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed"]


def test_40_thoughts_and_ids_do_not_hide_that_a_call_is_the_same(tmp_path):
    inputs = of(
        tmp_path,
        status("10:00:00.000", "running"),
        action("10:00:01.000", "c1", thought=["a"], summary="one"),
        observed("10:00:02.000", "c1"),
        action("10:00:03.000", "c2", thought=["b"], summary="two"),
        observed("10:00:04.000", "c2"),
    )
    assert inputs[1].tool == inputs[2].tool


def test_a_pause_cancels_the_turn(tmp_path):
    inputs = of(
        tmp_path,
        said("10:00:00.000", "user"),
        event("10:00:01.000", "PauseEvent", "user"),
        status("10:00:01.001", "paused"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCancelled", "idle"]


def test_the_whole_state_names_the_conversation_and_its_folder(tmp_path):
    state = {
        "id": "abc",
        "workspace": {"working_dir": "/workspace/web"},
        "execution_status": "running",
    }
    (start,) = of(
        tmp_path,
        event("10:00:00.000", "ConversationStateUpdateEvent", key="full_state", value=state),
    )
    assert (start.session, start.facts) == (
        "abc",
        Facts(provider="openhands", project="web", folders=("file:///workspace/web",)),
    )


@pytest.mark.parametrize("indent", [None, 2])
def test_events_that_are_one_a_file_are_one_conversation(tmp_path, indent):
    events = [
        status("10:00:00.000", "running"),
        action("10:00:01.000", "c1"),
        observed("10:00:02.000", "c1"),
        status("10:00:03.000", "finished"),
    ]
    folder = tmp_path / "conversations" / "abc" / "events"
    folder.mkdir(parents=True)
    for number, one in enumerate(events):
        (folder / f"event-{number:05}-{one['id']}.json").write_text(json.dumps(one, indent=indent))
    inputs, report = read(tmp_path, zone=UTC)
    assert kinds(inputs) == ["TurnStarted", "toolCalled", "turnCompleted", "idle"]
    assert {one.session for one in inputs} == {"abc"}
    assert report.unreadable == 0


def test_events_that_are_a_list_are_read(tmp_path):
    log = tmp_path / "talk.json"
    log.write_text(
        json.dumps([status("10:00:00.000", "running"), status("10:00:01.000", "idle")], indent=1)
    )
    inputs, _ = read(log, zone=UTC)
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle"]


def test_events_that_are_written_twice_count_once(tmp_path):
    lines = [status("10:00:00.000", "running"), status("10:00:01.000", "idle")]
    inputs, report = read(write(tmp_path / "a.jsonl", lines + lines), zone=UTC)
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle"]
    assert report.duplicates == 2


def test_unknown_kinds_are_skipped_and_counted(tmp_path):
    log = write(tmp_path / "a.jsonl", [status("10:00:00.000", "running"), event("x", "SongEvent")])
    _, report = read(log, zone=UTC)
    assert (report.skipped, report.unreadable) == ({"SongEvent": 1}, 0)


def test_a_list_of_something_else_is_no_log(tmp_path):
    log = tmp_path / "a.json"
    log.write_text('[\n "kind", "source", "timestamp"\n]')
    with pytest.raises(LogError, match="no known format"):
        open_logs([log])
