"""One stream of inputs and matches in order, out of many sorted files."""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush, heapreplace
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from wakeful.core.deciding import Placed
from wakeful.core.statistics import Pending
from wakeful.model.outputs import Match
from wakeful.replay.parallel.frames import FrameReader, Row, placed_of_row

_Head: TypeAlias = tuple[tuple[object, ...], int, Row, Iterator[Row]]
"""A stream's first row, by its place, then by the stream."""


class Merging:
    """Merges files of rows under their places; more may be added on the way.

    What is added for an automation is the truth about it from then on: its matches in files
    from before are passed over.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._readers: list[FrameReader] = []
        self._heads: list[_Head] = []
        self._truth: dict[str, int] = {}
        self._open(files)

    def add(self, files: Iterable[Path], *, automation: str | None = None) -> None:
        """Merge these files, too; for an automation, its matches of them alone from here on."""
        if automation is not None:
            self._truth[automation] = len(self._readers)
        self._open(files)

    def __iter__(self) -> Iterator[Placed]:
        heads = self._heads
        while heads:
            _, stream, row, rows = heads[0]
            following = next(rows, None)
            if following is None:
                heappop(heads)
            else:
                heapreplace(heads, (following[0], stream, following, rows))
            key, what = placed_of_row(row)
            if not isinstance(what, Match) or self._is_true(what.automation, stream):
                yield key, what

    def pending(self) -> Iterator[Pending]:
        """What waits at the end, by file; nothing before all of it was merged."""
        for stream, reader in enumerate(self._readers):
            for pending in reader.end[1:]:
                if self._is_true(pending.automation, stream):
                    yield pending

    def held(self) -> tuple[int, int]:
        """The most hits and waits that were kept at once at the most, all parts together."""
        ends = [reader.end[0] for reader in self._readers if reader.end]
        return sum(hits for hits, _ in ends), sum(waits for _, waits in ends)

    def _open(self, files: Iterable[Path]) -> None:
        for file in files:
            reader = FrameReader(file)
            rows = chain.from_iterable(reader.frames())
            first = next(rows, None)
            if first is not None:
                heappush(self._heads, (first[0], len(self._readers), first, rows))
            self._readers.append(reader)

    def _is_true(self, automation: str, stream: int) -> bool:
        return stream >= self._truth.get(automation, 0)
