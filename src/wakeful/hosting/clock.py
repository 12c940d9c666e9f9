"""Clocks: what time it is, and waiting for it.

A runner reads a clock in one place and waits in one place, both through :class:`Clock`, so
that a test can put :class:`wakeful.testing.VirtualClock` there. Lengths of time that are
waited for are seconds of the clock, which need not be seconds of the machine.
"""

import asyncio
import threading
import time
from contextlib import suppress
from typing import Protocol

from wakeful.model.time import SECOND, Duration, Instant


class Clock(Protocol):
    """Where a runner has the time from."""

    def now(self) -> Instant:
        """The wall clock. It may step, in either direction."""

    def elapsed(self) -> float:
        """Seconds since some moment, which never step: for measuring, not for stamping."""

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Return when the event is set or so many seconds have passed, whichever is first."""

    def wait_in_thread(self, event: threading.Event, seconds: float | None) -> None:
        """The same, for who has threads."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> Instant:
        """Milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000

    def elapsed(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Wait for the event, so long at most."""
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)

    def wait_in_thread(self, event: threading.Event, seconds: float | None) -> None:
        """Wait for the event, so long at most."""
        event.wait(seconds)


class ScaledClock:
    """A clock that was set to an instant when it was made, and runs faster or slower.

    For following a recorded log as if it were written now.

    Args:
        origin: What it shows at first.
        speed: How many of its seconds pass in one of the machine's.

    Raises:
        ValueError: The speed is not above nothing.
    """

    def __init__(self, origin: Instant, speed: float = 1.0) -> None:
        if not speed > 0:
            raise ValueError(f"a clock's speed is above 0, not {speed}")
        self._origin = origin
        self._speed = speed
        self._began = time.monotonic()

    def now(self) -> Instant:
        """What it shows."""
        return self._origin + int(self.elapsed() * SECOND)

    def elapsed(self) -> float:
        """Its seconds since it was made."""
        return (time.monotonic() - self._began) * self._speed

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Wait for the event, so many of its seconds at most."""
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), self._real(seconds))

    def wait_in_thread(self, event: threading.Event, seconds: float | None) -> None:
        """Wait for the event, so many of its seconds at most."""
        event.wait(self._real(seconds))

    def _real(self, seconds: float | None) -> float | None:
        return None if seconds is None else seconds / self._speed


class DelayedClock:
    """Another clock, always the same length behind.

    An engine that follows logs lives a little in the past: what was written by now and
    reaches it only in a moment can still be put in order.
    """

    def __init__(self, clock: Clock, delay: Duration) -> None:
        self._clock = clock
        self._delay = delay

    def now(self) -> Instant:
        """What the other clock showed that length ago."""
        return self._clock.now() - self._delay

    def elapsed(self) -> float:
        """As the other clock."""
        return self._clock.elapsed()

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """As the other clock."""
        await self._clock.wait(event, seconds)

    def wait_in_thread(self, event: threading.Event, seconds: float | None) -> None:
        """As the other clock."""
        self._clock.wait_in_thread(event, seconds)
