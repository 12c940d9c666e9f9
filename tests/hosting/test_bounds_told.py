"""A bound at which something goes is said once, and what went is counted."""

import asyncio

from hosting.hosting_world import AT, Wakes, automation, engine_of, failed
from wakeful.hosting import Runner
from wakeful.testing import VirtualClock


def troubles_of(engine, sessions):
    told = []

    async def host():
        clock = VirtualClock(AT)
        async with Runner(engine, Wakes(), clock=clock, trouble=told.append) as runner:
            for number in range(sessions):
                await runner.feed(failed(AT, f"s{number}"))

    asyncio.run(host())
    return [(one.kind, one.message) for one in told]


def test_a_bound_is_told_once_however_often_it_is_met():
    engine = engine_of(automation(count={"n": 2}), sessions_kept=2)
    assert troubles_of(engine, 9) == [
        ("bound", "the engine is at its bound sessions_kept, and lets the oldest go")
    ]
    assert engine.statistics().forgotten == 7


def test_each_bound_is_told():
    engine = engine_of(automation(count={"n": 2}), sessions_kept=4, counts_kept=1)
    told = [message.split()[6].rstrip(",") for _, message in troubles_of(engine, 9)]
    assert told == ["counts_kept", "sessions_kept"]


def test_where_no_bound_is_met_nothing_is_told():
    assert troubles_of(engine_of(automation(count={"n": 2})), 9) == []
