"""Counts at their edges: of a window, of how many hits, of how many calls are kept."""

import pytest

from engine_scenes import MATCHES_ONLY, automation, fail, matched_at, on
from wakeful import Engine

CALLS = 1_024
"""How many different calls are kept (semantics 4.4)."""


def engine_with(**count):
    rule = automation(on("toolFailed", count=count), overlap="parallel")
    return Engine([rule], settings=MATCHES_ONLY)


@pytest.mark.parametrize("n", [3, 64, 65, 500])
@pytest.mark.parametrize(("first", "matches"), [(0.0, 1), (-0.001, 0)])
def test_a_hit_exactly_as_old_as_the_window_counts_however_many_are_wanted(n, first, matches):
    engine = engine_with(n=n, within="300s")
    inputs = [fail(10 + first), *(fail(310) for _ in range(n - 1))]
    assert len(matched_at(engine.feed_many(inputs))) == matches


@pytest.mark.parametrize("n", [65, 66])
def test_many_hits_slide_out_of_a_window_one_by_one(n):
    engine = engine_with(n=n, within="1s")
    # Ten a second: never more than eleven of them in one.
    assert matched_at(engine.feed_many(fail(number / 10) for number in range(300))) == []
    assert engine.statistics().hits == 11


@pytest.mark.parametrize("calls", [1, 2, CALLS - 1, CALLS, CALLS + 1])
def test_any_number_of_calls_up_to_the_bound_is_sound(calls):
    engine = engine_with(n=3, sameInput=True)
    engine.feed_many(fail(number, call=str(number)) for number in range(calls))
    engine.check()
    assert engine.statistics().hits == min(calls, CALLS)
    assert engine.statistics().evicted == max(0, calls - CALLS)


@pytest.mark.parametrize(("at", "evicted"), [(309.999, 1), (310, 1), (310.001, 0)])
def test_a_call_that_is_let_go_is_counted_where_its_hits_still_counted(at, evicted):
    engine = engine_with(n=3, sameInput=True, within="300s")
    engine.feed(fail(10, call="first"))
    engine.feed_many(fail(20, call=str(number)) for number in range(CALLS - 1))
    engine.feed(fail(at, call="last"))
    assert engine.statistics().evicted == evicted
