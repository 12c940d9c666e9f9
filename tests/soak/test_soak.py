"""An engine for a long time: rules and sessions come and go, memory stays flat, all is sound.

WAKEFUL_SOAK_INPUTS=10000000 pytest -s -m deep tests/soak
"""

import gc
import os
import random
import sys
import tracemalloc
from collections.abc import Iterator

import pytest

from engine_scenes import absent, automation, idle, on, watch
from wakeful import (
    Activity,
    Automation,
    DefinitionRemoved,
    DefinitionSaved,
    Engine,
    Facts,
    Input,
    RunSettled,
    SessionEnded,
    SessionEvent,
    Settings,
    Tick,
    Tool,
    TurnStarted,
)

SHAPES = (
    on("toolFailed", count={"n": 3, "within": "5m"}),
    on("toolFailed", count={"n": 4, "consecutive": True}),
    on("toolCalled", "toolFailed", count={"n": 3, "sameInput": True, "within": "10m"}),
    on("toolFailed", then=absent("toolCalled", "30s")),
    on("turnFailed", then=idle("60s")),
    on("turnCompleted", when={"turnLongerThan": "45s"}),
    watch("looks-stuck", "failing-tools", "long-silent-turn"),
)
FACTS = tuple(
    Facts(owner=f"user:{n % 7}", project=f"p{n}", folders=(f"file:///w/{n}",)) for n in range(40)
)
RULES = 400
KINDS = ("toolCalled", "toolCalled", "toolFailed", "messageQueued", "idle")
ENDINGS = ("turnCompleted", "turnFailed", "turnCancelled")


def rule(number: int, dice: random.Random) -> Automation:
    shape = dict(dice.choice(SHAPES))
    shape["config"] = {**shape["config"], "filter": {"projects": [f"p{number % 40}"]}}
    return automation(shape, id=f"r{number}", overlap=dice.choice(("queue", "skip", "parallel")))


def inputs(count: int, dice: random.Random) -> Iterator[Input]:
    """Sessions that are born, work and end; rules saved and removed all along."""
    at = 1_700_000_000_000
    born = 0
    alive: list[int] = []
    for number in range(count):
        at += dice.randrange(0, 40)
        if number % 500 == 499:
            which = dice.randrange(RULES)
            if dice.random() < 0.3:
                yield DefinitionRemoved(automation=f"ahp-automation:/r{which}", at=at)
            else:
                yield DefinitionSaved(automation=rule(which, dice), at=at)
            continue
        if len(alive) < 300 and dice.random() < 0.2:
            alive.append(born)
            yield TurnStarted(f"s{born}", at, FACTS[born % 40])
            born += 1
            continue
        if not alive:
            yield Tick(at)
            continue
        place = dice.randrange(len(alive))
        one = alive[place]
        name, facts = f"s{one}", FACTS[one % 40]
        draw = dice.random()
        if draw < 0.1:
            alive[place] = alive[-1]
            alive.pop()
            yield SessionEnded(name, at)
        elif draw < 0.2:
            yield SessionEvent(dice.choice(ENDINGS), name, at, facts, running=False, queued=0)
        elif draw < 0.3:
            yield TurnStarted(name, at, facts)
        elif draw < 0.4:
            yield Activity(name, at)
        else:
            kind = dice.choice(KINDS)
            tool = Tool("Bash", str(dice.randrange(9))) if kind.startswith("tool") else None
            yield SessionEvent(kind, name, at, facts, running=True, turn_tool_calls=1, tool=tool)


def soak(count: int, *, check_every: int) -> None:
    dice = random.Random(13)
    # All that may come is there from the beginning: what a removed automation leaves behind
    # (its hour, its runs) is kept on purpose, and would look like growth until each was there.
    engine = Engine(
        [rule(number, dice) for number in range(RULES)],
        settings=Settings(runs_kept=2, unmet="every"),
    )
    going: list[tuple[str, str]] = []
    readings = []
    before = blocks()
    for number, item in enumerate(inputs(count, dice), 1):
        for output in engine.feed(item):
            if getattr(output, "kind", None) in {"start", "release"}:
                going.append((output.automation, output.run))
        while len(going) > 20:
            resource, run = going.pop(0)
            settled = RunSettled(automation=resource, run=run, outcome="completed", at=item.at)
            for output in engine.feed(settled):
                if getattr(output, "kind", None) in {"start", "release"}:
                    going.append((output.automation, output.run))
        if number % check_every == 0:
            engine.check()
            readings.append(blocks() - before)
            print(f"{number:>9} inputs  {readings[-1]:>7} blocks", flush=True)  # noqa: T201 - by -s
    warm = readings[len(readings) // 4 :]
    # Flat: the last readings are no higher than the first, but for what live sessions differ by.
    assert max(warm[-3:]) < 1.3 * max(warm[:3])
    assert engine.statistics().sessions <= 300


def blocks() -> int:
    """How many blocks of memory are allocated; costs nothing while nobody asks."""
    gc.collect()
    return sys.getallocatedblocks()


def test_memory_is_flat_and_all_is_sound_over_many_inputs():
    soak(12_000, check_every=1_000)


@pytest.mark.deep
def test_memory_is_flat_and_all_is_sound_over_millions_of_inputs():
    count = int(os.environ.get("WAKEFUL_SOAK_INPUTS", "1000000"))
    soak(count, check_every=max(1, count // 60))


def come_and_go(sessions: int) -> None:
    """Sessions with three events each, then ended: nothing is left."""
    dice = random.Random(16)
    engine = Engine(
        [rule(number, dice) for number in range(100)], at=0, settings=Settings(runs_kept=0)
    )
    at = 0
    before = 0

    def live_through(first: int, last: int) -> None:
        nonlocal at
        for number in range(first, last):
            name, facts = f"s{number}", FACTS[number % 40]
            for kind in ("toolFailed", "toolFailed", "turnFailed"):
                at += 1
                engine.feed(SessionEvent(kind, name, at, facts))
            engine.feed(SessionEnded(name, at))
        at += 700_000
        engine.advance(at)
        gc.collect()

    live_through(0, sessions // 10)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        live_through(sessions // 10, sessions)
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    engine.check()
    assert engine.statistics().sessions == 0
    assert engine.statistics().waits == 0
    assert after - before < 300_000


def test_of_sessions_that_came_and_went_nothing_is_left():
    come_and_go(4_000)


@pytest.mark.deep
def test_of_a_hundred_thousand_sessions_that_came_and_went_nothing_is_left():
    come_and_go(100_000)
