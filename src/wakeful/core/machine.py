"""The state machine of one rule in one session: counting, and waiting for what follows.

Theory
------
A pair of rule and session is in one of four states::

    counting            hits are collected until there are ``n``
    waiting (event)     the count goes on; the awaited kind completes
    waiting (absent)    nothing is counted; the awaited kind breaks, time completes
    waiting (idle)      nothing is counted; anything but ``idle`` breaks, time completes

and :data:`TRANSITIONS` says how it gets from one to the next. A pair in ``counting``
without hits is not stored at all. What can be worked out when it is asked for is never
maintained on events that the rule does not count:

* hits outside ``within`` are dropped when the next hit comes;
* a broken run (``consecutive``) shows in the session's event number: a hit continues the
  run only if its number is the last hit's plus one;
* an ``event`` wait that has passed, and an ``idle`` wait that was broken, are found when
  the rule is next offered an event, or when the deadline comes up.

What hits look like, by the shape of the count:

============================  ===================================================
count                         value in ``Session.hits``
============================  ===================================================
``n``                         how many
``n, within``                 their instants, oldest first
``consecutive``               ``[event number of the last, how many]``
``consecutive, within``       ``[event number of the last, instants]``
``sameInput``                 a dictionary from call to how many, or instants
``sameInput, consecutive``    ``[event number of the last, call, how many or instants]``
============================  ===================================================
"""

from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from wakeful.core.sessions import Session
from wakeful.model.events import SessionEvent
from wakeful.model.rules import Count
from wakeful.model.time import Instant

if TYPE_CHECKING:
    from wakeful.core.compile import Rule

MAX_CALLS: Final = 1_024
"""How many different calls ``sameInput`` keeps, per rule and session (semantics 4.4)."""

SHORT: Final = 64
"""Up to this ``n`` instants are a list, which is a tenth of a deque's size; beyond it
dropping the oldest from a list would cost more than the deque does."""


class State(Enum):
    """Where a pair of rule and session is."""

    COUNTING = "counting"
    WAITING_EVENT = "waiting (event)"
    WAITING_ABSENT = "waiting (absent)"
    WAITING_IDLE = "waiting (idle)"


class Then(Enum):
    """The three kinds of follow-up."""

    EVENT = "event"
    ABSENT = "absent"
    IDLE = "idle"


class RunOf(Enum):
    """What a run of events is a run of: which events break it where they are not counted."""

    EVENTS = auto()
    """All events: the rule selects ``idle`` itself."""
    ACTIVE = auto()
    """All events but ``idle``."""
    ENDINGS = auto()
    """Endings: the rule selects nothing else."""


# An attribute of an enumeration costs more than the comparison it is for.
_ACTIVE, _ENDINGS = RunOf.ACTIVE, RunOf.ENDINGS


class Transition(NamedTuple):
    """One row of :data:`TRANSITIONS`."""

    state: State
    on: str
    to: State
    does: str
    source: str


_C, _E, _A, _I = State.COUNTING, State.WAITING_EVENT, State.WAITING_ABSENT, State.WAITING_IDLE

