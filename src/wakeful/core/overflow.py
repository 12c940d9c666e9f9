"""What was let go at bounds: counted for ever, whatever was forgotten with it."""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from wakeful.core.plain import whole


@attrs.define(kw_only=True)
class Overflow:
    """How much was let go at the bounds of :class:`~wakeful.core.settings.Settings`.

    Attributes:
        sessions: Sessions forgotten: too many, or silent for too long.
        counts: Pairs of rule and session whose hits were forgotten.
        waits: Follow-ups that are waited for no more.
        runs: Runs that nobody settled, given up as failed.
    """

    sessions: int = 0
    counts: int = 0
    waits: int = 0
    runs: int = 0

    @property
    def is_any(self) -> bool:
        """Whether anything was let go."""
        return bool(self.sessions or self.counts or self.waits or self.runs)

    def met(self) -> Iterator[str]:
        """The bounds at which something was let go, by their settings' names."""
        if self.sessions:
            yield "sessions_kept"
        if self.counts:
            yield "counts_kept"
        if self.waits:
            yield "waits_kept"
        if self.runs:
            yield "runs_going"

    def state(self) -> list[int]:
        """The counts as plain data."""
        return [self.sessions, self.counts, self.waits, self.runs]

    def take(self, saved: Sequence[Any]) -> None:
        """Go on from what :meth:`state` wrote."""
        self.sessions, self.counts, self.waits, self.runs = map(whole, saved)
