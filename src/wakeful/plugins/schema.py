"""ConfigSchema: how a plugin describes the config of its triggers.

The protocol's own description of properties, close to JSON Schema and closed where that is
open. The whole is an object; each property has a ``type`` (``string``, ``number``,
``integer``, ``boolean``, ``array``, ``object``; left out, any kind, or the kind of its
``enum``), words for people, and limits that belong to its type. What is particular to it:

- An object with ``properties`` takes no others, and neither does the config as a whole. An
  ``object`` property without ``properties`` takes any keys.
- ``enum`` lists every value there is, unless ``enumDynamic`` says that the list is what was
  known when it was asked for; then only the kind is held.
- ``readOnly`` is a value that is the plugin's to set: the default, or nothing.
- ``default`` is what the plugin sees where the key is left out. What is ``required`` has to
  be written all the same.
- ``x-ahpd-connector`` marks a text that names a stored connector of that adapter.
- Keys that start with ``x-`` belong to whoever reads them. Any other key is refused: what
  is not held to would admit what its author meant to refuse. So there are no references.

This file reads a schema (:func:`faults`) and writes what :mod:`wakeful.plugins.values`
gives to jsonschema (:func:`translate`); it does not import it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from wakeful.errors import Problem
from wakeful.plugins._words import at, one_of, unknown
from wakeful.plugins.frozen import problems_of_plain

CONNECTOR_KEY: Final = "x-ahpd-connector"
"""The key whose value names the adapter that a property's connector is one of."""

TYPES: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
}
"""The types of a property, and each in words."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def is_number(value: object) -> bool:
    """Whether it is a finite number; truth values are none."""
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    )


def is_integer(value: object) -> bool:
    """Whether it is a whole number; neither ``True`` nor ``3.0`` is (semantics, section 12)."""
    return isinstance(value, int) and not isinstance(value, bool)


_IS_OF_TYPE: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
}


def is_of_type(value: object, type_: str) -> bool:
    """Whether a plain value is of one of :data:`TYPES`."""
    return _IS_OF_TYPE[type_](value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)


def _is_values(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_type(value: object) -> bool:
    return isinstance(value, str) and value in TYPES


def _is_anything(_value: object) -> bool:
    return True


@attrs.frozen
class _Keyword:
    """What a keyword's value has to be, and the types of property it belongs to."""

    holds: Callable[[object], bool]
    expected: str
    types: frozenset[str] | None = None


_TEXT: Final = _Keyword(_is_text, "text")
_NUMBER: Final = _Keyword(is_number, "a finite number", frozenset({"number", "integer"}))
_TEXT_LENGTH: Final = _Keyword(_is_length, "a whole number, at least 0", frozenset({"string"}))
_LIST_LENGTH: Final = _Keyword(_is_length, "a whole number, at least 0", frozenset({"array"}))
_OBJECT: Final = frozenset({"object"})

_KEYWORDS: Final[Mapping[str, _Keyword]] = {
    "type": _Keyword(_is_type, one_of(TYPES)),
    "title": _TEXT,
    "description": _TEXT,
    "default": _Keyword(_is_anything, "any value"),
    "enum": _Keyword(_is_values, "a list of at least one value"),
    "enumLabels": _Keyword(_is_texts, "a list of texts"),
    "enumDescriptions": _Keyword(_is_texts, "a list of texts"),
    "enumDynamic": _Keyword(_is_flag, "true or false"),
    "readOnly": _Keyword(_is_flag, "true or false"),
    "properties": _Keyword(_is_map, "a map of properties", _OBJECT),
    "required": _Keyword(_is_texts, "a list of names", _OBJECT),
    "additionalProperties": _Keyword(
        lambda value: value is False, "false: keys that are not named are refused", _OBJECT
    ),
    "items": _Keyword(_is_map, "a property that describes each entry", frozenset({"array"})),
    "minimum": _NUMBER,
    "maximum": _NUMBER,
    "exclusiveMinimum": _NUMBER,
    "exclusiveMaximum": _NUMBER,
    "minLength": _TEXT_LENGTH,
    "maxLength": _TEXT_LENGTH,
    "minItems": _LIST_LENGTH,
    "maxItems": _LIST_LENGTH,
    CONNECTOR_KEY: _Keyword(_is_name, "the name of an adapter", frozenset({"string"})),
    # Read by forms alone; they admit and refuse nothing.
    "format": _TEXT,
    "examples": _Keyword(_is_list, "a list of values"),
    "deprecated": _Keyword(_is_flag, "true or false"),
    "sessionMutable": _Keyword(_is_flag, "true or false"),
    "$comment": _TEXT,
}

