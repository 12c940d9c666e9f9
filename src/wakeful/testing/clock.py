"""A clock that a test moves, or that moves by itself as soon as everybody waits for it."""

import asyncio
import threading
import time
from itertools import count
from math import ceil
from typing import Final

import attrs

from wakeful.model.time import SECOND, Duration, Instant

_ROUNDS: Final = 10
"""How often an event loop goes round without anybody coming to wait, for it to be idle."""

_POLL: Final = 0.001
"""How often a thread that waits looks whether the clock was moved, in seconds of the machine."""


@attrs.define(eq=False)
class _Sleeper:
    """Somebody who waits for the clock."""

    deadline: Instant
    woken: asyncio.Event | None = None


class VirtualClock:
    """A clock for tests; a :class:`wakeful.hosting.Clock`.

    Time stands still until the test moves it, or, with ``autojump``, until everybody waits for
    it: then it jumps to the first instant that somebody waits for, so that a test over hours
    takes milliseconds. Whoever waits for anything but this clock while it jumps (a process, a
    socket, ``asyncio.sleep``) is overtaken; use :meth:`sleep` in what is tested.

    >>> import asyncio
    >>> async def nap():
    ...     clock = VirtualClock(autojump=0)
    ...     await clock.sleep(8 * 3_600)
    ...     return clock.now()
    >>> asyncio.run(nap())
    28800000

    Args:
        at: What it shows at first, in milliseconds since 1970.
        autojump: For how many seconds of the machine nothing has to happen before it jumps;
            0: as soon as the event loop is idle. ``None``: it does not jump by itself.

    Attributes:
        waits: How often somebody has begun to wait for it: a busy loop shows here.
    """

    def __init__(self, at: Instant = 0, *, autojump: float | None = None) -> None:
        self.waits = 0
        self._autojump = autojump
        self._elapsed: Duration = 0
        self._offset: Instant = at
        self._sleepers: list[_Sleeper] = []
        self._lock = threading.RLock()
        self._changes = count()
        self._changed = 0
        self._jumping: asyncio.Task[None] | None = None

    def now(self) -> Instant:
        """The wall clock."""
        return self._offset + self._elapsed

    def elapsed(self) -> float:
        """Seconds that have passed; :meth:`step` changes nothing here."""
        return self._elapsed / SECOND

    def step(self, by: Duration) -> None:
        """Set the wall clock, forwards or back, as when a machine sleeps or somebody sets it.

        No time passes for those who wait: a suspended machine does not count its sleep.
        """
        self._offset += by

    async def advance(self, by: Duration) -> None:
        """Let so many milliseconds pass, and all who wait do what they have to on the way."""
        goal = self._elapsed + by
        await self._settle()
        while (deadline := self._next()) is not None and deadline <= goal:
            self._move(deadline)
            await self._settle()
        self._move(goal)
        await self._settle()

    def advance_in_thread(self, by: Duration) -> None:
        """Let so many milliseconds pass for threads that wait; returns at once."""
        with self._lock:
            self._move(self._elapsed + by)

    async def sleep(self, seconds: float) -> None:
        """Wait for so many of its seconds."""
        await self.wait(asyncio.Event(), seconds)

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Return when the event is set or so many of its seconds have passed."""
        self.waits += 1
        if seconds is None:
            await event.wait()
            return
        if event.is_set() or seconds <= 0:
            await asyncio.sleep(0)
            return
        sleeper = _Sleeper(self._elapsed + ceil(seconds * SECOND), asyncio.Event())
        assert sleeper.woken is not None  # noqa: S101 - given above
        self._come(sleeper)
        if self._autojump is not None and (self._jumping is None or self._jumping.done()):
            self._jumping = asyncio.get_running_loop().create_task(self._jump(self._autojump))
        either = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(sleeper.woken.wait())]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._go(sleeper)
            for one in either:
                one.cancel()

    def wait_in_thread(self, event: threading.Event, seconds: float | None) -> None:
        """The same, for threads."""
        self.waits += 1
        if seconds is None:
            event.wait()
            return
        sleeper = _Sleeper(self._elapsed + ceil(seconds * SECOND))
        self._come(sleeper)
        seen, since = self._changed, time.monotonic()
        try:
            while self._elapsed < sleeper.deadline and not event.wait(_POLL):
                if self._changed != seen:
                    seen, since = self._changed, time.monotonic()
                elif self._autojump is not None and (
                    time.monotonic() - since > max(self._autojump, 5 * _POLL)
                ):
                    with self._lock:
                        if self._changed == seen and self._next() == sleeper.deadline:
                            self._move(sleeper.deadline)
        finally:
            self._go(sleeper)

    # -- moving ------------------------------------------------------------------------------

    def _come(self, sleeper: _Sleeper) -> None:
        with self._lock:
            self._changed = next(self._changes)
            self._sleepers.append(sleeper)

    def _go(self, sleeper: _Sleeper) -> None:
        with self._lock:
            self._changed = next(self._changes)
            self._sleepers.remove(sleeper)

    def _next(self) -> Instant | None:
        waiting = [one.deadline for one in self._sleepers if one.deadline > self._elapsed]
        return min(waiting, default=None)

    def _move(self, to: Instant) -> None:
        self._elapsed = max(self._elapsed, to)
        for sleeper in self._sleepers:
            if sleeper.deadline <= self._elapsed and sleeper.woken is not None:
                sleeper.woken.set()

    async def _settle(self) -> None:
        """Let the event loop go round until nobody comes or goes any more."""
        seen, rounds = self._changed, 0
        while rounds < _ROUNDS:
            await asyncio.sleep(0)
            rounds += 1
            if self._changed != seen:
                seen, rounds = self._changed, 0

    async def _jump(self, idle: float) -> None:
        while True:
            seen = self._changed
            if idle > 0:
                await asyncio.sleep(idle)
                if self._changed != seen:
                    continue
            else:
                await self._settle()
            deadline = self._next()
            if deadline is None:
                return
            self._move(deadline)
