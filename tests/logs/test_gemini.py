"""Gemini CLI's sessions in both forms, one trap a test."""

import json
from pathlib import Path

import pytest

from logs.kit import kinds, read, short, write
from wakeful.logs import input_hash
from wakeful.logs.sources import LineSource
from wakeful.model.events import Activity, Facts, Tool

META = {"sessionId": "s1", "projectHash": "abc", "startTime": "2026-03-02T10:00:00.000Z"}


def message(time, kind, id_, content="x", **members):
    return {
        "id": id_,
        "timestamp": f"2026-03-02T{time}Z",
        "type": kind,
        "content": content,
    } | members


def call(time, id_, status="success", args=None):
    return {
        "id": id_,
        "name": "ls",
        "args": {"p": 1} if args is None else args,
        "status": status,
        "timestamp": f"2026-03-02T{time}Z",
    }


def write_as(tmp_path, form, messages, **members):
    if form == "lines":
        return write(tmp_path / "session-1.jsonl", [META | members, *messages])
    path = tmp_path / "session-1.json"
    indent = 2 if form == "pretty" else None
    path.write_text(json.dumps(META | {"messages": messages} | members, indent=indent))
    return path


@pytest.fixture(params=["lines", "pretty", "compact"])
def of(tmp_path, request):
    """Reads messages as each of the forms."""

    def read_messages(*messages, **members):
        inputs, report = read(write_as(tmp_path, request.param, messages, **members))
        assert report.unreadable == 0, report.problems
        assert report.files[0].format == "gemini-cli"
        return [one for one in inputs if not isinstance(one, Activity)]

    return read_messages


def test_a_turn_with_a_call_that_ends_when_it_says(of):
    inputs = of(
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "gemini", "m2", toolCalls=[call("10:15:00.000", "c1")]),
        message("10:15:02.000", "gemini", "m3"),
        message("10:20:00.000", "user", "m4"),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:15:00.000 toolCalled s1",
        "10:15:07.000 turnCompleted s1",
        "10:15:07.000 idle s1",
        "10:20:00.000 TurnStarted s1",
    ]
    assert inputs[0].facts == Facts(provider="gemini")
    assert inputs[1].tool == Tool("ls", input_hash({"p": 1}))


def test_calls_of_one_message_come_in_the_order_of_their_ends(of):
    calls = [call("10:00:05.000", "c1", "error"), call("10:00:03.000", "c2")]
    inputs = of(
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "gemini", "m2", toolCalls=calls),
    )
    assert short(inputs)[1:] == ["10:00:03.000 toolCalled s1", "10:00:05.000 toolFailed s1"]


def test_a_message_whose_calls_were_all_cancelled_ends_a_cancelled_turn(of):
    calls = [call("10:00:05.000", "c1", "cancelled"), call("10:00:04.000", "c2", "cancelled")]
    inputs = of(
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "gemini", "m2", toolCalls=calls),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed", "toolFailed", "turnCancelled", "idle"]


def test_a_message_of_which_one_call_was_cancelled_goes_on(of):
    calls = [call("10:00:05.000", "c1", "cancelled"), call("10:00:04.000", "c2")]
    inputs = of(
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "gemini", "m2", toolCalls=calls),
    )
    assert kinds(inputs) == ["TurnStarted", "toolCalled", "toolFailed"]


def test_an_error_fails_the_turn_and_a_cancelled_request_cancels_it(of):
    inputs = of(
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "error", "m2", "[API Error: quota]"),
        message("10:00:02.000", "user", "m3"),
        message("10:00:03.000", "info", "m4", "Request cancelled."),
        message("10:00:04.000", "info", "m5", "Update available"),
    )
    assert kinds(inputs) == [
        "TurnStarted",
        "turnFailed",
        "idle",
        "TurnStarted",
        "turnCancelled",
        "idle",
    ]


def test_folders_and_titles_are_taken_where_they_are_told(of):
    (start,) = of(
        message("10:00:00.000", "user", "m1"), directories=["/home/ann/web"], summary="About web"
    )
    assert start.facts.folders == ("file:///home/ann/web",)
    assert start.title == "About web"


def test_a_call_that_waits_for_a_person_is_not_finished_and_nothing_is_inferred(of):
    waiting = call("10:00:01.000", "c1", "awaiting_approval")
    inputs = of(
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "gemini", "m2", toolCalls=[waiting]),
        message("10:20:00.000", "user", "m3"),
    )
    assert kinds(inputs) == ["TurnStarted", "TurnStarted"]