_ROOT_KEYWORDS: Final[Mapping[str, _Keyword]] = {
    "type": _Keyword(lambda value: value == "object", "'object'"),
    "$schema": _TEXT,
    **{
        key: _KEYWORDS[key]
        for key in (
            "title",
            "description",
            "$comment",
            "properties",
            "required",
            "additionalProperties",
        )
    },
}

_RANGES: Final = (
    ("minimum", "maximum", False),
    ("minimum", "exclusiveMaximum", True),
    ("exclusiveMinimum", "maximum", True),
    ("exclusiveMinimum", "exclusiveMaximum", True),
    ("minLength", "maxLength", False),
    ("minItems", "maxItems", False),
)
"""Lower bound, upper bound, and whether they must differ."""

_LIMITS: Final = tuple(dict.fromkeys(key for low, high, _ in _RANGES for key in (low, high)))


def faults(schema: object, path: str = "configSchema") -> list[Problem]:
    """Everything that is wrong with a config schema, each by path; none of a good one.

    ``default`` and ``enum`` are held to the type of their property here, and to its
    limits where the schema is compiled (:class:`wakeful.plugins.values.ConfigCheck`).
    """
    if not isinstance(schema, Mapping):
        return [Problem(path=path, value=schema, expected="a map that describes properties")]
    return problems_of_plain(schema, path) or list(_object_faults(schema, path, _ROOT_KEYWORDS))


def type_of(schema: Mapping[str, Any]) -> str | None:
    """The type of a property: as written, or the one that all values of its ``enum`` share."""
    written = schema.get("type")
    if isinstance(written, str):
        return written
    values = schema.get("enum")
    if isinstance(values, list | tuple) and values:
        # "integer" is asked before "number", which every whole number is too.
        for name in ("string", "integer", "number", "boolean", "array", "object"):
            if all(is_of_type(value, name) for value in values):
                return name
    return None


def kind_in_words(schema: Mapping[str, Any]) -> str:
    """What a property wants, in words: its choices where it has some, else its kind."""
    if "enum" in schema and not schema.get("enumDynamic"):
        return one_of(schema["enum"])
    return TYPES.get(type_of(schema) or "", "a value")


def _keyword_faults(
    schema: Mapping[str, Any], path: str, keywords: Mapping[str, _Keyword]
) -> Iterator[Problem]:
    for key, value in schema.items():
        keyword = keywords.get(key)
        if keyword is not None:
            if not keyword.holds(value):
                yield Problem(path=at(path, key), value=value, expected=keyword.expected)
        elif not key.startswith("x-"):
            hint = "; a schema stands alone" if key in ("$ref", "$dynamicRef", "$defs") else ""
            yield Problem(
                path=at(path, key),
                value=value,
                expected=one_of(keywords),
                message=unknown(key, keywords, thing="keyword") + hint,
            )


def _object_faults(
    schema: Mapping[str, Any], path: str, keywords: Mapping[str, _Keyword]
) -> Iterator[Problem]:
    yield from _keyword_faults(schema, path, keywords)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, described in properties.items():
            yield from _property_faults(described, at(at(path, "properties"), name))
    required: Any = schema.get("required")
    if not _is_texts(required):
        return
    named = properties if isinstance(properties, Mapping) else {}
    for index, name in enumerate(required):
        described = named.get(name)
        where = at(at(path, "required"), index)
        if name not in named:
            yield Problem(
                path=where,
                value=name,
                expected=one_of(named),
                message=unknown(name, named, thing="property"),
            )
        elif isinstance(described, Mapping) and _is_never_given(described):
            yield Problem(
                path=where,
                value=name,
                expected="a property that can be given",
                message=f"{name!r} is required, but read-only and without a default",
            )


