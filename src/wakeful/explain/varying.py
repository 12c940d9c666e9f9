"""Rules with numbers changed: the variants of a sweep.

A variation names a value by its path in the automation, as ``wakeful check`` prints it
(``triggers[0].config.count.n``), or by the end of that path where it is there already
(``count.n``); before a colon, the automation it is meant of. Changed is what was written, and
it is read again like any rules: what a value makes of a rule is refused with every problem.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import SCHEME, Automation
from wakeful.reading import Ruleset, read_automation, write_automation
from wakeful.reading.yaml_text import read_yaml

_RANGE: Final = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)
_PART: Final = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_MOST: Final = 10_000
"""How many values one range may stand for."""

Key = str | int


@attrs.frozen(kw_only=True)
class Variation:
    """A value that is varied.

    Attributes:
        text: The path as it was given: what its column is called.
        automation: The resource it is meant of; ``None`` is all that have it.
        path: Its parts.
        values: What it is set to, one after another.
    """

    text: str
    automation: str | None
    path: tuple[Key, ...]
    values: tuple[Any, ...]


@attrs.frozen(kw_only=True)
class Variant:
    """The rules with one choice of values.

    Attributes:
        values: In the order of the variations.
    """

    values: tuple[Any, ...]
    automations: tuple[Automation, ...]


def parse_variation(text: str) -> Variation:
    """Read ``[AUTOMATION:]PATH=VALUE,VALUE…``; ``2..6`` is a range of whole numbers.

    Raises:
        InvalidError: It is none.

    >>> parse_variation("loop:count.n=2..4").values
    (2, 3, 4)
    """
    name, equals, listed = text.partition("=")
    automation, colon, path = name.rpartition(":")
    parts = tuple(_parts(path.strip()))
    values = tuple(value for each in listed.split(",") for value in _values(each.strip()))
    if not equals or not parts or not values:
        raise InvalidError.single("", text, "PATH=VALUE,… such as count.n=2,3,4 or count.n=2..4")
    resource = automation.strip()
    if colon and not resource.startswith(SCHEME):
        resource = f"{SCHEME}/{resource}"
    return Variation(
        text=name.strip(), automation=resource if colon else None, path=parts, values=values
    )


def variants(ruleset: Ruleset, variations: Sequence[Variation]) -> list[Variant]:
    """Every choice of values, the last variation's changing fastest.

    Raises:
        InvalidError: A path is nowhere in the rules, or a value is refused there.
    """
    written = [write_automation(each) for each in ruleset.automations]
    places = [list(_places(each, written, ruleset.automations)) for each in variations]
    found: list[Variant] = []
    problems: dict[str, Problem] = {}
    for values in product(*(each.values for each in variations)):
        try:
            automations = _with(ruleset.automations, written, places, values)
        except InvalidError as error:
            for problem in error.problems:
                problems.setdefault(str(problem), problem)
        else:
            found.append(Variant(values=values, automations=automations))
    if problems:
        raise InvalidError(problems.values())
    return found


def _with(
    automations: Sequence[Automation],
    written: Sequence[Any],
    places: Sequence[Sequence[tuple[int, tuple[Key, ...]]]],
    values: Sequence[Any],
) -> tuple[Automation, ...]:
    changed: dict[int, Any] = {}
    for places_, value in zip(places, values, strict=True):
        for index, path in places_:
            changed[index] = _set(changed.get(index, written[index]), path, value)
    return tuple(
        read_automation(changed[index]) if index in changed else automation
        for index, automation in enumerate(automations)
    )


def _places(
    variation: Variation, written: Sequence[Any], automations: Sequence[Automation]
) -> Iterator[tuple[int, tuple[Key, ...]]]:
    """Where a variation's value stands: by the end of its path, else by the whole of it."""
    found = False
    for index, automation in enumerate(automations):
        if variation.automation not in (None, automation.resource):
            continue
        data = written[index]
        paths = [path for path, _ in _paths(data) if path[-len(variation.path) :] == variation.path]
        if not paths:
            # It was left out: it goes into the maps that it belongs to.
            paths = [
                (*path, variation.path[-1])
                for path, value in _paths(data)
                if len(variation.path) > 1
                and path[1 - len(variation.path) :] == variation.path[:-1]
                and isinstance(value, dict)
            ]
        if not paths and _is_whole(variation.path, data):
            paths = [("definition", *variation.path)]
        for path in paths:
            found = True
            yield index, path
    if not found:
        expected = "the path of a value in the rules, such as triggers[0].config.count.n"
        raise InvalidError.single("", variation.text, expected)


def _is_whole(path: tuple[Key, ...], data: Any) -> bool:
    """Whether a path leads from the automation's beginning to a map that lacks only its end."""
    value = data["definition"]
    for part in path[:-1]:
        if isinstance(part, int):
            if not isinstance(value, list) or part >= len(value):
                return False
            value = value[part]
        elif not isinstance(value, dict):
            return False
        elif part not in value:
            return len(path) > 2 and part in {"count", "then", "when", "filter", "config"}
        else:
            value = value[part]
    return len(path) > 1 and isinstance(value, dict)


def _paths(data: Any, path: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Any]]:
    """All values in plain data, with their paths."""
    if path:
        yield path, data
    items: Iterator[tuple[Key, Any]]
    if isinstance(data, dict):
        items = iter(data.items())
    elif isinstance(data, list | tuple):
        items = iter(enumerate(data))
    else:
        return
    for key, value in items:
        yield from _paths(value, (*path, key))


def _set(data: Any, path: tuple[Key, ...], value: Any) -> Any:
    """Plain data with the value at a path replaced or put in."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(key, int):
        return [_set(each, rest, value) if at == key else each for at, each in enumerate(data)]
    return {**data, key: _set(data.get(key, {}), rest, value)}


def _parts(path: str) -> Iterator[Key]:
    at = 0
    while at < len(path):
        found = _PART.match(path, at)
        if found is None:
            raise InvalidError.single("", path, "a path such as triggers[0].config.count.n")
        index, name = found.groups()
        yield name if index is None else int(index)
        at = found.end() + (path[found.end() : found.end() + 1] == ".")


def _values(text: str) -> Iterator[Any]:
    found = _RANGE.fullmatch(text)
    if found is not None:
        first, last = int(found[1]), int(found[2])
        if last - first >= _MOST:
            raise InvalidError.single("", text, f"a range of at most {_MOST} values")
        yield from range(first, last + 1)
    elif text:
        yield read_yaml(text)
