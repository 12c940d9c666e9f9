"""The engine's matches are those of the slow model of sections 1 to 7, in the same order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.comparing import fed, next_output_at, plain_matches, waiting_in
from models.plain_gate import PlainGate
from models.plain_matcher import MOST_CALLS, PlainMatcher
from models.strategies import START, Case, matcher_cases
from wakeful.core.engine import Engine, Settings
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import SessionEvent, Tool
from wakeful.model.outputs import Output
from wakeful.model.rules import Count, SessionRule
from wakeful.model.triggers import SessionTrigger

deep = settings(settings.get_profile("deep"))
fewer = settings(max_examples=20)
no_overlap = Settings(run_time="none", unmet="every")


def outputs_with_advances(case: Case, advances: list[int]) -> list[Output]:
    """The log fed one by one with time advanced, now and then, to before the next input."""
    engine = Engine(case.automations, settings=no_overlap)
    outputs: list[Output] = []
    for number, input_ in enumerate(case.inputs):
        if advances:
            outputs += engine.advance(input_.at - advances[number % len(advances)])
        outputs += engine.feed(input_)
    return outputs + list(engine.advance(case.until))


def assert_same_matches(case: Case) -> None:
    expected = PlainMatcher(case.automations).run(case.inputs, case.until)
    engine = Engine(case.automations, settings=no_overlap)
    assert expected == plain_matches(fed(engine, case.inputs, case.until))


@given(case=matcher_cases(changes=False))
def test_matches_of_fixed_rules_are_the_models(case: Case):
    assert_same_matches(case)


@given(case=matcher_cases())
def test_matches_while_rules_change_are_the_models(case: Case):
    assert_same_matches(case)


@pytest.mark.deep
@deep
@given(case=matcher_cases(most=80))
def test_matches_of_long_logs_are_the_models(case: Case):
    assert_same_matches(case)


def assert_same_waits(case: Case) -> None:
    model = PlainMatcher(case.automations)
    engine = Engine(case.automations, settings=no_overlap)
    for input_ in case.inputs:
        model.run([input_])
        engine.feed(input_)
        assert set(model.waiting()) == waiting_in(engine)
    model.advance(case.until)
    engine.advance(case.until)
    assert set(model.waiting()) == waiting_in(engine)


@given(case=matcher_cases())
def test_what_waits_after_each_input_is_what_waits_in_the_model(case: Case):
    assert_same_waits(case)


@pytest.mark.deep
@deep
@given(case=matcher_cases(most=80))
def test_what_waits_in_long_logs_is_what_waits_in_the_model(case: Case):
    assert_same_waits(case)


@fewer
@given(case=matcher_cases(), advances=st.lists(st.sampled_from((0, 0, 1, 500, 1_000, 4_000))))
def test_advancing_in_between_changes_no_output(case: Case, advances: list[int]):
    assert outputs_with_advances(case, []) == outputs_with_advances(case, advances)


@fewer
@given(case=matcher_cases())
def test_feeding_many_is_feeding_one_by_one(case: Case):
    together = Engine(case.automations, settings=no_overlap)
    assert fed(Engine(case.automations, settings=no_overlap), case.inputs) == list(
        together.feed_many(case.inputs)
    )


@fewer
@given(case=matcher_cases())
def test_sorting_by_order_key_gives_the_order_of_the_outputs(case: Case):
    keys = [output.key for output in outputs_with_advances(case, [])]
    assert sorted(keys) == keys


@fewer
@given(case=matcher_cases())
def test_the_next_deadline_is_never_after_the_next_output(case: Case):
    model = PlainGate(case.automations, run_time="none")
    engine = Engine(case.automations, settings=no_overlap)
    for input_ in case.inputs:
        model.feed(input_)
        engine.feed(input_)
        at = next_output_at(model)
        if at is not None:
            assert engine.next_deadline is not None
            assert at >= engine.next_deadline


@fewer
@given(case=matcher_cases())
def test_late_inputs_are_counted_as_the_model_counts_them(case: Case):
    model = PlainMatcher(case.automations)
    model.run(case.inputs)
    engine = Engine(case.automations, settings=no_overlap)
    fed(engine, case.inputs)
    assert model.late == engine.statistics().late


@pytest.mark.parametrize("touched_again", [False, True])
@pytest.mark.parametrize("consecutive", [False, True])
def test_the_call_longest_untouched_of_1025_is_forgotten(*, touched_again: bool, consecutive: bool):
    rule = SessionRule(
        events=frozenset({"toolCalled"}), count=Count(n=3, same_input=True, consecutive=consecutive)
    )
    automation = Automation(
        resource="ahp-automation:/a0",
        definition=AutomationDefinition(
            title="A",
            message=Message(text="m"),
            triggers=(SessionTrigger(id="t1", events=("toolCalled",), rule=rule),),
        ),
    )
    calls = [0, *([0] if touched_again else []), *range(1, MOST_CALLS + 1), 0, 1, 1, 0, 2, 2]
    order = [*range(MOST_CALLS), *([0] if touched_again else []), MOST_CALLS, 0, 0, 1, 1, 2, 2]
    for sequence in (calls, order):
        inputs = [
            SessionEvent("toolCalled", "s0", START + number, tool=Tool("Bash", str(call)))
            for number, call in enumerate(sequence)
        ]
        expected = PlainMatcher([automation]).run(inputs)
        assert expected == plain_matches(fed(Engine([automation], settings=no_overlap), inputs))
