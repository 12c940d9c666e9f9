"""Automations and their definitions, from plain data to records.

Two shapes are read: the protocol's (``resource`` and ``definition``), and that of a
ruleset's items (``id`` and the definition's keys beside it, with ``overlap`` and
``pinned`` as shorthands of what the protocol keeps under ``_meta.ahpd``).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from cattrs import Converter

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
from wakeful.model.triggers import RESERVED_TYPES, TriggerEvent, TriggerType
from wakeful.reading.converter import Check, plain_converter, register
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
from wakeful.reading.paths import child, in_order
from wakeful.reading.problems import below
from wakeful.reading.shapes import (
    AutomationShape,
    DefinitionShape,
    EntryShape,
    RulesetShape,
    SessionTemplate,
    TypeShape,
)
from wakeful.reading.triggers import choice, register_triggers

T = TypeVar("T")

OWNER_NOTE: Final = "ahpd.owner"
"""The member of ``_meta`` that names an automation's owner on the wire."""

HOST_NOTES: Final = "ahpd"
"""The member of ``_meta`` that holds overlap, pinning and the pinned session."""

_PINNED: Final = one_of(("pinned",), "a way to keep sessions")
_CONDITIONS: Final[Mapping[str, type]] = {"afterRuns": AfterRuns, "afterDate": AfterDate}
_CONDITION: Final = one_of(tuple(_CONDITIONS), "a disable condition")


def read_definition(data: Any) -> AutomationDefinition:
    """Read a definition in the protocol's shape.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, AutomationDefinition)


def read_automation(data: Any) -> Automation:
    """Read an automation: ``{resource, definition, owner?}`` or an item of a ruleset.

    The owner is ``owner``, or where that is left out ``_meta["ahpd.owner"]``.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, Automation)


