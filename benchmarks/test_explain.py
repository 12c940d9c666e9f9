"""What explaining costs, beside one replay of the same log.

Run with ``pytest benchmarks/test_explain.py -s``. The log is a day of many sessions; its size
is ``WAKEFUL_EXPLAIN_INPUTS``, twenty thousand where that is not set; a
million take minutes. No time is asserted: each is told beside that of one replay.
"""

import os
from itertools import islice
from time import perf_counter

import pytest
from workloads import automations, day

from wakeful.explain.firings import firings
from wakeful.explain.misses import near_misses
from wakeful.explain.sweeping import sweep
from wakeful.explain.tracer import Tracer
from wakeful.explain.varying import Variant
from wakeful.explain.watching import Watch
from wakeful.replay import Replay

INPUTS = int(os.environ.get("WAKEFUL_EXPLAIN_INPUTS", "20000"))
SESSIONS = 1_000
RULES = 10


@pytest.fixture(scope="module")
def log():
    return list(islice(day(SESSIONS), INPUTS))


@pytest.fixture(scope="module")
def rules():
    return automations(RULES)


@pytest.fixture(scope="module")
def alone(log, rules):
    """Seconds of one replay."""
    return min(seconds(lambda: drain(Replay(rules).outputs(log))) for _ in range(3))


def seconds(work):
    begun = perf_counter()
    work()
    return perf_counter() - begun


def drain(outputs):
    for _ in outputs:
        pass


def tell(benchmark, work, alone):
    benchmark.pedantic(work, rounds=1, iterations=1)
    if benchmark.stats is None:  # run once, not measured: --benchmark-disable
        return
    ratio = benchmark.stats.stats.min / alone
    benchmark.extra_info["replays"] = round(ratio, 2)
    print(f"\n{INPUTS:,} inputs: {benchmark.stats.stats.min:.2f} s, {ratio:.2f} replays")


def test_one_replay(benchmark, log, rules, alone):
    tell(benchmark, lambda: drain(Replay(rules).outputs(log)), alone)


def test_a_replay_beside_a_tracer_that_watches_nothing(benchmark, log, rules, alone):
    watch = Watch(sessions=frozenset({"no such session"}))
    tell(benchmark, lambda: drain(Tracer(Replay(rules), watch).outputs(log)), alone)


def test_explaining_one_session(benchmark, log, rules, alone):
    session = next(each.session for each in log if hasattr(each, "session"))

    def explain():
        tracer = Tracer(Replay(rules), Watch(sessions=frozenset({session})))
        tracer.play(log)
        firings(tracer)
        near_misses(tracer, limit=5)

    tell(benchmark, explain, alone)


def test_a_sweep_of_twenty_variants(benchmark, log, rules, alone):
    variants = [Variant(values=(each,), automations=tuple(rules)) for each in range(20)]

    tell(benchmark, lambda: sweep(log, variants), alone)
