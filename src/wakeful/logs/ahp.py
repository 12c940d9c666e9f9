"""Recorded actions of the Agent Host Protocol: JSON Lines ``{at, channel, action, …}``.

The protocol's envelopes carry no instant, so whoever records them stamps
each as it arrives. The mapping is told in the reference on logs; what a client has to know
besides:

- a call's tool is named at its start, its input comes with ready, its success with
  completion; an action for a call or a turn that is not there does nothing;
- a session has chats. A turn of its default chat is its turn; a turn of a worker chat that
  ends is a child that finished. A chat belongs to the session that said so; one that none
  spoke of is its own session, under its channel's name;
- truncating a chat drops its turn without a word, which is told as a cancellation;
- a rejected action did not happen; one that was replayed after a reconnection happened
  once.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from pathlib import PurePosixPath
from typing import Any, ClassVar, Final
from urllib.parse import unquote, urlsplit

import attrs
import msgspec

from wakeful.logs.agents import AgentReader, map_in, parsed, text_in
from wakeful.logs.reader import Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.logs.values import LineError, decode
from wakeful.model.events import EventKind, Input
from wakeful.model.time import Duration, Instant

_ENDINGS: Final[Mapping[str, EventKind]] = {
    "chat/turnComplete": "turnCompleted",
    "chat/turnCancelled": "turnCancelled",
    "chat/error": "turnFailed",
    "chat/truncated": "turnCancelled",
}
_SAID: Final = frozenset(
    {
        "chat/activityChanged",
        "chat/delta",
        "chat/reasoning",
        "chat/responsePart",
        "chat/toolCallContentChanged",
        "chat/toolCallDelta",
    }
)
_SILENT: Final = frozenset(
    {
        "chat/inputCompleted",
        "chat/inputRequested",
        "chat/queuedMessagesReordered",
        "chat/toolCallAuthRequired",
        "chat/toolCallAuthResolved",
        "chat/toolCallResultConfirmed",
        "chat/usage",
        "session/inputNeededRemoved",
        "session/inputNeededSet",
    }
)
_WORKERS: Final = frozenset({"tool", "agent", "worker"})
"""The origins of chats that a session itself opened."""


class _Line(msgspec.Struct, rename="camel"):
    at: str | int | None = None
    channel: str = ""
    action: dict[str, Any] = {}
    server_seq: int | None = None
    rejection_reason: Any = None


@attrs.define
class _Envelope:
    at: Instant | None
    line: _Line
    origin: Origin


@attrs.define
class _Call:
    """A call that runs: its tool's name, and its input once it is there."""

    name: str | None
    input: Any = None


@attrs.define(eq=False)
class _Chat:
    """A chat: whose it is, its turn, its calls, and what waits in it.

    Attributes:
        is_new: Whether nothing was seen of it, so that it may be in the midst of a turn.
    """

    uri: str
    session: str
    is_default: bool = True
    is_worker: bool = False
    is_new: bool = True
    turn: str | None = None
    calls: dict[str, _Call] = attrs.Factory(dict)
    queued: set[str] = attrs.Factory(set)


_Handler = Callable[[_Chat, Session, Instant, Mapping[str, Any]], None]


