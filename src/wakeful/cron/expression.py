"""Cron expressions: five fields, parsed once to bit masks (semantics 10.1, 10.2, 10.4).

A field is an integer with a bit for each value that it allows, so "the next allowed hour"
is a shift and the lowest bit of what is left. The two day fields become one integer per
month: the days of the month, joined with the pattern of weekdays shifted to where the
month begins. Searching is on *local* minutes, counted from 1970-01-01T00:00 of a calendar
without a zone; what a zone makes of them is :mod:`wakeful.cron.schedule`.

The masks are kept in one canonical form, in which two expressions are equal exactly when
they allow the same minutes: ``0 0 * * *`` and ``0 0 1-31 * 1`` both mean every midnight,
``0 0 31 2,3 *`` never comes in February. So equality and hash are by meaning.
"""

from bisect import bisect_right
from itertools import pairwise
from typing import Final, Self

import attrs

from wakeful.cron.fields import DAY_OF_MONTH, read_fields
from wakeful.cron.gregorian import (
    BASE_DAY,
    CYCLE_DAYS,
    CYCLE_MONTHS,
    DAY_BITS,
    DAY_MINUTES,
    STARTS,
    WEEKDAYS,
)
from wakeful.cron.words import ALL_DAYS, ALL_MONTHS, ALL_WEEKDAYS, describe
from wakeful.errors import InvalidError, Problem

_WEEKS: Final = sum(1 << 7 * week for week in range(6))
"""Times a mask of weekdays: that mask for as many weeks as a month can touch."""

_DAYS_30: Final = (1 << 30) - 1
_DAYS_29: Final = (1 << 29) - 1
_FEBRUARY: Final = 1 << 1
_MONTHS_30: Final = 1 << 3 | 1 << 5 | 1 << 8 | 1 << 10
_MONTHS_31: Final = ALL_MONTHS & ~_FEBRUARY & ~_MONTHS_30


