"""Thins what is drawn where nothing happens, until it fits.

What lies near a match is kept as it is. Elsewhere events of one kind that are close together
become one mark that says how many they are, and short turns one turn; what is close widens from
a second to two months until the whole fits its budget. The numbers of what is drawn still add
up; only silences shorter than that, and steps of a queue that were not its fullest, are left out.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import attrs

from wakeful.model.time import DAY, HOUR, MINUTE, SECOND, Duration, Instant
from wakeful.report.lanes import Drawn, Mark, Queue, Turn

BUDGET: Final = 120_000
"""How many turns, marks and steps of queues a report holds; each is about twenty bytes."""

_NEAR: Final = (10 * MINUTE, 2 * MINUTE, 20 * SECOND, 0)
"""How near to a match all is kept; less where there are very many matches."""

_WIDTHS: Final = (
    SECOND,
    5 * SECOND,
    15 * SECOND,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    6 * HOUR,
    DAY,
    7 * DAY,
    60 * DAY,
)


Nearness = Callable[[Instant, Instant], bool]
"""Whether what lasts from one instant to another comes near to a match."""


@attrs.frozen(kw_only=True)
class Thinned:
    """How far it was thinned.

    Attributes:
        sessions: What is drawn of each, in the order given.
        width: Events that are this close together became one; ``None`` where none did.
        near: How near to a match all was kept.
        before: How much there was to draw.
        after: How much is drawn.
    """

    sessions: tuple[Drawn, ...]
    width: Duration | None
    near: Duration
    before: int
    after: int


def thin(
    sessions: Sequence[Drawn],
    matches: Sequence[Sequence[Instant]],
    *,
    budget: int = BUDGET,
) -> Thinned:
    """Thin sessions until all together are within the budget, or as thin as it gets.

    Args:
        sessions: What they did.
        matches: The instants of each one's matches, in order.
        budget: How many things may be drawn.
    """
    before = sum(map(_size, sessions))
    if before <= budget:
        return Thinned(sessions=tuple(sessions), width=None, near=0, before=before, after=before)
    for near in _NEAR:
        nearness = [_nearness(at, near) for at in matches]

        def thinned(place: int, nearness: Sequence[Nearness] = nearness) -> tuple[Drawn, ...]:
            pairs = zip(sessions, nearness, strict=True)
            return tuple(_thinned(each, is_near, _WIDTHS[place]) for each, is_near in pairs)

        # The wider, the fewer: the narrowest that fits is found in a few tries.
        place = bisect_left(
            range(len(_WIDTHS)), -budget, key=lambda place: -sum(map(_size, thinned(place)))
        )
        if place < len(_WIDTHS) or near == _NEAR[-1]:
            break
    width = _WIDTHS[min(place, len(_WIDTHS) - 1)]
    kept = thinned(min(place, len(_WIDTHS) - 1))
    after = sum(map(_size, kept))
    return Thinned(sessions=kept, width=width, near=near, before=before, after=after)


def _size(each: Drawn) -> int:
    return len(each.turns) + len(each.marks) + len(each.silences) + len(each.queue)


def _nearness(matches: Sequence[Instant], near: Duration) -> Nearness:
    """Whether what lasts from one instant to another comes near to a match."""

    def is_near(start: Instant, end: Instant) -> bool:
        place = bisect_left(matches, start - near)
        return near > 0 and place < len(matches) and matches[place] <= end + near

    return is_near


def _thinned(each: Drawn, is_near: Nearness, width: Duration) -> Drawn:
    return Drawn(
        turns=_turns(each.turns, is_near, width),
        marks=_marks(each.marks, is_near, width),
        silences=[
            span
            for span in each.silences
            if span.end - span.start >= width or is_near(span.start, span.end)
        ],
        queue=_queue(each.queue, is_near, width),
    )


def _marks(marks: Iterable[Mark], is_near: Nearness, width: Duration) -> list[Mark]:
    found: dict[object, Mark] = {}
    for number, mark in enumerate(marks):
        if is_near(mark.at, mark.at):
            found[number] = mark
            continue
        bucket = (mark.at // width, mark.code)
        first = found.get(bucket)
        if first is None:
            found[bucket] = mark
        else:
            tool = first.tool if first.tool == mark.tool else 0
            found[bucket] = Mark(first.at, mark.code, tool, first.n + 1, mark.at)
    return list(found.values())


def _turns(turns: Iterable[Turn], is_near: Nearness, width: Duration) -> list[Turn]:
    found: dict[object, Turn] = {}
    for number, turn in enumerate(turns):
        if turn.end - turn.start >= width or is_near(turn.start, turn.end):
            found[number] = turn
            continue
        bucket = (turn.start // width, turn.outcome)
        first = found.get(bucket)
        found[bucket] = (
            turn
            if first is None
            else Turn(first.start, max(first.end, turn.end), turn.outcome, first.n + 1)
        )
    return list(found.values())


def _queue(queue: Iterable[Queue], is_near: Nearness, width: Duration) -> list[Queue]:
    """The fullest of each stretch, and how it was left."""
    found: list[Queue] = []
    most: Queue | None = None
    last: Queue | None = None
    bucket: int | None = None
    for step in queue:
        if bucket is not None and step.at // width != bucket:
            found += _kept(most, last)
            most = last = bucket = None
        if is_near(step.at, step.at):
            found += _kept(most, last)
            most = last = bucket = None
            found.append(step)
            continue
        bucket = step.at // width
        last = step
        if most is None or step.n > most.n:
            most = step
    return [*found, *_kept(most, last)]


def _kept(most: Queue | None, last: Queue | None) -> list[Queue]:
    if most is None or last is None:
        return []
    return [most] if most == last else [most, last]


def counted(sessions: Iterable[Drawn]) -> Mapping[int, int]:
    """How many events the marks stand for, by kind: thinning changes none of these."""
    numbers: dict[int, int] = {}
    for each in sessions:
        for mark in each.marks:
            numbers[mark.code] = numbers.get(mark.code, 0) + mark.n
    return numbers
