"""Runs that settle by themselves, in order of deadline (semantics 1.6, ``--run-time D``)."""

from heapq import heappop, heappush

from wakeful.core.runs import Run
from wakeful.model.time import Instant


class Settling:
    """A queue of runs by deadline, then by the input that started them, then by definition order.

    A run that a record settled first stays in the queue and is passed over when it comes up.
    """

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        self._heap: list[tuple[Instant, int, int, int, str, Run]] = []

    def add(self, run: Run, deadline: Instant, *, sequence: int, order: int) -> None:
        """Arm a run's deadline; O(log n)."""
        heappush(self._heap, (deadline, sequence, order, run.number, run.automation, run))

    @property
    def next(self) -> Instant | None:
        """The earliest deadline of a run that is still going."""
        heap = self._heap
        while heap and heap[0][-1].outcome is not None:
            heappop(heap)
        return heap[0][0] if heap else None

    def pop(self, at: Instant) -> tuple[Instant, int, Run] | None:
        """The first run due by ``at`` that is still going, with its deadline and input number."""
        due = self.next
        if due is None or due > at:
            return None
        deadline, sequence, _, _, _, run = heappop(self._heap)
        return deadline, sequence, run
