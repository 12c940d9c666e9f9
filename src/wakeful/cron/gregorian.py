"""Days and months as integers.

The Gregorian calendar repeats itself every 400 years, and 400 years are whole weeks. So
one table of 4 800 months answers every question about any day, before and after it alike,
by a binary search: no leap-year formula runs while an occurrence is being found.

Days are counted from 1970-01-01, minutes from its midnight; weekdays from 0, Sunday.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Final

DAY_MINUTES: Final = 1_440
CYCLE_DAYS: Final = 146_097
CYCLE_MINUTES: Final = CYCLE_DAYS * DAY_MINUTES
CYCLE_MONTHS: Final = 4_800

BASE_YEAR: Final = 2000
BASE_DAY: Final = 10_957
"""2000-01-01, where the table begins: a Saturday."""

_BASE_WEEKDAY: Final = 6
_COMMON: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LEAP: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    """Whether the year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


_LENGTHS: Final = tuple(
    length
    for year in range(BASE_YEAR, BASE_YEAR + 400)
    for length in (_LEAP if is_leap(year) else _COMMON)
)

STARTS: Final = tuple(accumulate(_LENGTHS, initial=0))
"""The first day of each month, counted from :data:`BASE_DAY`; one entry past the last."""

WEEKDAYS: Final = tuple((start + _BASE_WEEKDAY) % 7 for start in STARTS)
"""The weekday of each month's first day."""

DAY_BITS: Final = tuple((1 << length) - 1 for length in _LENGTHS)
"""A bit for each day that the month has, the first of the month lowest."""


def year_start(year: int) -> int:
    """The day that 1 January of the year is."""
    cycle, rest = divmod(year - BASE_YEAR, 400)
    return BASE_DAY + cycle * CYCLE_DAYS + STARTS[rest * 12]


def date_of(day: int) -> tuple[int, int, int]:
    """Year, month from 1, and day of the month from 1."""
    cycle, rest = divmod(day - BASE_DAY, CYCLE_DAYS)
    month = bisect_right(STARTS, rest) - 1
    return (
        BASE_YEAR + cycle * 400 + month // 12,
        month % 12 + 1,
        rest - STARTS[month] + 1,
    )


def format_minute(minute: int) -> str:
    """A local minute as ``2026-03-08T02:30``."""
    day, rest = divmod(minute, DAY_MINUTES)
    year, month, day_of_month = date_of(day)
    return f"{year:04}-{month:02}-{day_of_month:02}T{rest // 60:02}:{rest % 60:02}"


def weekday_of(minute: int) -> int:
    """The weekday of a local minute, 0 for Sunday: 1970 began on a Thursday."""
    return (minute // DAY_MINUTES + 4) % 7