def test_a_message_that_is_written_again_replaces_the_one_before(tmp_path):
    growing = [call("10:00:01.000", "c1", "executing")]
    log = write_as(
        tmp_path,
        "lines",
        [
            message("10:00:00.000", "user", "m1"),
            message("10:00:01.000", "gemini", "m2"),
            message("10:00:01.000", "gemini", "m2", toolCalls=growing),
            message("10:00:01.000", "gemini", "m2", toolCalls=[call("10:00:09.000", "c1")]),
            message("10:00:01.000", "gemini", "m2", toolCalls=[call("10:00:09.000", "c1")]),
            message("10:00:20.000", "user", "m3"),
        ],
    )
    inputs, report = read(log)
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:09.000 toolCalled s1",
        "10:00:20.000 TurnStarted s1",
    ]
    assert (report.duplicates, report.late) == (1, 0)


def test_43_all_messages_set_again_give_nothing_new_and_are_counted(tmp_path):
    messages = [
        message("10:00:00.000", "user", "m1"),
        message("10:00:01.000", "gemini", "m2", toolCalls=[call("10:00:02.000", "c1")]),
    ]
    more = message("10:00:09.000", "user", "m3")
    log = write_as(tmp_path, "lines", [*messages, {"$set": {"messages": [*messages, more]}}])
    inputs, report = read(log)
    assert kinds(inputs) == ["TurnStarted", "toolCalled", "TurnStarted"]
    assert (report.duplicates, report.late) == (2, 0)


def test_what_was_rewound_may_come_again(tmp_path):
    log = write_as(
        tmp_path,
        "lines",
        [
            message("10:00:00.000", "user", "m1"),
            message("10:00:01.000", "user", "m2"),
            {"$rewindTo": "m2"},
            message("10:00:02.000", "user", "m2"),
            {"$rewindTo": "unknown"},
        ],
    )
    assert kinds(read(log)[0]) == ["TurnStarted"] * 3


def test_a_subagents_end_is_told_of_its_parent(tmp_path):
    folder = tmp_path / "chats"
    write(folder / "session-1.jsonl", [META, message("10:00:00.000", "user", "m1")])
    write(
        folder / "s1" / "c1.jsonl",
        [
            META | {"sessionId": "c1", "kind": "subagent"},
            message("10:00:01.000", "user", "n1"),
            message("10:00:02.000", "gemini", "n2"),
        ],
    )
    write(
        tmp_path / "later.jsonl",
        [META | {"sessionId": "s2"}, message("10:01:00.000", "user", "l1")],
    )
    inputs, _ = read(tmp_path)
    assert "10:00:07.000 childFinished s1" in short(inputs)


def test_unknown_types_and_states_are_skipped_and_counted(tmp_path):
    odd = call("10:00:01.000", "c1", "levitating")
    log = write_as(
        tmp_path,
        "lines",
        [
            message("10:00:00.000", "song", "m1"),
            message("10:00:01.000", "gemini", "m2", toolCalls=[odd]),
        ],
    )
    _, report = read(log)
    assert report.skipped == {"song": 1, "toolCall levitating": 1}


def test_a_file_that_is_broken_in_the_middle_is_one_problem(tmp_path):
    log = write_as(tmp_path, "pretty", [message("10:00:00.000", "user", "m1")])
    log.write_text(log.read_text()[:-40])
    inputs, report = read(log)
    assert inputs == []
    assert report.unreadable == 1


def test_whole_files_are_merged_by_their_first_instant_and_loaded_when_it_has_come(
    tmp_path, monkeypatch
):
    loaded = []
    take_all = LineSource.take_all

    def watch(source):
        loaded.append(Path(source.path).stem)
        return take_all(source)

    monkeypatch.setattr(LineSource, "take_all", watch)
    for name, hour in (("a", 12), ("b", 10), ("c", 11)):
        begins = f"2026-03-02T{hour}:00:00.000Z"
        messages = [message(f"{hour}:00:00.000", "user", "m")]
        session = META | {"sessionId": name, "startTime": begins, "messages": messages}
        (tmp_path / f"{name}.json").write_text(json.dumps(session, indent=1))

    inputs, _ = read(tmp_path)

    assert [one.session for one in inputs] == ["b", "c", "a"]
    assert loaded == ["b", "c", "a"]
