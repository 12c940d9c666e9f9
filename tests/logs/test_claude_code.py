"""Claude Code's transcripts, one trap a test."""

import json

import pytest

from logs.claude import assistant, call, duration, prompt, queued, record, result, text
from logs.kit import at, kinds, read, short, write
from wakeful.logs import input_hash, open_logs
from wakeful.model.events import Activity, Facts, SessionEvent, Tool, TurnStarted

WEB = Facts(provider="claude", project="web", folders=("file:///home/ann/web",))


def of(tmp_path, *lines, **options):
    """The inputs of one transcript."""
    inputs, report = read(write(tmp_path / "s1.jsonl", lines), **options)
    assert report.unreadable == 0, report.problems
    return inputs


def events(inputs):
    return [one for one in inputs if isinstance(one, SessionEvent)]


# Facts and state


def test_a_turn_with_its_state_and_facts(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1", input_={"command": "make", "timeout": 5}),
        result("10:00:02.000", "t1"),
        result("10:00:02.500", "t2", error=True),
        text("10:00:03.000"),
        duration("10:00:03.100"),
    )
    tool = Tool("Bash", input_hash({"timeout": 5, "command": "make"}))
    assert inputs == [
        TurnStarted("s1", at("10:00:00.000"), WEB),
        Activity("s1", at("10:00:01.000")),
        SessionEvent("toolCalled", "s1", at("10:00:02.000"), WEB, True, 0, 1, tool),
        SessionEvent("toolFailed", "s1", at("10:00:02.500"), WEB, True, 0, 2),
        Activity("s1", at("10:00:03.000")),
        SessionEvent("turnCompleted", "s1", at("10:00:03.100"), WEB, False, 0, 2),
        SessionEvent("idle", "s1", at("10:00:03.100"), WEB, False, 0, 0),
    ]


@pytest.mark.parametrize(
    ("cwd", "folders", "project"),
    [
        ("/", ("file:///",), None),
        ("/srv/my app/é", ("file:///srv/my%20app/%C3%A9",), "é"),
        ("C:\\work\\web", ("file:///C:/work/web",), "web"),
        ("relative/web", (), "web"),
        ("", (), None),
    ],
)
def test_folders_are_uris_and_the_project_the_last_component(tmp_path, cwd, folders, project):
    (start,) = of(tmp_path, prompt("10:00:00.000", cwd=cwd))
    assert start.facts == Facts(provider="claude", project=project, folders=folders)


def test_facts_follow_the_working_directory(tmp_path):
    first, second = of(
        tmp_path, prompt("10:00:00.000"), prompt("10:00:01.000", cwd="/home/ann/api")
    )
    assert (first.facts.project, second.facts.project) == ("web", "api")


def test_41_parallel_calls_are_paired_by_id_in_whatever_order_they_finish(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1", "Read", {"f": 1}),
        call("10:00:01.100", "t2", "Grep", {"p": 2}),
        result("10:00:02.000", "t2"),
        result("10:00:02.100", "t1", error=True),
    )
    assert [(one.kind, one.tool) for one in events(inputs)] == [
        ("toolCalled", Tool("Grep", input_hash({"p": 2}))),
        ("toolFailed", Tool("Read", input_hash({"f": 1}))),
    ]


def test_40_thoughts_and_call_ids_do_not_hide_that_a_call_is_the_same(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        assistant("10:00:00.500", {"type": "thinking", "thinking": "once"}),
        call("10:00:01.000", "t1"),
        result("10:00:02.000", "t1"),
        assistant("10:00:02.500", {"type": "thinking", "thinking": "again"}),
        call("10:00:03.000", "t2"),
        result("10:00:04.000", "t2"),
    )
    first, second = events(inputs)
    assert first.tool == second.tool


def test_a_description_makes_another_input(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1", input_={"command": "make", "description": "a"}),
        call("10:00:01.100", "t2", input_={"command": "make", "description": "b"}),
        result("10:00:02.000", "t1"),
        result("10:00:02.100", "t2"),
    )
    first, second = events(inputs)
    assert first.tool != second.tool


# Failures


