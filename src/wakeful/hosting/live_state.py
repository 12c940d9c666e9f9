"""What the sessions do now, as they are shown: kept from the inputs as they are taken."""

from collections import OrderedDict, deque
from typing import Final

import attrs

from wakeful.hosting.observing import Observer
from wakeful.model.events import (
    ENDINGS,
    Activity,
    Facts,
    Input,
    Resumed,
    SessionEnded,
    SessionEvent,
    Tick,
    TurnStarted,
)
from wakeful.model.outputs import Decision, Output
from wakeful.model.time import Instant

_KEPT: Final = 500
"""How many sessions are kept, those that did something last."""

_DECISIONS: Final = 100


@attrs.define
class LiveSession:
    """A session as it is shown.

    Attributes:
        turn_at: When its running turn began; ``None`` where none runs, or its start was not seen.
        is_running: Whether a turn runs.
        last_at: When it last did something.
        calls: Finished calls of its turn, or of its last one.
        failures: Failed calls since it was first seen.
        queued: Messages that wait.
    """

    session: str
    facts: Facts
    last_at: Instant
    title: str | None = None
    turn_at: Instant | None = None
    is_running: bool = False
    calls: int = 0
    failures: int = 0
    queued: int = 0


class LiveState(Observer):
    """Keeps the sessions and the last decisions.

    Attributes:
        sessions: By name, the one that did something last at the end.
        decisions: The last ones, the newest first.
        taken: How many inputs were taken, but for those that only say that time has passed.
    """

    def __init__(self) -> None:
        self.sessions: OrderedDict[str, LiveSession] = OrderedDict()
        self.decisions: deque[Decision] = deque(maxlen=_DECISIONS)
        self.taken = 0

    def took(self, item: Input, *, now: Instant) -> None:  # noqa: ARG002 - the observer's
        """Follow what an input says of its session. O(1)."""
        self.taken += not isinstance(item, Tick | Resumed)
        if isinstance(item, SessionEnded):
            self.sessions.pop(item.session, None)
        elif isinstance(item, SessionEvent):
            self._event(item)
        elif isinstance(item, TurnStarted):
            session = self._session(item.session, item.at, item.facts)
            session.title = item.title or session.title
            session.turn_at, session.is_running, session.calls = item.at, True, 0
        elif isinstance(item, Activity):
            self._session(item.session, item.at, None)

    def gave(self, output: Output, *, now: Instant) -> None:  # noqa: ARG002 - the observer's
        """Keep a decision."""
        if isinstance(output, Decision):
            self.decisions.appendleft(output)

    def _event(self, event: SessionEvent) -> None:
        session = self._session(event.session, event.at, event.facts)
        session.title = event.title or session.title
        session.calls = session.calls if event.turn_tool_calls is None else event.turn_tool_calls
        session.queued = session.queued if event.queued is None else event.queued
        session.failures += event.kind == "toolFailed"
        if event.kind in ENDINGS:
            session.is_running, session.turn_at = False, None
        elif event.running is not None:
            session.is_running = event.running

    def _session(self, name: str, at: Instant, facts: Facts | None) -> LiveSession:
        session = self.sessions.get(name)
        if session is None:
            session = self.sessions[name] = LiveSession(name, facts or Facts(), at)
            if len(self.sessions) > _KEPT:
                self.sessions.popitem(last=False)
        else:
            self.sessions.move_to_end(name)
        session.last_at = max(session.last_at, at)
        session.facts = session.facts if facts is None else facts
        return session
