"""Runs that settle by themselves, in order of deadline (semantics 1.6, ``--run-time D``)."""

from heapq import heapify, heappop, heappush
from operator import itemgetter
from typing import Any, Final

from wakeful.core.plain import save_key
from wakeful.core.runs import Run
from wakeful.model.outputs import OrderKey
from wakeful.model.time import Duration, Instant

_RANK: Final = 1
"""Runs settle after the waits of their instant, before its occurrences (semantics 1.6)."""

_AFTER_INPUT: Final = 2**32 + 1
"""The first part of an order after all that an input brings, and after its waits of ``0s``."""


class Settling:
    """A queue of runs by deadline, then by the input that started them, then by definition order.

    A run that a record settled first stays in the queue and is passed over when it comes up.
    A run without length that an input started is due at the instant of that input, after all
    that the input brings; every other is due before the inputs of its instant (semantics 1.5).
    """

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        self._heap: list[tuple[OrderKey, str, Run]] = []

    def add(self, run: Run, length: Duration, *, started: OrderKey, order: int) -> None:
        """Arm the deadline of a run that started at ``started``; O(log n).

        Args:
            run: The run.
            length: How long it lasts, in milliseconds.
            started: The place of its start.
            order: Its automation's place.
        """
        at, place = started.at + length, (order, run.number)
        if length or not started.fed:
            key = OrderKey(at, 0, _RANK, started.sequence, place)
        else:
            key = OrderKey(at, 1, 0, started.sequence, (_AFTER_INPUT, *place))
        heappush(self._heap, (key, run.automation, run))

    def state(self) -> list[list[Any]]:
        """The deadlines of runs that are still going, in order, as plain data."""
        return [
            [save_key(key), automation, run.number]
            for key, automation, run in sorted(self._heap, key=itemgetter(0, 1))
            if run.outcome is None
        ]

    def restore(self, key: OrderKey, run: Run) -> None:
        """Arm the deadline of a run again, as :meth:`state` told it."""
        heappush(self._heap, (key, run.automation, run))

    def forget(self, automation: str) -> None:
        """Pass over an automation's runs; O(n)."""
        self._heap = [one for one in self._heap if one[1] != automation]
        heapify(self._heap)

    @property
    def next(self) -> Instant | None:
        """The earliest deadline of a run that is still going."""
        place = self.next_place
        return None if place is None else place.at

    @property
    def next_place(self) -> OrderKey | None:
        """The place of the first end of a run that is still going."""
        heap = self._heap
        while heap and heap[0][-1].outcome is not None:
            heappop(heap)
        return heap[0][0] if heap else None

    def pop(self, at: Instant) -> tuple[OrderKey, Run] | None:
        """The first run due by ``at`` that is still going, and the place of its end."""
        due = self.next
        if due is None or due > at:
            return None
        key, _, run = heappop(self._heap)
        return key, run
