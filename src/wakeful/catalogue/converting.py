"""The wire form of every record, by one converter that is built once.

Reading is strict about what is known (text is text, whole numbers are whole, ``null`` is no
way to leave a member out) and keeps what is not: unknown members go to ``unknown`` and are
written back. Every problem is collected, with its path.

A record whose first attribute cannot be set (``kind``, ``status``, ``type``) is told apart
by it from the others of its union.
"""

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import ClassValidationError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from wakeful.catalogue import names
from wakeful.catalogue.actions import ACTION_CLASSES, Action, ActionOrigin, Envelope, UnknownAction
from wakeful.catalogue.capabilities import Capabilities, ScheduleCapability
from wakeful.catalogue.definitions import (
    Definition,
    DefinitionPatch,
    DisableCondition,
    EventDescriptor,
    EventTrigger,
    Plain,
    Schedule,
    ScheduleTrigger,
    SessionTemplate,
    Trigger,
    TriggerDefinition,
)
from wakeful.catalogue.lifecycles import (
    Cancelled,
    Completed,
    ErrorInfo,
    Failed,
    Lifecycle,
    Pending,
    Running,
)
from wakeful.catalogue.origins import ManualOrigin, RunOrigin, SessionOrigin, TriggerOrigin
from wakeful.catalogue.parameters import PARAMETERS
from wakeful.catalogue.states import AutomationState, CatalogState, RunState, RunSummary
from wakeful.errors import MISSING, InvalidError, Problem
from wakeful.reading.converter import key_of, plain_converter
from wakeful.reading.kinds import PLAIN_MAP, is_map, one_of, plain, whole
from wakeful.reading.paths import child
from wakeful.reading.problems import below, problems_of

T = TypeVar("T")

_WHOLE: Final = whole(0)
_UNKNOWN: Final = "unknown"

RECORDS: Final = (
    Schedule,
    ScheduleTrigger,
    EventDescriptor,
    EventTrigger,
    TriggerDefinition,
    SessionTemplate,
    DisableCondition,
    Definition,
    DefinitionPatch,
    ErrorInfo,
    Pending,
    Running,
    Completed,
    Failed,
    Cancelled,
    ManualOrigin,
    TriggerOrigin,
    SessionOrigin,
    RunSummary,
    RunState,
    AutomationState,
    CatalogState,
    ScheduleCapability,
    Capabilities,
    *ACTION_CLASSES.values(),
    UnknownAction,
    ActionOrigin,
    Envelope,
)
"""Every record of the wire, parts before what is made of them."""

_UNIONS: Final[tuple[tuple[Any, str, Mapping[str, type[Any]], str], ...]] = (
    (Trigger, "kind", {"schedule": ScheduleTrigger, "event": EventTrigger}, "a kind of trigger"),
    (
        Lifecycle,
        "status",
        {
            "pending": Pending,
            "running": Running,
            "completed": Completed,
            "failed": Failed,
            "cancelled": Cancelled,
        },
        "a status",
    ),
    (RunOrigin, "kind", {"manual": ManualOrigin, "trigger": TriggerOrigin}, "a kind of origin"),
)


def read(cls: type[T], data: Any) -> T:
    """Read a record of the wire.

    Raises:
        InvalidError: With every problem, in the order of the record's members.
    """
    return _CONVERTER.structure(data, cls)


def read_action(data: Any) -> Action:
    """Read an action; one of an unknown type is an :class:`UnknownAction`.

    Raises:
        InvalidError: It is no action, or a known one that is wrong.
    """
    action: Action = _CONVERTER.structure(data, Action)  # type: ignore[arg-type]
    return action


def write(record: Any) -> dict[str, Any]:
    """The wire form of a record: fresh outer maps around the record's own plain data."""
    written: dict[str, Any] = _CONVERTER.unstructure(record)
    return written


def member_of(attribute: str) -> str:
    """The member that an attribute is written as."""
    return names.MEMBERS.get(attribute) or key_of(attribute)


def _build() -> Converter:
    converter = plain_converter()
    converter.register_structure_hook(int, _WHOLE)
    converter.register_structure_hook_func(lambda declared: declared == Plain, PLAIN_MAP)
    converter.register_unstructure_hook_func(lambda declared: declared == Plain, _as_it_is)
    for union, member, classes, noun in _UNIONS:
        _register_union(converter, union, member, classes, noun)
    converter.register_structure_hook_func(
        lambda declared: declared == Action, lambda value, _type: _action(converter, value)
    )
    for cls in (*RECORDS, *PARAMETERS):
        converter.register_structure_hook(cls, _reader(converter, cls))
        converter.register_unstructure_hook(cls, _writer(converter, cls))
    return converter


