"""Copilot CLI's events: ``~/.copilot/session-state/<session>/events.jsonl``.

A line is ``{type, data, id, timestamp, parentId}``. What the log calls a
turn is one reply. A turn here runs from a person's message (or the program's own, when it
goes on by itself) to the end of the reply that asks for no tool.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, ClassVar, Final

import attrs

from wakeful.logs.agents import AgentReader, Entry, map_in, text_in
from wakeful.logs.reader import NO_APPROVALS, NO_HEARTBEAT, NO_QUEUE, Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant

_SILENT: Final = frozenset(
    {
        "assistant.intent",
        "assistant.usage",
        "hook.end",
        "hook.start",
        "session.auto_mode_resolved",
        "session.background_tasks_changed",
        "session.context_changed",
        "session.idle",
        "session.import_legacy",
        "session.info",
        "session.mode_changed",
        "session.model_change",
        "session.permissions_changed",
        "session.plan_changed",
        "session.tools_updated",
        "session.truncation",
        "session.usage_checkpoint",
        "session.usage_info",
        "session.warning",
        "session.workspace_file_changed",
        "system.message",
        "system.notification",
    }
)
_SAID: Final = frozenset(
    {
        "assistant.message_delta",
        "assistant.reasoning",
        "assistant.reasoning_delta",
        "session.compaction_complete",
        "session.compaction_start",
        "skill.invoked",
        "subagent.completed",
        "subagent.failed",
        "subagent.selected",
        "subagent.started",
        "tool.execution_partial_result",
        "tool.execution_progress",
        "tool.user_requested",
    }
)
_PREFIXES: Final = ("session.", "user.", "assistant.", "tool.", "system.", "hook.", "subagent.")


@attrs.define
class _Notes:
    """Whether the reply that is being given asked for no tool, and so is the last."""

    is_last: bool = True


class CopilotReader(AgentReader):
    """Reads events."""

    provider = "copilot"

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._session_of_file: dict[int, str] = {}
        self._handlers: Mapping[str, Callable[[Session, Instant, Mapping[str, Any]], None]] = {
            "session.start": self._begin,
            "session.resume": self._begin,
            "session.title_changed": self._title,
            "session.error": self._error,
            "session.shutdown": self._shutdown,
            "abort": self._abort,
            "user.message": self._user,
            "assistant.turn_start": self._reply_begins,
            "assistant.message": self._message,
            "assistant.turn_end": self._reply_ends,
            "tool.execution_start": self._call,
            "tool.execution_complete": self._result,
        }

    def decode(self, line: bytes, origin: Origin) -> Sequence[Entry]:
        """The record of one line."""
        record = self.read_line(line)
        kind = text_in(record, "type") or "without type"
        if kind not in self._handlers and kind not in _SAID:
            if kind not in _SILENT:
                self.skipped[kind] += 1
            return ()
        return (Entry(self.read_at(record.get("timestamp")), record, origin),)

    def apply(self, record: Entry) -> Sequence[Input]:
        """The inputs of one record."""
        if record.at is None or self.is_copy(text_in(record.line, "id"), record.origin):
            return ()
        data = map_in(record.line, "data")
        kind = record.line["type"]
        if kind == "session.start" and (id_ := text_in(data, "sessionId")):
            self._session_of_file[record.origin.index] = id_
        session = self._session(record.origin)
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(session, record.at, data)
        elif session.running:
            self.sessions.act(session, record.at)
        return self.sessions.take()

    def close(self, origin: Origin) -> None:
        """Forget which session a file is of."""
        super().close(origin)
        self._session_of_file.pop(origin.index, None)

    def _session(self, origin: Origin) -> Session:
        name = origin.name
        default = name.parent.name if name.stem == "events" and name.parent.name else name.stem
        session = self.sessions.get(self._session_of_file.setdefault(origin.index, default))
        if session.notes is None:
            session.notes = _Notes()
        return session

    def _begin(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        folder = text_in(map_in(data, "context"), "cwd")
        if folder is not None:
            self.sessions.works_in(session, folder)

    def _title(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        session.title = text_in(data, "title") or session.title

    def _user(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:
        if session.running and data.get("delivery") in ("steering", "immediate", "queued"):
            self.sessions.act(session, at)
            return
        session.notes.is_last = True
        self.sessions.start(session, at)

    def _reply_begins(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        session.notes.is_last = True
        if not session.running:
            self.sessions.start(session, at)
        self.sessions.act(session, at)

    def _message(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:
        if data.get("toolRequests"):
            session.notes.is_last = False
        if session.running:
            self.sessions.act(session, at)

    def _reply_ends(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        if session.notes.is_last:
            self.sessions.end(session, at, "turnCompleted")
        elif session.running:
            self.sessions.act(session, at)

    def _call(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:
        session.notes.is_last = False
        name = text_in(data, "toolName")
        tool = None if name is None else tool_call(name, data.get("arguments"))
        self.sessions.begin_call(session, at, text_in(data, "toolCallId") or "", tool)

    def _result(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:
        call = text_in(data, "toolCallId") or ""
        self.sessions.finish_call(session, at, call, failed=data.get("success") is False)

    def _error(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.end(session, at, "turnFailed")

    def _abort(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.end(session, at, "turnCancelled")

    def _shutdown(self, session: Session, at: Instant, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.close(session, at)


class CopilotFormat:
    """Events of Copilot CLI."""

    name: ClassVar[str] = "copilot-cli"
    reorder: ClassVar[Duration] = 0
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {
        "approval": NO_APPROVALS,
        "heartbeat": NO_HEARTBEAT,
        "messageQueued": NO_QUEUE,
        "childFinished": "subagents are part of the session that started them",
    }
    endings_inferred: ClassVar[bool] = False

    def recognise(self, head: Head) -> bool:
        """Whether a line is an event."""
        return any(
            isinstance(line.get("data"), dict) and str(line.get("type")).startswith(_PREFIXES)
            for line in head.objects
        )

    def reader(self, *, zone: tzinfo | None = None) -> CopilotReader:
        """A new reader."""
        return CopilotReader(zone=zone)
