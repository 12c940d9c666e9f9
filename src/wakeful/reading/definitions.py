"""Automations and their definitions, from plain data to records.

Two shapes are read: the protocol's (``resource`` and ``definition``), and that of a
ruleset's items (``id`` and the definition's keys beside it, with ``overlap`` and
``pinned`` as shorthands of what the protocol keeps under ``_meta.ahpd``).
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import attrs

from wakeful.errors import MISSING, InvalidError, Problem
from wakeful.model.automations import (
    SCHEME,
    AfterDate,
    AfterRuns,
    Automation,
    AutomationDefinition,
    DisableCondition,
    Message,
    Overlap,
)
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.time import Instant
from wakeful.model.triggers import RESERVED_TYPES, TriggerEvent, TriggerType
from wakeful.reading.checks import (
    HOST_NOTES,
    OWNER_NOTE,
    distinct_conditions,
    distinct_events,
    distinct_ids,
    owners_agree,
    pinned_is_not_parallel,
    says_something,
    shorthands_agree,
)
from wakeful.reading.converter import Check, ReadingConverter, plain_converter, register
from wakeful.reading.kinds import (
    FULL_INSTANT,
    ID,
    NAME,
    OVERLAP,
    OWNER,
    PLAIN_MAP,
    RESOURCE,
    RUNS,
    TEXT,
    Kind,
    is_list,
    is_map,
    one_of,
    refuse,
    text_kind,
)
from wakeful.reading.limits import beyond
from wakeful.reading.paths import child, in_order
from wakeful.reading.problems import below
from wakeful.reading.shapes import (
    AutomationShape,
    DefinitionShape,
    EntryShape,
    FileShape,
    RulesetShape,
    SessionTemplate,
    TypeShape,
)
from wakeful.reading.triggers import choice, register_triggers

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class KeptAutomation:
    """What a file says of an automation; under which resource, its name says.

    Attributes:
        created_at: When the automation was made; ``None`` where the file does not tell.
    """

    definition: AutomationDefinition
    owner: str | None = None
    created_at: Instant | None = None

    def under(self, resource: str) -> Automation:
        """The automation, by the resource that its file's name stands for."""
        return Automation(resource=resource, definition=self.definition, owner=self.owner)


REFERENCE_TO_TEMPLATE: Final = {"$ref": "#/$defs/SessionTemplate"}
"""The schema of a session template, which is a record of its own."""

_PINNED: Final = one_of(("pinned",), "a way to keep sessions")
_CONDITIONS: Final[Mapping[str, type]] = {"afterRuns": AfterRuns, "afterDate": AfterDate}
_CONDITION: Final = one_of(tuple(_CONDITIONS), "a disable condition")


def read_definition(data: Any, *, limits: Limits = LIMITS) -> AutomationDefinition:
    """Read a definition in the protocol's shape.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, AutomationDefinition, limits)


def read_automation(data: Any, *, limits: Limits = LIMITS) -> Automation:
    """Read an automation: ``{resource, definition, owner?}`` or an item of a ruleset.

    The owner is ``owner``, or where that is left out ``_meta["ahpd.owner"]``.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, Automation, limits)


def read_kept_automation(data: Any, *, limits: Limits = LIMITS) -> KeptAutomation:
    """Read what an automation file holds, its body put in as ``message.text``.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    shape = _structure(data, FileShape, limits)
    return KeptAutomation(
        definition=_definition(shape, overlap=shape.overlap, pinned=shape.pinned),
        owner=shape.owner or shape.meta.get(OWNER_NOTE),
        created_at=shape.created_at,
    )


def read_trigger_type(data: Any, *, limits: Limits = LIMITS) -> TriggerType:
    """Read a trigger type as a plugin registers it.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, TriggerType, limits)


def read_declared_type(data: Any, *, limits: Limits = LIMITS) -> TypeShape:
    """Read an item of a ruleset's ``types``: a trigger type, and who may fire it.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, TypeShape, limits)


def read_ruleset_shape(data: Any) -> RulesetShape:
    """Read a ruleset as a whole, its items left as they are.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, RulesetShape)


def resource_of(data: Any) -> tuple[str, str] | None:
    """The resource that an automation names, and the key it does so by; nothing is checked."""
    for key, prefix in (("resource", ""), ("id", f"{SCHEME}/")):
        if is_map(data) and isinstance(data.get(key), str):
            return prefix + data[key], key
    return None


