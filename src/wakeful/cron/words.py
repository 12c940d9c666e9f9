"""Cron expressions in plain English, from their masks: equal ones read alike."""

from collections.abc import Sequence
from typing import Final

ALL_DAYS: Final = (1 << 31) - 1
ALL_MONTHS: Final = (1 << 12) - 1
ALL_WEEKDAYS: Final = (1 << 7) - 1

_ALL_MINUTES: Final = (1 << 60) - 1
_ALL_HOURS: Final = (1 << 24) - 1
_TIMES_LISTED: Final = 6
"""As many times of day are told one by one; more are told as minutes and hours."""

_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS: Final = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]


def describe(*, minutes: int, hours: int, days: int, months: int, weekdays: int) -> str:
    """The masks of a :class:`~wakeful.cron.CronExpression` in words."""
    times = _times(_bits(minutes), _bits(hours))
    dates = _dates(days, weekdays)
    if not dates and times.startswith("at ") and ":" in times:
        # "at 09:30" alone could be once; "every minute" could not.
        dates = "every day"
    if months != ALL_MONTHS:
        names = _join(_runs(_bits(months), _MONTHS))
        dates = f"{dates} in {names}" if dates else f"in {names}"
    return f"{times} {dates}".strip()


def _times(minutes: list[int], hours: list[int]) -> str:
    if len(minutes) * len(hours) <= _TIMES_LISTED:
        return "at " + _join([f"{hour:02}:{minute:02}" for hour in hours for minute in minutes])
    step = _even_step(minutes, 60)
    hour_step = _even_step(hours, 24)
    if step:
        often = "every minute" if step == 1 else f"every {step} minutes"
        if hour_step == 1:
            return often
        if hours[-1] - hours[0] == len(hours) - 1:
            return f"{often} from {hours[0]:02}:00 to {hours[-1]:02}:{minutes[-1]:02}"
        return f"{often} of {_hours(hours, hour_step)}"
    if minutes == [0] and hour_step:
        return "every hour" if hour_step == 1 else f"every {hour_step} hours from 00:00"
    which = "minute" if len(minutes) == 1 else "minutes"
    at = f"at {which} {_join(_runs(minutes, [str(minute) for minute in range(60)]))}"
    return f"{at} of {_hours(hours, hour_step)}"


def _hours(hours: list[int], step: int) -> str:
    if step:
        return "every hour" if step == 1 else f"every {_ordinal(step)} hour"
    which = "hour" if len(hours) == 1 else "hours"
    return f"{which} {_join(_runs(hours, [str(hour) for hour in range(24)]))}"


def _dates(days: int, weekdays: int) -> str:
    """The days in words; nothing where every day is meant."""
    if days == ALL_DAYS:
        return ""
    parts = []
    if days:
        ordinals = [_ordinal(day) for day in range(1, 32)]
        parts.append(f"on the {_join(_runs(_bits(days), ordinals))} of the month")
    if weekdays:
        # A week is told from Monday, so that Saturday and Sunday stand together.
        turned = weekdays >> 1 | (weekdays & 1) << 6
        names = _runs(_bits(turned), [*_WEEKDAYS[1:], _WEEKDAYS[0]])
        parts.append(f"on {'every ' if days and len(names) == 1 else ''}{_join(names)}")
    return " and ".join(parts)


def _even_step(values: list[int], size: int) -> int:
    """The step that divides the whole evenly and gives just these values, or 0."""
    step = size // len(values)
    return step if len(values) > 1 and values == list(range(0, size, step)) else 0


def _runs(values: Sequence[int], names: Sequence[str]) -> list[str]:
    """Names of the values; three or more in a row become one "a to b"."""
    parts: list[str] = []
    position = 0
    while position < len(values):
        end = position
        while end + 1 < len(values) and values[end + 1] == values[end] + 1:
            end += 1
        if end - position >= 2:
            parts.append(f"{names[values[position]]} to {names[values[end]]}")
        else:
            parts.extend(names[value] for value in values[position : end + 1])
        position = end + 1
    return parts


def _join(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _ordinal(day: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th") if day not in {11, 12, 13} else "th"
    return f"{day}{suffix}"


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
