"""A replay by one process beside one by two workers.

Run with ``pytest benchmarks/test_parallel.py -s``. ``WAKEFUL_BENCH_ARCHIVE`` says how long the log
is. On the wall's clock two workers need two cores that have nothing else to do. What does not
hang on that is processor time, here and in the workers: with a core for each, what is done
here and the workers' share come one after the other.
"""

import os
from itertools import islice
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, process_time

import attrs
import native_log
import pytest
from measuring import once, smaller, tell
from workloads import automations, day

from wakeful import open_logs
from wakeful.replay import Replay
from wakeful.replay.parallel import ParallelReplay, processes

EVENTS = int(os.environ.get("WAKEFUL_BENCH_ARCHIVE", "20000"))
SESSIONS = 1_000
TURNS = 3
WORKERS = 2


def many_rules():
    """A hundred rules that watch each session: ten of each of ten."""
    return [
        attrs.evolve(each, resource=f"{each.resource}-{copy}")
        for copy in range(10)
        for each in automations(100, "mixed")
    ]


RULES = {"10 rules a session": lambda: automations(100, "mixed"), "100 rules": many_rules}


@pytest.fixture(scope="module")
def log(tmp_path_factory, request):
    size = 2_000 if request.config.getoption("benchmark_disable") else EVENTS
    path = tmp_path_factory.mktemp("archive") / "log.jsonl"
    return native_log.write(path, islice(day(SESSIONS), size)), size


def outputs(replay, log):
    """How many outputs a replay of a log has."""
    with open_logs([log]) as inputs:
        return sum(1 for _ in replay.outputs(inputs))


def took(job):
    """Seconds on the wall's clock, of processor time here, and of that in processes that ended."""
    began = perf_counter(), process_time(), children()
    job()
    ended = perf_counter(), process_time(), children()
    return [after - before for before, after in zip(began, ended, strict=True)]


def children():
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("watching", RULES)
def test_two_workers_beside_one_process(benchmark, capsys, log, watching):
    benchmark.group = "archive"
    path, size = log
    rules = RULES[watching]()
    found = []

    def one():
        found.append(outputs(Replay(rules), path))

    def two():
        with processes(WORKERS) as workers:
            found.append(outputs(ParallelReplay(rules, workers=workers), path))

    def measure():
        turns = [(*took(one), *took(two)) for _ in range(smaller(benchmark, TURNS, 1))]
        return [median(each) for each in zip(*turns, strict=True)]

    wall_one, alone, _, wall_two, here, in_workers = once(benchmark, measure)
    assert len(set(found)) == 1
    figures = {
        "events": size,
        "one process": alone,
        "here": here,
        "in workers": in_workers,
        "times as fast, a core for each": alone / (here + in_workers / WORKERS),
        "times as fast on the wall's clock": wall_one / wall_two,
    }
    tell(benchmark, capsys, f"an archive under {watching}, seconds of processor time", figures)
