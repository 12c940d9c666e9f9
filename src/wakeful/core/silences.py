"""Silences of running turns (semantics, section 6).

Theory
------
A rule that times silences matches when the running turn of a session has been quiet for
its length. Nothing is kept per rule: a session has one entry among the deadlines, for the
silence that falls due there next. What the session does only postpones that, so an event
leaves the entry where it stands unless a silence could now fall due before it; an entry
that comes up early is put back where it belongs.

A silence's place is ``(due, armed by, rule's order)``, and a session's ``mark`` is the place
of the silence last matched or passed over: what does not sort after the mark is done with.
So each silence matches once, and one after another where a session has several lengths. A
rule that is added later is armed by its adding, whose number is higher than the mark's.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from wakeful.core.compile import Checks, Rule
from wakeful.core.deadlines import Deadlines, Entry
from wakeful.core.index import FAR, Reach
from wakeful.core.sessions import Session
from wakeful.model.time import Instant


class Silence(NamedTuple):
    """A silence to come: its place among the deadlines, its rule, and when it was armed."""

    due: Instant
    seq: int
    order: tuple[int, int, int]
    rule: Rule
    armed_at: Instant


class Silences:
    """The turns that run, and the silences timed in them.

    Args:
        deadlines: Where the sessions' entries stand.
        current: Gives a session's reach, up to date.

    Attributes:
        turns: The sessions in which a turn runs whose start was seen.
    """

    def __init__(self, deadlines: Deadlines, current: Callable[[Session], Reach]) -> None:
        self.turns: dict[str, Session] = {}
        self._deadlines = deadlines
        self._current = current

    def touched(self, session: Session, reach: Reach, at: Instant) -> None:
        """The session, in which a turn runs, did something: see that its entry is in time.

        O(1) unless the entry has to be put forward.
        """
        quiet = session.quiet
        if quiet is None or quiet[0] > at + reach.shortest:
            self.time(session, reach)

    def time(self, session: Session, reach: Reach) -> None:
        """Put the session's entry where its next silence falls due. O(log n + rules here)."""
        if session.quiet is not None:
            self._deadlines.discard(session.quiet)
            session.quiet = None
        coming = self._next(session, reach)
        if coming is not None:
            session.quiet = self._deadlines.add(coming.due, coming.seq, coming.order, session)

    def came_up(self, session: Session, entry: Entry) -> Silence | None:
        """The entry of a session came up: the silence that matches, if one does."""
        session.quiet = None
        if session.turn_at is None:
            return None
        reach = self._current(session)
        coming = self._next(session, reach)
        matched = None
        if coming is not None and coming[:3] == entry[:3]:
            session.mark = (coming.due, coming.seq, coming.order)
            checks = coming.rule.checks
            if checks is None or _holds_now(checks, session):
                matched = coming
        self.time(session, reach)
        return matched

    def coming(self, session: Session) -> Iterator[Silence]:
        """The silences that fall due while the session stays as it is, in no order."""
        if session.turn_at is None:
            return
        mark, floors = session.mark, session.floors
        touched_at, touched_seq = session.touched_at, session.touched_seq
        for rule in self._current(session).timed:
            armed_at, seq = touched_at, touched_seq
            for floor in () if floors is None else (floors.get(rule.owner), floors.get(rule)):
                if floor is not None and floor[1] > seq:
                    armed_at, seq = floor
            if rule.since[1] > seq:
                armed_at, seq = rule.since
            due = max(touched_at + (rule.silence or 0), armed_at)
            if mark is None or (due, seq, rule.order) > mark:
                yield Silence(due, seq, rule.order, rule, armed_at)

    def rules_moved(self, session: Session, at: Instant) -> None:
        """Rules got other places: what tied with the mark was done all the same."""
        mark = session.mark
        if mark is not None and mark[0] <= at:
            session.mark = (mark[0], mark[1], (FAR, 0, 0))

    def _next(self, session: Session, reach: Reach) -> Silence | None:
        if not reach.timed:
            return None
        if session.turn_at is None:
            return None
        seq = session.touched_seq
        if session.floors is None and reach.latest <= seq:
            # Nothing but the session's last sign of life arms any: they fall due as they stand.
            mark, touched_at = session.mark, session.touched_at
            for rule in reach.timed:
                due = touched_at + (rule.silence or 0)
                if mark is None or (due, seq, rule.order) > mark:
                    return Silence(due, seq, rule.order, rule, touched_at)
            return None
        return min(self.coming(session), key=_place, default=None)


def _place(silence: Silence) -> tuple[Instant, int, tuple[int, int, int]]:
    return silence[:3]


def _holds_now(checks: Checks, session: Session) -> bool:
    """Whether the parts of ``when`` beside the silence hold of the state last told (6.3)."""
    running, queued, calls, _ = checks
    return (
        (running is None or session.running is running)
        and (session.queued or 0) >= queued
        and (session.calls or 0) >= calls
    )
