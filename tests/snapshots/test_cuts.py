"""An engine that is saved and restored, however often, gives what one does that never stopped."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.strategies import Case
from snapshots.cutting import Host, any_cases, chosen_settings, cut_after, mixed_cases, uncut
from wakeful.core.engine import Engine
from wakeful.core.settings import Settings
from wakeful.errors import SnapshotError

deep = settings(settings.get_profile("deep"), max_examples=2_000)
fewer = settings(max_examples=12)
cut_points = st.one_of(
    st.just(frozenset(range(100))), st.frozensets(st.integers(1, 40), max_size=6)
)


@settings(max_examples=40)
@given(case=any_cases(most=25), chosen=chosen_settings, cuts=cut_points)
def test_cuts_change_no_output(case: Case, chosen: Settings, cuts: frozenset[int]):
    assert uncut(case, chosen) == list(cut_after(case, chosen, cuts))


@pytest.mark.deep
@deep
@given(case=any_cases(most=80), chosen=chosen_settings, cuts=cut_points)
def test_cuts_change_no_output_of_long_logs(case: Case, chosen: Settings, cuts: frozenset[int]):
    assert uncut(case, chosen) == list(cut_after(case, chosen, cuts))


@fewer
@given(case=mixed_cases(most=25), chosen=chosen_settings)
def test_a_restored_engine_lists_the_same_as_pending_and_counts_the_same(
    case: Case, chosen: Settings
):
    host = Host.of(case, chosen)
    for item in case.inputs:
        host.feed(item)
    restored = host.restored().engine
    assert host.engine.pending() == restored.pending()
    assert host.engine.statistics() == restored.statistics()
    assert host.engine.occurrences == restored.occurrences


@fewer
@given(case=any_cases(most=25), chosen=chosen_settings, looks=st.frozensets(st.integers(1, 40)))
def test_looking_at_an_engine_changes_no_byte_of_its_snapshot(
    case: Case, chosen: Settings, looks: frozenset[int]
):
    plain, watched = Host.of(case, chosen), Host.of(case, chosen)
    for number, item in enumerate(case.inputs, 1):
        plain.feed(item)
        watched.feed(item)
        if number in looks:
            watched.engine.statistics()
            watched.engine.pending()
            watched.engine.snapshot()
    assert plain.engine.snapshot() == watched.engine.snapshot()


@fewer
@given(case=any_cases(most=25), chosen=chosen_settings)
def test_time_that_is_advanced_in_steps_changes_no_byte_of_the_snapshot(
    case: Case, chosen: Settings
):
    once, stepped = Host.of(case, chosen), Host.of(case, chosen)
    for item in case.inputs:
        once.feed(item)
        stepped.feed(item)
    for at in range(case.until - 3_000, case.until + 1, 500):
        stepped.engine.advance(at)
    once.engine.advance(case.until)
    assert once.engine.snapshot() == stepped.engine.snapshot()


def test_an_engine_that_was_fed_nothing_has_no_snapshot():
    with pytest.raises(SnapshotError, match="no state to save"):
        Engine().snapshot()
