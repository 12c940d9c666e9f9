"""One rule in one session, followed step by step.

Theory
------
The engine keeps how many hits there are, or their instants, and finds out late that a run
was broken. To say *which* events count, a pair keeps them beside the engine. It decides
nothing by itself that the engine tells: whether a wait stands, was moved or is gone, and
whether something matched, is the engine's (:class:`~wakeful.core.looking.Look`, and the
outputs). What it works out is which events the hits are, by the rules of
:mod:`wakeful.core.machine`; after every input it has as many as the engine
(a property of the tests).
"""

from collections.abc import Iterator, Sequence

from wakeful.core.compile import Rule
from wakeful.core.looking import Look, WaitSeen
from wakeful.core.machine import MAX_CALLS, RunOf, Then, call_of
from wakeful.explain.clauses import Asking, Clause
from wakeful.explain.steps import RuleName, Step, Taken, What, Why
from wakeful.model.events import ENDINGS, SessionEvent
from wakeful.model.outputs import Match
from wakeful.model.rules import Count
from wakeful.model.time import Instant

Call = tuple[str, str] | None


def breaks_runs(rule: Rule, kind: str) -> bool:
    """Whether an event of this kind breaks the rule's run where it is not counted (4.3)."""
    if rule.run_of is RunOf.ENDINGS:
        return kind in ENDINGS
    return rule.run_of is RunOf.EVENTS or kind != "idle"