@pytest.mark.parametrize(
    "content",
    [
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        [{"type": "text", "text": "Sibling tool call errored"}],
        "<tool_use_error>Cancelled: parallel tool call Bash(make) errored</tool_use_error>",
    ],
)
def test_42_one_failure_and_its_seven_cascades_are_one_failure(tmp_path, content):
    siblings = [f"t{n}" for n in range(2, 9)]
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        *(call("10:00:01.000", id_) for id_ in ["t1", *siblings]),
        result("10:00:02.000", "t1", "No such file", error=True),
        *(result("10:00:02.100", id_, content, error=True) for id_ in siblings),
        call("10:00:03.000", "t9"),
        result("10:00:04.000", "t9"),
    )
    assert [(one.kind, one.turn_tool_calls) for one in events(inputs)] == [
        ("toolFailed", 1),
        ("toolCalled", 2),
    ]


def test_a_result_that_only_talks_of_siblings_is_no_cascade(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1"),
        result("10:00:02.000", "t1", "grep: Sibling tool call errored"),
    )
    assert kinds(inputs) == ["TurnStarted", "toolCalled"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("The user doesn't want to proceed", "User rejected tool use"),
        ("<tool_use_error>File does not exist.</tool_use_error>", "Error: File does not exist."),
    ],
)
def test_a_refused_call_is_a_failed_one(tmp_path, content, said):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1"),
        result("10:00:02.000", "t1", content, error=True, toolUseResult=said),
    )
    assert kinds(inputs) == ["TurnStarted", "toolFailed"]


def test_a_result_of_a_call_that_was_not_seen_has_no_tool(tmp_path):
    inputs = of(tmp_path, prompt("10:00:00.000"), result("10:00:01.000", "t1"))
    assert [(one.kind, one.tool) for one in events(inputs)] == [("toolCalled", None)]


# What starts a turn


@pytest.mark.parametrize(
    "said",
    [
        "<local-command-stdout>Cleared.</local-command-stdout>",
        "<local-command-caveat>Caveat: The messages below</local-command-caveat>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "[Request interrupted by user]",
    ],
)
def test_what_a_person_does_in_the_program_itself_starts_no_turn(tmp_path, said):
    assert of(tmp_path, prompt("10:00:00.000", said)) == []


def test_a_slash_command_that_is_answered_starts_a_turn(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000", "<command-name>/review</command-name>"),
        prompt("10:00:00.010", "Review this: ...", isMeta=True),
        text("10:00:02.000"),
        duration("10:00:02.100"),
    )
    assert short(inputs)[:1] == ["10:00:00.000 TurnStarted s1"]
    assert short(inputs)[-2:] == ["10:00:02.100 turnCompleted s1", "10:00:02.100 idle s1"]


@pytest.mark.parametrize(
    "said",
    [
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
        "<command-message>clear</command-message>\n<command-name>/clear</command-name>",
    ],
)
def test_the_turn_of_a_command_in_the_program_lasts_until_the_next(tmp_path, said):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000", "Caveat: The messages below were generated by", isMeta=True),
        prompt("10:00:00.000", said),
        prompt("10:00:00.000", "<local-command-stdout></local-command-stdout>"),
        prompt("10:10:00.000", "now a real one"),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:10:00.000 TurnStarted s1",
    ]


def test_instructions_given_in_a_turn_start_no_other(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        prompt("10:00:01.000", "Base directory for this skill: /x", isMeta=True),
    )
    assert kinds(inputs) == ["TurnStarted"]


def test_the_summary_of_a_compacted_conversation_is_no_prompt(tmp_path):
    inputs = of(
        tmp_path,
        record("system", "10:00:00.000", subtype="compact_boundary"),
        prompt("10:00:00.000", "This session is being continued", isCompactSummary=True),
    )
    assert inputs == []


def test_a_message_of_several_parts_starts_a_turn(tmp_path):
    parts = [{"type": "image", "source": {}}, {"type": "text", "text": "what is this?"}]
    line = record("user", "10:00:00.000", message={"content": parts})
    assert kinds(of(tmp_path, line)) == ["TurnStarted"]


def test_a_reply_without_a_prompt_starts_a_turn(tmp_path):
    inputs = of(tmp_path, call("10:00:00.000", "t1"), result("10:00:01.000", "t1"))
    assert kinds(inputs) == ["TurnStarted", "toolCalled"]


# What ends a turn


