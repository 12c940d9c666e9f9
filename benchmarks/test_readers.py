"""Readers beside decoding the same bytes with msgspec into its own records, in one run.

Run with ``pytest benchmarks/test_readers.py``; it tells, for each format, how many times as
long reading takes as decoding alone. The yardstick makes one record of each line, of the
members that matter, and keeps a chunk of them at a time, as the reader does.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC
from typing import Any

import msgspec
import pytest
from measuring import in_turns, once, smaller, tell

from wakeful.logs import LineError, Origin, open_logs
from wakeful.logs.formats import load_formats
from wakeful.logs.native import NativeReader

LINES = 20_000
CHUNK = 256
TURNS = 5


class _Tool(msgspec.Struct, rename="camel"):
    name: str
    input_hash: str | None = None


class _Event(msgspec.Struct, rename="camel"):
    at: str
    kind: str
    session: str
    owner: str | None = None
    provider: str | None = None
    project: str | None = None
    folders: list[str] = []
    automated: bool = False
    running: bool | None = None
    queued: int | None = None
    turn_tool_calls: int | None = None
    tool: _Tool | None = None
    child: str | None = None
    title: str | None = None


def instant(number: int) -> str:
    """An instant 37 ms after the one before."""
    seconds, milliseconds = divmod(number * 37, 1_000)
    minutes, seconds = divmod(seconds, 60)
    return f"2026-10-07T{10 + minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{milliseconds:03}Z"


def native(number: int) -> dict[str, Any]:
    """A line as the recorder writes it: one of a thousand sessions finished a call."""
    return {
        "at": instant(number),
        "kind": "toolFailed" if number % 7 == 0 else "toolCalled",
        "session": f"ahp-session://claude/local/{number % 1_000}",
        "owner": "user:ann",
        "provider": "claude",
        "project": f"project-{number % 50}",
        "folders": [f"file:///home/ann/project-{number % 50}"],
        "running": True,
        "queued": 0,
        "turnToolCalls": number % 9,
        "tool": {"name": "Bash", "inputHash": f"sha256:{number % 100:064}"},
    }


def claude(number: int) -> dict[str, Any]:
    """A record of a transcript: a call begins, or its result has come."""
    if number % 2:
        block: dict[str, Any] = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": f"make test-{number % 100}", "description": "Run the tests"},
        }
    else:
        block = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": "ok " * 300}
    return {
        "parentUuid": f"u{number - 1}",
        "isSidechain": False,
        "cwd": "/home/ann/web",
        "sessionId": "s1",
        "version": "2.1.39",
        "type": "assistant" if number % 2 else "user",
        "message": {"role": "x", "content": [block]},
        "uuid": f"u{number}",
        "timestamp": instant(number),
    }


def codex(number: int) -> dict[str, Any]:
    """A record of a rollout: a call, or its output."""
    payload: dict[str, Any] = {"type": "function_call_output", "call_id": f"c{number - 1}"}
    payload["output"] = "Process exited with code 0\nOutput:\n" + "ok " * 300
    if number % 2:
        arguments = json.dumps({"command": ["make", f"test-{number % 100}"]})
        payload = {"type": "function_call", "name": "shell", "call_id": f"c{number}"}
        payload["arguments"] = arguments
    return {"timestamp": instant(number), "type": "response_item", "payload": payload}


def gemini(number: int) -> dict[str, Any]:
    """A message with a call."""
    call = {
        "id": f"c{number}",
        "name": "ls",
        "args": {"path": f"/x/{number % 100}"},
        "status": "success",
        "timestamp": instant(number),
    }
    head = {"id": f"m{number}", "timestamp": instant(number), "type": "gemini", "content": "x"}
    return head | {"toolCalls": [call]}


def copilot(number: int) -> dict[str, Any]:
    """A call that begins or ends."""
    data: dict[str, Any] = {"toolCallId": f"c{number - 1}", "success": True}
    if number % 2:
        data = {"toolCallId": f"c{number}", "toolName": "bash", "arguments": {"command": "ls"}}
    kind = "tool.execution_start" if number % 2 else "tool.execution_complete"
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": instant(number)}


def openhands(number: int) -> dict[str, Any]:
    """An action or its observation."""
    head = {"id": f"e{number}", "timestamp": instant(number), "source": "agent"}
    if number % 2:
        action = {"command": f"ls {number % 100}"}
        what = {"kind": "ActionEvent", "tool_name": "terminal", "action": action}
        return head | what | {"tool_call_id": f"c{number}"}
    observation = {"content": [], "exit_code": 0}
    return head | {
        "kind": "ObservationEvent",
        "tool_call_id": f"c{number - 1}",
        "observation": observation,
    }


def ahp(number: int) -> dict[str, Any]:
    """A call that starts, or is complete."""
    action: dict[str, Any] = {"type": "chat/toolCallComplete", "toolCallId": f"c{number - 1}"}
    action["result"] = {"success": True}
    if number % 2:
        action = {"type": "chat/toolCallStart", "toolCallId": f"c{number}", "toolName": "Bash"}
    envelope = {"at": instant(number), "channel": "ahp-session://claude/1", "action": action}
    return envelope | {"serverSeq": number}


def hooks(number: int) -> dict[str, Any]:
    """A call that is about to begin, or has ended."""
    return {
        "at": instant(number),
        "session_id": "s1",
        "cwd": "/home/ann/web",
        "hook_event_name": "PreToolUse" if number % 2 else "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"make {number % 100}"},
        "tool_use_id": f"t{number - (number + 1) % 2}",
    }


SAMPLES: dict[str, Callable[[int], dict[str, Any]]] = {
    "claude-code": claude,
    "codex": codex,
    "gemini-cli": gemini,
    "copilot-cli": copilot,
    "openhands": openhands,
    "ahp": ahp,
    "claude-code-hooks": hooks,
}


def lines_of(sample: Callable[[int], dict[str, Any]], count: int) -> list[bytes]:
    """A log of one kind of lines."""
    return [json.dumps(sample(n), separators=(",", ":")).encode() for n in range(1, count + 1)]


def chunks(lines: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The lines in chunks."""
    return [lines[start : start + CHUNK] for start in range(0, len(lines), CHUNK)]


