"""A session's state, and an automation's, taken out of one half and put into another."""

from collections.abc import Iterable

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import automation, on
from models.strategies import Case, matcher_cases
from two_halves import in_order, inputs_of_part, matched, next_step, numbered
from wakeful import Press, Settings, SnapshotError
from wakeful.core.deciding import Deciding, place_of_input
from wakeful.core.matching import OF_SESSIONS, Matching
from wakeful.core.sealed import seal
from wakeful.model.events import GrantsChanged, Input, TypeRegistered, TypeRemoved
from wakeful.model.outputs import Match, Output
from whole_cases import standing_after, whole_cases

A = "ahp-automation:/a"
RESOURCES = [f"ahp-automation:/a{number}" for number in range(4)]
TOLD_TO_ALL = {*OF_SESSIONS, GrantsChanged, TypeRegistered, TypeRemoved}
NOWHERE = place_of_input(0, 0)
EVERY = Settings(unmet="every", run_time=1_000)
fewer = settings(max_examples=12)


@fewer
@given(case=matcher_cases(), at=st.integers(1, 40))
def test_sessions_and_rules_go_on_in_another_half(case: Case, at: int):
    log = numbered(case.inputs, EVERY)
    one = Matching(case.automations, settings=EVERY)
    for number, item in log[:at]:
        one.take(item, number)
    if not log:
        return
    other = Matching(settings=EVERY)
    standing = standing_after(case.automations, [item for _, item in log[:at]])
    other.import_rules(one.export_rules(), standing)
    for session in one.sessions():
        assert other.import_session(one.export_session(session)) == ()
        assert other.export_session(session) == one.export_session(session)
    assert other.export_rules() == one.export_rules()
    other.check()
    for number, item in log[at:]:
        assert other.take(item, number) == one.take(item, number)
    assert other.pending() == one.pending()


def without_places(outputs: Iterable[Output]) -> list[Output]:
    """Outputs without their keys: an automation that is new gets another place elsewhere."""
    return [attrs.evolve(each, key=NOWHERE) for each in outputs]


@fewer
@given(case=whole_cases(), cut=st.integers(1, 40))
def test_automations_go_on_in_another_half(case: Case, cut: int):
    log = numbered(case.inputs, EVERY)
    if not log:
        return
    at = log[0][1].at
    rest = in_order(log, [matched(inputs_of_part(log, 0, 1), case.automations, EVERY, at)])
    one, other = Deciding(case.automations, at=at, settings=EVERY), Deciding(at=at, settings=EVERY)
    taken: list[Input] = []
    for _ in range(cut):
        if not rest:
            return
        step = next_step(rest)
        del rest[: len(step)]
        list(one.decide(step))
        key, item = step[0]
        if not isinstance(item, Match):
            taken.append(item)
        if type(item) in TOLD_TO_ALL:
            other.take(item, key.sequence)
    standing = {each.resource: each for each in standing_after(case.automations, taken)}
    for resource in RESOURCES:
        state = one.export_automation(resource)
        if state is not None:
            assert other.import_automation(state, standing.get(resource)) == []
            assert other.export_automation(resource) == state
    other.check()
    assert other.pending() == one.pending()
    assert without_places(other.decide(rest)) == without_places(one.decide(rest))


def test_an_automation_that_is_forgotten_leaves_nothing_behind():
    half = Deciding([automation(on("toolFailed"), overlap="queue")], at=0, settings=EVERY)
    half.take(Press(automation=A, request_id="p", at=1), 1)
    assert half.forget_automation(A)
    half.check()
    assert half.export_automation(A) is None
    assert not half.forget_automation(A)
    assert half.advance(10_000) == []


def test_state_of_an_unknown_version_is_refused():
    with pytest.raises(SnapshotError, match="version 99"):
        Deciding().import_automation(seal("wakeful-automation", 99, {}), None)
    with pytest.raises(SnapshotError, match="version 99"):
        Matching().import_rules(seal("wakeful-rules", 99, {}), ())


def test_state_of_another_automation_is_refused():
    half = Deciding([automation(on("toolFailed"))], at=0, settings=EVERY)
    state = half.export_automation(A)
    other = attrs.evolve(automation(on("toolFailed")), resource=f"{A}-other")
    with pytest.raises(SnapshotError, match="not"):
        Deciding().import_automation(state, other)


def test_rules_whose_definitions_are_missing_are_refused():
    half = Matching([automation(on("toolFailed"))], at=0)
    with pytest.raises(SnapshotError):
        Matching().import_rules(half.export_rules(), ())
