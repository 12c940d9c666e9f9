"""The asyncio runner and its handlers: bounds, reports, back-pressure, the switch, the end."""

import asyncio
import threading

import pytest

from hosting.hosting_world import AT, MINUTE, Wakes, automation, engine_of, failed
from wakeful import Engine, Press, RunSettled, RunStarted, Settings
from wakeful.errors import InputRefusedError
from wakeful.hosting import BacklogError, HandlerLimits, Runner, StoppedError
from wakeful.testing import VirtualClock


def run(scene):
    return asyncio.run(scene())


def kinds(decisions):
    return [str(one.kind) for one in decisions]


def test_a_handler_that_raises_is_told_of_and_its_run_was_not_started():
    async def scene():
        troubles, outputs = [], []

        async def handler(decision):
            raise OSError("no such agent")

        async with Runner(
            engine_of(automation(), run_time="log"),
            handler,
            clock=VirtualClock(AT),
            trouble=troubles.append,
            listener=outputs.append,
        ) as r:
            await r.feed(failed(AT))
            await r.drained()
            given = await r.feed(failed(AT + 1))
            await r.drained()
        return [(one.kind, one.message) for one in troubles], str(given[-1].kind)

    message = "the handler of ahp-automation:/a: OSError: no such agent"
    # Were the first run still going, the second wake would wait behind it.
    assert run(scene) == ([("raised", message)] * 2, "start")


def test_a_handler_that_hangs_is_given_up_and_told_of():
    async def scene():
        troubles, wakes = [], Wakes(asyncio.Event())
        clock = VirtualClock(AT)
        async with Runner(
            engine_of(automation(), run_time="log"),
            wakes,
            clock=clock,
            limits=HandlerLimits(seconds=5),
            trouble=troubles.append,
        ) as r:
            await r.feed(failed(AT))
            await clock.advance(4_999)
            early = len(troubles)
            await clock.advance(1)
            given = await r.feed(failed(clock.now()))
            handled = r.metrics().handled
            await r.close(grace=0)
        return early, [one.kind for one in troubles], handled, str(given[-1].kind)

    assert run(scene) == (0, ["timedOut"], {"timedOut": 1}, "start")


def test_a_plain_function_that_hangs_does_not_hold_the_loop():
    async def scene():
        release, troubles = threading.Event(), []
        async with Runner(
            engine_of(automation()),
            lambda decision: release.wait(30),
            limits=HandlerLimits(seconds=0.05),
            trouble=troubles.append,
        ) as r:
            await r.feed(failed(r.clock.now()))
            await r.drained()
        release.set()
        return [one.kind for one in troubles]

    assert run(scene) == ["timedOut"]


def test_one_automation_that_hangs_does_not_hold_another():
    async def scene():
        wakes, gate = [], asyncio.Event()

        async def handler(decision):
            wakes.append(decision.automation)
            if decision.automation.endswith("/a"):
                await gate.wait()

        async with Runner(
            engine_of(automation("a"), automation("b")), handler, clock=VirtualClock(AT)
        ) as r:
            await r.feed(failed(AT))
            await r.feed(failed(AT + 1))
            await r.clock.advance(1)
            seen = list(wakes)
            gate.set()
            await r.drained()
        return seen

    assert run(scene) == ["ahp-automation:/a", "ahp-automation:/b", "ahp-automation:/b"]


def test_no_more_handlers_work_at_once_than_may():
    async def scene():
        gate = asyncio.Event()
        working, most = 0, 0

        async def handler(decision):
            nonlocal working, most
            working += 1
            most = max(most, working)
            await gate.wait()
            working -= 1

        rules = [automation(f"a{number}") for number in range(6)]
        async with Runner(
            engine_of(*rules), handler, clock=VirtualClock(AT), limits=HandlerLimits(at_once=2)
        ) as r:
            await r.feed(failed(AT))
            await r.clock.advance(1)
            before = working
            gate.set()
            await r.drained()
            return before, most, r.metrics().handled

    assert run(scene) == (2, 2, {"done": 6})


def test_wakes_of_one_automation_are_handled_in_order():
    async def scene():
        seen = []

        async def handler(decision):
            await asyncio.sleep(0.002 if decision.at == AT else 0)
            seen.append(decision.at - AT)

        async with Runner(engine_of(automation()), handler, clock=VirtualClock(AT)) as r:
            for number in range(4):
                await r.feed(failed(AT + number))
            await r.drained()
        return seen

    assert run(scene) == [0, 1, 2, 3]