TRANSITIONS: Final = (
    Transition(_C, "hit", _C, "keeps the hit", "4.1"),
    Transition(_C, "event not counted, consecutive", _C, "forgets the hits", "4.3"),
    Transition(_C, "count satisfied, no then", _C, "matches; forgets the hits", "4.1"),
    Transition(_C, "count satisfied, then event", _E, "arms the window; forgets the hits", "5.1"),
    Transition(
        _C, "count satisfied, then absent", _A, "arms the deadline; forgets the hits", "5.2"
    ),
    Transition(_C, "count satisfied, then idle", _I, "arms the deadline; forgets the hits", "5.3"),
    Transition(_E, "awaited event in time", _C, "matches; forgets the hits", "5.1"),
    Transition(_E, "awaited event too late", _C, "keeps the hits; the event may be one", "5.1"),
    Transition(_E, "count satisfied", _E, "moves the window; forgets the hits", "5.1"),
    Transition(_E, "hit", _E, "keeps the hit", "5"),
    Transition(_A, "awaited event", _C, "forgets the hits; the event may be one", "5.2"),
    Transition(_A, "deadline", _C, "matches; forgets the hits", "5.2"),
    Transition(_A, "any other event", _A, "nothing", "5.2"),
    Transition(_I, "event but idle", _C, "forgets the hits; the event may be one", "5.3"),
    Transition(_I, "turn start or activity", _C, "forgets the hits", "5.3"),
    Transition(_I, "deadline", _C, "matches; forgets the hits", "5.3"),
    Transition(_I, "idle", _I, "nothing", "5.3"),
    Transition(_C, "session ended", _C, "forgets everything", "7.2"),
    Transition(_E, "session ended", _C, "forgets everything", "7.2"),
    Transition(_A, "session ended", _C, "forgets everything", "7.2"),
    Transition(_I, "session ended", _C, "forgets everything", "7.2"),
)
"""Every transition of a rule in a session, with the rule of the semantics it follows."""

Step: TypeAlias = Callable[["Rule", Session, SessionEvent, Instant], bool]
"""Takes a hit; says whether the count is satisfied, and has then cleared the hits."""

Times: TypeAlias = "list[Instant] | deque[Instant]"


def step_for(count: Count) -> Step | None:
    """The counting function for a count; ``None`` where a single hit satisfies it."""
    if count.n == 1:
        return None
    if count.same_input:
        return same_run if count.consecutive else same_input
    if count.within is None:
        return run if count.consecutive else total
    return run_in_window if count.consecutive else window


def event_number(rule: "Rule", session: Session) -> int:
    """The number of the session's last event among those that could break this rule's run."""
    run_of = rule.run_of
    if run_of is _ACTIVE:
        return session.active
    if run_of is _ENDINGS:
        return session.endings
    return session.active + session.idles


def call_of(event: SessionEvent) -> tuple[str, str] | None:
    """What ``sameInput`` compares: tool name and input hash, whatever the kind."""
    tool = event.tool
    return None if tool is None else (tool.name, tool.input_hash)


# The counting functions are what an event costs. They repeat each other's lines, since a call
# costs as much as what most of them do.


def total(rule: "Rule", session: Session, _event: SessionEvent, _at: Instant) -> bool:
    """``n`` hits, however far apart. O(1)."""
    hits = session.hits
    if hits is None:
        hits = session.hits = {}
    count = hits.get(rule, 0) + 1
    if count >= rule.n:
        session.forget(rule)
        return True
    hits[rule] = count
    return False


def window(rule: "Rule", session: Session, _event: SessionEvent, at: Instant) -> bool:
    """``n`` hits of which none is older than ``within``. O(1) amortised."""
    hits = session.hits
    if hits is None:
        hits = session.hits = {}
    times: Times | None = hits.get(rule)
    if times is None:
        hits[rule] = _first(rule, at)
        return False
    oldest = at - rule.window
    if times[0] < oldest:
        _expire(times, oldest)
    times.append(at)
    if len(times) >= rule.n:
        session.forget(rule)
        return True
    return False


def run(rule: "Rule", session: Session, _event: SessionEvent, _at: Instant) -> bool:
    """``n`` hits without an event between them that is not counted. O(1)."""
    hits = session.hits
    if hits is None:
        hits = session.hits = {}
    number = session.active if rule.run_of is _ACTIVE else event_number(rule, session)
    value = hits.get(rule)
    if value is None or value[0] != number - 1:
        hits[rule] = [number, 1]
        return False
    value[0] = number
    value[1] += 1
    if value[1] >= rule.n:
        session.forget(rule)
        return True
    return False