@pytest.mark.parametrize(
    "said", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"]
)
def test_an_interruption_cancels_the_turn(tmp_path, said):
    parts = {"content": [{"type": "text", "text": said}]}
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1"),
        record("user", "10:00:02.000", message=parts),
        record("user", "10:00:03.000", message=parts),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:02.000 turnCancelled s1",
        "10:00:02.000 idle s1",
    ]


def test_an_error_of_the_api_fails_the_turn(tmp_path):
    message = {
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error: 529 overloaded"}],
    }
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        record("system", "10:00:01.000", subtype="api_error"),
        record("assistant", "10:00:09.000", message=message, isApiErrorMessage=True),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:09.000 turnFailed s1",
        "10:00:09.000 idle s1",
    ]


def test_a_reply_that_the_program_made_up_is_no_turn(tmp_path):
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": "No response"}]}
    assert of(tmp_path, record("assistant", "10:00:00.000", message=message)) == []


def test_an_ending_is_inferred_five_seconds_after_the_last_record(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        text("10:00:02.000"),
        record("system", "10:00:02.500", subtype="stop_hook_summary"),
        prompt("10:01:00.000"),
    )
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:07.500 turnCompleted s1",
        "10:00:07.500 idle s1",
        "10:01:00.000 TurnStarted s1",
    ]


@pytest.mark.parametrize(
    ("next_at", "ended"), [("10:00:06.999", False), ("10:00:07.000", True), ("10:00:07.001", True)]
)
def test_an_ending_is_inferred_when_nothing_came_for_five_seconds(tmp_path, next_at, ended):
    inputs = of(tmp_path, prompt("10:00:00.000"), text("10:00:02.000"), prompt(next_at))
    assert ("turnCompleted" in kinds(inputs)) is ended


def test_no_ending_is_inferred_while_a_call_runs_or_the_reply_goes_on(tmp_path):
    thinking = assistant("10:00:02.000", {"type": "thinking", "thinking": "hm"})
    unfinished = text("10:00:02.000")
    unfinished["message"]["stop_reason"] = "tool_use"
    for line in (thinking, unfinished, call("10:00:02.000", "t1")):
        inputs = of(tmp_path, prompt("10:00:00.000"), line, result("10:01:00.000", "t1"))
        assert kinds(inputs) == ["TurnStarted", "toolCalled"]


def test_an_agent_that_goes_on_after_an_inferred_ending_has_started_a_turn(tmp_path):
    inputs = of(tmp_path, prompt("10:00:00.000"), text("10:00:01.000"), call("10:00:09.000", "t1"))
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:06.000 turnCompleted s1",
        "10:00:06.000 idle s1",
        "10:00:09.000 TurnStarted s1",
    ]


def test_a_log_that_ends_is_not_time_that_passed(tmp_path):
    lines = [prompt("10:00:00.000"), text("10:00:02.000")]
    assert kinds(of(tmp_path, *lines)) == ["TurnStarted"]
    assert kinds(of(tmp_path, *lines, until=at("10:00:06.999"))) == ["TurnStarted"]
    until = of(tmp_path, *lines, until=at("10:00:07.000"))
    assert kinds(until) == ["TurnStarted", "turnCompleted", "idle"]


def test_a_long_turn_of_a_program_that_writes_durations_waits_for_its_record(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000", version="2.1.39"),
        text("10:00:40.000", version="2.1.39"),
        call("10:00:50.000", "t1"),
        result("10:00:51.000", "t1"),
        text("10:01:00.000"),
        duration("10:01:08.000"),
    )
    assert short(inputs)[-2:] == ["10:01:08.000 turnCompleted s1", "10:01:08.000 idle s1"]
    assert kinds(inputs).count("turnCompleted") == 1


