"""What concerns everybody, as a log that everybody has: definitions, grants, types.

Every shard and gate takes the same lines in the same order, each at its own pace: so the log is
kept whole, and whoever is restored takes it from the beginning up to where it was. It holds one
entry for each line ever given, which is one for each time somebody wrote a definition; its
version is how many there are.

The ends of partitions are in it as well: the last of them is where the log of all inputs ends.
"""

from bisect import bisect_right, insort
from collections.abc import Callable
from typing import Final

import attrs

from wakeful.distributed.codec import Control, pack_json, unpack, unpack_json
from wakeful.distributed.places import Place
from wakeful.logs.native import NativeReader
from wakeful.logs.reader import Origin
from wakeful.model.events import Input, Resumed
from wakeful.model.time import Instant

_INDEX: Final = "index"
_HERE: Final = Origin("")


class ControlLog:
    """The log, and where it is kept.

    Attributes:
        entries: What there is, by number.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[int, Input]] = []
        self._counts: dict[str, int] = {}
        self._ends: dict[int, int] = {}
        self._reader = NativeReader()

    # -- what there is --------------------------------------------------------------------

    @property
    def version(self) -> int:
        """How many entries there are."""
        return len(self.entries)

    def between(self, after: Instant, until: Instant) -> list[tuple[int, Input]]:
        """The entries that stand after one instant and not after another."""
        first = bisect_right(self.entries, _last_of(after), key=_number)
        last = bisect_right(self.entries, _last_of(until), key=_number)
        return self.entries[first:last]

    def resumed_after(self, instant: Instant) -> list[int]:
        """The numbers of each ``resumed`` that is known and stands after an instant, rising."""
        first = bisect_right(self.entries, _last_of(instant), key=_number)
        return [number for number, item in self.entries[first:] if isinstance(item, Resumed)]

    @property
    def end(self) -> int:
        """The number of the last input of all, as far as partitions have ended; or 0."""
        return max(self._ends.values(), default=0)

    # -- what is kept ---------------------------------------------------------------------

    def add(self, data: bytes, keep: Callable[[str, bytes], None]) -> None:
        """Take an entry, and keep it under a name of its own.

        Raises:
            SnapshotError: It is of another version.
        """
        control = unpack(data, Control)
        if self._take(control):
            partition = str(control.partition)
            self._counts[partition] = max(self._counts.get(partition, 0), control.ordinal + 1)
            keep(f"{partition}/{control.ordinal}", data)
            keep(_INDEX, pack_json(self._counts))

    def load(self, get: Callable[[str], bytes | None]) -> None:
        """Take what was kept, in place of what there is.

        Raises:
            SnapshotError: It is of another version.
        """
        index = get(_INDEX)
        self.entries.clear()
        self._ends.clear()
        self._counts = {} if index is None else unpack_json(index, dict[str, int])
        for partition, count in self._counts.items():
            for ordinal in range(count):
                data = get(f"{partition}/{ordinal}")
                if data is not None:
                    self._take(unpack(data, Control))

    def _take(self, control: Control) -> bool:
        if not control.line:
            began = control.offset >= 0
            place = Place(control.at, control.partition, control.offset)
            self._ends[control.partition] = place.number if began else 0
            return True
        number = Place(control.at, control.partition, control.offset).number
        at = bisect_right(self.entries, number, key=_number)
        if at and self.entries[at - 1][0] == number:
            return False
        item = decode(self._reader, control.line, control.at)
        if item is not None:
            insort(self.entries, (number, item), key=_number)
        return True


def decode(reader: NativeReader, line: bytes, at: Instant) -> Input | None:
    """A line that a partition dealt out, as the input it is, at the instant it stands at."""
    for item in reader.decode(line, _HERE):
        return item if item.at == at else _at(item, at)
    return None


def _at(item: Input, at: Instant) -> Input:
    return attrs.evolve(item, at=at)


def _last_of(instant: Instant) -> int:
    """A number above all that stand at an instant, and below all that stand after it."""
    return Place(instant + 1, 0, 0).number - 1


def _number(entry: tuple[int, Input]) -> int:
    return entry[0]