def run_in_window(rule: "Rule", session: Session, _event: SessionEvent, at: Instant) -> bool:
    """The same where none of them may be older than ``within``. O(1) amortised."""
    hits = session.hits
    if hits is None:
        hits = session.hits = {}
    number = session.active if rule.run_of is _ACTIVE else event_number(rule, session)
    value = hits.get(rule)
    if value is None or value[0] != number - 1:
        hits[rule] = [number, [at] if rule.n <= SHORT else deque((at,))]
        return False
    value[0] = number
    times: Times = value[1]
    oldest = at - rule.window
    if times[0] < oldest:
        _expire(times, oldest)
    times.append(at)
    if len(times) >= rule.n:
        session.forget(rule)
        return True
    return False


def same_input(rule: "Rule", session: Session, event: SessionEvent, at: Instant) -> bool:
    """``n`` hits of one and the same call; others between them change nothing. O(1) amortised."""
    hits = session.hits
    if hits is None:
        hits = session.hits = {}
    tool = event.tool
    call = None if tool is None else (tool.name, tool.input_hash)
    calls = hits.get(rule)
    if calls is None:
        hits[rule] = {call: _first(rule, at)}
        return False
    # Taken out and put back, the call touched last stands last.
    value = calls.pop(call, None)
    if value is None:
        value = _first(rule, at)
        if len(calls) >= MAX_CALLS:
            evicted = calls.pop(next(iter(calls)))
            if not _stale(rule, evicted, at):
                rule.evicted += 1
    elif rule.within is None:
        value += 1
        if value >= rule.n:
            if not calls:
                session.forget(rule)
            return True
    else:
        oldest = at - rule.window
        if value[0] < oldest:
            _expire(value, oldest)
        value.append(at)
        if len(value) >= rule.n:
            if not calls:
                session.forget(rule)
            return True
    calls[call] = value
    return False


def same_run(rule: "Rule", session: Session, event: SessionEvent, at: Instant) -> bool:
    """``n`` hits of one call in a row: another call begins a new run. O(1) amortised."""
    hits = session.hits
    if hits is None:
        hits = session.hits = {}
    number = event_number(rule, session)
    call = call_of(event)
    value = hits.get(rule)
    if value is None or value[0] != number - 1 or value[1] != call:
        hits[rule] = [number, call, _first(rule, at)]
        return False
    value[0] = number
    if rule.within is None:
        value[2] += 1
        reached: int = value[2]
    else:
        times: Times = value[2]
        _expire(times, at - rule.window)
        times.append(at)
        reached = len(times)
    if reached >= rule.n:
        session.forget(rule)
        return True
    return False


def live_hits(rule: "Rule", session: Session, now: Instant) -> int:
    """How many hits of the rule still count at ``now``; drops those that do not.

    Asked by statistics and snapshots, so that the same state looks the same however it
    came about. O(hits).
    """
    hits = session.hits
    value = None if hits is None else hits.get(rule)
    if hits is None or value is None:
        return 0
    count = rule.spec.count or Count()
    if count.consecutive:
        if value[0] != event_number(rule, session):
            session.forget(rule)
            return 0
        alive = _prune(rule, value[-1], now)
    elif count.same_input:
        for call in [call for call, held in value.items() if not _prune(rule, held, now)]:
            del value[call]
        alive = sum(held if isinstance(held, int) else len(held) for held in value.values())
    else:
        alive = _prune(rule, value, now)
    if not alive:
        session.forget(rule)
    return alive


def _first(rule: "Rule", at: Instant) -> Any:
    if rule.within is None:
        return 1
    return [at] if rule.n <= SHORT else deque((at,))


def _expire(times: Times, oldest: Instant) -> None:
    """Drop the instants before ``oldest``."""
    if isinstance(times, list):
        gone = 0
        for time in times:
            if time >= oldest:
                break
            gone += 1
        if gone:
            del times[:gone]
    else:
        while times and times[0] < oldest:
            times.popleft()


def _stale(rule: "Rule", value: Any, at: Instant) -> bool:
    return rule.within is not None and value[-1] < at - rule.window


def _prune(rule: "Rule", value: Any, now: Instant) -> int:
    """Drop the instants that are too old; how many hits are left."""
    if rule.within is None:
        return int(value)
    _expire(value, now - rule.window)
    return len(value)
