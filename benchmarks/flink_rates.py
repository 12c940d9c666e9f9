"""A fleet on Flink, measured: inputs a second, state per session, the delay of a deadline.

    tests/flink/run --version                                   # makes the environment, once
    .flink-venv/bin/python benchmarks/flink_rates.py            # some ten minutes

Rates are marginal: a job over many inputs beside one over few, so that what a job costs before
its first input is out of it. One process replays the same files, for scale.
"""

# ruff: noqa: E402 - what tests and benchmarks share is on no path of its own
import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "tests")]

from workloads import automation, automations, day

from fleet_scenes import lines_of, partitioned, rules_first
from flink_cluster import Cluster, until, written
from flink_jobs import SESSIONS, submit
from wakeful import AbsentFor, SessionEvent, SessionRule, SessionTrigger, Settings, open_logs
from wakeful.distributed.partitions import Dealing
from wakeful.model.events import Input, Tick
from wakeful.model.time import HOUR, parse_instant
from wakeful.replay import Replay

QUIET = Settings(unmet="every", run_time="none")
SHARDS = Dealing(shards=32, gates=8)


def log(folder: Path, inputs: int, sessions: int, *, rules: int = 10, partitions: int = 2):
    """Files of a busy day, and the partition of rules before them."""
    items = list(islice(day(sessions), inputs))
    return files(folder, rules_first(automations(rules), partitioned(items, partitions)))


def files(folder: Path, partitions: Sequence[Sequence[Input]]) -> list[Path]:
    folder.mkdir(parents=True)
    paths = []
    for number, part in enumerate(partitions):
        path = folder / f"p{number}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for _, line in lines_of(part)))
        paths.append(path)
    return paths


def duration(cluster: Cluster, job: str) -> float:
    cluster.wait(job, seconds=900)
    return cluster.get(f"/jobs/{job}")["duration"] / 1_000


def rate(
    cluster: Cluster, folder: Path, few: int, many: int, *, sessions: int = 1_000, **how: Any
) -> float:
    """Inputs a second, past the first ``few``."""
    took = {}
    for inputs in (few, few, many):  # the first time, the code is loaded
        here = folder / f"{time.monotonic_ns()}"
        paths = log(here / "in", inputs, sessions)
        job = submit(cluster, paths, here / "out", settings=QUIET, chunk=1 << 18, **how)
        took[inputs] = duration(cluster, job)
        shutil.rmtree(here)
    return (many - few) / (took[many] - took[few])


def one_process(folder: Path, inputs: int) -> float:
    """Inputs a second of a replay of the same files, rules from the log."""
    paths = log(folder / "one", inputs, 1_000)
    began = time.perf_counter()
    with open_logs(paths) as stream:
        for _ in Replay((), settings=QUIET).outputs(stream):
            pass
    return inputs / (time.perf_counter() - began)


def state_per_session(cluster: Cluster, folder: Path, sessions: Sequence[int]) -> float:
    """Bytes of a checkpoint for each session more, every one of them in the middle of something."""
    sizes = []
    for number in sessions:
        here = folder / f"state-{number}"
        paths = log(here / "in", number * 4, number)
        job = submit(cluster, paths, here / "out", settings=QUIET, follow=True, chunk=1 << 18)
        size, last = -1, 0
        while size != last:
            before = cluster.checkpoints(job)
            until(partial(_has_more, cluster, job, before + 6), "checkpoints", 240)
            told = cluster.get(f"/jobs/{job}/checkpoints")["latest"]["completed"]
            last, size = size, told["state_size"]
        sizes.append(size)
        cluster.cancel(job)
    return (sizes[1] - sizes[0]) / (sessions[1] - sessions[0])


def _has_more(cluster: Cluster, job: str, checkpoints: int) -> bool:
    return cluster.checkpoints(job) > checkpoints


def delays(cluster: Cluster, folder: Path, *, times: int = 20, tick: float = 0.1) -> list[float]:
    """From the instant of a deadline until its decision stands in a committed file, in seconds."""
    rule = SessionRule(events=frozenset({"turnCompleted"}), then=AbsentFor("toolCalled", 1_000))
    one = automation("a", (SessionTrigger(id="t", events=("turnCompleted",), rule=rule),))
    begin = int(time.time() * 1_000) - HOUR
    paths = files(folder / "in", rules_first([one], [[Tick(begin)], [Tick(begin)]]))
    out = folder / "out"
    job = submit(cluster, paths, out, settings=QUIET, follow=True)
    until(lambda: cluster.is_running(job), "the job")
    seen: dict[str, float] = {}
    sent = 0
    ends = time.monotonic() + times * 2 + 30
    next_event = time.time()
    while len(seen) < times and time.monotonic() < ends:
        now = time.time()
        for path in paths:
            said: list[Input] = [Tick(int(now * 1_000))]
            if path is paths[1] and now >= next_event and sent < times:
                said.insert(0, SessionEvent("turnCompleted", f"s{sent}", int(now * 1_000)))
                sent, next_event = sent + 1, now + 1.3
            with path.open("ab") as file:
                file.write(b"".join(line + b"\n" for _, line in lines_of(said)))
        for decision in written(out):
            late = time.time() - parse_instant(decision["at"]) / 1_000
            seen.setdefault(decision["session"], late)
        time.sleep(max(0, tick - (time.time() - now)))
    cluster.cancel(job)
    return sorted(seen.values())


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--few", type=int, default=50_000)
    reader.add_argument("--many", type=int, default=250_000)
    asked = reader.parse_args()
    few, many = asked.few, asked.many
    found: dict[str, Any] = {}

    def tell(name: str, value: float | list[float]) -> None:
        found[name] = value
        print(json.dumps({name: value}), flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell("one process, inputs/s", round(one_process(folder, many)))
        for mode in ("thread", "process"):
            interval = {"execution.checkpointing.interval": "5s"}
            cluster = Cluster(folder / mode, mode=mode, slots=4, **interval)
            try:
                cluster.start_task_manager()
                for parallelism in (1, 2):
                    how = {"dealing": SHARDS, "parallelism": parallelism}
                    label = f"by shard, {mode}, parallelism {parallelism}, inputs/s"
                    tell(label, round(rate(cluster, folder, few, many, **how)))
                if mode == "thread":
                    how = {"dealing": SESSIONS, "parallelism": 2}
                    reached = rate(cluster, folder, few // 10, many // 10, **how)
                    tell("by session, thread, parallelism 2, inputs/s", round(reached))
            finally:
                cluster.stop()
        cluster = Cluster(folder / "small", mode="thread", slots=4)
        try:
            cluster.start_task_manager()
            late = delays(cluster, folder / "delays")
            tell("deadline to file, median s", round(statistics.median(late), 2))
            tell("deadline to file, worst s", round(late[-1], 2))
            size = state_per_session(cluster, folder, (2_000, 10_000))
            tell("checkpoint, bytes a session", round(size))
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
