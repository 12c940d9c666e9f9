"""What stands before a decision: the run that is going, the wake that waits, the cap's hour."""

from collections import deque
from typing import Final

from wakeful.core.settings import Settings
from wakeful.model._records import record
from wakeful.model.events import Input, RunLinked, RunStarted
from wakeful.model.outputs import Decision, DecisionKind, Reason
from wakeful.model.time import Instant

_STARTS: Final = (DecisionKind.START, DecisionKind.RELEASE)


@record(kw_only=True)
class Standing:
    """What stood before a decision.

    Attributes:
        run: The run that was going, or that the session belongs to.
        run_at: When it began.
        waiting_since: Since when a wake waited that this one folded into, or that was released.
        charged: How many wakes the cap had counted in its window.
        charged_since: The oldest of them.
    """

    run: str | None = None
    run_at: Instant | None = None
    waiting_since: Instant | None = None
    charged: int | None = None
    charged_since: Instant | None = None


NOTHING: Final = Standing()


class Desk:
    """Follows the decisions of one automation, to say what stood before each."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._charged: deque[Instant] = deque()
        self._begun: tuple[str, Instant] | None = None
        self._waiting_since: Instant | None = None
        self._owners: dict[str, tuple[str, Instant]] = {}

    def input(self, given: Input, at: Instant) -> None:
        """Follow an input that tells of a run."""
        if isinstance(given, RunStarted):
            self._begun = (given.run, at)
        if isinstance(given, RunStarted | RunLinked) and given.session is not None:
            self._owners[given.session] = (given.run, at)

    def decision(self, decision: Decision) -> Standing:
        """What stood before a decision; it is followed too."""
        free_until = decision.at - self._settings.cap_window
        while self._charged and self._charged[0] <= free_until:
            self._charged.popleft()
        standing = self._before(decision)
        self._follow(decision)
        return standing

    def _before(self, decision: Decision) -> Standing:
        waiting = self._waiting_since
        match decision.reason:
            case Reason.RATE_LIMITED:
                since = self._charged[0] if self._charged else None
                return Standing(charged=len(self._charged), charged_since=since)
            case Reason.OWN_RUN:
                run, at = self._owners.get(decision.session or "", (None, None))
                return Standing(run=run, run_at=at)
            case Reason.DISABLED:
                return Standing(waiting_since=waiting)
            case _:
                pass
        match decision.kind:
            case DecisionKind.HOLD | DecisionKind.FOLD | DecisionKind.STEER | DecisionKind.DROP:
                run, at = self._begun or (decision.run, None)
                folds = decision.kind is DecisionKind.FOLD
                return Standing(run=run, run_at=at, waiting_since=waiting if folds else None)
            case DecisionKind.RELEASE:
                return Standing(waiting_since=waiting)
            case _:
                return NOTHING

    def _follow(self, decision: Decision) -> None:
        by_event = decision.scheduled_for is None and decision.request_id is None
        undelivered = decision.reason is Reason.NOT_DELIVERED
        charges = (DecisionKind.START, DecisionKind.HOLD, DecisionKind.STEER)
        if by_event and not undelivered and decision.kind in charges:
            self._charged.append(decision.at)
        if decision.kind in _STARTS and decision.run is not None:
            self._begun = (decision.run, decision.at)
        if decision.kind is DecisionKind.HOLD:
            self._waiting_since = decision.at
        elif decision.kind is DecisionKind.RELEASE or decision.reason is Reason.DISABLED:
            self._waiting_since = None
