"""Bounds on sessions: the idle ones longest untouched go, counted, the same after a restart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import (
    absent,
    automation,
    event,
    event_within,
    fail,
    idle,
    matched_at,
    ms,
    on,
    turn,
    waits,
)
from models.strategies import Case
from snapshots.cutting import any_cases, cut_after, uncut
from wakeful import Engine, InvalidError, Settings

TWO = automation(on("toolFailed", count={"n": 2}), overlap="parallel")


def engine(rule=TWO, **bounds):
    return Engine([rule], at=0, settings=Settings(run_time="none", **bounds))


def test_where_one_session_more_comes_the_one_longest_untouched_is_forgotten():
    one = engine(sessions_kept=3)
    one.feed_many([fail(1, "a"), fail(2, "b"), fail(3, "c"), fail(4, "a"), fail(5, "d")])
    assert one.statistics().sessions == 3
    assert one.statistics().forgotten == 1
    # b's hit is gone; a was touched later.
    assert matched_at(one.feed(fail(6, "b"))) == []
    assert one.statistics().forgotten == 2


@pytest.mark.parametrize("busy", [turn(1, "a"), fail(1, "a")], ids=["a turn", "a wait"])
def test_a_session_where_something_goes_on_is_not_forgotten(busy):
    one = engine(automation(on("toolFailed", then=absent("toolCalled", "600s"))), sessions_kept=2)
    one.feed_many([busy, event("idle", 2, "b"), event("idle", 3, "c"), event("idle", 4, "d")])
    assert one.statistics().sessions == 2
    assert one.look("a").touched_by == 1


@pytest.mark.parametrize(
    "over",
    [event_within("toolCalled", "5s"), idle("600s")],
    ids=["a window that passed", "a quiet that was broken"],
)
def test_a_wait_that_is_over_keeps_no_session(over):
    rule = automation(on("toolFailed", then=over))
    one = engine(rule, sessions_kept=2)
    one.feed_many([fail(1, "a"), event("messageQueued", 2, "a"), event("idle", 10, "b")])
    one.feed(event("idle", 11, "c"))
    assert one.look("a").touched_by == -1


def test_where_something_goes_on_everywhere_the_bound_gives_way():
    one = engine(sessions_kept=2)
    one.feed_many([turn(number, f"s{number}") for number in range(5)])
    assert one.statistics().sessions == 5
    assert one.statistics().forgotten == 0


def test_a_session_that_said_nothing_for_long_is_forgotten():
    one = engine(session_silence=ms(100))
    one.feed_many([fail(number / 100, f"s{number}") for number in range(1_024)])
    one.feed(fail(105, "s0"))
    one.feed(fail(111, "one more"))
    # s0 was touched again; of the others, those up to 10.99 are silent for more than 100 s.
    assert one.statistics().forgotten == 1_023
    one.check()


def test_without_a_silence_nothing_ages():
    one = engine()
    one.feed_many([fail(number / 100, f"s{number}") for number in range(1_024)])
    one.feed(fail(10**9, "one more"))
    assert one.statistics().forgotten == 0


def test_what_was_forgotten_is_counted_over_a_restart():
    bounds = Settings(run_time="none", sessions_kept=2)
    one = Engine([TWO], at=0, settings=bounds)
    one.feed_many([fail(number, f"s{number}") for number in range(5)])
    assert one.statistics().forgotten == 3
    again = Engine.restore(one.snapshot(), [TWO], settings=bounds).engine
    assert again.statistics() == one.statistics()
    assert waits(again) == []


@settings(max_examples=25)
@given(
    case=any_cases(most=25),
    cuts=st.frozensets(st.integers(1, 25)),
    most=st.integers(1, 2),
    run_time=st.sampled_from(("log", "none", 1_000)),
)
def test_cuts_change_no_output_at_the_bound(case: Case, cuts, most, run_time):
    chosen = Settings(sessions_kept=most, run_time=run_time, unmet="every")
    assert uncut(case, chosen) == list(cut_after(case, chosen, cuts))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sessions_kept", 0),
        ("sessions_kept", True),
        ("session_silence", 0),
        ("session_silence", 1.5),
    ],
)
def test_a_bound_that_bounds_nothing_is_refused(name, value):
    with pytest.raises(InvalidError) as caught:
        Settings(**{name: value})
    assert [problem.path for problem in caught.value.problems] == [name]
