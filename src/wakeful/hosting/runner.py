"""The asyncio runner: an engine, a clock and a handler, living in an event loop.

Inputs come in by :meth:`Runner.feed`; wakes go out to the handler; deadlines are one timer,
which looks at the wall clock again at least every 30 seconds. The engine is stepped in the
event loop, by whoever brings an input: a step is microseconds, and so nothing waits in a
queue between an input and its decision. What waits is wakes, for handlers, and there the
backlog is bounded: when it is full, :meth:`Runner.feed` waits, and whoever feeds with it.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Literal, Self, TypeAlias

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

Handler: TypeAlias = Callable[[Decision], Awaitable[object] | object]
"""Acts upon a wake: starts the run, releases it, steers into it. A coroutine function, or a
plain one, which is called in a thread of its own."""

_Outcome: TypeAlias = Literal["done", "raised", "timedOut", "abandoned"]


class Runner:
    """Runs an engine in an event loop.

    >>> import asyncio
    >>> from wakeful import Engine, SessionEvent, read_automation
    >>> engine = Engine([read_automation({
    ...     "id": "failing", "title": "Failing", "message": {"text": "look"}, "triggers": [{
    ...         "id": "t1", "kind": "event", "type": "session", "events": [{"id": "toolFailed"}],
    ...     }]})])
    >>> async def host():
    ...     async def start(wake):
    ...         print(wake.kind, wake.session)
    ...     async with Runner(engine, start) as runner:
    ...         await runner.feed(SessionEvent("toolFailed", "s1", runner.clock.now()))
    ...         await runner.drained()
    >>> asyncio.run(host())
    start s1

    Args:
        engine: The engine; nobody else feeds it from now on. With one that
            writes a journal, decisions are acknowledged and what is outstanding comes first.
        handler: Acts upon wakes.
        clock: The machine's where left out.
        source: Inputs that come with time; :meth:`nudge` says that there are new ones.
        limits: The bounds of handlers.
        run_limit: How long a run may go before it counts as failed, in milliseconds; ``None``
            for as long as it likes.
        listener: Is told every output, as it is given.
        observers: Count or trace what happens; a meter is there anyway.
        trouble: Is told what goes wrong; left out, it is logged to ``wakeful.hosting``.
        live: Says which runs still live after the machine slept; left out, all do.
        asleep_after: How long nobody has looked at the clock for the machine to have slept.
        saved: What an earlier runner left, whose engine this one has, restored. What fell due
            meanwhile is late.

    Attributes:
        clock: The clock.
        engine: The engine.
    """

    def __init__(  # noqa: PLR0913 - all but the first two are named, with defaults
        self,
        engine: DecidingEngine,
        handler: Handler,
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
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._nudged = asyncio.Event()
        self._planned: float = 0.0
        self._timer: asyncio.Task[None] | None = None
        self._state: Literal["new", "running", "failed", "closing", "closed"] = "new"
        self._failure: BaseException | None = None

    async def __aenter__(self) -> Self:
        """Begin: the timer runs from now on."""
        if self._state != "new":
            raise StoppedError("a runner is entered once")
        self._state = "running"
        owed = self._stepper.owed if self._saved is None else self._saved.owed
        self._deal_with(owed)
        if self._saved is not None or self._stepper.journal is not None:
            self._act(self._stepper.resume())
        self._timer = asyncio.create_task(self._keep_time(), name="wakeful deadlines")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # -- inputs -----------------------------------------------------------------------------

    async def feed(self, item: Input) -> list[Output]:
        """Hand in an input; waits while too many wakes wait for their handlers.

        Returns:
            What the engine gave; its wakes are on their way to the handler.

        Raises:
            InputRefusedError: The engine refuses it.
            StoppedError: The runner is not running.
        """
        if not self._lanes.has_room:
            await self._until(lambda: self._lanes.has_room or self._state != "running")
        return self._take(item)

    def feed_nowait(self, item: Input) -> list[Output]:
        """Hand in an input, now or not at all.

        Raises:
            BacklogError: Too many wakes wait for their handlers.
            InputRefusedError: The engine refuses it.
            StoppedError: The runner is not running.
        """
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
        return self._lanes.is_paused

    @property
    def held(self) -> tuple[Decision, ...]:
        """The wakes that are held, in order."""
        return self._lanes.held

    @property
    def owed(self) -> tuple[Decision, ...]:
        """The wakes that no handler is done with, held or not, in order."""
        return self._lanes.owed

    def pause(self) -> None:
        """Hold all wakes from now on, but those that a person pressed for.

        The engine goes on: it counts, times and decides, and an automation whose wake is held
        has a run going, behind which the next wakes skip, fold or wait as it says.
        """
        self._lanes.pause()

    def resume(self, *, discard: bool = False) -> None:
        """Let wakes go again.

        Args:
            discard: Give up what was held: its runs count as not started.
        """
        if discard:
            for decision in self._lanes.discard():
                self._give_up(decision)
        self._lanes.resume()
        self._begin_handlers()

    # -- what there is ------------------------------------------------------------------------

    def metrics(self) -> Metrics:
        """What was counted and measured until now."""
        return self._meter.metrics(
            backlog=self._lanes.waiting,
            held=len(self._lanes.held),
            engine=self.engine.statistics(),
        )

    async def drained(self) -> None:
        """Return when no wake waits for its handler and none is being handled."""
        await self._until(lambda: self._lanes.is_idle or self._state in ("failed", "closed"))

    async def close(self, *, grace: float = 10.0) -> Saved:
        """Stop: no input is taken any more, handlers may finish, then all is saved.

        Args:
            grace: For how many of the clock's seconds handlers may go on.

        Returns:
            The final snapshot, and the wakes that no handler was done with.

        Raises:
            Exception: What the timer died of.
        """
        if self._state in ("new", "running", "failed"):
            self._state = "closing"
            self._changed.set()
            if self._timer is not None:
                self._timer.cancel()
                await asyncio.gather(self._timer, return_exceptions=True)
            deadline = self.clock.elapsed() + grace
            while self._tasks and (left := deadline - self.clock.elapsed()) > 0:
                self._changed.clear()
                await self.clock.wait(self._changed, left)
            owed = self._lanes.owed
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.gather(*self._tasks, return_exceptions=True)
            self._state = "closed"
            self._changed.set()
            self._saved = Saved(
                snapshot=self._snapshot(), owed=owed, going=self._stepper.limits.going
            )
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

    async def _keep_time(self) -> None:
        try:
            while True:
                self._nudged.clear()
                delay = self._stepper.delay
                self._planned = self.clock.elapsed() + delay
                if delay > 0:
                    await self.clock.wait(self._nudged, delay)
                else:
                    await asyncio.sleep(0)
                if not self._lanes.has_room:
                    await self._until(lambda: self._lanes.has_room)
                self._act(self._stepper.look())
        except Exception as problem:  # noqa: BLE001 - told by whoever asks for anything next
            self._fail(problem)

    def _take(self, item: Input) -> list[Output]:
        if self._state != "running":
            raise StoppedError("the runner does not run") from self._failure
        outputs = self._stepper.take(item)
        if outputs:
            self._act(outputs)
        if self.clock.elapsed() + self._stepper.delay < self._planned:
            self._nudged.set()
        return outputs

    def _fail(self, problem: Exception) -> None:
        """Take no input any more: whoever asks for anything next is told why."""
        self._failure = self._failure or problem
        if self._state == "running":
            self._state = "failed"
        self._changed.set()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._changed.clear()
            await self._changed.wait()

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
        if self._state != "running":
            return
        while (one := self._lanes.take()) is not None:
            task = asyncio.create_task(self._handle(one), name=f"wake of {one.decision.automation}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _handle(self, one: Waiting[Decision]) -> None:
        decision = one.decision
        began = self.clock.elapsed()
        outcome: _Outcome = "abandoned"
        try:
            with ExitStack() as stack:
                for observer in self._observers:
                    stack.enter_context(observer.handling(decision))
                outcome = await self._call(decision)
        finally:
            handled = Handled(
                decision=decision,
                outcome=outcome,
                waited=began - one.since,
                took=self.clock.elapsed() - began,
            )
            for observer in self._observers:
                observer.handled(handled)
            self._lanes.done(decision.automation)
            try:
                if outcome in ("raised", "timedOut"):
                    self._give_up(decision)
                if outcome != "abandoned":
                    self._stepper.dealt_with(decision)
            except Exception as problem:  # noqa: BLE001 - of a journal; nothing may go on
                self._fail(problem)
            self._begin_handlers()
            self._changed.set()

    async def _call(self, decision: Decision) -> _Outcome:
        """Call the handler, for as long as it may take."""
        over = asyncio.Event()
        task = asyncio.ensure_future(self._work(decision))
        task.add_done_callback(lambda _: over.set())
        try:
            await self.clock.wait(over, self._limits.seconds)
            if not task.done():
                self._teller.handler_hangs(self._limits.seconds, decision)
                return "timedOut"
            problem = task.exception()
            if problem is not None:
                self._teller.handler_raised(problem, decision)
                return "raised"
            return "done"
        finally:
            if not task.done():
                task.cancel()

    async def _work(self, decision: Decision) -> None:
        if iscoroutinefunction(self._handler):
            await self._handler(decision)
            return
        given = await _in_thread(self._handler, decision)
        if isinstance(given, Awaitable):
            await given

    def _give_up(self, decision: Decision) -> None:
        """Tell the engine that a wake was not delivered."""
        item = not_delivered(decision, self.clock.now())
        if item is not None and self._state != "closed":
            self._act(self._stepper.take(item))


async def _in_thread(function: Handler, decision: Decision) -> object:
    """Call a plain function in a thread that nobody waits for once it is given up.

    Not a pool's: one call that hangs would hold the pool, and the end of the program.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[object] = loop.create_future()

    def settle(problem: BaseException | None, given: object) -> None:
        if result.done():
            return
        if problem is None:
            result.set_result(given)
        else:
            result.set_exception(problem)

    def work() -> None:
        problem: BaseException | None = None
        given: object = None
        try:
            given = function(decision)
        except BaseException as raised:  # noqa: BLE001 - it is the caller's, on the other side
            problem = raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, problem, given)

    threading.Thread(target=work, name=f"wake of {decision.automation}", daemon=True).start()
    return await result
