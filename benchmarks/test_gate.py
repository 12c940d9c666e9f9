"""What a decision costs, by overlap mode, beside the record it is made of.

Run with ``pytest benchmarks/test_gate.py``. The limit, four times the record, is held without
the message: a message is text, and costs what its text costs.
"""

import gc
import time
from collections.abc import Callable

import pytest

from wakeful.core.gate import Gate
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import RunStarted
from wakeful.model.outputs import Decision, DecisionKind, Match, OrderKey
from wakeful.model.rules import SessionRule
from wakeful.model.triggers import SessionTrigger

RESOURCE = "ahp-automation:/a"
KEY = OrderKey(1, 1, 0, 1, (0, 0, 0))
MATCH = Match(
    automation=RESOURCE, trigger="t", session="s", event="toolFailed", count=1, at=1, key=KEY
)
TRIGGER = SessionTrigger(
    id="t", title="t", events=("toolFailed",), rule=SessionRule(events=frozenset({"toolFailed"}))
)
CASES = [
    ("queue", "none", DecisionKind.START),
    ("queue", "log", DecisionKind.FOLD),
    ("skip", "log", DecisionKind.DROP),
    ("steer", "log", DecisionKind.STEER),
    ("parallel", "log", DecisionKind.START),
]
LIMIT = 4


def gate_of(overlap, run_time, *, messages):
    """A gate whose automation has a run going, with a turn running in its session."""
    gate = Gate(
        settings=Settings(cap=10**9, run_time=run_time, messages=messages),
        turn_running={"work"}.__contains__,
        sight=GrantSight(),
    )
    definition = AutomationDefinition(
        title="a",
        message=Message(text="{{event}} in {{sessionTitle}}: look at it."),
        triggers=(TRIGGER,),
        overlap=overlap,
    )
    gate.save(Automation(resource=RESOURCE, definition=definition), 0, KEY)
    gate.decide(MATCH)
    gate.run_started(RunStarted(automation=RESOURCE, run="r", session="work", at=1), KEY)
    if overlap == "queue":
        gate.decide(MATCH)
    return gate


def record():
    """A decision with the parts that a start has."""
    return Decision(
        at=1,
        automation=RESOURCE,
        kind=DecisionKind.START,
        key=KEY,
        trigger="t",
        reason=None,
        count=1,
        session="s",
        event="toolFailed",
        run="r",
        message=None,
        late=False,
        into=None,
    )


@pytest.mark.parametrize(("overlap", "run_time", "kind"), CASES)
@pytest.mark.parametrize("messages", [False, True], ids=["bare", "with message"])
def test_decisions_by_overlap(benchmark, overlap, run_time, kind, messages):
    benchmark.group = "decisions"

    def fresh():
        return (gate_of(overlap, run_time, messages=messages),), {}

    def decide(gate):
        for _ in range(1_000):
            decisions = gate.decide(MATCH)
        return decisions

    (decision,) = benchmark.pedantic(decide, setup=fresh, rounds=50)
    assert decision.kind is kind


def best(make: Callable[[], Callable[[], object]]) -> float:
    """The shortest time of a thousand calls, over fresh ones: what the machine does besides
    only makes it longer."""
    shortest = float("inf")
    for _ in range(40):
        call = make()
        begun = time.perf_counter()
        for _ in range(1_000):
            call()
        shortest = min(shortest, time.perf_counter() - begun)
    return shortest


@pytest.mark.parametrize(("overlap", "run_time", "kind"), CASES)
def test_a_decision_costs_at_most_four_times_its_record(overlap, run_time, kind):
    def make_decide() -> Callable[[], object]:
        gate = gate_of(overlap, run_time, messages=False)
        return lambda: gate.decide(MATCH)

    gc.disable()
    try:
        ratio = best(make_decide) / best(lambda: record)
    finally:
        gc.enable()

    assert gate_of(overlap, run_time, messages=False).decide(MATCH)[0].kind is kind
    assert ratio <= LIMIT