def test_feeding_waits_while_the_backlog_is_full():
    async def scene():
        gate = asyncio.Event()
        async with Runner(
            engine_of(automation()),
            Wakes(gate),
            clock=VirtualClock(AT),
            limits=HandlerLimits(backlog=2),
        ) as r:
            for number in range(3):  # one is being handled, two wait
                await r.feed(failed(AT + number))
            with pytest.raises(BacklogError):
                r.feed_nowait(failed(AT + 3))
            waiting = asyncio.create_task(r.feed(failed(AT + 3)))
            await r.clock.advance(1)
            held_back = not waiting.done()
            gate.set()
            await waiting
            await r.drained()
            return held_back, r.metrics().handled

    assert run(scene) == (True, {"done": 4})


def test_time_waits_for_the_backlog_too():
    async def scene():
        gate, clock = asyncio.Event(), VirtualClock(AT)
        rules = [
            automation("now"),
            automation("later", then={"kind": "idle", "for": "1m"}),
        ]
        async with Runner(
            engine_of(*rules),
            Wakes(gate),
            clock=clock,
            limits=HandlerLimits(backlog=1, seconds=None),
        ) as r:
            await r.feed(failed(AT))
            await r.feed(failed(AT + 1))
            await clock.advance(2 * MINUTE)
            before = r.metrics().backlog
            gate.set()
            await clock.advance(MINUTE)
            return before, r.metrics().handled

    assert run(scene) == (1, {"done": 3})


def test_a_pause_holds_wakes_and_a_resume_gives_them_in_order():
    async def scene():
        wakes = Wakes()
        rules = engine_of(automation("a"), automation("b"))
        async with Runner(rules, wakes, clock=VirtualClock(AT)) as r:
            r.pause()
            await r.feed(failed(AT))
            await r.feed(failed(AT + 1))
            await r.clock.advance(1)
            held, seen = len(r.held), len(wakes.seen)
            r.resume()
            await r.drained()
            return held, seen, [(one.automation[-1], one.at - AT) for one in wakes.seen]

    assert run(scene) == (4, 0, [("a", 0), ("b", 0), ("a", 1), ("b", 1)])


def test_a_pause_holds_what_waits_for_a_handler_already():
    async def scene():
        gate = asyncio.Event()
        wakes = Wakes(gate)
        async with Runner(engine_of(automation()), wakes, clock=VirtualClock(AT)) as r:
            await r.feed(failed(AT))
            await r.feed(failed(AT + 1))
            await r.clock.advance(0)
            r.pause()
            gate.set()
            await r.drained()
            return len(wakes.seen), len(r.held)

    assert run(scene) == (1, 1)


def test_a_pause_folds_behind_the_wake_that_is_held():
    async def scene():
        wakes = Wakes()
        async with Runner(
            engine_of(automation(), run_time="log"), wakes, clock=VirtualClock(AT)
        ) as r:
            r.pause()
            given = []
            for number in range(4):
                given += await r.feed(failed(AT + number))
            r.resume()
            await r.drained()
            return kinds(given[1::2]), kinds(wakes.seen)

    assert run(scene) == (["start", "hold", "fold", "fold"], ["start"])


def test_a_press_passes_a_pause():
    async def scene():
        wakes = Wakes()
        async with Runner(engine_of(automation()), wakes, clock=VirtualClock(AT)) as r:
            r.pause()
            await r.feed(Press(automation="ahp-automation:/a", request_id="p1", at=AT))
            await r.drained()
            return [one.request_id for one in wakes.seen]

    assert run(scene) == ["p1"]


def test_a_resume_that_discards_settles_what_was_held_as_not_started():
    async def scene():
        wakes = Wakes()
        async with Runner(
            engine_of(automation(), run_time="log"), wakes, clock=VirtualClock(AT)
        ) as r:
            r.pause()
            await r.feed(failed(AT))
            r.resume(discard=True)
            given = await r.feed(failed(AT + 1))
            await r.drained()
            return kinds(given[1:]), [one.at - AT for one in wakes.seen]

    assert run(scene) == (["start"], [1])


def test_a_run_that_goes_on_for_too_long_counts_as_failed():
    async def scene():
        clock, troubles, wakes = VirtualClock(AT), [], Wakes()
        async with Runner(
            engine_of(automation(), run_time="log"),
            wakes,
            clock=clock,
            run_limit=10 * MINUTE,
            trouble=troubles.append,
        ) as r:
            await r.feed(failed(AT))
            await r.feed(RunStarted(automation="ahp-automation:/a", run="r1", session="w", at=AT))
            await r.feed(failed(AT + 1))  # waits behind it
            await clock.advance(10 * MINUTE - 1)
            early = kinds(wakes.seen)
            await clock.advance(1)
            return early, kinds(wakes.seen), [one.message for one in troubles]

    message = "r1 of ahp-automation:/a went on for too long"
    assert run(scene) == (["start"], ["start", "release"], [message])