@attrs.frozen(kw_only=True)
class CronExpression:
    """A five-field cron expression; made by :meth:`parse`, equal by meaning.

    Attributes:
        text: As it was written.
        minutes: Bit 0 to 59 for each minute of the hour.
        hours: Bit 0 to 23.
        days: Bit 0 for the first of the month; 0 where the day of the week alone decides.
        months: Bit 0 for January.
        weekdays: Bit 0 for Sunday; 0 where the day of the month alone decides.
    """

    text: str = attrs.field(eq=False)
    minutes: int
    hours: int
    days: int
    months: int
    weekdays: int
    _weeks: int = attrs.field(init=False, eq=False, repr=False)
    _daily: bool = attrs.field(init=False, eq=False, repr=False)
    _first_minute: int = attrs.field(init=False, eq=False, repr=False)

    @_weeks.default
    def _repeat_weekdays(self) -> int:
        return self.weekdays * _WEEKS

    @_daily.default
    def _find_daily(self) -> bool:
        return self.days == ALL_DAYS and self.months == ALL_MONTHS

    @_first_minute.default
    def _find_first_minute(self) -> int:
        return _lowest(self.minutes)

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read an expression in the dialect of semantics 10.1, and nothing more.

        Args:
            text: ``minute hour day-of-month month day-of-week``, parted by blanks.

        Raises:
            InvalidError: With one problem per bad field, its path the field's name; also
                for an expression that no date can ever meet (``0 0 30 2 *``).

        >>> CronExpression.parse("0 9 * * 1-5") == CronExpression.parse("0 9 * * mon-fri")
        True
        """
        texts, (minutes, hours, days, months, weekdays) = read_fields(text)
        days >>= 1
        months >>= 1
        # Sunday is both 0 and 7. A day field is restricted unless it is literally `*`
        # (10.2): where one is, it alone decides; where both are, either does.
        weekdays = (weekdays | weekdays >> 7) & ALL_WEEKDAYS
        if texts[4] == "*":
            weekdays = 0
        elif texts[2] == "*":
            days = 0
        if weekdays == ALL_WEEKDAYS:
            days, weekdays = ALL_DAYS, 0
        if days and not (days == ALL_DAYS and not weekdays):
            days, months, weekdays = _canonical_days(days, months, weekdays)
            if not (days or weekdays):
                raise InvalidError([_never_problem(texts[2], texts[3])])
        return cls(
            text=str(text),
            minutes=minutes,
            hours=hours,
            days=days,
            months=months,
            weekdays=weekdays,
        )

    def __str__(self) -> str:
        return self.text

    def describe(self, zone: str | None = None) -> str:
        """The expression in plain English, equal for equal expressions.

        Args:
            zone: The name of a zone to end with.

        >>> CronExpression.parse("30 9 * * mon-fri").describe("Europe/Berlin")
        'at 09:30 on Monday to Friday, Europe/Berlin'
        """
        words = describe(
            minutes=self.minutes,
            hours=self.hours,
            days=self.days,
            months=self.months,
            weekdays=self.weekdays,
        )
        return f"{words}, {zone}" if zone else words

    @property
    def first_time(self) -> int:
        """The first minute of a day that the expression allows, from 0."""
        return _lowest(self.hours) * 60 + self._first_minute

    @property
    def last_time(self) -> int:
        """The last minute of a day that the expression allows, to 1439."""
        return (self.hours.bit_length() - 1) * 60 + self.minutes.bit_length() - 1

    @property
    def times_per_day(self) -> int:
        """How many minutes it allows in a day that it allows."""
        return self.minutes.bit_count() * self.hours.bit_count()

    @property
    def smallest_gap(self) -> int | None:
        """The fewest minutes between two of its times in one day; none for a single time."""
        gaps = [later - earlier for earlier, later in _pairs(self.minutes)]
        hours = [later - earlier for earlier, later in _pairs(self.hours)]
        if hours:
            gaps.append(min(hours) * 60 - self.minutes.bit_length() + 1 + self._first_minute)
        return min(gaps, default=None)

    @property
    def fewest_days(self) -> int:
        """A lower bound of the days from one that the expression allows to the next.

        Met by all but few: ``0 0 31 * *`` counts on a month of 28 days, and has none.
        """
        if not self.days:
            gaps = [later - earlier for earlier, later in _pairs(self.weekdays)]
            return min([*gaps, 7 + _lowest(self.weekdays) - self.weekdays.bit_length() + 1])
        if not self.weekdays:
            gaps = [later - earlier for earlier, later in _pairs(self.days)]
            turn = 28 + _lowest(self.days) - self.days.bit_length() + 1
            return min([*gaps, max(1, turn)])
        return 1

    def allows(self, minute: int) -> bool:
        """Whether the local minute is one of the expression's."""
        day, rest = divmod(minute, DAY_MINUTES)
        hour, rest = divmod(rest, 60)
        return bool(
            self.hours >> hour & 1
            and self.minutes >> rest & 1
            and (self._daily or self._day_from(day) == day)
        )

    def first_from(self, minute: int) -> int:
        """The first local minute of the expression at or after ``minute``.

        Constant: at most eight years of months are stepped over, by the bits of the month
        field.
        """
        day, rest = divmod(minute, DAY_MINUTES)
        if not self._daily:
            found = self._day_from(day)
            if found != day:
                return found * DAY_MINUTES + self.first_time
        hour, rest = divmod(rest, 60)
        if self.hours >> hour & 1:
            later = self.minutes >> rest
            if later:
                return minute + (later & -later).bit_length() - 1
        later = self.hours >> hour + 1
        if later:
            hour += (later & -later).bit_length()
        else:
            day = day + 1 if self._daily else self._day_from(day + 1)
            hour = _lowest(self.hours)
        return day * DAY_MINUTES + hour * 60 + self._first_minute

    def count(self, start: int, end: int) -> int:
        """How many local minutes of the expression lie in ``[start, end)``.

        Counts days by the bits of whole months, never the minutes one by one.
        """
        if start >= end:
            return 0
        first_day, first_rest = divmod(start, DAY_MINUTES)
        last_day, last_rest = divmod(end, DAY_MINUTES)
        return (
            self._count_days(first_day, last_day) * self.times_per_day
            + self._count_times(last_day, last_rest)
            - self._count_times(first_day, first_rest)
        )

    def _day_from(self, day: int) -> int:
        """The first day at or after ``day`` that the expression allows."""
        cycle, rest = divmod(day - BASE_DAY, CYCLE_DAYS)
        month = bisect_right(STARTS, rest) - 1
        months = self.months
        if months >> month % 12 & 1:
            later = self._days_of(month) >> rest - STARTS[month]
            if later:
                return day + (later & -later).bit_length() - 1
        while True:
            later = months >> month % 12 + 1
            if later:
                month += (later & -later).bit_length()
            else:
                month += 12 - month % 12 + _lowest(months)
            if month >= CYCLE_MONTHS:
                month -= CYCLE_MONTHS
                cycle += 1
            later = self._days_of(month)
            if later:
                return BASE_DAY + cycle * CYCLE_DAYS + STARTS[month] + _lowest(later)

    def _days_of(self, month: int) -> int:
        """The allowed days of a month of the table, whatever the month field says."""
        return (self.days | self._weeks >> WEEKDAYS[month]) & DAY_BITS[month]

    def _count_days(self, start: int, end: int) -> int:
        """How many days of ``[start, end)`` are allowed."""
        if self._daily:
            return end - start
        total = 0
        cycle, rest = divmod(start - BASE_DAY, CYCLE_DAYS)
        month = bisect_right(STARTS, rest) - 1
        end -= BASE_DAY + cycle * CYCLE_DAYS
        skip = rest - STARTS[month]
        while STARTS[month] < end:
            if self.months >> month % 12 & 1:
                days = self._days_of(month) >> skip << skip
                days &= (1 << end - STARTS[month]) - 1
                total += days.bit_count()
            skip = 0
            month += 1
            if month == CYCLE_MONTHS:
                month = 0
                end -= CYCLE_DAYS
        return total

    def _count_times(self, day: int, before: int) -> int:
        """How many minutes of that day, before that minute of it, are allowed."""
        if not self._daily and self._day_from(day) != day:
            return 0
        hour, minute = divmod(before, 60)
        whole = (self.hours & (1 << hour) - 1).bit_count() * self.minutes.bit_count()
        if self.hours >> hour & 1:
            whole += (self.minutes & (1 << minute) - 1).bit_count()
        return whole


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _pairs(mask: int) -> list[tuple[int, int]]:
    """Neighbouring set bits."""
    bits = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    return list(pairwise(bits))


def _canonical_days(days: int, months: int, weekdays: int) -> tuple[int, int, int]:
    """The day masks without what no month has; all zero where nothing is left."""
    if months & _MONTHS_31:
        longest = ALL_DAYS
    elif months & _MONTHS_30:
        longest = _DAYS_30
    else:
        longest = _DAYS_29
    days &= longest
    if days == longest:
        return ALL_DAYS, months, 0
    if not weekdays:
        if not days & _DAYS_29:
            months &= ~_FEBRUARY
        if not days & _DAYS_30:
            months &= ~_MONTHS_30
    return days, months, weekdays


def _never_problem(days: str, months: str) -> Problem:
    return Problem(
        path=DAY_OF_MONTH.name,
        value=days,
        expected="a day that one of the months has",
        message=f"day {days} never comes in month {months}: the expression can never occur",
    )
