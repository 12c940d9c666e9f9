"""Events a second: against rules, sessions and waits armed; and many waits that fall due at once.

Run with ``pytest benchmarks/test_engine.py``. See ``benchmarks/README.md`` for what each group
asks, and ``test_growth.py`` for the ratios.
"""

from itertools import islice

import pytest
from fed import CHUNK, Fed, fed_with, plain_matches
from measuring import smaller
from plain_engine import PlainEngine
from workloads import FACTS, KINDS, MATCHING, automation, automations, day

from wakeful import AbsentFor, Engine, Match, SessionEvent, SessionRule, SessionTrigger
from wakeful.model.time import HOUR

ROUNDS = 9


def measure(benchmark, fed, size=CHUNK):
    """Rounds of fresh events; tells events a second."""
    size = smaller(benchmark, size, 200)
    benchmark.pedantic(
        fed.engine.feed_many, setup=lambda: ((fed.chunk(size),), {}), rounds=ROUNDS, warmup_rounds=1
    )
    if benchmark.stats is not None:
        benchmark.extra_info["events_per_second"] = round(size / benchmark.stats.stats.median)


# -- against rules ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        *(("mixed", number) for number in (10, 100, 1_000, 10_000, 100_000)),
        *((kind, number) for kind in KINDS for number in (10, 1_000)),
    ],
)
def test_events_by_rules(benchmark, kind, number):
    benchmark.group = f"events by rules: {kind}"
    benchmark.extra_info |= {"axis": "rules", "kind": kind, "number": number}
    measure(benchmark, fed_with(smaller(benchmark, number, 100), kind))


@pytest.mark.parametrize(
    ("kind", "number"),
    [*(("mixed", number) for number in (10, 100, 1_000)), *((kind, 10) for kind in KINDS)],
)
def test_events_by_rules_plain(benchmark, kind, number):
    # Fed fewer where it is slow, so that its times a round are no events a second.
    benchmark.group = f"events by rules, plain engine: {kind}"
    benchmark.extra_info |= {"axis": "rules, plain", "kind": kind, "number": number}
    size = CHUNK * 10 // number
    number = smaller(benchmark, number, 100)
    plain = Fed(PlainEngine(automations(number, kind)), day(1_000), warm=1_000)
    measure(benchmark, plain, size)


@pytest.mark.parametrize("kind", ["mixed", *KINDS])
def test_the_plain_engine_gives_the_same_matches(kind):
    rules = automations(100, kind)
    log = list(islice(day(60), 6_000))
    expected = PlainEngine(rules).feed_many(log)
    assert expected
    assert expected == plain_matches(Engine(rules, settings=MATCHING).feed_many(log))


# -- against sessions and waits ---------------------------------------------------------


@pytest.mark.parametrize("sessions", [10, 100, 1_000, 10_000, 100_000])
def test_events_by_sessions(benchmark, sessions):
    benchmark.group = "events by sessions"
    benchmark.extra_info |= {"axis": "sessions", "number": sessions}
    sessions = smaller(benchmark, sessions, 1_000)
    engine = Engine(automations(500), settings=MATCHING)
    measure(benchmark, Fed(engine, day(sessions), warm=2 * sessions))


@pytest.mark.parametrize("armed", [0, 1_000, 10_000, 100_000])
def test_events_by_waits_armed(benchmark, armed):
    benchmark.group = "events by waits armed"
    benchmark.extra_info |= {"axis": "waits armed", "number": armed}
    armed = smaller(benchmark, armed, 1_000)
    rule = SessionRule(events=frozenset({"childFinished"}), then=AbsentFor("idle", 600 * HOUR))
    waiting = automation("waits", [SessionTrigger(id="t", events=("childFinished",), rule=rule)])
    engine = Engine([*automations(500), waiting], settings=MATCHING, at=0)
    engine.feed_many(
        SessionEvent("childFinished", f"waits-{number}", 0, FACTS[0]) for number in range(armed)
    )
    assert engine.statistics().waits == armed
    measure(benchmark, Fed(engine, day(1_000)))


@pytest.mark.parametrize("waits", [1_000, 10_000, 100_000])
def test_waits_falling_due(benchmark, waits):
    """One call that does what many sessions waited for: a suspended laptop."""
    benchmark.group = "waits falling due at once"
    benchmark.extra_info |= {"axis": "waits due at once", "number": waits}
    waits = smaller(benchmark, waits, 1_000)
    rule = SessionRule(events=frozenset({"toolFailed"}), then=AbsentFor("idle", HOUR))
    automations_ = [automation("a", [SessionTrigger(id="t", events=("toolFailed",), rule=rule)])]

    def armed():
        engine = Engine(automations_, settings=MATCHING)
        engine.feed_many(
            SessionEvent("toolFailed", f"session-{number}", number) for number in range(waits)
        )
        return (engine,), {}

    outputs = benchmark.pedantic(lambda engine: engine.advance(9 * HOUR), setup=armed, rounds=5)
    assert sum(isinstance(each, Match) for each in outputs) == waits
    if benchmark.stats is not None:
        benchmark.extra_info["microseconds_each"] = benchmark.stats.stats.median / waits * 1e6
