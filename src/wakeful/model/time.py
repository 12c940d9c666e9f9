"""Instants and durations (semantics, section 1).

An instant is an integer number of milliseconds since the Unix epoch, UTC; a duration an
integer number of milliseconds. Text and aware datetimes exist only outside the core, and
this module is the border: it reads and writes both, and refuses what has no zone.
"""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, TypeAlias

from wakeful.errors import InvalidError

Instant: TypeAlias = int
"""Milliseconds since 1970-01-01T00:00:00Z."""

Duration: TypeAlias = int
"""Milliseconds; never negative."""

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

MAX_DURATION: Final = 10_000 * 366 * DAY
"""The longest duration that is read: 10 000 years (semantics 1.2)."""

MIN_INSTANT: Final = -62_135_596_800_000
"""0001-01-01T00:00:00.000Z, the earliest instant that has a text."""

MAX_INSTANT: Final = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z, the last instant that has a text."""

_DURATION: Final = re.compile(r"([0-9]+)([smh])", re.ASCII)
_UNITS: Final = {"s": SECOND, "m": MINUTE, "h": HOUR}
_DURATION_EXPECTED: Final = "a duration such as 30s, 5m or 2h"

_INSTANT: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?"
    r"(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?",
    re.ASCII,
)
_INSTANT_EXPECTED: Final = (
    "an instant with a zone, such as 2026-10-07T14:22:05.118Z, or whole milliseconds"
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_CYCLE_DAYS: Final = 146_097


def parse_duration(text: object) -> Duration:
    """Read a duration: ASCII digits followed by ``s``, ``m`` or ``h`` (semantics 1.2).

    Surrounding blanks are trimmed; ``0s`` is a duration.

    Args:
        text: Such as ``"30s"``, ``"5m"``, ``"2h"``.

    Returns:
        Milliseconds.

    Raises:
        InvalidError: The text is anything else, or longer than 10 000 years.

    >>> parse_duration("5m")
    300000
    """
    found = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise InvalidError.single("", text, _DURATION_EXPECTED)
    digits = found[1].lstrip("0") or "0"
    value = int(digits) * _UNITS[found[2]] if len(digits) <= 16 else MAX_DURATION + 1
    if value > MAX_DURATION:
        raise InvalidError.single("", text, "a duration of at most 10 000 years")
    return value


def format_duration(duration: Duration) -> str:
    """Write a duration in the largest unit that holds it whole; it reads back equal.

    Fractions of a second, which no rule can contain, are written with a decimal point.

    >>> format_duration(300_000), format_duration(90_000), format_duration(0)
    ('5m', '90s', '0s')
    """
    if duration % SECOND:
        return f"{duration / SECOND:.3f}s"
    for unit in ("h", "m"):
        if duration and duration % _UNITS[unit] == 0:
            return f"{duration // _UNITS[unit]}{unit}"
    return f"{duration // SECOND}s"


def parse_instant(value: object, *, zone: tzinfo | None = None) -> Instant:
    """Read an instant: ISO 8601 text with a zone or an offset, or whole milliseconds.

    Fractions are cut, never rounded, to milliseconds. A time without a zone is refused
    unless ``zone`` says which is meant; where the clocks of that zone repeat an hour the
    first pass is taken.

    Args:
        value: Text, or integer milliseconds since the epoch.
        zone: The zone of texts that have none.

    Raises:
        InvalidError: The value is no instant, or has no zone and ``zone`` is ``None``, or
            lies outside the years 1 to 9999.

    >>> parse_instant("2026-10-07T16:22:05.1189+02:00")
    1791382925118
    """
    if isinstance(value, int) and not isinstance(value, bool):
        if MIN_INSTANT <= value <= MAX_INSTANT:
            return value
        raise InvalidError.single("", value, "milliseconds within the years 1 to 9999")
    found = _INSTANT.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise InvalidError.single("", value, _INSTANT_EXPECTED)
    year, month, day, hour, minute, second, fraction, utc, sign, off_hour, off_minute = (
        found.groups()
    )
    try:
        local = datetime(  # noqa: DTZ001 - the zone follows
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0)
        )
    except ValueError:
        raise InvalidError.single("", value, _INSTANT_EXPECTED) from None
    milliseconds = int((fraction or "0")[:3].ljust(3, "0"))
    if sign:
        hours, minutes = int(off_hour), int(off_minute or 0)
        if hours > 23 or minutes > 59:
            raise InvalidError.single("", value, _INSTANT_EXPECTED)
        shift = (hours * HOUR + minutes * MINUTE) * (-1 if sign == "+" else 1)
        aware = local.replace(tzinfo=UTC)
    elif utc:
        shift, aware = 0, local.replace(tzinfo=UTC)
    elif zone is None:
        raise InvalidError.single(
            "", value, _INSTANT_EXPECTED, f"{value!r} has no zone: say which one is meant"
        )
    else:
        shift, aware = 0, local.replace(tzinfo=zone)
    instant = (aware - _EPOCH) // _MILLISECOND + milliseconds + shift
    if not MIN_INSTANT <= instant <= MAX_INSTANT:
        raise InvalidError.single("", value, "an instant within the years 1 to 9999")
    return instant


def format_instant(instant: Instant) -> str:
    """Write an instant as ISO 8601 in UTC with milliseconds and ``Z``.

    No engine's instant lies outside the years 1 to 9999, but a deadline may: a wait of a
    thousand years can be asked for. Such a year is written as ISO 8601 writes it, with a
    sign and six digits.

    >>> format_instant(1791382925118)
    '2026-10-07T14:22:05.118Z'
    >>> format_instant(317_153_605_380_000)
    '+012020-03-13T07:43:00.000Z'
    """
    day, time = divmod(instant, DAY)
    minutes, milliseconds = divmod(time, MINUTE)
    hour, minute = divmod(minutes, 60)
    second, milliseconds = divmod(milliseconds, SECOND)
    return f"{_date_text(day)}T{hour:02d}:{minute:02d}:{second:02d}.{milliseconds:03d}Z"


@lru_cache(maxsize=1_024)
def _date_text(day: int) -> str:
    """The date of a day since the epoch; a log has few of them, each many times."""
    if MIN_INSTANT <= day * DAY <= MAX_INSTANT:
        return date.fromordinal(_EPOCH.toordinal() + day).isoformat()
    # The calendar repeats itself every 400 years.
    cycles, rest = divmod(day, _CYCLE_DAYS)
    same = date.fromordinal(_EPOCH.toordinal() + rest)
    return f"{same.year + 400 * cycles:+07d}-{same:%m-%d}"


def from_datetime(moment: datetime) -> Instant:
    """The instant of an aware datetime, cut to milliseconds.

    Raises:
        InvalidError: The datetime is naive.
    """
    if moment.utcoffset() is None:
        raise InvalidError.single("", moment, "an aware datetime")
    return (moment - _EPOCH) // _MILLISECOND


def to_datetime(instant: Instant, zone: tzinfo = UTC) -> datetime:
    """The aware datetime of an instant, in ``zone``."""
    return (_EPOCH + timedelta(milliseconds=instant)).astimezone(zone)
