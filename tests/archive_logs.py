"""Logs to replay by many: generated ones of everything at once, and the vectors as one."""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from random import Random
from typing import Any

import attrs

from engine_scenes import absent, automation, event_within, idle, on, plugin, schedule, watch
from models.vectors import Scenario, scenarios
from wakeful import (
    Activity,
    Automation,
    DefinitionSaved,
    Facts,
    Input,
    SessionEnded,
    SessionEvent,
    Settings,
    Tool,
    TurnStarted,
)
from wakeful.model.events import (
    EVENT_KINDS,
    TOOL_KINDS,
    DefinitionRemoved,
    GrantsChanged,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SteerFailed,
)
from wakeful.model.outputs import Match
from wakeful.model.rules import Filter
from wakeful.model.time import HOUR
from wakeful.model.triggers import SessionTrigger
from wakeful.replay import DEFAULTS, Replay, decision_record, json_line, match_record
from wakeful.replay.parallel import ParallelReplay, Workers

START = 1_791_382_800_000
PINNED = "chat-1"
ONCE = [{"kind": "afterRuns", "max": 2}]

FACTS = tuple(
    Facts(owner=owner, provider="claude", project=project)
    for owner in ("user:ann", "user:ben")
    for project in ("web", "api")
)


def automations() -> list[Automation]:
    """One of each kind of rule and overlap, with schedules, plugin events and conditions."""
    return [
        automation(on("toolFailed", count={"n": 3, "within": "2m"}), id="failing"),
        automation(
            on("toolFailed", "toolCalled", count={"n": 2, "sameInput": True}),
            id="stuck",
            overlap="steer",
        ),
        automation(
            on("turnFailed", then=event_within("turnCompleted", "5m")),
            on("turnCompleted", id="t2", then=absent("toolCalled", "1m")),
            id="following",
            overlap="skip",
            owner="user:ann",
        ),
        automation(
            on("turnCompleted", then=idle("2m")),
            watch("long-silent-turn", "failing-tools", id="t2"),
            id="quiet",
            overlap="parallel",
        ),
        automation(
            on("messageQueued"),
            schedule("*/7 * * * *", id="t2"),
            id="pinned",
            pinned=True,
            overlap="steer",
        ),
        automation(on("toolCalled"), id="twice", disableConditions=ONCE),
        automation(schedule("0 * * * *"), plugin("deploy", "done", id="t2"), id="clock"),
    ]


def generated(seed: int, size: int) -> list[Input]:
    """So many inputs of forty sessions and of everything else; some are late."""
    return list(_generate(Random(seed), size))


def _generate(random: Random, size: int) -> Iterator[Input]:
    at = START
    rules = automations()
    names = [each.resource for each in rules]
    sessions = [f"s{number}" for number in range(40)] + [PINNED, "r1", "r2"]
    for number in range(size):
        at += random.choice((0, 0, 7, 300, 1_000, 1_000, 4_000, 20_000))
        told = at - random.choice((0, 0, 0, 0, 0, 0, 0, 2_500))
        which = random.randrange(100)
        name = random.choice(names)
        run = f"run-{random.randrange(30)}"
        session = random.choice(sessions)
        if which < 70:
            kind = random.choice(EVENT_KINDS)
            yield SessionEvent(
                kind,
                session,
                told,
                random.choice(FACTS),
                running=random.random() < 0.7,
                queued=random.randrange(3),
                turn_tool_calls=random.randrange(9),
                tool=Tool("Bash", str(random.randrange(3))) if kind in TOOL_KINDS else None,
                title=f"Ünder “{number}”" if which < 5 else None,
            )
        elif which < 78:
            yield TurnStarted(session, told, random.choice(FACTS))
        elif which < 84:
            yield Activity(session, told)
        elif which < 85:
            yield SessionEnded(session, told)
        elif which < 89:
            yield RunStarted(
                automation=name, run=run, at=told, session=random.choice((PINNED, "r1", "r2", None))
            )
        elif which < 93:
            yield RunSettled(automation=name, run=run, outcome="completed", at=told)
        elif which < 94:
            yield RunLinked(automation=name, run=run, session="r1", at=told)
        elif which < 95:
            yield SteerFailed(automation=name, run=run, at=told)
        elif which < 96:
            yield Press(automation=name, request_id=f"p{random.randrange(20)}", at=told)
        elif which < 98:
            yield PluginEvent(type="deploy", event="done", data={"ok": True}, at=told)
        elif which < 99:
            yield DefinitionSaved(automation=_edited(random, rules), at=told)
        else:
            yield random.choice(
                (
                    DefinitionRemoved(automation=name, at=told),
                    GrantsChanged(principal="user:ann", grants=(), at=told),
                    GrantsChanged(principal="user:ann", grants=("session:read",), at=told),
                    Resumed(at=at + HOUR, live=(run,)),
                )
            )


