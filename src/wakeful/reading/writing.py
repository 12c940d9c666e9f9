"""Records to plain data in the protocol's shape; reading it gives equal records.

What the protocol requires and the records leave out is filled in: the titles of this
library's own events. What was left out and has a default stays left out.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override

from wakeful.errors import InvalidError
from wakeful.model.automations import (
    AfterDate,
    AfterRuns,
    Automation,
    AutomationDefinition,
    DisableCondition,
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
from wakeful.model.time import format_duration, format_instant
from wakeful.model.triggers import (
    EventLabel,
    PluginTrigger,
    ScheduleTrigger,
    SessionTrigger,
    Trigger,
    TriggerEvent,
    TriggerType,
    WatchTrigger,
)
from wakeful.presets import EVENT_TITLES, PRESETS
from wakeful.reading.checks import HOST_NOTES, OWNER_NOTE
from wakeful.reading.converter import key_of
from wakeful.reading.kinds import plain

_DURATIONS: Final = frozenset({"within", "for_", "turn_longer_than"})


def write_definition(definition: AutomationDefinition) -> dict[str, Any]:
    """A definition as the protocol carries it.

    Raises:
        InvalidError: It holds what no definition that was read can hold: a ``watch``
            trigger with rules that are not its presets', or data that has no JSON.
    """
    written: dict[str, Any] = {
        "title": definition.title,
        "message": {
            "text": definition.message.text,
            "origin": {"kind": "automation"},
            **plain(definition.message.extra),
        },
        "session": plain(definition.session),
        "enabled": definition.enabled,
        "triggers": [_trigger(trigger) for trigger in definition.triggers],
    }
    if definition.disable_conditions:
        written["disableConditions"] = [
            _condition(condition) for condition in definition.disable_conditions
        ]
    meta = _meta(definition)
    if meta:
        written["_meta"] = meta
    return written


def write_automation(automation: Automation) -> dict[str, Any]:
    """An automation as ``{resource, definition, owner?}``.

    Raises:
        InvalidError: As :func:`write_definition` does.
    """
    definition = write_definition(automation.definition)
    meta = definition.get("_meta", {})
    if meta.get(OWNER_NOTE, automation.owner) != automation.owner:
        meta[OWNER_NOTE] = automation.owner
        if automation.owner is None:
            del meta[OWNER_NOTE]
    return _present(resource=automation.resource, definition=definition, owner=automation.owner)


def write_trigger_type(definition: TriggerType) -> dict[str, Any]:
    """A plugin's trigger type as discovery answers it."""
    written: dict[str, Any] = _CONVERTER.unstructure(definition)
    return written


def _meta(definition: AutomationDefinition) -> dict[str, Any]:
    """``_meta``, brought in line with the fields that stand for members of it."""
    meta: dict[str, Any] = plain(definition.meta)
    notes: dict[str, Any] = dict(meta.get(HOST_NOTES, {}))
    for key, said, left_out in (
        ("overlap", definition.overlap, "queue"),
        ("session", "pinned" if definition.pinned else None, None),
        ("pinnedSession", definition.pinned_session, None),
    ):
        if said != notes.get(key, left_out):
            notes[key] = said
        if notes.get(key) is None:
            notes.pop(key, None)
    if notes or HOST_NOTES in meta:
        meta[HOST_NOTES] = notes
    return meta


def _condition(condition: DisableCondition) -> dict[str, Any]:
    match condition:
        case AfterRuns():
            return {"kind": "afterRuns", "max": condition.max}
        case AfterDate():
            return {"kind": "afterDate", "date": format_instant(condition.date)}
        case _:
            assert_never(condition)