def test_a_session_that_wrote_a_duration_is_trusted_to_write_the_next(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        duration("10:00:01.000"),
        prompt("10:01:00.000"),
        text("10:02:00.000"),
        call("10:02:09.000", "t1"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle", "TurnStarted"]


def test_a_session_that_left_one_out_is_not(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000", version="2.1.39"),
        text("10:00:40.000"),
        prompt("10:05:00.000"),
        text("10:05:40.000"),
        prompt("10:10:00.000"),
    )
    assert short(inputs)[1:3] == ["10:05:00.000 TurnStarted s1", "10:05:45.000 turnCompleted s1"]


# The queue


def test_messages_that_wait_are_counted(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        queued("10:00:01.000", "enqueue"),
        queued("10:00:02.000", "enqueue"),
        queued("10:00:03.000", "remove"),
        duration("10:00:04.000"),
        queued("10:00:04.010", "dequeue"),
        prompt("10:00:04.020"),
        queued("10:00:05.000", "enqueue"),
        queued("10:00:06.000", "popAll"),
        duration("10:00:07.000"),
    )
    assert [(one.kind, one.queued) for one in events(inputs)] == [
        ("messageQueued", 1),
        ("messageQueued", 2),
        ("turnCompleted", 1),
        ("messageQueued", 1),
        ("turnCompleted", 0),
        ("idle", 0),
    ]
    assert {one.facts for one in inputs if not isinstance(one, Activity)} == {WEB}


def test_an_unknown_change_of_the_queue_is_counted_as_skipped(tmp_path):
    _, report = read(write(tmp_path / "a.jsonl", [queued("10:00:00.000", "shuffle")]))
    assert report.skipped == {"queue-operation shuffle": 1}


# Activity


def test_what_the_agent_and_its_tools_do_is_activity_while_a_turn_runs(tmp_path):
    inputs = of(
        tmp_path,
        record("progress", "10:00:00.000", data={"type": "hook_progress"}),
        prompt("10:00:01.000"),
        assistant("10:00:02.000", {"type": "thinking", "thinking": "hm"}),
        record("progress", "10:00:03.000", data={"type": "bash_progress"}),
        record("attachment", "10:00:04.000", attachment={"type": "queued_command"}),
        text("10:00:05.000"),
        duration("10:00:05.100"),
        record("progress", "10:00:06.000", data={"type": "hook_progress"}),
    )
    activity = [one.at - at("10:00:00.000") for one in inputs if isinstance(one, Activity)]
    assert activity == [2_000, 3_000, 4_000, 5_000]


# Subagents


def sub(line, agent="a1"):
    return line | {"isSidechain": True, "agentId": agent}


def test_a_subagent_is_a_session_of_its_own_and_its_end_is_told_of_the_parent(tmp_path):
    main = [
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1", "Task", {"prompt": "look"}),
        result("10:00:09.000", "t1", toolUseResult={"status": "completed", "agentId": "a1"}),
    ]
    child = [
        sub(prompt("10:00:02.000", "look")),
        sub(call("10:00:03.000", "c1", "Read", {"f": 1})),
        sub(result("10:00:04.000", "c1", error=True)),
        sub(text("10:00:08.000")),
    ]
    write(tmp_path / "x" / "s1.jsonl", main)
    write(tmp_path / "x" / "s1" / "subagents" / "agent-a1.jsonl", child)

    inputs, _ = read(tmp_path / "x")

    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:02.000 TurnStarted a1",
        "10:00:04.000 toolFailed a1",
        "10:00:09.000 turnCompleted a1",
        "10:00:09.000 idle a1",
        "10:00:09.000 childFinished s1",
        "10:00:09.000 toolCalled s1",
    ]
    finished = inputs[-2]
    assert (finished.child, finished.running, finished.facts) == ("a1", True, WEB)


def test_a_subagent_whose_result_does_not_come_ends_by_quiet(tmp_path):
    lines = [
        sub(prompt("10:00:00.000", version="2.1.39")),
        sub(text("10:02:00.000")),
        prompt("10:03:00.000"),
    ]
    assert short(of(tmp_path, *lines)) == [
        "10:00:00.000 TurnStarted a1",
        "10:02:05.000 turnCompleted a1",
        "10:02:05.000 idle a1",
        "10:02:05.000 childFinished s1",
        "10:03:00.000 TurnStarted s1",
    ]


def test_a_subagent_that_was_only_launched_has_not_ended(tmp_path):
    said = {"status": "async_launched", "agentId": "a1"}
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        sub(prompt("10:00:01.000")),
        result("10:00:02.000", "t1", toolUseResult=said),
    )
    assert "childFinished" not in kinds(inputs)


def test_an_interruption_stops_the_subagents_too(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        sub(prompt("10:00:01.000")),
        prompt("10:00:02.000", "[Request interrupted by user]"),
    )
    assert short(inputs)[2:] == [
        "10:00:02.000 turnCancelled a1",
        "10:00:02.000 idle a1",
        "10:00:02.000 childFinished s1",
        "10:00:02.000 turnCancelled s1",
        "10:00:02.000 idle s1",
    ]


