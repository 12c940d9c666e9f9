"""Instants in rule tests: offsets from a test's start, or written out."""

import re
from typing import Any, Final

import attrs

from wakeful.errors import InvalidError
from wakeful.model.time import HOUR, MAX_DURATION, MINUTE, SECOND, Instant, parse_instant
from wakeful.reading.kinds import Kind, is_text, is_whole

_OFFSET: Final = re.compile(
    r"\+(?=[0-9])(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?(?:([0-9]+)ms)?", re.ASCII
)
_UNITS: Final = (("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1))
_EXPECTED: Final = "an offset from the start such as +4m, +1h30m or +0s, or an instant"


@attrs.frozen(kw_only=True)
class Moment:
    """A point in a test: so long after its start, or an instant whatever the start."""

    offset: int | None = None
    instant: Instant | None = None

    def resolve(self, start: Instant) -> Instant:
        """The instant it is in a test that starts then."""
        if self.instant is not None:
            return self.instant
        return start + (self.offset or 0)


def format_offset(length: int) -> str:
    """Milliseconds after the start (or before it) in the notation of tests.

    >>> format_offset(240_000), format_offset(90_001), format_offset(0), format_offset(-1_000)
    ('+4m', '+1m30s1ms', '+0s', '-1s')
    """
    parts, rest = [], abs(length)
    for unit, size in _UNITS:
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number}{unit}")
    return f"{'-' if length < 0 else '+'}{''.join(parts) or '0s'}"


def _read(value: Any) -> Moment:
    if is_whole(value):
        return Moment(instant=parse_instant(value))
    if not is_text(value):
        raise InvalidError.single("", value, _EXPECTED)
    text = value.strip()
    if not text.startswith("+"):
        try:
            return Moment(instant=parse_instant(text))
        except InvalidError:
            raise InvalidError.single("", value, _EXPECTED) from None
    found = _OFFSET.fullmatch(text)
    # More digits than any length that is allowed has are not worth reading.
    if found is None or any(len(digits or "") > 16 for digits in found.groups()):
        raise InvalidError.single("", value, _EXPECTED)
    length = sum(
        int(digits) * size
        for digits, (_, size) in zip(found.groups(), _UNITS, strict=True)
        if digits
    )
    if length > MAX_DURATION:
        raise InvalidError.single("", value, "an offset of at most 10 000 years")
    return Moment(offset=length)


MOMENT: Final = Kind(
    _EXPECTED,
    _read,
    {
        "anyOf": [{"type": "string", "pattern": r"^\s*(\+[0-9]+[hms]|[0-9])"}, {"type": "integer"}],
        "description": "An offset from the start such as +4m, or an instant",
    },
)
"""A point in a test."""
