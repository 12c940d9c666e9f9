"""Partitions that are files, read in chunks by a source that Flink can start over.

Flink's own file source tells neither a line's offset nor its file, and a place needs both. So
the source is a sequence of numbers, and for each the reader takes the next chunk of its file
from where it was: where that is, and what was clamped, is state beside the source's. A chunk
is one message to each shard it has lines for, which is what makes Python fast enough here.

What is sent of a chunk carries the chunk's first instant, and the last message its last: the
watermark, one millisecond before what passed, then never overtakes a message of its own chunk.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
from pyflink.common import Types
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

from wakeful.distributed.codec import Control, Lines, pack, pack_json, unpack_json
from wakeful.distributed.partitions import Dealing, Partition, Progress
from wakeful.distributed.places import NEVER

MESSAGE: Final = Types.TUPLE([Types.STRING(), Types.LONG(), Types.PRIMITIVE_ARRAY(Types.BYTE())])
"""What passes between operators: whom it is for, the instant it carries, and the message."""

EVERYBODY: Final = "*"
NOBODY: Final = "-"

Message = tuple[str, int, bytes]

_POLL: Final = 0.01
"""How long a reader waits where a file has not grown, in seconds.

About ten numbers are under way at once, and a checkpoint comes after those.
"""

_WEIGHT: Final = 32 * 1024
"""How much a number weighs on the wire: so much that few are under way at once."""


def weighty(number: int) -> str:
    """A number of the source, as it goes to a reader."""
    return f"{number:0{_WEIGHT}d}"


@attrs.frozen(kw_only=True)
class Source:
    """One partition that is a file of native log lines.

    Attributes:
        number: Which partition it is, from 0.
        path: The file, on a disk that every task manager sees.
        chunk: How much of it is read at once, in bytes.
        follow: Whether to go on for ever as it grows. Otherwise what was there at the start is
            read, and the partition has ended.
        pace: How long to wait before each chunk, in milliseconds: for trying things out.
    """

    number: int
    path: str
    chunk: int = 1 << 18
    follow: bool = False
    pace: int = 0


class ReadChunks(KeyedProcessFunction):  # type: ignore[misc]
    """Reads the next chunk of a file for each number that comes."""

    def __init__(self, source: Source, dealing: Dealing) -> None:
        self._source = source
        self._dealing = dealing
        self._partition: Partition | None = None
        self._position = self._limit = self._size = 0

    def open(self, runtime_context: Any) -> None:
        """Called by Flink before anything else."""
        kind = Types.PICKLED_BYTE_ARRAY()
        self._state = runtime_context.get_state(ValueStateDescriptor("progress", kind))
        self._unread = runtime_context.get_metrics_group().counter("unread")

    def process_element(self, _value: Any, _ctx: Any) -> Iterator[Message]:
        """A number came."""
        source = self._source
        partition = self._partition or self._restore()
        lines = self._read()
        if source.pace or (source.follow and not lines):
            time.sleep(source.pace / 1_000 or _POLL)
        unread = partition.progress.unread
        before = partition.progress.at
        dealt = list(partition.deal(lines))
        if not source.follow and self._size <= self._position and self._limit >= self._size:
            dealt.append(partition.end())
        for _ in range(partition.progress.unread - unread):
            self._unread.inc()
        progress = attrs.asdict(partition.progress)
        self._state.update(pack_json([self._position, self._limit, self._size, progress]))
        return messages_of(dealt, before, partition.progress.at)

    def _restore(self) -> Partition:
        kept = self._state.value()
        progress = None
        if kept is None:
            self._size = Path(self._source.path).stat().st_size
        else:
            self._position, self._limit, self._size, progress = unpack_json(
                kept, tuple[int, int, int, Progress]
            )
        made = self._partition = Partition(self._source.number, self._dealing, progress)
        return made

    def _read(self) -> list[tuple[int, bytes]]:
        """The lines of the next chunk, each with the byte it begins at."""
        source, start = self._source, self._position
        self._limit += source.chunk
        size = source.chunk if source.follow else min(self._limit, self._size) - start
        if size <= 0:
            return []
        with Path(source.path).open("rb") as file:
            file.seek(start)
            data = file.read(size)
            ends_here = not source.follow and start + len(data) >= self._size
            if not ends_here and not data.endswith(b"\n") and len(data) == size:
                data += file.readline()
        if not ends_here:
            data = data[: data.rfind(b"\n") + 1]
        self._position = start + len(data)
        lines = []
        for line in data.splitlines(keepends=True):
            lines.append((start, line.rstrip(b"\r\n")))
            start += len(line)
        return lines


def chunks(source: Source) -> int:
    """How many numbers it takes to read a file, or to follow it."""
    if source.follow:
        return 1 << 61
    return Path(source.path).stat().st_size // source.chunk + 1


def messages_of(
    dealt: list[tuple[str, Lines] | Control], before: int, after: int
) -> Iterator[Message]:
    """What a partition dealt out, as messages; the last one carries the instant it came to."""
    at = max(before, NEVER)
    for one in dealt:
        if isinstance(one, Control):
            yield EVERYBODY, at, pack(one)
        else:
            yield one[0], at, pack(one[1])
    if after > NEVER:
        yield NOBODY, after, b""


class CarriedInstant(TimestampAssigner):  # type: ignore[misc]
    """The instant that a message carries."""

    def extract_timestamp(self, value: Message, _record_timestamp: int) -> int:
        """Asked by Flink of every message."""
        return value[1]
