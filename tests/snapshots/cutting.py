"""Logs of everything an engine takes, and engines that are cut: saved, dropped, restored."""

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
from hypothesis import strategies as st

from models.strategies import (
    START,
    Case,
    definition_inputs,
    gate_cases,
    grant_inputs,
    matcher_cases,
    resumptions,
    run_inputs,
    session_inputs,
    steps,
    worlds,
)
from wakeful.core.engine import Engine, Restored
from wakeful.core.settings import Settings
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import (
    DefinitionRemoved,
    DefinitionSaved,
    Input,
    PluginEvent,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.outputs import Output
from wakeful.model.time import MINUTE
from wakeful.model.triggers import PluginTrigger, ScheduleTrigger, TriggerEvent, TriggerType

CI = TriggerType(
    type="ci",
    title="CI",
    events=(TriggerEvent(id="red", title="Red"), TriggerEvent(id="green", title="Green")),
    config_schema={
        "type": "object",
        "properties": {"branches": {"type": "array", "items": {"type": "string"}}},
    },
)

chosen_settings = st.builds(
    Settings,
    run_time=st.sampled_from(("log", "log", "none", 0, 1_000, 5_000)),
    cap=st.sampled_from((20, 3, 1)),
    cap_window=st.sampled_from((3_600_000, 5_000)),
    unmet=st.sampled_from(("every", "every", "none")),
    unowned=st.sampled_from(("every", "every", "none")),
    runs_kept=st.sampled_from((1_000, 2, 0)),
)
"""Settings with small bounds, so that they are reached, and every sight."""

schedules = st.builds(
    ScheduleTrigger,
    id=st.sampled_from(("t1", "t2")),
    expression=st.sampled_from(("* * * * *", "*/2 * * * *", "0 0 29 2 *")),
    time_zone=st.sampled_from(("UTC", "Europe/Berlin")),
    misfire_policy=st.sampled_from(("runOnce", "skip")),
)
plugin_triggers = st.builds(
    PluginTrigger,
    id=st.just("t3"),
    type=st.just("ci"),
    events=st.sampled_from((("red",), ("red", "green"))),
    config=st.sampled_from(({}, {"branches": ["main"]})),
)


@st.composite
def others(draw: st.DrawFn, number: int) -> Automation:
    """An automation of a schedule, of a plugin's type, or of both."""
    which = draw(st.integers(0, 2))
    triggers: tuple[Any, ...] = ()
    if which != 1:
        triggers += (draw(schedules),)
    if which:
        triggers += (draw(plugin_triggers),)
    return Automation(
        resource=f"ahp-automation:/o{number}",
        definition=AutomationDefinition(
            title="O",
            message=Message(text="{{trigger}} {{event.branch}}"),
            triggers=triggers,
            enabled=draw(st.integers(0, 9)) < 9,
            overlap=draw(st.sampled_from(("queue", "skip", "parallel", "steer"))),
        ),
        owner=draw(st.sampled_from((None, None, "user:ann"))),
    )


@st.composite
def other_inputs(draw: st.DrawFn, at: int) -> Input:
    """What the cases of matcher and gate have not: schedules, plugin types and their events."""
    which = draw(st.integers(0, 9))
    if which < 5:
        data = draw(st.sampled_from(({}, {"branch": "main"}, {"branch": {"of": ["x", 1, None]}})))
        return PluginEvent(
            type="ci", event=draw(st.sampled_from(("red", "green"))), at=at, data=data
        )
    if which == 5:
        return TypeRemoved(type="ci", at=at)
    if which == 6:
        return TypeRegistered(definition=CI, at=at)
    if which == 7:
        number = draw(st.integers(0, 1))
        return DefinitionRemoved(automation=f"ahp-automation:/o{number}", at=at)
    return DefinitionSaved(automation=draw(others(draw(st.integers(0, 1)))), at=at)


@st.composite
def mixed_cases(draw: st.DrawFn, *, most: int = 40) -> Case:
    """Everything at once: sessions, runs, presses, definitions, schedules, plugins, grants."""
    base = draw(gate_cases(most=0))
    world = draw(worlds(for_gate=True))
    standing = [*base.automations, *(draw(others(number)) for number in range(2))]
    current = {automation.resource: automation for automation in base.automations}
    at = START
    inputs: list[Input] = [TypeRegistered(definition=CI, at=at)]
    for _ in range(draw(st.integers(0, most) | st.just(most))):
        at += draw(steps) * draw(st.sampled_from((1, 1, 1, 1, 30)))
        which = draw(st.integers(0, 39))
        if which < 14:
            inputs.append(draw(session_inputs(at, world)))
        elif which < 22:
            inputs.append(draw(run_inputs(at)))
        elif which < 34:
            inputs.append(draw(other_inputs(at)))
        elif which < 37:
            inputs.append(draw(definition_inputs(at, current, world)))
        elif which == 37:
            inputs.append(draw(grant_inputs(at)))
        else:
            inputs.append(draw(resumptions(at)))
    return Case(automations=standing, inputs=inputs, until=at + 3 * MINUTE)


def any_cases(most: int = 40) -> st.SearchStrategy[Case]:
    """A case of the matcher's, of the gate's, or of everything."""
    return st.one_of(matcher_cases(most=most), gate_cases(most=most), mixed_cases(most=most))


@attrs.define
class Host:
    """An engine and the definitions a host keeps beside it, as its inputs changed them."""

    settings: Settings
    engine: Engine
    standing: dict[str, Automation]

    @classmethod
    def of(cls, case: Case, settings: Settings) -> "Host":
        standing = {automation.resource: automation for automation in case.automations}
        return cls(settings, Engine(case.automations, at=START, settings=settings), standing)

    def feed(self, item: Input) -> list[Output]:
        """Feed an input and keep the definition it saves; refused ones change nothing."""
        outputs = fed(self.engine, item)
        if outputs is None:
            return []
        match item:
            case DefinitionSaved():
                # A definition saved again keeps its place; a new one goes last.
                self.standing[item.automation.resource] = item.automation
            case DefinitionRemoved():
                self.standing.pop(item.automation, None)
            case _:
                pass
        return outputs

    def restored(self) -> Restored:
        """A new engine, of a snapshot and what the host kept."""
        return Engine.restore(
            self.engine.snapshot(), self.standing.values(), settings=self.settings
        )

    def cut(self) -> None:
        """Go on with a new engine; nothing is lost."""
        before = self.engine.snapshot()
        restored = Engine.restore(before, self.standing.values(), settings=self.settings)
        assert restored.outputs == ()
        assert restored.let_go == ()
        self.engine = restored.engine
        assert before == self.engine.snapshot()


def fed(engine: Engine, item: Input) -> list[Output] | None:
    """The outputs of an input; ``None`` where it is refused."""
    from wakeful.errors import InputRefusedError

    try:
        return engine.feed(item)
    except InputRefusedError:
        return None


def uncut(case: Case, settings: Settings) -> list[Output]:
    """The outputs of a log without interruption."""
    host = Host.of(case, settings)
    outputs = [output for item in case.inputs for output in host.feed(item)]
    return outputs + host.engine.advance(case.until)


def cut_after(case: Case, settings: Settings, cuts: Iterable[int]) -> Iterator[Output]:
    """The outputs of a log with the engine replaced after each of these many inputs."""
    points = frozenset(cuts)
    host = Host.of(case, settings)
    for number, item in enumerate(case.inputs, 1):
        yield from host.feed(item)
        if number in points:
            host.cut()
    yield from host.engine.advance(case.until)
