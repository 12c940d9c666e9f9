"""Where an input stands in the one order of all partitions.

Theory
------
A partition is a log of its own: the instants in it are clamped to their running maximum, so
that they never fall. The order of all inputs is then the merge by ``(instant, partition,
offset)``, which is what ``wakeful replay p0 p1 …`` reads, and what one engine numbers 1, 2, 3.
Nobody counts here, so an input's number is its place itself, written as one whole number:
numbers compare as places do, whatever they are of.

The watermark of a partition is one millisecond before its last instant: what comes next may
stand at that instant, too.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, NamedTuple, Self

from wakeful.model.time import MAX_INSTANT, MIN_INSTANT, Instant

PARTITION_BITS: Final = 16
OFFSET_BITS: Final = 48

MAX_PARTITIONS: Final = 1 << PARTITION_BITS

NEVER: Final[Instant] = MIN_INSTANT - 1
"""Before every instant."""

END_OF_TIME: Final[Instant] = MAX_INSTANT + 1
"""After every instant."""


class Place(NamedTuple):
    """Where an input stands.

    Attributes:
        at: The instant it is taken at: its own, or that of one before it in its partition.
        partition: Which partition it is of, from 0.
        offset: Where in the partition it stands, in whatever the partition counts.
    """

    at: Instant
    partition: int
    offset: int

    @property
    def number(self) -> int:
        """The place as one whole number, at least 1, that compares as places do."""
        rest = self.partition << OFFSET_BITS | self.offset
        return (self.at - NEVER) << (PARTITION_BITS + OFFSET_BITS) | rest

    @classmethod
    def of(cls, number: int) -> Self:
        """The place that a number was written for."""
        rest = number & ((1 << (PARTITION_BITS + OFFSET_BITS)) - 1)
        at = (number >> (PARTITION_BITS + OFFSET_BITS)) + NEVER
        return cls(at, rest >> OFFSET_BITS, rest & ((1 << OFFSET_BITS) - 1))


def shard_of(name: str, shards: int) -> int:
    """Which of that many shards a name belongs to: the same in every process, for ever."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % shards


def watermark_of(instants: Sequence[Instant]) -> Instant:
    """Up to which instant everything is known, the partitions having come to those instants."""
    return min(instants, default=END_OF_TIME) - 1
