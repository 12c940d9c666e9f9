"""Codex's rollouts of both forms, one trap a test."""

import json

import pytest

from logs.kit import kinds, read, short, write
from wakeful.logs import input_hash
from wakeful.logs.codex import output_failed
from wakeful.model.events import Activity, Facts, SessionEvent, Tool

ID = "01997e76-d124-7592-9cac-2ec05abbca08"


def line(time, kind, **payload):
    return {"timestamp": f"2026-03-02T{time}Z", "type": kind, "payload": payload}


def meta(time="10:00:00.000", **members):
    return line(
        time, "session_meta", **{"id": ID, "cwd": "/home/ann/web", "source": "cli"} | members
    )


def event(time, kind, **payload):
    return line(time, "event_msg", type=kind, **payload)


def item(time, kind, **payload):
    return line(time, "response_item", type=kind, **payload)


def call(time, id_, arguments='{"command":["ls"]}', **members):
    return item(
        time, "function_call", **{"name": "shell", "arguments": arguments, "call_id": id_} | members
    )


def output(time, id_, said="ok"):
    return item(time, "function_call_output", call_id=id_, output=said)


def reply(time):
    return item(time, "message", role="assistant", content=[{"type": "output_text", "text": "x"}])


def of(tmp_path, *lines, **options):
    inputs, report = read(write(tmp_path / f"rollout-2026-{ID}.jsonl", lines), **options)
    assert report.unreadable == 0, report.problems
    return [one for one in inputs if not isinstance(one, Activity)]


def test_a_task_of_2026_with_its_facts_and_calls(tmp_path):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "task_started", turn_id="t"),
        item("10:00:01.001", "message", role="user", content=[]),
        event("10:00:01.002", "user_message", message="go"),
        call("10:00:02.000", "c1", '{"b":2,"a":1}'),
        output("10:00:03.000", "c1"),
        reply("10:00:04.000"),
        event("10:00:20.000", "task_complete", turn_id="t"),
    )
    assert short(inputs) == [
        f"10:00:01.000 TurnStarted {ID}",
        f"10:00:03.000 toolCalled {ID}",
        f"10:00:20.000 turnCompleted {ID}",
        f"10:00:20.000 idle {ID}",
    ]
    assert inputs[0].facts == Facts(
        provider="codex", project="web", folders=("file:///home/ann/web",)
    )
    assert inputs[1].tool == Tool("shell", input_hash({"a": 1, "b": 2}))
    assert [one.turn_tool_calls for one in inputs[1:]] == [1, 1, 0]


def test_a_message_that_comes_while_a_task_runs_starts_no_turn(tmp_path):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "task_started"),
        event("10:00:01.002", "user_message", message="go"),
        event("10:00:09.000", "user_message", message="and this too"),
        event("10:00:20.000", "task_complete"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle"]


def test_a_task_that_completed_with_an_error_failed(tmp_path):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "task_started"),
        event("10:00:02.000", "task_complete", error={"message": "overloaded"}),
    )
    assert kinds(inputs) == ["TurnStarted", "turnFailed", "idle"]


def test_in_2025_a_message_starts_a_turn_and_quiet_after_a_reply_ends_it(tmp_path):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "user_message", message="go"),
        call("10:00:02.000", "c1"),
        output("10:00:02.000", "c1"),
        event("10:00:30.000", "agent_message", message="x"),
        reply("10:00:30.001"),
        event("10:01:00.000", "user_message", message="more"),
    )
    assert short(inputs) == [
        f"10:00:01.000 TurnStarted {ID}",
        f"10:00:02.000 toolCalled {ID}",
        f"10:00:35.001 turnCompleted {ID}",
        f"10:00:35.001 idle {ID}",
        f"10:01:00.000 TurnStarted {ID}",
    ]


def test_an_aborted_turn_is_cancelled_and_what_is_written_of_it_after_starts_no_other(tmp_path):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "user_message", message="go"),
        event("10:00:02.000", "turn_aborted", reason="interrupted"),
        item("10:00:02.018", "reasoning"),
        call("10:00:02.019", "c1"),
        output("10:00:02.019", "c1", "patch rejected by user"),
        event("10:00:02.041", "user_message", message="rather this"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCancelled", "idle", "toolFailed", "TurnStarted"]


def test_an_agent_that_goes_on_after_an_inferred_ending_has_started_a_turn(tmp_path):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "user_message", message="go"),
        reply("10:00:02.000"),
        call("10:00:10.000", "c1"),
    )
    assert kinds(inputs) == ["TurnStarted", "turnCompleted", "idle", "TurnStarted"]


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ("ok", False),
        ("", False),
        (None, False),
        ("Plan updated", False),
        ('{"output":"x","metadata":{"exit_code":0}}', False),
        ('{"output":"x","metadata":{"exit_code":2}}', True),
        ("failed in sandbox MacosSeatbelt with execution error: denied, exit code: 1", True),
        ("Chunk ID: 1a\nWall time: 0.4 seconds\nProcess exited with code 0\nOutput:\n", False),
        ("Chunk ID: 1a\nWall time: 0.4 seconds\nProcess exited with code 127\nOutput:\n", True),
        ("Exit code: 1\nWall time: 1 seconds\nOutput:\nx", True),
        ("Exit code: 0\nOutput:\nProcess exited with code 3", False),
        ("Script failed\nWall time", True),
        ("patch rejected by user", True),
        ("exec command rejected by user", True),
        ("exec_command failed for `x`: CreateProcess", True),
        ("The script failed for good", False),
        ([{"type": "input_text", "text": "Script failed"}], True),
        ([{"type": "input_text", "text": "fine"}, 5], False),
        ({"content": "x", "success": False}, True),
        ({"content": "Exit code: 1", "success": True}, False),
        ('{"not":"an exit code"}', False),
        ("{not JSON", False),
        (5, False),
    ],
    ids=str,
)
def test_failures_are_read_from_outputs_of_every_form(said, failed):
    assert output_failed(said) is failed


