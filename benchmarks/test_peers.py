"""Beside what a user would pick instead: the same rules and events, in the same run.

Run with ``pytest benchmarks/test_peers.py -s``. Each peer is checked to give the same matches
first, or exactly those of the reading of a rule that it has instead
(``benchmarks/peers/meanings.py``). Then it is fed between two halves of what wakeful is fed,
until the stream ends or so much time has gone by: what is slow is fed less of it.
``WAKEFUL_BENCH_EVENTS=200000`` is the whole stream, and adds ten thousand rules.
"""

import importlib

import pytest
from measuring import once, seconds, smaller, tell, without_collecting, yardstick
from peers.engines import Plain, Wakeful
from peers.four_kinds import EVENTS, KINDS, WARM, automations, filters, stream
from peers.hand_loop import Counting, Recording
from peers.meanings import AS_MEANT, found_by

WHOLE = EVENTS >= 200_000
NUMBERS = [10, 100, 1_000, *([10_000] if WHOLE else [])]
SECONDS = 1.0 if WHOLE else 0.5
"""For how long a peer is fed at most, and a quarter of that before what is timed."""
AT_ONCE = 100
FEW = 40
"""The rules of a check, and those that are fed where nothing is measured."""

MOST = {"eql": 1_000, "durable_rules": 1_000}
"""How many rules a peer is given at most: more take it minutes to make ready."""

PEERS = {
    "hand-written loop, counting": Counting,
    "hand-written loop, with records": Recording,
    "plain engine": Plain,
    "eql": ("eql", "peers.eql_peer", "Eql"),
    "durable_rules": ("durable.engine", "peers.durable_peer", "DurableRules"),
}
FILTER_PEERS = {
    "plain engine": Plain,
    "rule-engine": ("rule_engine", "peers.filter_peers", "RuleEngine"),
    "clipspy": ("clips", "peers.filter_peers", "Clips"),
}


def peer(named):
    """A peer's class; skips where it is not installed."""
    if not isinstance(named, tuple):
        return named
    package, module, cls = named
    pytest.importorskip(package, reason="not installed: pip install -e '.[bench]'")
    return getattr(importlib.import_module(module), cls)


# -- the same matches -------------------------------------------------------------------


@pytest.fixture(scope="module")
def events():
    return stream(FEW, 4_000, sessions=60)


@pytest.mark.parametrize("kind", KINDS)
def test_wakeful_gives_the_matches_that_the_rules_mean(events, kind):
    expected = found_by(AS_MEANT[kind], events)
    assert expected
    found = Wakeful.found(Wakeful(automations(FEW)).feed(events))
    assert expected == sorted(each for each in found if each.kind == kind)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_gives_exactly_the_matches_of_its_reading(events, name):
    made = peer(PEERS[name])
    asked = made(automations(FEW))
    if made is Counting:
        expected = sum(len(found_by(each, events)) for each in AS_MEANT.values())
        assert expected == asked.feed(made.prepare(events))
        return
    expected = sorted(each for kind in made.MEANS.values() for each in found_by(kind, events))
    assert expected == sorted(made.found(asked.feed(made.prepare(events))))


@pytest.mark.parametrize("name", FILTER_PEERS)
def test_a_filter_finds_the_same_everywhere(events, name):
    made = peer(FILTER_PEERS[name])
    expected = Wakeful.found(Wakeful(filters(FEW)).feed(events))
    assert expected
    assert sorted(expected) == sorted(made.found(made(filters(FEW)).feed(made.prepare(events))))


# -- events a second --------------------------------------------------------------------


def fed(made, parts, most):
    """Feed part by part until that many seconds have gone by: events, and seconds."""
    events = 0
    spent = 0.0
    for part in parts:
        prepared = made.prepare(part)
        spent += seconds(lambda: made.feed(prepared))  # noqa: B023 - called at once
        events += len(part)
        if spent > most:
            break
    return events, spent


def race(theirs, ours, items, most):
    """Feed both the same events, ours before and after theirs: events and seconds of each."""
    parts = [items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)]
    warm, half = WARM // AT_ONCE, (len(parts) + WARM // AT_ONCE) // 2
    with without_collecting():
        fed(ours, parts[:warm], most)
        before = fed(ours, parts[warm:half], most)
        begun = fed(theirs, parts[:warm], most / 4)[0] // AT_ONCE
        others = fed(theirs, parts[begun:], most)
        after = fed(ours, parts[half:], most)
    return others, (before[0] + after[0], before[1] + after[1])


def run(benchmark, capsys, named, rules_of, number):
    made = peer(named)
    events, most = (1_000, 0.01) if benchmark.disabled else (EVENTS, SECONDS)
    number = smaller(benchmark, number, FEW)
    rules, items = rules_of(number), stream(number, WARM + events)
    theirs, ours = once(benchmark, lambda: race(made(rules), Wakeful(rules), items, most))
    figures = {
        "peer": made.name,
        "rules": number,
        "events": theirs[0],
        "events_per_second": round(theirs[0] / theirs[1]),
        "wakeful_events_per_second": round(ours[0] / ours[1]),
        "ahead": theirs[1] / theirs[0] * ours[0] / ours[1],
        "differs": getattr(made, "DIFFERS", ""),
    }
    tell(benchmark, capsys, f"{number} rules", figures)
    return figures


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, number) for name in PEERS for number in NUMBERS if number <= MOST.get(name, number)],
)
def test_peers(benchmark, capsys, name, number):
    benchmark.group = "peers"
    figures = run(benchmark, capsys, PEERS[name], automations, number)
    if name == Recording.name:
        what = f"a hand-written loop that keeps order and makes records, {number:,} rules"
        yardstick(benchmark, capsys, what, 1 / figures["ahead"], 4)
    elif name != Counting.name:
        what = f"ahead of {name}, {number:,} rules"
        yardstick(benchmark, capsys, what, figures["ahead"], 1, bound="at least")


@pytest.mark.parametrize("number", NUMBERS[:3])
@pytest.mark.parametrize("name", FILTER_PEERS)
def test_peers_at_filters_alone(benchmark, capsys, name, number):
    benchmark.group = "peers, filters alone"
    figures = run(benchmark, capsys, FILTER_PEERS[name], filters, number)
    what = f"ahead of {name} at filters alone, {number:,} rules"
    yardstick(benchmark, capsys, what, figures["ahead"], 1, bound="at least")
