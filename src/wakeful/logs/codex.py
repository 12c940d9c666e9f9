"""Codex's rollouts: ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl``.

A line is ``{timestamp, type, payload}``. Rollouts of 2026 say when a task
starts and completes, so a message that comes meanwhile starts no turn. Those of 2025 do
not: there a person's message starts the turn, and its end is inferred from quiet after a
reply. Both say when a turn was aborted; what is written of it after that starts no other.

Whether a call failed is read from its output, in each of the forms that were seen: an exit
code in JSON, one in words at the head of a text, and sentences for calls that were refused
or never ran.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, ClassVar, Final

import attrs

from wakeful.logs.agents import AgentReader, Entry, map_in, parsed, text_in, text_of
from wakeful.logs.reader import NO_APPROVALS, NO_HEARTBEAT, NO_QUEUE, Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant

_FAILED_TEXT: Final = re.compile(
    r"failed in sandbox|Script failed|patch rejected|\w+ (?:command )?rejected by user"
    r"|aborted by user|\w+ failed(?: for|:)|command timed out",
    re.IGNORECASE,
)
_EXIT_CODE: Final = re.compile(r"(?:^Exit code:|^Process exited with code) (-?\d+)", re.MULTILINE)
_HEAD_OF_OUTPUT: Final = 1_000

_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_SAID: Final = frozenset({"agent_message", "agent_reasoning", "agent_reasoning_raw_content"})
_SILENT_EVENTS: Final = frozenset(
    {
        "context_compacted",
        "item_completed",
        "mcp_tool_call_end",
        "patch_apply_end",
        "sub_agent_activity",
        "thread_rolled_back",
        "token_count",
        "web_search_end",
    }
)
_SILENT_ITEMS: Final = frozenset({"ghost_snapshot", "web_search_call", "compaction"})


@attrs.define
class _Notes:
    """What is remembered of a session besides its turn.

    Attributes:
        says_tasks: Whether its rollout says when tasks start and complete.
        was_ended: Whether a record ended the last turn, so that nothing goes on with it.
        finished: The calls whose outputs were seen.
    """

    says_tasks: bool = False
    was_ended: bool = False
    finished: set[str] = attrs.Factory(set)


class CodexReader(AgentReader):
    """Reads rollouts of both forms."""

    provider = "codex"

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._session_of_file: dict[int, str] = {}
        self._handlers: Mapping[str, Callable[[Session, Instant, Mapping[str, Any]], None]] = {
            "turn_context": self._turn_context,
            "event_msg": self._event,
            "response_item": self._item,
            "compacted": self._compacted,
        }

    def decode(self, line: bytes, origin: Origin) -> Sequence[Entry]:
        """The record of one line."""
        record = self.read_line(line)
        kind = text_in(record, "type") or "without type"
        if kind not in self._handlers and kind != "session_meta":
            self.skipped[kind] += 1
            return ()
        return (Entry(self.read_at(record.get("timestamp")), record, origin),)

    def apply(self, record: Entry) -> Sequence[Input]:
        """The inputs of one record."""
        payload = map_in(record.line, "payload")
        if record.line["type"] == "session_meta":
            self._session_meta(payload, record.origin)
            return ()
        if record.at is None:
            return ()
        session = self._session(record.origin)
        self._handlers[record.line["type"]](session, record.at, payload)
        return self.sessions.take()

    def close(self, origin: Origin) -> None:
        """Forget which session a file is of."""
        super().close(origin)
        self._session_of_file.pop(origin.index, None)

    def _session(self, origin: Origin, parent: str | None = None) -> Session:
        id_ = self._session_of_file.setdefault(origin.index, _id_of(origin))
        session = self.sessions.get(id_, parent=parent)
        if session.notes is None:
            session.notes = _Notes()
        return session

    def _session_meta(self, payload: Mapping[str, Any], origin: Origin) -> None:
        """Whose file it is. A forked rollout holds its ancestor's too, which says nothing."""
        if origin.index in self._session_of_file:
            return
        self._session_of_file[origin.index] = text_in(payload, "id") or _id_of(origin)
        source = payload.get("source")
        spawn = map_in(map_in(payload, "source"), "subagent")
        parent = text_in(map_in(spawn, "thread_spawn"), "parent_thread_id")
        session = self._session(origin, parent)
        self.sessions.works_in(session, text_in(payload, "cwd"), automated=source == "exec")

    def _turn_context(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        folder = text_in(payload, "cwd")
        if folder is not None:
            self.sessions.works_in(session, folder, automated=session.facts.automated)
        self.sessions.postpone_end(session, at)

    def _compacted(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:  # noqa: ARG002
        if session.running:
            self.sessions.act(session, at)
        self.sessions.postpone_end(session, at)

    def _event(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        notes: _Notes = session.notes
        match kind := text_in(payload, "type"):
            case "task_started" | "turn_started":
                notes.says_tasks = True
                self._start(session, at)
            case "user_message":
                if not notes.says_tasks:
                    self._start(session, at)
                elif session.running:
                    self.sessions.act(session, at)
            case "task_complete" | "turn_complete":
                failed = payload.get("error") is not None
                self._end(session, at, "turnFailed" if failed else "turnCompleted")
            case "turn_aborted":
                self._end(session, at, "turnCancelled")
            case "error":
                self._end(session, at, "turnFailed")
            case "thread_name_updated":
                session.title = text_in(payload, "thread_name") or session.title
            case _ if kind in _SAID:
                self._act(session, at)
            case _:
                if kind not in _SILENT_EVENTS:
                    self.skipped[f"event_msg {kind}"] += 1
                self.sessions.postpone_end(session, at)

    def _item(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        kind = text_in(payload, "type")
        if kind in _CALLS:
            self._go_on(session, at)
            tool = _tool(payload)
            call = text_in(payload, "call_id") or text_in(payload, "id") or ""
            self.sessions.begin_call(session, at, call, tool)
        elif kind in _OUTPUTS:
            self._output(session, at, payload)
        elif kind == "reasoning":
            self._act(session, at)
        elif kind == "message":
            if text_in(payload, "role") == "assistant":
                self._act(session, at)
                if not session.notes.says_tasks:
                    self.sessions.expect_end(session, at)
        else:
            if kind not in _SILENT_ITEMS:
                self.skipped[f"response_item {kind}"] += 1
            self.sessions.postpone_end(session, at)

    def _output(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        call = text_in(payload, "call_id") or ""
        finished = session.notes.finished
        if call in finished:
            self.duplicates += 1
            return
        if call:
            finished.add(call)
        self.sessions.finish_call(session, at, call, failed=output_failed(payload.get("output")))

    def _start(self, session: Session, at: Instant) -> None:
        session.notes.was_ended = False
        self.sessions.start(session, at)

    def _end(self, session: Session, at: Instant, kind: Any) -> None:
        session.notes.was_ended = True
        self.sessions.end(session, at, kind)

    def _go_on(self, session: Session, at: Instant) -> None:
        """Start a turn for what goes on after its end was inferred, or before any start."""
        if not session.running and not session.notes.was_ended:
            self._start(session, at)

    def _act(self, session: Session, at: Instant) -> None:
        """The agent said something; of a turn that was aborted it says no more."""
        self._go_on(session, at)
        if session.running:
            session.ends_at = None
            self.sessions.act(session, at)


def _id_of(origin: Origin) -> str:
    """A session's id as the file's name has it: the last 36 characters are its uuid."""
    stem = origin.name.stem
    return stem[-36:] if stem.startswith("rollout-") and len(stem) > 36 else stem


def _tool(payload: Mapping[str, Any]) -> Any:
    """The tool of a call. Arguments are JSON in a text; the input of custom tools is text."""
    if payload.get("type") == "local_shell_call":
        return tool_call("local_shell", payload.get("action"))
    name = text_in(payload, "name")
    if name is None:
        return None
    if payload.get("type") == "custom_tool_call":
        return tool_call(name, payload.get("input"))
    return tool_call(name, parsed(payload.get("arguments")))


def output_failed(output: Any) -> bool:
    """Whether an output is that of a call which failed.

    >>> output_failed('{"output":"","metadata":{"exit_code":1}}')
    True
    >>> output_failed("Process exited with code 0")
    False
    """
    value = parsed(output) if isinstance(output, str) and output.startswith("{") else output
    if isinstance(value, dict):
        code = map_in(value, "metadata").get("exit_code")
        if isinstance(code, int):
            return code != 0
        if isinstance(value.get("success"), bool):
            return not value["success"]
        value = value.get("content", value.get("output"))
    head = text_of(value)[:_HEAD_OF_OUTPUT]
    head = head.partition("\nOutput:")[0]
    if _FAILED_TEXT.match(head):
        return True
    code = _EXIT_CODE.search(head)
    return code is not None and int(code[1]) != 0


class CodexFormat:
    """Rollouts of Codex."""

    name: ClassVar[str] = "codex"
    reorder: ClassVar[Duration] = 0
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {
        "approval": NO_APPROVALS,
        "heartbeat": NO_HEARTBEAT,
        "messageQueued": NO_QUEUE,
        "sessionEnded": "a session that ends leaves no record",
    }
    endings_inferred: ClassVar[bool] = True

    def recognise(self, head: Head) -> bool:
        """Whether a line is a rollout's record."""
        return any(
            isinstance(line.get("payload"), dict) and "type" in line and "timestamp" in line
            for line in head.objects
        )

    def reader(self, *, zone: tzinfo | None = None) -> CodexReader:
        """A new reader."""
        return CodexReader(zone=zone)
