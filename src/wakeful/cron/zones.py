"""Time zones, read from the tzdata package and from nowhere else (semantics 10.1).

The system's own database is never asked: two machines with one version of wakeful's
dependencies find the same occurrences. Names are exact, upper and lower case included.
"""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import tzinfo
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import attrs
import tzdata  # type: ignore[import-untyped]

from wakeful.cron.gregorian import DAY_MINUTES, format_minute
from wakeful.cron.tzif import Stretches, cycles_past, read_tzif
from wakeful.errors import InvalidError
from wakeful.model.time import MINUTE, Duration, Instant

_LONGEST_SHIFT: Final = 2 * DAY_MINUTES
"""No local minute comes again later than this; the widest change so far was of a day."""


@attrs.frozen
class Zone:
    """A time zone by its name in the tz database; made by :func:`load_zone`.

    Attributes:
        name: Such as ``Europe/Berlin``.
        stretches: Its offsets as integers, for whoever searches in them.
    """

    name: str
    stretches: Stretches = attrs.field(eq=False, repr=False)

    def __str__(self) -> str:
        return self.name

    def offset_at(self, instant: Instant) -> Duration:
        """What is added to UTC for local time at an instant; negative in the west.

        In whole minutes, cut down: before 1973 some offsets had seconds.
        """
        minute = instant // MINUTE
        minute -= cycles_past(minute, self.stretches.cycle_from)
        index = bisect_right(self.stretches.starts, minute) - 1
        return self.stretches.offsets[index] * MINUTE

    def format_local(self, instant: Instant) -> str:
        """The local time of an instant, to the minute and with its offset, as ISO 8601.

        >>> load_zone("America/New_York").format_local(1793514600000)
        '2026-11-01T01:30:00-05:00'
        """
        offset = self.offset_at(instant) // MINUTE
        sign, hours, minutes = "-" if offset < 0 else "+", *divmod(abs(offset), 60)
        local = format_minute(instant // MINUTE + offset)
        return f"{local}:00{sign}{hours:02}:{minutes:02}"

    def repeats(self, instant: Instant) -> bool:
        """Whether local clocks have shown the minute of this instant once before."""
        starts, offsets = self.stretches.starts, self.stretches.offsets
        minute = instant // MINUTE
        minute -= cycles_past(minute, self.stretches.cycle_from)
        index = bisect_right(starts, minute) - 1
        local = minute + offsets[index]
        while index and starts[index] > minute - _LONGEST_SHIFT:
            index -= 1
            if starts[index] <= local - offsets[index] < starts[index + 1]:
                return True
        return False

    def changes(self, after: Instant, until: Instant) -> Iterator[tuple[Instant, int, int]]:
        """The changes of the offset after one instant, up to and with another.

        Yields:
            The instant, then the offsets before and after it in minutes.
        """
        starts, offsets = self.stretches.starts, self.stretches.offsets
        minute = after // MINUTE
        while True:
            past = cycles_past(minute, self.stretches.cycle_from)
            index = bisect_right(starts, minute - past)
            minute = starts[index] + past
            if minute * MINUTE > until or index == len(offsets):
                return
            yield minute * MINUTE, offsets[index - 1], offsets[index]

    def tzinfo(self) -> tzinfo:
        """The zone for :mod:`datetime`, from the same file of the same package."""
        return _load_tzinfo(self.name)


def load_zone(name: object) -> Zone:
    """Find a zone by its exact name.

    Raises:
        InvalidError: The tz database has no zone of that name.

    >>> load_zone("Europe/Berlin").offset_at(0) // 60_000
    60
    """
    if not isinstance(name, str) or name not in zone_names():
        raise InvalidError.single("timeZone", name, *_refuse(name))
    return _load(name)


@cache
def _load(name: str) -> Zone:
    return Zone(name, read_tzif(_file_of(name).read_bytes()))


@cache
def zone_names() -> frozenset[str]:
    """Every name of the tz database, links included."""
    return frozenset((files("tzdata") / "zones").read_text("utf-8").split())


def tzdata_version() -> str:
    """The version of the tz database in use, such as ``2026a``."""
    return str(tzdata.IANA_VERSION)


@cache
def _load_tzinfo(name: str) -> tzinfo:
    # Imported here: its import reads where the system keeps zones, which the core never asks.
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    with _file_of(name).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def _file_of(name: str) -> Traversable:
    # Only names of the list get here, so no name can leave the folder.
    return files("tzdata").joinpath("zoneinfo", *name.split("/"))


def _refuse(name: object) -> tuple[str, str]:
    """What was expected of a name that is none, and the sentence about it."""
    expected = f"a zone of the tz database {tzdata_version()}, such as Europe/Berlin"
    names = zone_names()
    by_lower = {known.lower(): known for known in names}
    close = get_close_matches(str(name)[:80].lower(), by_lower, n=1)
    near = f"; did you mean {by_lower[close[0]]}?" if close else ""
    return expected, f"{name!r} is not {expected}{near}"
