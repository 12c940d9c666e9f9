"""Bounds on sessions: the idle ones longest untouched go, counted, the same after a restart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import (
    absent,
    automation,
    decisions,
    event,
    event_within,
    fail,
    idle,
    matched_at,
    ms,
    on,
    settled,
    started,
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


def failures(*sessions):
    return [fail(number, session) for number, session in enumerate(sessions, 1)]


def test_of_too_many_counts_those_of_sessions_silent_for_longest_go():
    # Looked at after each input, a quarter of the bound apart.
    one = engine(counts_kept=4)
    one.feed_many(failures("a", "b", "c", "d"))
    assert one.statistics().hits == 4
    one.feed(fail(5, "e"))
    one.feed(fail(6, "f"))
    told = one.statistics()
    assert (told.hits, told.counts_let_go) == (5, 1)
    assert matched_at(one.feed(fail(7, "a"))) == []
    assert matched_at(one.feed(fail(8, "d"))) == [8]
    one.check()


def test_hits_that_are_stale_make_room_first():
    rule = automation(on("toolFailed", count={"n": 2, "within": "1s"}), overlap="parallel")
    one = engine(rule, counts_kept=4)
    one.feed_many([*failures("a", "b", "c", "d", "e"), fail(5, "e2"), fail(5, "e3")])
    assert one.statistics().counts_let_go == 0


ONCE = automation(on("toolFailed", then=absent("toolCalled", "600s")), overlap="parallel")


def test_of_too_many_waits_the_oldest_go():
    one = engine(ONCE, waits_kept=4)
    one.feed_many(failures("a", "b", "c", "d", "e", "f"))
    told = one.statistics()
    assert (told.waits, told.waits_let_go) == (5, 1)
    assert matched_at(one.advance(ms(700))) == [602, 603, 604, 605, 606]
    one.check()


def test_a_wait_that_was_let_go_may_be_armed_again():
    one = engine(ONCE, waits_kept=4)
    one.feed_many([*failures("a", "b", "c", "d", "e", "f"), fail(7, "a")])
    assert 607 in matched_at(one.advance(ms(700)))


@pytest.mark.parametrize(
    "over",
    [event_within("toolCalled", "5s"), idle("600s")],
    ids=["a window that passed", "a quiet that was broken"],
)
def test_waits_that_are_over_make_room_first(over):
    rule = automation(on("toolFailed", then=over))
    one = engine(rule, waits_kept=4)
    for number in range(6):
        one.feed(fail(number * 10, f"s{number}"))
        one.feed(event("messageQueued", number * 10 + 1, f"s{number}"))
    assert one.statistics().waits_let_go == 0


def test_of_too_many_runs_that_go_the_oldest_is_given_up():
    rule = automation(on("toolFailed"), overlap="parallel")
    one = Engine([rule], at=0, settings=Settings(runs_going=2))
    one.feed_many(failures("a", "b", "c"))
    assert one.statistics().runs_given_up == 1
    # The start given up is claimed by nobody: the record's run is the second.
    one.feed(started(4, "mine", "work"))
    assert one.feed(settled(5, "mine")) == []
    one.feed_many([fail(6, "d"), fail(7, "e")])
    assert one.statistics().runs_given_up == 2
    one.check()


def test_a_run_given_up_lets_nothing_go():
    one = Engine([automation(on("toolFailed"))], at=0, settings=Settings(runs_going=1))
    one.feed_many([fail(1), fail(2), started(3, "by hand"), started(4, "again")])
    assert decisions(one.feed(settled(5, "again"))) == ["5 a release 1"]


def test_the_bounds_that_were_met_are_named():
    one = engine(counts_kept=1, sessions_kept=3)
    assert list(one.overflow.met()) == []
    one.feed_many(failures("a", "b", "c", "d"))
    assert list(one.overflow.met()) == ["sessions_kept", "counts_kept"]


@settings(max_examples=25)
@given(
    case=any_cases(most=25),
    cuts=st.frozensets(st.integers(1, 25)),
    most=st.integers(1, 4),
)
def test_cuts_change_no_output_at_the_bounds_of_hits_waits_and_runs(case: Case, cuts, most):
    chosen = Settings(counts_kept=most, waits_kept=most, runs_going=most, unmet="every")
    assert uncut(case, chosen) == list(cut_after(case, chosen, cuts))


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
        ("counts_kept", 0),
        ("waits_kept", -1),
        ("runs_going", 0),
        ("session_silence", 0),
        ("session_silence", 1.5),
    ],
)
def test_a_bound_that_bounds_nothing_is_refused(name, value):
    with pytest.raises(InvalidError) as caught:
        Settings(**{name: value})
    assert [problem.path for problem in caught.value.problems] == [name]
