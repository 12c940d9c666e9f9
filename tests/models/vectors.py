"""Read the shared vectors: their rulesets and native log lines, as model records.

A reader of its own and no more than the vectors need, so that a fault of the product's
readers cannot hide a fault of its engine. Presets are written out from semantics 6.5.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import (
    ENDINGS,
    EVENT_KINDS,
    Activity,
    Facts,
    Input,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    Tick,
    Tool,
    TurnStarted,
)
from wakeful.model.rules import (
    AbsentFor,
    Count,
    EventWithin,
    Filter,
    FollowUp,
    IdleFor,
    SessionRule,
    When,
)
from wakeful.model.time import MINUTE, parse_duration, parse_instant
from wakeful.model.triggers import SessionTrigger, Trigger, WatchTrigger

SHARED = Path(__file__).resolve().parents[3] / "shared" / "vectors"


@attrs.frozen(kw_only=True)
class Scenario:
    """One line of a vector file; ``expected`` is its list of outputs as it stands there."""

    name: str
    automations: tuple[Automation, ...]
    inputs: tuple[Input, ...]
    until: int
    expected: tuple[Mapping[str, Any], ...]


def scenarios(file: str, outputs: str) -> list[Scenario]:
    """The scenarios of a vector file; none, which skips, where it is not beside the checkout."""
    path = SHARED / file
    if not path.is_file():
        return []
    return [
        Scenario(
            name=line["name"],
            automations=tuple(read_automation(each) for each in line["automations"]),
            inputs=tuple(read_input(each) for each in line["log"]),
            until=parse_instant(line["until"]),
            expected=tuple(line[outputs]),
        )
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


def read_automation(data: Mapping[str, Any]) -> Automation:
    """One automation of a vector's ruleset."""
    return Automation(
        resource=f"ahp-automation:/{data['id']}",
        definition=AutomationDefinition(
            title=data["title"],
            message=Message(text=data["message"]["text"]),
            triggers=tuple(read_trigger(each) for each in data["triggers"]),
            enabled=data.get("enabled", True),
            overlap=data.get("overlap", "queue"),
        ),
    )


def read_trigger(data: Mapping[str, Any]) -> Trigger:
    """A ``session`` or a ``watch`` trigger."""
    events = tuple(event["id"] for event in data["events"])
    config = data["config"]
    if data["type"] == "watch":
        rules = tuple((preset, preset_rule(preset, config)) for preset in events)
        return WatchTrigger(id=data["id"], rules=rules, title=data["title"])
    rule = SessionRule(
        events=frozenset(events),
        filter=read_filter(config),
        count=read_count(config),
        then=read_follow_up(config),
        when=read_when(config),
    )
    return SessionTrigger(id=data["id"], events=events, rule=rule, title=data["title"])


def preset_rule(preset: str, config: Mapping[str, Any]) -> SessionRule:
    """The rule that a preset means (semantics 6.5)."""
    times = config.get("times", 3)
    filter_ = read_filter(config)
    if preset == "looks-stuck":
        return SessionRule(
            events=frozenset({"toolCalled", "toolFailed"}),
            count=Count(n=times, same_input=True, within=10 * MINUTE),
            filter=filter_,
        )
    if preset == "failing-tools":
        return SessionRule(
            events=frozenset({"toolFailed"}),
            count=Count(n=times, consecutive=True),
            filter=filter_,
        )
    if preset == "long-silent-turn":
        quiet = config.get("minutes", 10) * MINUTE
        return SessionRule(events=ENDINGS, when=When(turn_longer_than=quiet), filter=filter_)
    if preset == "idle-after-failure":
        return SessionRule(
            events=frozenset({"turnFailed"}),
            then=IdleFor(config.get("minutes", 3) * MINUTE),
            filter=filter_,
        )
    assert preset == "waiting-while-busy", preset
    return SessionRule(
        events=frozenset({"messageQueued"}),
        when=When(running=True, tool_calls_at_least=config.get("toolCalls", 3)),
        filter=filter_,
    )


def read_filter(config: Mapping[str, Any]) -> Filter | None:
    if "filter" not in config:
        return None
    data = config["filter"]
    lists = ("sessions", "providers", "owners", "projects", "folders")
    return Filter(
        automated=data.get("automated"),
        **{key: frozenset(data[key]) for key in lists if key in data},
    )


def read_count(config: Mapping[str, Any]) -> Count | None:
    if "count" not in config:
        return None
    data = config["count"]
    return Count(
        n=data.get("n", 1),
        consecutive=data.get("consecutive", False),
        same_input=data.get("sameInput", False),
        within=parse_duration(data["within"]) if "within" in data else None,
    )


def read_follow_up(config: Mapping[str, Any]) -> FollowUp | None:
    if "then" not in config:
        return None
    data = config["then"]
    if data["kind"] == "event":
        return EventWithin(data["event"], parse_duration(data["within"]))
    if data["kind"] == "absent":
        return AbsentFor(data["event"], parse_duration(data["for"]))
    return IdleFor(parse_duration(data["for"]))


def read_when(config: Mapping[str, Any]) -> When | None:
    if "when" not in config:
        return None
    data = config["when"]
    longer = data.get("turnLongerThan")
    return When(
        running=data.get("running"),
        queued_at_least=data.get("queuedAtLeast"),
        tool_calls_at_least=data.get("toolCallsAtLeast"),
        turn_longer_than=None if longer is None else parse_duration(longer),
    )


def read_input(data: Mapping[str, Any]) -> Input:
    """One native log line of the kinds that the vectors have."""
    at = parse_instant(data["at"])
    kind = data["kind"]
    facts = Facts(
        owner=data.get("owner"),
        provider=data.get("provider"),
        project=data.get("project"),
        folders=tuple(data.get("folders", ())),
        automated=data.get("automated", False),
    )
    if kind in EVENT_KINDS:
        tool = data.get("tool")
        return SessionEvent(
            kind,
            data["session"],
            at,
            facts,
            running=data.get("running"),
            queued=data.get("queued"),
            turn_tool_calls=data.get("turnToolCalls"),
            tool=None if tool is None else Tool(tool["name"], tool["inputHash"]),
            child=data.get("child"),
        )
    if kind == "turnStarted":
        return TurnStarted(data["session"], at, facts)
    if kind == "activity":
        return Activity(data["session"], at)
    if kind == "sessionEnded":
        return SessionEnded(data["session"], at)
    if kind == "runStarted":
        return RunStarted(
            automation=data["automation"], run=data["run"], at=at, session=data.get("session")
        )
    if kind == "runSettled":
        return RunSettled(
            automation=data["automation"], run=data["run"], outcome=data["outcome"], at=at
        )
    assert kind == "tick", kind
    return Tick(at)
