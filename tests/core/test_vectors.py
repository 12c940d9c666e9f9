"""The shared vectors: the engine gives exactly their outputs, and so do the slow models."""

import pytest

from models.comparing import fed, plain_decision, plain_matches, vector_decision, vector_match
from models.plain_gate import PlainGate
from models.plain_matcher import PlainMatcher
from models.vectors import Scenario, scenarios
from wakeful.core.engine import Engine, Settings
from wakeful.model.outputs import Decision

of_matches = pytest.mark.parametrize(
    "scenario", scenarios("matches.jsonl", "matches"), ids=lambda scenario: scenario.name
)
of_decisions = pytest.mark.parametrize(
    "scenario", scenarios("decisions.jsonl", "decisions"), ids=lambda scenario: scenario.name
)


@of_matches
def test_the_plain_matcher_gives_the_matches_of_the_vectors(scenario: Scenario):
    matches = PlainMatcher(scenario.automations).run(scenario.inputs, scenario.until)
    assert list(scenario.expected) == [vector_match(match) for match in matches]


@of_decisions
def test_the_plain_gate_gives_the_decisions_of_the_vectors(scenario: Scenario):
    gate = PlainGate(scenario.automations)
    gate.run(scenario.inputs, scenario.until)
    assert list(scenario.expected) == [vector_decision(each) for each in gate.decisions()]


@of_matches
def test_the_engine_gives_the_matches_of_the_vectors(scenario: Scenario):
    engine = Engine(scenario.automations, settings=Settings(run_time="none"))
    matches = plain_matches(fed(engine, scenario.inputs, scenario.until))
    assert list(scenario.expected) == [vector_match(match) for match in matches]


@of_decisions
def test_the_engine_gives_the_decisions_of_the_vectors(scenario: Scenario):
    engine = Engine(scenario.automations, settings=Settings(run_time="log"))
    outputs = fed(engine, scenario.inputs, scenario.until)
    decisions = [plain_decision(each) for each in outputs if isinstance(each, Decision)]
    assert list(scenario.expected) == [vector_decision(each) for each in decisions]