class Pair:
    """What a rule has in a session, with the events it has it by.

    Attributes:
        steps: Every step so far.
        wait: The follow-up that is waited for.
    """

    def __init__(self, rule: Rule, session: str) -> None:
        self.rule = rule
        self.session = session
        self.name = RuleName(automation=rule.automation, trigger=rule.trigger, preset=rule.preset)
        self.asking = Asking(rule)
        self.steps: list[Step] = []
        self.wait: WaitSeen | None = None
        self.count = rule.spec.count or Count()
        self._calls: dict[Call, list[Taken]] = {}
        self._turns: dict[int, Taken] = {}
        self._satisfied: tuple[Taken, ...] = ()

    @property
    def held(self) -> int:
        """How many events are hits now."""
        return sum(map(len, self._calls.values()))

    # -- what happens -------------------------------------------------------------------

    def event(  # noqa: PLR0913 - each is named
        self,
        taken: Taken,
        event: SessionEvent,
        look: Look,
        *,
        clauses: Sequence[Clause],
        matched: Match | None,
        turn: Taken | None,
    ) -> None:
        """An event of the session was taken.

        Args:
            taken: The input.
            event: The same.
            look: The session after it.
            clauses: What of the rule it failed.
            matched: What the rule matched by it.
            turn: The start of the turn that ran as it came.
        """
        if not self._meet(taken, look, matched):
            return
        self._expire(taken.at)
        selected = event.kind in self.rule.spec.events
        if selected and not clauses:
            self._count(taken, event, look, matched, turn)
            return
        if selected:
            self._step(What.PASSED_OVER, taken, look, clauses=tuple(clauses))
        if self.count.consecutive and breaks_runs(self.rule, event.kind):
            self._forget(taken.at, Why.RUN, taken)

    def stir(self, taken: Taken, look: Look) -> None:
        """A turn started or the session was active, which is no event."""
        self._meet(taken, look, None)
        self._expire(taken.at)

    def held_out(self, match: Match) -> None:
        """The deadline of a wait came, and it held."""
        wait, self.wait = self.wait, None
        self._step(
            What.COMPLETED,
            None,
            None,
            at=match.at,
            events=self._satisfied,
            wait=wait,
            match=match,
            needs=self._needs(self._satisfied),
        )
        self._forget(match.at, Why.WAIT, None)

    def over(self, at: Instant, why: Why, by: Taken | None) -> None:
        """Everything the rule has in the session is gone."""
        if self.wait is not None:
            self._break(at, why, by)
        self._forget(at, why, by)

    # -- waits ----------------------------------------------------------------------------

    def _meet(self, taken: Taken, look: Look, matched: Match | None) -> bool:
        """What an input did to the wait; whether the event is offered to the count."""
        wait = self.wait
        if wait is None:
            return True
        standing = look.waits.get(self.rule)
        if self.rule.then is Then.EVENT:
            if matched is not None:
                self.wait = None
                self._step(
                    What.COMPLETED,
                    taken,
                    look,
                    events=self._satisfied,
                    wait=wait,
                    match=matched,
                    needs=self._needs(self._satisfied),
                )
                self._forget(taken.at, Why.WAIT, taken)
                return False
            if taken.at > wait.due:
                self._break(wait.due, Why.PASSED, None)
            return True
        if standing is not None and standing.armed_by == wait.armed_by:
            return False
        stirred = self.rule.then is Then.IDLE
        self._break(taken.at, Why.STIRRED if stirred else Why.AWAITED, taken)
        return True

    def _break(self, at: Instant, why: Why, by: Taken | None) -> None:
        wait, self.wait = self.wait, None
        self._step(What.BROKEN, by, None, at=at, why=why, wait=wait, events=self._satisfied)
        if why is not Why.PASSED:
            # A window that passes leaves the hits; everything else clears them (5.1, 5.4).
            self._calls.clear()

    # -- the count --------------------------------------------------------------------------

    def _count(
        self,
        taken: Taken,
        event: SessionEvent,
        look: Look,
        matched: Match | None,
        turn: Taken | None,
    ) -> None:
        if turn is not None:
            self._turns[taken.number] = turn
        call = call_of(event) if self.count.same_input else None
        if self.count.consecutive and self._calls and call not in self._calls:
            self._forget(taken.at, Why.CALL, taken)
        held = self._calls.pop(call, [])
        if not held and len(self._calls) >= MAX_CALLS:
            oldest = next(iter(self._calls))
            gone = tuple(self._calls.pop(oldest))
            self._step(What.FORGOTTEN, taken, look, why=Why.BOUND, events=gone)
        held.append(taken)
        self._step(What.COUNTED, taken, look, events=(taken,))
        standing = look.waits.get(self.rule)
        armed = standing is not None and standing.armed_by == look.touched_by
        if not armed and matched is None:
            self._calls[call] = held
            return
        events = tuple(held)
        self._step(What.SATISFIED, taken, look, events=events)
        if standing is not None and armed:
            self.wait, self._satisfied = standing, events
            self._step(What.WAITING, taken, look, events=events, wait=standing)
        else:
            self._step(
                What.COMPLETED, taken, look, events=events, match=matched, needs=self._needs(events)
            )
        self._drop_turns()

    def _expire(self, at: Instant) -> None:
        within = self.count.within
        if within is None:
            return
        gone: list[Taken] = []
        for call, held in list(self._calls.items()):
            kept = [each for each in held if each.at >= at - within]
            gone += held[: len(held) - len(kept)]
            if kept:
                self._calls[call] = kept
            else:
                del self._calls[call]
        gone.sort(key=_number)
        for each in gone:
            # The last instant at which it counted is ``within`` after it.
            self._step(
                What.FORGOTTEN, None, None, at=each.at + within + 1, why=Why.WINDOW, events=(each,)
            )

    def _forget(self, at: Instant, why: Why, by: Taken | None) -> None:
        events = sorted((each for held in self._calls.values() for each in held), key=_number)
        self._calls.clear()
        if events:
            self._step(What.FORGOTTEN, by, None, at=at, why=why, events=tuple(events))
        self._drop_turns()

    # -- telling --------------------------------------------------------------------------

    def _needs(self, events: Sequence[Taken]) -> tuple[Taken, ...]:
        """The starts of the turns that the events were measured by."""
        when = self.rule.spec.when
        if when is None or when.turn_longer_than is None:
            return ()
        turns = {turn.number: turn for each in events if (turn := self._turns.get(each.number))}
        return tuple(turns[number] for number in sorted(turns))

    def _drop_turns(self) -> None:
        """Let go of the turns of events that are no hits any more."""
        if len(self._turns) > 2 * (self.held + len(self._satisfied)) + 16:
            kept = {each.number for each in self._all()}
            self._turns = {number: turn for number, turn in self._turns.items() if number in kept}

    def _all(self) -> Iterator[Taken]:
        yield from self._satisfied
        for held in self._calls.values():
            yield from held

    def _step(  # noqa: PLR0913 - each is named
        self,
        what: What,
        by: Taken | None,
        look: Look | None,
        *,
        at: Instant | None = None,
        why: Why | None = None,
        events: tuple[Taken, ...] = (),
        clauses: tuple[Clause, ...] = (),
        wait: WaitSeen | None = None,
        match: Match | None = None,
        needs: tuple[Taken, ...] = (),
    ) -> None:
        if at is None:
            assert by is not None  # noqa: S101 - time alone always says when
            at = by.at
        self.steps.append(
            Step(
                what=what,
                at=at,
                rule=self.name,
                session=self.session,
                hits=0 if look is None else look.hits.get(self.rule, 0),
                of=self.rule.n,
                why=why,
                by=by,
                events=events,
                clauses=clauses,
                wait=wait,
                match=match,
                needs=needs,
            )
        )


def _number(taken: Taken) -> int:
    return taken.number
