"""Events a second: against rules, sessions, waits armed, and the plain engine.

Run with ``pytest benchmarks/test_engine.py``; with ``-s`` the ratios are told. See
``benchmarks/README.md`` for what each group asks.
"""

import gc
import json
from itertools import islice
from statistics import median
from time import perf_counter

import pytest
from plain_engine import PlainEngine
from workloads import FACTS, KINDS, MATCHING, automation, automations, day

from wakeful import (
    AbsentFor,
    Engine,
    Match,
    SessionEvent,
    SessionRule,
    SessionTrigger,
    load_rules,
    open_logs,
)
from wakeful.model.time import HOUR
from wakeful.replay import Replay, decision_record, json_line

CHUNK = 5_000
ROUNDS = 9


class Fed:
    """An engine in the middle of a day, and the day to come."""

    def __init__(self, engine, stream, *, warm=CHUNK):
        self.engine = engine
        self.stream = stream
        engine.feed_many(islice(stream, warm))

    def chunk(self, size=CHUNK):
        return list(islice(self.stream, size))

    def time(self, size=CHUNK):
        """Seconds an event."""
        chunk = self.chunk(size)
        gc.collect()
        gc.disable()
        try:
            begun = perf_counter()
            self.engine.feed_many(chunk)
            return (perf_counter() - begun) / size
        finally:
            gc.enable()


def measure(benchmark, fed, size=CHUNK):
    """Rounds of fresh events; tells events a second."""
    benchmark.pedantic(
        fed.engine.feed_many, setup=lambda: ((fed.chunk(size),), {}), rounds=ROUNDS, warmup_rounds=1
    )
    if benchmark.stats is not None:
        benchmark.extra_info["events_per_second"] = round(size / benchmark.stats.stats.median)


def fed_with(number, kind="mixed", sessions=1_000):
    return Fed(Engine(automations(number, kind), settings=MATCHING), day(sessions))


def told(benchmark, capsys, what, ratios):
    """Keep ratios with the benchmark's results, and tell them."""
    benchmark.extra_info.update(ratios)
    with capsys.disabled():
        words = ", ".join(f"{name} {ratio:.2f} x" for name, ratio in ratios.items())
        print(f"\n{what}: {words}", end="")


# -- against rules ----------------------------------------------------------------------


@pytest.mark.parametrize("number", [10, 100, 1_000, 10_000, 100_000])
@pytest.mark.parametrize("kind", ["mixed", *KINDS])
def test_events_by_rules(benchmark, kind, number):
    benchmark.group = f"events by rules: {kind}"
    measure(benchmark, fed_with(number, kind))


def test_growth_with_rules(benchmark, capsys):
    """The cost of an event with 100 000 rules over that with ten, measured turn by turn."""
    benchmark.group = "events by rules: growth"
    few, many = fed_with(10), fed_with(100_000)
    costs = [(few.time(), many.time()) for _ in range(15)]
    growth = median(cost for _, cost in costs) / median(cost for cost, _ in costs)
    told(benchmark, capsys, "an event, 100 000 rules over 10", {"growth": growth})
    measure(benchmark, many)


# -- against sessions and waits ---------------------------------------------------------


@pytest.mark.parametrize("sessions", [10, 100, 1_000, 10_000, 100_000])
def test_events_by_sessions(benchmark, sessions):
    benchmark.group = "events by sessions"
    fed = Fed(Engine(automations(500), settings=MATCHING), day(sessions), warm=2 * sessions)
    measure(benchmark, fed)


@pytest.mark.parametrize("armed", [0, 1_000, 10_000, 100_000])
def test_events_by_waits_armed(benchmark, armed):
    benchmark.group = "events by waits armed"
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


# -- beside the plain engine ------------------------------------------------------------


def plain_matches(outputs):
    return [
        (each.at, each.automation, each.trigger, each.session, each.event, each.count)
        for each in outputs
        if isinstance(each, Match)
    ]


