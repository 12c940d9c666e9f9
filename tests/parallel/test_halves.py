"""Matching in parts and deciding once gives what one engine gives, in the same order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import automation, on
from models.strategies import Case, gate_cases, matcher_cases
from two_halves import outputs_of_halves
from wakeful import Decision, Engine, SessionEvent, Settings, Tick
from whole_cases import often_off, whole_cases

any_settings = st.builds(
    Settings,
    run_time=st.sampled_from(("log", "log", "none", 0, 1_000, 5_000)),
    cap=st.sampled_from((20, 3)),
    unmet=st.sampled_from(("every", "every", "none")),
)
fewer = settings(max_examples=12)
any_parts = st.sampled_from((1, 2, 3))


def assert_same(case: Case, chosen: Settings, parts: int) -> None:
    for inputs in (case.inputs, [*case.inputs, Tick(case.until)]):
        expected = list(Engine(case.automations, settings=chosen).stream(inputs, refused=ignore))
        assert expected == outputs_of_halves(inputs, case.automations, chosen, parts=parts)


def ignore(error: Exception) -> None:
    pass


@fewer
@given(case=gate_cases(), chosen=any_settings, parts=any_parts)
def test_decisions_are_one_engines(case: Case, chosen: Settings, parts: int):
    assert_same(case, chosen, parts)


@fewer
@given(case=matcher_cases(), chosen=any_settings, parts=any_parts)
def test_matches_are_one_engines(case: Case, chosen: Settings, parts: int):
    assert_same(case, chosen, parts)


@fewer
@given(case=whole_cases(), chosen=any_settings, parts=any_parts)
def test_schedules_and_plugin_events_are_one_engines(case: Case, chosen: Settings, parts: int):
    assert_same(case, chosen, parts)


@fewer
@given(case=whole_cases().map(often_off), chosen=any_settings, parts=any_parts)
def test_automations_that_switch_themselves_off_and_are_saved_again_are_one_engines(
    case: Case, chosen: Settings, parts: int
):
    assert_same(case, chosen, parts)


def test_a_run_without_length_ends_after_all_matches_that_its_input_made_due():
    at_once = {"kind": "absent", "event": "idle", "for": "0s"}
    triggers = [on("toolFailed", id=id_, then=at_once) for id_ in ("t1", "t2", "t3")]
    every = Settings(unmet="every", run_time=0)
    failures = [SessionEvent("toolFailed", session, 1_000) for session in "ab"]
    expected = Engine([automation(*triggers)], settings=every).feed_many([*failures, Tick(2_000)])

    assert [str(o.kind) for o in expected if isinstance(o, Decision)][:4] == [
        "start", "hold", "fold", "release",
    ]  # fmt: skip
    halves = outputs_of_halves([*failures, Tick(2_000)], [automation(*triggers)], every, parts=2)
    assert halves == expected


@pytest.mark.deep
@settings(settings.get_profile("deep"), max_examples=2_000)
@given(
    case=st.one_of(
        matcher_cases(most=80), whole_cases(most=80), whole_cases(most=80).map(often_off)
    ),
    chosen=any_settings,
    parts=st.integers(1, 7),
)
def test_long_logs_are_one_engines(case: Case, chosen: Settings, parts: int):
    assert_same(case, chosen, parts)
