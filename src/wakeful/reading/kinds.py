"""The kinds of single values: how each is read from plain data, and what it is called.

Kinds are strict: ``true`` and ``3.0`` are not ``3``, text is no number, and a key that is
there has a value, so ``null`` is refused wherever it is not plain data of somebody else's.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeGuard, TypeVar

import attrs

from wakeful.errors import InvalidError, Problem, show_value
from wakeful.model.automations import SCHEME, Overlap
from wakeful.model.events import EVENT_KINDS
from wakeful.model.rules import MAX_COUNT
from wakeful.model.time import Instant, parse_duration, parse_instant
from wakeful.reading.paths import child
from wakeful.reading.problems import KeyProblem, listing, nearest

T = TypeVar("T")
S = TypeVar("S", bound=str)

MAX_DEPTH: Final = 64
"""How deep plain data may be nested."""


@attrs.frozen
class Kind(Generic[T]):
    """A kind of value. Called with a value it returns what was meant, or refuses it.

    Attributes:
        expected: What it is called in a problem.
        read: Takes the value; raises :class:`InvalidError`.
        schema: The JSON Schema of what is taken, as narrow as JSON Schema can say it.
    """

    expected: str
    read: Callable[[Any], T]
    schema: Mapping[str, Any] = attrs.field(factory=dict, eq=False)

    def __call__(self, value: Any, _type: Any = None) -> T:
        """Read one value; the second argument is what cattrs gives to every hook."""
        return self.read(value)


def _checked(expected: str, holds: Callable[[Any], bool], schema: Mapping[str, Any]) -> Kind[Any]:
    """The kind of the values that ``holds`` is true of, taken as they are."""

    def read(value: Any) -> Any:
        if not holds(value):
            raise InvalidError.single("", value, expected)
        return value

    return Kind(expected, read, schema)


def is_text(value: object) -> TypeGuard[str]:
    """Whether it is text that can be written: half a surrogate pair cannot."""
    if not isinstance(value, str):
        return False
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_whole(value: object) -> bool:
    """Whether it is a whole number, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_map(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it has keys."""
    # Nearly every map is a dictionary, and asking the abstract class costs five times as much.
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether it is a list of plain data (text is none)."""
    return isinstance(value, list | tuple)


def text_kind(expected: str, read: Callable[[str], T], pattern: str = "") -> Kind[T]:
    """A kind that is written as text, which ``read`` takes or refuses.

    Args:
        expected: What it is called in a problem.
        read: Takes the text; raises :class:`InvalidError`.
        pattern: A regular expression that all text which is taken has, for the schema.
    """

    def read_text(value: Any) -> T:
        if not is_text(value):
            raise InvalidError.single("", value, expected)
        return read(value)

    return Kind(expected, read_text, _text_schema(expected, pattern))


def _text_schema(expected: str, pattern: str) -> Mapping[str, Any]:
    return {
        "type": "string",
        **({"pattern": pattern} if pattern else {}),
        "description": expected[:1].upper() + expected[1:],
    }


def whole(least: int, most: int | None = None) -> Kind[int]:
    """The whole numbers from ``least`` to ``most``, both included."""
    limit = f"at least {least}" if most is None else f"from {least} to {most}"

    def holds(value: Any) -> bool:
        return is_whole(value) and value >= least and (most is None or value <= most)

    most_schema = {} if most is None else {"maximum": most}
    return _checked(
        f"a whole number {limit}", holds, {"type": "integer", "minimum": least, **most_schema}
    )


def one_of(choices: Sequence[S], noun: str) -> Kind[S]:
    """One of some words; a word that is close to one of them is named."""
    expected = f"{noun}: {listing(choices)}"

    def read(value: Any) -> S:
        for choice in choices:
            if value == choice:
                return choice
        meant = nearest(value, choices) if isinstance(value, str) else None
        message = f"{show_value(value)} is not {expected}"
        if meant:
            message = f"{show_value(value)} is not {noun}; did you mean {meant!r}?"
        raise InvalidError.single("", value, expected, message)

    return Kind(expected, read, {"enum": list(choices)})


def plain(value: Any) -> Any:
    """A copy of plain data: text, numbers, truth values, null, lists and maps of them.

    Raises:
        InvalidError: Something in it has no JSON: another type, a key that is not text, a
            number that is not finite, nesting deeper than :data:`MAX_DEPTH`.
    """
    problems: list[Problem] = []
    copy = _plain(value, "", 0, problems)
    if problems:
        raise InvalidError(problems)
    return copy


def _plain(value: Any, path: str, depth: int, problems: list[Problem]) -> Any:
    if depth > MAX_DEPTH:
        problems.append(
            Problem(path=path, value=value, expected=f"data nested at most {MAX_DEPTH} deep")
        )
        return None
    if is_map(value):
        problems.extend(
            KeyProblem(path=child(path, key), value=key, expected="a key that is text")
            for key in value
            if not is_text(key)
        )
        return {
            key: _plain(item, child(path, key), depth + 1, problems) for key, item in value.items()
        }
    if is_list(value):
        return [
            _plain(item, child(path, index), depth + 1, problems)
            for index, item in enumerate(value)
        ]
    if not (
        value is None
        or isinstance(value, bool)
        or is_text(value)
        or is_whole(value)
        or (isinstance(value, float) and math.isfinite(value))
    ):
        problems.append(
            Problem(
                path=path,
                value=value,
                expected="plain data: text, a finite number, true, false, null, a list or a map",
            )
        )
    return value


def _plain_map(value: Any) -> Mapping[str, Any]:
    if not is_map(value):
        raise InvalidError.single("", value, "a map")
    copy: dict[str, Any] = plain(value)
    return copy


_FULL_INSTANT: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII
)
_FULL_INSTANT_EXPECTED: Final = "a full instant with a zone, such as 2026-10-01T17:00:00Z"


