"""Reported fault 16: partial state that is left behind for each session."""

import gc
import tracemalloc

import pytest

from engine_scenes import (
    absent,
    automation,
    ended,
    event,
    event_within,
    fail,
    idle,
    matches,
    on,
    run,
    turn,
    watch,
)
from wakeful import Engine

EVERY_SHAPE = [
    automation(on("toolFailed", count={"n": 9}), id="total"),
    automation(on("toolFailed", count={"n": 9, "within": "600s"}), id="window"),
    automation(on("toolFailed", count={"n": 9, "consecutive": True}), id="run"),
    automation(on("toolFailed", count={"n": 9, "sameInput": True}), id="same"),
    automation(on("toolFailed", then=event_within("childFinished", "9h")), id="event"),
    automation(on("toolFailed", then=absent("childFinished", "9h")), id="absent"),
    automation(on("toolFailed", then=idle("9h")), id="idle"),
    automation(watch("long-silent-turn", minutes=600), id="silent"),
]


@pytest.mark.parametrize("sessions", [2_000, pytest.param(100_000, marks=pytest.mark.deep)])
def test_fault_16_sessions_that_ended_leave_nothing_behind(sessions):
    engine = Engine(EVERY_SHAPE)

    def left_after(name):
        """Bytes held after so many sessions lived side by side and ended."""
        for index in range(sessions):
            session = f"{name}{index}"
            engine.feed_many(
                [turn(0, session), fail(0, session, call="x"), event("idle", 0, session)]
            )
        lived = tracemalloc.get_traced_memory()[0]
        engine.feed_many(ended(0, f"{name}{index}") for index in range(sessions))
        gc.collect()
        return lived, tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        lived, left = left_after("a")
        _, left_again = left_after("b")
    finally:
        tracemalloc.stop()
    held = engine.statistics()
    assert (held.sessions, held.turns, held.hits, held.waits, held.timers) == (0, 0, 0, 0, 0)
    assert engine.pending() == ()
    # What stays is room: two dictionaries keep the size they grew to, and use it again.
    assert left < lived / 10
    assert left_again <= left + 10_000


@pytest.mark.parametrize(
    ("trigger", "round_of"),
    [
        (on("toolFailed"), lambda at: [fail(at)]),
        (on("toolFailed", count={"n": 2}), lambda at: [fail(at), fail(at + 1)]),
        (
            on("toolFailed", count={"n": 2, "sameInput": True}),
            lambda at: [fail(at, call="x"), fail(at + 1, call="x")],
        ),
        (
            on("toolFailed", count={"n": 2, "consecutive": True}),
            lambda at: [event("toolCalled", at), fail(at), fail(at + 1)],
        ),
        (
            on("toolFailed", then=event_within("idle", "5s")),
            lambda at: [fail(at), event("idle", at + 1)],
        ),
        (
            on("toolFailed", then=absent("idle", "5s")),
            lambda at: [fail(at), event("idle", at + 6)],
        ),
        (on("toolFailed", then=idle("5s")), lambda at: [fail(at)]),
        (on("turnFailed", when={"turnLongerThan": "5s"}), lambda at: [turn(at)]),
    ],
)
def test_fault_16_what_matched_once_matches_again_each_time(trigger, round_of):
    rounds = [each for number in range(5) for each in round_of(100 * number)]
    assert len(matches(run(automation(trigger), *rounds, until=600))) == 5


@pytest.mark.parametrize("shape", EVERY_SHAPE[:4], ids=lambda each: each.resource[16:])
def test_fault_16_a_session_that_ended_and_came_back_counts_from_nothing(shape):
    eight = [fail(number, call="x") for number in range(8)]
    ninth = fail(20, call="x")
    assert matches(run(shape, *eight, ended(10), ninth)) == []
    assert len(matches(run(shape, *eight, ninth))) == 1


@pytest.mark.parametrize("shape", EVERY_SHAPE[4:], ids=lambda each: each.resource[16:])
def test_fault_16_a_session_that_ended_and_came_back_waits_for_nothing(shape):
    before = [turn(0), fail(0)]
    assert matches(run(shape, *before, ended(10), event("childFinished", 20), until=36_000)) == []
