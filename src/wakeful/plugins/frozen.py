"""Plain data between the host and its plugins: what counts as plain, and frozen copies.

A config and an event's data are what JSON can hold: nothing, truth values, numbers, text,
lists, and maps with text keys. What a plugin is handed is a deep copy it cannot change
(semantics, section 11; a matcher that could would change what the next one sees): maps
become read-only views of dictionaries nobody else holds, lists become tuples.
"""

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from wakeful.errors import InvalidError, Problem
from wakeful.plugins._words import at

MAX_DEPTH: Final = 64
"""How deep lists and maps may nest. What is deeper is hostile or holds itself."""

MAX_PARTS: Final = 100_000
"""How many values one map or list may hold in all, what is shared counted each time."""


def problems_of_plain(value: Any, path: str) -> list[Problem]:
    """Everything in ``value`` that is not plain data, by path.

    Where it is nested deeper than :data:`MAX_DEPTH` or larger than :data:`MAX_PARTS`, that
    alone is told, of the member that is; nothing else walks such a value, not even to
    show it.
    """
    limit = _beyond(value)
    if limit is None:
        return list(_not_plain(value, path))
    guilty = [
        (at(path, str(key)), beyond)
        for key, entry in (value.items() if isinstance(value, Mapping) else ())
        if (beyond := _beyond(entry, depth=1)) is not None
    ]
    return [
        Problem(path=where, value="…", expected=expected, message=f"is not {expected}")
        for where, expected in guilty or [(path, limit)]
    ]


def is_bounded(value: Any) -> bool:
    """Whether the value is within :data:`MAX_DEPTH` and :data:`MAX_PARTS`."""
    return _beyond(value) is None


def is_within(value: Any, most: int) -> bool:
    """Whether a value has at most so many values and characters of text and keys in all.

    Never visits more than that.
    """
    size = 0
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, str):
            size += len(current)
        elif isinstance(current, Mapping):
            size += sum(len(key) for key in current if isinstance(key, str))
            waiting.extend(current.values())
        elif isinstance(current, list | tuple):
            waiting.extend(current)
        size += 1
        if size + len(waiting) > most:
            return False
    return True


def _beyond(value: Any, *, depth: int = 0) -> str | None:
    """Which limit the value breaks, in words. Never visits more than the limits."""
    parts = 0
    waiting = [(value, depth)]
    while waiting:
        current, depth = waiting.pop()
        entries: Any
        if isinstance(current, Mapping):
            entries = current.values()
        elif isinstance(current, list | tuple):
            entries = current
        else:
            continue
        parts += len(current)
        if depth >= MAX_DEPTH:
            return f"nested at most {MAX_DEPTH} deep"
        if parts > MAX_PARTS:
            return f"of at most {MAX_PARTS} values"
        waiting.extend((entry, depth + 1) for entry in entries)
    return None


def _not_plain(value: Any, path: str) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if not isinstance(key, str):
                yield Problem(path=at(path, str(key)), value=key, expected="a key of text")
            yield from _not_plain(entry, at(path, str(key)))
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from _not_plain(entry, at(path, index))
    elif isinstance(value, float) and not math.isfinite(value):
        yield Problem(path=path, value=value, expected="a finite number")
    elif not (value is None or isinstance(value, str | int | float)):
        yield Problem(path=path, value=value, expected="plain data, as JSON can hold it")


def plain(value: Any) -> Any:
    """A deep copy in dictionaries and lists, of bounded data or of a frozen copy of it."""
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value


def freeze(value: Any) -> Any:
    """A deep copy nobody can change: read-only maps, tuples for lists.

    Raises:
        InvalidError: The value is not plain data.

    >>> freeze({"branches": ["main"]})["branches"]
    ('main',)
    """
    problems = problems_of_plain(value, "")
    if problems:
        raise InvalidError(problems)
    return _freeze(value)


def _freeze(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _freeze(entry) for key, entry in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_freeze(entry) for entry in value)
    return value