def _is_never_given(schema: Mapping[str, Any]) -> bool:
    return schema.get("readOnly") is True and "default" not in schema


def _property_faults(schema: object, path: str) -> Iterator[Problem]:
    if not isinstance(schema, Mapping):
        yield Problem(path=path, value=schema, expected="a map that describes a property")
        return
    yield from _object_faults(schema, path, _KEYWORDS)
    name = type_of(schema)
    if name is None or name in TYPES:
        yield from _type_faults(schema, path, name)
    for low, high, apart in _RANGES:
        least: Any = schema.get(low)
        most: Any = schema.get(high)
        if not (_KEYWORDS[low].holds(least) and _KEYWORDS[high].holds(most)):
            continue
        if least > most or (apart and least == most):
            yield Problem(
                path=at(path, high),
                value=most,
                expected=f"above {low}, {least}" if apart else f"at least {low}, {least}",
            )
    yield from _enum_faults(schema, path)
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _property_faults(items, at(path, "items"))


def _type_faults(schema: Mapping[str, Any], path: str, name: str | None) -> Iterator[Problem]:
    """Keywords that do not belong to the type, and values that are not of it."""
    for key, value in schema.items():
        keyword = _KEYWORDS.get(key)
        if keyword is not None and keyword.types is not None and name not in keyword.types:
            of = " or ".join(repr(each) for each in TYPES if each in keyword.types)
            yield Problem(
                path=at(path, key),
                value=value,
                expected=f"a keyword for {name}" if name else f"a property of type {of}",
                message=f"{key} is for the type {of}, "
                + (f"not {name!r}" if name else "which the property does not have"),
            )
    if name is None:
        return
    if "default" in schema and not is_of_type(schema["default"], name):
        yield Problem(path=at(path, "default"), value=schema["default"], expected=TYPES[name])
    if _is_values(schema.get("enum")):
        for index, value in enumerate(schema["enum"]):
            if not is_of_type(value, name):
                yield Problem(path=at(at(path, "enum"), index), value=value, expected=TYPES[name])


def _enum_faults(schema: Mapping[str, Any], path: str) -> Iterator[Problem]:
    values: Any = schema.get("enum")
    for key in ("enumLabels", "enumDescriptions"):
        words: Any = schema.get(key)
        if _is_texts(words) and _is_values(values) and len(words) != len(values):
            yield Problem(
                path=at(path, key),
                value=words,
                expected=f"as many texts as enum has values, {len(values)}",
            )
    if CONNECTOR_KEY in schema and "enum" in schema:
        yield Problem(
            path=at(path, "enum"),
            value=values,
            expected="left out: the host's connectors are the choices",
            message="a connector's choices are the host's: leave enum out",
        )


def translate(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) that admits what a config schema without faults admits.

    ``readOnly`` and ``default`` are kept: in JSON Schema they say something and hold
    nothing. It is for the checker, or for an editor; nothing in it refers elsewhere.
    """
    return {"$schema": DIALECT, **_translate_object({**schema, "type": "object"}, closed=True)}


def translate_property(schema: Mapping[str, Any]) -> dict[str, Any]:
    """:func:`translate` for one property."""
    written = _translate_object(schema, closed="properties" in schema)
    if "items" in schema:
        written["items"] = translate_property(schema["items"])
    if "enum" in schema and not schema.get("enumDynamic"):
        written["enum"] = list(schema["enum"])
    for key in (*_LIMITS, "default", "readOnly"):
        if key in schema:
            written[key] = schema[key]
    return written


def _translate_object(schema: Mapping[str, Any], *, closed: bool) -> dict[str, Any]:
    written: dict[str, Any] = {}
    name = type_of(schema)
    if name is not None:
        written["type"] = name
    if closed or "additionalProperties" in schema:
        written["properties"] = {
            key: translate_property(described)
            for key, described in schema.get("properties", {}).items()
        }
        written["additionalProperties"] = False
    if schema.get("required"):
        written["required"] = list(schema["required"])
    return written
