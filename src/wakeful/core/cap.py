"""The cap: how many wakes by events an automation may have in a sliding window (semantics 9.6)."""

from collections import deque

from wakeful.model.time import Duration, Instant


class Cap:
    """Counts wakes in a half-open window: one that is exactly ``window`` old is free.

    ``instants`` never holds more than ``limit``, oldest first.
    """

    __slots__ = ("instants", "limit", "window")

    def __init__(self, limit: int, window: Duration) -> None:
        self.limit = limit
        self.window = window
        self.instants: deque[Instant] = deque()

    def state(self, now: Instant) -> list[Instant]:
        """The instants that still count at ``now``."""
        free_until = now - self.window
        return [instant for instant in self.instants if instant > free_until]

    def take_over(self, saved: list[Instant]) -> None:
        """Go on from what :meth:`state` told, perhaps of a higher limit: the newest count."""
        self.instants.extend(deque(saved, maxlen=self.limit))

    def take(self, at: Instant) -> bool:
        """Charge a wake at ``at``, which is not before any charged one; amortised O(1).

        Returns:
            Whether there was room; where there was none nothing is charged.
        """
        instants = self.instants
        free_until = at - self.window
        while instants and instants[0] <= free_until:
            instants.popleft()
        if len(instants) >= self.limit:
            return False
        instants.append(at)
        return True
