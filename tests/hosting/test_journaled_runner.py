"""A runner over a journal: what is dealt with is acknowledged, what is not comes again."""

import asyncio
import threading

import pytest

from hosting.hosting_world import AT, MINUTE, Wakes, automation, failed
from wakeful import Settings
from wakeful.hosting import Runner, SyncRunner
from wakeful.journal import Journal
from wakeful.testing import VirtualClock

SETTINGS = Settings(run_time="log", unmet="every")


def journal_in(folder, **rules):
    return Journal.open(
        folder / "journal", at=AT, automations=[automation(**rules)], settings=SETTINGS
    )


def run(scene):
    return asyncio.run(scene())


def test_what_is_dealt_with_is_acknowledged(tmp_path):
    async def scene():
        with journal_in(tmp_path) as journal:
            async with Runner(journal, Wakes(), clock=VirtualClock(AT)) as r:
                await r.feed(failed(AT))
                await r.feed(failed(AT + 1))  # a hold: nobody has to act
                await r.drained()
            return journal.outstanding

    assert run(scene) == ()


def test_a_wake_that_could_not_be_delivered_is_dealt_with_too(tmp_path):
    async def handler(decision):
        raise OSError

    async def scene():
        with journal_in(tmp_path) as journal:
            async with Runner(
                journal, handler, clock=VirtualClock(AT), trouble=lambda trouble: None
            ) as r:
                await r.feed(failed(AT))
                await r.drained()
            return journal.outstanding

    assert run(scene) == ()


def test_what_was_not_dealt_with_comes_again_after_a_restart(tmp_path):
    async def scene():
        clock, again = VirtualClock(AT), Wakes()
        with journal_in(tmp_path) as journal:
            async with Runner(journal, Wakes(asyncio.Event()), clock=clock) as r:
                await r.feed(failed(AT))
                await clock.advance(1)
                await r.close(grace=0)
        with journal_in(tmp_path) as journal:
            async with Runner(journal, again, clock=clock) as r:
                await r.drained()
            return again.told, journal.outstanding

    assert run(scene) == ([("start", AT, False)], ())


def test_what_fell_due_while_nobody_ran_is_late(tmp_path):
    async def scene():
        clock, again = VirtualClock(AT), Wakes()
        rules = {"then": {"kind": "idle", "for": "5m"}}
        with journal_in(tmp_path, **rules) as journal:
            async with Runner(journal, Wakes(), clock=clock) as r:
                await r.feed(failed(AT))
        clock.step(60 * MINUTE)
        with journal_in(tmp_path, **rules) as journal:
            async with Runner(journal, again, clock=clock) as r:
                await r.drained()
        return again.told

    assert run(scene) == [("start", AT + 5 * MINUTE, True)]


def test_a_journal_that_cannot_be_written_stops_the_runner(tmp_path):
    async def scene():
        with journal_in(tmp_path, overlap="parallel") as journal:
            runner = await Runner(journal, Wakes(), clock=VirtualClock(AT)).__aenter__()

            def refuse(*decisions):
                raise OSError("the disk is full")

            journal.acknowledge = refuse
            # The second waits for the first's handler, and is handed to nobody.
            await runner.feed(failed(AT))
            await runner.feed(failed(AT))
            await runner.drained()
            with pytest.raises(OSError, match="the disk is full"):
                await runner.close()

    run(scene)


def test_threads_acknowledge_too(tmp_path):
    clock, again = VirtualClock(AT), []
    gate = threading.Event()
    with journal_in(tmp_path) as journal:
        with SyncRunner(journal, lambda decision: gate.wait(30), clock=clock) as runner:
            runner.feed(failed(AT))
            runner.close(grace=0)
        gate.set()
    with journal_in(tmp_path) as journal:
        with SyncRunner(journal, again.append, clock=clock) as runner:
            runner.drained()
        outstanding = journal.outstanding

    assert [one.at for one in again] == [AT]
    assert outstanding == ()
