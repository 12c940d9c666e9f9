"""Jobs of the tests: partitions as files, a fleet put together, submitted and waited for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyflink.common import Configuration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.java_gateway import get_gateway

from fleet_scenes import lines_of, of_one_engine
from flink_cluster import Cluster, written
from wakeful import Decision, Input, Settings
from wakeful.distributed.flink import Dealing, Fleet, Source, write
from wakeful.replay import decision_record

SETTINGS = Settings(unmet="every")
SHARDS = Dealing(shards=16, gates=4)
SESSIONS = Dealing(shards=None, gates=4)


def files(folder: Path, partitions: Sequence[Sequence[Input]]) -> list[Path]:
    """The partitions as files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, inputs in enumerate(partitions):
        path = folder / f"p{number}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for _, line in lines_of(inputs)))
        paths.append(path)
    return paths


def submit(
    cluster: Cluster,
    paths: Sequence[Path],
    out: Path,
    *,
    dealing: Dealing = SHARDS,
    parallelism: int = 2,
    savepoint: str | None = None,
    settings: Settings = SETTINGS,
    paces: Sequence[int] | None = None,
    **source: Any,
) -> str:
    """Submit a job that reads the files; its id."""
    env = _remote(cluster, savepoint)
    env.set_parallelism(parallelism)
    fleet = Fleet(dealing=dealing, settings=settings)
    each = [{}] * len(paths) if paces is None else [{"pace": pace} for pace in paces]
    sources = [
        Source(number=number, path=str(path), **{"chunk": 16_384, **source, **own})
        for number, (path, own) in enumerate(zip(paths, each, strict=True))
    ]
    write(fleet.decide(env, sources), f"file://{out}")
    return str(env.execute_async("wakeful").get_job_id())


def submit_records(cluster: Cluster, partitions: Sequence[Sequence[Input]], out: Path) -> str:
    """Submit a job over records as a message queue gives them; its id."""
    env = _remote(cluster, None)
    env.set_parallelism(1)
    records = []
    for number, inputs in enumerate(partitions):
        latest = inputs[0].at
        for (offset, line), item in zip(lines_of(inputs), inputs, strict=True):
            latest = max(latest, item.at)
            records.append((latest, number, offset, line))
    records.sort(key=lambda record: record[:3])
    kind = Types.TUPLE(
        [Types.LONG(), Types.INT(), Types.LONG(), Types.PRIMITIVE_ARRAY(Types.BYTE())]
    )
    stamped = env.from_collection(records, kind).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(_First())
    )
    bare = Types.TUPLE([Types.INT(), Types.LONG(), Types.PRIMITIVE_ARRAY(Types.BYTE())])
    stream = stamped.map(_without_instant, bare)
    write(Fleet(dealing=SHARDS, settings=SETTINGS).decide_records(stream), f"file://{out}")
    return str(env.execute_async("wakeful").get_job_id())


class _First(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return value[0]


def _without_instant(value: Any) -> Any:
    return value[1:]


def _remote(cluster: Cluster, savepoint: str | None) -> StreamExecutionEnvironment:
    """What ``flink run`` makes, without a process of its own for each job."""
    config = Configuration()
    for key, value in cluster.config.items():
        config.set_string(key, value)
    if savepoint is not None:
        config.set_string("execution.state-recovery.path", savepoint)
    gateway = get_gateway()
    made = gateway.jvm.org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
    none = gateway.new_array(gateway.jvm.java.lang.String, 0)
    port = int(cluster.config["rest.port"])
    j_config = config._j_configuration
    return StreamExecutionEnvironment(
        made.createRemoteEnvironment("localhost", port, j_config, none)
    )


def expected(partitions: Sequence[Sequence[Input]], settings: Settings = SETTINGS) -> list[Any]:
    """The decisions of one engine, as lines are read back."""
    outputs = of_one_engine(partitions, settings)
    return [decision_record(output) for output in outputs if isinstance(output, Decision)]


def decided(out: Path) -> list[dict[str, Any]]:
    """The decisions that were written, sorted, each once."""
    lines = sorted(written(out), key=lambda line: line["id"])
    ids = [(line["automation"], line["id"]) for line in lines]
    assert len(ids) == len(set(ids)), "a decision was written twice"
    return [{key: value for key, value in line.items() if key != "id"} for line in lines]
