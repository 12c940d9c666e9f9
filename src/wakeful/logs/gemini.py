"""Gemini CLI's sessions: ``~/.gemini/tmp/<project>/chats/session-<time>-<id>``.

In 2025 one object, ``.json``; in 2026 records, ``.jsonl``, where a message is written again
as it grows and replaces the one before it, and ``$set`` may write all of them again.
So what counts of a message is what is new in it: that it is there, and
each call whose status has become final.

A message bears the instant it began, a call the instant it ended, which may be much later:
it may have waited for a person. A call that was cancelled has not finished well, and is a
failed one; when all calls of a message were cancelled, so was the turn. There is no record
of an ending but an error or a cancelled request: else it is inferred from quiet.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any, ClassVar, Final

import attrs

from wakeful.logs.agents import AgentReader, Entry, maps_in, text_in, text_of
from wakeful.logs.reader import NO_APPROVALS, NO_HEARTBEAT, NO_QUEUE, Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant

_FINAL: Final = frozenset({"success", "error", "cancelled"})
_RUNNING: Final = frozenset({"validating", "scheduled", "awaiting_approval", "executing"})
_CANCELLED: Final = re.compile(r"\s*request cancelled", re.IGNORECASE)
_OBJECT: Final = re.compile(rb'\s*\{.*"sessionId"\s*:.*"messages"\s*:\s*\[', re.DOTALL)
_METADATA: Final = "metadata"
_CALL: Final = "call"


@attrs.define
class _Message:
    """What is known of a message: its calls, and which of them have finished."""

    begun: set[str] = attrs.Factory(set)
    finished: set[str] = attrs.Factory(set)


@attrs.define
class _Notes:
    """The messages of a session, by their ids."""

    messages: dict[str, _Message] = attrs.Factory(dict)


class GeminiReader(AgentReader):
    """Reads both forms: a line is a record, or the whole session."""

    provider = "gemini"

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._session_of_file: dict[int, str] = {}

    def decode(self, line: bytes, origin: Origin) -> Sequence[Entry]:
        """The records of a line: a message, and the end of each of its calls."""
        record = self.read_line(line)
        return list(self._entries(record, origin))

    def _entries(self, record: Mapping[str, Any], origin: Origin) -> Iterator[Entry]:
        if "$set" in record or "sessionId" in record:
            members = record.get("$set", record)
            if not isinstance(members, dict):
                return
            plain = {key: value for key, value in members.items() if key != "messages"}
            yield Entry(None, plain | {"type": _METADATA}, origin)
            yield from self._messages(maps_in(members, "messages"), origin)
        elif "$rewindTo" in record:
            yield Entry(None, {**record, "type": "$rewindTo"}, origin)
        else:
            yield from self._messages([record], origin)

    def _messages(self, messages: Iterable[Mapping[str, Any]], origin: Origin) -> Iterator[Entry]:
        for message in messages:
            at = self.read_at(message.get("timestamp"))
            yield Entry(at, message, origin)
            if at is not None:
                yield from self._ends(message, at, origin)

    def _ends(self, message: Mapping[str, Any], at: Instant, origin: Origin) -> Iterator[Entry]:
        """The ends of a message's calls, in order."""
        calls = maps_in(message, "toolCalls")
        ended: list[tuple[Instant, dict[str, Any]]] = []
        for number, call in enumerate(calls):
            status = text_in(call, "status")
            if status in _FINAL:
                end = max(at, self.read_at(call.get("timestamp")) or at)
                key = _key(call, number)
                ended.append((end, {"type": _CALL, "message": message, "call": call, "key": key}))
            elif status not in _RUNNING:
                self.skipped[f"toolCall {status}"] += 1
        ended.sort(key=lambda one: one[0])
        if ended and all(call.get("status") == "cancelled" for call in calls):
            ended[-1][1]["is_cancelled"] = True
        for end, given in ended:
            yield Entry(end, given, origin)

    def apply(self, record: Entry) -> Sequence[Input]:
        """The inputs of one record."""
        line, at = record.line, record.at
        kind = text_in(line, "type")
        if kind == _METADATA:
            self._metadata(line, record.origin)
            return ()
        session = self._session(record.origin)
        if kind == "$rewindTo":
            _rewind(session, text_in(line, "$rewindTo"))
            return ()
        if at is None:
            return ()
        if kind == _CALL:
            self._call(session, at, line)
        else:
            self._message(session, at, line, kind)
        return self.sessions.take()

    def close(self, origin: Origin) -> None:
        """Forget which session a file is of."""
        super().close(origin)
        self._session_of_file.pop(origin.index, None)

    def _session(self, origin: Origin, parent: str | None = None) -> Session:
        id_ = self._session_of_file.setdefault(origin.index, origin.name.stem)
        session = self.sessions.get(id_, parent=parent)
        if session.notes is None:
            session.notes = _Notes()
        return session

    def _metadata(self, line: Mapping[str, Any], origin: Origin) -> None:
        if id_ := text_in(line, "sessionId"):
            self._session_of_file.setdefault(origin.index, id_)
        parent = None
        if line.get("kind") == "subagent":
            folder = origin.name.parent
            above = folder.name if folder.parent.name == "chats" else None
            parent = text_in(line, "parentSessionId") or above
        session = self._session(origin, parent)
        session.title = text_in(line, "summary") or session.title
        folders = line.get("directories")
        if isinstance(folders, list) and folders and isinstance(folders[0], str):
            self.sessions.works_in(session, folders[0])

    def _message(
        self, session: Session, at: Instant, line: Mapping[str, Any], kind: str | None
    ) -> None:
        notes: _Notes = session.notes
        id_ = _id(line)
        known = notes.messages.get(id_)
        if known is not None and kind != "gemini":
            self.duplicates += 1
            return
        match kind:
            case "user":
                self.sessions.start(session, at)
            case "gemini":
                if known is None:
                    if not session.running:
                        self.sessions.start(session, at)
                    session.ends_at = None
                    self.sessions.act(session, at)
            case "error":
                self.sessions.end(session, at, "turnFailed")
            case "info" | "warning":
                if _CANCELLED.match(text_of(line.get("content"))):
                    self.sessions.end(session, at, "turnCancelled")
                else:
                    self.sessions.postpone_end(session, at)
            case _:
                self.skipped[kind or "without type"] += 1
                return
        message = notes.messages[id_] = known or _Message()
        if kind == "gemini":
            self._calls(session, at, line, message)

    def _calls(
        self, session: Session, at: Instant, line: Mapping[str, Any], message: _Message
    ) -> None:
        calls = maps_in(line, "toolCalls")
        fresh = False
        for number, call in enumerate(calls):
            key = _key(call, number)
            if key in message.begun:
                continue
            fresh = True
            message.begun.add(key)
            name = text_in(call, "name")
            tool = None if name is None else tool_call(name, call.get("args"))
            self.sessions.begin_call(session, at, key, tool)
        if not calls:
            self.sessions.expect_end(session, at)
        elif not fresh and len(message.finished) == len(calls):
            self.duplicates += 1

    def _call(self, session: Session, at: Instant, line: Mapping[str, Any]) -> None:
        message = session.notes.messages.get(_id(line["message"]))
        key = line["key"]
        if message is None or key in message.finished:
            return
        message.finished.add(key)
        failed = line["call"].get("status") != "success"
        self.sessions.finish_call(session, at, key, failed=failed)
        if line.get("is_cancelled"):
            self.sessions.end(session, at, "turnCancelled")


def _key(call: Mapping[str, Any], number: int) -> str:
    return text_in(call, "id") or str(number)


def _id(message: Mapping[str, Any]) -> str:
    return text_in(message, "id") or str(message.get("timestamp"))


def _rewind(session: Session, message: str | None) -> None:
    """Forget the messages from one on: their like may come again."""
    messages = session.notes.messages
    if message in messages:
        ids = list(messages)
        for id_ in ids[ids.index(message) :]:
            del messages[id_]


class GeminiFormat:
    """Sessions of Gemini CLI as records."""

    name: ClassVar[str] = "gemini-cli"
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
        """Whether a line is a session's metadata."""
        return any(
            "sessionId" in line and ("projectHash" in line or "startTime" in line)
            for line in head.objects
        )

    def reader(self, *, zone: tzinfo | None = None) -> GeminiReader:
        """A new reader."""
        return GeminiReader(zone=zone)


class GeminiObjectFormat(GeminiFormat):
    """Sessions of Gemini CLI as one object."""

    whole: ClassVar[bool] = True

    def recognise(self, head: Head) -> bool:
        """Whether the file is one object with a session's messages."""
        return not any(head.objects) and _OBJECT.match(head.beginning) is not None
