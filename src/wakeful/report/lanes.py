"""What a session did, as a picture shows it: turns, marks, silences and the queue."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import attrs

from wakeful.model.time import MINUTE, Duration, Instant
from wakeful.report.kept import ACTIVITY, CODES, SESSION_ENDED, TURN_STARTED, UNTOLD, Lane

Outcome: TypeAlias = Literal["completed", "failed", "cancelled", "replaced", "ended", "open"]
"""How a turn ended: by its ending, by another turn or the session's end in its place, or not
before the log did."""

SHORTEST_SILENCE: Final[Duration] = 2 * MINUTE
"""A turn is shown as silent where it gave no sign of life for this long."""

_ENDINGS: Final[dict[int, Outcome]] = {
    CODES["turnCompleted"]: "completed",
    CODES["turnFailed"]: "failed",
    CODES["turnCancelled"]: "cancelled",
}
_UNMARKED: Final = frozenset({*_ENDINGS, TURN_STARTED, ACTIVITY, SESSION_ENDED})
"""The kinds that are no marks: they are the turns' ends, or told by silences."""


class Turn(NamedTuple):
    """A turn, or ``n`` short ones of one outcome close together."""

    start: Instant
    end: Instant
    outcome: Outcome
    n: int = 1


class Mark(NamedTuple):
    """An event, or ``n`` of one kind close together, the last one at ``until``."""

    at: Instant
    code: int
    tool: int
    n: int = 1
    until: Instant | None = None


class Span(NamedTuple):
    """From an instant to another."""

    start: Instant
    end: Instant


class Queue(NamedTuple):
    """How many messages wait from an instant on."""

    at: Instant
    n: int


@attrs.define
class Drawn:
    """One session, as it is drawn."""

    turns: list[Turn] = attrs.field(factory=list)
    marks: list[Mark] = attrs.field(factory=list)
    silences: list[Span] = attrs.field(factory=list)
    queue: list[Queue] = attrs.field(factory=list)


def drawn(lane: Lane, until: Instant, since: Instant | None = None) -> Drawn:
    """What a session did between two instants. O(its inputs).

    Args:
        lane: The session.
        until: When the replay ended.
        since: What was over before this is left out.
    """
    found = Drawn()
    start: Instant | None = None
    last = 0
    queue = 0
    for at, code, queued, tool in _inputs(lane):
        if start is not None and at - last >= SHORTEST_SILENCE:
            found.silences.append(Span(last, at))
        last = at
        if code == TURN_STARTED:
            if start is not None:
                found.turns.append(Turn(start, at, "replaced"))
            start = at
        elif start is not None and (code in _ENDINGS or code == SESSION_ENDED):
            found.turns.append(Turn(start, at, _ENDINGS.get(code, "ended")))
            start = None
        if code not in _UNMARKED:
            found.marks.append(Mark(at, code, tool))
        told = 0 if code == SESSION_ENDED else queued
        if told not in (UNTOLD, queue):
            queue = told
            found.queue.append(Queue(at, queue))
    if start is not None:
        found.turns.append(Turn(start, until, "open"))
        if until - last >= SHORTEST_SILENCE:
            found.silences.append(Span(last, until))
    if since is not None:
        _cut(found, since)
    return found


def _inputs(lane: Lane) -> Iterator[tuple[Instant, int, int, int]]:
    return zip(lane.at, lane.code, lane.queued, lane.tool, strict=True)


def _cut(found: Drawn, since: Instant) -> None:
    found.turns = [each for each in found.turns if each.end >= since]
    found.marks = [each for each in found.marks if each.at >= since]
    found.silences = [each for each in found.silences if each.end >= since]
    before = [each for each in found.queue if each.at < since]
    found.queue = [each for each in found.queue if each.at >= since]
    if before and before[-1].n:
        found.queue.insert(0, Queue(since, before[-1].n))