def _trigger(trigger: Trigger) -> dict[str, Any]:
    match trigger:
        case ScheduleTrigger():
            return _present(
                id=trigger.id,
                kind="schedule",
                title=trigger.title,
                schedule={"expression": trigger.expression, "timeZone": trigger.time_zone},
                misfirePolicy=trigger.misfire_policy,
            )
        case SessionTrigger():
            return _event_trigger(
                trigger,
                "session",
                [{"id": id_, "title": _event_title(id_)} for id_ in trigger.events],
                _session_config(trigger.rule),
            )
        case WatchTrigger():
            return _event_trigger(
                trigger,
                "watch",
                [{"id": id_, "title": PRESETS[id_].title} for id_, _ in trigger.rules],
                _watch_config(trigger),
            )
        case PluginTrigger():
            labels = {label.id: _CONVERTER.unstructure(label) for label in trigger.labels}
            return _event_trigger(
                trigger,
                trigger.type,
                [labels.get(id_, {"id": id_}) for id_ in trigger.events],
                plain(trigger.config),
            )
        case _:
            assert_never(trigger)


def _event_trigger(
    trigger: SessionTrigger | WatchTrigger | PluginTrigger,
    type_: str,
    events: list[dict[str, Any]],
    config: Mapping[str, Any],
) -> dict[str, Any]:
    return _present(
        id=trigger.id,
        kind="event",
        type=type_,
        title=trigger.title,
        description=trigger.description,
        events=events,
        config=config or None,
    )


def _event_title(kind: str) -> str:
    return next((title for id_, title in EVENT_TITLES.items() if id_ == kind), kind)


def _present(**members: Any) -> dict[str, Any]:
    """The members that are not ``None``."""
    return {key: value for key, value in members.items() if value is not None}


def _session_config(rule: SessionRule) -> dict[str, Any]:
    return _present(
        filter=_CONVERTER.unstructure(rule.filter),
        count=_CONVERTER.unstructure(rule.count),
        then=_follow_up(rule.then),
        when=_CONVERTER.unstructure(rule.when),
    )


def _follow_up(then: FollowUp | None) -> dict[str, Any] | None:
    match then:
        case None:
            return None
        case EventWithin():
            kind = "event"
        case AbsentFor():
            kind = "absent"
        case IdleFor():
            kind = "idle"
        case _:
            assert_never(then)
    return {"kind": kind, **_CONVERTER.unstructure(then)}


def _watch_config(trigger: WatchTrigger) -> dict[str, Any]:
    """The numbers and the filter that make the trigger's rules out of its presets."""
    numbers: dict[str, set[int]] = {}
    filters: set[Filter | None] = set()
    defaults: dict[str, bool] = {}
    for id_, rule in trigger.rules:
        preset = PRESETS.get(id_)
        number = preset.number_of(rule) if preset else None
        if preset is None or number is None:
            raise InvalidError.single("", rule, f"the rule that the preset {id_!r} means")
        filters.add(rule.filter)
        numbers.setdefault(preset.number, set()).add(number)
        defaults[preset.number] = defaults.get(preset.number, True) and number == preset.default
    if len(filters) > 1:
        raise InvalidError.single("", trigger, "one filter for every preset of a trigger")
    config: dict[str, Any] = {}
    for key, found in numbers.items():
        if defaults[key]:
            continue
        if len(found) > 1:
            raise InvalidError.single("", trigger, f"one number {key!r} for every preset")
        (config[key],) = found
    written = _CONVERTER.unstructure(next(iter(filters), None))
    return config if written is None else {**config, "filter": written}


def _build_converter() -> Converter:
    # Sorted, since a set has no order of its own and equal records are written alike.
    converter = Converter(unstruct_collection_overrides={frozenset: sorted, tuple: list})
    for cls in (
        Filter,
        Count,
        When,
        EventWithin,
        AbsentFor,
        IdleFor,
        EventLabel,
        TriggerEvent,
        TriggerType,
    ):
        converter.register_unstructure_hook(cls, _writer(converter, cls))
    return converter


def _writer(converter: Converter, cls: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Cattrs' own writer of a record: keys renamed, what has its default left out."""
    fields: Any = {
        field.name: override(
            rename=key_of(field.name),
            unstruct_hook=format_duration if field.name in _DURATIONS else None,
        )
        for field in attrs.fields(cls)
    }
    return make_dict_unstructure_fn(cls, converter, _cattrs_omit_if_default=True, **fields)


_CONVERTER: Final = _build_converter()