@pytest.mark.parametrize(
    ("begun", "tool"),
    [
        (
            item(
                "10:00:02.000", "custom_tool_call", name="apply_patch", input="*** x", call_id="c"
            ),
            Tool("apply_patch", input_hash("*** x")),
        ),
        (call("10:00:02.000", "c", "not JSON"), Tool("shell", input_hash("not JSON"))),
        (
            item("10:00:02.000", "local_shell_call", call_id="c", action={"command": ["ls"]}),
            Tool("local_shell", input_hash({"command": ["ls"]})),
        ),
    ],
    ids=["custom", "text", "shell"],
)
def test_calls_of_every_form_have_their_tool(tmp_path, begun, tool):
    inputs = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "task_started"),
        begun,
        item("10:00:03.000", "custom_tool_call_output", call_id="c", output="ok"),
    )
    assert [one.tool for one in inputs if isinstance(one, SessionEvent)] == [tool]


def test_an_output_that_is_written_twice_counts_once(tmp_path):
    log = write(
        tmp_path / "a.jsonl",
        [
            meta(),
            event("10:00:01.000", "task_started"),
            call("10:00:02.000", "c1"),
            output("10:00:03.000", "c1"),
            output("10:00:03.000", "c1"),
        ],
    )
    inputs, report = read(log)
    assert kinds(inputs) == ["TurnStarted", "toolCalled"]
    assert report.duplicates == 1


def test_the_folder_follows_the_context_of_the_turn(tmp_path):
    first, second = of(
        tmp_path,
        meta(),
        event("10:00:01.000", "user_message"),
        line("10:00:02.000", "turn_context", cwd="/home/ann/api"),
        event("10:00:03.000", "user_message"),
    )
    assert (first.facts.project, second.facts.project) == ("web", "api")


@pytest.mark.parametrize(("source", "automated"), [("exec", True), ("cli", False), (None, False)])
def test_a_session_that_a_program_runs_is_automated(tmp_path, source, automated):
    (start,) = of(tmp_path, meta(source=source), event("10:00:01.000", "task_started"))
    assert start.facts.automated is automated


def test_a_subagents_end_is_told_of_its_parent(tmp_path):
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}
    write(tmp_path / "x" / "a.jsonl", [meta(id="p"), event("10:00:01.000", "task_started")])
    write(
        tmp_path / "x" / "b.jsonl",
        [
            meta(id="c", source=spawned),
            event("10:00:02.000", "task_started"),
            event("10:00:03.000", "task_complete"),
        ],
    )
    inputs, _ = read(tmp_path / "x")
    assert short(inputs)[-1] == "10:00:03.000 childFinished p"
    assert inputs[-1].child == "c"


def test_a_forked_rollout_is_the_session_that_its_first_line_names(tmp_path):
    (start,) = of(tmp_path, meta(id="fork"), meta(id="old"), event("10:00:01.000", "task_started"))
    assert start.session == "fork"


def test_a_rollout_without_its_first_line_is_named_by_its_file(tmp_path):
    (start,) = of(tmp_path, event("10:00:01.000", "task_started"))
    assert start.session == ID


def test_unknown_types_are_skipped_and_counted(tmp_path):
    log = write(
        tmp_path / "a.jsonl",
        [
            meta(),
            line("10:00:01.000", "world_state"),
            event("10:00:01.000", "singing"),
            item("10:00:01.000", "dance"),
            {"timestamp": "never", "type": "world_state", "payload": 3},
        ],
    )
    _, report = read(log)
    assert report.skipped == {
        "world_state": 2,
        "event_msg singing": 1,
        "response_item dance": 1,
    }
    assert report.unreadable == 0


def test_a_payload_that_is_none_says_nothing(tmp_path):
    lines = [
        meta(),
        *(
            {"timestamp": "2026-03-02T10:00:00Z", "type": t, "payload": p}
            for t in ("event_msg", "response_item", "turn_context", "session_meta", "compacted")
            for p in (None, 5, [], "x")
        ),
    ]
    inputs, report = read(write(tmp_path / "a.jsonl", lines))
    assert (inputs, report.unreadable) == ([], 0)


def test_46_arguments_with_a_lone_surrogate_are_hashed(tmp_path):
    text = json.dumps(call("10:00:02.000", "c1", "?")).replace('"?"', '"{\\"x\\":\\"\\\\ud800\\"}"')
    inputs = of(
        tmp_path, meta(), event("10:00:01.000", "task_started"), text, output("10:00:03.000", "c1")
    )
    assert inputs[-1].tool == Tool("shell", input_hash({"x": "\\ud800"}))
