"""The engine's decisions are those of the slow model of section 9, in the same order."""

from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from models.comparing import (
    assert_same_runs,
    fed,
    model_of,
    next_output_at,
    plain_outputs,
    waiting_in,
    without_runs,
)
from models.plain_gate import PlainGate
from models.strategies import (
    SESSIONS,
    START,
    Case,
    World,
    all_kinds,
    automation_lists,
    definition_inputs,
    gate_cases,
    grant_inputs,
    resumptions,
    run_inputs,
    session_inputs,
    steps,
    worlds,
)
from wakeful.core.engine import Engine, Settings
from wakeful.model.events import Input
from wakeful.model.outputs import Output

deep = settings(settings.get_profile("deep"))
fewer = settings(max_examples=20)


def settings_with(run_times: st.SearchStrategy[Any]) -> st.SearchStrategy[Settings]:
    """Engine settings: small caps, so that they are reached, and every sight."""
    return st.builds(
        Settings,
        run_time=run_times,
        cap=st.sampled_from((20, 3, 1)),
        cap_window=st.sampled_from((3_600_000, 5_000)),
        unmet=st.sampled_from(("every", "every", "none")),
        unowned=st.sampled_from(("every", "every", "none")),
    )


told_runs = settings_with(st.just("log"))
any_runs = settings_with(st.sampled_from(("log", "log", "none", 0, 1_000, 5_000)))
advances = st.lists(st.sampled_from((0, 0, 1, 500, 1_000, 4_000)))


def assert_same_outputs(case: Case, chosen: Settings) -> None:
    expected = model_of(case.automations, chosen).run(case.inputs, case.until)
    outputs = fed(Engine(case.automations, settings=chosen), case.inputs, case.until)
    assert without_runs(expected) == plain_outputs(outputs)
    assert_same_runs(outputs, expected)


@given(case=gate_cases(), chosen=told_runs)
def test_decisions_of_runs_told_by_the_log_are_the_models(case: Case, chosen: Settings):
    assert_same_outputs(case, chosen)


@given(case=gate_cases(), chosen=any_runs)
def test_decisions_of_runs_that_settle_by_themselves_are_the_models(case: Case, chosen: Settings):
    assert_same_outputs(case, chosen)


@pytest.mark.deep
@deep
@given(case=gate_cases(most=80), chosen=any_runs)
def test_decisions_of_long_logs_are_the_models(case: Case, chosen: Settings):
    assert_same_outputs(case, chosen)


def outputs_with_advances(case: Case, chosen: Settings, before: list[int]) -> list[Output]:
    """The log fed one by one with time advanced, now and then, to before the next input.

    What is late is left out: time that is advanced over passed while the host was running.
    """
    engine = Engine(case.automations, settings=chosen)
    outputs: list[Output] = []
    for number, input_ in enumerate(case.inputs):
        if before:
            outputs += engine.advance(input_.at - before[number % len(before)])
        outputs += engine.feed(input_)
    outputs += engine.advance(case.until)
    return [attrs.evolve(output, late=False) for output in outputs]


@fewer
@given(case=gate_cases(), chosen=any_runs, before=advances)
def test_advancing_in_between_changes_no_output(case: Case, chosen: Settings, before: list[int]):
    assert outputs_with_advances(case, chosen, []) == outputs_with_advances(case, chosen, before)


@fewer
@given(case=gate_cases(), chosen=any_runs)
def test_sorting_by_order_key_gives_the_order_of_the_outputs(case: Case, chosen: Settings):
    keys = [output.key for output in outputs_with_advances(case, chosen, [])]
    assert sorted(keys) == keys


class EngineAndModel(RuleBasedStateMachine):
    """One engine and one model, fed the same; after each step they agree on everything."""

    def __init__(self) -> None:
        super().__init__()
        self.at = START
        self.world = World(kinds=all_kinds, sessions=SESSIONS, for_gate=True)
        self.current = {}
        self.engine = Engine()
        self.model = PlainGate()

    @initialize(data=st.data(), world=worlds(for_gate=True), chosen=any_runs)
    def begin(self, data: st.DataObject, world: World, chosen: Settings) -> None:
        self.world = world
        automations = data.draw(automation_lists(world))
        self.current = {automation.resource: automation for automation in automations}
        self.engine = Engine(automations, settings=chosen)
        self.model = model_of(automations, chosen)

    def feed(self, input_: Input) -> None:
        told = len(self.model.outputs)
        self.model.feed(input_)
        outputs = self.engine.feed(input_)
        assert without_runs(self.model.outputs[told:]) == plain_outputs(outputs)

    def later(self, data: st.DataObject) -> int:
        self.at += data.draw(steps, label="step")
        return self.at

    @rule(data=st.data())
    def session_acts(self, data: st.DataObject) -> None:
        self.feed(data.draw(session_inputs(self.later(data), self.world)))

    @rule(data=st.data())
    def run_is_told(self, data: st.DataObject) -> None:
        self.feed(data.draw(run_inputs(self.later(data))))

    @rule(data=st.data())
    def definition_changes(self, data: st.DataObject) -> None:
        self.feed(data.draw(definition_inputs(self.later(data), self.current, self.world)))

    @rule(data=st.data())
    def grants_change(self, data: st.DataObject) -> None:
        self.feed(data.draw(grant_inputs(self.later(data))))

    @rule(data=st.data())
    def host_resumes(self, data: st.DataObject) -> None:
        self.feed(data.draw(resumptions(self.later(data))))

    @rule(data=st.data())
    def time_passes(self, data: st.DataObject) -> None:
        told = len(self.model.outputs)
        until = self.later(data)
        self.model.advance(until)
        outputs = self.engine.advance(until)
        assert without_runs(self.model.outputs[told:]) == plain_outputs(outputs)

    @invariant()
    def the_same_things_wait(self) -> None:
        assert set(self.model.matcher.waiting()) == waiting_in(self.engine)

    @invariant()
    def the_next_deadline_is_never_after_the_next_output(self) -> None:
        at = next_output_at(self.model)
        if at is not None:
            assert self.engine.next_deadline is not None
            assert at >= self.engine.next_deadline


class TestEngineAndModel(EngineAndModel.TestCase):
    settings = settings(max_examples=20, stateful_step_count=25)


@pytest.mark.deep
class TestEngineAndModelForLong(EngineAndModel.TestCase):
    settings = settings(settings.get_profile("deep"), max_examples=1_000, stateful_step_count=80)
