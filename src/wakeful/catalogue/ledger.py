"""The ledger of runs: each one's state, and which are kept.

Invariants: a run is in ``runs`` as long as it is kept; those of one automation stand in the
order they were made, the oldest first. A run that is over is forgotten when as many that
ended after it are kept as the limit says, or when its automation is removed; its request
ids go with it. A lifecycle that ended never changes again.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from wakeful.catalogue import names
from wakeful.catalogue.lifecycles import OVER, ErrorInfo, Lifecycle, Pending, Running
from wakeful.catalogue.origins import RunOrigin
from wakeful.catalogue.states import RunState, RunSummary
from wakeful.catalogue.turns import TurnOutcome
from wakeful.model.time import Instant, format_instant


@attrs.frozen(kw_only=True)
class Ending:
    """How the last turn of a run's default chats ended."""

    outcome: TurnOutcome
    error: ErrorInfo | None = None
    usage: Mapping[str, Any] | None = None


@attrs.define(eq=False, kw_only=True)
class Run:
    """One run.

    Attributes:
        sessions: In the order they were linked.
        dropped: How many events ``skip`` dropped while it was going.
        not_its_own: Sessions in which somebody's own turn ran as they were linked: that
            turn's end is not the run's.
        ending: How a turn of its own ended, while another session still works.
        requests: The presses that it answers.
    """

    resource: str
    automation: str
    origin: RunOrigin
    lifecycle: Lifecycle
    sessions: list[str] = attrs.field(factory=list)
    primary_session: str | None = None
    dropped: int = 0
    not_its_own: set[str] = attrs.field(factory=set)
    ending: Ending | None = None
    requests: list[str] = attrs.field(factory=list)

    @property
    def is_over(self) -> bool:
        """Whether it ended."""
        return isinstance(self.lifecycle, OVER)

    @property
    def started_at(self) -> str | None:
        """When its session was asked for; ``None`` where that never was."""
        return None if isinstance(self.lifecycle, Pending) else self.lifecycle.started_at

    @property
    def meta(self) -> dict[str, Any] | None:
        """The notes on it."""
        return {names.DROPPED_NOTE: self.dropped} if self.dropped else None

    def state(self) -> RunState:
        """As its own channel shows it."""
        return RunState(
            resource=self.resource,
            automation=self.automation,
            origin=self.origin,
            lifecycle=self.lifecycle,
            sessions=tuple(self.sessions),
            primary_session=self.primary_session,
            meta=self.meta,
        )

    def summary(self) -> RunSummary:
        """As its automation's entry shows it."""
        return RunSummary(
            resource=self.resource,
            automation=self.automation,
            origin=self.origin,
            lifecycle=self.lifecycle,
            session_count=len(self.sessions),
            primary_session=self.primary_session,
            meta=self.meta,
        )


class Ledger:
    """Every run that is kept.

    Args:
        limit: How many runs that are over are kept of an automation.
    """

    def __init__(self, *, limit: int) -> None:
        self.limit = limit
        self.runs: dict[str, Run] = {}
        self.requests: dict[str, str] = {}
        self._of: dict[str, dict[str, Run]] = {}
        self._going: dict[str, tuple[Run, ...]] = {}
        self._requests_of: dict[str, Mapping[str, str]] = {}
        self._over: dict[str, deque[Run]] = {}
        self._in_session: dict[str, dict[str, Run]] = {}

    def record(self, resource: str, automation: str, origin: RunOrigin, at: Instant) -> Run:
        """A new run, pending."""
        run = Run(
            resource=resource,
            automation=automation,
            origin=origin,
            lifecycle=Pending(created_at=format_instant(at)),
        )
        self.runs[resource] = run
        self._of.setdefault(automation, {})[resource] = run
        self._going[automation] = (*self._going.get(automation, ()), run)
        return run

    def find(self, resource: str) -> Run | None:
        """The run of that URI, if it is kept."""
        return self.runs.get(resource)

    def answering(self, request: str) -> Run | None:
        """The run that a request id stands for."""
        run = self.requests.get(request)
        return None if run is None else self.runs[run]

    def newest(self, automation: str) -> Iterator[Run]:
        """An automation's runs, the newest first."""
        return reversed(self._of.get(automation, {}).values())

    def count(self, automation: str) -> int:
        """How many runs of an automation are kept. O(1)."""
        return len(self._of.get(automation, ()))

    def going(self, automation: str) -> tuple[Run, ...]:
        """An automation's runs that are not over, the oldest first. O(1)."""
        return self._going.get(automation, ())

    def requests_of(self, automation: str) -> Mapping[str, str]:
        """The request ids that an automation's runs answer, with the runs. O(1)."""
        return self._requests_of.get(automation, {})

    def all_going(self) -> list[Run]:
        """Every run that is not over."""
        return [run for runs in self._going.values() for run in runs]

    def in_session(self, session: str) -> list[Run]:
        """The runs that a session belongs to."""
        return list(self._in_session.get(session, {}).values())

    def begin(self, run: Run, at: Instant) -> None:
        """A pending run's session is asked for."""
        run.lifecycle = Running(created_at=run.lifecycle.created_at, started_at=format_instant(at))

    def link(self, run: Run, session: str) -> bool:
        """A session belongs to a run; whether it did not before."""
        if session in run.sessions:
            return False
        run.sessions.append(session)
        self._in_session.setdefault(session, {})[run.resource] = run
        return True

    def unlink(self, run: Run, session: str) -> None:
        """A session of a run is no more."""
        run.sessions.remove(session)
        run.not_its_own.discard(session)
        self._leave(run, session)

    def answer(self, run: Run, request: str) -> None:
        """A request id stands for a run, as long as that is kept."""
        run.requests.append(request)
        self.requests[request] = run.resource
        known = self._requests_of.get(run.automation, {})
        self._requests_of[run.automation] = {**known, request: run.resource}

    def end(self, run: Run, lifecycle: Lifecycle) -> None:
        """A run is over; the one that ended first may be forgotten for it."""
        run.lifecycle = lifecycle
        going = tuple(each for each in self._going[run.automation] if each is not run)
        if going:
            self._going[run.automation] = going
        else:
            del self._going[run.automation]
        over = self._over.setdefault(run.automation, deque())
        over.append(run)
        while len(over) > self.limit:
            self._forget(over.popleft())

    def forget_over(self, automation: str) -> None:
        """An automation is removed: its runs that are over are forgotten."""
        for run in self._over.pop(automation, ()):
            self._forget(run)

    def _forget(self, run: Run) -> None:
        del self.runs[run.resource]
        kept = self._of[run.automation]
        del kept[run.resource]
        if not kept:
            del self._of[run.automation]
        if run.requests:
            for request in run.requests:
                del self.requests[request]
            known = self._requests_of.pop(run.automation)
            rest = {each: of for each, of in known.items() if of != run.resource}
            if rest:
                self._requests_of[run.automation] = rest
        for session in run.sessions:
            self._leave(run, session)

    def _leave(self, run: Run, session: str) -> None:
        runs = self._in_session[session]
        del runs[run.resource]
        if not runs:
            del self._in_session[session]
