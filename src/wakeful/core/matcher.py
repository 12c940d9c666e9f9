"""From inputs of sessions to matches (semantics, sections 3 to 7).

The matcher takes what happened in sessions, each with the instant and the number the
engine gave it, and gives back matches in order. It holds the sessions and offers their
events to rules; which rules there are is ``upkeep``'s, what a rule does with an event
``machine``'s, what is due next ``deadlines``', a turn's quiet ``silences``'. What becomes of
a match is the gate's.

An event costs one look-up of its session, one comparison for its facts, one for the rules,
and then what the rules that count its kind in such a session cost. Matches of one input
come in definition order.
"""

from collections.abc import Sequence
from typing import Final

from wakeful.core.compile import ANY_TURN, BITS, Checks, Rule
from wakeful.core.deadlines import Deadlines, is_live
from wakeful.core.index import FAR, Index
from wakeful.core.machine import Then
from wakeful.core.room import Room
from wakeful.core.sessions import Session, Wait
from wakeful.core.settings import Settings
from wakeful.core.sight import Sight
from wakeful.core.upkeep import Upkeep
from wakeful.model.events import ENDINGS, Activity, Facts, SessionEvent, TurnStarted
from wakeful.model.outputs import Match, OrderKey
from wakeful.model.time import Instant

ENDING_BITS: Final = sum(BITS[kind] for kind in ENDINGS)

IDLE_BIT: Final = BITS["idle"]

AFTER_INPUT: Final = 1 << 32
"""What an input made due at its own instant sorts after all else that the input brought."""

_NO_MATCHES: Final[Sequence[Match]] = ()

# An attribute of an enumeration costs more than the comparison it is for.
_EVENT, _ABSENT, _IDLE = Then.EVENT, Then.ABSENT, Then.IDLE


