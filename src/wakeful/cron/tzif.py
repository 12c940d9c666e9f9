"""TZif files as stretches of constant offset (RFC 9636).

A compiled zone is a list of instants at which the offset changes, and a footer: a POSIX
rule that holds from the last of them for ever. Both become one table. The rule is written
out for 400 years and a margin; the calendar repeats itself after 400 years, weekdays
included, so whoever asks for a later minute asks for one of the table instead.

Everything is in whole minutes. An occurrence is a whole minute of UTC whose local clock
reads the minute wanted; so offsets are cut down to minutes, and a change counts from the
first whole minute at or after it. Both matter before 1973 alone: no later offset has
seconds.
"""

import re
import struct
from collections.abc import Sequence
from typing import Final

import attrs

from wakeful.cron.gregorian import (
    BASE_YEAR,
    CYCLE_MINUTES,
    DAY_MINUTES,
    STARTS,
    WEEKDAYS,
    date_of,
    is_leap,
    year_start,
)

FOREVER: Final = 1 << 62
"""A minute later, and negated earlier, than any that is asked about."""

MARGIN_YEARS: Final = 32
"""How far the table goes past the cycle, so that a search begun in it ends in it: an
expression lets at most eight years pass, and a gap that swallows what comes then a few more."""

_HEADER: Final = struct.Struct(">4sc15x6l")
_RULE_NAME: Final = r"(?:<[A-Za-z0-9+-]+>|[A-Za-z]+)"
_RULE_TIME: Final = r"[+-]?\d{1,3}(?::\d{1,2}){0,2}"
_RULE: Final = re.compile(
    rf"{_RULE_NAME}({_RULE_TIME})"
    rf"(?:{_RULE_NAME}({_RULE_TIME})?,([^,/]+)(?:/({_RULE_TIME}))?,([^,/]+)(?:/({_RULE_TIME}))?)?"
)
_YEARLY: Final = re.compile(r"(J)?(\d+)|M(\d+)\.(\d)\.(\d)")


@attrs.frozen(kw_only=True)
class Stretches:
    """The offsets of a zone, all in minutes.

    Attributes:
        starts: Where each stretch begins, UTC; the first is the beginning of time, and one
            more entry ends the last.
        offsets: What is added to UTC for local time, a stretch each.
        cycle_from: From this minute on the offsets repeat every 400 years.
    """

    starts: Sequence[int]
    offsets: Sequence[int]
    cycle_from: int


