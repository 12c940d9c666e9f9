"""Schedules and plugin events among ten thousand automations: a step costs what it concerns.

Run with ``pytest benchmarks/test_schedules.py``; with ``-s`` the ratios are told.
"""

import pytest
from measuring import in_turns, once, smaller, tell
from workloads import MATCHING, automation

from wakeful import Engine, PluginEvent, PluginTrigger, ScheduleTrigger, TriggerEvent, TriggerType
from wakeful.model.time import DAY, MINUTE
from wakeful.plugins import TypeRegistry

ALL = 10_000
ROUNDS = 15
RARELY = "0 0 1 1 *"


def scheduled(number, due):
    """So many automations, of which ``due`` run each minute and the rest in January."""
    return Engine(
        [
            automation(
                f"a{place}",
                [ScheduleTrigger(id="t", expression="* * * * *" if place < due else RARELY)],
            )
            for place in range(number)
        ],
        at=200 * DAY,
        settings=MATCHING,
    )


def next_minute(engine):
    def advance(instant):
        return engine.advance(instant)

    return advance, lambda: ((engine.now + MINUTE,), {})


@pytest.mark.parametrize("due", [0, 10, 100, 1_000, 10_000])
def test_a_minute_by_what_is_due(benchmark, due):
    benchmark.group = "a minute of 10 000 schedules, by those due"
    benchmark.extra_info |= {"axis": "schedules due", "number": due}
    due = smaller(benchmark, due, 10)
    call, setup = next_minute(scheduled(smaller(benchmark, ALL, 100), due))
    outputs = benchmark.pedantic(call, setup=setup, rounds=ROUNDS)
    assert len(outputs) == due
    if due and benchmark.stats is not None:
        benchmark.extra_info["microseconds_each"] = benchmark.stats.stats.median * 1e6 / due


@pytest.mark.parametrize("number", [100, 1_000, 10_000])
def test_a_minute_by_all(benchmark, number):
    benchmark.group = "a minute in which 100 are due, by all schedules"
    benchmark.extra_info |= {"axis": "schedules", "number": number}
    call, setup = next_minute(scheduled(smaller(benchmark, number, 200), 100))
    assert len(benchmark.pedantic(call, setup=setup, rounds=ROUNDS)) == 100


def test_growth_of_a_minute(benchmark, capsys):
    """What is due costs alike among a hundred schedules and among ten thousand."""
    benchmark.group = "growth"
    due = smaller(benchmark, 100, 10)
    every = smaller(benchmark, ALL, 100)
    turns = smaller(benchmark, ROUNDS, 1)

    def measure():
        engines = [scheduled(due, due), scheduled(every, due), scheduled(every, 10 * due)]
        jobs = [lambda one=one: one.advance(one.now + MINUTE) for one in engines]
        return in_turns(turns, *jobs)

    few, many, more = once(benchmark, measure)
    figures = {f"{every // due} times the schedules": many / few, "10 times those due": more / many}
    tell(benchmark, capsys, "a minute", figures)


TYPES = 100


def with_plugins(watchers, number=ALL):
    """So many automations over a hundred types, of which some watch ``type-0``'s event."""
    types = TypeRegistry()
    for place in range(TYPES):
        types.register(
            TriggerType(
                type=f"type-{place}",
                title=f"Type {place}",
                events=(TriggerEvent(id="happened", title="It happened"),),
            ),
            "plugin",
        )
    return Engine(
        [
            automation(
                f"a{place}",
                [
                    PluginTrigger(
                        id="t",
                        type="type-0" if place < watchers else f"type-{1 + place % (TYPES - 1)}",
                        events=("happened",),
                    )
                ],
            )
            for place in range(number)
        ],
        at=0,
        settings=MATCHING,
        types=types,
    )


def fire(engine):
    def fired():
        return engine.feed(PluginEvent(type="type-0", event="happened", at=engine.now + 1))

    return fired


@pytest.mark.parametrize("watchers", [0, 1, 10, 100, 1_000])
def test_a_plugin_event_by_its_watchers(benchmark, watchers):
    benchmark.group = "a plugin event among 10 000 automations, by its watchers"
    benchmark.extra_info |= {"axis": "plugin watchers", "number": watchers}
    watchers = smaller(benchmark, watchers, 10)
    engine = with_plugins(watchers, smaller(benchmark, ALL, 100))
    outputs = benchmark.pedantic(fire(engine), rounds=200, warmup_rounds=5)
    assert len(outputs) == 2 * watchers
    if watchers and benchmark.stats is not None:
        benchmark.extra_info["microseconds_each"] = benchmark.stats.stats.median * 1e6 / watchers


def test_growth_of_a_plugin_event(benchmark, capsys):
    benchmark.group = "growth"
    few = smaller(benchmark, 10, 1)
    every = smaller(benchmark, ALL, 200)
    turns = smaller(benchmark, ROUNDS, 1)

    def measure():
        return in_turns(turns, *(fire(with_plugins(each, every)) for each in (few, 100 * few)))

    of_few, of_many = once(benchmark, measure)
    tell(benchmark, capsys, "a plugin event", {"100 times the watchers": of_many / of_few})
