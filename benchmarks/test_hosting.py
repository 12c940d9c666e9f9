"""From an input to its handler: 10 000 sessions, 1 000 inputs a second, on the machine's clock.

Run with ``pytest benchmarks/test_hosting.py -s``; the 99th percentile is reported in the
table's extra information and printed. With ``--benchmark-disable`` the same is done for a
second, as a test of itself.
"""

import asyncio
import time

import pytest
from measuring import smaller

from wakeful import Engine, SessionEvent, Settings, read_automation
from wakeful.hosting import HandlerLimits, Runner, SyncRunner

SESSIONS = 10_000
RATE = 1_000
SECONDS = 20
SHORT = 1


def rules():
    """Ten rules of several shapes; the first wakes for each failure."""
    shapes = [
        {},
        {"count": {"n": 3, "within": "10m"}},
        {"count": {"n": 5, "consecutive": True}},
        {"then": {"kind": "idle", "for": "5m"}},
        {"then": {"kind": "absent", "event": "turnCompleted", "for": "10m"}},
    ]
    return [
        read_automation(
            {
                "id": f"a{number}",
                "title": str(number),
                "overlap": "parallel",
                "message": {"text": "{{count}} in {{sessionTitle}}"},
                "triggers": [
                    {
                        "id": "t",
                        "kind": "event",
                        "type": "session",
                        "events": [{"id": "toolFailed"}],
                        "config": shapes[number % len(shapes)],
                    }
                ],
            }
        )
        for number in range(10)
    ]


def engine():
    settings = Settings(run_time="none", unmet="every", cap=10**9)
    made = Engine(rules(), settings=settings)
    at = time.time_ns() // 1_000_000
    made.feed_many(
        SessionEvent("toolCalled", f"s{number}", at, running=True) for number in range(SESSIONS)
    )
    return made


def told(delays):
    delays = sorted(delays)
    return delays[len(delays) // 2], delays[int(len(delays) * 0.99)], delays[-1]


async def pace(runner, seconds, sent):
    """Feed at the rate; every tenth input is a failure, which wakes."""
    began = time.perf_counter()
    for number in range(RATE * seconds):
        left = began + number / RATE - time.perf_counter()
        if left > 0.001:
            await asyncio.sleep(left)
        kind = "toolFailed" if number % 10 == 0 else "toolCalled"
        session = f"s{number * 7_919 % SESSIONS}"
        at = runner.clock.now()
        sent[session] = time.perf_counter()
        await runner.feed(SessionEvent(kind, session, at, running=True))


def run_async(seconds):
    async def scene():
        sent, delays = {}, []

        async def handler(decision):
            delays.append(time.perf_counter() - sent[decision.session])

        async with Runner(engine(), handler, limits=HandlerLimits(backlog=10_000)) as runner:
            await pace(runner, seconds, sent)
            await runner.drained()
        return delays

    return asyncio.run(scene())


def run_threads(seconds):
    sent, delays = {}, []

    def handler(decision):
        delays.append(time.perf_counter() - sent[decision.session])

    with SyncRunner(engine(), handler, limits=HandlerLimits(backlog=10_000)) as runner:
        began = time.perf_counter()
        for number in range(RATE * seconds):
            left = began + number / RATE - time.perf_counter()
            if left > 0:
                time.sleep(left)
            kind = "toolFailed" if number % 10 == 0 else "toolCalled"
            session = f"s{number * 7_919 % SESSIONS}"
            sent[session] = time.perf_counter()
            runner.feed(SessionEvent(kind, session, runner.clock.now(), running=True))
        runner.drained()
    return delays


@pytest.mark.parametrize("run", [run_async, run_threads], ids=["asyncio", "threads"])
def test_from_an_input_to_its_handler(benchmark, run):
    seconds = SHORT if benchmark.disabled else SECONDS
    delays = benchmark.pedantic(run, args=(seconds,), rounds=1, iterations=1)
    half, most, longest = told(delays)
    report = {"p50 ms": half * 1_000, "p99 ms": most * 1_000, "longest ms": longest * 1_000}
    benchmark.extra_info.update(report)
    print(
        f"\n{len(delays)} wakes at {RATE}/s:", {name: round(ms, 2) for name, ms in report.items()}
    )

    # Two rules of ten wake for each failure.
    assert len(delays) >= 2 * RATE * seconds // 10


def test_what_taking_an_input_costs(benchmark):
    """A runner's own share of an input that wakes nobody, beside the engine's."""

    async def scene():
        async with Runner(engine(), lambda decision: None) as runner:
            at = runner.clock.now()
            inputs = [
                SessionEvent("toolCalled", f"s{number}", at, running=True)
                for number in range(smaller(benchmark, SESSIONS, 100))
            ]
            for item in inputs:
                await runner.feed(item)

    benchmark.pedantic(lambda: asyncio.run(scene()), rounds=1 if benchmark.disabled else 5)
