"""Claude Code's transcripts: ``~/.claude/projects/<folder>/<session>.jsonl``.

One JSON object a line, one block of a reply a record. What each record
comes to:

- a person's message starts a turn, and so does a slash command. Nothing tells one that the
  agent answers from one that the program itself carries out, whose output is activity and
  whose turn nothing ends but the next;
- ``tool_use`` and ``tool_result`` are paired by id; a result counts where it stands. One
  failure in a batch makes its siblings fail without having run: those are no failures;
- the endings: a ``turn_duration`` record, an interruption, an error of the API.

Turn durations are written for long turns only, by versions from 2.1 on, and can be
switched off. So a turn's end is inferred from quiet where no record can be expected: in
subagents, in short turns, in sessions that were seen to write none, and where the reply
itself says that it is the end. An agent that goes on after all has started another turn,
as far as one can know.

A record is dropped when its uuid was seen before: resuming, forking and compaction write
old records again. The ids are kept as long as their file is open.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import ClassVar, Final

import attrs
import msgspec

from wakeful.logs.agents import AgentReader
from wakeful.logs.claude_records import (
    LONG_TURN,
    SILENT_TYPES,
    AgentResult,
    Block,
    Line,
    TypeOnly,
    first_text,
    is_cascade,
    is_record,
    writes_durations,
)
from wakeful.logs.reader import NO_APPROVALS, Head, Origin
from wakeful.logs.sessions import Session, tool_call
from wakeful.logs.values import LineError, decode
from wakeful.model.events import Input
from wakeful.model.time import SECOND, Duration, Instant

_KEPT_TITLES: Final = 4096


@attrs.define
class _Entry:
    """One record, with where it stands."""

    at: Instant | None
    line: Line
    origin: Origin


@attrs.define
class _Notes:
    """What is remembered of a session besides its turn.

    Attributes:
        tells_durations: Whether a long turn's end can be expected to have a record.
        title_rank: What its title was taken from: a summary, the agent, a person.
        replied: Whether the last that the agent said was text, which may end its turn.
    """

    tells_durations: bool = False
    title_rank: int = 0
    replied: bool = False


class ClaudeCodeReader(AgentReader):
    """Reads transcripts, with their subagents as sessions of their own."""

    provider = "claude"

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self._record = msgspec.json.Decoder(Line)
        self._type = msgspec.json.Decoder(TypeOnly)
        self._agent_result = msgspec.json.Decoder(AgentResult)
        self._agents: dict[int, str] = {}
        self._leaf_titles: dict[str, str] = {}
        self._handlers: Mapping[str, Callable[[Session, Instant, Line], None]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "progress": self._progress,
            "attachment": self._attachment,
            "queue-operation": self._queue,
        }

    def decode(self, line: bytes, origin: Origin) -> Sequence[_Entry]:
        """The record of one line."""
        try:
            record = decode(self._record, line)
        except LineError:
            kind = decode(self._type, line).type
            if kind in self._handlers or not kind:
                raise
            self._skip(kind)
            return ()
        at = None
        if record.timestamp is not None and record.type in self._handlers:
            at = self.instants.read(record.timestamp)
        return (_Entry(at, record, origin),)

    def apply(self, record: _Entry) -> Sequence[Input]:
        """The inputs of one record."""
        line, at = record.line, record.at
        handler = self._handlers.get(line.type)
        if handler is None:
            self._without_turn(line)
            return ()
        if line.uuid is not None and line.uuid in self.seen:
            self.duplicates += 1
            return ()
        session = self._session_of(line, record.origin)
        if at is None:
            return ()
        if line.cwd is not None:
            # A session that the program's library or `claude -p` began says so.
            automated = (line.entrypoint or "").startswith("sdk")
            self.sessions.works_in(session, line.cwd, automated=automated)
        if line.version is not None and not session.running:
            session.notes.tells_durations |= writes_durations(line.version)
        handler(session, at, line)
        return self.sessions.take()

    def _skip(self, kind: str) -> None:
        if kind not in SILENT_TYPES:
            self.skipped[kind] += 1

    # Whose record it is

    def _session_of(self, line: Line, origin: Origin) -> Session:
        """The record's session: the transcript's, or the subagent's."""
        main = line.session_id or origin.name.stem
        in_file = self._agents.get(origin.index)
        if in_file is None:
            in_file = self._agents[origin.index] = _agent_of(origin)
        child = (line.agent_id or in_file or None) if line.is_sidechain or in_file else None
        if child is None and line.is_sidechain:
            # Older transcripts hold subagents inline and unnamed: one is known by the
            # record that began it, which the others go back to.
            child = self.seen.note(line.parent_uuid or "") or line.uuid
        if line.uuid is not None:
            self.seen.add(line.uuid, origin, child or "")
        session = self.sessions.get(child or main, parent=main if child else None)
        if session.notes is None:
            session.notes = _Notes()
        if self._leaf_titles and line.uuid is not None:
            self._name(session, self._leaf_titles.pop(line.uuid, None), rank=1)
        return session

    # Records that belong to no turn

    def _without_turn(self, line: Line) -> None:
        if line.type == "summary":
            if line.leaf_uuid is not None and line.summary is not None:
                if len(self._leaf_titles) >= _KEPT_TITLES:
                    self._leaf_titles.clear()
                self._leaf_titles[line.leaf_uuid] = line.summary
        elif line.type in ("ai-title", "custom-title"):
            if line.session_id is not None:
                session = self.sessions.get(line.session_id)
                if session.notes is None:
                    session.notes = _Notes()
                self._name(session, line.ai_title, rank=2)
                self._name(session, line.custom_title, rank=3)
        else:
            self._skip(line.type or "without type")

    def _name(self, session: Session, title: str | None, *, rank: int) -> None:
        """Give a session its title; what a person chose outlasts what was made up."""
        if title and rank >= session.notes.title_rank:
            session.title, session.notes.title_rank = title, rank

    # Records of turns

    def _user(self, session: Session, at: Instant, line: Line) -> None:
        content = line.message.content if line.message is not None else None
        if isinstance(content, list):
            results = [
                block
                for block in content
                if isinstance(block, Block) and block.type == "tool_result"
            ]
            if results:
                for block in results:
                    self._result(session, at, line, block)
                return
        text = first_text(content)
        notes: _Notes = session.notes
        if line.is_compact_summary:
            self._act_if_running(session, at)
        elif line.is_meta:
            if text.startswith(("<local-command-caveat>", "Caveat: ")):
                return
            if session.running:
                session.ends_at = None
                self.sessions.act(session, at)
        elif text.startswith("[Request interrupted by user"):
            self.sessions.end(session, at, "turnCancelled")
        elif text.startswith(("<command-name>", "<command-message>")):
            self._start(session, at)
        elif text.startswith(("<local-command-", "<bash-input>", "<bash-std")):
            self._act_if_running(session, at)
        elif content is not None:
            if session.running and notes.replied and at - session.started_at > LONG_TURN:
                notes.tells_durations = False
            self._start(session, at)

    def _start(self, session: Session, at: Instant) -> None:
        session.notes.replied = False
        self.sessions.start(session, at)

    def _act_if_running(self, session: Session, at: Instant) -> None:
        self.sessions.postpone_end(session, at)
        if session.running:
            self.sessions.act(session, at)

    def _result(self, session: Session, at: Instant, line: Line, block: Block) -> None:
        call = block.tool_use_id or ""
        if session.children:
            self._end_child(session, at, line)
        session.notes.replied = False
        if block.is_error and is_cascade(block.content):
            self.sessions.drop_call(session, at, call)
        else:
            self.sessions.finish_call(session, at, call, failed=bool(block.is_error))

    def _end_child(self, session: Session, at: Instant, line: Line) -> None:
        """A subagent's result has come back: its turn is over, if it was not before."""
        raw = bytes(line.tool_use_result)
        if b'"agentId"' not in raw:
            return
        try:
            result = decode(self._agent_result, raw)
        except LineError:
            return
        if result.status in (None, "completed"):
            for child in session.children:
                if child.id == result.agent_id:
                    self.sessions.end(child, at, "turnCompleted")

    def _assistant(self, session: Session, at: Instant, line: Line) -> None:
        message = line.message
        if message is None:
            return
        if line.is_api_error_message:
            if not session.running:
                self._start(session, at)
            self.sessions.end(session, at, "turnFailed")
            return
        if message.model == "<synthetic>":
            return
        if not session.running:
            self._start(session, at)
        notes: _Notes = session.notes
        blocks = [block for block in message.content or () if isinstance(block, Block)]
        calls = [block for block in blocks if block.type == "tool_use"]
        for block in calls:
            tool = None if block.name is None else tool_call(block.name, block.input)
            self.sessions.begin_call(session, at, block.id or "", tool)
        if not calls:
            session.ends_at = None
            self.sessions.act(session, at)
        notes.replied = not calls and any(block.type == "text" for block in blocks)
        if notes.replied and self._ends_quietly(session, at, message.stop_reason):
            self.sessions.expect_end(session, at)

    def _ends_quietly(self, session: Session, at: Instant, stop_reason: str | None) -> bool:
        """Whether the end of a turn has no record to wait for after this text."""
        if stop_reason in ("tool_use", "pause_turn"):
            return False
        return (
            stop_reason is not None
            or session.parent is not None
            or not session.notes.tells_durations
            or at - session.started_at <= LONG_TURN
        )

    def _system(self, session: Session, at: Instant, line: Line) -> None:
        if line.subtype == "turn_duration":
            session.notes.tells_durations = True
            self.sessions.end(session, at, "turnCompleted")
        elif line.subtype in ("compact_boundary", "api_error"):
            self._act_if_running(session, at)
        else:
            self.sessions.postpone_end(session, at)

    def _progress(self, session: Session, at: Instant, line: Line) -> None:  # noqa: ARG002
        self._act_if_running(session, at)

    def _attachment(self, session: Session, at: Instant, line: Line) -> None:  # noqa: ARG002
        self._act_if_running(session, at)

    def _queue(self, session: Session, at: Instant, line: Line) -> None:
        match line.operation:
            case "enqueue":
                self.sessions.queue(session, at, session.queued + 1)
            case "dequeue" | "remove":
                session.queued = max(0, session.queued - 1)
            case "popAll":
                session.queued = 0
            case operation:
                self.skipped[f"queue-operation {operation}"] += 1
        self.sessions.postpone_end(session, at)


def _agent_of(origin: Origin) -> str:
    """The subagent that a file of its own is named for; empty for another file."""
    name = origin.name
    return name.stem.removeprefix("agent-") if name.parent.name == "subagents" else ""


class ClaudeCodeFormat:
    """Transcripts of Claude Code."""

    name: ClassVar[str] = "claude-code"
    reorder: ClassVar[Duration] = SECOND
    whole: ClassVar[bool] = False
    cannot_show: ClassVar[Mapping[str, str]] = {
        "approval": NO_APPROVALS,
        "heartbeat": "little is written while a tool runs or a reply streams",
        "sessionEnded": "a session that ends leaves no record",
    }
    endings_inferred: ClassVar[bool] = True

    def recognise(self, head: Head) -> bool:
        """Whether a line is a transcript's record."""
        return any(is_record(line) for line in head.objects)

    def reader(self, *, zone: tzinfo | None = None) -> ClaudeCodeReader:
        """A new reader."""
        return ClaudeCodeReader(zone=zone)
