"""Partitions that are a message queue's: each record with its partition and offset.

For Kafka and the like, whose own connector reads them and gives watermarks that hold for each
partition. A record is a message to its shard by itself, so this is slower than files in chunks.
"""

from collections.abc import Iterator
from typing import Any

import attrs
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

from wakeful.distributed.codec import pack_json, unpack_json
from wakeful.distributed.flink.operators import NO_MORE
from wakeful.distributed.flink.reading import Message, messages_of
from wakeful.distributed.partitions import Dealing, Partition, Progress
from wakeful.distributed.places import NEVER

Record = tuple[int, int, bytes]
"""A partition, an offset in it, and a line of a native log."""


class DealRecords(KeyedProcessFunction):  # type: ignore[misc]
    """Deals out the records of each partition."""

    def __init__(self, dealing: Dealing) -> None:
        self._dealing = dealing

    def open(self, runtime_context: Any) -> None:
        """Called by Flink before anything else."""
        kind = Types.PICKLED_BYTE_ARRAY()
        self._state = runtime_context.get_state(ValueStateDescriptor("progress", kind))
        self._unread = runtime_context.get_metrics_group().counter("unread")
        self._partitions: dict[int, Partition] = {}

    def process_element(self, value: Record, ctx: Any) -> Iterator[Message]:
        """A record came."""
        number, offset, line = value
        partition = self._partition(number)
        before, unread = partition.progress.at, partition.progress.unread
        dealt = list(partition.deal([(offset, bytes(line))]))
        if partition.progress.unread > unread:
            self._unread.inc()
        self._state.update(pack_json(attrs.asdict(partition.progress)))
        # The last watermark is where a partition ends that does.
        watermark = ctx.timer_service().current_watermark()
        ctx.timer_service().register_event_time_timer(max(watermark + 1, NEVER))
        return messages_of(dealt, before, partition.progress.at)

    def on_timer(self, _timestamp: int, ctx: Any) -> Iterator[Message]:
        """The watermark passed on."""
        watermark = ctx.timer_service().current_watermark()
        if watermark < NO_MORE:
            ctx.timer_service().register_event_time_timer(max(watermark + 1, NEVER))
            return iter(())
        partition = self._partition(ctx.get_current_key())
        return messages_of([partition.end()], partition.progress.at, partition.progress.at)

    def _partition(self, number: int) -> Partition:
        partition = self._partitions.get(number)
        if partition is None:
            kept = self._state.value()
            progress = None if kept is None else unpack_json(kept, Progress)
            partition = self._partitions[number] = Partition(number, self._dealing, progress)
        return partition
