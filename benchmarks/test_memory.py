"""What is held: of a rule and session, of a session, of a wait, of sessions that are gone; and
the peak of a long replay.

Run with ``pytest benchmarks/test_memory.py -s``. What an engine holds is counted by
tracemalloc, inputs and names of sessions left out, which are the host's. A replay is the
command's, in a process of its own, so that the peak is its own too;
``WAKEFUL_BENCH_LOG`` says how many events the shorter log has, 100 000 where it is not set.
"""

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from itertools import islice

import native_log
import pytest
from measuring import once, smaller, tell, yardstick
from workloads import FACTS, MATCHING, automation, automations, day

from wakeful import (
    AbsentFor,
    Count,
    Engine,
    SessionEnded,
    SessionEvent,
    SessionRule,
    SessionTrigger,
)
from wakeful.model.time import HOUR
from wakeful.reading import write_automation

LOG = int(os.environ.get("WAKEFUL_BENCH_LOG", "100000"))
SESSIONS = 10_000


def watching(number, rule):
    """An engine with so many rules that watch every session."""
    triggers = [
        SessionTrigger(id=f"t{place}", events=tuple(rule.events), rule=rule)
        for place in range(number)
    ]
    return Engine([automation("a", triggers)], settings=MATCHING, at=0)


def events(kind, sessions):
    """One of a kind in each session."""
    return [
        SessionEvent(kind, f"session-{number}", number, FACTS[number % len(FACTS)])
        for number in range(sessions)
    ]


def held(engine, *feeds):
    """Bytes that an engine holds more after each of some feeds."""
    engine.feed(SessionEvent("turnCancelled", "the first", 0, FACTS[0]))
    gc.collect()
    tracemalloc.start()
    try:
        counts = []
        for items in feeds:
            before = tracemalloc.get_traced_memory()[0]
            engine.feed_many(items)
            gc.collect()
            counts.append(tracemalloc.get_traced_memory()[0] - before)
    finally:
        tracemalloc.stop()
    return counts


def test_what_a_session_holds(benchmark, capsys):
    benchmark.group = "memory"
    sessions = smaller(benchmark, SESSIONS, 1_000)
    rule = SessionRule(events=frozenset({"toolFailed"}), count=Count(n=3))

    def measure():
        heard = events("toolCalled", sessions)
        # What the rules of one set of facts are is kept once for all sessions that have them.
        feeds = heard[: len(FACTS)], heard[len(FACTS) :]
        return held(watching(1, rule), *feeds)[1], held(watching(1_000, rule), *feeds)[1]

    few, many = once(benchmark, measure)
    what = "an idle pair of rule and session"
    yardstick(benchmark, capsys, what, max(0, many - few) / (999 * sessions), 0.05, unit="bytes")
    what = "a session known, with shared facts"
    yardstick(benchmark, capsys, what, many / sessions, 600, unit="bytes")


@pytest.mark.parametrize("waits", [1, 4, 20])
def test_what_a_wait_holds(benchmark, capsys, waits):
    benchmark.group = "memory"
    sessions = smaller(benchmark, SESSIONS, 1_000)
    rule = SessionRule(events=frozenset({"toolFailed"}), then=AbsentFor("toolCalled", 9 * HOUR))

    def measure():
        heard, failed = events("turnCancelled", sessions), events("toolFailed", sessions)
        engine = watching(waits, rule)
        bytes_ = held(engine, heard, failed)[1]
        assert engine.statistics().waits == waits * sessions
        return bytes_ / (waits * sessions)

    each = once(benchmark, measure)
    tell(benchmark, capsys, f"a wait where a session has {waits}", {"waits": waits, "bytes": each})
    if waits == 4:
        what = "a wait, where a session has four"
        yardstick(benchmark, capsys, what, each, 300, unit="bytes")


def test_what_sessions_that_are_gone_leave(benchmark, capsys):
    benchmark.group = "memory"
    sessions = smaller(benchmark, 100_000, 2_000)
    rule = SessionRule(events=frozenset({"toolFailed"}), then=AbsentFor("toolCalled", 9 * HOUR))

    def measure():
        come_and_gone = [
            item
            for number in range(sessions)
            for item in (
                SessionEvent("toolFailed", f"session-{number}", number, FACTS[0]),
                SessionEnded(f"session-{number}", number),
            )
        ]
        engine = watching(4, rule)
        warm = come_and_gone[:1_000]
        left = held(engine, warm, come_and_gone[1_000:])[1]
        assert len(come_and_gone) == 2 * sessions
        return left

    left = once(benchmark, measure)
    what = f"what {sessions:,} sessions that came and went leave, of each"
    yardstick(benchmark, capsys, what, max(0, left) / sessions, 1, unit="bytes")


# -- the peak of a replay -----------------------------------------------------------------

REPLAY = """
import sys
from wakeful.cli import main
status = main(sys.argv[1:])
# Not ru_maxrss: that is inherited from whoever started this process.
held = open("/proc/self/status").read()
peak = int(held.partition("VmHWM:")[2].split()[0]) * 1024
print(peak, file=sys.stderr)
sys.exit(status)
"""


def peak_of_a_replay(folder, ruleset, length):
    log = native_log.write(folder / "log.jsonl", islice(day(200), length))
    with (folder / "out.jsonl").open("w") as out:
        ran = subprocess.run(
            [sys.executable, "-c", REPLAY, "replay", log, "--rules", ruleset, "--json", "--quiet"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
    assert (folder / "out.jsonl").stat().st_size > 1_000
    return int(ran.stderr.split()[-1])


def test_the_peak_of_a_replay(benchmark, capsys, tmp_path):
    """A log, and one ten times as long, under a thousand rules of the four kinds."""
    benchmark.group = "memory"
    length = smaller(benchmark, LOG, 1_000)
    ruleset = tmp_path / "rules.json"
    written = [write_automation(each) for each in automations(1_000, "four")]
    ruleset.write_text(json.dumps({"automations": written}), encoding="utf-8")

    def measure():
        return [peak_of_a_replay(tmp_path, ruleset, each) for each in (length, 10 * length)]

    short, long = (peak / 2**20 for peak in once(benchmark, measure))
    tell(benchmark, capsys, "a replay's peak", {"events": length, "MiB": short, "MiB, 10x": long})
    what = f"the peak of a replay of {10 * length:,} events"
    yardstick(benchmark, capsys, what, long, 150, unit="MB")
    what = f"its peak, to that of {length:,} events"
    yardstick(benchmark, capsys, what, long / short, 1.05)