def _edited(random: Random, rules: list[Automation]) -> Automation:
    """A definition as it was, switched, or with its triggers turned round."""
    chosen = random.choice((*rules, rules[5], rules[5]))
    definition = random.choice(
        (
            chosen.definition,
            attrs.evolve(chosen.definition, title="Said again"),
            attrs.evolve(chosen.definition, enabled=False),
            attrs.evolve(chosen.definition, triggers=chosen.definition.triggers[::-1]),
        )
    )
    return attrs.evolve(chosen, definition=definition)


def joined_vectors() -> tuple[list[Automation], list[Input]]:
    """The scenarios of the decision vectors as one log, each with ids of its own."""
    found = scenarios("decisions.jsonl", "decisions")
    rules = [_of(one, each) for one in found for each in one.automations]
    inputs = [_input_of(one, each) for one in found for each in one.inputs]
    return rules, sorted(inputs, key=attrgetter("at"))


def _of(scenario: Scenario, one: Automation) -> Automation:
    """An automation that watches the sessions of its own scenario, as it did there."""
    names = {each.session for each in scenario.inputs if isinstance(each, SessionEvent)}
    own = Filter(sessions=frozenset(_prefixed(scenario, name) for name in names))
    triggers = []
    for trigger in one.definition.triggers:
        assert isinstance(trigger, SessionTrigger)
        assert trigger.rule.filter is None
        rule = attrs.evolve(trigger.rule, filter=own)
        triggers.append(attrs.evolve(trigger, rule=rule))
    definition = attrs.evolve(one.definition, triggers=tuple(triggers))
    return attrs.evolve(one, resource=_prefixed(scenario, one.resource), definition=definition)


def _input_of(scenario: Scenario, item: Input) -> Input:
    names = ("session", "automation", "run")
    told = {name: getattr(item, name, None) for name in names}
    return attrs.evolve(
        item, **{name: _prefixed(scenario, text) for name, text in told.items() if text is not None}
    )


def _prefixed(scenario: Scenario, name: str) -> str:
    head, slash, tail = name.rpartition("/")
    return f"{head}{slash}{scenario.name}-{tail}"


LOG = attrs.evolve(DEFAULTS, run_time="log")
PARTS = (1, 2, 7)


def text_of(replay: Replay, inputs: Iterable[Any]) -> str:
    """All that a replay gives, byte for byte, and comes to."""
    lines = [
        json_line(match_record(each) if isinstance(each, Match) else decision_record(each))
        for each in replay.outputs(inputs)
    ]
    return "".join(lines) + json_line(replay.summary().to_dict())


def assert_same_in_parts(
    inputs: list[Any], rules: Iterable[Any], chosen: Settings, workers: Workers
) -> None:
    expected = text_of(Replay(rules, settings=chosen), inputs)
    assert expected.count("\n") > 40
    for parts in PARTS:
        many = ParallelReplay(rules, settings=chosen, workers=workers, parts=parts)
        assert expected == text_of(many, inputs), parts
