"""Long logs with everything in them, the same for the same seed; and the decision vectors as one."""

import json
from pathlib import Path
from random import Random
from typing import Any

import attrs

from fleet_scenes import partitioned, rules_first
from wakeful import (
    Activity,
    Automation,
    DefinitionRemoved,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    Input,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    Tool,
    TurnStarted,
    TypeRegistered,
    open_logs,
    read_automation,
)
from wakeful.data import log_path
from wakeful.logs.native import NativeReader
from wakeful.model.time import DAY, MINUTE, format_instant, parse_instant
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.reading import load_rules, shipped_rules_folder

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "decisions.jsonl"
WEEK = 7 * DAY
START = 1_791_382_800_000
DEPLOY = TriggerType(type="deploy", title="Deploy", events=(TriggerEvent(id="done", title="Done"),))

_FAILED: dict[str, Any] = {"events": [{"id": "toolFailed"}]}
_RULES: tuple[dict[str, Any], ...] = (
    {**_FAILED, "config": {"count": {"n": 3, "consecutive": True, "within": "5m"}}},
    {**_FAILED, "config": {"count": {"n": 2, "sameInput": True}, "filter": {"projects": ["web"]}}},
    {"events": [{"id": "turnFailed"}], "config": {"then": {"kind": "idle", "for": "2m"}}},
    {
        "events": [{"id": "messageQueued"}],
        "config": {"then": {"kind": "absent", "event": "toolCalled", "for": "90s"}},
    },
    {
        **_FAILED,
        "config": {"then": {"kind": "event", "event": "turnCompleted", "within": "3m"}},
    },
    {"events": [{"id": "turnCompleted"}], "config": {"when": {"turnLongerThan": "4m"}}},
    {"events": [{"id": "idle"}], "config": {"count": {"n": 4}}},
)
_OVERLAPS = ("queue", "steer", "parallel", "skip")


def automation(number: int, order: Random, *, title: str = "A") -> Automation:
    """One of the automations of a log, new or as it was edited."""
    triggers: list[dict[str, Any]] = [
        {"id": "t1", "kind": "event", "type": "session", "title": "t1", **order.choice(_RULES)}
    ]
    if number % 3 == 0:
        triggers.append({"id": "t2", "kind": "schedule", "schedule": {"expression": "*/7 * * * *"}})
    if number % 4 == 1:
        event = {"id": "t3", "kind": "event", "type": "deploy", "title": "t3"}
        triggers.append({**event, "events": [{"id": "done"}]})
    overlap = _OVERLAPS[number % 4]
    pinned = number % 5 == 2 and overlap != "parallel"
    host: dict[str, Any] = {"overlap": overlap}
    if pinned:
        host |= {"session": "pinned", "pinnedSession": f"s{number}"}
    definition: dict[str, Any] = {
        "title": title,
        "message": {"text": "{{event}} {{count}} in {{session}}", "origin": {"kind": "automation"}},
        "session": {},
        "enabled": order.random() < 0.9,
        "triggers": triggers,
        "_meta": {"ahpd": host},
    }
    if number % 6 == 5:
        definition["disableConditions"] = [{"kind": "afterRuns", "max": 2}]
    return read_automation(
        {
            "resource": f"ahp-automation:/a{number}",
            "definition": definition,
            **({"owner": "user:ann"} if number % 7 == 3 else {}),
        }
    )


def generated(seed: int, size: int, *, partitions: int = 3) -> list[list[Input]]:
    """The partitions of a log: rules first, then sessions, runs, presses and edits."""
    order = Random(seed)
    automations = [automation(number, order) for number in range(12)]
    inputs: list[Input] = [
        TypeRegistered(definition=DEPLOY, at=START),
        GrantsChanged(principal="user:ann", grants=("session:read",), at=START),
    ]
    at = START
    for step in range(size):
        at += order.choice((0, 0, 1, 40, 700, 1_500, 4_000, 9_000))
        if step % 400 == 399:
            at += 6 * MINUTE
        told = at - order.choice((0, 0, 0, 0, 0, 0, 0, 500, 30_000))
        inputs += _something(order, max(told, START), step)
    inputs.append(Tick(at + MINUTE))
    return rules_first(automations, partitioned(inputs, partitions))


