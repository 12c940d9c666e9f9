"""Cron as the semantics read: walk over every minute of UTC and look at the local clock.

Slow and plain on purpose. It shares nothing with the product: fields are sets, zones are
the standard library's, dates are its datetimes.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAMES = {
    name: number
    for names, base in (
        ("jan feb mar apr may jun jul aug sep oct nov dec", 1),
        ("sun mon tue wed thu fri sat", 0),
    )
    for number, name in enumerate(names.split(), base)
}
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


@cache
def zone_of(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def values_of(field: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for item in field.lower().split(","):
        span, _, step = item.partition("/")
        if span == "*":
            first, last = low, high
        else:
            ends = [NAMES[end] if end in NAMES else int(end) for end in span.split("-")]
            first, last = ends[0], ends[-1]
        found.update(range(first, last + 1, int(step or 1)))
    return found


class PlainCron:
    def __init__(self, expression: str, zone: str) -> None:
        fields = expression.split()
        self.zone = zone_of(zone)
        self.minutes, self.hours, self.days, self.months, weekdays = (
            values_of(field, *bounds) for field, bounds in zip(fields, BOUNDS, strict=True)
        )
        self.weekdays = {day % 7 for day in weekdays}
        self.day_is_restricted = fields[2] != "*"
        self.weekday_is_restricted = fields[4] != "*"

    def allows(self, local: datetime) -> bool:
        by_day = local.day in self.days
        by_weekday = local.isoweekday() % 7 in self.weekdays
        if self.day_is_restricted and self.weekday_is_restricted:
            day = by_day or by_weekday
        else:
            day = by_day and by_weekday
        return (
            day
            and local.minute in self.minutes
            and local.hour in self.hours
            and local.month in self.months
        )

    def between(self, after: int, until: int) -> Iterator[int]:
        """The occurrences after one minute since 1970, up to and with another."""
        for minute in range(after + 1, until + 1):
            if self.allows((EPOCH + timedelta(minutes=minute)).astimezone(self.zone)):
                yield minute


@cache
def changes_of(name: str, first_year: int, last_year: int) -> tuple[int, ...]:
    """About where the offset changes, to the day, as minutes since 1970."""
    zone = zone_of(name)
    start = (datetime(first_year, 1, 1, tzinfo=UTC) - EPOCH).days
    end = (datetime(last_year, 12, 31, tzinfo=UTC) - EPOCH).days
    found = []
    before = None
    for day in range(start, end):
        offset = (EPOCH + timedelta(days=day)).astimezone(zone).utcoffset()
        if before is not None and offset != before:
            found.append((day - 1) * 1440)
        before = offset
    return tuple(found)
