"""Pictures of long logs: thin where nothing happens, whole where something does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from report_scene import MINUTE, SECOND
from wakeful.report.kept import Bounded
from wakeful.report.lanes import Drawn, Mark, Queue, Span, Turn
from wakeful.report.thinning import counted, thin

HOUR = 60 * MINUTE
marks = st.lists(
    st.tuples(st.integers(0, 48 * HOUR), st.integers(0, 7), st.integers(0, 3)), max_size=200
).map(lambda found: [Mark(*each) for each in sorted(found)])


def test_what_fits_is_left_as_it_is():
    day = Drawn(marks=[Mark(0, 1, 0), Mark(1, 1, 0)])

    found = thin([day], [[]], budget=2)

    assert ((day,), None) == (found.sessions, found.width)


def test_events_of_one_kind_that_are_close_together_become_one_mark_that_says_how_many():
    day = Drawn(marks=[Mark(100, 3, 1), Mark(200, 3, 1), Mark(300, 3, 2), Mark(5 * SECOND, 3, 1)])

    found = thin([day], [[]], budget=2)

    assert [Mark(100, 3, 0, 3, 300), Mark(5 * SECOND, 3, 1)] == found.sessions[0].marks


def test_failures_and_calls_stay_apart():
    day = Drawn(marks=[Mark(1, 3, 0), Mark(2, 4, 0), Mark(3, 3, 0), Mark(4, 4, 0)])

    found = thin([day], [[]], budget=2)

    assert {each.code: each.n for each in found.sessions[0].marks} == {3: 2, 4: 2}


def test_nothing_near_a_match_is_thinned():
    near = [Mark(HOUR + each, 4, 0) for each in range(50)]
    far = [Mark(9 * HOUR + each, 4, 0) for each in range(1_000)]

    found = thin([Drawn(marks=[*near, *far])], [[HOUR + 5 * MINUTE]], budget=60)

    assert near == found.sessions[0].marks[:50]
    assert found.after == 51


def test_short_turns_close_together_become_one_and_long_ones_stay():
    turns = [Turn(each * 10, each * 10 + 5, "completed") for each in range(100)]
    day = Drawn(turns=[*turns, Turn(2_000, 2_000 + HOUR, "failed")])

    found = thin([day], [[]], budget=2)

    assert [Turn(0, 995, "completed", 100), Turn(2_000, 2_000 + HOUR, "failed")] == (
        found.sessions[0].turns
    )


def test_a_queue_keeps_its_fullest_and_how_it_was_left():
    steps = [Queue(each, each % 7) for each in range(100)]

    found = thin([Drawn(queue=steps)], [[]], budget=2)

    assert [Queue(6, 6), Queue(99, 1)] == found.sessions[0].queue


def test_long_silences_stay():
    silences = [Span(each * HOUR, each * HOUR + 30 * MINUTE) for each in range(3)]
    marks = [Mark(each, 4, 0) for each in range(100)]

    found = thin([Drawn(silences=silences, marks=marks)], [[]], budget=4)

    assert silences == found.sessions[0].silences


@given(st.lists(marks, min_size=1, max_size=3), st.integers(1, 40), st.data())
@settings(max_examples=40, deadline=None)
def test_thinning_loses_no_event(sessions, budget, data):
    days = [Drawn(marks=each) for each in sessions]
    matches = [sorted(data.draw(st.lists(st.integers(0, 48 * HOUR), max_size=3))) for _ in sessions]

    found = thin(days, matches, budget=budget)

    assert counted(days) == counted(found.sessions)
    assert found.after <= found.before


@given(st.integers(1, 20), st.integers(0, 500))
def test_what_is_bounded_is_spread_over_all_that_was_offered(limit, number):
    kept = Bounded(limit)
    for each in range(number):
        kept.add(each)

    gaps = {after - before for before, after in zip(list(kept), list(kept)[1:], strict=False)}
    assert number == kept.offered
    assert len(kept) <= limit
    assert len(gaps) <= 1
    assert number == 0 or len(kept) >= min(number, (limit + 1) // 2)
