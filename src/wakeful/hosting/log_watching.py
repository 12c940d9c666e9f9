"""Looking at logs as soon as they grow.

The kernel's word is only ever a reason to look. All logs are looked at every few seconds
whatever it says: it does not tell of a folder that was made a moment ago, of a file on the
network, or of anything when it has too much to watch.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from watchfiles import Change, awatch

from wakeful.hosting.following import LogFollower

SCAN_EVERY: Final = 2.0
"""Seconds between two looks at everything."""

_DEBOUNCE: Final = 50
_STEP: Final = 10


async def watch_logs(
    follower: LogFollower, looked: Callable[[], None], stop: asyncio.Event
) -> None:
    """Look at what changes until ``stop`` is set.

    Args:
        follower: Looks at the files.
        looked: Is called after each look; such as a runner's ``nudge``.
        stop: Ends it.
    """
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_scan(follower, looked, stop))
        tasks.create_task(_listen(follower, looked, stop))


async def _scan(follower: LogFollower, looked: Callable[[], None], stop: asyncio.Event) -> None:
    while not stop.is_set():
        follower.scan()
        looked()
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), SCAN_EVERY)


async def _listen(follower: LogFollower, looked: Callable[[], None], stop: asyncio.Event) -> None:
    while not stop.is_set():
        armed = _there(follower)
        try:
            if not armed:
                raise FileNotFoundError
            async for changes in awatch(
                *armed,
                watch_filter=_anything,
                debounce=_DEBOUNCE,
                step=_STEP,
                stop_event=stop,
                rust_timeout=1_000,
                yield_on_timeout=True,
            ):
                if changes:
                    follower.look_at(sorted({Path(path) for _, path in changes}))
                    looked()
                if _there(follower) != armed:
                    break  # a folder has come that was not there
        except OSError:
            # Too much to watch, or none of it there any more: the scans go on.
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), SCAN_EVERY)


def _anything(_change: Change, _path: str) -> bool:
    return True


def _there(follower: LogFollower) -> set[Path]:
    """The roots that are there. What is above the others is nobody's to watch."""
    return {root for root in follower.roots if root.exists()}