class Matcher:
    """Sessions, and what their rules make of what they do; see the module."""

    def __init__(self, sight: Sight, settings: Settings) -> None:
        self.index = Index(sight)
        self.deadlines = Deadlines()
        self.sessions: dict[str, Session] = {}
        self.upkeep = Upkeep(self.sessions, self.index, self.deadlines, sight)
        self.room = Room(settings, self.sessions, self.upkeep, self.session_ended)
        self._silences = self.upkeep.silences
        self._turns = self._silences.turns

    # -- what happens in sessions ---------------------------------------------------

    def event(self, event: SessionEvent, bit: int, at: Instant, seq: int) -> Sequence[Match]:
        """An event of a session; ``bit`` is its kind's in :data:`BITS`.

        O(rules that count it here).
        """
        session = self.sessions.get(event.session)
        if session is None:
            session = self._open(event.session, event.facts, at)
        elif event.facts is not session.facts:
            self._tell_facts(session, event.facts)
        reach = session.reach
        if reach.version != self.index.version:
            reach = self.upkeep.current(session)
        if bit == IDLE_BIT:
            session.idles += 1
        else:
            session.active += 1
            if bit & ENDING_BITS:
                session.endings += 1
        session.running = event.running
        session.queued = event.queued
        session.calls = event.turn_tool_calls
        session.touched_at = at
        session.touched_seq = seq
        if event.title is not None:
            session.title = event.title
        found: Sequence[Match] = _NO_MATCHES
        rules = reach.by_kind.get(event.kind)
        if session.waits is None:
            if rules is not None:
                found = self._offer(rules, session, event, at, seq)
        elif rules is not None or session.awaited & bit:
            found = self._offer_waiting(rules or (), session, event, at, seq)
        if session.turn_at is not None:
            if bit & ENDING_BITS:
                session.turn_at = None
                del self._turns[session.name]
            elif reach.shortest is not FAR:
                self._silences.touched(session, reach, at)
        return found

    def turn_started(self, turn: TurnStarted, at: Instant, seq: int) -> None:
        """A turn of a session began. O(1), O(log n) where silences are timed."""
        session = self.sessions.get(turn.session)
        if session is None:
            session = self._open(turn.session, turn.facts, at)
        elif turn.facts is not session.facts:
            self._tell_facts(session, turn.facts)
        session.stirs += 1
        session.running = True
        session.calls = 0
        session.touched_at = at
        session.touched_seq = seq
        if turn.title is not None:
            session.title = turn.title
        session.turn_at = at
        session.floors = None
        self._turns[session.name] = session
        reach = self.upkeep.current(session)
        if reach.shortest is not FAR:
            self._silences.touched(session, reach, at)

    def activity(self, activity: Activity, at: Instant, seq: int) -> None:
        """A session said something. One that is not known stays unknown. O(1)."""
        session = self.sessions.get(activity.session)
        if session is None:
            return
        session.stirs += 1
        session.touched_at = at
        session.touched_seq = seq
        if session.turn_at is not None:
            reach = self.upkeep.current(session)
            if reach.shortest is not FAR:
                self._silences.touched(session, reach, at)

    def session_ended(self, name: str) -> bool:
        """Forget everything about a session; whether a turn was running there. O(its waits)."""
        session = self.sessions.pop(name, None)
        if session is None:
            return False
        gone = sum(rule.then is not _EVENT for rule in session.waits or ())
        session.hits = session.waits = None
        if gone:
            self.deadlines.dropped(gone)
        if session.quiet is not None:
            self.deadlines.discard(session.quiet)
            session.quiet = None
        session.turn_at = None
        return self._turns.pop(name, None) is not None

    def turn_running(self, name: str) -> bool:
        """Whether a turn whose start was seen runs in the session. O(1)."""
        return name in self._turns

    # -- what falls due ---------------------------------------------------------------

    def due(self, until: Instant, *, late: bool = False) -> Match | None:
        """Do the first thing that is due by ``until`` and matches; ``None`` where nothing is.

        What is due and does not match (a broken wait, a silence passed over) is done on
        the way. O(log n) for each.
        """
        while (popped := self.deadlines.pop(until)) is not None:
            entry, what = popped
            if isinstance(what, Wait):
                match = self._complete(what, late=late)
                if match is not None:
                    return match
            elif (silence := self._silences.came_up(what, entry)) is not None:
                key = _due_key(silence.due, silence.armed_at, silence.seq, silence.rule)
                if silence.seq != what.touched_seq:
                    # A rule that is added arms silences in many sessions: those go by when
                    # they were touched, and no two matches have one place.
                    key = key._replace(order=(*key.order, what.touched_seq))
                return _match(silence.rule, what, "turnStarted", key, late=late)
        return None

    def _complete(self, wait: Wait, *, late: bool) -> Match | None:
        """The deadline of a wait: it held, or was broken without anyone asking."""
        session, rule = wait.session, wait.rule
        if not is_live(wait):
            return None
        session.drop_wait(rule)
        session.forget(rule)
        if not rule.alive or (rule.then is _IDLE and wait.mark != session.active + session.stirs):
            return None
        key = _due_key(wait.due, wait.due - rule.for_, wait.seq, rule)
        return _match(rule, session, wait.kind, key, late=late)

    # -- offering an event --------------------------------------------------------------

    def _offer(
        self, rules: tuple[Rule, ...], session: Session, event: SessionEvent, at: Instant, seq: int
    ) -> Sequence[Match]:
        """Offer an event to the rules that count its kind, where nothing waits."""
        found: list[Match] | None = None
        for rule in rules:
            checks = rule.checks
            if checks is not None and not when_holds(checks, event, session.turn_at, at):
                continue
            step = rule.step
            if step is not None and not step(rule, session, event, at):
                continue
            if rule.then is not None:
                self._arm(rule, session, event, at, seq)
                continue
            match = _match(rule, session, event.kind, OrderKey(at, 1, 0, seq, rule.order))
            if found is None:
                found = [match]
            else:
                found.append(match)
        return _NO_MATCHES if found is None else found

    def _offer_waiting(
        self, rules: Sequence[Rule], session: Session, event: SessionEvent, at: Instant, seq: int
    ) -> Sequence[Match]:
        """The same where rules wait in the session: the awaited event comes to them too."""
        if session.swept != self.upkeep.removals:
            self.upkeep.clean(session)
        kind = event.kind
        if session.awaited & BITS[kind]:
            awaiting = [rule for rule in session.waits or () if rule.awaited == kind]
            if awaiting:
                rules = sorted({*rules, *awaiting}, key=_order)
        found: list[Match] = []
        waits = session.waits
        for rule in rules:
            then = rule.then
            wait = None if then is None or waits is None else waits.get(rule)
            # An ``event`` wait lets other events pass to the count, which is the most frequent.
            if wait is not None and (then is not _EVENT or at > wait.due or kind == rule.awaited):
                ended = self._meet(rule, wait, session, event, at)
                waits = session.waits
                if ended is None:
                    continue
                if ended:
                    key = OrderKey(at, 1, 0, seq, rule.order)
                    found.append(_match(rule, session, wait.kind, key))
                    continue
                if kind not in rule.spec.events or rule not in session.reach.members:
                    continue
            checks = rule.checks
            if checks is not None and not when_holds(checks, event, session.turn_at, at):
                continue
            step = rule.step
            if step is not None and not step(rule, session, event, at):
                continue
            if then is None:
                found.append(_match(rule, session, kind, OrderKey(at, 1, 0, seq, rule.order)))
            else:
                self._arm(rule, session, event, at, seq)
                waits = session.waits
        return found

    def _meet(
        self, rule: Rule, wait: Wait, session: Session, event: SessionEvent, at: Instant
    ) -> bool | None:
        """What an event does to a wait; for an event, it is the awaited one or late.

        Returns:
            ``True``: it completes the rule. ``False``: the event is offered to the count.
            ``None``: nothing is counted while this waits.
        """
        then = rule.then
        if then is _EVENT:
            session.drop_wait(rule)
            if at > wait.due:
                return False
            session.forget(rule)
            return True
        if then is _ABSENT:
            if event.kind != rule.awaited:
                return None
        elif wait.mark == session.active + session.stirs:
            return None
        session.forget(rule)
        self.upkeep.drop_wait(session, rule)
        return False

    def _arm(
        self, rule: Rule, session: Session, event: SessionEvent, at: Instant, seq: int
    ) -> None:
        waits = session.waits
        if waits is None:
            waits = session.waits = {}
        elif rule.then is _EVENT and (moved := waits.get(rule)) is not None:
            # The window moves to the newer one (semantics 5.1).
            moved.kind, moved.due, moved.seq = event.kind, at + rule.for_, seq
            return
        mark = session.active + session.stirs
        wait = waits[rule] = Wait(rule, session, event.kind, at + rule.for_, seq, mark)
        session.awaited |= rule.awaited_bit
        if rule.then is not _EVENT:
            self.deadlines.arm(wait)

    # -- sessions ---------------------------------------------------------------------

    def _open(self, name: str, facts: Facts, at: Instant) -> Session:
        self.room.make(at)
        session = Session(name, self.index.reach(facts, name))
        session.facts = facts
        session.swept = self.upkeep.removals
        self.sessions[name] = session
        return session

    def _tell_facts(self, session: Session, facts: Facts) -> None:
        """The session's facts are these from now on (semantics 2.6)."""
        if facts != session.facts:
            session.reach = self.index.reach(facts, session.name)
            self.upkeep.check_sight(session, facts)
        session.facts = facts


