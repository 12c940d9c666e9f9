"""JSON text to plain data, and where its values stand.

The standard library reads it: it gives line and column of a syntax error and, unlike
faster readers, the repeated keys. Places are found by going over the tokens of a text
that was read before, so the expression for them only has to be right about valid JSON.
"""

import json
import re
from bisect import bisect_right
from typing import Any, Final, NoReturn

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.reading.kinds import MAX_DEPTH
from wakeful.reading.paths import child
from wakeful.reading.places import Place, Places

_TOKEN: Final = re.compile(r'[\[\]{}:,]|"(?:[^"\\]|\\.)*"|[^\s\[\]{}:,"]+', re.DOTALL)
_DEEP: Final = f"nested deeper than {MAX_DEPTH}"
_LONG: Final = 4_300
"""How many digits Python reads as a whole number."""


class _Repeated(Exception):  # noqa: N818 - not an error but a signal: look again, with places
    """A map has a key twice."""


def read_json(text: str) -> Any:
    """The data of a JSON text.

    Raises:
        InvalidError: It is no JSON, or a key is repeated; with line and column.
    """
    try:
        data = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _refusal(f"not JSON: {error.msg}", Place(error.lineno, error.colno)) from None
    except RecursionError:
        raise _refusal(_DEEP, _deep_place(text)) from None
    except _Repeated:
        _read_repeated(text)
    except ValueError as error:
        raise _refusal(f"not JSON: {error}", _odd_number(text)) from None
    if _is_deep(data, MAX_DEPTH):
        raise _refusal(_DEEP, _deep_place(text))
    return data


def json_places(text: str) -> Places:
    """Where the values of a JSON text stand; the text was read by :func:`read_json` before."""
    return _scan(text)[0]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Repeated
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _read_repeated(text: str) -> NoReturn:
    """Name every repeated key; the rest of the text may still be no JSON at all."""
    try:
        json.loads(text, parse_int=str, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _refusal(f"not JSON: {error.msg}", Place(error.lineno, error.colno)) from None
    except RecursionError:
        raise _refusal(_DEEP, _deep_place(text)) from None
    except ValueError as error:
        raise _refusal(f"not JSON: {error}", _odd_number(text)) from None
    raise InvalidError(_scan(text)[1])


def _is_deep(value: Any, room: int) -> bool:
    """Whether lists and maps stand in one another more than ``room`` deep."""
    level = [value] if isinstance(value, dict | list) else []
    while level and room:
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        room -= 1
    return bool(level)


def _deep_place(text: str) -> Place | None:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if depth > MAX_DEPTH:
            return _Lines(text).place(token.start())
    return None


def _odd_number(text: str) -> Place | None:
    """The first number that Python does not read, or that JSON does not have."""
    for token in _TOKEN.finditer(text):
        digits = token[0].lstrip("-")
        if (digits.isdigit() and len(digits) > _LONG) or digits in ("NaN", "Infinity"):
            return _Lines(text).place(token.start())
    return None


def _refusal(message: str, place: Place | None) -> InvalidError:
    line, column = place or (None, None)
    return InvalidError(
        [Problem(path="", expected="JSON", message=message, line=line, column=column)]
    )


@attrs.define
class _Open:
    """A list or a map whose end has not come; ``step`` is the next index or the open key."""

    path: str
    step: int | str | None


class _Lines:
    """Offsets to places, by the offsets at which lines start."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        return Place(line, offset - self._starts[line - 1] + 1)


def _scan(text: str) -> tuple[Places, list[Problem]]:
    places, problems, lines = Places(), [], _Lines(text)
    around: list[_Open] = []
    for match in _TOKEN.finditer(text):
        mark = match[0]
        top = around[-1] if around else None
        if mark in "]}":
            around.pop()
        elif mark == ",":
            if top is not None:
                top.step = top.step + 1 if isinstance(top.step, int) else None
        elif mark == ":":
            continue
        else:
            place = lines.place(match.start())
            if top is not None and top.step is None:
                top.step = json.loads(mark)
                path = child(top.path, top.step)
                if path in places.keys:
                    problems.append(
                        Problem(
                            path=path,
                            value=top.step,
                            expected="a key that is not repeated",
                            line=place.line,
                            column=place.column,
                        )
                    )
                places.keys[path] = place
                continue
            path = child(top.path, top.step) if top is not None else ""
            places.values[path] = place
            if mark == "[":
                around.append(_Open(path, 0))
            elif mark == "{":
                around.append(_Open(path, None))
    return places, problems
