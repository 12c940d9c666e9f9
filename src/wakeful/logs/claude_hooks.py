"""The payloads of Claude Code's hooks, as JSON Lines ``{at, …payload}``.

They carry no instants, so whoever records them stamps each as it arrives. No hook runs when
a person interrupts a turn: a call that was interrupted says so, and else the program's own
reminder that it waits for a person is the first that is heard of it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, ClassVar, Final

from wakeful.logs.agents import AgentReader, Entry, text_in
from wakeful.logs.claude_records import is_cascade
from wakeful.logs.reader import NO_QUEUE, Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.logs.values import LineError
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant

_SILENT: Final = frozenset(
    {
        "ConfigChange",
        "CwdChanged",
        "Elicitation",
        "ElicitationResult",
        "InstructionsLoaded",
        "PermissionRequest",
        "SessionStart",
        "Setup",
        "TeammateIdle",
        "WorktreeCreate",
        "WorktreeRemove",
    }
)
_SAID: Final = frozenset(
    {"PostToolBatch", "PreCompact", "PostCompact", "TaskCreated", "TaskCompleted"}
)


class ClaudeHooksReader(AgentReader):
    """Reads payloads of hooks."""

    provider = "claude"

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._handlers: Mapping[str, Callable[[Session, Instant, Mapping[str, Any]], None]] = {
            "UserPromptSubmit": self._prompt,
            "PreToolUse": self._call,
            "PostToolUse": self._result,
            "PostToolUseFailure": self._failure,
            "PermissionDenied": self._denied,
            "Stop": self._stop,
            "StopFailure": self._stop_failure,
            "SubagentStart": self._prompt,
            "SubagentStop": self._stop,
            "Notification": self._notification,
            "SessionEnd": self._session_end,
        }

    def decode(self, line: bytes, origin: Origin) -> Sequence[Entry]:
        """The payload of one line."""
        payload = self.read_line(line)
        name = text_in(payload, "hook_event_name") or "without hook_event_name"
        if name not in self._handlers and name not in _SAID and name not in _SILENT:
            self.skipped[name] += 1
            return ()
        at = self.read_at(payload.get("at"))
        if at is None:
            raise LineError("a hook's payload has no instant of its own: `at` is missing")
        return (Entry(at, payload, origin),)

    def apply(self, record: Entry) -> Sequence[Input]:
        """The inputs of one payload."""
        payload, at = record.line, record.at
        main = text_in(payload, "session_id") or record.origin.name.stem
        child = text_in(payload, "agent_id")
        session = self.sessions.get(child or main, parent=main if child else None)
        if folder := text_in(payload, "cwd"):
            self.sessions.works_in(session, folder)
        name = payload["hook_event_name"]
        handler = self._handlers.get(name)
        if at is None:
            return ()
        if handler is not None:
            handler(session, at, payload)
        elif name in _SAID and session.running:
            self.sessions.act(session, at)
        return self.sessions.take()

    def _prompt(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.start(session, at)

    def _call(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        if not session.running:
            self.sessions.start(session, at)
        self.sessions.begin_call(session, at, _id(payload), _tool(payload))

    def _result(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        self.sessions.finish_call(session, at, _id(payload), failed=False, tool=_tool(payload))

    def _failure(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        if is_cascade(text_in(payload, "error") or ""):
            self.sessions.drop_call(session, at, _id(payload))
            return
        self.sessions.finish_call(session, at, _id(payload), failed=True, tool=_tool(payload))
        if payload.get("is_interrupt") is True:
            self.sessions.end(session, at, "turnCancelled")

    def _denied(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        if _id(payload) in session.open_calls:
            self.sessions.finish_call(session, at, _id(payload), failed=True)

    def _stop(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.end(session, at, "turnCompleted")

    def _stop_failure(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.end(session, at, "turnFailed")

    def _notification(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:
        if text_in(payload, "notification_type") == "idle_prompt":
            self.sessions.end(session, at, "turnCancelled")

    def _session_end(self, session: Session, at: Instant, payload: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.close(session, at)


def _id(payload: Mapping[str, Any]) -> str:
    return text_in(payload, "tool_use_id") or ""


def _tool(payload: Mapping[str, Any]) -> Any:
    name = text_in(payload, "tool_name")
    return None if name is None else tool_call(name, payload.get("tool_input"))


class ClaudeHooksFormat:
    """Recorded payloads of Claude Code's hooks."""

    name: ClassVar[str] = "claude-code-hooks"
    reorder: ClassVar[Duration] = 0
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {
        "approval": "that a call waits for approval is no input",
        "heartbeat": "no hook runs while a reply streams or a tool runs",
        "turnCancelled": "no hook runs when a person interrupts a turn without a call",
        "messageQueued": NO_QUEUE,
    }
    endings_inferred: ClassVar[bool] = False

    def recognise(self, head: Head) -> bool:
        """Whether a line is a hook's payload."""
        return any("hook_event_name" in line for line in head.objects)

    def reader(self, *, zone: tzinfo | None = None) -> ClaudeHooksReader:
        """A new reader."""
        return ClaudeHooksReader(zone=zone)
