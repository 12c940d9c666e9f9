"""Hostile logs: every reader gives inputs or reports a problem, and never anything else."""

import json
import random
from datetime import UTC

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import test_ahp, test_claude_hooks, test_codex, test_copilot, test_gemini
from logs import test_openhands as openhands
from logs.claude import assistant, call, duration, prompt, queued, record, result, text
from logs.kit import SHARED_LOGS, read, write
from wakeful.core.engine import Engine
from wakeful.errors import InvalidError, LogError
from wakeful.logs import LineError, Origin, format_names
from wakeful.logs.formats import load_formats

ORIGIN = Origin("x/s1.jsonl")

LOGS = {
    "wakeful": [
        {"at": 1_000, "kind": "turnStarted", "session": "s", "folders": ["a"], "title": "t"},
        {"at": 2_000, "kind": "toolCalled", "session": "s", "tool": {"name": "x", "input": {}}},
        {"at": 3_000, "kind": "definitionSaved", "automation": "a", "definition": {"title": "t"}},
        {
            "at": 3_000,
            "kind": "typeRegistered",
            "by": "p",
            "definition": {"type": "t", "title": "T", "events": [{"id": "e", "title": "E"}]},
        },
        {"at": "2026-03-02T10:00:00.000Z", "kind": "plugin", "type": "t", "event": "e", "data": {}},
        {"at": 4_000, "kind": "runSettled", "automation": "a", "run": "r", "outcome": "failed"},
        {"at": 5_000, "kind": "grantsChanged", "principal": "user:a", "grants": ["x:read"]},
    ],
    "claude-code": [
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        prompt("10:00:00.000", version="2.1.3"),
        call("10:00:01.000", "t1"),
        result("10:00:02.000", "t1", [{"type": "text", "text": "x"}], error=True),
        queued("10:00:02.500", "enqueue"),
        record("progress", "10:00:03.000", data={"type": "hook_progress"}),
        prompt("10:00:03.500", isSidechain=True, agentId="a1"),
        assistant("10:00:04.000", {"type": "thinking", "thinking": "x"}, isSidechain=True),
        text("10:00:05.000"),
        duration("10:00:06.000"),
        {"type": "custom-title", "customTitle": "x", "sessionId": "s1"},
    ],
    "claude-code-hooks": [
        test_claude_hooks.hook("10:00:00.000", "UserPromptSubmit"),
        test_claude_hooks.call("10:00:01.000", "t1"),
        test_claude_hooks.call("10:00:02.000", "t1", "PostToolUseFailure", error="x"),
        test_claude_hooks.hook("10:00:03.000", "SubagentStart", agent_id="a"),
        test_claude_hooks.hook("10:00:04.000", "Notification", notification_type="idle_prompt"),
        test_claude_hooks.hook("10:00:05.000", "SessionEnd"),
    ],
    "codex": [
        test_codex.meta(source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}),
        test_codex.event("10:00:01.000", "task_started"),
        test_codex.call("10:00:02.000", "c1"),
        test_codex.output("10:00:03.000", "c1", '{"metadata":{"exit_code":1}}'),
        test_codex.line("10:00:03.500", "turn_context", cwd="/x"),
        test_codex.reply("10:00:04.000"),
        test_codex.event("10:00:05.000", "turn_aborted"),
    ],
    "gemini-cli": [
        test_gemini.META | {"directories": ["/a"], "kind": "subagent"},
        test_gemini.message("10:00:00.000", "user", "m1"),
        test_gemini.message(
            "10:00:01.000",
            "gemini",
            "m2",
            toolCalls=[test_gemini.call("10:00:02.000", "c1", "cancelled")],
        ),
        {"$set": {"messages": [test_gemini.message("10:00:03.000", "info", "m3")]}},
        {"$rewindTo": "m2"},
    ],
    "copilot-cli": [
        test_copilot.start(),
        test_copilot.prompt("10:00:01.000"),
        *test_copilot.answer(
            "10:00:02.000", "10:00:05.000", ("c1", False, "10:00:03.000", "10:00:04.000")
        ),
        test_copilot.event("10:00:06.000", "session.shutdown"),
    ],
    "openhands": [
        openhands.said("10:00:00.000", "user"),
        openhands.status("10:00:00.100", "running"),
        openhands.action("10:00:01.000", "c1"),
        openhands.observed("10:00:02.000", "c1", exit_code=1, metadata={"working_dir": "/x"}),
        openhands.status("10:00:03.000", "finished"),
    ],
    "ahp": [
        test_ahp.action("09:59:00.000", "session/chatAdded", summary={"resource": "c"}),
        test_ahp.turn("10:00:00.000", message={"origin": {"kind": "automation"}}),
        *test_ahp.call("10:00:01.000", "c1", "{}", success=False),
        test_ahp.action("10:00:02.000", "chat/pendingMessageSet", kind="queued", id="m"),
        test_ahp.action("10:00:03.000", "chat/truncated"),
        test_ahp.action("10:00:04.000", "root/sessionRemoved", session=test_ahp.S),
    ],
}
FORMATS = [(name, known) for name in LOGS for known in load_formats(name)]

odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**40)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["\ud800", "", "2026-03-02T10:00:00Z", "2026-03-02T10:00:00", "user"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "kind", "id", "at", "content", "text", "data", "messages", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def feed_all(reader, lines):
    """Every line to a reader, each either read or refused."""
    refused = 0
    for line in lines:
        try:
            inputs = list(reader.feed(line, ORIGIN))
        except (LineError, InvalidError):
            refused += 1
            continue
        for one in inputs:
            assert attrs.has(type(one))
            assert type(one.at) is int
    reader.close(ORIGIN)
    return refused


def paths_in(value, path=()):
    """Where something stands in plain data."""
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from paths_in(inner, (*path, key))


def put(value, path, new):
    """Plain data with another value at a path."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize(("name", "known"), FORMATS, ids=[name for name, _ in FORMATS])
@settings(max_examples=60)
@given(st.data())
def test_lines_with_any_member_replaced_are_read_or_refused(name, known, data):
    log = LOGS[name]
    lines = []
    for line in log:
        path = data.draw(st.sampled_from(list(paths_in(line))))
        new = data.draw(odd_values)
        lines.append(
            json.dumps(put(line, path, new) if data.draw(st.booleans()) else line).encode()
        )
    feed_all(known.reader(zone=UTC), lines)


@pytest.mark.parametrize(("name", "known"), FORMATS, ids=[name for name, _ in FORMATS])
@settings(max_examples=40)
@given(st.data())
def test_lines_with_any_byte_replaced_are_read_or_refused(name, known, data):
    lines = []
    for line in LOGS[name]:
        raw = bytearray(json.dumps(line).encode())
        for _ in range(data.draw(st.integers(0, 3))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        cut = data.draw(st.none() | st.integers(0, len(raw)))
        lines.append(bytes(raw[:cut]))
    feed_all(known.reader(zone=UTC), lines)


@pytest.mark.parametrize(("name", "known"), FORMATS, ids=[name for name, _ in FORMATS])
@settings(max_examples=60)
@given(lines=st.lists(odd_values.map(lambda value: json.dumps(value).encode()) | st.binary()))
def test_any_lines_are_read_or_refused(name, known, lines):
    feed_all(known.reader(zone=UTC), lines)


@settings(max_examples=60)
@given(
    content=st.binary(max_size=300)
    | st.lists(odd_values).map(lambda v: "\n".join(map(json.dumps, v)).encode())
)
def test_any_file_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("x") / "a.jsonl"
    path.write_bytes(content)
    try:
        inputs, report = read(path)
    except LogError as problem:
        said = str(problem)
    else:
        said = str(path)
        assert report.unreadable == len(report.problems)
        assert report.inputs.total() == len(inputs)
    assert str(path) in said


@pytest.mark.parametrize("name", LOGS)
def test_what_a_reader_gives_an_engine_takes(tmp_path, name):
    engine = Engine()
    inputs, _ = read(write(tmp_path / "a.jsonl", LOGS[name]), zone=UTC)
    assert inputs
    for one in inputs:
        engine.feed(one)


@pytest.mark.parametrize("name", LOGS)
def test_every_format_recognises_its_own_log_and_no_other(tmp_path, name):
    _, report = read(write(tmp_path / "a.jsonl", LOGS[name]), zone=UTC)
    assert report.files[0].format == name
    assert name in format_names()


@pytest.mark.parametrize("name", LOGS)
def test_46_windows_line_ends_a_mark_and_blank_lines_change_nothing(tmp_path, name):
    plain, _ = read(write(tmp_path / "a.jsonl", LOGS[name]), zone=UTC)
    lines = [json.dumps(line) for line in LOGS[name]]
    lines[0] = "\ufeff" + lines[0]
    inputs, report = read(
        write(tmp_path / "b" / "a.jsonl", [*lines, "", "  "], end="\r\n"), zone=UTC
    )
    assert (inputs, report.unreadable) == (
        plain,
        read(tmp_path / "a.jsonl", zone=UTC)[1].unreadable,
    )


@pytest.mark.parametrize("name", LOGS)
def test_what_a_reader_gives_depends_on_no_later_line(tmp_path, name):
    whole, _ = read(write(tmp_path / "a.jsonl", LOGS[name]), zone=UTC, reorder=0)
    for length in range(1, len(LOGS[name])):
        log = write(tmp_path / "b" / "a.jsonl", LOGS[name][:length])
        part, _ = read(log, zone=UTC, reorder=0, format=name)
        assert part == whole[: len(part)]


@pytest.mark.deep
@pytest.mark.skipif(not SHARED_LOGS.is_dir(), reason="the real logs are not here")
@pytest.mark.parametrize("seed", range(6))
def test_real_logs_with_bytes_replaced_are_read_or_refused(tmp_path, seed):
    chance = random.Random(seed)
    for path in sorted(SHARED_LOGS.glob("*.json*")):
        raw = bytearray(path.read_bytes())
        for _ in range(len(raw) // 2_000 + 1):
            raw[chance.randrange(len(raw))] = chance.randrange(1, 256)
        log = tmp_path / path.name
        log.write_bytes(raw)
        try:
            _, report = read(log, zone=UTC)
        except LogError:
            continue
        assert report.unreadable <= raw.count(b"\n") + 1
