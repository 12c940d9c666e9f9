"""Instants, lengths of time and names, as people are shown them."""

from datetime import UTC, tzinfo
from typing import Final

from wakeful.cron import Zone
from wakeful.model.automations import SCHEME
from wakeful.model.time import SECOND, Duration, Instant, format_instant, to_datetime

INSTANT_WIDTH: Final = 23


def timezone(zone: Zone | None) -> tzinfo:
    """The zone that times are shown in: UTC where none was asked for."""
    return UTC if zone is None else zone.tzinfo()


def local(instant: Instant, zone: tzinfo) -> str:
    """An instant as the clocks of a zone show it, to the millisecond."""
    try:
        moment = to_datetime(instant, zone)
    except OverflowError:  # the last hours of the year 9999, or the first of the year 1
        return format_instant(instant)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1_000:03d}"


def length(duration: Duration) -> str:
    """A length of time in its two largest units, cut: ``2h 5m``, ``40s``, ``0.3s``."""
    if duration < 10 * SECOND:
        return f"{duration / SECOND:.1f}s"
    seconds = duration // SECOND
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        if number or parts:
            parts.append(f"{number}{unit}" if number else "")
    return " ".join(part for part in parts[:2] if part)


def short(automation: str) -> str:
    """An automation by its id: its resource without the scheme."""
    return automation.removeprefix(f"{SCHEME}/")


def listed(counts: dict[str, int] | None) -> str:
    """Counts in words: ``skipped 2, rateLimited 1``."""
    return ", ".join(f"{name} {number:,}" for name, number in (counts or {}).items())
