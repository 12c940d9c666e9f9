"""Put what an engine gives and what a model gives into the same words."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from models.plain_gate import PlainDecision, PlainGate
from models.plain_matcher import PlainMatch, Waiting
from wakeful.core.engine import Engine, Settings
from wakeful.model.automations import Automation
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Match, Output
from wakeful.model.time import format_instant

FOREVER = 10**18


def model_of(automations: Iterable[Automation], settings: Settings) -> PlainGate:
    """The slow model with an engine's settings."""
    return PlainGate(
        automations,
        run_time=settings.run_time,
        cap=settings.cap,
        cap_window=settings.cap_window,
        unowned_sees=settings.unowned == "every",
        unmet_sees=settings.unmet == "every",
    )


def fed(engine: Engine, inputs: Iterable[Input], until: int | None = None) -> list[Output]:
    """Everything an engine gives for a log fed one by one; time goes on to ``until``."""
    outputs = [output for input_ in inputs for output in engine.feed(input_)]
    return outputs if until is None else outputs + list(engine.advance(until))


def plain_match(match: Match) -> PlainMatch:
    """A match in the model's record."""
    assert match.session is not None
    return PlainMatch(
        at=match.at,
        automation=match.automation,
        trigger=match.trigger,
        preset=match.preset,
        session=match.session,
        event=match.event,
        count=match.count,
    )


def plain_decision(decision: Decision) -> PlainDecision:
    """A decision in the model's record, without its run: see :func:`assert_same_runs`."""
    return PlainDecision(
        at=decision.at,
        automation=decision.automation,
        decision=str(decision.kind),
        reason=None if decision.reason is None else str(decision.reason),
        count=decision.count,
        trigger=decision.trigger,
        session=decision.session,
        event=decision.event,
        request_id=decision.request_id,
        into=decision.into,
    )


def plain_outputs(outputs: Iterable[Output]) -> list[PlainMatch | PlainDecision]:
    """Matches and decisions, each in its model's record."""
    return [
        plain_match(output) if isinstance(output, Match) else plain_decision(output)
        for output in outputs
    ]


def plain_matches(outputs: Iterable[Output]) -> list[PlainMatch]:
    """The matches alone."""
    return [plain_match(output) for output in outputs if isinstance(output, Match)]


def without_runs(
    outputs: Iterable[PlainMatch | PlainDecision],
) -> list[PlainMatch | PlainDecision]:
    """A model's outputs without the numbers of runs."""
    return [
        attrs.evolve(output, run=None) if isinstance(output, PlainDecision) else output
        for output in outputs
    ]


def assert_same_runs(
    outputs: Sequence[Output], modelled: Sequence[PlainMatch | PlainDecision]
) -> None:
    """Each name an engine gives to a run stands for one run of the model, and one only.

    A run may have two names: the engine's own, and the log's once a record claimed it.
    """
    numbers: dict[str, int] = {}
    for output, model in zip(outputs, modelled, strict=True):
        if isinstance(output, Match) or isinstance(model, PlainMatch):
            continue
        assert (model.run is None) == (output.run is None), (model, output)
        if model.run is not None and output.run is not None:
            assert model.run == numbers.setdefault(output.run, model.run), (model, output)


def waiting_in(engine: Engine) -> set[Waiting]:
    """The waits and silences that an engine lists as pending."""
    found = set()
    for pending in engine.pending():
        if pending.kind in {"wait", "silence"}:
            assert pending.session is not None
            assert pending.deadline is not None
            found.add(
                Waiting(
                    what=pending.what,
                    automation=pending.automation,
                    trigger=pending.trigger,
                    preset=pending.preset,
                    session=pending.session,
                    deadline=pending.deadline,
                )
            )
    return found


def vector_match(match: PlainMatch) -> Mapping[str, Any]:
    """A match as the vectors write it."""
    return {
        "at": format_instant(match.at),
        "automation": match.automation,
        "trigger": match.trigger,
        "session": match.session,
        "event": match.event,
        "count": match.count,
    }


def vector_decision(decision: PlainDecision) -> Mapping[str, Any]:
    """A decision as the vectors write it."""
    line = {
        "at": format_instant(decision.at),
        "automation": decision.automation,
        "decision": decision.decision,
        "reason": decision.reason,
        "count": decision.count,
    }
    return {key: value for key, value in line.items() if value is not None}


def next_output_at(model: PlainGate) -> int | None:
    """The instant of the next output if nothing more is fed, whenever that is."""
    ahead = copy.deepcopy(model)
    ahead.outputs = []
    while not ahead.outputs and (item := ahead.next_item(FOREVER)) is not None:
        ahead.advance(item.at)
    return ahead.outputs[0].at if ahead.outputs else None
