"""A fleet decides what one engine decides, whatever the order of arrival and whoever dies."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet_scenes import BY_NAME, DEALING, of_fleet, of_one_engine, partitioned, rules_first, told
from models.strategies import Case, gate_cases
from wakeful import Settings, Tick
from whole_cases import often_off, whole_cases

any_settings = st.builds(
    Settings,
    run_time=st.sampled_from(("log", "log", "none", 1_000, 5_000)),
    cap=st.sampled_from((20, 3)),
    unmet=st.sampled_from(("every", "every", "none")),
)
any_partitions = st.sampled_from((1, 2, 3))


def assert_same(case: Case, chosen: Settings, partitions: int, seed: int, **how) -> None:
    for inputs in (case.inputs, [*case.inputs, Tick(case.until)]):
        dealt = rules_first(case.automations, partitioned(inputs, partitions))
        expected = list(told(of_one_engine(dealt, chosen)))
        assert expected == list(told(of_fleet(dealt, chosen, order=Random(seed), **how)))


FEW = settings(max_examples=15)


@FEW
@given(case=gate_cases(), chosen=any_settings, parts=any_partitions, seed=st.integers(0, 9))
def test_decisions_are_one_engines(case: Case, chosen: Settings, parts: int, seed: int):
    assert_same(case, chosen, parts, seed, dealing=DEALING)


@FEW
@given(case=whole_cases(), chosen=any_settings, parts=any_partitions, seed=st.integers(0, 9))
def test_schedules_and_plugin_events_are_one_engines(
    case: Case, chosen: Settings, parts: int, seed: int
):
    assert_same(case, chosen, parts, seed, dealing=DEALING)


@FEW
@given(case=whole_cases(), chosen=any_settings, parts=any_partitions, seed=st.integers(0, 9))
def test_with_a_shard_for_each_name_they_are_too(
    case: Case, chosen: Settings, parts: int, seed: int
):
    assert_same(case, chosen, parts, seed, dealing=BY_NAME)


@FEW
@given(case=whole_cases(), chosen=any_settings, parts=any_partitions, seed=st.integers(0, 9))
def test_where_machines_die_they_are_too(case: Case, chosen: Settings, parts: int, seed: int):
    assert_same(case, chosen, parts, seed, dealing=DEALING, crashes=0.5)


@FEW
@given(
    case=whole_cases().map(often_off),
    chosen=any_settings,
    parts=any_partitions,
    seed=st.integers(0, 9),
)
def test_automations_that_switch_themselves_off_and_are_saved_again_are_one_engines(
    case: Case, chosen: Settings, parts: int, seed: int
):
    assert_same(case, chosen, parts, seed, crashes=0.2)


@pytest.mark.deep
@settings(settings.get_profile("deep"), max_examples=1_000)
@given(
    case=st.one_of(gate_cases(most=80), whole_cases(most=80), whole_cases().map(often_off)),
    chosen=any_settings,
    parts=any_partitions,
    seed=st.integers(0, 99),
    crashes=st.sampled_from((0, 0.2, 0.8)),
    dealing=st.sampled_from((DEALING, BY_NAME)),
)
def test_long_logs_are_one_engines(  # noqa: PLR0917 - hypothesis names them
    case, chosen, parts, seed, crashes, dealing
):
    assert_same(case, chosen, parts, seed, crashes=crashes, dealing=dealing)
