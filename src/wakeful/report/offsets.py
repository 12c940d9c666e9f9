"""A zone's offsets over a stretch of time: all that a page has to know to show local times."""

from datetime import tzinfo
from typing import Final

from wakeful.model.time import MINUTE, Instant, to_datetime

_PROBES: Final = 20_000
"""How many instants are looked at: a quarter of an hour apart for seven months, then wider."""


def offsets(start: Instant, end: Instant, zone: tzinfo) -> list[list[int]]:
    """From which instant on the zone's clocks are how many minutes ahead of UTC."""
    found = [[start, offset(start, zone)]]
    step = max(15 * MINUTE, (end - start) // _PROBES)
    before = start
    while before < end:
        after = min(before + step, end)
        if offset(after, zone) != found[-1][1]:
            low, high = before, after
            while high - low > 1:
                middle = (low + high) // 2
                if offset(middle, zone) == found[-1][1]:
                    low = middle
                else:
                    high = middle
            found.append([high, offset(high, zone)])
        before = after
    return found


def offset(at: Instant, zone: tzinfo) -> int:
    """How many minutes the zone's clocks are ahead of UTC at an instant."""
    try:
        ahead = to_datetime(at, zone).utcoffset()
    except OverflowError:
        return 0
    return 0 if ahead is None else int(ahead.total_seconds()) // 60