def test_older_subagents_without_a_name_are_known_by_the_record_that_began_them(tmp_path):
    def inline(line, uuid, parent):
        return line | {"isSidechain": True, "uuid": uuid, "parentUuid": parent}

    inputs = of(
        tmp_path,
        inline(prompt("10:00:00.000"), "x1", None),
        inline(prompt("10:00:00.500"), "y1", None),
        inline(call("10:00:01.000", "c1"), "x2", "x1"),
        inline(call("10:00:01.500", "c2"), "y2", "y1"),
        inline(result("10:00:02.000", "c1"), "x3", "x2"),
        inline(result("10:00:02.500", "c2"), "y3", "y2"),
    )
    assert [one.session for one in inputs] == ["x1", "y1", "x1", "y1", "x1", "y1"]


# Titles


def test_titles_are_told_and_a_persons_outlasts_the_agents(tmp_path):
    first, second, third = of(
        tmp_path,
        prompt("10:00:00.000"),
        {"type": "ai-title", "aiTitle": "A guess", "sessionId": "s1"},
        prompt("10:00:01.000"),
        {"type": "custom-title", "customTitle": "Mine", "sessionId": "s1"},
        {"type": "ai-title", "aiTitle": "Another guess", "sessionId": "s1"},
        prompt("10:00:02.000"),
    )
    assert [first.title, second.title, third.title] == [None, "A guess", "Mine"]


def test_a_summary_names_the_session_that_its_leaf_belongs_to(tmp_path):
    first, second = of(
        tmp_path,
        {"type": "summary", "summary": "About the web", "leafUuid": "leaf"},
        {"type": "summary", "summary": "About nothing here", "leafUuid": "elsewhere"},
        prompt("10:00:00.000", uuid="leaf"),
        prompt("10:00:01.000", sessionId="s2"),
    )
    assert [first.title, second.title] == ["About the web", None]


# Order, copies, and records that lack things


def test_43_a_transcript_written_again_after_a_compaction_gives_the_same_inputs(tmp_path):
    lines = [prompt("10:00:00.000"), call("10:00:01.000", "t1"), result("10:00:02.000", "t1")]
    once, _ = read(write(tmp_path / "a.jsonl", lines))
    twice, report = read(write(tmp_path / "b.jsonl", lines + lines))
    assert twice == once
    assert (report.duplicates, report.late) == (3, 0)


def test_a_fork_repeats_the_records_under_another_session_and_they_are_dropped(tmp_path):
    lines = [prompt("10:00:00.000"), call("10:00:01.000", "t1"), result("10:00:02.000", "t1")]
    a = write(tmp_path / "s1.jsonl", lines)
    b = write(
        tmp_path / "s2.jsonl",
        [line | {"sessionId": "s2"} for line in lines]
        + [prompt("10:05:00.000", sessionId="s2"), prompt("10:06:00.000", sessionId="s2")],
    )
    inputs, report = read(a, b)
    assert short(inputs) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:02.000 toolCalled s1",
        "10:05:00.000 TurnStarted s2",
        "10:06:00.000 TurnStarted s2",
    ]
    assert report.duplicates == 3


def test_a_session_that_goes_on_in_another_file_is_one_session(tmp_path):
    write(tmp_path / "x" / "b.jsonl", [call("10:00:01.000", "t1")])
    write(tmp_path / "x" / "a.jsonl", [result("10:00:02.000", "t1")])
    inputs, _ = read(tmp_path / "x")
    assert inputs[-1].tool == Tool("Bash", input_hash({"command": "make"}))


def test_two_sessions_in_one_folder_are_two(tmp_path):
    inputs = of(
        tmp_path,
        prompt("10:00:00.000"),
        prompt("10:00:00.100", sessionId="s2"),
        duration("10:00:01.000"),
    )
    assert short(inputs)[:3] == [
        "10:00:00.000 TurnStarted s1",
        "10:00:00.100 TurnStarted s2",
        "10:00:01.000 turnCompleted s1",
    ]


