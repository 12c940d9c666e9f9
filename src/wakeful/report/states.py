"""What rules had in a session, as a picture shows it: hits, waits with their deadline, silences.

All of it is read off a trace (:mod:`wakeful.explain.tracer`), which follows the engine step by
step; nothing is worked out anew.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

import attrs

from wakeful.core.machine import call_of
from wakeful.explain.pairs import Pair
from wakeful.explain.quiets import Quiet
from wakeful.explain.steps import RuleName, Step, Taken, What, Why
from wakeful.explain.tracer import Tracer
from wakeful.model.events import SessionEvent
from wakeful.model.time import Duration, Instant

WaitEnd: TypeAlias = Literal["completed", "broken", "passed", "moved", "open"]
"""How a wait or a silence ended; ``moved`` for a window that a newer count took over, ``open``
for one that stood as the replay ended."""

_WORTH: Final = 0.5
"""A silence that was broken is shown where it lasted for this part of what the rule asks."""

_MOST_HITS: Final = 2_000
_MOST_WAITS: Final = 1_000


class Hits(NamedTuple):
    """How many hits there are from an instant on."""

    at: Instant
    n: int


class Wait(NamedTuple):
    """A wait, or a silence that was timed: from, until, its deadline, how it ended."""

    start: Instant
    end: Instant
    due: Instant
    how: WaitEnd


@attrs.define(kw_only=True)
class State:
    """What one rule had in one session.

    Attributes:
        of: How many hits satisfy the count.
        hits: Each change of how many there were; of ``sameInput``, of the call with the most.
        waits: Its waits, or for a rule that times silences these.
        matches: When it matched.
        passed_over: How often an event or a silence was passed over.
        left_out: How many steps are not here, since there were very many.
    """

    rule: RuleName
    session: str
    of: int
    hits: list[Hits] = attrs.field(factory=list)
    waits: list[Wait] = attrs.field(factory=list)
    matches: list[Instant] = attrs.field(factory=list)
    passed_over: int = 0
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.hits or self.waits or self.matches or self.passed_over)


def states(tracer: Tracer, until: Instant) -> dict[str, list[State]]:
    """The states of all rules by session, those without any left out. O(the trace's steps).

    Args:
        tracer: A trace that is over.
        until: When the replay ended.
    """
    found: dict[tuple[str, RuleName], State] = {}
    for pair in tracer.pairs:
        state = found.get((pair.session, pair.name))
        if state is None:
            state = State(rule=pair.name, session=pair.session, of=pair.rule.n)
            found[pair.session, pair.name] = state
        state.of = pair.rule.n
        if isinstance(pair, Pair):
            _follow(state, pair, until)
        else:
            _follow_silences(state, pair, until, tracer)
    by_session: dict[str, list[State]] = {}
    for state in found.values():
        state.left_out = _bounded(state.hits, _MOST_HITS) + _bounded(state.waits, _MOST_WAITS)
        if state:
            by_session.setdefault(state.session, []).append(state)
    return by_session


def _follow(state: State, pair: Pair, until: Instant) -> None:
    calls: Counter[object] = Counter()
    counted_at: Instant = 0

    def call(taken: Taken) -> object:
        given = taken.input
        if pair.count.same_input and isinstance(given, SessionEvent):
            return call_of(given)
        return None

    armed: tuple[Instant, Instant] | None = None
    for step in pair.steps:
        before = _most(calls)
        match step.what:
            case What.COUNTED:
                calls.update(map(call, step.events))
                counted_at = step.at
            case What.FORGOTTEN:
                _use_up(calls, map(call, step.events))
            case What.SATISFIED:
                # The count is satisfied and the hits are used up, at one instant: both show.
                _change(state, step.at, before)
                _use_up(calls, map(call, step.events))
            case What.WAITING if step.wait is not None:
                if armed is not None:
                    state.waits.append(Wait(armed[0], step.at, armed[1], "moved"))
                armed = (step.at, step.wait.due)
            case What.BROKEN:
                _end(state, armed, step)
                armed = None
                if step.why is not Why.PASSED:
                    calls.clear()
            case What.COMPLETED:
                _end(state, armed, step)
                armed = None
                state.matches.append(step.at)
            case What.PASSED_OVER:
                state.passed_over += 1
            case _:
                pass
        held = _most(calls)
        if held != before:
            _change(state, step.at, held)
    within = pair.rule.within
    if _most(calls) and within is not None and counted_at + within < until:
        # Nothing came after them that they could have been forgotten at.
        _change(state, counted_at + within + 1, 0)
    if armed is not None:
        how: WaitEnd = "open" if armed[1] >= until else "passed"
        state.waits.append(Wait(armed[0], min(until, armed[1]), armed[1], how))


def _use_up(calls: Counter[object], used: Iterable[object]) -> None:
    for each in used:
        calls[each] -= 1
        if calls[each] <= 0:
            del calls[each]


def _most(calls: Counter[object]) -> int:
    """How many hits the call has that has the most: it is the nearest to its count (4.4)."""
    return max(calls.values(), default=0)


def _change(state: State, at: Instant, held: int) -> None:
    if not state.hits or state.hits[-1].n != held:
        state.hits.append(Hits(at, held))


def _end(state: State, armed: tuple[Instant, Instant] | None, step: Step) -> None:
    if armed is None:
        return
    how: WaitEnd = "completed"
    if step.what is What.BROKEN:
        how = "passed" if step.why is Why.PASSED else "broken"
    state.waits.append(Wait(armed[0], step.at, armed[1], how))


def _follow_silences(state: State, quiet: Quiet, until: Instant, tracer: Tracer) -> None:
    length = quiet.rule.silence or 0
    for step in quiet.steps:
        if step.what is What.COMPLETED:
            state.matches.append(step.at)
        if step.what is What.PASSED_OVER:
            state.passed_over += 1
        wait = _silence(step, length)
        if wait is not None:
            state.waits.append(wait)
    look = tracer.tracks[quiet.session].look
    due = look.silences.get(quiet.rule)
    if due is not None and due > until and quiet.rule.alive:
        state.waits.append(Wait(due - length, until, due, "open"))


def _silence(step: Step, length: Duration) -> Wait | None:
    if step.since is None or step.quiet is None:
        return None
    if step.what is What.BROKEN:
        if step.quiet < length * _WORTH:
            return None
        how: WaitEnd = "broken"
    else:
        how = "completed" if step.what is What.COMPLETED else "passed"
    return Wait(step.since, step.at, step.since + length, how)


def _bounded(items: list[Hits] | list[Wait], most: int) -> int:
    """Let every second item go until there are few enough; how many went."""
    before = len(items)
    while len(items) > most:
        del items[1::2]
    return before - len(items)
