"""The runner for hosts with threads: the same as the asyncio runner, behind a lock.

Any thread may feed. One thread keeps time; handlers have threads of their own, as many as the
limits allow. A thread cannot be stopped from outside, so a handler that takes longer than it
may is given up: it is told of, its wake counts as not delivered, another thread takes its
place, and what it does afterwards is its own affair. :attr:`SyncRunner.abandoned` says how many
such threads there are; when there are as many as handlers may work at once no more are begun,
so that a handler that always hangs ends in back-pressure and not in a machine full of threads.
"""

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Literal, Self, TypeAlias

import attrs

from wakeful.errors import SnapshotError
from wakeful.hosting.clock import Clock, SystemClock
from wakeful.hosting.handlers import (
    HandlerLimits,
    Lanes,
    Saved,
    Waiting,
    not_delivered,
    others,
)
from wakeful.hosting.metrics import Meter, Metrics
from wakeful.hosting.observing import Handled, Observer
from wakeful.hosting.stepping import ASLEEP_AFTER, DecidingEngine, Source, Stepper
from wakeful.hosting.telling import Listener, Teller
from wakeful.hosting.troubles import BacklogError, StoppedError, Trouble
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Output
from wakeful.model.time import Duration

SyncHandler: TypeAlias = Callable[[Decision], object]
"""Acts upon a wake, in a thread of the runner's."""


@attrs.define(eq=False)
class _Call:
    """A handler at work."""

    one: Waiting[Decision]
    began: float
    is_over: bool = False


