"""The helpers for other people's tests: a clock, and sessions as a host would tell them."""

import asyncio
import threading

from wakeful import Engine, read_automation
from wakeful.testing import SessionScript, VirtualClock


def test_time_stands_still_until_it_is_moved():
    async def scene():
        clock = VirtualClock(1_000)
        sleeping = asyncio.create_task(clock.sleep(5))
        await clock.advance(4_999)
        early = sleeping.done()
        await clock.advance(1)
        return early, sleeping.done(), clock.now(), clock.elapsed()

    assert asyncio.run(scene()) == (False, True, 6_000, 5.0)


def test_who_waits_is_woken_at_their_own_instant_on_the_way():
    async def scene():
        clock, seen = VirtualClock(), []

        async def nap(seconds):
            await clock.sleep(seconds)
            seen.append(clock.now())
            await clock.sleep(10)
            seen.append(clock.now())

        naps = [asyncio.create_task(nap(seconds)) for seconds in (30, 10, 20)]
        await clock.advance(60_000)
        await asyncio.gather(*naps)
        return seen

    assert asyncio.run(scene()) == [10_000, 20_000, 20_000, 30_000, 30_000, 40_000]


def test_a_step_moves_the_wall_clock_and_wakes_nobody():
    async def scene():
        clock = VirtualClock()
        sleeping = asyncio.create_task(clock.sleep(5))
        await clock.advance(0)
        clock.step(60_000)
        await clock.advance(0)
        done = sleeping.done()
        await clock.advance(5_000)
        return done, sleeping.done(), clock.now()

    assert asyncio.run(scene()) == (False, True, 65_000)


def test_an_event_ends_a_wait():
    async def scene():
        clock, event = VirtualClock(), asyncio.Event()
        waiting = asyncio.create_task(clock.wait(event, 60))
        await clock.advance(1_000)
        event.set()
        await waiting
        return clock.now()

    assert asyncio.run(scene()) == 1_000


def test_a_clock_that_jumps_waits_for_all_who_have_something_to_do():
    async def scene():
        clock, seen = VirtualClock(autojump=0), []

        async def busy():
            for _ in range(5):
                await asyncio.sleep(0)
            seen.append(("busy", clock.now()))
            await clock.sleep(1)
            seen.append(("busy", clock.now()))

        other = asyncio.create_task(busy())
        await clock.sleep(3_600)
        seen.append(("napped", clock.now()))
        await other
        return seen

    assert asyncio.run(scene()) == [("busy", 0), ("busy", 1_000), ("napped", 3_600_000)]


def test_threads_wait_for_it_too():
    clock, event = VirtualClock(), threading.Event()
    waiting = threading.Thread(target=clock.wait_in_thread, args=(event, 5))
    waiting.start()
    clock.advance_in_thread(4_999)
    waiting.join(0.05)
    early = waiting.is_alive()
    clock.advance_in_thread(10_000)
    waiting.join(5)

    assert (early, waiting.is_alive()) == (True, False)


def test_a_script_keeps_the_turn_its_calls_and_its_queue():
    script = SessionScript("s", at=1_000, provider="claude", folder="/home/ann/web")
    told = [
        *script.called("Web").start(),
        *script.after("1s").act(),
        *script.after("1s").call("bash", {"command": "make"}),
        *script.after(500).fail("bash", {"command": "make"}),
        *script.queue(),
        *script.after("1m").end("turnFailed"),
        *script.close(),
    ]

    assert [(type(one).__name__, one.at) for one in told] == [
        ("TurnStarted", 1_000),
        ("Activity", 2_000),
        ("SessionEvent", 3_000),
        ("SessionEvent", 3_500),
        ("SessionEvent", 3_500),
        ("SessionEvent", 63_500),
        ("SessionEnded", 63_500),
    ]
    assert [
        (one.kind, one.running, one.queued, one.turn_tool_calls, one.title) for one in told[2:6]
    ] == [
        ("toolCalled", True, 0, 1, "Web"),
        ("toolFailed", True, 0, 2, "Web"),
        ("messageQueued", True, 1, 2, "Web"),
        ("turnFailed", False, 1, 2, "Web"),
    ]
    assert told[0].facts.folders == ("file:///home/ann/web",)
    assert told[2].tool == told[3].tool


def test_a_script_feeds_an_engine():
    rules = read_automation(
        {
            "id": "a",
            "title": "A",
            "message": {"text": "look"},
            "triggers": [
                {
                    "id": "t",
                    "kind": "event",
                    "type": "watch",
                    "events": [{"id": "idle-after-failure"}],
                }
            ],
        }
    )
    script = SessionScript("s")
    engine = Engine([rules], at=0)
    engine.feed_many([*script.start(), *script.after("1m").end("turnFailed")])

    assert [str(one.kind) for one in engine.advance(3_600_000)[1:]] == ["start"]


def test_the_pytest_plugin_gives_a_clock(virtual_clock):
    assert virtual_clock.now() == 0
