"""What a rule of a kind may mean, as slow and plain as can be: what a peer is held to.

``AS_MEANT`` is what the semantics say. The others are what some peers make of the same words;
a peer whose matches are exactly those of such a reading has been understood, and what differs
is said in the report.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from peers import four_kinds as rules
from peers.four_kinds import Found
from wakeful import SessionEvent

Meaning = Callable[[list[SessionEvent], int], Iterator[Found]]
"""A session's events in order, and when the log ends, to what is found in them."""


def found_by(meaning: Meaning, events: Iterable[SessionEvent]) -> list[Found]:
    """What a meaning finds in all sessions, in order of time."""
    sessions: dict[str, list[SessionEvent]] = defaultdict(list)
    until = 0
    for event in events:
        sessions[event.session].append(event)
        until = event.at
    return sorted(found for each in sessions.values() for found in meaning(each, until))


def _found(kind: str, event: SessionEvent, at: int | None = None) -> Found:
    assert event.facts.project is not None
    return Found(event.at if at is None else at, event.facts.project, kind, event.session)


def filtered(events: list[SessionEvent], _until: int) -> Iterator[Found]:
    """Each event of the kind."""
    return (_found("filter", event) for event in events if event.kind == rules.FILTERED)


def in_a_row(
    events: list[SessionEvent], _until: int, *, overlapping: bool = False
) -> Iterator[Found]:
    """Three in a row within the time; a match begins anew unless matches overlap."""
    run: list[int] = []
    for event in events:
        if event.kind == rules.COUNTED:
            run.append(event.at)
            last = run[-rules.TIMES :]
            if len(last) == rules.TIMES and event.at - last[0] <= rules.WITHIN:
                yield _found("count", event)
                if not overlapping:
                    run.clear()
        elif event.kind != "idle":
            run.clear()


def overlapping(events: list[SessionEvent], until: int) -> Iterator[Found]:
    """Three in a row within the time, where an event counts for several matches."""
    return in_a_row(events, until, overlapping=True)


def three_in_time(events: list[SessionEvent], _until: int) -> Iterator[Found]:
    """Three within the time, whatever lies between them."""
    kept: list[int] = []
    for event in events:
        if event.kind == rules.COUNTED:
            kept = [*(at for at in kept if event.at - at <= rules.WITHIN), event.at]
            if len(kept) == rules.TIMES:
                yield _found("count", event)
                kept.clear()


def followed(events: list[SessionEvent], _until: int) -> Iterator[Found]:
    """One, then another in time: the last of the first kind is what is followed."""
    first = None
    for event in events:
        if event.kind == rules.FIRST:
            first = event.at
        elif event.kind == rules.SECOND and first is not None:
            if event.at - first <= rules.BETWEEN:
                yield _found("then", event)
            first = None


def paired(events: list[SessionEvent], _until: int) -> Iterator[Found]:
    """One, then another in time; each that came first is followed by one of its own."""
    waiting: list[int] = []
    for event in events:
        if event.kind == rules.FIRST:
            waiting.append(event.at)
        elif event.kind == rules.SECOND:
            waiting = [at for at in waiting if event.at - at <= rules.BETWEEN]
            if waiting:
                waiting.pop()
                yield _found("then", event)


def absent(events: list[SessionEvent], until: int) -> Iterator[Found]:
    """One after which another stays absent for the time; one wait at a time.

    A log that ends is no time that passed: what is due after it is not found.
    """
    armed: SessionEvent | None = None
    for event in events:
        if armed is not None and event.at >= armed.at + rules.FOR:
            yield _found("absence", armed, armed.at + rules.FOR)
            armed = None
        if event.kind == rules.ABSENT:
            armed = None
        elif event.kind == rules.SEEN and armed is None:
            armed = event
    if armed is not None and until >= armed.at + rules.FOR:
        yield _found("absence", armed, armed.at + rules.FOR)


AS_MEANT: Final[dict[str, Meaning]] = {
    "filter": filtered,
    "count": in_a_row,
    "then": followed,
    "absence": absent,
}
