"""Holding a config to its schema.

jsonschema finds what is wrong; the paths, the unknown keys and the words are ours. It is
imported by the first :class:`ConfigCheck` that is made, so that a host without plugins, or
with plugins whose types take no config, never loads it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from wakeful.errors import Problem
from wakeful.plugins._words import at, one_of, unknown
from wakeful.plugins.frozen import is_bounded, plain, problems_of_plain
from wakeful.plugins.schema import (
    DIALECT,
    TYPES,
    is_integer,
    is_number,
    kind_in_words,
    translate,
    translate_property,
    type_of,
)

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

_LIMITS: Final[Mapping[str, Callable[[Any], str]]] = {
    "minimum": lambda limit: f"at least {limit}",
    "maximum": lambda limit: f"at most {limit}",
    "exclusiveMinimum": lambda limit: f"more than {limit}",
    "exclusiveMaximum": lambda limit: f"less than {limit}",
    "minLength": lambda limit: f"text of at least {_counted(limit, 'character', 'characters')}",
    "maxLength": lambda limit: f"text of at most {_counted(limit, 'character', 'characters')}",
    "minItems": lambda limit: f"a list of at least {_counted(limit, 'entry', 'entries')}",
    "maxItems": lambda limit: f"a list of at most {_counted(limit, 'entry', 'entries')}",
}
"""What each limit expects, in words."""


class ConfigCheck:
    """A config schema, compiled: what it refuses, and in which words.

    Args:
        schema: A config schema without :func:`~wakeful.plugins.schema.faults`.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._validator = _validator_of(translate(schema))

    def problems(self, config: object, path: str = "config") -> list[Problem]:
        """Everything in a config that the schema refuses, in the order of its text.

        What is missing is told after what is there. Complexity: one visit of each value.
        """
        if not isinstance(config, Mapping):
            return [Problem(path=path, value=config, expected="a map")]
        found = problems_of_plain(config, path)
        if not is_bounded(config):
            return found
        refused = list(_refused(self._validator, plain(config), path))
        # A value that is no plain data is mostly of the wrong kind too: told once.
        known = {problem.path for problem in refused}
        return refused + [problem for problem in found if problem.path not in known]


def limit_faults(schema: Mapping[str, Any], path: str = "configSchema") -> Iterator[Problem]:
    """Defaults and choices of a config schema that its own limits refuse, by path."""
    for name, described in schema.get("properties", {}).items():
        yield from _limit_faults(described, at(at(path, "properties"), name))


def _limit_faults(schema: Mapping[str, Any], path: str) -> Iterator[Problem]:
    rules = translate_property(schema)
    rules.pop("readOnly", None)
    if "default" in schema:
        yield from _refused(_validator_of(rules), plain(schema["default"]), at(path, "default"))
    if "enum" in schema:
        rules.pop("enum", None)
        validator = _validator_of(rules)
        for index, value in enumerate(schema["enum"]):
            yield from _refused(validator, plain(value), at(at(path, "enum"), index))
    yield from limit_faults(schema, path)
    if "items" in schema:
        yield from _limit_faults(schema["items"], at(path, "items"))


@cache
def _validator_class() -> type["Validator"]:
    """JSON Schema's validator, with whole numbers whole and ``readOnly`` held."""
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - slow to import

    strict = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: is_integer(value),
            "number": lambda _, value: is_number(value),
        }
    )
    made: type[Validator] = validators.extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, validators={"readOnly": _read_only}, type_checker=strict
    )
    return made


def _validator_of(rules: Mapping[str, Any]) -> "Validator":
    from referencing import Registry  # noqa: PLC0415 - comes with jsonschema

    # An empty registry fetches nothing; without one, jsonschema would go to the network
    # for a reference. Schemas are refused that have one: this is the second lock.
    return _validator_class()({"$schema": DIALECT, **rules}, registry=Registry())


