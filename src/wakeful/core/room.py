"""Room for sessions: a bound on how many are known, and on how long one may say nothing.

A host that never says that a session ended would fill any memory. Looking for sessions to
forget happens as one is opened, when their number is at the bound or at a multiple of
:data:`LOOK_EVERY`; so it costs an event nothing, and depends on nothing but the inputs, which
is what lets a restored engine forget the same sessions at the same input.

Only an idle session is forgotten: no turn runs there, and nothing is waited for.
"""

from collections.abc import Callable
from typing import Final

from wakeful.core.machine import Then
from wakeful.core.sessions import Session, Wait
from wakeful.core.settings import Settings
from wakeful.model.time import Instant

LOOK_EVERY: Final = 1_024
"""At how many sessions, and each multiple of it, one is looked for that said nothing for long."""

_SHARE: Final = 16
"""At the bound a sixteenth goes at once, so that looking is rare."""


class Room:
    """Forgets sessions where there are too many, or where they said nothing for too long.

    Args:
        settings: The most sessions, and the longest silence.
        sessions: The sessions that are known.
        forget: Forgets one.

    Attributes:
        forgotten: How many were forgotten so far.
    """

    __slots__ = ("_forget", "_most", "_sessions", "_silence", "forgotten")

    def __init__(
        self, settings: Settings, sessions: dict[str, Session], forget: Callable[[str], object]
    ) -> None:
        self._most = settings.sessions_kept
        self._silence = settings.session_silence
        self._sessions = sessions
        self._forget = forget
        self.forgotten = 0

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

    def _drop(self, session: Session) -> None:
        self._forget(session.name)
        self.forgotten += 1


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