def _full_instant(value: Any) -> Instant:
    if not isinstance(value, str) or not _FULL_INSTANT.fullmatch(value):
        raise InvalidError.single("", value, _FULL_INSTANT_EXPECTED)
    return parse_instant(value)


_OWNER: Final = re.compile(r"(user|team|project|root|plugin):\S(.*\S)?", re.DOTALL)
_ID: Final = re.compile(r"[^\s/](.*\S)?")

TEXT: Final[Kind[str]] = _checked("text", is_text, {"type": "string"})
NAME: Final[Kind[str]] = _checked(
    "non-empty text",
    lambda value: is_text(value) and bool(value.strip()),
    {"type": "string", "pattern": r"\S"},
)
FLAG: Final[Kind[bool]] = _checked(
    "true or false", lambda value: isinstance(value, bool), {"type": "boolean"}
)
COUNT: Final = whole(1, MAX_COUNT)
AT_LEAST: Final = whole(0)
RUNS: Final = whole(1, 2**53 - 1)
DURATION: Final = Kind(
    "a duration such as 30s, 5m or 2h",
    parse_duration,
    _text_schema("a duration such as 30s, 5m or 2h", r"^\s*[0-9]+[smh]\s*$"),
)
FULL_INSTANT: Final = Kind(
    _FULL_INSTANT_EXPECTED,
    _full_instant,
    _text_schema(
        _FULL_INSTANT_EXPECTED, f"^{_FULL_INSTANT.pattern.replace(chr(92) + 'd', '[0-9]')}$"
    ),
)
EVENT_KIND: Final = one_of(EVENT_KINDS, "an event of a session")
OVERLAPS: Final[tuple[Overlap, ...]] = ("queue", "steer", "parallel", "skip")
OVERLAP: Final[Kind[Overlap]] = one_of(OVERLAPS, "an overlap")
PLAIN_MAP: Final = Kind("a map", _plain_map, {"type": "object"})

OWNER: Final[Kind[str]] = _checked(
    "an owner: user:, team:, project:, root: or plugin: with an id",
    lambda value: is_text(value) and bool(_OWNER.fullmatch(value)),
    _text_schema(
        "an owner: user:, team:, project:, root: or plugin: with an id",
        r"^(user|team|project|root|plugin):\S([\s\S]*\S)?$",
    ),
)
"""An automation's owner (semantics 9.2)."""

RESOURCE: Final[Kind[str]] = _checked(
    f"an automation's resource: {SCHEME}/ with an id",
    lambda value: (
        is_text(value) and value.startswith(SCHEME) and bool(value[len(SCHEME) :].strip("/ "))
    ),
    _text_schema(f"an automation's resource: {SCHEME}/ with an id", f"^{SCHEME}[\\s\\S]*[^/ ]"),
)
"""An automation's URI: the scheme, then whatever its client chose."""

ID: Final[Kind[str]] = _checked(
    f"an id: text on one line without the scheme {SCHEME}, such as failing-tests",
    lambda value: (
        is_text(value)
        and value.isprintable()
        and not value.startswith(SCHEME)
        and bool(_ID.fullmatch(value))
    ),
    _text_schema(
        f"an id: text on one line without the scheme {SCHEME}, such as failing-tests",
        rf"^(?!{SCHEME})[^\s/](.*\S)?$",
    ),
)
"""An automation's id in a ruleset; its resource is the scheme, a slash and the id."""


def texts(value: Any) -> list[str]:
    """A list of text, each item refused on its own."""
    if not is_list(value):
        raise InvalidError.single("", value, "a list of text")
    problems = [
        Problem(path=child("", index), value=item, expected="text")
        for index, item in enumerate(value)
        if not is_text(item)
    ]
    if problems:
        raise InvalidError(problems)
    return list(value)


def refuse(problems: Iterable[Problem]) -> None:
    """Raise what was found, if anything was.

    Raises:
        InvalidError: There is at least one problem.
    """
    found = list(problems)
    if found:
        raise InvalidError(found)