def _structure(data: Any, cls: type[T], limits: Limits | None = None) -> T:
    problems = [] if limits is None else beyond(data, limits)
    if problems:
        raise InvalidError(problems)
    try:
        return CONVERTER.structure(data, cls)
    except InvalidError as error:
        raise InvalidError(in_order(error.problems, data)) from None


def _build_converter() -> ReadingConverter:
    converter = plain_converter()
    register_triggers(converter)
    register(converter, AfterRuns, {"max": RUNS}, given=["kind"])
    register(converter, AfterDate, {"date": FULL_INSTANT}, given=["kind"])
    # The template is held to its keys and kept as it was written.
    template: dict[str, Kind[Any]] = dict.fromkeys(("model", "agent", "config", "meta"), _MAP)
    register(
        converter,
        SessionTemplate,
        template
        | {"provider": NAME, "customizations": Kind("a list of maps", _maps, _MAPS_SCHEMA)},
    )

    def condition(value: Any, _type: Any) -> DisableCondition:
        made: DisableCondition = converter.structure(
            value, _CONDITIONS[choice(value, "kind", _CONDITION)]
        )
        return made

    def session(value: Any) -> Mapping[str, Any]:
        copy = PLAIN_MAP(value)
        converter.structure(value, SessionTemplate)
        return copy

    converter.unions[DisableCondition] = ("kind", _CONDITIONS)
    converter.register_structure_hook_func(lambda declared: declared == DisableCondition, condition)
    body: dict[str, Kind[Any]] = {
        "title": NAME,
        "message": Kind("a map with a text", _message, _MESSAGE_SCHEMA),
        "session": Kind("a map", session, REFERENCE_TO_TEMPLATE),
        "meta": Kind("a map", _meta, _META_SCHEMA),
    }
    shared: tuple[Check, ...] = (distinct_ids, distinct_conditions, pinned_is_not_parallel)
    register(converter, DefinitionShape, body, checks=shared)
    register(
        converter,
        AutomationShape,
        body | {"id": ID, "owner": OWNER, "overlap": OVERLAP},
        checks=[*shared, shorthands_agree, owners_agree(lambda value: value)],
    )
    register(
        converter,
        FileShape,
        body | {"owner": OWNER, "overlap": OVERLAP, "created_at": FULL_INSTANT},
        checks=[*shared, shorthands_agree, owners_agree(lambda value: value)],
    )

    def definition(value: Any, _type: Any) -> AutomationDefinition:
        return _definition(converter.structure(value, DefinitionShape))

    converter.register_structure_hook(AutomationDefinition, definition)
    register(
        converter,
        EntryShape,
        {"resource": RESOURCE, "definition": definition, "owner": OWNER},
        checks=[owners_agree(lambda value: value.get("definition"))],
    )

    def automation(value: Any, _type: Any) -> Automation:
        if is_map(value) and ("resource" in value or "definition" in value):
            return _entry(converter.structure(value, EntryShape))
        return _automation(converter.structure(value, AutomationShape))

    converter.register_structure_hook(Automation, automation)
    register(converter, TriggerEvent, {"id": NAME, "title": NAME})
    declared: dict[str, Kind[Any]] = {
        "type": _TYPE_NAME,
        "title": NAME,
        "config_schema": PLAIN_MAP,
    }
    register(converter, TriggerType, declared, checks=[distinct_events])
    register(converter, TypeShape, declared | {"by": NAME}, checks=[distinct_events])
    register(
        converter,
        RulesetShape,
        {
            "automations": Kind("a list of automations", _list, {"type": "array"}),
            "types": Kind("a list of trigger types", _list, {"type": "array"}),
            "meta": PLAIN_MAP,
        },
        checks=[says_something],
    )
    return converter


# Single values

_MAPS_SCHEMA: Final = {"type": "array", "items": {"type": "object"}}
_MESSAGE_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "text": {**TEXT.schema, "description": "What the agent reads, with its placeholders"},
        "origin": {
            "type": "object",
            "properties": {"kind": {"const": "automation"}},
            "required": ["kind"],
        },
    },
    "required": ["text"],
}
_META_SCHEMA: Final = {
    "type": "object",
    "properties": {
        OWNER_NOTE: OWNER.schema,
        HOST_NOTES: {
            "type": "object",
            "properties": {
                "overlap": OVERLAP.schema,
                "session": _PINNED.schema,
                "pinnedSession": NAME.schema,
            },
        },
    },
}


