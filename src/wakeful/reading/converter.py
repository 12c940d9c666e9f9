"""How records are structured: cattrs hooks that collect every problem.

Each record's hook is one that cattrs generates (detailed validation, unknown keys
forbidden, keys renamed), inside a wrapper that turns what cattrs gathered into problems
and adds those of the checks between keys. The checks read the data as it was written and
not the record, so that they speak also where something else in it is wrong.
"""

from collections.abc import Callable, Iterable, Mapping
from types import GenericAlias, MappingProxyType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, override

from wakeful.errors import MISSING, InvalidError, Problem
from wakeful.reading.kinds import FLAG, TEXT, Kind, is_list, is_map
from wakeful.reading.paths import child
from wakeful.reading.problems import below, problems_of, unknown_key

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
Check = Callable[[Mapping[str, Any]], Iterable[Problem]]

_KEYS: Final = {"meta": "_meta", "for_": "for"}


def key_of(name: str) -> str:
    """The key that an attribute is written as: ``same_input`` is ``sameInput``."""
    if name in _KEYS:
        return _KEYS[name]
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def keys_of(cls: type) -> list[str]:
    """The keys that a record is written with, in its order."""
    return [key_of(field.name) for field in attrs.fields(cls)]


@attrs.frozen(kw_only=True)
class Written:
    """How a record is written, as :func:`register` was told.

    Attributes:
        kinds: The kind of an attribute, where its type does not say it.
        given: Keys that are allowed and read elsewhere, such as ``kind``.
        text: How it is written as text, where it may be.
    """

    kinds: Mapping[str, "Hook"] = MappingProxyType({})
    given: tuple[str, ...] = ()
    text: Kind[Any] | None = None


class ReadingConverter(Converter):
    """A converter that remembers what it was taught, for the JSON Schema to be made of it.

    Attributes:
        records: How each record is written.
        unions: For a union of records, the key that tells them apart, and the records by its
            words.
    """

    def __init__(self) -> None:
        super().__init__(detailed_validation=True, forbid_extra_keys=True)
        self.records: dict[type[Any], Written] = {}
        self.unions: dict[Any, tuple[str, Mapping[str, type[Any]]]] = {}


def plain_converter() -> ReadingConverter:
    """A converter for text, truth values, lists and optional values, all strict."""
    converter = ReadingConverter()
    converter.register_structure_hook(str, TEXT)
    converter.register_structure_hook(bool, FLAG)
    converter.register_structure_hook_factory(_is_optional, _optional)
    converter.register_structure_hook_factory(_is_many, _many)
    return converter


def register(  # noqa: PLR0913 - all but the first three are named, and rare
    converter: ReadingConverter,
    cls: type[Any],
    kinds: Mapping[str, Hook] = MappingProxyType({}),
    *,
    checks: Iterable[Check] = (),
    given: Iterable[str] = (),
    text: Kind[Any] | None = None,
) -> None:
    """Teach ``converter`` a record, whose parts it has to know already.

    Args:
        converter: The converter.
        cls: An attrs class.
        kinds: The kind of an attribute, where its type does not say it.
        checks: What holds between the keys, asked of the map that was written.
        given: Further keys that are allowed and read elsewhere, such as ``kind``.
        text: Reads the record from text, where it may be written as text too.
    """
    given = tuple(given)
    converter.records[cls] = Written(kinds=dict(kinds), given=given, text=text)
    keys = [*given, *keys_of(cls)]
    checks = tuple(checks)
    skipped = frozenset(given)
    overrides: Any = {
        field.name: override(rename=key_of(field.name), struct_hook=kinds.get(field.name))
        for field in attrs.fields(cls)
    }
    generated = make_dict_structure_fn(
        cls,
        converter,
        _cattrs_forbid_extra_keys=True,
        _cattrs_detailed_validation=True,
        **overrides,
    )
    expected = {
        field.name: _expectation(field.type, kinds.get(field.name)) for field in attrs.fields(cls)
    }
    shape = f"a map ({', '.join(keys)})"
    if text is not None:
        shape = f"{text.expected}, or {shape}"

    def problems(value: Mapping[str, Any], error: ClassValidationError) -> Iterable[Problem]:
        named, others = error.group_exceptions()
        for inner, note in named:
            path = child("", key_of(note.name))
            if isinstance(inner, KeyError):
                yield Problem(path=path, value=MISSING, expected=expected[note.name])
            else:
                yield from below(path, problems_of(inner))
        for other in others:
            if not isinstance(other, ForbiddenExtraKeysError):
                raise other
            for key in other.extra_fields - skipped:
                yield unknown_key(key, value[key], keys)

    def structure(value: Any, _type: Any = None) -> Any:
        if text is not None and isinstance(value, str):
            return text(value)
        if not is_map(value):
            raise InvalidError.single("", value, shape)
        found: list[Problem] = []
        made = None
        rest = {k: v for k, v in value.items() if k not in skipped} if skipped else value
        try:
            made = generated(rest, cls)
        except ClassValidationError as error:
            found.extend(problems(value, error))
        for check in checks:
            found.extend(check(value))
        if found:
            raise InvalidError(found)
        return made

    converter.register_structure_hook(cls, structure)


def _expectation(declared: Any, hook: Hook | None) -> str:
    if isinstance(hook, Kind):
        return hook.expected
    if declared is str:
        return TEXT.expected
    return "a list" if _is_many(declared) else "a map"


def _is_optional(declared: Any) -> bool:
    return (
        get_origin(declared) in (Union, UnionType)
        and type(None) in get_args(declared)
        and len(get_args(declared)) == 2
    )


def _optional(declared: Any, converter: Converter) -> Hook:
    """``None`` is a key that was left out; one that is there has a value."""
    (inner,) = (part for part in get_args(declared) if part is not type(None))
    hook = converter.get_structure_hook(inner)
    return lambda value, _type: hook(value, inner)


def _is_many(declared: Any) -> bool:
    return get_origin(declared) in (tuple, frozenset)


def _many(declared: Any, converter: Converter) -> Hook:
    """Lists only: cattrs by itself takes anything that can be iterated, text included."""
    make = get_origin(declared)
    items = GenericAlias(list, get_args(declared)[:1])
    hook = converter.get_structure_hook(items)

    def structure(value: Any, _type: Any) -> Any:
        if not is_list(value):
            raise InvalidError.single("", value, "a list")
        return make(hook(value, items))

    return structure
