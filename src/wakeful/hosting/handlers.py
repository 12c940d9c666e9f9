"""Handing wakes to a handler: what is common to runners with an event loop and with threads.

A *wake* is a decision that somebody has to act upon: a start, a release, a steer. Wakes of
one automation are handed over one after another, in order, each in the *lane* of its
automation; lanes go side by side, as many as the limits say. A handler that raises, or
takes longer than it may, is told of (:class:`~wakeful.hosting.troubles.Trouble`), and its wake
counts as not delivered: a start or release settles as ``notStarted``, a steer has failed, so
that nothing waits for ever behind a run that never was.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar

import attrs

from wakeful.hosting.run_limits import GoingRun
from wakeful.model.events import RunSettled, SteerFailed
from wakeful.model.outputs import Decision, DecisionKind, Output
from wakeful.model.time import Instant

WAKES: Final = frozenset({DecisionKind.START, DecisionKind.RELEASE, DecisionKind.STEER})
"""The decisions that are handed to a handler."""


@attrs.frozen(kw_only=True)
class HandlerLimits:
    """The bounds of handlers.

    Attributes:
        seconds: How long one call may take, on the runner's clock; ``None``: as it likes.
        at_once: How many automations' handlers may work at the same time.
        backlog: How many wakes may wait for a handler before inputs have to wait too.

    Raises:
        ValueError: A number is below 1, or ``seconds`` not above 0.
    """

    seconds: float | None = 30.0
    at_once: int = 8
    backlog: int = 1_000

    def __attrs_post_init__(self) -> None:
        """Refuse bounds that let nothing through."""
        if self.at_once < 1 or self.backlog < 1:
            raise ValueError("at_once and backlog are at least 1")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError("seconds is above 0")


@attrs.frozen(kw_only=True)
class Saved:
    """What a runner leaves when it is closed; a new one goes on from it.

    Attributes:
        snapshot: The engine's state; ``None`` where it was never fed.
        owed: Wakes that no handler was done with, in order.
        going: The runs that go, for a limit on their length.
    """

    snapshot: bytes | None
    owed: tuple[Decision, ...]
    going: tuple[GoingRun, ...]


Given = TypeVar("Given")


@attrs.frozen
class Waiting(Generic[Given]):
    """A wake that waits for its handler, and when it began to, on the clock's seconds."""

    decision: Decision
    since: float


class Lanes:
    """The wakes that wait for handlers, by automation, and which may be handed over now.

    Not for several threads at once.

    Attributes:
        is_paused: Whether wakes are held. A press is a person's and passes.
    """

    def __init__(self, limits: HandlerLimits) -> None:
        self.is_paused = False
        self._limits = limits
        self._lanes: dict[str, deque[Waiting[Decision]]] = {}
        self._ready: deque[str] = deque()
        self._busy: dict[str, Waiting[Decision]] = {}
        self._held: list[Waiting[Decision]] = []
        self._waiting = 0

    @property
    def has_room(self) -> bool:
        """Whether an input may be taken."""
        return self._waiting < self._limits.backlog

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits but what is held, and nobody works."""
        return not self._waiting and not self._busy

    @property
    def waiting(self) -> int:
        """How many wakes wait for a handler, without those that are held."""
        return self._waiting

    @property
    def held(self) -> tuple[Decision, ...]:
        """The wakes that are held while all are paused."""
        return tuple(one.decision for one in self._held)

    @property
    def owed(self) -> tuple[Decision, ...]:
        """Every wake that no handler is done with, in the order in which they were decided."""
        owed = [*self._held, *self._busy.values()]
        for lane in self._lanes.values():
            owed += lane
        return tuple(one.decision for one in sorted(owed, key=lambda one: one.decision.key))

    def put(self, outputs: Iterable[Output], elapsed: float) -> None:
        """Take in the wakes among outputs."""
        for output in outputs:
            if isinstance(output, Decision) and output.kind in WAKES:
                self._put(Waiting(output, elapsed))

    def pause(self) -> None:
        """Hold wakes from now on, and those that no handler has begun with."""
        if self.is_paused:
            return
        self.is_paused = True
        waiting = [one for lane in self._lanes.values() for one in lane]
        waiting.sort(key=lambda one: one.decision.key)
        self._lanes.clear()
        self._ready.clear()
        self._waiting = 0
        for one in waiting:
            self._put(one)

    def resume(self) -> None:
        """Hand over what was held, and hold nothing any more."""
        self.is_paused = False
        held, self._held = self._held, []
        for one in held:
            self._put(one)

    def discard(self) -> tuple[Decision, ...]:
        """Give up the wakes that are held."""
        held, self._held = self._held, []
        return tuple(one.decision for one in held)

    def take(self) -> Waiting[Decision] | None:
        """The next wake that may be handed over now; :meth:`done` when that is over."""
        if not self._ready or len(self._busy) >= self._limits.at_once:
            return None
        automation = self._ready.popleft()
        lane = self._lanes[automation]
        one = lane.popleft()
        if not lane:
            del self._lanes[automation]
        self._waiting -= 1
        self._busy[automation] = one
        return one

    def done(self, automation: str) -> None:
        """A handler is done with its wake, well or not."""
        del self._busy[automation]
        if automation in self._lanes:
            self._ready.append(automation)

    def _put(self, one: Waiting[Decision]) -> None:
        decision = one.decision
        if self.is_paused and decision.request_id is None:
            self._held.append(one)
            return
        lane = self._lanes.get(decision.automation)
        if lane is None:
            lane = self._lanes[decision.automation] = deque()
            if decision.automation not in self._busy:
                self._ready.append(decision.automation)
        lane.append(one)
        self._waiting += 1


def others(outputs: Iterable[Output]) -> Iterator[Decision]:
    """The decisions among outputs that nobody has to act upon."""
    for output in outputs:
        if isinstance(output, Decision) and output.kind not in WAKES:
            yield output


def not_delivered(decision: Decision, at: Instant) -> RunSettled | SteerFailed | None:
    """What an engine is told of a wake that no handler delivered.

    ``None`` for a steer into somebody's own turn, which has no run to be told about.
    """
    if decision.run is None:
        return None
    if decision.kind is DecisionKind.STEER:
        return SteerFailed(automation=decision.automation, run=decision.run, at=at)
    return RunSettled(automation=decision.automation, run=decision.run, outcome="notStarted", at=at)