def _map(value: Any) -> Any:
    if not is_map(value):
        raise InvalidError.single("", value, "a map")
    return value


def _list(value: Any) -> Any:
    if not is_list(value):
        raise InvalidError.single("", value, "a list")
    return tuple(value)


def _maps(value: Any) -> Any:
    refuse(
        Problem(path=child("", index), value=item, expected="a map")
        for index, item in enumerate(_list(value))
        if not is_map(item)
    )
    return value


def _message(value: Any) -> Message:
    copy = dict(PLAIN_MAP(value))
    problems: list[Problem] = []
    text = copy.pop("text", MISSING)
    if text is MISSING:
        problems.append(Problem(path="text", expected=TEXT.expected))
    else:
        problems.extend(_problems("text", TEXT, text))
    if "origin" in copy:
        origin = copy["origin"]
        expected = "automation, or left out"
        if not is_map(origin):
            problems.append(Problem(path="origin", value=origin, expected="a map with a kind"))
        elif origin.get("kind") != "automation":
            problems.append(
                Problem(path="origin.kind", value=origin.get("kind", MISSING), expected=expected)
            )
        elif len(origin) == 1:
            del copy["origin"]
    refuse(problems)
    return Message(text=text, extra=copy)


def _meta(value: Any) -> Mapping[str, Any]:
    """``_meta`` takes anything and keeps it; what this library reads of it has to be right."""
    copy = PLAIN_MAP(value)
    problems: list[Problem] = []
    if OWNER_NOTE in copy:
        problems.extend(_problems(child("", OWNER_NOTE), OWNER, copy[OWNER_NOTE]))
    notes = copy.get(HOST_NOTES, {})
    if not is_map(notes):
        problems.append(Problem(path=HOST_NOTES, value=notes, expected="a map"))
    else:
        for key, kind in (("overlap", OVERLAP), ("session", _PINNED), ("pinnedSession", NAME)):
            if key in notes:
                problems.extend(_problems(child(HOST_NOTES, key), kind, notes[key]))
    refuse(problems)
    return copy


def _type_name(name: str) -> str:
    NAME(name)
    if name in RESERVED_TYPES:
        raise InvalidError.single(
            "", name, "a type of a plugin's own", f"{name!r} is this library's own type"
        )
    return name


def _problems(path: str, kind: Kind[Any], value: Any) -> Iterable[Problem]:
    try:
        kind(value)
    except InvalidError as error:
        return list(below(path, error.problems))
    return []


# From what was written to the record


def _definition(
    shape: DefinitionShape, *, overlap: Overlap | None = None, pinned: bool | None = None
) -> AutomationDefinition:
    """The record of a shape; shorthands are put where the protocol keeps them."""
    meta = dict(shape.meta)
    notes: dict[str, Any] = dict(meta.get(HOST_NOTES, {}))
    if overlap is not None:
        notes["overlap"] = overlap
    if pinned:
        notes["session"] = "pinned"
    if notes:
        meta[HOST_NOTES] = notes
    return AutomationDefinition(
        title=shape.title,
        message=shape.message,
        triggers=shape.triggers,
        session=shape.session,
        enabled=shape.enabled,
        disable_conditions=shape.disable_conditions,
        overlap=notes.get("overlap", "queue"),
        pinned=notes.get("session") == "pinned",
        pinned_session=notes.get("pinnedSession"),
        meta=meta,
    )


def _automation(shape: AutomationShape) -> Automation:
    return Automation(
        resource=f"{SCHEME}/{shape.id}",
        definition=_definition(shape, overlap=shape.overlap, pinned=shape.pinned),
        owner=shape.owner or shape.meta.get(OWNER_NOTE),
    )


def _entry(shape: EntryShape) -> Automation:
    return Automation(
        resource=shape.resource,
        definition=shape.definition,
        owner=shape.owner or shape.definition.meta.get(OWNER_NOTE),
    )


_MAP: Final = Kind("a map", _map, {"type": "object"})
_TYPE_NAME: Final = text_kind(
    "the name of a type, other than session and watch", _type_name, r"^(?!(session|watch)$).*\S"
)
CONVERTER: Final = _build_converter()
"""Reads every record of this room; the JSON Schema is made of what it was taught."""
