"""From inputs of sessions to matches (semantics, sections 3 to 7).

The matcher takes what happened in sessions, each with the instant and the number the
engine gave it, and gives back matches in order. It holds sessions, rules and deadlines;
what becomes of a match is the gate's.

An event costs one look-up of its session, one comparison for its facts, one for the rules,
and then what the rules that count its kind in such a session cost. Matches of one input
come in definition order.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from wakeful.core import machine
from wakeful.core.compile import ANY_TURN, Checks, Rule, rules_of
from wakeful.core.deadlines import Deadlines, Entry, is_live
from wakeful.core.index import FAR, Index, Reach
from wakeful.core.machine import Then
from wakeful.core.sessions import Session, Wait
from wakeful.core.sight import Sight
from wakeful.model._records import record
from wakeful.model.automations import Automation
from wakeful.model.events import ENDINGS, EVENT_KINDS, Activity, Facts, SessionEvent, TurnStarted
from wakeful.model.outputs import Match, OrderKey
from wakeful.model.time import Instant

ORDINARY: Final = 0
ENDING: Final = 1
IDLE: Final = 2

CLASSES: Final[dict[str, int]] = {
    kind: IDLE if kind == "idle" else ENDING if kind in ENDINGS else ORDINARY
    for kind in EVENT_KINDS
}
"""Kind to what it does to a session beside being counted."""

AFTER_INPUT: Final = 1 << 32
"""What an input made due at its own instant sorts after all else that the input brought."""

_NO_MATCHES: Final[Sequence[Match]] = ()

RuleName: TypeAlias = tuple[str, str, str | None]
"""What names a rule: automation, trigger, preset."""


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


class Matcher:
    """Sessions, rules and deadlines; see the module."""

    def __init__(self, sight: Sight) -> None:
        self.index = Index(sight)
        self.deadlines = Deadlines()
        self.sessions: dict[str, Session] = {}
        self._sight = sight
        self._rules: dict[str, dict[tuple[str, str | None], Rule]] = {}
        self._turns: dict[str, Session] = {}
        self._removals = 0
        self._swept = 0
        self._evicted = 0
        self._sweep: Iterator[str] | None = None

    # -- what happens in sessions ---------------------------------------------------

    def event(self, event: SessionEvent, class_of: int, at: Instant, seq: int) -> Sequence[Match]:
        """An event of a session, with what :data:`CLASSES` says of its kind.

        O(rules that count it here).
        """
        session = self.sessions.get(event.session)
        if session is None:
            session = self._open(event.session, event.facts)
        elif event.facts is not session.facts:
            self._tell_facts(session, event.facts)
        reach = session.reach
        if reach.version != self.index.version:
            reach = self._current(session)
        if class_of == IDLE:
            session.idles += 1
        else:
            session.active += 1
            if class_of == ENDING:
                session.endings += 1
        session.running = event.running
        session.queued = event.queued
        session.calls = event.turn_tool_calls
        session.touched_at = at
        session.touched_seq = seq
        if event.title is not None:
            session.title = event.title
        found: Sequence[Match] = _NO_MATCHES
        if session.waits is not None:
            found = self._offer_waiting(session, reach, event, at, seq)
        else:
            rules = reach.by_kind.get(event.kind)
            if rules is not None:
                found = self._offer(rules, session, event, at, seq)
        if class_of == ENDING:
            if session.turn_at is not None:
                session.turn_at = None
                del self._turns[session.name]
        elif session.turn_at is not None and reach.shortest is not FAR:
            self._hasten(session, reach, at)
        return found

    def turn_started(self, turn: TurnStarted, at: Instant, seq: int) -> None:
        """A turn of a session began."""
        session = self.sessions.get(turn.session)
        if session is None:
            session = self._open(turn.session, turn.facts)
        elif turn.facts is not session.facts:
            self._tell_facts(session, turn.facts)
        reach = session.reach
        if reach.version != self.index.version:
            reach = self._current(session)
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
        if reach.shortest is not FAR:
            self._hasten(session, reach, at)

    def activity(self, activity: Activity, at: Instant, seq: int) -> None:
        """A session said something. One that is not known stays unknown. O(1)."""
        session = self.sessions.get(activity.session)
        if session is None:
            return
        session.stirs += 1
        session.touched_at = at
        session.touched_seq = seq
        if session.turn_at is not None:
            reach = session.reach
            if reach.version != self.index.version:
                reach = self._current(session)
            if reach.shortest is not FAR:
                self._hasten(session, reach, at)

    def session_ended(self, name: str) -> bool:
        """Forget everything about a session; whether a turn was running there. O(its waits)."""
        session = self.sessions.pop(name, None)
        if session is None:
            return False
        if session.waits is not None:
            gone = sum(rule.then is not Then.EVENT for rule in session.waits)
            session.waits = None
            if gone:
                self.deadlines.dropped(gone)
        session.hits = None
        if session.quiet is not None:
            self.deadlines.discard(session.quiet)
            session.quiet = None
        if session.turn_at is None:
            return False
        session.turn_at = None
        del self._turns[name]
        return True

    def turn_running(self, name: str) -> bool:
        """Whether a turn whose start was seen runs in the session. O(1)."""
        return name in self._turns

    @property
    def turns(self) -> int:
        """How many turns run."""
        return len(self._turns)

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
            else:
                match = self._silence(what, entry, late=late)
            if match is not None:
                return match
        return None

    def _complete(self, wait: Wait, *, late: bool) -> Match | None:
        """The deadline of a wait: it held, or was broken without anyone asking."""
        session, rule = wait.session, wait.rule
        if not is_live(wait):
            return None
        session.drop_wait(rule)
        session.forget(rule)
        if not rule.alive or (
            rule.then is Then.IDLE and wait.mark != session.active + session.stirs
        ):
            return None
        key = _due_key(wait.due, wait.due - rule.for_, wait.seq, rule)
        return _match(rule, session, wait.kind, key, late=late)

    # -- silences -----------------------------------------------------------------------

    def _hasten(self, session: Session, reach: Reach, at: Instant) -> None:
        """After the session did something: see that its entry stands early enough."""
        quiet = session.quiet
        if quiet is None or quiet[0] > at + reach.shortest:
            self._time(session, reach)

    def _time(self, session: Session, reach: Reach) -> None:
        """Put the session's entry where its next silence falls due."""
        if session.quiet is not None:
            self.deadlines.discard(session.quiet)
            session.quiet = None
        coming = None if session.turn_at is None else self._next_silence(session, reach)
        if coming is not None:
            due, seq, rule = coming
            session.quiet = (due, 0, seq, rule.order, session.touched_seq, session)
            self.deadlines.add(session.quiet)

    def _silences(self, session: Session, reach: Reach) -> Iterator[tuple[Instant, int, Rule]]:
        """The silences still to come while the session stays as it is: due, armed by, rule."""
        mark, floors = session.mark, session.floors
        touched_at, touched_seq = session.touched_at, session.touched_seq
        for rule in reach.timed:
            due, seq = touched_at + (rule.silence or 0), touched_seq
            since_at, since_seq = rule.since
            if floors is not None:
                for floor in (floors.get(rule.owner), floors.get(rule)):
                    if floor is not None and floor[1] > since_seq:
                        since_at, since_seq = floor
            if since_seq > seq:
                due, seq = max(due, since_at), since_seq
            if mark is None or (due, seq, rule.order) > mark:
                yield due, seq, rule

    def _next_silence(self, session: Session, reach: Reach) -> tuple[Instant, int, Rule] | None:
        return min(self._silences(session, reach), key=_silence_key, default=None)

    def _silence(self, session: Session, entry: Entry, *, late: bool) -> Match | None:
        """The entry of a session came up: the silence matches, is passed over, or is later."""
        session.quiet = None
        if session.turn_at is None:
            return None
        reach = session.reach
        if reach.version != self.index.version:
            reach = self._current(session)
        coming = self._next_silence(session, reach)
        match = None
        if coming is not None:
            due, seq, rule = coming
            if (due, seq, rule.order) == (entry[0], entry[2], entry[3]):
                session.mark = (due, seq, rule.order)
                if rule.checks is None or _holds_now(rule.checks, session):
                    # Armed by the session itself or by the adding of the rule, whose
                    # instant then is the deadline where the silence was long enough.
                    own = seq == session.touched_seq
                    armed_at = session.touched_at if own else max(rule.since[0], session.touched_at)
                    key = _due_key(due, armed_at, seq, rule)
                    match = _match(rule, session, "turnStarted", key, late=late)
        self._time(session, reach)
        return match

    # -- offering an event --------------------------------------------------------------

    def _offer(
        self, rules: tuple[Rule, ...], session: Session, event: SessionEvent, at: Instant, seq: int
    ) -> Sequence[Match]:
        """Offer an event to the rules that count its kind, where nothing waits."""
        found: list[Match] | None = None
        for rule in rules:
            checks = rule.checks
            if checks is not None and not _holds(checks, event, session, at):
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
        self, session: Session, reach: Reach, event: SessionEvent, at: Instant, seq: int
    ) -> Sequence[Match]:
        """The same where rules wait in the session: the awaited event comes to them too."""
        if session.swept != self._removals:
            self._clean(session)
        kind = event.kind
        rules: Iterable[Rule] = reach.by_kind.get(kind, ())
        waits = session.waits or {}
        awaiting = [rule for rule in waits if rule.awaited == kind]
        if awaiting:
            rules = sorted({*rules, *awaiting}, key=_order)
        found: list[Match] = []
        for rule in rules:
            wait = waits.get(rule)
            if wait is not None:
                ended = self._meet(rule, wait, session, event, at)
                if ended is None:
                    continue
                if ended:
                    found.append(
                        _match(rule, session, wait.kind, OrderKey(at, 1, 0, seq, rule.order))
                    )
                    continue
                waits = session.waits or {}
                if kind not in rule.spec.events or rule not in reach.members:
                    continue
            checks = rule.checks
            if checks is not None and not _holds(checks, event, session, at):
                continue
            step = rule.step
            if step is not None and not step(rule, session, event, at):
                continue
            if rule.then is None:
                found.append(_match(rule, session, kind, OrderKey(at, 1, 0, seq, rule.order)))
            else:
                self._arm(rule, session, event, at, seq)
                waits = session.waits or {}
        return found

    def _meet(
        self, rule: Rule, wait: Wait, session: Session, event: SessionEvent, at: Instant
    ) -> bool | None:
        """What an event does to a wait.

        Returns:
            ``True``: it completes the rule. ``False``: the event is offered to the count.
            ``None``: nothing is counted while this waits.
        """
        match rule.then:
            case Then.EVENT:
                if at > wait.due:
                    session.drop_wait(rule)
                    return False
                if event.kind != rule.awaited:
                    return False
                session.drop_wait(rule)
                session.forget(rule)
                return True
            case Then.ABSENT:
                if event.kind != rule.awaited:
                    return None
            case _:
                if wait.mark == session.active + session.stirs:
                    return None
        session.drop_wait(rule)
        session.forget(rule)
        self.deadlines.dropped()
        return False

    def _arm(
        self, rule: Rule, session: Session, event: SessionEvent, at: Instant, seq: int
    ) -> None:
        mark = session.active + session.stirs
        wait = Wait(rule, session, event.kind, at + rule.for_, seq, mark)
        if session.waits is None:
            session.waits = {rule: wait}
        else:
            session.waits[rule] = wait
        if rule.then is not Then.EVENT:
            self.deadlines.arm(wait)

    # -- sessions ---------------------------------------------------------------------

    def _open(self, name: str, facts: Facts) -> Session:
        session = Session(name, self.index.reach(facts, name))
        session.facts = facts
        session.swept = self._removals
        self.sessions[name] = session
        return session

    def _tell_facts(self, session: Session, facts: Facts) -> None:
        """The session's facts are these from now on (semantics 2.6)."""
        if facts != session.facts:
            session.reach = self.index.reach(facts, session.name)
            self._check_sight(session, facts)
        session.facts = facts

    def _current(self, session: Session) -> Reach:
        session.reach = reach = self.index.current(session.reach, session.name)
        if session.swept != self._removals:
            self._clean(session)
        return reach

    def _clean(self, session: Session) -> None:
        """Drop what rules that were taken out left in a session."""
        session.swept = self._removals
        for rule in [rule for rule in session.hits or () if not rule.alive]:
            session.forget(rule)
        for rule in [rule for rule in session.waits or () if not rule.alive]:
            self._drop_wait(session, rule)

    def _drop_wait(self, session: Session, rule: Rule) -> None:
        session.drop_wait(rule)
        if rule.then is not Then.EVENT:
            self.deadlines.dropped()

    # -- rules ------------------------------------------------------------------------

    def save(self, automation: Automation, place: int, at: Instant, seq: int) -> None:
        """Watch an automation's rules, keeping the state of those that mean the same.

        O(its rules), and O(running turns) where one of them is new and times a silence.
        """
        resource = automation.resource
        old = self._rules.get(resource, {})
        new: dict[tuple[str, str | None], Rule] = {}
        added: list[Rule] = []
        moved: list[Rule] = []
        for trigger, preset, spec, first, second in rules_of(automation):
            key = (trigger, preset)
            order = (place, first, second)
            kept = old.get(key)
            if kept is None or kept.spec != spec:
                kept = Rule(automation, trigger, preset, spec, order, (at, seq))
                added.append(kept)
            elif kept.order != order or kept.owner != automation.owner:
                if kept.owner != automation.owner:
                    self._change_owner(kept, automation.owner, at, seq)
                kept.order = order
                moved.append(kept)
            new[key] = kept
        self._take_out([rule for key, rule in old.items() if new.get(key) is not rule])
        if new:
            self._rules[resource] = new
        else:
            self._rules.pop(resource, None)
        for rule in added:
            self.index.add(rule)
        if moved:
            self.index.reorder(moved)
        if any(rule.silence is not None for rule in (*added, *moved)):
            self._time_turns(moved=moved, at=at)

    def remove(self, resource: str) -> None:
        """Stop watching an automation's rules; their state is gone. O(its rules)."""
        self._take_out(list(self._rules.pop(resource, {}).values()))

    def _take_out(self, rules: list[Rule]) -> None:
        if not rules:
            return
        self._removals += 1
        for rule in rules:
            rule.alive = False
            self._evicted += rule.evicted
            self.index.remove(rule)

    def _time_turns(self, *, moved: list[Rule], at: Instant) -> None:
        """After rules that time silences came or moved: time the turns that run."""
        last = (FAR, 0, 0)
        for session in self._turns.values():
            mark = session.mark
            if moved and mark is not None and mark[0] <= at:
                # What tied with the mark was done before; a new place undoes nothing.
                session.mark = (mark[0], mark[1], last)
            self._time(session, self._current(session))

    def sweep(self, most: int = 8) -> None:
        """Clean a few sessions of what removed rules left there; called now and then."""
        if self._sweep is None:
            if self._swept == self._removals:
                return
            self._swept = self._removals
            self._sweep = iter(list(self.sessions))
        for _ in range(most):
            name = next(self._sweep, None)
            if name is None:
                self._sweep = None
                return
            session = self.sessions.get(name)
            if session is not None and session.swept != self._removals:
                self._clean(session)

    # -- sight ------------------------------------------------------------------------

    def _change_owner(self, rule: Rule, owner: str | None, at: Instant, seq: int) -> None:
        """A rule's automation has another owner: it keeps what that owner may see."""
        before, rule.owner = rule.owner, owner
        sees = self._sight.sees
        for session in self.sessions.values():
            if sees(owner, session.name, session.facts):
                if session.turn_at is not None and not sees(before, session.name, session.facts):
                    session.see_from(rule, at, seq)
                continue
            session.forget(rule)
            if session.waits is not None and rule in session.waits:
                self._drop_wait(session, rule)

    def sight_changed(self, owner: str, at: Instant, seq: int) -> None:
        """What an owner may see changed (semantics 9.2). O(sessions)."""
        before = {
            name: session.reach for name, session in self._turns.items() if session.reach.timed
        }
        old = {name: frozenset(reach.timed) for name, reach in before.items()}
        self.index.all_changed()
        for session in self.sessions.values():
            self._check_sight(session, session.facts, owner)
        for name, session in self._turns.items():
            reach = self._current(session)
            seen = old.get(name, frozenset())
            if any(rule.owner == owner and rule not in seen for rule in reach.timed):
                session.see_from(owner, at, seq)
            self._time(session, reach)

    def _check_sight(self, session: Session, facts: Facts, owner: str | None = None) -> None:
        """Forget what rules had there whose owner sees the session no more."""
        sees = self._sight.sees
        for state, drop in ((session.hits, session.forget), (session.waits, None)):
            if not state:
                continue
            lost = [
                rule
                for rule in state
                if (owner is None or rule.owner == owner)
                and not sees(rule.owner, session.name, facts)
            ]
            for rule in lost:
                if drop is not None:
                    drop(rule)
                else:
                    self._drop_wait(session, rule)

    # -- what there is ----------------------------------------------------------------

    def rules(self) -> Iterator[Rule]:
        """Every rule that is watched, by automation."""
        for rules in self._rules.values():
            yield from rules.values()

    @property
    def evicted(self) -> int:
        """How many calls of ``sameInput`` were let go at the bound so far."""
        return self._evicted + sum(rule.evicted for rule in self.rules())

    def settle(self, now: Instant) -> Iterator[tuple[Session, Rule, int, Wait | None]]:
        """Walk what is live at ``now``: session, rule, its hits, its wait.

        Drops on the way what is stale, so that the same state is the same however it came
        about. O(sessions + hits + waits).
        """
        for session in self.sessions.values():
            if session.hits is None and session.waits is None:
                continue
            self._clean(session)
            for rule in [rule for rule, wait in (session.waits or {}).items() if _over(wait, now)]:
                self._drop_wait(session, rule)
                if rule.then is not Then.EVENT:
                    session.forget(rule)
            rules = dict.fromkeys((*(session.hits or ()), *(session.waits or ())))
            for rule in sorted(rules, key=_order):
                hits = machine.live_hits(rule, session, now)
                wait = (session.waits or {}).get(rule)
                if hits or wait is not None:
                    yield session, rule, hits, wait

    def waiting(self, now: Instant) -> list[Waiting]:
        """The waits and silences that are being timed, in order of deadline. O(sessions)."""
        found: list[tuple[Instant, int, tuple[int, ...], int, Waiting]] = []
        for session, rule, _hits, wait in self.settle(now):
            if wait is not None and rule.then is not None:
                told = _waiting(rule, session, rule.then.value, wait.due, wait.kind)
                found.append((wait.due, wait.seq, rule.order, session.touched_seq, told))
        for session in self._turns.values():
            for due, seq, rule in self._silences(session, self._current(session)):
                told = _waiting(rule, session, "silence", due, "turnStarted")
                found.append((due, seq, rule.order, session.touched_seq, told))
        return [told for *_, told in sorted(found, key=_before_last)]


def _waiting(
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


def _holds(checks: Checks, event: SessionEvent, session: Session, at: Instant) -> bool:
    """Whether ``when`` holds as an event arrives (semantics 3.3)."""
    running, queued, calls, longer = checks
    if running is not None and event.running is not running:
        return False
    if queued and (event.queued or 0) < queued:
        return False
    if calls and (event.turn_tool_calls or 0) < calls:
        return False
    if longer == ANY_TURN:
        return True
    return session.turn_at is not None and at - session.turn_at >= longer


def _holds_now(checks: Checks, session: Session) -> bool:
    """Whether the parts of ``when`` beside the silence hold of the state last told."""
    running, queued, calls, _ = checks
    return (
        (running is None or session.running is running)
        and (session.queued or 0) >= queued
        and (session.calls or 0) >= calls
    )


def _order(rule: Rule) -> tuple[int, int, int]:
    return rule.order


def _silence_key(silence: tuple[Instant, int, Rule]) -> tuple[Instant, int, tuple[int, int, int]]:
    due, seq, rule = silence
    return due, seq, rule.order


def _before_last(
    item: tuple[Instant, int, tuple[int, ...], int, Waiting],
) -> tuple[Instant, int, tuple[int, ...], int]:
    return item[:4]
