"""Which turns run, by session and chat; a run is about its sessions' default chats."""

from typing import Literal, TypeAlias

TurnOutcome: TypeAlias = Literal["completed", "failed", "cancelled"]
"""How a turn ended."""


class Turns:
    """The turns that the host told of.

    A session in which nothing runs costs nothing, unless its default chat is known: that is
    kept until the session is removed.
    """

    def __init__(self) -> None:
        self._running: dict[str, set[str]] = {}
        self._default: dict[str, str] = {}

    def default_is(self, session: str, chat: str) -> None:
        """A session's default chat."""
        self._default[session] = chat

    def is_default(self, session: str, chat: str) -> bool:
        """Whether that is the session's default chat."""
        return self._default.get(session) == chat

    def start(self, session: str, chat: str) -> None:
        """A turn began."""
        self._running.setdefault(session, set()).add(chat)

    def end(self, session: str, chat: str) -> None:
        """A turn is over."""
        running = self._running.get(session)
        if running is not None:
            running.discard(chat)
            if not running:
                del self._running[session]

    def forget(self, session: str) -> None:
        """A session is no more."""
        self._running.pop(session, None)
        self._default.pop(session, None)

    def works(self, session: str) -> bool:
        """Whether a turn runs in the session's default chat."""
        return self._default.get(session) in self._running.get(session, ())

    def runs(self, session: str) -> bool:
        """Whether a turn runs in any chat of the session."""
        return session in self._running
