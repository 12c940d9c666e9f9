"""The job: partitions in, decisions out."""

from collections.abc import Sequence
from typing import Any

import attrs
from pyflink.common import Encoder, Types, WatermarkStrategy
from pyflink.datastream import DataStream, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from wakeful.core.settings import Settings
from wakeful.distributed.flink.operators import (
    CONTROLS,
    DecideAtGates,
    MatchInShards,
    is_notice,
)
from wakeful.distributed.flink.reading import (
    EVERYBODY,
    MESSAGE,
    NOBODY,
    CarriedInstant,
    Message,
    ReadChunks,
    Source,
    chunks,
    weighty,
)
from wakeful.distributed.flink.records import DealRecords, Record
from wakeful.distributed.partitions import Dealing

_KEY_GROUPS = 128
"""How finely keys may be spread; like the dealing, fixed for the life of a job's state."""


@attrs.frozen(kw_only=True)
class Fleet:
    """A fleet: what is to be equal in every submission of one job.

    Attributes:
        dealing: How sessions and automations are dealt out.
        settings: As for an engine. Definitions are inputs, so there are none here.
    """

    dealing: Dealing = attrs.Factory(Dealing)
    settings: Settings = attrs.Factory(Settings)

    def decide(self, env: StreamExecutionEnvironment, sources: Sequence[Source]) -> DataStream:
        """Read files and decide: a stream of lines, decisions and notices.

        Args:
            env: Where the job is put together; its parallelism is that of shards and gates.
            sources: The partitions, numbered from 0.
        """
        parallelism = env.get_parallelism()
        env.set_max_parallelism(_KEY_GROUPS)
        # What reads a partition has one subtask: so its operators, some of which are made
        # between the lines, are made while that is the default.
        env.set_parallelism(1)
        streams = [self._read(env, source) for source in sources]
        env.set_parallelism(parallelism)
        return self.decide_dealt(streams[0].union(*streams[1:]) if streams[1:] else streams[0])

    def decide_records(self, records: DataStream) -> DataStream:
        """The same of a message queue's records.

        Args:
            records: :data:`~wakeful.distributed.flink.records.Record` tuples, with watermarks that
                hold for each partition.
        """
        dealt = (
            records.key_by(_partition, Types.INT())
            .process(DealRecords(self.dealing), MESSAGE)
            .name("partitions")
            .uid("partitions")
        )
        return self.decide_dealt(dealt)

    def decide_dealt(self, dealt: DataStream) -> DataStream:
        """The same of messages that readers made, with watermarks that hold for all of them."""
        controls = dealt.filter(_is_for_everybody).broadcast(CONTROLS)
        told = (
            dealt.filter(_is_for_one)
            .key_by(_key, Types.STRING())
            .connect(controls)
            .process(MatchInShards(self.dealing, self.settings), MESSAGE)
            .name("shards")
            .uid("shards")
        )
        return (
            told.key_by(_key, Types.STRING())
            .connect(controls)
            .process(DecideAtGates(self.dealing, self.settings), Types.STRING())
            .name("gates")
            .uid("gates")
        )

    def _read(self, env: StreamExecutionEnvironment, source: Source) -> DataStream:
        name = f"partition-{source.number}"
        numbers = NumberSequenceSource(0, chunks(source) - 1)
        carried = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(
            CarriedInstant()
        )
        return (
            env.from_source(numbers, WatermarkStrategy.no_watermarks(), name)
            .uid(f"{name}-numbers")
            .map(weighty, Types.STRING())
            .key_by(_nothing, Types.INT())
            .process(ReadChunks(source, self.dealing), MESSAGE)
            .name(name)
            .uid(name)
            .assign_timestamps_and_watermarks(carried)
        )


def write(decided: DataStream, folder: str) -> None:
    """Write decisions and notices to files that appear with the checkpoint they belong to.

    Args:
        decided: What :meth:`Fleet.decide` gave.
        folder: A folder that every task manager sees; ``decisions`` and ``notices`` below it.
    """
    for name, holds in (("decisions", _is_decision), ("notices", is_notice)):
        decided.filter(holds).sink_to(_files(f"{folder}/{name}")).name(name).uid(name)


def _files(folder: str) -> Any:
    policy = RollingPolicy.on_checkpoint_rolling_policy()
    encoder = Encoder.simple_string_encoder()
    return FileSink.for_row_format(folder, encoder).with_rolling_policy(policy).build()


def _is_decision(line: str) -> bool:
    return not is_notice(line)


def _is_for_everybody(message: Message) -> bool:
    return message[0] == EVERYBODY


def _is_for_one(message: Message) -> bool:
    return message[0] not in (EVERYBODY, NOBODY)


def _key(message: Message) -> str:
    return message[0]


def _partition(record: Record) -> int:
    return record[0]


def _nothing(_value: object) -> int:
    return 0
