"""An engine and a clock: every input it takes, and every look at the time, in one place.

Nothing here waits or acts; the runners do, each in its own way. What is decided here is what
the clock means to the engine:

- The engine's instant never goes back. While the clock is behind it (somebody set it back),
  nothing falls due twice, and nothing is looked for again and again: what is due next is
  due when the clock has come there.
- Between two looks there are :data:`LOOK_EVERY` at the most, whatever is due. If the clock says
  that much more time went by than was waited for, nobody was running: the machine slept, the
  process was stopped, or the clock was set ahead. Then ``Resumed`` is fed, and what
  fell due meanwhile is told once, in order, and as late (semantics 7.3, 10.5).
- What a source holds back (:class:`Source`) is fed before time goes on past it. After a sleep
  each of its inputs that something is due before is preceded by a ``Resumed`` of its own
  instant, so that a wake is late whether or not something was written after it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, runtime_checkable

from wakeful.core.overflow import Overflow
from wakeful.core.statistics import Statistics
from wakeful.errors import InputRefusedError
from wakeful.hosting.clock import Clock
from wakeful.hosting.observing import Observer
from wakeful.hosting.run_limits import GoingRun, RunLimits
from wakeful.hosting.troubles import Trouble
from wakeful.model.events import Input, Resumed, Tick
from wakeful.model.outputs import Decision, Output
from wakeful.model.time import SECOND, Duration, Instant

LOOK_EVERY: Final[Duration] = 30 * SECOND
"""How long a runner waits at the most before it looks at the wall clock again."""

ASLEEP_AFTER: Final[Duration] = 60 * SECOND
"""How long nobody has looked at the clock for the host not to have been running. An occurrence
that is less late is an ordinary one (semantics 10.5)."""


class DecidingEngine(Protocol):
    """What a runner needs of an engine; :class:`wakeful.Engine` is one."""

    def feed(self, item: Input) -> list[Output]:
        """Take one input."""

    @property
    def next_deadline(self) -> Instant | None:
        """When something may next be due."""

    @property
    def now(self) -> Instant | None:
        """The engine's instant."""

    def advance(self, instant: Instant) -> list[Output]:
        """Let time pass."""

    def snapshot(self) -> bytes:
        """The whole state."""

    def statistics(self) -> Statistics:
        """What it holds."""

    @property
    def overflow(self) -> Overflow:
        """What it let go at bounds."""


@runtime_checkable
class JournaledEngine(DecidingEngine, Protocol):
    """An engine that writes a journal, such as :class:`wakeful.journal.Journal`.

    What its verbs give is as safe as its policy promises when they return. A runner
    acknowledges each decision when it has been dealt with, and begins with what is outstanding.
    """

    @property
    def outstanding(self) -> Iterable[Decision]:
        """The decisions that were given and not acknowledged, the oldest first."""

    def acknowledge(self, *decisions: Decision) -> None:
        """These are dealt with, and are not given again."""

    def tend(self) -> None:
        """Do what is due by the policy while nothing is fed."""


class Source(Protocol):
    """Inputs that come with time, as those of logs that are followed."""

    @property
    def next_deadline(self) -> Instant | None:
        """The instant of the first input it holds."""

    def take_until(self, instant: Instant) -> Iterable[Input]:
        """The inputs at or before an instant, in order; they are the caller's from then on."""


class NoSource:
    """A source of nothing."""

    next_deadline: Final = None

    def take_until(self, instant: Instant) -> Iterable[Input]:  # noqa: ARG002 - the protocol's
        """Nothing."""
        return ()


