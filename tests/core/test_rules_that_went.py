"""Rules that are changed or removed leave nothing behind, in sessions that go on or fall silent."""

import gc
import tracemalloc

import pytest

from engine_scenes import automation, event_within, fail, matched_at, ms, ok, on, saved
from wakeful import DefinitionRemoved, Engine, Settings, Tick

EVERY = Settings(unmet="every", runs_kept=0)


def removed(at):
    return DefinitionRemoved(automation="ahp-automation:/a", at=ms(at))


def held_after(live_through, times):
    """Bytes that are held after so many times, beyond those after a tenth of them."""
    live_through(range(times // 10))
    gc.collect()
    tracemalloc.start()
    try:
        live_through(range(times // 10, times))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


CHANGES = [
    lambda number: on("toolFailed", count={"n": 3 + number % 50}),
    lambda number: on("toolFailed", then=event_within("idle", f"{600 + number % 50}h")),
]


@pytest.mark.parametrize("change", CHANGES, ids=["hits", "waits"])
def test_a_session_that_goes_on_keeps_nothing_of_rules_that_were_changed(change):
    engine = Engine(settings=EVERY, at=0)

    def live_through(times):
        for number in times:
            engine.feed_many([saved(number, automation(change(number))), fail(number), ok(number)])

    assert held_after(live_through, 500) < 40_000
    engine.check()


def test_sessions_that_fall_silent_keep_nothing_of_rules_that_are_gone_after_some_ticks():
    engine = Engine(settings=EVERY, at=0)
    sessions = [f"s{number}" for number in range(40)]

    def live_through(times):
        for number in times:
            kept = automation(on("toolFailed", count={"n": 900, "within": "600h"}))
            engine.feed(saved(number, kept))
            for session in sessions:
                engine.feed_many(fail(number, session) for _ in range(20))
            engine.feed(removed(number))
            engine.feed_many(Tick(ms(number)) for _ in range(20))

    assert held_after(live_through, 20) < 40_000
    assert engine.statistics().hits == 0


def test_a_rule_that_names_a_session_leaves_others_of_the_same_facts_alone():
    engine = Engine([automation(id="b")], settings=EVERY, at=0)
    engine.feed_many([fail(1, "s"), fail(1, "t")])
    engine.feed(saved(2, automation(on("toolFailed", filter={"sessions": ["s"]}))))
    found = [engine.feed(item) for item in (fail(3, "s"), fail(4, "t"), fail(5, "u"))]
    assert [len(matched_at(outputs)) for outputs in found] == [1, 0, 0]
    engine.feed(removed(6))
    assert matched_at(engine.feed(fail(7, "s"))) == []
    engine.check()


def test_one_of_two_rules_that_name_a_session_may_go():
    one = automation(on("toolFailed", filter={"sessions": ["s"]}))
    other = automation(on("toolFailed", filter={"sessions": ["s", "t"]}), id="b")
    engine = Engine([one, other], settings=EVERY, at=0)
    engine.feed(fail(1))
    engine.feed(removed(2))
    engine.check()
    engine.feed(DefinitionRemoved(automation=other.resource, at=ms(3)))
    engine.check()
    assert engine.statistics().rules == 0


def test_names_that_no_filter_has_any_more_are_let_go_now_and_then():
    engine = Engine(settings=EVERY, at=0)

    def live_through(times):
        for number in times:
            names = [f"s{number}-{each}" for each in range(100)]
            engine.feed(saved(number, automation(on("toolFailed", filter={"sessions": names}))))
            engine.feed(removed(number))

    # Of 13 500 names, at some 300 bytes each, the last 4 096 at most.
    assert held_after(live_through, 150) < 2_000_000