def read_trigger_type(data: Any) -> TriggerType:
    """Read a trigger type as a plugin registers it.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, TriggerType)


def read_declared_type(data: Any) -> TypeShape:
    """Read an item of a ruleset's ``types``: a trigger type, and who may fire it.

    Raises:
        InvalidError: With every problem, in the order of the data.
    """
    return _structure(data, TypeShape)


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


def _structure(data: Any, cls: type[T]) -> T:
    try:
        return _CONVERTER.structure(data, cls)
    except InvalidError as error:
        raise InvalidError(in_order(error.problems, data)) from None


def _build_converter() -> Converter:
    converter = plain_converter()
    register_triggers(converter)
    register(converter, AfterRuns, {"max": RUNS}, given=["kind"])
    register(converter, AfterDate, {"date": FULL_INSTANT}, given=["kind"])
    # The template is held to its keys and kept as it was written.
    template: dict[str, Kind[Any]] = dict.fromkeys(("model", "agent", "config", "meta"), _MAP)
    register(
        converter,
        SessionTemplate,
        template | {"provider": NAME, "customizations": Kind("a list of maps", _maps)},
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

    converter.register_structure_hook_func(lambda declared: declared == DisableCondition, condition)
    body: dict[str, Kind[Any]] = {
        "title": NAME,
        "message": Kind("a map with a text", _message),
        "session": Kind("a map", session),
        "meta": Kind("a map", _meta),
    }
    shared: tuple[Check, ...] = (_distinct_ids, _distinct_conditions, _pinned_is_not_parallel)
    register(converter, DefinitionShape, body, checks=shared)
    register(
        converter,
        AutomationShape,
        body | {"id": ID, "owner": OWNER, "overlap": OVERLAP},
        checks=[*shared, _shorthands_agree, _owners_agree(lambda value: value)],
    )

    def definition(value: Any, _type: Any) -> AutomationDefinition:
        return _definition(converter.structure(value, DefinitionShape))

    converter.register_structure_hook(AutomationDefinition, definition)
    register(
        converter,
        EntryShape,
        {"resource": RESOURCE, "definition": definition, "owner": OWNER},
        checks=[_owners_agree(lambda value: value.get("definition"))],
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
    register(converter, TriggerType, declared, checks=[_distinct_events])
    register(converter, TypeShape, declared | {"by": NAME}, checks=[_distinct_events])
    register(
        converter,
        RulesetShape,
        {
            "automations": Kind("a list of automations", _list),
            "types": Kind("a list of trigger types", _list),
            "meta": PLAIN_MAP,
        },
        checks=[_says_something],
    )
    return converter


# Single values


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


# Checks between keys. They read what was written, so anything may be of any kind.


def _items(value: Mapping[str, Any], key: str) -> list[tuple[int, Mapping[str, Any]]]:
    found = value.get(key)
    if not is_list(found):
        return []
    return [(index, item) for index, item in enumerate(found) if is_map(item)]


def _repeated(value: Mapping[str, Any], key: str, member: str, expected: str) -> Iterable[Problem]:
    """Each item of the list under ``key`` that says the same ``member`` as one before it."""
    seen: dict[str, int] = {}
    for index, item in _items(value, key):
        name = item.get(member)
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Problem(
                path=child(child(child("", key), index), member),
                value=name,
                expected=expected,
                message=f"{name!r} is taken by {child(key, seen[name])}; expected {expected}",
            )
        seen.setdefault(name, index)


def _distinct_ids(value: Mapping[str, Any]) -> Iterable[Problem]:
    return _repeated(value, "triggers", "id", "an id that no other trigger has")


def _distinct_conditions(value: Mapping[str, Any]) -> Iterable[Problem]:
    return _repeated(value, "disableConditions", "kind", "each kind of condition at most once")


def _distinct_events(value: Mapping[str, Any]) -> Iterable[Problem]:
    yield from _repeated(value, "events", "id", "an id that no other event of the type has")
    events = value.get("events")
    if is_list(events) and not events:
        yield Problem(path="events", value=events, expected="a list of at least one event")


def _notes(value: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = value.get("_meta")
    notes = meta.get(HOST_NOTES) if is_map(meta) else None
    return notes if is_map(notes) else {}


def _pinned_is_not_parallel(value: Mapping[str, Any]) -> Iterable[Problem]:
    """Pinned with ``parallel`` is refused when saved (semantics 9.12)."""
    notes = _notes(value)
    pinned = value.get("pinned") is True or notes.get("session") == "pinned"
    if not pinned:
        return
    for path, overlap in (
        ("overlap", value.get("overlap")),
        (child(child("_meta", HOST_NOTES), "overlap"), notes.get("overlap")),
    ):
        if overlap == "parallel":
            yield Problem(
                path=path,
                value=overlap,
                expected="queue, steer or skip",
                message="a pinned automation has one chat and cannot be parallel; "
                "expected queue, steer or skip",
            )


def _shorthands_agree(value: Mapping[str, Any]) -> Iterable[Problem]:
    notes = _notes(value)
    if {"overlap"} <= value.keys() & notes.keys() and value["overlap"] != notes["overlap"]:
        yield _disagrees("overlap", value["overlap"], "_meta.ahpd.overlap", notes["overlap"])
    if value.get("pinned") is False and notes.get("session") == "pinned":
        yield _disagrees("pinned", value["pinned"], "_meta.ahpd.session", notes["session"])


def _owners_agree(definition: Callable[[Mapping[str, Any]], Any]) -> Check:
    def check(value: Mapping[str, Any]) -> Iterable[Problem]:
        written = definition(value)
        meta = written.get("_meta") if is_map(written) else None
        noted = meta.get(OWNER_NOTE) if is_map(meta) else None
        owner = value.get("owner")
        if owner is not None and noted is not None and owner != noted:
            yield _disagrees("owner", owner, f'_meta["{OWNER_NOTE}"]', noted)

    return check


def _disagrees(path: str, value: Any, other: str, said: Any) -> Problem:
    expected = f"what {other} says, or only one of the two"
    return Problem(
        path=path,
        value=value,
        expected=expected,
        message=f"{value!r} is not what {other} says, {said!r}",
    )


def _says_something(value: Mapping[str, Any]) -> Iterable[Problem]:
    if "automations" not in value and "types" not in value:
        yield Problem(path="automations", expected="a list of automations")


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


_MAP: Final = Kind("a map", _map)
_TYPE_NAME: Final = text_kind("the name of a type, other than session and watch", _type_name)
_CONVERTER: Final = _build_converter()
