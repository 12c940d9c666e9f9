"""The asyncio runner and the clock: deadlines, sleep, steps back, no busy loop."""

import asyncio

import pytest

from hosting.hosting_world import (
    AT,
    HOUR,
    MINUTE,
    Wakes,
    automation,
    engine_of,
    failed,
    schedule,
    turn,
)
from wakeful import Engine, Settings
from wakeful.hosting import DelayedClock, Runner, Saved, ScaledClock
from wakeful.testing import VirtualClock

SILENT = {"when": {"turnLongerThan": "5m"}}
ENDINGS = ("turnCompleted", "turnFailed", "turnCancelled")


def run(scene):
    return asyncio.run(scene())


def test_a_silence_wakes_at_its_deadline_without_another_input():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        async with Runner(engine_of(automation(events=ENDINGS, **SILENT)), wakes, clock=clock) as r:
            await r.feed(turn(AT))
            await clock.advance(5 * MINUTE - 1)
            early = list(wakes.told)
            await clock.advance(1)
        return early, wakes.told

    assert run(scene) == ([], [("start", AT + 5 * MINUTE, False)])


def test_a_deadline_that_an_input_brings_nearer_is_kept():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = automation(then={"kind": "idle", "for": "2s"})
        async with Runner(engine_of(rules), wakes, clock=clock) as r:
            await clock.advance(10_000)
            await r.feed(failed(clock.now()))
            await clock.advance(2_000)
            return wakes.told

    assert run(scene) == [("start", AT + 12_000, False)]


def test_a_night_asleep_wakes_each_wait_once_in_order_and_late():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = [
            automation(f"a{minutes}", then={"kind": "idle", "for": f"{minutes}m"})
            for minutes in (30, 10, 20)
        ]
        async with Runner(engine_of(*rules), wakes, clock=clock) as r:
            await r.feed(failed(AT))
            await clock.advance(MINUTE)
            clock.step(8 * HOUR)
            await clock.advance(MINUTE)
            await clock.advance(HOUR)
            return wakes.told, r.metrics().sleeps

    told = [("start", AT + minutes * MINUTE, True) for minutes in (10, 20, 30)]
    assert run(scene) == (told, 1)


def test_a_night_asleep_catches_an_hourly_schedule_up_once():
    async def scene():
        clock, wakes = VirtualClock(AT + MINUTE), Wakes()
        async with Runner(engine_of(schedule("h", "0 * * * *"), at=AT), wakes, clock=clock):
            clock.step(8 * HOUR)
            await clock.advance(MINUTE)
            return [(one.catch_up, one.scheduled_for, one.late) for one in wakes.seen]

    # 15:00 is the oldest that went by; the night began at 14:01.
    oldest = AT - AT % HOUR + HOUR
    assert run(scene) == [(True, oldest, True)]


def test_half_a_minute_ahead_is_no_sleep():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = automation(then={"kind": "idle", "for": "10m"})
        async with Runner(engine_of(rules), wakes, clock=clock) as r:
            await r.feed(failed(AT))
            await clock.advance(9 * MINUTE + 40_000)
            clock.step(25_000)
            await clock.advance(MINUTE)
            return wakes.told, r.metrics().sleeps

    assert run(scene) == ([("start", AT + 10 * MINUTE, False)], 0)


def test_a_clock_set_back_by_a_minute_wakes_once():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = automation(then={"kind": "idle", "for": "5m"})
        async with Runner(engine_of(rules), wakes, clock=clock) as r:
            await r.feed(failed(AT))
            await clock.advance(5 * MINUTE)
            clock.step(-MINUTE)
            await clock.advance(10 * MINUTE)
            return wakes.told

    assert run(scene) == [("start", AT + 5 * MINUTE, False)]


def test_a_clock_set_back_before_a_deadline_reaches_it_once():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = automation(then={"kind": "idle", "for": "5m"})
        async with Runner(engine_of(rules), wakes, clock=clock) as r:
            await r.feed(failed(AT))
            await clock.advance(4 * MINUTE)
            clock.step(-MINUTE)
            await clock.advance(MINUTE + 59_000)
            early = list(wakes.told)
            await clock.advance(10 * MINUTE)
            return early, wakes.told

    assert run(scene) == ([], [("start", AT + 5 * MINUTE, False)])


@pytest.mark.parametrize("step", [8 * HOUR, -MINUTE, 0])
def test_nothing_spins_whatever_the_clock_does(step):
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = automation(then={"kind": "idle", "for": "2m"})
        async with Runner(engine_of(rules), wakes, clock=clock) as r:
            await r.feed(failed(AT))
            await clock.advance(MINUTE)
            before = clock.waits
            clock.step(step)
            await clock.advance(10 * MINUTE)
            return clock.waits - before, r.metrics().looks

    waits, looks = run(scene)
    # A look each 30 s is 20 in ten minutes; one more for the deadline, one for a handler.
    assert waits <= 24
    assert looks <= 26


def test_the_clock_is_looked_at_every_thirty_seconds_when_nothing_is_due():
    async def scene():
        clock = VirtualClock(AT)
        async with Runner(engine_of(automation()), Wakes(), clock=clock) as r:
            await clock.advance(10 * MINUTE)
            return r.metrics().looks

    assert run(scene) == 20


def test_a_wait_of_nothing_is_done_at_once():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        rules = automation(then={"kind": "absent", "event": "toolCalled", "for": "0s"})
        async with Runner(engine_of(rules), wakes, clock=clock) as r:
            await r.feed(failed(AT))
            await clock.advance(0)
            return wakes.told

    assert run(scene) == [("start", AT, False)]


def test_what_fell_due_between_two_runners_is_late():
    async def scene():
        rules = automation(then={"kind": "idle", "for": "10m"})
        clock, wakes = VirtualClock(AT), Wakes()
        async with Runner(engine_of(rules), wakes, clock=clock) as first:
            await first.feed(failed(AT))
            await clock.advance(MINUTE)
            saved = await first.close()
        restored = Engine.restore(
            saved.snapshot, [rules], settings=Settings(run_time="none", unmet="every")
        )
        clock.step(HOUR)
        async with Runner(restored.engine, wakes, clock=clock, saved=saved) as second:
            await second.drained()
        return wakes.told

    assert run(scene) == [("start", AT + 10 * MINUTE, True)]


def test_a_host_says_which_runs_outlived_its_sleep():
    async def scene():
        clock, wakes = VirtualClock(AT), Wakes()
        engine = engine_of(automation(), run_time="log")
        async with Runner(engine, wakes, clock=clock, live=lambda: ()) as r:
            await r.feed(failed(AT))
            await r.feed(failed(AT))
            clock.step(HOUR)
            await clock.advance(MINUTE)
            return [str(one.kind) for one in wakes.seen]

    # The second waited behind the first, which did not outlive the night.
    assert run(scene) == ["start", "release"]


def test_a_runner_that_was_never_fed_leaves_no_snapshot():
    async def scene():
        runner = Runner(Engine(), Wakes(), clock=VirtualClock(AT))
        return await runner.close()

    assert run(scene) == Saved(snapshot=None, owed=(), going=())


def test_a_scaled_clock_runs_faster():
    async def scene():
        clock = ScaledClock(AT, 1_000)
        await clock.wait(asyncio.Event(), 10)
        return clock.now() - AT

    assert run(scene) >= 10_000


def test_a_scaled_clock_has_a_speed():
    with pytest.raises(ValueError, match="above 0"):
        ScaledClock(AT, 0)


def test_a_delayed_clock_is_behind():
    assert DelayedClock(VirtualClock(AT), 2_000).now() == AT - 2_000
