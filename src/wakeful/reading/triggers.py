"""Triggers: which shape a trigger has, the checks between its keys, the record it becomes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

import attrs

from wakeful.cron import CronExpression, load_zone
from wakeful.errors import MISSING, InvalidError, Problem
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
from wakeful.model.triggers import (
    EventLabel,
    MisfirePolicy,
    PluginTrigger,
    ScheduleTrigger,
    SessionTrigger,
    Trigger,
    WatchTrigger,
)
from wakeful.presets import PRESETS
from wakeful.reading.converter import ReadingConverter, key_of, register
from wakeful.reading.kinds import (
    AT_LEAST,
    COUNT,
    DURATION,
    EVENT_KIND,
    NAME,
    PLAIN_MAP,
    Kind,
    is_list,
    is_map,
    one_of,
    text_kind,
    whole,
)
from wakeful.reading.paths import child
from wakeful.reading.problems import KeyProblem, below, listing
from wakeful.reading.shapes import (
    PluginTriggerShape,
    PresetShape,
    ScheduleShape,
    ScheduleTriggerShape,
    SessionConfig,
    SessionEventShape,
    SessionTriggerShape,
    WatchConfig,
    WatchTriggerShape,
)


def _expression(text: str) -> str:
    """Held to the grammar; a bad field is part of the text, so it is named in the message."""
    try:
        CronExpression.parse(text)
    except InvalidError as error:
        raise InvalidError(
            attrs.evolve(
                problem,
                path="",
                value=text,
                message=": ".join(part for part in (problem.path, problem.sentence) if part),
            )
            for problem in error.problems
        ) from None
    return text


def _zone(name: str) -> str:
    try:
        load_zone(name)
    except InvalidError as error:
        raise InvalidError(attrs.evolve(problem, path="") for problem in error.problems) from None
    return name


_KIND: Final = one_of(("schedule", "event"), "a kind of trigger")
_THEN: Final[Mapping[str, type]] = {
    "event": EventWithin,
    "idle": IdleFor,
    "absent": AbsentFor,
}
_THEN_KIND: Final = one_of(tuple(_THEN), "a kind of follow-up")
_MISFIRE: Final = one_of(get_args(MisfirePolicy), "a misfire policy")
_EXPRESSION: Final = text_kind("a cron expression of five fields", _expression)
_ZONE: Final = text_kind("the name of a time zone, such as Europe/Berlin", _zone)
_PRESET: Final = one_of(tuple(PRESETS), "a preset")
_NUMBERS: Final = {
    "times": whole(1, PRESETS["failing-tools"].largest),
    "minutes": whole(1, PRESETS["long-silent-turn"].largest),
    "tool_calls": whole(1, PRESETS["waiting-while-busy"].largest),
}


def register_triggers(converter: ReadingConverter) -> None:
    """Teach a converter every kind of trigger, and the rule around an event."""
    register(converter, Filter)
    register(converter, Count, {"n": COUNT, "within": DURATION})
    register(
        converter,
        When,
        {
            "queued_at_least": AT_LEAST,
            "tool_calls_at_least": AT_LEAST,
            "turn_longer_than": DURATION,
        },
    )
    parts: dict[str, Kind[Any]] = {"event": EVENT_KIND, "within": DURATION, "for_": DURATION}
    for follow_up_class in _THEN.values():
        register(converter, follow_up_class, parts, given=["kind"])

    converter.unions[FollowUp] = ("kind", _THEN)

    def follow_up(value: Any, _type: Any) -> FollowUp:
        made: FollowUp = converter.structure(value, _THEN[choice(value, "kind", _THEN_KIND)])
        return made

    register(converter, SessionConfig, {"then": follow_up})
    register(converter, WatchConfig, _NUMBERS)
    register(converter, EventLabel, {"id": NAME})
    register(converter, SessionEventShape, {"id": EVENT_KIND})
    register(converter, PresetShape, {"id": _PRESET})
    register(converter, ScheduleShape, {"expression": _EXPRESSION, "time_zone": _ZONE})
    common: dict[str, Kind[Any]] = {"id": NAME, "kind": _KIND, "type": NAME, "title": NAME}
    register(converter, ScheduleTriggerShape, common | {"misfire_policy": _MISFIRE})
    register(converter, SessionTriggerShape, common, checks=[_some_events])
    register(converter, WatchTriggerShape, common, checks=[_some_events, _numbers_are_used])
    register(converter, PluginTriggerShape, common | {"config": PLAIN_MAP}, checks=[_some_events])

    def trigger(value: Any, _type: Any) -> Trigger:
        kind = choice(value, "kind", _KIND)
        if kind == "schedule":
            return _schedule(converter.structure(value, ScheduleTriggerShape))
        match value.get("type"):
            case "session":
                return _session(converter.structure(value, SessionTriggerShape))
            case "watch":
                return _watch(converter.structure(value, WatchTriggerShape))
            case _:
                return _plugin(converter.structure(value, PluginTriggerShape))

    converter.register_structure_hook_func(lambda declared: declared == Trigger, trigger)


def choice(value: Any, key: str, kind: Kind[Any]) -> Any:
    """The word under ``key`` that says which shape the rest of ``value`` has.

    Raises:
        InvalidError: The value is no map, or the word is missing or none of the known.
    """
    if not is_map(value):
        raise InvalidError.single("", value, "a map")
    if key not in value:
        raise InvalidError([Problem(path=key, value=MISSING, expected=kind.expected)])
    try:
        return kind(value[key])
    except InvalidError as error:
        raise InvalidError(below(key, error.problems)) from None


def _some_events(value: Mapping[str, Any]) -> Iterable[Problem]:
    events = value.get("events")
    if is_list(events) and not events:
        yield Problem(path="events", value=events, expected="a list of at least one event")


def _numbers_are_used(value: Mapping[str, Any]) -> Iterable[Problem]:
    """A number that none of the selected presets has is refused (semantics 6.5)."""
    config, events = value.get("config"), value.get("events")
    if not is_map(config) or not is_list(events):
        return
    ids = [event.get("id") if is_map(event) else None for event in events]
    presets = [PRESETS.get(id_) if isinstance(id_, str) else None for id_ in ids]
    if not presets or None in presets:
        return  # an unknown preset is a problem of its own; its number may be this one
    used = {preset.number for preset in presets if preset is not None}
    for name in _NUMBERS:
        key = key_of(name)
        if key in config and key not in used:
            expected = f"a number of the selected presets: {listing(sorted(used))}"
            yield KeyProblem(
                path=child("config", key),
                value=config[key],
                expected=expected,
                message=f"none of the selected presets has {key!r}; expected {expected}",
            )


def _schedule(shape: ScheduleTriggerShape) -> ScheduleTrigger:
    return ScheduleTrigger(
        id=shape.id,
        expression=shape.schedule.expression,
        time_zone=shape.schedule.time_zone,
        misfire_policy=shape.misfire_policy,
        title=shape.title,
    )


def _session(shape: SessionTriggerShape) -> SessionTrigger:
    events = tuple(event.id for event in shape.events)
    config = shape.config
    return SessionTrigger(
        id=shape.id,
        events=events,
        rule=SessionRule(
            events=frozenset(events),
            filter=config.filter,
            count=config.count,
            then=config.then,
            when=config.when,
        ),
        title=shape.title,
        description=shape.description,
    )


def _watch(shape: WatchTriggerShape) -> WatchTrigger:
    config = shape.config
    numbers = {"times": config.times, "minutes": config.minutes, "toolCalls": config.tool_calls}
    # A preset named twice is one rule: a rule is told apart by trigger and preset alone.
    presets = dict.fromkeys(event.id for event in shape.events)
    return WatchTrigger(
        id=shape.id,
        rules=tuple(
            (id_, PRESETS[id_].rule(numbers[PRESETS[id_].number], filter=config.filter))
            for id_ in presets
        ),
        title=shape.title,
        description=shape.description,
    )


def _plugin(shape: PluginTriggerShape) -> PluginTrigger:
    return PluginTrigger(
        id=shape.id,
        type=shape.type,
        events=tuple(event.id for event in shape.events),
        config=shape.config,
        title=shape.title,
        description=shape.description,
        labels=tuple(event for event in shape.events if event != EventLabel(id=event.id)),
    )
