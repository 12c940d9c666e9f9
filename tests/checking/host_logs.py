"""Generated logs of a host that keeps section 2 of the semantics.

What it says is true: an event's state is the session's after it, a call finishes in a turn, an
ending with nothing queued is followed by ``idle`` at the same instant and by nothing else. It
may leave members out, replace a turn by another, and be met in the middle of a turn.
"""

import attrs
from hypothesis import strategies as st

from models.strategies import START, facts, tools
from wakeful.model.events import (
    ENDINGS,
    Activity,
    SessionEnded,
    SessionEvent,
    TurnStarted,
)

SESSIONS = ("s0", "s1")
steps = st.sampled_from((0, 0, 1, 1_000, 1_000, 2_000, 3_000, 5_000))


@attrs.define
class Session:
    """What is true of a session; ``running`` from the start is a turn met in its middle."""

    name: str
    running: bool = False
    queued: int = 0
    calls: int = 0


@attrs.frozen(kw_only=True)
class HostLog:
    """The inputs, and how many messages really waited at each of them."""

    inputs: list
    queued: list


@st.composite
def host_logs(draw, most=30):
    """A log of such a host."""
    sessions = [Session(name, running=draw(st.booleans())) for name in SESSIONS]
    inputs, queued, at = [], [], START
    for _ in range(draw(st.integers(3, most))):
        at += draw(steps)
        session = draw(st.sampled_from(sessions))
        for given in draw(doings(session, at)):
            inputs.append(given)
            queued.append(session.queued)
    return HostLog(inputs=inputs, queued=queued)


@st.composite
def doings(draw, session, at):
    """What a session does next, as the host says it; the session is changed by it."""
    which = draw(st.integers(0, 19))
    if not session.running:
        if which < 14:
            return [_start(draw, session, at)]
        if which < 16:
            return [Activity(session.name, at)]
        if which < 18:
            return [_event(draw, session, "childFinished", at)]
        if which == 18:
            session.queued = 0
            return [SessionEnded(session.name, at)]
        return [_start(draw, session, at)]
    if which < 7:
        session.calls += 1
        kind = draw(st.sampled_from(("toolCalled", "toolFailed")))
        return [_event(draw, session, kind, at)]
    if which < 10:
        session.queued += 1
        return [_event(draw, session, "messageQueued", at)]
    if which == 10:
        return [Activity(session.name, at)]
    if which == 11:
        return [_event(draw, session, "childFinished", at)]
    if which == 12:
        return [_start(draw, session, at)]
    session.running = False
    told = [_event(draw, session, draw(st.sampled_from(sorted(ENDINGS))), at)]
    if not session.queued:
        told.append(_event(draw, session, "idle", at))
    return told


def _start(draw, session, at):
    if not session.running and session.queued and draw(st.booleans()):
        session.queued -= 1  # the turn is the first message's that waited
    session.running, session.calls = True, 0
    return TurnStarted(session.name, at, draw(facts))


def _event(draw, session, kind, at):
    def told(value):
        return value if draw(st.integers(0, 7)) else None

    return SessionEvent(
        kind,
        session.name,
        at,
        draw(facts),
        running=told(session.running),
        queued=told(session.queued),
        turn_tool_calls=told(session.calls),
        tool=draw(tools) if kind.startswith("tool") else None,
    )
