"""The five fields of a cron expression, from text to masks (semantics 10.1).

The grammar is small on purpose. A field is ``*``, ``*`` with a step, or a list; an item of
a list is a value or a range, the range with or without a step. What other dialects allow
beyond that is refused, each time with the field, the text and what is allowed there.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from wakeful.cron.words import ALL_DAYS, ALL_MONTHS
from wakeful.errors import MISSING, InvalidError, Problem, show_value

_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_WEEKDAYS: Final = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


@attrs.frozen(kw_only=True)
class Field:
    """What one of the five fields may say."""

    name: str
    low: int
    high: int
    every: int
    names: Mapping[str, int] = attrs.field(factory=dict)

    @property
    def expected(self) -> str:
        """What is allowed, in words."""
        values = f"{self.low}-{self.high}"
        if self.names:
            first, *_, last = self.names
            values += f" or {first}-{last}"
        return f"{values}, as *, a value, a range, a list of those, or a step of * or of a range"


MINUTE: Final = Field(name="minute", low=0, high=59, every=(1 << 60) - 1)
HOUR: Final = Field(name="hour", low=0, high=23, every=(1 << 24) - 1)
DAY_OF_MONTH: Final = Field(name="day of month", low=1, high=31, every=ALL_DAYS << 1)
MONTH: Final = Field(
    name="month",
    low=1,
    high=12,
    every=ALL_MONTHS << 1,
    names={name: number for number, name in enumerate(_MONTHS, 1)},
)
DAY_OF_WEEK: Final = Field(
    name="day of week",
    low=0,
    high=7,
    every=(1 << 8) - 1,
    names={name: number for number, name in enumerate(_WEEKDAYS)},
)
FIELDS: Final = (MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK)

_STRIDES: Final = (0, *(sum(1 << bit for bit in range(0, 60, step)) for step in range(1, 61)))
"""For each step, the bits 0, step, 2 x step … of the longest field."""


def read_fields(text: object) -> tuple[Sequence[str], Sequence[int]]:
    """Take an expression apart.

    Returns:
        The texts of the five fields, and a mask for each: bit ``n`` for the value ``n``.

    Raises:
        InvalidError: With one problem per bad field, its path the field's name.
    """
    texts = text.split() if isinstance(text, str) else []
    if len(texts) != len(FIELDS):
        raise InvalidError([_count_problem(text, texts)])
    masks = []
    problems = []
    for field, part in zip(FIELDS, texts, strict=True):
        try:
            masks.append(_read_field(field, part))
        except _RefusedError as refusal:
            problems.append(
                Problem(
                    path=field.name,
                    value=part,
                    expected=field.expected,
                    message=f"{refusal}; allowed: {field.expected}",
                )
            )
    if problems:
        raise InvalidError(problems)
    return texts, masks


class _RefusedError(Exception):
    """Why one field's text is refused; becomes a problem at once."""


def _read_field(field: Field, text: str) -> int:
    """The values that a field's text allows, bit ``n`` for the value ``n``."""
    if text == "*":
        return field.every
    if text.isdigit() and text.isascii():
        return 1 << _read_value(field, text)
    if text.startswith("*/") and "," not in text:
        step = _read_step(text, text[2:])
        return (_STRIDES[step] << field.low) & field.every
    mask = 0
    for item in text.split(","):
        if not item:
            raise _RefusedError(f"{show_value(text)} has an empty list item")
        span, slash, step_text = item.partition("/")
        if span == "*":
            raise _RefusedError(
                f"{show_value(text)}: * stands alone or with one step, not in a list"
            )
        first, dash, last = span.partition("-")
        low = _read_value(field, first)
        high = _read_value(field, last) if dash else low
        if slash and not dash:
            raise _RefusedError(f"{show_value(item)}: a step needs * or a range before it")
        if low > high:
            raise _RefusedError(f"{show_value(item)}: a range must ascend")
        stride = _STRIDES[_read_step(item, step_text) if slash else 1]
        mask |= (stride & (1 << high - low + 1) - 1) << low
    return mask


def _read_value(field: Field, text: str) -> int:
    # Only ASCII reaches the tables and `int`: "٣".isdigit() holds, a long s in upper case is S.
    if text.isascii():
        if text.isdigit():
            digits = text.lstrip("0")
            value = int(digits or "0") if len(digits) <= 2 else field.high + 1
            if field.low <= value <= field.high:
                return value
            raise _RefusedError(f"{show_value(text)} is outside {field.low}-{field.high}")
        number = field.names.get(text.lower())
        if number is not None:
            return number
    if not text:
        raise _RefusedError("a range lacks an end, or a value is missing")
    raise _RefusedError(f"{show_value(text)} is no value of this field")


def _read_step(item: str, text: str) -> int:
    digits = text.lstrip("0")
    if not (text.isascii() and text.isdigit() and digits):
        raise _RefusedError(f"{show_value(item)}: a step is a whole number from 1")
    # A step may exceed the field: it leaves the first value alone, as 60 does in each.
    return min(int(digits), 60) if len(digits) <= 2 else 60


def _count_problem(text: object, texts: Sequence[str]) -> Problem:
    """What is wrong with a text that has not five fields; the path names one."""
    names = ", ".join(field.name for field in FIELDS)
    expected = f"exactly five fields: {names}"
    given = len(texts)
    if given > len(FIELDS):
        return Problem(
            path=f"field {len(FIELDS) + 1}",
            value=texts[len(FIELDS)],
            expected=expected,
            message=f"{given} fields were given; expected {expected}",
        )
    if given and texts[0].startswith("@"):
        return Problem(
            path=MINUTE.name,
            value=texts[0],
            expected=expected,
            message=f"{show_value(texts[0])}: macros are not read; expected {expected}",
        )
    return Problem(
        path=FIELDS[given].name,
        value=MISSING if isinstance(text, str) else text,
        expected=expected,
        message=f"{given or 'no'} {'field was' if given == 1 else 'fields were'} given"
        f"; expected {expected}",
    )
