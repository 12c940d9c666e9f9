"""OpenHands' events (V1): one event a line, or one a file in ``<conversation>/events/``.

``{id, timestamp, source, kind, …}``. Instants have no zone, so one has to
be given. Where the log says how the conversation's execution stands, that starts and ends
turns; where it does not, a person's message starts one and its end is inferred from quiet
after the agent's own message. Thoughts and ids are no part of a call's input.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, ClassVar, Final

import attrs

from wakeful.logs.agents import AgentReader, Entry, map_in, text_in
from wakeful.logs.reader import NO_APPROVALS, NO_HEARTBEAT, NO_QUEUE, Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.logs.values import LineError, load
from wakeful.model.events import EventKind, Input
from wakeful.model.time import Duration, Instant

_STILL_RUNS: Final = -1
"""The exit code of a command that has not ended."""

_ENDINGS: Final[Mapping[str, EventKind]] = {
    "idle": "turnCompleted",
    "finished": "turnCompleted",
    "paused": "turnCancelled",
    "error": "turnFailed",
    "stuck": "turnFailed",
}
_SILENT: Final = frozenset(
    {"SystemPromptEvent", "LLMCompletionLogEvent", "TokenEvent", "CondensationRequest"}
)
_SAID: Final = frozenset({"Condensation", "CondensationSummaryEvent", "StreamingDeltaEvent"})


@attrs.define
class _Notes:
    """Whether the log says how the execution stands."""

    says_status: bool = False


class OpenHandsReader(AgentReader):
    """Reads events, as lines or as files."""

    provider = "openhands"

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._session_of_file: dict[int, str] = {}
        self._handlers: Mapping[str, Callable[[Session, Instant, Mapping[str, Any]], None]] = {
            "MessageEvent": self._message,
            "ActionEvent": self._action,
            "ObservationEvent": self._observation,
            "AgentErrorEvent": self._failed_call,
            "UserRejectObservation": self._failed_call,
            "ConversationStateUpdateEvent": self._state,
            "ConversationErrorEvent": self._error,
            "PauseEvent": self._pause,
            "InterruptEvent": self._pause,
        }

    def decode(self, line: bytes, origin: Origin) -> Sequence[Entry]:
        """The event of a line; those of a list, where a file is one."""
        value = load(line)
        events = value if isinstance(value, list) else [value]
        found = []
        for event in events:
            if not isinstance(event, dict):
                raise LineError("an event is an object")
            kind = text_in(event, "kind") or "without kind"
            if kind in self._handlers or kind in _SAID:
                found.append(Entry(self.read_at(event.get("timestamp")), event, origin))
            elif kind not in _SILENT:
                self.skipped[kind] += 1
        return found

    def apply(self, record: Entry) -> Sequence[Input]:
        """The inputs of one event."""
        event = record.line
        if record.at is None or self.is_copy(text_in(event, "id"), record.origin):
            return ()
        session = self._session(record.origin, event)
        handler = self._handlers.get(event["kind"])
        if handler is not None:
            handler(session, record.at, event)
        else:
            self._act(session, record.at)
        return self.sessions.take()

    def close(self, origin: Origin) -> None:
        """Forget which session a file is of."""
        super().close(origin)
        self._session_of_file.pop(origin.index, None)

    def _session(self, origin: Origin, event: Mapping[str, Any]) -> Session:
        id_ = self._session_of_file.get(origin.index)
        if id_ is None:
            name = origin.name
            in_folder = name.parent.name == "events" and name.parent.parent.name
            told = map_in(event, "value") if event.get("key") == "full_state" else {}
            id_ = text_in(told, "id") or in_folder or name.stem
            self._session_of_file[origin.index] = id_
        session = self.sessions.get(id_)
        if session.notes is None:
            session.notes = _Notes()
        return session

    def _start(self, session: Session, at: Instant) -> None:
        self.sessions.start(session, at)

    def _act(self, session: Session, at: Instant) -> None:
        if not session.running and not session.notes.says_status:
            self._start(session, at)
        if session.running:
            session.ends_at = None
            self.sessions.act(session, at)

    def _message(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:
        if event.get("source") == "user":
            if session.running and session.notes.says_status:
                self.sessions.act(session, at)
            else:
                self._start(session, at)
            return
        self._act(session, at)
        if not session.notes.says_status:
            self.sessions.expect_end(session, at)

    def _action(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:
        self._act(session, at)
        name = text_in(event, "tool_name")
        tool = None if name is None else tool_call(name, event.get("action"))
        session.open_calls[_call_of(event)] = tool
        session.ends_at = None

    def _observation(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:
        observation = map_in(event, "observation")
        folder = text_in(map_in(observation, "metadata"), "working_dir")
        if folder:
            self.sessions.works_in(session, folder)
        code = observation.get("exit_code")
        failed = observation.get("is_error") is True or code not in (None, 0, _STILL_RUNS)
        self.sessions.finish_call(session, at, _call_of(event), failed=failed)
        if event.get("tool_name") == "finish" and not session.notes.says_status:
            self.sessions.expect_end(session, at)

    def _failed_call(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:
        self.sessions.finish_call(session, at, _call_of(event), failed=True)

    def _state(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:
        value = event.get("value")
        if event.get("key") == "full_state":
            state = map_in(event, "value")
            folder = text_in(map_in(state, "workspace"), "working_dir")
            if folder:
                self.sessions.works_in(session, folder)
            value = state.get("execution_status")
        elif event.get("key") != "execution_status":
            self.sessions.postpone_end(session, at)
            return
        if value == "running":
            session.notes.says_status = True
            if session.running:
                self.sessions.act(session, at)
            else:
                self._start(session, at)
        elif isinstance(value, str) and value in _ENDINGS:
            self.sessions.end(session, at, _ENDINGS[value])
        self.sessions.postpone_end(session, at)

    def _error(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.end(session, at, "turnFailed")

    def _pause(self, session: Session, at: Instant, event: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.sessions.end(session, at, "turnCancelled")


def _call_of(event: Mapping[str, Any]) -> str:
    """What pairs an action with its observation."""
    return text_in(event, "tool_call_id") or text_in(event, "action_id") or ""


def _is_event(value: object) -> bool:
    return (
        isinstance(value, dict)
        and "timestamp" in value
        and "source" in value
        and isinstance(value.get("kind"), str)
    )


class OpenHandsFormat:
    """Events of OpenHands, one a line."""

    name: ClassVar[str] = "openhands"
    reorder: ClassVar[Duration] = 0
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {
        "approval": NO_APPROVALS,
        "heartbeat": NO_HEARTBEAT,
        "messageQueued": NO_QUEUE,
        "childFinished": "conversations that a conversation starts are not named in it",
        "sessionEnded": "a conversation that ends leaves no record",
    }
    endings_inferred: ClassVar[bool] = True

    def recognise(self, head: Head) -> bool:
        """Whether a line is an event."""
        return any(map(_is_event, head.objects))

    def reader(self, *, zone: tzinfo | None = None) -> OpenHandsReader:
        """A new reader."""
        return OpenHandsReader(zone=zone)


class OpenHandsObjectFormat(OpenHandsFormat):
    """Events of OpenHands, one a file, or a list of them."""

    whole: ClassVar[bool] = True

    def recognise(self, head: Head) -> bool:
        """Whether the file begins like an event, or like a list of them."""
        begins = head.beginning.lstrip()
        if begins.startswith(b"[") and not head.objects:
            begins = begins[1:].lstrip()
        elif any(head.objects):
            return False
        return begins.startswith(b"{") and all(
            name in begins for name in (b'"kind"', b'"source"', b'"timestamp"')
        )
