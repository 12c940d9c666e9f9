"""Near misses of an ordinary rule in one session: of its count, and of what has to follow.

Every window of ``n`` events that the rule selects, one call's where it asks for one call,
and that no match used up, would have been a match but for what it lacks: parts of ``when``
or ``filter``, a span longer than ``count.within``, events between that broke the run. Fewer
than ``n`` events that counted together lack the rest. A wait that was armed and did not
complete lacks what it waited for.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from itertools import accumulate, islice
from typing import Any, Final

import attrs

from wakeful.core.machine import Then, call_of
from wakeful.explain.clauses import Clause
from wakeful.explain.lacks import FARTHEST, Lack, Miss, Stage, how_far, ratio
from wakeful.explain.mending import Mender
from wakeful.explain.pairs import Pair, breaks_runs
from wakeful.explain.steps import Step, Taken, What, Why
from wakeful.model.events import Activity, SessionEnded, SessionEvent, TurnStarted
from wakeful.model.time import SECOND, Instant

_WINDOWS: Final = 64
"""How many windows of one rule in one session are looked at closely."""


@attrs.frozen
class _Offer:
    """An event of a kind that the rule selects, and what of the rule it failed."""

    taken: Taken
    clauses: tuple[Clause, ...]


class CountingMisses:
    """The misses of an ordinary rule in one session.

    Args:
        pair: The rule and session, followed to the end.
        inputs: What was taken of the session.
    """

    def __init__(self, pair: Pair, inputs: Sequence[Taken]) -> None:
        self._pair = pair
        self._rule = pair.rule
        self._mender = Mender(pair.rule)
        self._inputs = inputs
        self._numbers = [each.number for each in inputs]
        self._satisfied = [
            step.events[-1].number for step in pair.steps if step.what is What.SATISFIED
        ]
        # How many events that could break a run lie before each input.
        self._breaking = list(accumulate(map(self._can_break, inputs), initial=0))

    def misses(self) -> Iterator[Miss]:
        """Every one, in no order."""
        for segment in self._segments():
            yield from self._windows(segment)
        yield from self._short()
        for step in self._pair.steps:
            if step.what is What.BROKEN:
                yield from self._follow_up(step)

    # -- windows of n events ------------------------------------------------------------

    def _segments(self) -> Iterator[list[_Offer]]:
        """The events that are selected, apart where what was counted was used up or cleared."""
        offers: dict[object, list[_Offer]] = defaultdict(list)
        for step in self._pair.steps:
            if step.what is What.COUNTED or (step.what is What.PASSED_OVER and step.by):
                assert step.by is not None  # noqa: S101 - both are by an event
                offers[self._call(step.by)].append(_Offer(step.by, step.clauses))
            elif step.what is What.SATISFIED:
                used = {each.number for each in step.events}
                held = offers.pop(self._call(step.events[0]), [])
                yield [offer for offer in held if offer.taken.number not in used]
            elif _clears(step):
                yield from offers.values()
                offers.clear()
        yield from offers.values()

    def _windows(self, segment: Sequence[_Offer]) -> Iterator[Miss]:
        n = self._rule.n
        if len(segment) < n:
            return
        failing = list(accumulate((bool(offer.clauses) for offer in segment), initial=0))

        def far(first: int) -> float:
            """How far the window is from matching, at a glance."""
            failed = failing[first + n] - failing[first]
            window = (segment[first].taken, segment[first + n - 1].taken)
            return failed / n + self._excess(*window) + self._between(*window) / n

        for first in nsmallest(_WINDOWS, range(len(segment) - n + 1), key=far):
            yield from self._window(segment[first : first + n])

    def _window(self, offers: Sequence[_Offer]) -> Iterator[Miss]:
        events = tuple(offer.taken for offer in offers)
        first, last = events[0], events[-1]
        lacks: list[Lack] = []
        distance = 0.0
        for path, failed in _by_path(offers).items():
            clauses = [clause for _, clause in failed]
            by = tuple(taken for taken, _ in failed)
            lacks.append(Lack(path=path, wanted=clauses[0].wanted, had=_least(clauses), by=by))
            distance += sum(how_far(each) for _, each in failed) / len(offers)
        excess = self._excess(first, last)
        if excess:
            within = self._rule.within
            lacks.append(
                Lack(path="count.within", wanted=within, had=last.at - first.at, by=(last,))
            )
            distance += excess
        breakers = self._breakers(events) if self._between(first, last) else ()
        if breakers:
            lacks.append(
                Lack(path="count.consecutive", wanted=True, had=len(breakers), by=breakers)
            )
            distance += len(breakers) / (len(breakers) + len(events))
        if lacks:
            counted = sum(not offer.clauses for offer in offers)
            yield self._miss("count", last.at, events, counted, lacks, distance)

    def _excess(self, first: Taken, last: Taken) -> float:
        """By how many times its length the window is too long."""
        within = self._rule.within
        if within is None or last.at - first.at <= within:
            return 0.0
        return min((last.at - first.at - within) / (within or SECOND), FARTHEST)

    def _between(self, first: Taken, last: Taken) -> int:
        """How many events break the run between the first and the last of a window."""
        if not self._pair.count.consecutive or first is last:
            return 0
        before, after = self._place(first) + 1, self._place(last)
        return self._breaking[after] - self._breaking[before] - (self._rule.n - 2)

    def _breakers(self, events: Sequence[Taken]) -> tuple[Taken, ...]:
        inside = {each.number for each in events}
        between = self._inputs[self._place(events[0]) + 1 : self._place(events[-1])]
        return tuple(
            each for each in between if self._can_break(each) and each.number not in inside
        )

    def _can_break(self, taken: Taken) -> bool:
        given = taken.input
        return isinstance(given, SessionEvent) and breaks_runs(self._rule, given.kind)

    def _place(self, taken: Taken) -> int:
        return bisect_left(self._numbers, taken.number)

    def _call(self, taken: Taken) -> object:
        given = taken.input
        assert isinstance(given, SessionEvent)  # noqa: S101 - only events are counted
        return call_of(given) if self._pair.count.same_input else None

    # -- fewer than n -------------------------------------------------------------------

    def _short(self) -> Iterator[Miss]:
        """Where hits counted together and were too few: each time before some were forgotten."""
        held: dict[object, list[Taken]] = defaultdict(list)
        grown: set[object] = set()
        for step in self._pair.steps:
            if step.what is What.COUNTED:
                call = self._call(step.events[0])
                held[call].append(step.events[0])
                grown.add(call)
            elif step.what is What.SATISFIED:
                call = self._call(step.events[0])
                held.pop(call, None)
                grown.discard(call)
            elif step.what is What.FORGOTTEN or _clears(step):
                gone = {each.number for each in step.events}
                everything = _clears(step)
                for call in list(held):
                    kept = [each for each in held[call] if each.number not in gone]
                    if len(kept) == len(held[call]) and not everything:
                        continue
                    if call in grown:
                        yield from self._too_few(held[call])
                        grown.discard(call)
                    if kept and not everything:
                        held[call] = kept
                    else:
                        del held[call]
        for call in grown:
            yield from self._too_few(held[call])

    def _too_few(self, held: Sequence[Taken]) -> Iterator[Miss]:
        n = self._rule.n
        missing = n - len(held)
        lack = Lack(path="count.n", wanted=n, had=len(held))
        yield self._miss("count", held[-1].at, tuple(held), len(held), [lack], missing / len(held))

    # -- what has to follow ---------------------------------------------------------------

    def _follow_up(self, step: Step) -> Iterator[Miss]:
        wait, rule = step.wait, self._rule
        if wait is None or step.why not in (Why.PASSED, Why.AWAITED, Why.STIRRED):
            return
        armed_at = wait.due - rule.for_
        armed = step.events[-1]
        since = self._place(armed) + 1
        if rule.then is Then.EVENT:
            late = self._late(since)
            had = None if late is None else late.at - armed_at
            by: tuple[Taken, ...] = () if late is None else (late,)
            lack = Lack(path="then.within", wanted=rule.for_, had=had, by=by)
            distance = 1.5 if had is None else ratio(had - rule.for_, rule.for_)
        else:
            breaks = self._awaited if rule.then is Then.ABSENT else _stirs
            by = tuple(each for each in self._upto(since, wait.due) if breaks(each))
            had = step.at - armed_at
            path = "then.event" if rule.then is Then.ABSENT else "then.for"
            lack = Lack(path=path, wanted=rule.for_, had=had, by=by)
            distance = ratio(rule.for_ - had, rule.for_)
        yield self._miss("then", step.at, step.events, rule.n, [lack], distance, due=wait.due)

    def _awaited(self, taken: Taken) -> bool:
        return self._is(taken, self._rule.awaited)

    @staticmethod
    def _is(taken: Taken, kind: str | None) -> bool:
        return isinstance(taken.input, SessionEvent) and taken.input.kind == kind

    def _upto(self, since: int, before: Instant) -> Iterator[Taken]:
        """The inputs from a place on, before an instant, as long as the session lasts."""
        for place in range(since, len(self._inputs)):
            taken = self._inputs[place]
            if taken.at >= before or isinstance(taken.input, SessionEnded):
                return
            yield taken

    def _late(self, since: int) -> Taken | None:
        """The awaited event that came too late: before the count was satisfied again."""
        if since == len(self._inputs):
            return None
        after = bisect_left(self._satisfied, self._inputs[since].number)
        until = self._satisfied[after] if after < len(self._satisfied) else None
        for taken in islice(self._inputs, since, None):
            ended = isinstance(taken.input, SessionEnded)
            if ended or (until is not None and taken.number > until):
                return None
            if self._awaited(taken):
                return taken
        return None

    def _miss(  # noqa: PLR0913, PLR0917 - what a miss is made of
        self,
        stage: Stage,
        at: Instant,
        events: tuple[Taken, ...],
        counted: int,
        lacks: Sequence[Lack],
        distance: float,
        due: Instant | None = None,
    ) -> Miss:
        miss = Miss(
            rule=self._pair.name,
            session=self._pair.session,
            stage=stage,
            at=at,
            since=events[0].at,
            events=events,
            counted=counted,
            of=self._rule.n,
            lacks=tuple(lacks),
            distance=distance,
            then=self._rule.spec.then,
        )
        if len(lacks) != 1:
            return miss
        [lack] = lacks
        remedies = self._mender.remedies(
            lack.path, lack.wanted, lack.had, lack.by, events=events, due=due
        )
        return attrs.evolve(miss, remedies=tuple(remedies))


def _by_path(offers: Sequence[_Offer]) -> dict[str, list[tuple[Taken, Clause]]]:
    found: dict[str, list[tuple[Taken, Clause]]] = {}
    for offer in offers:
        for clause in offer.clauses:
            found.setdefault(clause.path, []).append((offer.taken, clause))
    return found


def _least(clauses: Sequence[Clause]) -> Any:
    """What there was the least of: of a number, nothing at all where it was missing once."""
    had = [clause.had for clause in clauses]
    numbers = [each for each in had if isinstance(each, int) and not isinstance(each, bool)]
    return min(numbers) if len(numbers) == len(had) else had[0] if not numbers else None


def _clears(step: Step) -> bool:
    """Whether a step leaves nothing of what was counted, whatever the call."""
    if step.what is What.BROKEN:
        return step.why is not Why.PASSED
    return step.what is What.FORGOTTEN and step.why in (
        Why.WAIT,
        Why.SESSION_ENDED,
        Why.RULE,
        Why.SIGHT,
    )


def _stirs(taken: Taken) -> bool:
    """Whether an input breaks a quiet (semantics 5.3)."""
    given = taken.input
    if isinstance(given, SessionEvent):
        return given.kind != "idle"
    return isinstance(given, TurnStarted | Activity)
