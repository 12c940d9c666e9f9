"""Two versions of rules on the same inputs: which wakes are gained, lost and moved.

Both are replayed side by side, so the logs are read once. Wakes that say the same at the same
instant are the same. What is left is paired by automation, trigger and session: two at one
instant are one that changed, two at different ones, in order, one that moved. The rest is
lost or gained.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import attrs

from wakeful.explain.playing import side_by_side
from wakeful.model._records import record
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Match, Output
from wakeful.model.time import Instant, format_instant
from wakeful.replay import Replay


class Change(StrEnum):
    """What became of a wake from the old rules to the new."""

    GAINED = "gained"
    LOST = "lost"
    MOVED = "moved"
    CHANGED = "changed"
    """It stands where it stood and says something else: its count, its decision, its reason."""


@record(kw_only=True)
class Wake:
    """A wake, by what it is compared by.

    Attributes:
        decision: The word of the decision; ``None`` for a match.
    """

    automation: str
    trigger: str | None
    session: str | None
    at: Instant
    event: str | None
    count: int | None
    decision: str | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wake as plain data, without what says nothing."""
        members = attrs.asdict(self) | {"at": format_instant(self.at)}
        return {name: value for name, value in members.items() if value is not None}


@record(kw_only=True)
class Difference:
    """One wake that is not the same under both rules."""

    change: Change
    old: Wake | None = None
    new: Wake | None = None

    @property
    def at(self) -> Instant:
        """The instant it is at, by the new rules where they have it."""
        wake = self.new or self.old
        assert wake is not None  # noqa: S101 - one of them is there
        return wake.at

    def to_dict(self) -> dict[str, Any]:
        """The difference as plain data."""
        found: dict[str, Any] = {"change": self.change.value}
        if self.old is not None:
            found["old"] = self.old.to_dict()
        if self.new is not None:
            found["new"] = self.new.to_dict()
        return found


class Comparison:
    """Replays two versions of rules on the same inputs.

    Args:
        old: A replay with the old rules, not yet begun, without instants of its own.
        new: The same with the new.
        matches: Compare matches in place of what is decided of them.

    Attributes:
        same: How many wakes are the same under both.
    """

    def __init__(self, old: Replay, new: Replay, *, matches: bool = False) -> None:
        self._replays = (old, new)
        self._matches = matches
        self.same = 0

    def differences(self, inputs: Iterable[Input]) -> list[Difference]:
        """Play the inputs; what differs, in order. Empty where both say the same.

        Memory grows with the wakes that differ, not with the log.
        """
        left: tuple[Counter[Wake], Counter[Wake]] = (Counter(), Counter())
        for side, output in side_by_side(self._replays, inputs):
            wake = self._wake(output)
            if wake is None:
                continue
            other = left[1 - side]
            if other[wake]:
                self.same += 1
                other[wake] -= 1
                if not other[wake]:
                    del other[wake]
            else:
                left[side][wake] += 1
        old, new = (sorted(each.elements(), key=_wake_place) for each in left)
        return sorted(_paired(old, new), key=_place)

    def _wake(self, output: Output) -> Wake | None:
        if self._matches:
            return _of_match(output) if isinstance(output, Match) else None
        return _of_decision(output) if isinstance(output, Decision) else None


def _paired(old: Iterable[Wake], new: Iterable[Wake]) -> Iterator[Difference]:
    """What is left of both: changed in place, moved, lost or gained."""
    lost, gained = list(old), list(new)
    for change, pair in ((Change.CHANGED, _stands), (Change.MOVED, _is_about)):
        held: dict[object, deque[Wake]] = defaultdict(deque)
        for wake in lost:
            held[pair(wake)].append(wake)
        unpaired = []
        for wake in gained:
            same = held[pair(wake)]
            if same:
                yield Difference(change=change, old=same.popleft(), new=wake)
            else:
                unpaired.append(wake)
        lost = sorted((wake for each in held.values() for wake in each), key=_wake_place)
        gained = unpaired
    for wake in lost:
        yield Difference(change=Change.LOST, old=wake)
    for wake in gained:
        yield Difference(change=Change.GAINED, new=wake)


def _stands(wake: Wake) -> object:
    return (_is_about(wake), wake.at)


def _is_about(wake: Wake) -> object:
    """What two wakes have to have in common to be one that moved."""
    return (wake.automation, wake.trigger, wake.session, wake.decision is None)


def _wake_place(wake: Wake) -> tuple[str, ...]:
    return (f"{wake.at:020d}", *(str(each) for each in attrs.astuple(wake)))


def _place(difference: Difference) -> tuple[Instant, str, str, str]:
    wake = difference.new or difference.old
    assert wake is not None  # noqa: S101 - one of them is there
    return (wake.at, wake.automation, str(wake.trigger), str(wake.session))


def _of_match(match: Match) -> Wake:
    trigger = match.trigger if match.preset is None else f"{match.trigger}/{match.preset}"
    return Wake(
        automation=match.automation,
        trigger=trigger,
        session=match.session,
        at=match.at,
        event=match.event,
        count=match.count,
    )


def _of_decision(decision: Decision) -> Wake:
    return Wake(
        automation=decision.automation,
        trigger=decision.trigger,
        session=decision.session,
        at=decision.at,
        event=decision.event,
        count=decision.count,
        decision=decision.kind.value,
        reason=None if decision.reason is None else decision.reason.value,
    )
