"""Every internal invariant holds after every input, and after every restart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.strategies import Case
from snapshots.cutting import Host, any_cases, chosen_settings
from wakeful.core.engine import Engine
from wakeful.core.settings import Settings

deep = settings(settings.get_profile("deep"), max_examples=2_000)


def assert_sound_throughout(case: Case, chosen: Settings, cuts: frozenset[int]) -> None:
    host = Host.of(case, chosen)
    for number, item in enumerate(case.inputs, 1):
        host.feed(item)
        host.engine.check()
        if number in cuts:
            host.cut()
            host.engine.check()
    host.engine.advance(case.until)
    host.engine.check()


@settings(max_examples=40)
@given(case=any_cases(most=25), chosen=chosen_settings, cuts=st.frozensets(st.integers(1, 25)))
def test_invariants_hold_after_every_input(case: Case, chosen: Settings, cuts: frozenset[int]):
    assert_sound_throughout(case, chosen, cuts)


@pytest.mark.deep
@deep
@given(case=any_cases(most=80), chosen=chosen_settings, cuts=st.frozensets(st.integers(1, 80)))
def test_invariants_hold_throughout_long_logs(case: Case, chosen: Settings, cuts: frozenset[int]):
    assert_sound_throughout(case, chosen, cuts)


def test_invariants_hold_before_the_first_input():
    Engine().check()
