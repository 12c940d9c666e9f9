"""Records of one file in order: the reorder window.

A file's records are given in the order of their instants as long as none comes more than
the window after a later one. One that does keeps the place it has in the file, so it is
*late*: what was given before it is not taken back. A record without an instant stands at
the instant of those before it, and so never moves the clock.
"""

from collections import deque
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Final

from wakeful.logs.reader import Record
from wakeful.model.time import Duration, Instant

BEFORE_ALL: Final[Instant] = -(1 << 62)
"""The place of a record without an instant that comes before any with one."""

AFTER_ALL: Final[Instant] = 1 << 62


class Window:
    """Holds a file's records back until nothing can come before them any more.

    Attributes:
        length: How long they are held, in milliseconds.
        latest: The latest instant that was put in.
    """

    __slots__ = ("_heap", "_number", "_plain", "latest", "length")

    def __init__(self, length: Duration) -> None:
        self.length = length
        self.latest = BEFORE_ALL
        self._heap: list[tuple[Instant, int, Record]] = []
        self._plain: deque[tuple[Instant, Record]] = deque()
        self._number = 0

    def __len__(self) -> int:
        return len(self._heap) + len(self._plain)

    def put(self, records: Iterable[Record]) -> None:
        """Put records in, in the order of the file. O(log n) in what is held."""
        for record in records:
            at = self.latest if record.at is None else record.at
            self.latest = max(self.latest, at)
            if self.length:
                self._number += 1
                heappush(self._heap, (at, self._number, record))
            else:
                self._plain.append((self.latest, record))

    def take(self, *, ended: bool = False) -> tuple[Instant, Record] | None:
        """The next record, if nothing can come before it; any, when the file has ended."""
        if self._plain:
            return self._plain.popleft()
        if self._heap and (ended or self._heap[0][0] <= self.latest - self.length):
            at, _, record = heappop(self._heap)
            return at, record
        return None

    def take_until(self, instant: Instant) -> Iterable[tuple[Instant, Record]]:
        """Those that stand at or before an instant, whether or not others may come."""
        while self._plain and self._plain[0][0] <= instant:
            yield self._plain.popleft()
        while self._heap and self._heap[0][0] <= instant:
            at, _, record = heappop(self._heap)
            yield at, record
