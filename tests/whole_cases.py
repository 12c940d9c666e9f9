"""Hypothesis cases of everything at once: those of the gate, with schedules and plugin events."""

import attrs
from hypothesis import strategies as st

from models.strategies import Case, gate_cases
from wakeful.model.automations import AfterRuns, Automation
from wakeful.model.events import (
    DefinitionRemoved,
    DefinitionSaved,
    Input,
    PluginEvent,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.triggers import (
    PluginTrigger,
    ScheduleTrigger,
    TriggerEvent,
    TriggerType,
)

DEPLOY = TriggerType(type="deploy", title="Deploy", events=(TriggerEvent(id="done", title="Done"),))
SCHEDULE = ScheduleTrigger(id="s", expression="* * * * *")
SKIPPING = ScheduleTrigger(id="s", expression="*/2 * * * *", misfire_policy="skip")
PLUGIN = PluginTrigger(id="p", type="deploy", events=("done",))

extras = st.sampled_from(((), (SCHEDULE,), (SKIPPING,), (PLUGIN,), (SCHEDULE, PLUGIN)))


def more(automation: Automation, triggers: tuple) -> Automation:
    definition = automation.definition
    return attrs.evolve(
        automation, definition=attrs.evolve(definition, triggers=(*definition.triggers, *triggers))
    )


@st.composite
def whole_cases(draw: st.DrawFn, *, most: int = 40) -> Case:
    """A case of the gate in which schedules wake and plugins fire too."""
    case = draw(gate_cases(most=most))
    of = {f"ahp-automation:/a{number}": draw(extras) for number in range(4)}
    inputs: list[Input] = []
    for item in case.inputs:
        if isinstance(item, DefinitionSaved):
            saved = more(item.automation, of.get(item.automation.resource, ()))
            inputs.append(attrs.evolve(item, automation=saved))
        else:
            inputs.append(item)
        which = draw(st.integers(0, 19))
        if which == 0:
            inputs.append(TypeRegistered(definition=DEPLOY, at=item.at))
        elif which == 1:
            inputs.append(TypeRemoved(type="deploy", at=item.at))
        elif which <= 4:
            inputs.append(PluginEvent(type="deploy", event="done", at=item.at))
    if draw(st.booleans()):
        at = case.inputs[0].at if case.inputs else case.until
        inputs.insert(0, TypeRegistered(definition=DEPLOY, at=at))
    automations = [more(each, of.get(each.resource, ())) for each in case.automations]
    return Case(
        automations=automations,
        inputs=inputs,
        until=case.until + draw(st.sampled_from((0, 130_000))),
    )


def often_off(case: Case) -> Case:
    """The same with automations that switch themselves off after one run, or two."""

    def switched(automation: Automation, runs: int) -> Automation:
        definition = attrs.evolve(automation.definition, disable_conditions=(AfterRuns(max=runs),))
        return attrs.evolve(automation, definition=definition)

    return attrs.evolve(
        case,
        automations=[switched(each, 1) for each in case.automations],
        inputs=[
            attrs.evolve(each, automation=switched(each.automation, 1 + number % 2))
            if isinstance(each, DefinitionSaved)
            else each
            for number, each in enumerate(case.inputs)
        ],
    )


def standing_after(automations: list[Automation], inputs: list[Input]) -> list[Automation]:
    """The definitions that stand after some inputs."""
    standing = {each.resource: each for each in automations}
    for item in inputs:
        if isinstance(item, DefinitionSaved):
            standing[item.automation.resource] = item.automation
        elif isinstance(item, DefinitionRemoved):
            standing.pop(item.automation, None)
    return list(standing.values())
