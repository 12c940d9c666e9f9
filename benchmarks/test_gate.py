"""What a decision costs, by overlap mode, beside the record it is made of.

Run with ``pytest benchmarks/test_gate.py -s``. What is asked, four times the record, is asked
without the message: a message is text, and costs what its text costs.
"""

import pytest
from measuring import in_turns, once, smaller, tell, yardstick

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
TURNS = 40


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


@pytest.mark.parametrize(("overlap", "run_time", "kind"), CASES)
def test_a_decision_beside_its_record(benchmark, capsys, overlap, run_time, kind):
    benchmark.group = "decisions"
    calls = smaller(benchmark, 1_000, 10)

    def measure():
        gates = iter([gate_of(overlap, run_time, messages=False) for _ in range(TURNS)])

        def decide():
            decide = next(gates).decide
            for _ in range(calls):
                decide(MATCH)

        def make():
            for _ in range(calls):
                record()

        return in_turns(smaller(benchmark, TURNS, 1), decide, make)

    decided, made = once(benchmark, measure)
    assert gate_of(overlap, run_time, messages=False).decide(MATCH)[0].kind is kind
    tell(benchmark, capsys, f"{overlap}: {kind}", {"microseconds": decided / calls * 1e6})
    what = f"a decision ({overlap}: {kind}), to its record"
    yardstick(benchmark, capsys, what, decided / made, LIMIT)
