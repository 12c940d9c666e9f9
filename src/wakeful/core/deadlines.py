"""What is due next.

Theory
------
One ordered structure of entries ``(due, sequence, order, touched, nth, what)``, which is the
order of semantics 1.6 among waits and silences: by deadline; there by the input that armed
them, what one input armed in definition order. An added rule arms the silences of many
sessions at once: those follow each other by the input that last touched their session.
``nth`` numbers the entries, so that comparing never comes to what they are of.

Waits of one duration fall due in the order they were armed, so they queue in a *lane* per
duration, first in first out, and only the head of a lane stands in the ordered structure.
Arming is appending; breaking a wait is dropping it from its session, and the lane passes
over it when its turn comes. Lanes are compacted when what was dropped outweighs what lives.

``next`` may be early, where the head of a lane was broken or a silence postponed; never late.
"""

from collections import deque
from typing import Final, TypeAlias

from sortedcontainers import SortedList

from wakeful.core.index import FAR
from wakeful.core.sessions import Session, Wait
from wakeful.model.time import Duration, Instant

Entry: TypeAlias = "tuple[Instant, int, tuple[int, ...], int, int, Lane | Wait | Session]"

_COMPACT_AT: Final = 256
"""How many dropped waits are left lying before compacting is thought of."""


class Lane:
    """The waits of one duration, in the order they were armed, dropped ones among them."""

    __slots__ = ("duration", "head", "waits")

    def __init__(self, duration: Duration) -> None:
        self.duration = duration
        self.waits: deque[Wait] = deque()
        self.head: Entry | None = None
        """The entry that stands for the first wait in the ordered structure."""


class Deadlines:
    """Every deadline of a matcher, in order."""

    def __init__(self) -> None:
        self.next: Instant = FAR
        self._queue: SortedList[Entry] = SortedList()
        self._lanes: dict[Duration, Lane] = {}
        self._dropped = 0
        self._queued = 0
        self._entries = 0

    def __len__(self) -> int:
        """How many waits lie in lanes, dropped ones among them."""
        return self._queued

    def arm(self, wait: Wait) -> None:
        """Arm a wait at the engine's instant. O(1), O(log lanes) where its lane was empty."""
        duration = wait.rule.for_
        lane = self._lanes.get(duration)
        if lane is None:
            lane = self._lanes[duration] = Lane(duration)
            self._stand(lane, wait)
        lane.waits.append(wait)
        self._queued += 1

    def insert(self, wait: Wait) -> None:
        """Arm a wait that was armed elsewhere, out of turn. O(log n)."""
        self._add(wait.due, wait.seq, wait.rule.order, wait.seq, wait)

    def dropped(self, count: int = 1) -> None:
        """Say that waits in lanes were dropped before they were due. O(1) amortised."""
        self._dropped += count
        if self._dropped > _COMPACT_AT and self._dropped * 2 > self._queued:
            self.compact()

    def compact(self) -> None:
        """Let go of what was dropped. O(waits)."""
        for duration, lane in list(self._lanes.items()):
            lane.waits = deque(wait for wait in lane.waits if is_live(wait))
            self._unstand(lane)
            if lane.waits:
                self._stand(lane, lane.waits[0])
            else:
                del self._lanes[duration]
        self._queued = sum(len(lane.waits) for lane in self._lanes.values())
        self._dropped = 0
        self._tell_next()

    def add(self, due: Instant, seq: int, order: tuple[int, ...], session: Session) -> Entry:
        """Put in a session's silence; gives the entry, to take it out by. O(log n)."""
        return self._add(due, seq, order, session.touched_seq, session)

    def discard(self, entry: Entry) -> None:
        """Take out the entry of a silence. O(log n)."""
        self._queue.discard(entry)
        self._tell_next()

    def pop(self, until: Instant) -> tuple[Entry, Wait | Session] | None:
        """Take out the first entry that is due by ``until``, if one is. O(log n)."""
        queue = self._queue
        while queue:
            entry = queue[0]
            if entry[0] > until:
                break
            del queue[0]
            what = entry[-1]
            if isinstance(what, Lane):
                wait = what.waits.popleft()
                self._queued -= 1
                what.head = None
                self._advance(what)
                if not is_live(wait):
                    self._dropped = max(0, self._dropped - 1)
                    continue
                what_is_due: Wait | Session = wait
            else:
                what_is_due = what
            self._tell_next()
            return entry, what_is_due
        self._tell_next()
        return None

    def _advance(self, lane: Lane) -> None:
        """Put the lane's next live wait into the ordered structure."""
        waits = lane.waits
        while waits:
            if is_live(waits[0]):
                self._stand(lane, waits[0])
                return
            waits.popleft()
            self._queued -= 1
            self._dropped = max(0, self._dropped - 1)
        self._lanes.pop(lane.duration, None)

    def _stand(self, lane: Lane, wait: Wait) -> None:
        lane.head = self._add(wait.due, wait.seq, wait.rule.order, wait.seq, lane)

    def _add(
        self,
        due: Instant,
        seq: int,
        order: tuple[int, ...],
        touched: int,
        what: Lane | Wait | Session,
    ) -> Entry:
        self._entries += 1
        entry: Entry = (due, seq, order, touched, self._entries, what)
        self._queue.add(entry)
        self.next = min(self.next, due)
        return entry

    def _unstand(self, lane: Lane) -> None:
        if lane.head is not None:
            self._queue.discard(lane.head)
            lane.head = None

    def _tell_next(self) -> None:
        self.next = self._queue[0][0] if self._queue else FAR


def is_live(wait: Wait) -> bool:
    """Whether the session still holds this very wait; it may be broken all the same."""
    waits = wait.session.waits
    return waits is not None and waits.get(wait.rule) is wait
