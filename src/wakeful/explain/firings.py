"""Why a rule fired: the inputs that it took, and what became of the match."""

from collections.abc import Sequence

import attrs

from wakeful.explain.standing import NOTHING, Standing
from wakeful.explain.steps import Identity, RuleName, Step, Taken, What, identity
from wakeful.explain.tracer import Tracer
from wakeful.model._records import record
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionSaved, Input
from wakeful.model.outputs import Decision, Match
from wakeful.model.time import Instant


@record(kw_only=True)
class Firing:
    """A match, explained.

    Attributes:
        rule: The rule that matched.
        match: The match.
        step: The last step of the rule: what was counted, the wait, the silence.
        automation: The automation as it then was.
        saved: Where it matters that the rule came only then: the input that added it.
        decision: What was decided; ``None`` where the replay was stopped in between.
        standing: What stood before the decision.
    """

    rule: RuleName
    match: Match
    step: Step
    automation: Automation
    saved: Taken | None = None
    decision: Decision | None = None
    standing: Standing = NOTHING

    @property
    def taken(self) -> tuple[Taken, ...]:
        """The inputs that it took, in order; these alone still match."""
        step = self.step
        every = [*step.events, *step.needs]
        if step.by is not None:
            every.append(step.by)
        if self.saved is not None:
            every.append(self.saved)
        found = {each.number: each for each in every}
        return tuple(found[number] for number in sorted(found))

    @property
    def automations(self) -> tuple[Automation, ...]:
        """What a replay of :attr:`inputs` begins with: the automation, if not saved among them."""
        return () if self.saved is not None else (self.automation,)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that it took, at the instants they were taken at."""
        return tuple(self._as_it_was(each) for each in self.taken)

    @property
    def until(self) -> Instant:
        """How far time has to go on."""
        return self.match.at

    def _as_it_was(self, taken: Taken) -> Input:
        given = taken.restamped
        if isinstance(given, DefinitionSaved):
            return attrs.evolve(given, automation=self.automation)
        return given


def firings(tracer: Tracer) -> list[Firing]:
    """Every match of a trace, explained, in order."""
    decided: dict[Identity, Step] = {}
    completed: list[Step] = []
    for step in tracer.steps:
        if step.what is What.COMPLETED:
            completed.append(step)
        elif step.what is What.DECIDED and step.match is not None:
            decided.setdefault(identity(step.match), step)
    found = [_firing(step, decided, tracer) for step in completed]
    return sorted(found, key=lambda each: tracer.order[identity(each.match)])


def refusals(found: Sequence[Firing]) -> list[Firing]:
    """The matches that came to nothing: dropped, with the reason."""
    return [each for each in found if each.decision is not None and each.decision.kind == "drop"]


def _firing(step: Step, decided: dict[Identity, Step], tracer: Tracer) -> Firing:
    match = step.match
    assert match is not None  # noqa: S101 - a completed step has one
    decision = decided.get(identity(match))
    return Firing(
        rule=step.rule,
        match=match,
        step=step,
        automation=tracer.meant(match),
        saved=tracer.added(step),
        decision=None if decision is None else decision.decision,
        standing=NOTHING if decision is None or decision.standing is None else decision.standing,
    )
