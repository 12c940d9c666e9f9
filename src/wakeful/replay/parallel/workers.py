"""Who does the tasks: processes of this machine, or a Dask cluster; any executor.

A task that was done has left its result, so whoever dies takes nothing along but time: what
is left is handed out again, to a new pool where the old one broke, until a few times in a row
nothing at all was done.
"""

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
    wait,
)
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from types import TracebackType
from typing import Final, Self, TypeVar

from wakeful.errors import WakefulError

TRIES: Final = 4
"""How often in a row nothing may get done before it is given up."""

_ANSWER_WITHIN: Final = "10s"
_END_WITHIN: Final = 10.0
"""Seconds."""

T = TypeVar("T")


class WorkersError(WakefulError):
    """Workers cannot be had, or again and again get nothing done."""


class Workers:
    """Runs tasks in an executor, and again where a worker died.

    Args:
        make: Makes an executor; called again where one broke.
        count: How many tasks it runs at a time.
        release: Called when the workers are let go.

    Attributes:
        count: As it was given.
    """

    def __init__(
        self,
        make: Callable[[], Executor],
        *,
        count: int,
        release: Callable[[], object] = lambda: None,
    ) -> None:
        self.count = count
        self._make = make
        self._release = release
        self._executor: Executor | None = None
        self._given: tuple[Future[object], ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(self, function: Callable[[T], object], tasks: Iterable[T]) -> None:
        """Run a function with each of the tasks, at least once; in no order.

        Raises:
            WorkersError: So many times in a row no task was done; the cause is what it raised.
        """
        left = list(tasks)
        fruitless = 0
        while left:
            failed, problem = self._run_once(function, left)
            fruitless = fruitless + 1 if len(failed) == len(left) else 0
            if problem is not None and fruitless == TRIES:
                raise WorkersError(
                    f"{len(failed)} of the parts could not be matched in {TRIES} tries: {problem!r}"
                ) from problem
            left = failed

    def wait(self) -> None:
        """Wait a while for tasks that still run after :meth:`run` was interrupted."""
        wait(self._given, timeout=_END_WITHIN)

    def close(self) -> None:
        """Let the workers go, when they are done with what they are at."""
        self._let_go()
        self._release()

    def _let_go(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True)

    def _run_once(
        self, function: Callable[[T], object], tasks: list[T]
    ) -> tuple[list[T], Exception | None]:
        """Hand out each task once; those that failed, and what one of them raised."""
        if self._executor is None:
            self._executor = self._make()
        given: dict[Future[object], T] = {}
        failed: list[T] = []
        problem: Exception | None = None
        with _interrupts_held():
            for task in tasks:
                try:
                    given[self._executor.submit(function, task)] = task
                except BrokenExecutor as error:
                    failed.append(task)
                    problem = error
        self._given = tuple(given)
        try:
            for future in as_completed(given):
                try:
                    future.result()
                except Exception as error:  # noqa: BLE001 - whatever a task or a cluster raises
                    failed.append(given[future])
                    problem = error
        finally:
            for future in given:
                future.cancel()
        if isinstance(problem, BrokenExecutor):
            self._let_go()
        return failed, problem


def processes(count: int) -> Workers:
    """So many processes of this machine.

    They are begun afresh and import what they need, so that a program which uses them has to
    be one that can be imported (``if __name__ == "__main__":``).
    """
    make = partial(
        ProcessPoolExecutor, count, mp_context=get_context("spawn"), initializer=_ignore_interrupts
    )
    return Workers(make, count=count)


def dask(address: str) -> Workers:
    """The workers of a Dask cluster, which have to see this machine's temporary folder.

    Args:
        address: The scheduler's, such as ``tcp://host:8786``.

    Raises:
        WorkersError: Dask is not installed, nobody answers there, or there are no workers.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError:
        raise WorkersError(
            "Dask is not installed: pip install 'wakeful[dask]', here and on its workers"
        ) from None
    try:
        client = Client(address, set_as_default=False, timeout=_ANSWER_WITHIN)
    except (OSError, ValueError) as error:
        raise WorkersError(f"no Dask scheduler answers at {address}: {error}") from None
    count = sum(client.nthreads().values())
    if not count:
        client.close()
        raise WorkersError(f"the Dask scheduler at {address} has no workers")
    # What failed is handed out again here, as a task of its own: Dask would remember the failure.
    make = partial(client.get_executor, pure=False)
    return Workers(make, count=count, release=client.close)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back for as long as this lasts; processes begun meanwhile never see it.

    Else one that is just beginning would die of it, and say so at length.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which every process of a terminal gets, to whoever began the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