class SyncRunner:
    """Runs an engine for threads.

    >>> from wakeful import Engine, SessionEvent, read_automation
    >>> engine = Engine([read_automation({
    ...     "id": "failing", "title": "Failing", "message": {"text": "look"}, "triggers": [{
    ...         "id": "t1", "kind": "event", "type": "session", "events": [{"id": "toolFailed"}],
    ...     }]})])
    >>> with SyncRunner(engine, lambda wake: print(wake.kind, wake.session)) as runner:
    ...     _ = runner.feed(SessionEvent("toolFailed", "s1", runner.clock.now()))
    ...     runner.drained()
    start s1

    Args:
        engine: The engine; nobody else feeds it from now on. With one that
            writes a journal, decisions are acknowledged and what is outstanding comes first.
        handler: Acts upon wakes.
        clock: The machine's where left out.
        source: Inputs that come with time, asked under the runner's lock.
        limits: The bounds of handlers.
        run_limit: How long a run may go before it counts as failed, in milliseconds.
        listener: Is told every output, as it is given, under the runner's lock.
        observers: Count or trace what happens; a meter is there anyway.
        trouble: Is told what goes wrong; left out, it is logged to ``wakeful.hosting``.
        live: Says which runs still live after the machine slept; left out, all do.
        asleep_after: How long nobody has looked at the clock for the machine to have slept.
        saved: What an earlier runner left, whose engine this one has, restored.

    Attributes:
        clock: The clock.
        engine: The engine.
        abandoned: How many threads hang in handlers that were given up.
    """

    def __init__(  # noqa: PLR0913 - all but the first two are named, with defaults
        self,
        engine: DecidingEngine,
        handler: SyncHandler,
        *,
        clock: Clock | None = None,
        source: Source | None = None,
        limits: HandlerLimits | None = None,
        run_limit: Duration | None = None,
        listener: Listener | None = None,
        observers: Iterable[Observer] = (),
        trouble: Callable[[Trouble], None] | None = None,
        live: Callable[[], Iterable[str]] | None = None,
        asleep_after: Duration = ASLEEP_AFTER,
        saved: Saved | None = None,
    ) -> None:
        self.clock: Clock = SystemClock() if clock is None else clock
        self.engine = engine
        self.abandoned = 0
        self._handler = handler
        self._limits = HandlerLimits() if limits is None else limits
        self._listener = listener
        self._meter = Meter()
        self._observers: tuple[Observer, ...] = (self._meter, *observers)
        self._teller = Teller(self.clock, self._observers, trouble)
        self._saved = saved
        self._stepper = Stepper(
            engine,
            self.clock,
            source=source,
            observers=self._observers,
            trouble=self._teller.tell,
            run_limit=run_limit,
            going=() if saved is None else saved.going,
            live=live,
            asleep_after=asleep_after,
        )
        self._lanes = Lanes(self._limits)
        self._calls: list[_Call] = []
        self._changed = threading.Condition(threading.RLock())
        self._nudged = threading.Event()
        self._planned = 0.0
        self._timer: threading.Thread | None = None
        self._state: Literal["new", "running", "failed", "closing", "closed"] = "new"
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        """Begin: the timer runs from now on."""
        with self._changed:
            if self._state != "new":
                raise StoppedError("a runner is entered once")
            self._state = "running"
            owed = self._stepper.owed if self._saved is None else self._saved.owed
            self._deal_with(owed)
            if self._saved is not None or self._stepper.journal is not None:
                self._act(self._stepper.resume())
        self._timer = threading.Thread(
            target=self._keep_time, name="wakeful deadlines", daemon=True
        )
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- inputs -----------------------------------------------------------------------------

    def feed(self, item: Input) -> list[Output]:
        """Hand in an input; waits while too many wakes wait for their handlers.

        Raises:
            InputRefusedError: The engine refuses it.
            StoppedError: The runner is not running.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._lanes.has_room or not self._is_running)
            return self._take(item)

    def feed_nowait(self, item: Input) -> list[Output]:
        """Hand in an input, now or not at all.

        Raises:
            BacklogError: Too many wakes wait for their handlers.
            InputRefusedError: The engine refuses it.
            StoppedError: The runner is not running.
        """
        with self._changed:
            if not self._lanes.has_room:
                raise BacklogError(f"{self._lanes.waiting} wakes wait for their handlers")
            return self._take(item)

    def nudge(self) -> None:
        """Look again how long to wait: the source has something that it had not."""
        self._nudged.set()

    # -- the switch -------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether wakes are held."""
        with self._changed:
            return self._lanes.is_paused

    @property
    def held(self) -> tuple[Decision, ...]:
        """The wakes that are held, in order."""
        with self._changed:
            return self._lanes.held

    def pause(self) -> None:
        """Hold all wakes from now on, but those that a person pressed for."""
        with self._changed:
            self._lanes.pause()

    def resume(self, *, discard: bool = False) -> None:
        """Let wakes go again.

        Args:
            discard: Give up what was held: its runs count as not started.
        """
        with self._changed:
            if discard:
                for decision in self._lanes.discard():
                    self._give_up(decision)
            self._lanes.resume()
            self._begin_handlers()

    # -- what there is ------------------------------------------------------------------------

    def metrics(self) -> Metrics:
        """What was counted and measured until now."""
        with self._changed:
            return self._meter.metrics(
                backlog=self._lanes.waiting,
                held=len(self._lanes.held),
                engine=self.engine.statistics(),
            )

    def drained(self) -> None:
        """Return when no wake waits for its handler and none is being handled."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._lanes.is_idle or self._state in ("failed", "closed")
            )

    def close(self, *, grace: float = 10.0) -> Saved:
        """Stop: no input is taken any more, handlers may finish, then all is saved.

        Args:
            grace: For how many seconds handlers may go on; those that still do then are left
                to themselves, and their wakes are owed.

        Raises:
            Exception: What the timer died of.
        """
        with self._changed:
            if self._state in ("new", "running", "failed"):
                self._state = "closing"
                self._changed.notify_all()
                self._nudged.set()
                self._changed.wait_for(lambda: not self._calls, grace)
                self._saved = Saved(
                    snapshot=self._snapshot(),
                    owed=self._lanes.owed,
                    going=self._stepper.limits.going,
                )
                for call in self._calls:
                    call.is_over = True
                self._state = "closed"
                self._changed.notify_all()
        if self._timer is not None and self._timer is not threading.current_thread():
            self._timer.join()
        if self._failure is not None:
            raise self._failure
        if self._saved is None:
            raise StoppedError("the runner is being closed by somebody else")
        return self._saved

    def _snapshot(self) -> bytes | None:
        try:
            return self.engine.snapshot()
        except SnapshotError:
            return None

    # -- time -----------------------------------------------------------------------------------

    def _keep_time(self) -> None:
        try:
            while True:
                with self._changed:
                    if self._state != "running":
                        return
                    self._nudged.clear()
                    delay = self._delay()
                    self._planned = self.clock.elapsed() + delay
                self.clock.wait_in_thread(self._nudged, delay)
                with self._changed:
                    self._give_up_hanging()
                    self._changed.wait_for(
                        lambda: self._lanes.has_room or not self._is_running, 1.0
                    )
                    if self._is_running and self._lanes.has_room:
                        self._act(self._stepper.look())
        except Exception as problem:  # noqa: BLE001 - told by whoever asks for anything next
            with self._changed:
                self._fail(problem)

    def _fail(self, problem: Exception) -> None:
        """Take no input any more: whoever asks for anything next is told why."""
        self._failure = self._failure or problem
        if self._state == "running":
            self._state = "failed"
        self._changed.notify_all()

    @property
    def _is_running(self) -> bool:
        return self._state == "running"

    def _delay(self) -> float:
        delay = self._stepper.delay
        if self._limits.seconds is not None and self._calls:
            ends = min(call.began for call in self._calls) + self._limits.seconds
            delay = min(delay, max(ends - self.clock.elapsed(), 0.0))
        return delay

    def _take(self, item: Input) -> list[Output]:
        if self._state != "running":
            raise StoppedError("the runner does not run") from self._failure
        outputs = self._stepper.take(item)
        self._act(outputs)
        if self.clock.elapsed() + self._delay() < self._planned:
            self._nudged.set()
        return outputs

    # -- wakes ----------------------------------------------------------------------------------

    def _act(self, outputs: list[Output]) -> None:
        self._teller.listen(self._listener, outputs)
        self._deal_with(outputs)

    def _deal_with(self, outputs: Iterable[Output]) -> None:
        """Hand wakes over; of other decisions there is nothing more to do."""
        outputs = tuple(outputs)
        self._lanes.put(outputs, self.clock.elapsed())
        self._stepper.dealt_with(*others(outputs))
        self._begin_handlers()

    def _begin_handlers(self) -> None:
        while (
            self._state == "running"
            and self.abandoned < self._limits.at_once
            and (one := self._lanes.take()) is not None
        ):
            call = _Call(one, self.clock.elapsed())
            self._calls.append(call)
            name = f"wake of {one.decision.automation}"
            threading.Thread(target=self._work, args=(call,), name=name, daemon=True).start()

    def _work(self, call: _Call) -> None:
        decision = call.one.decision
        problem: BaseException | None = None
        try:
            with ExitStack() as stack:
                for observer in self._observers:
                    stack.enter_context(observer.handling(decision))
                self._handler(decision)
        except BaseException as raised:  # noqa: BLE001 - told, and nobody else is there to
            problem = raised
        with self._changed:
            if call.is_over:
                self.abandoned -= self._state == "running"
            else:
                if problem is not None:
                    self._teller.handler_raised(problem, decision)
                self._finish(call, "done" if problem is None else "raised")
            self._begin_handlers()
            self._changed.notify_all()

    def _give_up_hanging(self) -> None:
        """Give up the handlers that have taken longer than they may."""
        seconds = self._limits.seconds
        if seconds is None:
            return
        now = self.clock.elapsed()
        for call in [call for call in self._calls if now - call.began >= seconds]:
            self.abandoned += 1
            call.is_over = True
            self._teller.handler_hangs(seconds, call.one.decision)
            self._finish(call, "timedOut")

    def _finish(self, call: _Call, outcome: Literal["done", "raised", "timedOut"]) -> None:
        decision = call.one.decision
        self._calls.remove(call)
        self._lanes.done(decision.automation)
        handled = Handled(
            decision=decision,
            outcome=outcome,
            waited=call.began - call.one.since,
            took=self.clock.elapsed() - call.began,
        )
        for observer in self._observers:
            observer.handled(handled)
        try:
            if outcome != "done":
                self._give_up(decision)
            self._stepper.dealt_with(decision)
        except Exception as problem:  # noqa: BLE001 - of a journal; nothing may go on
            self._fail(problem)
        self._begin_handlers()
        self._changed.notify_all()

    def _give_up(self, decision: Decision) -> None:
        """Tell the engine that a wake was not delivered."""
        item = not_delivered(decision, self.clock.now())
        if item is not None and self._state != "closed":
            self._act(self._stepper.take(item))
