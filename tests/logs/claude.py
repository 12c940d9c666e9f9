"""Builders of the records of Claude Code's transcripts, for tests."""

from itertools import count
from typing import Any

_numbers = count(1)


def record(kind: str, time: str, **members: Any) -> dict[str, Any]:
    """A record of a session ``s1`` that works in ``/home/ann/web``."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/ann/web",
        "sessionId": "s1",
        "type": kind,
        "uuid": f"u{next(_numbers)}",
        "timestamp": f"2026-03-02T{time}Z",
    } | members


def prompt(time: str, text: str = "go on", **members: Any) -> dict[str, Any]:
    """A person's message."""
    return record("user", time, message={"role": "user", "content": text}, **members)


def assistant(time: str, *blocks: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A part of a reply."""
    message = {"id": "m1", "role": "assistant", "content": list(blocks), "stop_reason": None}
    return record("assistant", time, **{"message": message} | members)


def text(time: str, said: str = "done", **members: Any) -> dict[str, Any]:
    """A part of a reply that is text."""
    return assistant(time, {"type": "text", "text": said}, **members)


def call(time: str, id_: str, name: str = "Bash", input_: Any = None, **members: Any) -> Any:
    """A call that begins."""
    given = {"command": "make"} if input_ is None else input_
    block = {"type": "tool_use", "id": id_, "name": name, "input": given}
    return assistant(time, block, **members)


def result(
    time: str, id_: str, content: Any = "ok", *, error: bool = False, **members: Any
) -> dict[str, Any]:
    """A call's result."""
    block = {"type": "tool_result", "tool_use_id": id_, "content": content}
    if error:
        block["is_error"] = True
    return record("user", time, message={"role": "user", "content": [block]}, **members)


def duration(time: str, **members: Any) -> dict[str, Any]:
    """The record of a turn's end."""
    return record("system", time, subtype="turn_duration", durationMs=1000, **members)


def queued(time: str, operation: str) -> dict[str, Any]:
    """A change of the queue; these records have neither uuid nor folder."""
    return {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": f"2026-03-02T{time}Z",
        "sessionId": "s1",
    }