def test_44_records_out_of_order_by_milliseconds_give_what_the_sorted_log_gives(tmp_path):
    lines = [
        prompt("10:00:00.000"),
        call("10:00:01.000", "t1"),
        result("10:00:01.300", "t1"),
        call("10:00:01.200", "t2", "Read"),
        result("10:00:01.250", "t2", error=True),
        text("10:00:01.900"),
        prompt("10:01:00.000"),
    ]
    swapped = [lines[n] for n in (1, 0, 4, 2, 3, 5, 6)]
    ordered, _ = read(write(tmp_path / "a.jsonl", sorted(lines, key=lambda x: x["timestamp"])))
    inputs, report = read(write(tmp_path / "b.jsonl", swapped))
    assert inputs == ordered
    assert report.late == 0


def test_44_a_record_that_is_later_than_the_window_is_late(tmp_path):
    lines = [prompt("10:00:00.000"), prompt("10:00:05.000"), text("10:00:01.000")]
    lines.insert(2, prompt("10:00:09.000"))
    _, report = read(write(tmp_path / "a.jsonl", lines))
    assert report.late == 1


def test_45_records_without_an_instant_do_not_move_the_clock(tmp_path):
    inputs = of(
        tmp_path,
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "file-history-snapshot", "snapshot": {"timestamp": "2030-01-01T00:00:00Z"}},
        prompt("10:00:00.000"),
        {"type": "last-prompt", "sessionId": "s1"},
        record("user", "10:00:00.000") | {"timestamp": None},
        text("10:00:01.000"),
        prompt("10:01:00.000"),
    )
    assert short(inputs)[0] == "10:00:00.000 TurnStarted s1"
    assert short(inputs)[1] == "10:00:06.000 turnCompleted s1"


def test_46_a_file_of_metadata_only_is_read(tmp_path):
    lines = [
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "permission-mode", "permissionMode": "default", "sessionId": "s1"},
    ]
    for line in lines:
        assert of(tmp_path, line) == []


def test_unknown_types_are_skipped_and_counted_whatever_they_hold(tmp_path):
    lines = [
        prompt("10:00:00.000"),
        {"type": "hologram", "message": 5, "uuid": []},
        {"type": "hologram", "timestamp": "soon"},
    ]
    inputs, report = read(write(tmp_path / "a.jsonl", lines))
    assert kinds(inputs) == ["TurnStarted"]
    assert report.skipped == {"hologram": 2}
    assert report.unreadable == 0


@pytest.mark.parametrize(
    "line",
    [
        record("user", "10:00:01.000", message=5),
        record("user", "10:00:01.000", message={"content": {"a": 1}}),
        record("user", "yesterday"),
        record("user", "10:00:01.000", uuid=7),
        '{"type":"user","message":{"content":"cut off',
        "[]",
    ],
    ids=str,
)
def test_a_record_that_cannot_be_read_is_a_problem_with_its_line(tmp_path, line):
    log = write(tmp_path / "a.jsonl", [prompt("10:00:00.000"), line, prompt("10:00:02.000")])
    inputs, report = read(log)
    assert kinds(inputs) == ["TurnStarted", "TurnStarted"]
    assert [(problem.file, problem.line) for problem in report.problems] == [(str(log), 2)]


def test_46_an_input_with_a_lone_surrogate_and_odd_numbers_is_hashed(tmp_path):
    line = json.dumps(call("10:00:01.000", "t1", input_="?"))
    line = line.replace('"?"', '{"s":"\\ud800","n":1e999,"i":123456789012345678901234567890}')
    inputs = of(tmp_path, prompt("10:00:00.000"), line, result("10:00:02.000", "t1"))
    meant = {"s": "\\ud800", "n": "Infinity", "i": 123456789012345678901234567890}
    assert events(inputs)[0].tool == Tool("Bash", input_hash(meant))


def test_47_an_instant_without_a_zone_needs_one_to_be_given(tmp_path):
    from zoneinfo import ZoneInfo

    line = prompt("10:00:00.000") | {"timestamp": "2026-03-02T11:00:00.000"}
    log = write(tmp_path / "a.jsonl", [line])
    assert "no zone" in read(log)[1].problems[0].message
    inputs, _ = read(log, zone=ZoneInfo("Europe/Berlin"))
    assert short(inputs) == ["10:00:00.000 TurnStarted s1"]


def test_ids_are_forgotten_when_their_file_was_read(tmp_path):
    a = write(tmp_path / "a.jsonl", [prompt("10:00:00.000"), prompt("10:00:01.000")])
    stream = open_logs([a])
    list(stream)
    (reader,) = stream._readers.values()
    assert len(reader.seen) == 0
