"""The runner for threads: the same promises, kept behind a lock."""

import threading
import time

import pytest

from hosting.hosting_world import AT, HOUR, MINUTE, automation, engine_of, failed
from wakeful import Engine, Press, Settings
from wakeful.hosting import BacklogError, HandlerLimits, StoppedError, SyncRunner
from wakeful.testing import VirtualClock


class Seen:
    """A handler that remembers, and waits for a gate where there is one."""

    def __init__(self, gate=None):
        self.seen, self.gate = [], gate

    def __call__(self, decision):
        self.seen.append(decision)
        if self.gate is not None:
            self.gate.wait(30)


def until(holds, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "did not come"
        time.sleep(0.002)


def test_a_quiet_wakes_at_its_deadline_without_another_input():
    clock, wakes = VirtualClock(AT), Seen()
    rules = automation(then={"kind": "idle", "for": "5m"})
    with SyncRunner(engine_of(rules), wakes, clock=clock) as runner:
        runner.feed(failed(AT))
        for _ in range(10):  # the timer looks every 30 s
            clock.advance_in_thread(MINUTE // 2)
            time.sleep(0.01)
        until(lambda: wakes.seen)

    assert [(one.at, one.late) for one in wakes.seen] == [(AT + 5 * MINUTE, False)]


def test_a_night_asleep_wakes_once_and_late():
    clock, wakes = VirtualClock(AT), Seen()
    rules = automation(then={"kind": "idle", "for": "5m"})
    with SyncRunner(engine_of(rules), wakes, clock=clock) as runner:
        runner.feed(failed(AT))
        clock.step(8 * HOUR)
        clock.advance_in_thread(MINUTE // 2)
        until(lambda: wakes.seen)
        sleeps = runner.metrics().sleeps

    assert [(one.at, one.late) for one in wakes.seen] == [(AT + 5 * MINUTE, True)]
    assert sleeps == 1


def test_a_clock_that_jumps_by_itself_comes_to_the_deadline():
    clock, wakes = VirtualClock(AT, autojump=0.01), Seen()
    rules = automation(then={"kind": "idle", "for": "1m"})
    with SyncRunner(engine_of(rules), wakes, clock=clock) as runner:
        runner.feed(failed(AT))
        until(lambda: wakes.seen)

    assert [one.at for one in wakes.seen] == [AT + MINUTE]


def test_threads_may_feed_at_the_same_time():
    wakes = Seen()
    rules = automation(count={"n": 50})
    with SyncRunner(engine_of(rules), wakes, clock=VirtualClock(AT)) as runner:
        threads = [
            threading.Thread(target=lambda: [runner.feed(failed(AT)) for _ in range(100)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        runner.drained()

    assert [one.count for one in wakes.seen] == [50] * 8


def test_a_handler_that_raises_is_told_of_and_its_run_was_not_started():
    troubles = []

    def handler(decision):
        raise OSError("no such agent")

    with SyncRunner(
        engine_of(automation(), run_time="log"),
        handler,
        clock=VirtualClock(AT),
        trouble=troubles.append,
    ) as runner:
        runner.feed(failed(AT))
        runner.drained()
        given = runner.feed(failed(AT + 1))
        runner.drained()

    assert [one.kind for one in troubles] == ["raised", "raised"]
    assert str(given[-1].kind) == "start"


def test_a_handler_that_hangs_is_given_up_and_the_next_wake_goes_on():
    gate, troubles = threading.Event(), []
    wakes = Seen(gate)
    with SyncRunner(
        engine_of(automation()),
        wakes,
        limits=HandlerLimits(seconds=0.05),
        trouble=troubles.append,
    ) as runner:
        at = runner.clock.now()
        runner.feed(failed(at))
        runner.feed(failed(at))
        until(lambda: len(troubles) == 2)
        abandoned = runner.abandoned
        gate.set()
        until(lambda: runner.abandoned == 0)

    assert [one.kind for one in troubles] == ["timedOut", "timedOut"]
    assert abandoned == 2


def test_a_handler_that_always_hangs_ends_in_back_pressure():
    gate = threading.Event()
    with SyncRunner(
        engine_of(automation()),
        Seen(gate),
        limits=HandlerLimits(seconds=0.02, at_once=2, backlog=1),
        trouble=lambda trouble: None,
    ) as runner:
        at = runner.clock.now()

        def is_full():
            try:
                runner.feed_nowait(failed(at))
            except BacklogError:
                return runner.abandoned == 2
            return False

        until(is_full)
        gate.set()

    assert runner.metrics().handled["timedOut"] == 2


def test_a_pause_holds_wakes_and_a_press_passes():
    wakes = Seen()
    with SyncRunner(engine_of(automation()), wakes, clock=VirtualClock(AT)) as runner:
        runner.pause()
        runner.feed(failed(AT))
        runner.feed(Press(automation="ahp-automation:/a", request_id="p1", at=AT))
        runner.drained()
        paused, held = [one.request_id for one in wakes.seen], len(runner.held)
        assert runner.is_paused
        runner.resume()
        runner.drained()

    assert (paused, held) == (["p1"], 1)
    assert [one.request_id for one in wakes.seen] == ["p1", None]


def test_a_resume_that_discards_lets_the_next_wake_start():
    wakes = Seen()
    with SyncRunner(
        engine_of(automation(), run_time="log"), wakes, clock=VirtualClock(AT)
    ) as runner:
        runner.pause()
        runner.feed(failed(AT))
        runner.resume(discard=True)
        runner.feed(failed(AT + 1))
        runner.drained()

    assert [one.at - AT for one in wakes.seen] == [1]


def test_what_no_handler_was_done_with_is_owed_and_given_to_the_next_runner():
    rules, gate = automation(), threading.Event()
    clock, second = VirtualClock(AT), Seen()
    with SyncRunner(engine_of(rules), Seen(gate), clock=clock) as runner:
        runner.feed(failed(AT))
        runner.feed(failed(AT + 1))
        saved = runner.close(grace=0)
        with pytest.raises(StoppedError):
            runner.feed(failed(AT))
    gate.set()
    restored = Engine.restore(
        saved.snapshot, [rules], settings=Settings(run_time="none", unmet="every")
    )
    with SyncRunner(restored.engine, second, clock=clock, saved=saved) as runner:
        runner.drained()

    assert [one.at - AT for one in second.seen] == [0, 1]


def test_a_run_that_goes_on_for_too_long_counts_as_failed():
    clock, wakes = VirtualClock(AT), Seen()
    with SyncRunner(
        engine_of(automation(), run_time="log"),
        wakes,
        clock=clock,
        run_limit=MINUTE,
        trouble=lambda trouble: None,
    ) as runner:
        runner.feed(failed(AT))
        runner.feed(failed(AT + 1))
        for _ in range(3):
            clock.advance_in_thread(MINUTE // 2)
            time.sleep(0.01)
        until(lambda: len(wakes.seen) == 2)

    assert [str(one.kind) for one in wakes.seen] == ["start", "release"]


def test_what_the_timer_died_of_is_told_when_it_is_closed():
    class Broken(Engine):
        def advance(self, instant):
            raise RuntimeError("torn journal")

    clock = VirtualClock(AT)
    runner = SyncRunner(Broken(at=AT), Seen(), clock=clock).__enter__()
    clock.advance_in_thread(MINUTE)
    until(lambda: runner._state == "failed")

    with pytest.raises(RuntimeError, match="torn journal"):
        runner.close()