def test_a_run_that_settles_in_time_is_not_told_of():
    async def scene():
        clock, troubles = VirtualClock(AT), []
        async with Runner(
            engine_of(automation(), run_time="log"),
            Wakes(),
            clock=clock,
            run_limit=10 * MINUTE,
            trouble=troubles.append,
        ) as r:
            (_, start) = await r.feed(failed(AT))
            # By the engine's own name, which no record has replaced.
            await r.feed(
                RunSettled(automation=start.automation, run=start.run, outcome="completed", at=AT)
            )
            await clock.advance(20 * MINUTE)
            return troubles

    assert run(scene) == []


def test_runs_have_no_bound_of_their_own():
    async def scene():
        clock, troubles = VirtualClock(AT), []
        async with Runner(
            engine_of(automation(), run_time="log"), Wakes(), clock=clock, trouble=troubles.append
        ) as r:
            await r.feed(failed(AT))
            await clock.advance(30 * MINUTE)
            return troubles, str((await r.feed(failed(clock.now())))[-1].kind)

    assert run(scene) == ([], "hold")


def test_closing_lets_handlers_finish_and_takes_no_input_any_more():
    async def scene():
        clock, done = VirtualClock(AT, autojump=0), []

        async def handler(decision):
            await clock.sleep(5)
            done.append(decision.at)

        runner = Runner(engine_of(automation()), handler, clock=clock)
        async with runner:
            await runner.feed(failed(AT))
            await asyncio.sleep(0)
            saved = await runner.close(grace=10)
            with pytest.raises(StoppedError):
                await runner.feed(failed(AT))
        return done, saved.owed

    assert run(scene) == ([AT], ())


def test_what_no_handler_was_done_with_is_owed_and_given_to_the_next_runner():
    async def scene():
        rules = automation()
        clock, first, second = VirtualClock(AT), Wakes(asyncio.Event()), Wakes()
        runner = Runner(engine_of(rules), first, clock=clock)
        async with runner:
            for number in range(3):
                await runner.feed(failed(AT + number))
            await clock.advance(0)
            saved = await runner.close(grace=0)
        restored = Engine.restore(
            saved.snapshot, [rules], settings=Settings(run_time="none", unmet="every")
        )
        async with Runner(restored.engine, second, clock=clock, saved=saved) as runner:
            await runner.drained()
        return (
            len(first.seen),
            [one.at - AT for one in saved.owed],
            [one.at - AT for one in second.seen],
        )

    assert run(scene) == (1, [0, 1, 2], [0, 1, 2])


def test_a_listener_that_raises_is_told_of_and_stops_nothing():
    async def scene():
        troubles, wakes = [], Wakes()

        def listener(output):
            raise ValueError("not me")

        async with Runner(
            engine_of(automation()),
            wakes,
            clock=VirtualClock(AT),
            listener=listener,
            trouble=troubles.append,
        ) as r:
            await r.feed(failed(AT))
            await r.drained()
        return len(wakes.seen), [one.message for one in troubles]

    assert run(scene) == (1, ["a listener: ValueError: not me"] * 2)


def test_trouble_is_logged_where_nobody_is_told(caplog):
    async def scene():
        async def handler(decision):
            raise OSError("gone")

        async with Runner(engine_of(automation()), handler, clock=VirtualClock(AT)) as r:
            await r.feed(failed(AT))
            await r.drained()

    run(scene)

    assert [record.getMessage() for record in caplog.records] == [
        "raised: the handler of ahp-automation:/a: OSError: gone"
    ]


def test_an_input_that_the_engine_refuses_is_refused_to_who_fed_it():
    async def scene():
        async with Runner(engine_of(automation()), Wakes(), clock=VirtualClock(AT)) as r:
            with pytest.raises(InputRefusedError):
                await r.feed("no input")
            return await r.feed(failed(AT))

    assert len(run(scene)) == 2


def test_what_the_timer_died_of_is_told_by_whatever_comes_next():
    class Broken(Engine):
        def advance(self, instant):
            raise RuntimeError("torn journal")

    async def scene():
        clock = VirtualClock(AT)
        runner = await Runner(Broken(at=AT), Wakes(), clock=clock).__aenter__()
        await clock.advance(MINUTE)
        with pytest.raises(StoppedError):
            await runner.feed(failed(AT))
        with pytest.raises(RuntimeError, match="torn journal"):
            await runner.close()

    run(scene)


@pytest.mark.parametrize("bad", [{"at_once": 0}, {"backlog": 0}, {"seconds": 0}])
def test_bounds_that_let_nothing_through_are_refused(bad):
    with pytest.raises(ValueError):
        HandlerLimits(**bad)
