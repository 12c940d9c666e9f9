"""Room for sessions and what rules have in them: bounds, and what goes when they are met.

A host that never says that a session ended would fill any memory. Looking for sessions to
forget happens as one is opened, when their number is at the bound or at a multiple of
:data:`LOOK_EVERY`. Hits and waits are counted at every so many inputs, a quarter of the
smaller of their bounds. So none of it costs an event anything, and all of it depends on
nothing but the inputs, which is what lets a restored engine let go of the same at the same
input.

Only an idle session is forgotten: no turn runs there, and nothing is waited for. Of hits
those go whose sessions have been silent for longest; of waits the oldest.
"""

from collections.abc import Callable
from typing import Final

from wakeful.core.machine import Then, live_hits
from wakeful.core.overflow import Overflow
from wakeful.core.sessions import Session, Wait
from wakeful.core.settings import Settings
from wakeful.core.upkeep import Upkeep
from wakeful.model.time import Instant

LOOK_EVERY: Final = 1_024
"""At how many sessions, and each multiple of it, one is looked for that said nothing for long."""

_SHARE: Final = 16
"""At the bound a sixteenth goes at once, so that looking is rare."""

_EVERY_SHARE: Final = 4
"""Hits and waits are counted each time that many inputs were taken, as a share of the bound."""


class Room:
    """Lets go of what is too much.

    Args:
        settings: The bounds.
        sessions: The sessions that are known.
        upkeep: Drops waits.
        forget: Forgets a session.

    Attributes:
        overflow: Counts what went.
        every: At each multiple of so many inputs :meth:`look` is to be called.
    """

    __slots__ = (
        "_counts",
        "_forget",
        "_most",
        "_sessions",
        "_silence",
        "_upkeep",
        "_waits",
        "every",
        "overflow",
    )

    def __init__(
        self,
        settings: Settings,
        sessions: dict[str, Session],
        upkeep: Upkeep,
        forget: Callable[[str], object],
    ) -> None:
        self._most = settings.sessions_kept
        self._silence = settings.session_silence
        self._counts = settings.counts_kept
        self._waits = settings.waits_kept
        self._sessions = sessions
        self._upkeep = upkeep
        self._forget = forget
        self.every = max(1, min(self._counts, self._waits) // _EVERY_SHARE)
        self.overflow = Overflow()

    def make(self, at: Instant) -> None:
        """Before a session is opened at ``at``. O(1), O(sessions log sessions) when it looks."""
        known = len(self._sessions)
        if known < self._most and (known % LOOK_EVERY or not known or self._silence is None):
            return
        idle = [one for one in self._sessions.values() if is_idle(one, at)]
        if self._silence is not None:
            for session in [one for one in idle if at - one.touched_at > self._silence]:
                self._drop(session)
        if len(self._sessions) < self._most:
            return
        idle = [one for one in idle if one.name in self._sessions]
        idle.sort(key=_touched)
        for session in idle[: len(self._sessions) - self._most + 1 + self._most // _SHARE]:
            self._drop(session)

    def look(self, at: Instant) -> None:
        """Let go of hits and waits beyond the bounds. O(sessions), and more where it does.

        What was broken or is stale counts in a first look, which can only find too much; where
        it does, that is dropped before anything that is live.
        """
        sessions = self._sessions.values()
        if sum(len(one.waits) for one in sessions if one.waits) > self._waits:
            self._let_go_of_waits(at)
        if sum(len(one.hits) for one in sessions if one.hits) > self._counts:
            self._let_go_of_counts(at)

    def _let_go_of_waits(self, at: Instant) -> None:
        live: list[Wait] = []
        for session in self._sessions.values():
            for wait in tuple((session.waits or {}).values()):
                if _is_over(wait, at):
                    self._upkeep.drop_wait(session, wait.rule)
                else:
                    live.append(wait)
        if len(live) <= self._waits:
            return
        live.sort(key=_armed)
        for wait in live[: len(live) - self._waits + self._waits // _SHARE]:
            self._upkeep.drop_wait(wait.session, wait.rule)
            self.overflow.waits += 1

    def _let_go_of_counts(self, at: Instant) -> None:
        counting: list[Session] = []
        kept = 0
        for session in self._sessions.values():
            self._upkeep.clean(session)
            held = sum(live_hits(rule, session, at) > 0 for rule in tuple(session.hits or ()))
            if held:
                counting.append(session)
                kept += held
        if kept <= self._counts:
            return
        least = self._counts - self._counts // _SHARE
        for session in sorted(counting, key=_touched):
            held = len(session.hits or ())
            session.hits = None
            self.overflow.counts += held
            kept -= held
            if kept <= least:
                break

    def _drop(self, session: Session) -> None:
        self._forget(session.name)
        self.overflow.sessions += 1


def is_idle(session: Session, at: Instant) -> bool:
    """Whether nothing goes on in a session: no turn, and no wait that could still hold."""
    return session.turn_at is None and all(
        _is_over(wait, at) for wait in (session.waits or {}).values()
    )


def _is_over(wait: Wait, at: Instant) -> bool:
    rule, session = wait.rule, wait.session
    if not rule.alive:
        return True
    if rule.then is Then.EVENT:
        return wait.due < at
    return rule.then is Then.IDLE and wait.mark != session.active + session.stirs


def _touched(session: Session) -> tuple[int, str]:
    return session.touched_seq, session.name


def _armed(wait: Wait) -> tuple[int, tuple[int, ...]]:
    return wait.seq, wait.rule.order
