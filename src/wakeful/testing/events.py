"""Inputs as a host would say them, for tests: each with the state that goes with it."""

from collections.abc import Mapping
from typing import Any

from wakeful.logs.sessions import Sessions, tool_call
from wakeful.model.events import EventKind, Input
from wakeful.model.time import Duration, Instant, parse_duration


class SessionScript:
    """What one session does, told step by step; keeps its turn, its calls and its queue.

    Every step gives the inputs that a host would feed for it.

    >>> script = SessionScript("s1", at=0)
    >>> [one.at for one in script.start()]
    [0]
    >>> failed = script.after("5s").fail("bash", {"command": "make"})
    >>> [(one.kind, one.at, one.turn_tool_calls) for one in failed]
    [('toolFailed', 5000, 1)]
    >>> [one.kind for one in script.after("1m").end()]
    ['turnCompleted', 'idle']

    Args:
        session: Its name.
        at: When the first step happens.
        provider: Its agent.
        folder: Its working directory.

    Attributes:
        at: When the next step happens.
    """

    def __init__(
        self,
        session: str,
        *,
        at: Instant = 0,
        provider: str | None = None,
        folder: str | None = None,
    ) -> None:
        self.at = at
        self._sessions = Sessions(provider)
        self._session = self._sessions.get(session)
        self._sessions.works_in(self._session, folder)

    def after(self, length: Duration | str) -> "SessionScript":
        """Let time pass: milliseconds, or text such as ``5m``."""
        self.at += parse_duration(length) if isinstance(length, str) else length
        return self

    def called(self, title: str) -> "SessionScript":
        """Give the session a title, which is told from now on."""
        self._session.title = title
        return self

    def start(self) -> list[Input]:
        """A turn starts."""
        self._sessions.start(self._session, self.at)
        return self._sessions.take()

    def act(self) -> list[Input]:
        """It says something."""
        self._sessions.act(self._session, self.at)
        return self._sessions.take()

    def call(self, tool: str, given: Mapping[str, Any] | None = None) -> list[Input]:
        """A tool call finishes well."""
        return self._finish(tool, given, failed=False)

    def fail(self, tool: str, given: Mapping[str, Any] | None = None) -> list[Input]:
        """A tool call fails."""
        return self._finish(tool, given, failed=True)

    def queue(self) -> list[Input]:
        """A message begins to wait."""
        self._sessions.queue(self._session, self.at, self._session.queued + 1)
        return self._sessions.take()

    def end(self, kind: EventKind = "turnCompleted") -> list[Input]:
        """The turn ends; ``idle`` follows where nothing waits."""
        self._sessions.end(self._session, self.at, kind)
        return self._sessions.take()

    def close(self) -> list[Input]:
        """The session is over."""
        self._sessions.close(self._session, self.at)
        return self._sessions.take()

    def _finish(self, tool: str, given: Mapping[str, Any] | None, *, failed: bool) -> list[Input]:
        self._sessions.finish_call(
            self._session, self.at, "", failed=failed, tool=tool_call(tool, dict(given or {}))
        )
        return self._sessions.take()