def _due_key(due: Instant, armed_at: Instant, seq: int, rule: Rule) -> OrderKey:
    """The place of what fell due: before what is fed at that instant.

    What an input makes due at its own instant is done after that input, before the next.
    """
    if due > armed_at:
        return OrderKey(due, 0, 0, seq, rule.order)
    return OrderKey(due, 1, 0, seq, (AFTER_INPUT, *rule.order))


def _match(rule: Rule, session: Session, event: str, key: OrderKey, *, late: bool = False) -> Match:
    return Match(
        automation=rule.automation,
        trigger=rule.trigger,
        session=session.name,
        event=event,
        count=rule.n,
        at=key.at,
        key=key,
        preset=rule.preset,
        title=session.title,
        late=late,
    )


def when_holds(checks: Checks, event: SessionEvent, turn_at: Instant | None, at: Instant) -> bool:
    """Whether ``when`` holds as an event arrives, its turn having started then (3.3)."""
    running, queued, calls, longer = checks
    if running is not None and event.running is not running:
        return False
    if queued and (event.queued or 0) < queued:
        return False
    if calls and (event.turn_tool_calls or 0) < calls:
        return False
    if longer == ANY_TURN:
        return True
    return turn_at is not None and at - turn_at >= longer


def _order(rule: Rule) -> tuple[int, int, int]:
    return rule.order