def read_tzif(data: bytes) -> Stretches:
    """Read a TZif file of version 2 or later.

    Raises:
        ValueError: It is none, or its footer is not a POSIX rule.
    """
    magic, version, *counts = _HEADER.unpack_from(data)
    if magic != b"TZif" or version < b"2":
        raise ValueError("not a TZif file of version 2 or later")
    is_utc, is_standard, leaps, changes, types, letters = counts
    # The first block, with 32-bit times, is there for readers that know no other.
    position = _HEADER.size + changes * 5 + types * 6 + letters + leaps * 8 + is_standard + is_utc
    _, _, is_utc, is_standard, leaps, changes, types, letters = _HEADER.unpack_from(data, position)
    position += _HEADER.size
    times = struct.unpack_from(f">{changes}q", data, position)
    position += changes * 8
    indices = data[position : position + changes]
    position += changes
    seconds = [
        offset for offset, _, _ in struct.iter_unpack(">lBB", data[position : position + types * 6])
    ]
    position += types * 6 + letters + leaps * 12 + is_standard + is_utc
    footer = data[position:].strip(b"\n").decode("ascii")

    table = _Table(seconds[0])
    for time, index in zip(times, indices, strict=True):
        table.add(time, seconds[index])
    cycle_from = FOREVER
    yearly = _read_rule(footer) if footer else None
    if yearly is not None:
        last = times[-1] if times else 0
        year = date_of(last // (DAY_MINUTES * 60))[0]
        cycle_from = (year_start(year + 1)) * DAY_MINUTES
        yearly.write(table, after=last, years=range(year, year + 400 + MARGIN_YEARS))
    return Stretches(
        starts=(*table.starts, FOREVER), offsets=tuple(table.offsets), cycle_from=cycle_from
    )


class _Table:
    """Stretches while they are being written: changes that change nothing are left out."""

    def __init__(self, seconds: int) -> None:
        self.starts = [-FOREVER]
        self.offsets = [seconds // 60]

    def add(self, time: int, seconds: int) -> None:
        start, offset = -(-time // 60), seconds // 60
        if start == self.starts[-1]:
            # Two changes in one minute: the former stretch holds no whole minute.
            self.starts.pop()
            self.offsets.pop()
        if not self.offsets or offset != self.offsets[-1]:
            self.starts.append(start)
            self.offsets.append(offset)


@attrs.frozen(kw_only=True)
class _YearlyRule:
    """Summer time by a POSIX rule; instants and offsets in seconds."""

    standard: int
    summer: int
    begins: str
    begins_at: int
    ends: str
    ends_at: int

    def write(self, table: _Table, *, after: int, years: range) -> None:
        """Add the changes of those years that come after an instant."""
        shapes: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        for year in years:
            start = year_start(year)
            shape = (is_leap(year), (start + 4) % 7)
            if shape not in shapes:
                shapes[shape] = self._changes(year)
            midnight = start * DAY_MINUTES * 60
            for time, seconds in shapes[shape]:
                if midnight + time > after:
                    table.add(midnight + time, seconds)

    def _changes(self, year: int) -> list[tuple[int, int]]:
        """The changes of a year in order, counted from its first midnight, UTC.

        They depend on nothing but whether the year is leap and how its weekdays lie.
        """
        day = DAY_MINUTES * 60
        begins = _day_in_year(self.begins, year) * day + self.begins_at - self.standard
        ends = _day_in_year(self.ends, year) * day + self.ends_at - self.summer
        return sorted([(begins, self.summer), (ends, self.standard)])


def _read_rule(footer: str) -> _YearlyRule | None:
    """The rule of a footer; none where it says that the offset stays."""
    found = _RULE.fullmatch(footer)
    if found is None:
        raise ValueError(f"{footer!r} is not a POSIX rule")
    standard, summer, begins, begins_at, ends, ends_at = found.groups()
    if begins is None:
        return None
    # POSIX counts offsets westwards; times of change default to two in the morning.
    west = _read_seconds(standard)
    return _YearlyRule(
        standard=-west,
        summer=-_read_seconds(summer) if summer else 3_600 - west,
        begins=begins,
        begins_at=_read_seconds(begins_at or "2"),
        ends=ends,
        ends_at=_read_seconds(ends_at or "2"),
    )


def _read_seconds(text: str) -> int:
    hours, minutes, seconds = (*text.lstrip("+-").split(":"), "0", "0")[:3]
    total = int(hours) * 3_600 + int(minutes) * 60 + int(seconds)
    return -total if text.startswith("-") else total


def _day_in_year(rule: str, year: int) -> int:
    """The day, from 0, that ``Mm.w.d``, ``Jn`` or ``n`` names in a year."""
    found = _YEARLY.fullmatch(rule)
    if found is None:
        raise ValueError(f"{rule!r} is not a day of a POSIX rule")
    julian, number, month, week, weekday = found.groups()
    if number:
        # Jn counts from 1 and never counts 29 February.
        day = int(number) - 1 if julian else int(number)
        return day + 1 if julian and is_leap(year) and day >= 59 else day
    index = (year - BASE_YEAR) % 400 * 12 + int(month) - 1
    day = (int(weekday) - WEEKDAYS[index]) % 7 + 7 * (int(week) - 1)
    length = STARTS[index + 1] - STARTS[index]
    while day >= length:
        day -= 7
    return STARTS[index] - STARTS[index - (int(month) - 1)] + day


def cycles_past(minute: int, cycle_from: int) -> int:
    """How many minutes, whole cycles, to take off for a minute that the table holds."""
    if minute < cycle_from + CYCLE_MINUTES:
        return 0
    return (minute - cycle_from) // CYCLE_MINUTES * CYCLE_MINUTES
