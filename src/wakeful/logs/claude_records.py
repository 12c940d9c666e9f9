"""The records of Claude Code's transcripts: their members, and what can be read off one."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from wakeful.logs.agents import text_in, text_of
from wakeful.model.time import SECOND, Duration

_SIBLING_FAILED: Final = re.compile(
    r"\s*(?:<tool_use_error>)?\s*"
    r"(?:Sibling tool call errored|Cancelled: parallel tool call .{0,500}errored)"
)
LONG_TURN: Final[Duration] = 30 * SECOND
"""Turns up to this length have no ``turn_duration`` record."""

_DURATIONS_SINCE: Final = (2, 1)

SILENT_TYPES: Final = frozenset(
    {
        "agent-name",
        "agent-setting",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "tag",
        "worktree-state",
    }
)
"""Records that are known and say nothing about turns."""


_RECORD_TYPES: Final = frozenset({"user", "assistant", "system", "progress", "attachment"})


class Block(msgspec.Struct):
    """A part of a message: text, a thought, a call, a call's result."""

    type: str = ""
    id: str | None = None
    name: str | None = None
    input: Any = None
    text: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Any = None


class Message(msgspec.Struct):
    """What a person or the agent said."""

    model: str | None = None
    stop_reason: str | None = None
    content: str | list[Block | str] | None = None


class Line(msgspec.Struct, rename="camel"):
    """A record of any type, with the members that matter."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | int | None = None
    session_id: str | None = None
    agent_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    message: Message | None = None
    tool_use_result: msgspec.Raw = msgspec.Raw()
    operation: str | None = None
    leaf_uuid: str | None = None
    summary: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None


class TypeOnly(msgspec.Struct):
    """A record of which only its type can be read."""

    type: str = ""


class AgentResult(msgspec.Struct, rename="camel"):
    """What a subagent's result says of it."""

    agent_id: str | None = None
    status: str | None = None


def first_text(content: str | list[Block | str] | None) -> str:
    """The first text of a message."""
    if isinstance(content, str):
        return content.lstrip()
    for block in content or ():
        if isinstance(block, str):
            return block.lstrip()
        if block.type == "text":
            return (block.text or "").lstrip()
    return ""


def is_cascade(content: object) -> bool:
    """Whether a failed call's content says that it was another that failed."""
    return _SIBLING_FAILED.match(text_of(content)) is not None


def writes_durations(version: str) -> bool:
    """Whether a version of the program writes how long turns took."""
    try:
        major, minor = version.split(".")[:2]
        return (int(major), int(minor)) >= _DURATIONS_SINCE
    except ValueError:
        return False


def is_record(line: Mapping[str, Any]) -> bool:
    """Whether an object is a transcript's record."""
    kind = text_in(line, "type")
    if kind in _RECORD_TYPES:
        return "parentUuid" in line or ("uuid" in line and "sessionId" in line)
    if kind == "summary":
        return "leafUuid" in line
    if kind == "file-history-snapshot":
        return "snapshot" in line
    return kind in ("queue-operation", "ai-title", "custom-title") or (
        kind in SILENT_TYPES and "sessionId" in line
    )