def _as_it_is(value: Any) -> Any:
    return value


def _register_union(
    converter: Converter, union: Any, member: str, classes: Mapping[str, type[Any]], noun: str
) -> None:
    choice = one_of(tuple(classes), noun)

    def structure(value: Any, _type: Any) -> Any:
        if not is_map(value):
            raise InvalidError.single("", value, "a map")
        try:
            word = choice(value.get(member, MISSING))
        except InvalidError as error:
            raise InvalidError(below(member, error.problems)) from None
        return converter.structure(value, classes[word])

    converter.register_structure_hook_func(lambda declared: declared == union, structure)


def _action(converter: Converter, value: Any) -> Any:
    if not is_map(value):
        raise InvalidError.single("", value, "a map")
    type_ = value.get("type")
    known = ACTION_CLASSES.get(type_) if isinstance(type_, str) else None
    return converter.structure(value, UnknownAction if known is None else known)


def _reader(converter: Converter, cls: type[Any]) -> Callable[[Any, Any], Any]:
    """Cattrs' own reader of a record, fed with the members that the record knows."""
    fields = [field for field in attrs.fields(cls) if field.name != _UNKNOWN]
    fixed = {member_of(field.name): field.default for field in fields if not field.init}
    settable = [field for field in fields if field.init]
    members = {member_of(field.name): _expectation(field.type) for field in settable}
    overrides: Any = {field.name: override(rename=member_of(field.name)) for field in settable}
    overrides[_UNKNOWN] = override(rename=_UNKNOWN, struct_hook=_kept)
    generated = make_dict_structure_fn(
        cls,
        converter,
        _cattrs_detailed_validation=True,
        _cattrs_forbid_extra_keys=False,
        **overrides,
    )
    shape = f"a map ({', '.join((*fixed, *members))})"

    def problems(error: ClassValidationError) -> list[Problem]:
        found: list[Problem] = []
        for inner, note in error.group_exceptions()[0]:
            path = "" if note.name == _UNKNOWN else child("", member_of(note.name))
            if isinstance(inner, KeyError):
                found.append(Problem(path=path, expected=members[member_of(note.name)]))
            else:
                found.extend(below(path, problems_of(inner)))
        return found

    def structure(value: Any, _type: Any) -> Any:
        if not is_map(value):
            raise InvalidError.single("", value, shape)
        for member, expected in fixed.items():
            if value.get(member, MISSING) != expected:
                raise InvalidError.single(member, value.get(member, MISSING), repr(expected))
        known = {member: value[member] for member in members if member in value}
        if len(known) + len(fixed) < len(value):
            known[_UNKNOWN] = {
                key: part for key, part in value.items() if key not in members and key not in fixed
            }
        try:
            return generated(known, cls)
        except ClassValidationError as error:
            raise InvalidError(problems(error)) from None

    return structure


def _kept(value: Any, _type: Any) -> Any:
    return plain(value)


def _writer(converter: Converter, cls: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Cattrs' own writer of a record; what is not there is left out, what is unknown put back."""
    overrides: Any = {
        field.name: override(rename=member_of(field.name)) for field in attrs.fields(cls)
    }
    overrides[_UNKNOWN] = override(omit=True)
    generated = make_dict_unstructure_fn(
        cls, converter, _cattrs_include_init_false=True, **overrides
    )

    def unstructure(record: Any) -> dict[str, Any]:
        written = {key: part for key, part in generated(record).items() if part is not None}
        if record.unknown:
            written |= record.unknown
        return written

    return unstructure


def _expectation(declared: Any) -> str:
    """What to say of a required member that is missing."""
    kinds: dict[Any, str] = {str: "text", bool: "true or false", int: _WHOLE.expected}
    if get_origin(declared) in (Union, UnionType):
        return "a map" if type(None) not in get_args(declared) else "nothing"
    return kinds.get(declared) or ("a list" if get_origin(declared) is tuple else "a map")


_CONVERTER: Final = _build()

__all__ = ["RECORDS", "member_of", "read", "read_action", "write"]