def compare(benchmark, capsys, name, decoding, reading, lines):  # noqa: PLR0917
    """Both turn by turn; tells lines a second, and the ratio."""
    benchmark.group = "readers"
    turns = smaller(benchmark, TURNS, 1)
    decoded, was_read = once(benchmark, lambda: in_turns(turns, decoding, reading))
    figures = {
        "format": name,
        "lines_per_second": round(lines / was_read),
        "to_decoding": was_read / decoded,
    }
    tell(benchmark, capsys, name, figures)


@pytest.fixture
def count(benchmark):
    """How many lines a log has."""
    return smaller(benchmark, LINES, 400)


def test_what_the_native_reader_takes(benchmark, capsys, count):
    lines = lines_of(native, count)
    parts = chunks(lines)
    decode = msgspec.json.Decoder(_Event).decode

    def decoding() -> None:
        for part in parts:
            [decode(line) for line in part]

    def reading() -> None:
        reader = NativeReader()
        for part in parts:
            reader.read(part, refuse)

    def refuse(index: int, problem: Exception) -> None:
        raise AssertionError((index, problem))

    compare(benchmark, capsys, "native", decoding, reading, count)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_the_other_readers_take(benchmark, capsys, count, name):
    lines = lines_of(SAMPLES[name], count)
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    known = load_formats(name)[-1]

    def decoding() -> None:
        for part in chunks(lines):
            [decode(line) for line in part]

    def reading() -> None:
        reader = known.reader(zone=UTC)
        origin = Origin("s1.jsonl")
        for line in lines:
            try:
                reader.feed(line, origin)
            except LineError as problem:
                raise AssertionError(line) from problem

    compare(benchmark, capsys, name, decoding, reading, count)


@pytest.mark.parametrize("name", ["wakeful", "claude-code"])
def test_logs_from_files(benchmark, count, tmp_path, name):
    """End to end: opening, recognising, splitting, decoding, ordering, counting."""
    sample = native if name == "wakeful" else SAMPLES[name]
    log = tmp_path / "a.jsonl"
    log.write_bytes(b"\n".join(lines_of(sample, count)) + b"\n")

    def read() -> int:
        return sum(map(len, open_logs([log]).batches()))

    assert benchmark.pedantic(read, rounds=5) >= count
    if benchmark.stats is not None:
        benchmark.extra_info["lines_per_second"] = round(count / benchmark.stats.stats.median)
