"""What readers of agents' logs know of each session, and the inputs they make of it.

A format's reader says what happened ("a prompt", "a call finished", "the turn was cut
off"); this module keeps the turn, its calls and its queue, and says it in the engine's
words, with the state stated on every event (semantics, section 2):

- an ending ends the turn that runs, or says nothing where none does; ``idle`` follows at
  the same instant where nothing is queued, and then the parent's ``childFinished``;
- a call counts for its turn once, when it has finished;
- where a format has no record of an ending, a reply that ended is given a deadline; what
  the session does before it cancels or postpones it, and :meth:`Sessions.due` ends the
  turn when it has come.
"""

from heapq import heappop, heappush
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

import attrs

from wakeful.logs.reader import INFER_AFTER
from wakeful.logs.values import input_hash
from wakeful.model.events import (
    Activity,
    EventKind,
    Facts,
    Input,
    SessionEnded,
    SessionEvent,
    Tool,
    TurnStarted,
)
from wakeful.model.time import Instant

_KEPT_FACTS: Final = 8192


def folder_facts(
    provider: str | None, folder: str | None, *, automated: bool = False, owner: str | None = None
) -> Facts:
    """The facts of a session that works in a folder.

    >>> folder_facts("claude", "/home/ann/web").folders
    ('file:///home/ann/web',)
    """
    folders: tuple[str, ...] = ()
    project = None
    if folder:
        windows = "\\" in folder or folder[1:2] == ":"
        path = PureWindowsPath(folder) if windows else PurePosixPath(folder)
        project = path.name or None
        if path.is_absolute():
            folders = (path.as_uri(),)
    return Facts(
        owner=owner, provider=provider, project=project, folders=folders, automated=automated
    )


@attrs.define(eq=False, kw_only=True)
class Session:
    """One session, as far as its log was read.

    Attributes:
        parent: The session that started this one.
        calls: Finished calls of the running turn.
        open_calls: Calls that began and have not finished, by their id.
        ends_at: When the turn will have ended, unless something happens before.
        notes: What a format wants to remember of it.
    """

    id: str
    facts: Facts
    parent: "Session | None" = None
    title: str | None = None
    running: bool = False
    started_at: Instant = 0
    queued: int = 0
    calls: int = 0
    open_calls: dict[str, Tool | None] = attrs.Factory(dict)
    children: "list[Session]" = attrs.Factory(list)
    ends_at: Instant | None = None
    notes: Any = None