class AhpReader(AgentReader):
    """Reads recorded envelopes."""

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._envelope = msgspec.json.Decoder(_Line)
        self._chats: dict[str, _Chat] = {}
        self._has_default: set[str] = set()
        self._handlers: Mapping[str, _Handler] = {
            "chat/turnStarted": self._turn_started,
            "chat/toolCallStart": self._call_starts,
            "chat/toolCallReady": self._call_ready,
            "chat/toolCallConfirmed": self._call_confirmed,
            "chat/toolCallComplete": self._call_complete,
            "chat/pendingMessageSet": self._message_waits,
            "chat/pendingMessageRemoved": self._message_gone,
            **dict.fromkeys(_ENDINGS, self._turn_ends),
            **dict.fromkeys(_SAID, self._said),
        }

    def decode(self, line: bytes, origin: Origin) -> Sequence[_Envelope]:
        """The envelope of one line."""
        envelope = decode(self._envelope, line)
        if not envelope.channel or not isinstance(envelope.action.get("type"), str):
            raise LineError("an envelope has a channel, and an action with a type")
        if envelope.at is None:
            raise LineError("an envelope has no instant of its own: `at` is missing")
        return (_Envelope(self.instants.read(envelope.at), envelope, origin),)

    def apply(self, record: _Envelope) -> Sequence[Input]:
        """The inputs of one envelope."""
        line, at = record.line, record.at
        action = line.action
        kind: str = action["type"]
        if line.rejection_reason is not None:
            self.skipped["rejected"] += 1
            return ()
        if at is None or self.is_copy(_identity(line), record.origin):
            return ()
        if kind in self._handlers:
            chat = self._chat(line.channel)
            self._handlers[kind](chat, self.sessions.get(chat.session), at, action)
            chat.is_new = False
        elif kind.startswith(("session/", "root/")):
            self._of_session(kind, line.channel, at, action)
        elif kind not in _SILENT:
            self.skipped[kind] += 1
        return self.sessions.take()

    # Sessions and their chats

    def _chat(self, uri: str) -> _Chat:
        chat = self._chats.get(uri)
        if chat is None:
            chat = self._chats[uri] = _Chat(uri=uri, session=uri)
            self._session(uri)
        return chat

    def _session(self, uri: str, parent: str | None = None) -> Session:
        known = uri in self.sessions
        session = self.sessions.get(uri, parent=parent)
        if not known:
            session.facts = attrs.evolve(session.facts, provider=provider_of(uri))
        return session

    def _of_session(self, kind: str, channel: str, at: Instant, action: Mapping[str, Any]) -> None:
        """What is said of a session, on its own channel or on the host's."""
        summary = map_in(action, "summary") or map_in(action, "chat") or map_in(action, "session")
        uri = text_in(summary, "resource")
        if kind in ("session/chatAdded", "session/chatUpdated", "session/chatOpened"):
            if uri is not None:
                self._chat_of(channel, uri, summary)
        elif kind == "session/defaultChatChanged":
            chosen = text_in(action, "defaultChat") or text_in(action, "chat")
            for chat in self._chats.values():
                if chat.session == channel:
                    chat.is_default = chat.uri == chosen
        elif kind == "session/activityChanged":
            if channel in self.sessions and self.sessions.get(channel).running:
                self.sessions.act(self.sessions.get(channel), at)
        elif kind == "session/titleChanged":
            self._session(channel).title = text_in(action, "title")
        elif kind in ("session/ready", "root/sessionAdded", "root/sessionSummaryChanged"):
            session = uri or text_in(action, "session") or channel
            if session.startswith("ahp-root:"):
                return
            members = summary or map_in(action, "changes") or action
            self._say_facts(session, members)
        elif kind in ("root/sessionRemoved", "session/disposed", "session/removed"):
            removed = text_in(action, "session") or channel
            if removed in self.sessions:
                self._dispose(self.sessions.get(removed), at)
        elif kind not in _SILENT:
            self.skipped[kind] += 1

    def _chat_of(self, session: str, uri: str, summary: Mapping[str, Any]) -> None:
        """A session said that a chat is its own; the first that no tool opened is default."""
        self._session(session)
        is_worker = text_in(map_in(summary, "origin"), "kind") in _WORKERS
        known = self._chats.get(uri)
        if known is not None and known.session == session:
            return
        is_default = not is_worker and session not in self._has_default
        if is_default:
            self._has_default.add(session)
        self._chats[uri] = _Chat(
            uri=uri, session=session, is_default=is_default, is_worker=is_worker
        )

    def _say_facts(self, uri: str, members: Mapping[str, Any]) -> None:
        session = self._session(uri, text_in(members, "parent"))
        facts = session.facts
        folders = _folders(members) or facts.folders
        project = map_in(members, "project")
        session.title = text_in(members, "title") or session.title
        session.facts = attrs.evolve(
            facts,
            provider=text_in(members, "provider") or facts.provider,
            owner=text_in(members, "owner") or facts.owner,
            folders=folders,
            project=text_in(members, "project")
            or text_in(project, "displayName")
            or text_in(project, "name")
            or (_last_part(folders[0]) if folders else facts.project),
        )

    def _dispose(self, session: Session, at: Instant) -> None:
        self.sessions.close(session, at, disposed=True)
        self._has_default.discard(session.id)
        for uri in [uri for uri, chat in self._chats.items() if chat.session == session.id]:
            del self._chats[uri]

    # Turns

    def _turn_started(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        chat.turn = text_in(action, "turnId") or ""
        chat.calls.clear()
        taken = text_in(action, "queuedMessageId")
        if taken is not None:
            chat.queued.discard(taken)
        if not chat.is_default:
            self.sessions.act(session, at)
            return
        session.queued = len(chat.queued)
        origin = map_in(map_in(action, "message"), "origin")
        if origin.get("kind") == "automation":
            session.facts = attrs.evolve(session.facts, automated=True)
        self.sessions.start(session, at)

    def _turn_ends(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        # Truncating names the turn that stays, and drops the one that runs.
        of_turn = {} if action["type"] == "chat/truncated" else action
        if not self._is_of_turn(chat, session, of_turn):
            return
        chat.turn = None
        chat.calls.clear()
        if chat.is_default:
            self.sessions.end(session, at, _ENDINGS[action["type"]])
        elif chat.is_worker:
            self.sessions.child_finished(session, at, chat.uri)

    def _is_of_turn(self, chat: _Chat, session: Session, action: Mapping[str, Any]) -> bool:
        """Whether an action is of the turn that runs. A record may begin within one."""
        turn = text_in(action, "turnId")
        if chat.is_new and chat.turn is None:
            chat.turn = turn or ""
            session.running = session.running or chat.is_default
        return chat.turn is not None and (turn is None or turn == chat.turn)

    def _said(self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]) -> None:
        if self._is_of_turn(chat, session, action):
            self.sessions.act(session, at)

    # Calls

    def _call_starts(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        id_ = text_in(action, "toolCallId")
        if id_ is not None and self._is_of_turn(chat, session, action):
            chat.calls[id_] = _Call(text_in(action, "toolName"), action.get("toolInput"))
            self.sessions.act(session, at)

    def _call_ready(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        call = chat.calls.get(text_in(action, "toolCallId") or "")
        if call is not None:
            call.input = action.get("toolInput", call.input)
            self.sessions.act(session, at)

    def _call_confirmed(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        id_ = text_in(action, "toolCallId") or ""
        if id_ not in chat.calls:
            return
        if action.get("approved") is False:
            del chat.calls[id_]
        self.sessions.act(session, at)

    def _call_complete(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        id_ = text_in(action, "toolCallId") or ""
        call = chat.calls.pop(id_, None)
        if call is None:
            return
        tool = None if call.name is None else tool_call(call.name, parsed(call.input))
        failed = map_in(action, "result").get("success") is False
        self.sessions.finish_call(
            session, at, id_, failed=failed, tool=tool, counts=chat.is_default
        )

    # Messages that wait

    def _message_waits(
        self, chat: _Chat, session: Session, at: Instant, action: Mapping[str, Any]
    ) -> None:
        id_ = text_in(action, "id") or text_in(map_in(action, "message"), "id")
        is_new = id_ is not None and id_ not in chat.queued
        if action.get("kind") != "queued" or not chat.is_default or not is_new:
            self.sessions.act(session, at)
            return
        chat.queued.add(id_ or "")
        self.sessions.queue(session, at, len(chat.queued))

    def _message_gone(
        self,
        chat: _Chat,
        session: Session,
        at: Instant,  # noqa: ARG002 - nobody is told that less waits
        action: Mapping[str, Any],
    ) -> None:
        if action.get("kind") == "queued":
            chat.queued.discard(text_in(action, "id") or "")
            if chat.is_default:
                session.queued = len(chat.queued)


def _identity(line: _Line) -> str | None:
    """What makes an envelope the same one, whenever it arrives."""
    if line.server_seq is None:
        return None
    action = msgspec.json.encode(line.action, order="deterministic")
    return f"{line.server_seq} {line.channel} {hash(action)}"


def provider_of(uri: str) -> str | None:
    """The provider that a session's URI names: ``claude`` in ``ahp-session://claude/…``.

    >>> provider_of("copilot:/1234")
    'copilot'
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.startswith("ahp"):
        return parts.netloc or None
    return parts.scheme or None


def _folders(members: Mapping[str, Any]) -> tuple[str, ...]:
    many = members.get("workingDirectories", members.get("folders"))
    if isinstance(many, list):
        return tuple(one for one in many if isinstance(one, str))
    one = text_in(members, "workingDirectory")
    return () if one is None else (one,)


def _last_part(uri: str) -> str | None:
    try:
        return PurePosixPath(unquote(urlsplit(uri).path)).name or None
    except ValueError:
        return None


class AhpFormat:
    """Recorded actions of the Agent Host Protocol."""

    name: ClassVar[str] = "ahp"
    reorder: ClassVar[Duration] = 0
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {}
    endings_inferred: ClassVar[bool] = False

    def recognise(self, head: Head) -> bool:
        """Whether a line is an envelope."""
        return any(
            isinstance(line.get("channel"), str) and isinstance(line.get("action"), dict)
            for line in head.objects
        )

    def reader(self, *, zone: tzinfo | None = None) -> AhpReader:
        """A new reader."""
        return AhpReader(zone=zone)