class Stepper:
    """Feeds an engine by a clock. Not for several threads at once.

    Args:
        engine: The engine.
        clock: Where the time is read, and nowhere else.
        source: Inputs that come with time.
        observers: Are told of each input and output.
        trouble: Is told of runs that went on for too long, and of a source's refused inputs.
        run_limit: How long a run may go before it counts as failed; ``None``: no limit.
        going: The runs that go already, for the limit.
        live: Says which runs still live after a sleep; left out, all do.
        asleep_after: How long without a look makes a sleep.

    Attributes:
        engine: The engine.
        journal: The engine again, where it writes a journal.
        limits: The runs that go.
    """

    def __init__(  # noqa: PLR0913 - all but the first two are named, and have their runners' defaults
        self,
        engine: DecidingEngine,
        clock: Clock,
        *,
        source: Source | None = None,
        observers: Iterable[Observer] = (),
        trouble: Callable[[Trouble], None],
        run_limit: Duration | None = None,
        going: Iterable[GoingRun] = (),
        live: Callable[[], Iterable[str]] | None = None,
        asleep_after: Duration = ASLEEP_AFTER,
    ) -> None:
        self.engine = engine
        # Asked once: a protocol with members is slow to ask about.
        self.journal = engine if isinstance(engine, JournaledEngine) else None
        self.limits = RunLimits(run_limit, going)
        self._clock = clock
        self._source: Source = NoSource() if source is None else source
        self._observers = tuple(observers)
        self._trouble = trouble
        self._live = live
        self._asleep_after = asleep_after
        self._looked_at = clock.now()
        self._met: set[str] = set()

    def take(self, item: Input) -> list[Output]:
        """Feed an input that came by a call; first what a sleep left undone.

        Raises:
            InputRefusedError: The engine refuses it.
        """
        now = self._clock.now()
        outputs = self.look() if self._slept(now) else []
        self._looked_at = now
        outputs += self._feed(item, now)
        return outputs

    def look(self) -> list[Output]:
        """Look at the clock, and do what is due by now."""
        now = self._clock.now()
        slept = self._slept(now)
        self._looked_at = now
        instant = self._place(now)
        outputs: list[Output] = []
        for observer in self._observers:
            observer.looked(now, slept=slept)
        for item in self._source.take_until(instant):
            if slept and _is_due(self.engine.next_deadline, item.at):
                outputs += self._feed(Resumed(at=item.at, live=self._living()), now)
            outputs += self._feed_of_source(item, now)
        for settled in self.limits.due(instant):
            self._trouble(
                Trouble(
                    kind="runTooLong",
                    message=f"{settled.run} of {settled.automation} went on for too long",
                    at=now,
                )
            )
            outputs += self._feed(settled, now)
        if slept:
            outputs += self._feed(Resumed(at=instant, live=self._living()), now)
        elif _is_due(self.engine.next_deadline, instant):
            # As an input, so that a journal or a recorder has it before anything is done.
            outputs += self._feed(Tick(instant), now)
        else:
            self.engine.advance(instant)
        if self.journal is not None:
            self.journal.tend()
        return outputs

    @property
    def owed(self) -> tuple[Decision, ...]:
        """The decisions that a journal tells were given and not dealt with."""
        return () if self.journal is None else tuple(self.journal.outstanding)

    def dealt_with(self, *decisions: Decision) -> None:
        """Tell a journal that decisions have been dealt with."""
        if decisions and self.journal is not None:
            self.journal.acknowledge(*decisions)

    def resume(self) -> list[Output]:
        """Begin after a restart: what fell due since the engine's snapshot is late."""
        self._looked_at = (self.engine.now or self._clock.now()) - self._asleep_after - 1
        return self.look()

    @property
    def delay(self) -> float:
        """In seconds, how long there is nothing to do but to wait; for inputs, too."""
        now = self._clock.now()
        due = min(
            (
                deadline
                for deadline in (
                    self.engine.next_deadline,
                    self._source.next_deadline,
                    self.limits.next_deadline,
                )
                if deadline is not None
            ),
            default=now + LOOK_EVERY,
        )
        if due <= self._place(now):
            return 0.0
        return min(due - now, LOOK_EVERY) / SECOND

    def _place(self, now: Instant) -> Instant:
        """The instant a look is for: the clock's, or the engine's where that is ahead."""
        ahead = self.engine.now
        return now if ahead is None else max(now, ahead)

    def _slept(self, now: Instant) -> bool:
        return now - self._looked_at > self._asleep_after

    def _living(self) -> tuple[str, ...] | None:
        return None if self._live is None else tuple(self._live())

    def _feed_of_source(self, item: Input, now: Instant) -> Iterator[Output]:
        try:
            yield from self._feed(item, now)
        except InputRefusedError as refused:
            self._trouble(Trouble(kind="refused", message=str(refused), at=now))

    def _tell_bounds(self, now: Instant) -> None:
        """Say once of each bound that something was let go at it."""
        for bound in self.engine.overflow.met():
            if bound not in self._met:
                self._met.add(bound)
                message = f"the engine is at its bound {bound}, and lets the oldest go"
                self._trouble(Trouble(kind="bound", message=message, at=now))

    def _feed(self, item: Input, now: Instant) -> list[Output]:
        outputs = self.engine.feed(item)
        if self.engine.overflow.is_any:
            self._tell_bounds(now)
        self.limits.took(item)
        for observer in self._observers:
            observer.took(item, now=now)
        for output in outputs:
            if isinstance(output, Decision):
                self.limits.gave(output)
            for observer in self._observers:
                observer.gave(output, now=now)
        return outputs


def _is_due(deadline: Instant | None, instant: Instant) -> bool:
    return deadline is not None and deadline <= instant