class Sessions:
    """All sessions of one reader, and the inputs made since they were last taken."""

    def __init__(self, provider: str | None) -> None:
        self._provider = provider
        self._no_folder = folder_facts(provider, None)
        self._sessions: dict[str, Session] = {}
        self._facts: dict[tuple[str | None, bool], Facts] = {}
        self._deadlines: list[tuple[Instant, int, Session]] = []
        self._armed = 0
        self._given: list[Input] = []

    def __contains__(self, session: str) -> bool:
        return session in self._sessions

    def get(self, session: str, parent: str | None = None) -> Session:
        """The session of an id, made where it is new."""
        found = self._sessions.get(session)
        if found is None:
            found = self._sessions[session] = Session(id=session, facts=self._no_folder)
            if parent is not None and parent != session:
                found.parent = self.get(parent)
                found.parent.children.append(found)
        return found

    def take(self) -> list[Input]:
        """The inputs made since the last call."""
        given, self._given = self._given, []
        return given

    def works_in(self, session: Session, folder: str | None, *, automated: bool = False) -> None:
        """Say the session's working directory."""
        key = (folder, automated)
        facts = self._facts.get(key)
        if facts is None:
            if len(self._facts) >= _KEPT_FACTS:
                self._facts.clear()
            facts = self._facts[key] = folder_facts(self._provider, folder, automated=automated)
        session.facts = facts

    # What happens

    def start(self, session: Session, at: Instant) -> None:
        """A turn started; one that runs is replaced."""
        session.running = True
        session.started_at = at
        session.calls = 0
        session.open_calls.clear()
        session.ends_at = None
        self._given.append(TurnStarted(session.id, at, session.facts, session.title))

    def act(self, session: Session, at: Instant) -> None:
        """The session said something, or began something."""
        self._given.append(Activity(session.id, at))

    def begin_call(self, session: Session, at: Instant, call: str, tool: Tool | None) -> None:
        """A call began."""
        session.open_calls[call] = tool
        session.ends_at = None
        self.act(session, at)

    def finish_call(  # noqa: PLR0913 - what a call is takes this much to say
        self,
        session: Session,
        at: Instant,
        call: str,
        *,
        failed: bool,
        tool: Tool | None = None,
        counts: bool = True,
    ) -> None:
        """A call finished, well or not. Its tool is that of its beginning, where it had one.

        Args:
            session: Whose call.
            at: When it finished.
            call: Its id.
            failed: Whether it did not finish well.
            tool: Its tool, where its beginning was not said.
            counts: Whether it is a call of the session's turn.
        """
        begun = session.open_calls.pop(call, None)
        session.calls += counts
        session.ends_at = None
        self._say(session, "toolFailed" if failed else "toolCalled", at, tool=begun or tool)

    def drop_call(self, session: Session, at: Instant, call: str) -> None:
        """A call came to nothing, and is none: the cascade of another's failure."""
        session.open_calls.pop(call, None)
        session.ends_at = None
        self.act(session, at)

    def queue(self, session: Session, at: Instant, queued: int) -> None:
        """A message began to wait; ``queued`` wait now."""
        session.queued = queued
        self._say(session, "messageQueued", at)

    def end(self, session: Session, at: Instant, kind: EventKind) -> None:
        """The turn that runs ended; nothing where none does."""
        session.ends_at = None
        if not session.running:
            return
        session.running = False
        session.open_calls.clear()
        if kind == "turnCancelled":
            for child in session.children:
                self.end(child, at, kind)
        self._say(session, kind, at)
        session.calls = 0
        if not session.queued:
            self._say(session, "idle", at)
            if session.parent is not None:
                self.child_finished(session.parent, at, session.id)

    def close(self, session: Session, at: Instant, *, disposed: bool = False) -> None:
        """The session is over, and forgotten; disposing of a child is said of its parent."""
        if session.parent is not None:
            if session.running or disposed:
                self.child_finished(session.parent, at, session.id)
            session.parent.children.remove(session)
        for child in session.children:
            child.parent = None
        self._sessions.pop(session.id, None)
        session.running, session.ends_at = False, None
        self._given.append(SessionEnded(session.id, at))

    def child_finished(self, session: Session, at: Instant, child: str) -> None:
        """A child of the session, or a worker chat of it, went quiet."""
        self._say(session, "childFinished", at, child=child)

    def _say(
        self,
        session: Session,
        kind: EventKind,
        at: Instant,
        *,
        tool: Tool | None = None,
        child: str | None = None,
    ) -> None:
        self._given.append(
            SessionEvent(
                kind,
                session.id,
                at,
                session.facts,
                session.running,
                session.queued,
                session.calls,
                tool,
                child,
                session.title,
            )
        )

    # Endings that are inferred

    def expect_end(self, session: Session, at: Instant) -> None:
        """A reply ended at ``at``: unless something follows, so did its turn."""
        if not session.running or session.open_calls:
            return
        session.ends_at = at + INFER_AFTER
        self._armed += 1
        heappush(self._deadlines, (session.ends_at, self._armed, session))

    def postpone_end(self, session: Session, at: Instant) -> None:
        """Something followed that is neither the agent's nor a person's word."""
        if session.ends_at is not None:
            self.expect_end(session, max(at, session.ends_at - INFER_AFTER))

    @property
    def next_deadline(self) -> Instant | None:
        """The earliest instant at which a turn will have ended, if nothing happens."""
        while self._deadlines:
            deadline, _, session = self._deadlines[0]
            if session.ends_at == deadline:
                return deadline
            heappop(self._deadlines)
        return None

    def due(self, instant: Instant) -> list[Input]:
        """End the turns that have ended by ``instant``, each at its own deadline."""
        while (deadline := self.next_deadline) is not None and deadline <= instant:
            self.end(heappop(self._deadlines)[2], deadline, "turnCompleted")
        return self.take()


def tool_call(name: str, value: Any) -> Tool:
    """The identity of a call: its tool and the hash of its input.

    Raises:
        LineError: The input is nested deeper than Python can follow.
    """
    return Tool(name, input_hash({} if value is None else value))