def _read_only(
    _validator: Any, read_only: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator["ValidationError"]:
    from jsonschema import ValidationError  # noqa: PLC0415 - slow to import

    if read_only and not ("default" in schema and _same(instance, schema["default"])):
        yield ValidationError("read-only")


def _same(one: Any, other: Any) -> bool:
    # As text, since 1 == True and 3 == 3.0 in Python.
    return _canonical(one) == _canonical(other)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def _refused(validator: "Validator", value: Any, path: str) -> Iterator[Problem]:
    """What the validator refuses, as problems, in the order of the value's text."""
    errors = sorted(validator.iter_errors(value), key=lambda error: _place(error, value))
    of_wrong_kind = {tuple(error.absolute_path) for error in errors if error.validator == "type"}
    told: set[tuple[Any, ...]] = set()
    for error in errors:
        steps = tuple(error.absolute_path)
        # Of a value of the wrong kind nothing else is worth saying; and jsonschema tells
        # what is missing name by name, where one look finds all.
        if (error.validator != "type" and steps in of_wrong_kind) or (
            error.validator == "required" and steps in told
        ):
            continue
        if error.validator == "required":
            told.add(steps)
        yield from _in_our_words(error, _path_of(steps, path))


def _path_of(steps: Sequence[Any], path: str) -> str:
    for step in steps:
        path = at(path, step if isinstance(step, int) else str(step))
    return path


def _place(error: "ValidationError", value: Any) -> tuple[int, ...]:
    """Where in the text the error is: the position of each step, what is missing last."""
    places: list[int] = []
    for step in error.absolute_path:
        if isinstance(value, Mapping):
            places.append(list(value).index(step))
        else:
            places.append(int(step))
        value = value[step]
    if error.validator == "additionalProperties":
        known = _rules(error)["properties"]
        places.append(next(place for place, key in enumerate(value) if key not in known))
    elif error.validator == "required":
        places.append(len(value))
    return tuple(places)


def _rules(error: "ValidationError") -> Mapping[str, Any]:
    """The part of the translated schema that the error is of; its stubs say less."""
    rules: Any = error.schema
    return rules  # type: ignore[no-any-return]


def _in_our_words(error: "ValidationError", path: str) -> Iterator[Problem]:
    schema = _rules(error)
    value: Any = error.instance
    match error.validator:
        case "type":
            yield Problem(path=path, value=value, expected=TYPES[schema["type"]])
        case "enum":
            yield Problem(path=path, value=value, expected=one_of(schema["enum"]))
        case "additionalProperties":
            known = schema["properties"]
            for key in value:
                if key not in known:
                    yield Problem(
                        path=at(path, str(key)),
                        value=value[key],
                        expected=one_of(known) if known else "left out: no key is known here",
                        message=unknown(key, known, thing="key"),
                    )
        case "required":
            for key in schema["required"]:
                if key not in value:
                    yield Problem(
                        path=at(path, key), expected=kind_in_words(schema["properties"][key])
                    )
        case "readOnly":
            yield Problem(
                path=path,
                value=value,
                expected="its default, or left out" if "default" in schema else "left out",
                message="is read-only: the plugin sets it",
            )
        case keyword:
            yield Problem(
                path=path, value=value, expected=_LIMITS[str(keyword)](error.validator_value)
            )


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def with_defaults(schema: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """A config as its plugin sees it: defaults where a key is left out, at every level.

    An object that is left out whole and has no default of its own stays left out.

    >>> with_defaults({"properties": {"branch": {"default": "main"}}}, {})
    {'branch': 'main'}
    """
    filled = {key: plain(value) for key, value in config.items()}
    for name, described in schema.get("properties", {}).items():
        if name in filled:
            filled[name] = _value_with_defaults(described, filled[name])
        elif "default" in described:
            filled[name] = _value_with_defaults(described, plain(described["default"]))
    return filled


def _value_with_defaults(schema: Mapping[str, Any], value: Any) -> Any:
    if isinstance(value, dict) and type_of(schema) == "object":
        return with_defaults(schema, value)
    if isinstance(value, list) and "items" in schema:
        return [_value_with_defaults(schema["items"], entry) for entry in value]
    return value
