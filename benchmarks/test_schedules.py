"""Schedules and plugin events among ten thousand automations: a step costs what it concerns.

Run with ``pytest benchmarks/test_schedules.py``; with ``-s`` the ratios are told.
"""

import gc
from statistics import median
from time import perf_counter

import pytest
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


def seconds(call, setup):
    """The median of what a call took."""
    took = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            arguments, _ = setup()
            begun = perf_counter()
            call(*arguments)
            took.append(perf_counter() - begun)
    finally:
        gc.enable()
    return median(took)


@pytest.mark.parametrize("due", [0, 10, 100, 1_000, 10_000])
def test_a_minute_by_what_is_due(benchmark, due):
    benchmark.group = "a minute of 10 000 schedules, by those due"
    call, setup = next_minute(scheduled(ALL, due))
    outputs = benchmark.pedantic(call, setup=setup, rounds=ROUNDS)
    assert len(outputs) == due
    if due and benchmark.stats is not None:
        benchmark.extra_info["microseconds_each"] = benchmark.stats.stats.median * 1e6 / due


@pytest.mark.parametrize("number", [100, 1_000, 10_000])
def test_a_minute_by_all(benchmark, number):
    benchmark.group = "a minute in which 100 are due, by all schedules"
    call, setup = next_minute(scheduled(number, 100))
    assert len(benchmark.pedantic(call, setup=setup, rounds=ROUNDS)) == 100


def test_growth_of_a_minute(benchmark, capsys):
    """What is due costs alike among a hundred schedules and among ten thousand."""
    benchmark.group = "a minute: growth"
    few, many, more = scheduled(100, 100), scheduled(ALL, 100), scheduled(ALL, 1_000)
    cost_of_few = seconds(*next_minute(few))
    cost_of_many = seconds(*next_minute(many))
    cost_of_more = seconds(*next_minute(more))
    ratios = {"100 times the schedules": cost_of_many / cost_of_few,
              "10 times those due": cost_of_more / cost_of_many}  # fmt: skip
    benchmark.extra_info.update(ratios)
    with capsys.disabled():
        print("\na minute:", ", ".join(f"{what} {by:.2f} x" for what, by in ratios.items()), end="")
    call, setup = next_minute(many)
    benchmark.pedantic(call, setup=setup, rounds=ROUNDS)


TYPES = 100


def with_plugins(watchers):
    """Ten thousand automations over a hundred types; so many watch ``type-0``'s event."""
    types = TypeRegistry()
    for number in range(TYPES):
        types.register(
            TriggerType(
                type=f"type-{number}",
                title=f"Type {number}",
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
            for place in range(ALL)
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
    outputs = benchmark.pedantic(fire(with_plugins(watchers)), rounds=200, warmup_rounds=5)
    assert len(outputs) == 2 * watchers
    if watchers and benchmark.stats is not None:
        benchmark.extra_info["microseconds_each"] = benchmark.stats.stats.median * 1e6 / watchers


def test_growth_of_a_plugin_event(benchmark, capsys):
    benchmark.group = "a plugin event: growth"
    cost = {number: seconds(fire(with_plugins(number)), lambda: ((), {})) for number in (10, 1_000)}
    growth = cost[1_000] / cost[10]
    benchmark.extra_info["100 times the watchers"] = growth
    with capsys.disabled():
        print(f"\na plugin event: 100 times the watchers {growth:.1f} x", end="")
    benchmark.pedantic(fire(with_plugins(10)), rounds=50)
