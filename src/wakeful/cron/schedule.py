"""Occurrences: an expression on the clocks of a zone (semantics 10.2 to 10.4).

A zone is a row of stretches of constant offset. Inside one, local time is UTC and a number,
and the expression finds its next local minute by itself. So finding an occurrence is: search
from the local time it is now, and if what is found lies past the end of the stretch, go on
to the next. What was found holds there too, unless the new stretch

- begins after it on the local clock: the minute fell into a gap, it has no occurrence;
- begins before where the search began: the clocks went back, minutes come again.

Both are searched anew from the local time at which the stretch begins. No rule for gaps or
repeats is needed beyond that: a local minute that does not exist is in no stretch, and one
that happens twice is in two.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, Self

import attrs

from wakeful.cron.expression import CronExpression
from wakeful.cron.gregorian import DAY_MINUTES
from wakeful.cron.tzif import cycles_past
from wakeful.cron.zones import Zone, load_zone
from wakeful.errors import InvalidError, Problem
from wakeful.model.time import MINUTE, Duration, Instant

_SURVEY_MINUTES: Final = 64 * 366 * DAY_MINUTES
"""How far :meth:`Schedule.smallest_interval` looks past what a zone's file spells out.

A rule of summer time depends on nothing but the shape of the year: leap or not, and its
first weekday. Every two shapes that can follow each other do so within 28 years that hold
no year such as 2100, and of any 64 years at least one such run is free of it.
"""

_NEVER: Final = 1 << 40
"""More minutes than lie between any two occurrences."""


@attrs.frozen
class Schedule:
    """When an expression occurs in a zone.

    Instants are milliseconds since the epoch; every occurrence is a whole minute of UTC.
    """

    expression: CronExpression
    zone: Zone

    @classmethod
    def parse(cls, expression: object, zone: object = "UTC") -> Self:
        """Read both, and name what is wrong with either.

        Raises:
            InvalidError: With the problems of the expression, and of the zone.

        >>> str(Schedule.parse("30 9 * * 1-5", "Europe/Berlin"))
        'at 09:30 on Monday to Friday, Europe/Berlin'
        """
        problems: list[Problem] = []
        try:
            read = CronExpression.parse(expression)
        except InvalidError as error:
            problems.extend(error.problems)
        try:
            found = load_zone(zone)
        except InvalidError as error:
            problems.extend(error.problems)
        if problems:
            raise InvalidError(problems)
        return cls(read, found)

    def __str__(self) -> str:
        return self.expression.describe(self.zone.name)

    def next_after(self, instant: Instant) -> Instant:
        """The first occurrence strictly after an instant.

        There always is one; it may lie past the year 9999. Microseconds, whether it is
        near or years away: a change of the zone's clocks on the way costs a comparison.

        >>> from wakeful.model.time import format_instant, parse_instant
        >>> schedule = Schedule.parse("30 2 * * *", "America/New_York")
        >>> format_instant(schedule.next_after(parse_instant("2026-03-07T12:00:00Z")))
        '2026-03-09T06:30:00.000Z'
        """
        stretches = self.zone.stretches
        starts, offsets = stretches.starts, stretches.offsets
        search = self.expression.first_from
        minute = instant // MINUTE + 1
        past = cycles_past(minute, stretches.cycle_from)
        minute -= past
        index = bisect_right(starts, minute) - 1
        offset = offsets[index]
        begun = minute + offset
        found = search(begun)
        while found - offset >= starts[index + 1]:
            index += 1
            offset = offsets[index]
            opening = starts[index] + offset
            if not begun <= opening <= found:
                begun = opening
                found = search(begun)
        return (found - offset + past) * MINUTE

    def occurrences(self, after: Instant) -> Iterator[Instant]:
        """Every occurrence strictly after an instant, in order, without end."""
        while True:
            after = self.next_after(after)
            yield after

    def matches(self, instant: Instant) -> bool:
        """Whether an instant is an occurrence, so whether it is what comes after the one before."""
        minute, rest = divmod(instant, MINUTE)
        return not rest and self.expression.allows(minute + self.zone.offset_at(instant) // MINUTE)

    def count(self, after: Instant, until: Instant) -> int:
        """How many occurrences lie after one instant, up to and with another.

        Counts by stretches and months, so a missed year costs little more than a missed
        hour (semantics 10.5).
        """
        total = 0
        start = after // MINUTE + 1
        end = until // MINUTE + 1
        offset = self.zone.offset_at(start * MINUTE) // MINUTE
        for change, _, following in self.zone.changes(start * MINUTE, end * MINUTE):
            boundary = change // MINUTE
            total += self.expression.count(start + offset, boundary + offset)
            start, offset = boundary, following
        return total + self.expression.count(start + offset, end + offset)

    def skipped(self, after: Instant, until: Instant) -> Iterator[tuple[Instant, int]]:
        """The local minutes that the expression names and a change of clocks leaves out.

        Yields:
            The instant of the change, and the local minute as minutes since 1970-01-01
            on the calendar of the zone.
        """
        for change, before, following in self.zone.changes(after, until):
            opening = change // MINUTE + following
            local = self.expression.first_from(change // MINUTE + before)
            while local < opening:
                yield change, local
                local = self.expression.first_from(local + 1)

    def closer_than(self, minutes: float, after: Instant) -> bool:
        """Whether two consecutive occurrences after an instant can lie closer than that.

        What a host that advertises ``minIntervalMinutes`` refuses a schedule by: exactly
        that far apart is far enough.
        """
        return self.smallest_interval(after) < minutes * MINUTE

    def smallest_interval(self, after: Instant) -> Duration:
        """The smallest distance between two consecutive occurrences after an instant.

        Over all that the zone's file and rule say from then on: also the half hour between
        the last occurrence before a gap and the first after it. Milliseconds of work; for
        saving a definition, not for every input.

        Theory. Two occurrences are either times of one day, which the masks tell; or of
        two days that no change parts; or some change of clocks lies between them. The
        last are found by walking over each change from as far before it as would matter.
        The second need a walk over days, but only while two days could still lie closer
        than the best that is known: for one time a day they do once, and then no more.
        """
        expression, stretches = self.expression, self.zone.stretches
        overnight = (
            expression.fewest_days * DAY_MINUTES - expression.last_time + expression.first_time
        )
        start = after // MINUTE
        start -= cycles_past(start, stretches.cycle_from)
        spelled_out = min(stretches.cycle_from, stretches.starts[-2])
        end = max(start, spelled_out) + _SURVEY_MINUTES
        best = expression.smallest_gap or _NEVER
        previous, following = None, self._next_minute(start)
        while overnight < best and following < end:
            if previous is not None:
                best = min(best, following - previous)
            previous = self._last_of_day(following)
            following = self._next_minute(previous)
        for change, _, _ in self.zone.changes(start * MINUTE, end * MINUTE):
            minute = change // MINUTE
            previous = self._next_minute(max(start, minute - best))
            while previous < minute:
                following = self._next_minute(previous)
                best = min(best, following - previous)
                previous = following
        return best * MINUTE

    def _next_minute(self, minute: int) -> int:
        return self.next_after(minute * MINUTE) // MINUTE

    def _last_of_day(self, minute: int) -> int:
        """The last occurrence on the local day of one, or itself where clocks change before."""
        stretches = self.zone.stretches
        past = cycles_past(minute, stretches.cycle_from)
        index = bisect_right(stretches.starts, minute - past) - 1
        offset = stretches.offsets[index]
        day = (minute + offset) // DAY_MINUTES * DAY_MINUTES
        last = day + self.expression.last_time - offset
        return last if last - past < stretches.starts[index + 1] else minute
