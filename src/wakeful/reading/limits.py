"""Whether plain data is within limits, found before anything else looks at it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from wakeful.errors import Problem
from wakeful.model.limits import Limits
from wakeful.reading.paths import child


def beyond(data: Any, limits: Limits) -> list[Problem]:
    """Everything in a definition's data that is beyond a limit, by path. O(its values).

    Nothing below a value that is too large or too deep is looked at.
    """
    # Nearly all data is within: a path to each of its values would be half of reading it.
    return [] if _is_within(data, limits) else list(_Walk(limits).beyond(data, "", limits.depth))


def _is_within(data: Any, limits: Limits) -> bool:
    """Whether nothing can be beyond a limit: false wherever it needs a closer look."""
    if not isinstance(data, Mapping | list | tuple):
        return False
    text, listed, values = limits.text, min(limits.listed, limits.triggers), 0
    level: list[Any] = [data]
    for _ in range(limits.depth):
        below: list[Any] = []
        for value in level:
            values += len(value)
            if len(value) > listed:
                return False
            inner: Iterable[Any] = value
            if isinstance(value, Mapping):
                if any(isinstance(key, str) and len(key) > text for key in value):
                    return False
                inner = value.values()
            for entry in inner:
                if isinstance(entry, str):
                    if len(entry) > text:
                        return False
                elif isinstance(entry, Mapping | list | tuple):
                    below.append(entry)
        if values > limits.values:
            return False
        if not below:
            return True
        level = below
    return False


@attrs.define
class _Walk:
    """One walk over one definition's data."""

    limits: Limits
    values: int = 0

    def beyond(self, value: Any, path: str, room: int) -> Iterator[Problem]:
        limits = self.limits
        if isinstance(value, str):
            if len(value) > limits.text:
                yield _too_much(path, f"text of {len(value)} characters", limits.text)
            return
        entries: Iterable[tuple[Any, Any]]
        if isinstance(value, Mapping):
            entries, most, thing = value.items(), limits.listed, "keys"
        elif isinstance(value, list | tuple):
            is_triggers = path == "triggers" or path.endswith(".triggers")
            most = limits.triggers if is_triggers else limits.listed
            entries, thing = enumerate(value), "triggers" if is_triggers else "entries"
        else:
            return
        before, self.values = self.values, self.values + len(value)
        if room == 0:
            expected = f"data nested at most {limits.depth} deep"
            yield Problem(path=path, value="…", expected=expected, message=f"expected {expected}")
        elif len(value) > most:
            yield _too_much(path, f"{len(value)} {thing}", most)
        elif self.values > limits.values:
            if before <= limits.values:  # told once
                yield _too_much(path, "more values in all", limits.values)
        else:
            for key, entry in entries:
                if isinstance(key, str) and len(key) > limits.text:
                    yield _too_much(path, f"a key of {len(key)} characters", limits.text)
                elif isinstance(entry, str | Mapping | list | tuple):
                    yield from self.beyond(entry, child(path, key), room - 1)


def _too_much(path: str, found: str, most: int) -> Problem:
    expected = f"at most {most}"
    return Problem(path=path, value="…", expected=expected, message=f"{found}; expected {expected}")
