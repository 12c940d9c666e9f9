"""What is live in a matcher at an instant, found by walking.

The matcher leaves lying what nobody has asked about: hits outside their window, broken
runs, broken quiets, windows that passed. Walking drops them, so that the same state looks
the same however it came about.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from wakeful.core import machine
from wakeful.core.compile import Rule
from wakeful.core.machine import Then
from wakeful.core.matcher import Matcher
from wakeful.core.sessions import Session, Wait
from wakeful.model._records import record
from wakeful.model.time import Instant


class Live(NamedTuple):
    """What a rule has in a session: hits that still count, a wait that still may hold."""

    session: Session
    rule: Rule
    hits: int
    wait: Wait | None


@record(kw_only=True)
class Waiting:
    """A wait or a silence that is being timed.

    Attributes:
        what: ``event``, ``absent``, ``idle``, or ``silence``.
        deadline: When it completes; of an ``event`` wait the last instant in time.
        event: The kind that satisfied the count; ``turnStarted`` for a silence.
        awaited: The kind that is waited for, where there is one.
        count: How many events were counted.
    """

    automation: str
    trigger: str
    preset: str | None
    session: str
    what: Literal["event", "absent", "idle", "silence"]
    deadline: Instant
    event: str
    awaited: str | None
    count: int


def live(matcher: Matcher, now: Instant) -> Iterator[Live]:
    """Walk what is live, by session in the order they became known, then by rule.

    Drops on the way what is not. O(sessions + hits + waits).
    """
    for session in matcher.sessions.values():
        if session.hits is not None or session.waits is not None:
            yield from live_in(matcher, session, now)


def live_in(matcher: Matcher, session: Session, now: Instant) -> Iterator[Live]:
    """Walk what is live in one session, by rule in definition order. O(its hits and waits)."""
    upkeep = matcher.upkeep
    upkeep.clean(session)
    for rule in [rule for rule, wait in (session.waits or {}).items() if _over(wait, now)]:
        upkeep.drop_wait(session, rule)
        if rule.then is not Then.EVENT:
            session.forget(rule)
    for rule in sorted({**(session.hits or {}), **(session.waits or {})}, key=_order):
        hits = machine.live_hits(rule, session, now)
        wait = (session.waits or {}).get(rule)
        if hits or wait is not None:
            yield Live(session, rule, hits, wait)


def waiting(matcher: Matcher, now: Instant) -> list[Waiting]:
    """The waits and silences that are being timed, in order of deadline. O(sessions)."""
    found: list[tuple[Instant, int, tuple[int, ...], int, Waiting]] = []
    for session, rule, _hits, wait in live(matcher, now):
        if wait is not None and rule.then is not None:
            told = _told(rule, session, rule.then.value, wait.due, wait.kind)
            found.append((wait.due, wait.seq, rule.order, wait.seq, told))
    silences = matcher.upkeep.silences
    for session in silences.turns.values():
        for silence in silences.coming(session):
            told = _told(silence.rule, session, "silence", silence.due, "turnStarted")
            found.append((*silence[:3], session.touched_seq, told))
    return [told for *_, told in sorted(found, key=_place)]


def _told(
    rule: Rule,
    session: Session,
    what: Literal["event", "absent", "idle", "silence"],
    deadline: Instant,
    event: str,
) -> Waiting:
    return Waiting(
        automation=rule.automation,
        trigger=rule.trigger,
        preset=rule.preset,
        session=session.name,
        what=what,
        deadline=deadline,
        event=event,
        awaited=rule.awaited,
        count=rule.n,
    )


def _over(wait: Wait, now: Instant) -> bool:
    """Whether a wait ended without anyone asking: its window passed, its quiet was broken."""
    if wait.rule.then is Then.EVENT:
        return wait.due < now
    session = wait.session
    return wait.rule.then is Then.IDLE and wait.mark != session.active + session.stirs


def _order(rule: Rule) -> tuple[int, int, int]:
    return rule.order


def _place(
    item: tuple[Instant, int, tuple[int, ...], int, Waiting],
) -> tuple[Instant, int, tuple[int, ...], int]:
    return item[:4]