@pytest.mark.parametrize("kind", ["mixed", *KINDS])
def test_the_plain_engine_gives_the_same_matches(kind):
    rules = automations(100, kind)
    log = list(islice(day(60), 6_000))
    expected = PlainEngine(rules).feed_many(log)
    assert expected
    assert expected == plain_matches(Engine(rules, settings=MATCHING).feed_many(log))


@pytest.mark.parametrize("number", [10, 100, 1_000])
@pytest.mark.parametrize("kind", ["mixed", *KINDS])
def test_events_by_rules_plain(benchmark, kind, number):
    # Fed fewer where it is slow, so that its times a round are no events a second.
    benchmark.group = f"events by rules, plain engine: {kind}"
    size = CHUNK * 10 // number
    measure(benchmark, Fed(PlainEngine(automations(number, kind)), day(1_000), warm=1_000), size)


@pytest.mark.parametrize(
    ("kind", "number"),
    [*(("mixed", number) for number in (10, 100, 1_000, 10_000)), *((kind, 100) for kind in KINDS)],
)
def test_ahead_of_the_plain_engine(benchmark, capsys, kind, number):
    """What an event costs the plain engine over what it costs ours, measured turn by turn."""
    benchmark.group = "ahead of the plain engine"
    size = max(50, CHUNK * 10 // number)
    plain = Fed(PlainEngine(automations(number, kind)), day(1_000), warm=size)
    ours = fed_with(number, kind)
    costs = [(ours.time(size), plain.time(size)) for _ in range(5)]
    ahead = median(cost for _, cost in costs) / median(cost for cost, _ in costs)
    told(benchmark, capsys, f"{number} {kind} rules, plain over ours", {"ahead": ahead})
    measure(benchmark, ours)


# -- end to end -------------------------------------------------------------------------


def native_lines(number):
    """So many records of the day, as a native log has them."""
    names = {"TurnStarted": "turnStarted", "Activity": "activity"}
    for item in islice(day(200), number):
        record = {"at": item.at, "kind": names.get(type(item).__name__), "session": item.session}
        if isinstance(item, SessionEvent):
            record |= {
                "kind": item.kind,
                "running": item.running,
                "queued": item.queued,
                "turnToolCalls": item.turn_tool_calls,
            }
            if item.tool is not None:
                record["tool"] = {"name": item.tool.name, "inputHash": item.tool.input_hash}
        facts = getattr(item, "facts", None)
        if facts is not None:
            record |= {
                "owner": facts.owner, "provider": facts.provider, "project": facts.project,
            }  # fmt: skip
        yield json.dumps(record) + "\n"


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "day.jsonl"
    path.write_text("".join(native_lines(20_000)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("number", [10, 1_000, 10_000])
def test_replay_end_to_end(benchmark, log, number):
    """From the bytes of a native log to the bytes of its decisions, messages filled."""
    benchmark.group = "replay end to end"

    def setup():
        return (Replay(automations(number)),), {}

    def replay(made):
        with open_logs([log]) as inputs:
            return sum(
                len(json_line(decision_record(each)))
                for each in made.outputs(inputs)
                if not isinstance(each, Match)
            )

    assert benchmark.pedantic(replay, setup=setup, rounds=3)
    if benchmark.stats is not None:
        benchmark.extra_info["records_per_second"] = round(20_000 / benchmark.stats.stats.median)


def test_reading_a_thousand_rules(benchmark, tmp_path):
    """The way to the engine: a ruleset of a thousand automations, from its text."""
    benchmark.group = "reading rules"
    each = {
        "title": "A",
        "message": {"text": "{{event}}"},
        "triggers": [
            {
                "id": "t1",
                "kind": "event",
                "type": "session",
                "events": [{"id": "toolFailed"}],
                "config": {"count": {"n": 3, "within": "5m"}, "filter": {"projects": ["api"]}},
            }
        ],
    }
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"automations": [{"id": f"a{n}", **each} for n in range(1_000)]}))
    assert len(benchmark(lambda: load_rules([str(path)])).automations) == 1_000