def _something(order: Random, at: int, step: int) -> list[Input]:
    session = f"s{order.randrange(40)}"
    resource = f"ahp-automation:/a{order.randrange(12)}"
    run = f"ahp-automation-run:/{resource[-2:]}-{order.randrange(6)}"
    facts = Facts(owner="user:ann", project=order.choice(("web", "api")), automated=step % 9 == 0)
    which = order.randrange(100)
    if which < 14:
        return [TurnStarted(session, at, facts)]
    if which < 55:
        kind = order.choice(("toolFailed", "toolFailed", "toolCalled"))
        tool = Tool("Bash", f"sha256:{order.randrange(3)}")
        calls = order.randrange(9)
        return [SessionEvent(kind, session, at, facts, True, 0, calls, tool)]
    if which < 68:
        kind = order.choice(("turnCompleted", "turnFailed", "turnCancelled"))
        ending = SessionEvent(kind, session, at, facts, False, 0)
        return [ending, SessionEvent("idle", session, at, facts, False, 0)]
    if which < 74:
        return [SessionEvent("messageQueued", session, at, facts, True, order.randrange(3))]
    if which < 80:
        return [Activity(session, at)]
    if which < 81:
        return [SessionEnded(session, at)]
    if which < 86:
        linked = session if order.random() < 0.7 else None
        return [RunStarted(automation=resource, run=run, at=at, session=linked)]
    if which < 88:
        return [RunLinked(automation=resource, run=run, session=session, at=at)]
    if which < 92:
        outcome = order.choice(("completed", "failed", "notStarted"))
        return [RunSettled(automation=resource, run=run, outcome=outcome, at=at)]
    if which < 93:
        return [SteerFailed(automation=resource, run=run, at=at)]
    if which < 96:
        return [Press(automation=resource, request_id=f"r{order.randrange(30)}", at=at)]
    if which < 97:
        return [PluginEvent(type="deploy", event="done", at=at)]
    if which < 98:
        edited = automation(int(resource.rpartition("a")[2]), order, title=f"Edit {step}")
        return [DefinitionSaved(automation=edited, at=at)]
    if which < 99:
        return [Tick(at)]
    return [_rare(order, resource, at)]


def _rare(order: Random, resource: str, at: int) -> Input:
    which = order.randrange(4)
    if which == 0:
        return DefinitionRemoved(automation=resource, at=at)
    if which == 1:
        grants = order.choice(((), ("session:read",)))
        return GrantsChanged(principal="user:ann", grants=grants, at=at)
    if which == 2:
        return Resumed(at=at, live=())
    return Resumed(at=at)


def shipped(*, partitions: int = 3) -> list[list[Input]]:
    """The log and the rules that come with the package."""
    with open_logs([log_path()]) as log:
        inputs = list(log)
    rules = load_rules(shipped_rules_folder()).automations
    return rules_first(rules, partitioned(inputs, partitions))


def vectors(*, partitions: int = 3) -> tuple[list[list[Input]], list[dict[str, Any]]]:
    """The decision vectors as one log, their sessions, runs and automations with prefixes.

    One scenario follows the other, a week apart, and takes its automations and sessions away
    with it, so that none meets another's. It lies in one partition, so that what it has at one
    instant keeps its order.

    Returns:
        The partitions, and the decisions of all scenarios in order, at the instants of the log.
    """
    dealt: list[list[Input]] = [[] for _ in range(partitions)]
    decisions: list[dict[str, Any]] = []
    scenarios = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    for number, scenario in enumerate(scenarios):
        prefix, later = f"{scenario['name']}-", number * WEEK
        *inputs, end = _read(
            [_prefixed(line, prefix) for line in scenario["log"]]
            + [{"at": scenario["until"], "kind": "tick"}]
        )
        first, after = inputs[0].at + later, end.at + later + 1
        automations = [
            read_automation({**one, "id": prefix + one["id"]}) for one in scenario["automations"]
        ]
        sessions = sorted({item.session for item in inputs if isinstance(item, TurnStarted)})
        part = dealt[number % partitions]
        part += [DefinitionSaved(automation=one, at=first) for one in automations]
        part += [attrs.evolve(item, at=item.at + later) for item in (*inputs, end)]
        part += [SessionEnded(session, after) for session in sessions]
        part += [DefinitionRemoved(automation=one.resource, at=after) for one in automations]
        for one in scenario["decisions"]:
            at = parse_instant(one["at"]) + later
            decisions.append({**_prefixed(one, prefix), "at": format_instant(at)})
    dealt[-1].append(Tick(max(part[-1].at for part in dealt)))
    return dealt, decisions


def _prefixed(line: dict[str, Any], prefix: str) -> dict[str, Any]:
    named = dict(line)
    for member in ("session", "run"):
        if named.get(member) is not None:
            named[member] = prefix + named[member]
    if "automation" in named:
        named["automation"] = named["automation"].replace(":/", f":/{prefix}")
    return named


def _read(lines: list[dict[str, Any]]) -> list[Input]:
    read = NativeReader().read([json.dumps(line).encode() for line in lines], _refuse)
    return read.inputs


def _refuse(_index: int, problem: Exception) -> None:
    raise problem
