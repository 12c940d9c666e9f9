"""What of a rule an event failed, part by part.

A rule's filter and ``when`` are taken apart into rules of one part each, and every part is
asked by the functions that the index and the matcher ask the whole by. So what is told here
cannot differ from what the engine did.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs

from wakeful.core.compile import ANY_TURN, Checks, Rule
from wakeful.core.index import holds
from wakeful.core.matcher import when_holds
from wakeful.core.sight import Sight
from wakeful.model._records import record
from wakeful.model.events import Facts, SessionEvent
from wakeful.model.rules import Filter, When
from wakeful.model.time import Instant

SIGHT: Final = "owner"
"""The path of a clause that says: the automation's owner does not see the session."""


@record(kw_only=True)
class Clause:
    """A part of a rule that did not hold.

    Attributes:
        path: The part, as the rule's author wrote it: ``when.running``, ``filter.owners``.
        wanted: What the rule asks for.
        had: What there was. Lengths of time are in milliseconds.
    """

    path: str
    wanted: Any
    had: Any


@record
class State:
    """What an event tells of a session beside what happened."""

    running: bool | None = None
    queued: int | None = None
    calls: int | None = None


_FILTER: Final[dict[str, Callable[[Facts, str], Any]]] = {
    "sessions": lambda _, session: session,
    "providers": lambda facts, _: facts.provider,
    "owners": lambda facts, _: facts.owner,
    "projects": lambda facts, _: facts.project,
    "folders": lambda facts, _: facts.folders,
    "automated": lambda facts, _: facts.automated,
}
"""What each key of a filter is held against."""


@attrs.frozen
class _WhenPart:
    """One part of a ``when``: its path, what it wants, and the check of it alone."""

    path: str
    wanted: Any
    check: Checks


class Asking:
    """Asks the parts of one rule about events.

    Args:
        rule: The rule, as the engine runs it.
    """

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._filters = tuple(_filter_parts(rule.spec.filter))
        self._whens = tuple(_when_parts(rule.spec.when))

    def of_event(
        self, event: SessionEvent, turn_at: Instant | None, at: Instant, sight: Sight
    ) -> tuple[Clause, ...]:
        """The parts that an event fails as it arrives; none where it is counted.

        Args:
            event: An event of a kind that the rule selects.
            turn_at: When the turn started that runs, or that the event ends.
            at: The instant at which the event was taken.
            sight: Who sees which session.
        """
        found = list(self.of_session(event.session, event.facts, sight))
        for part in self._whens:
            if not when_holds(part.check, event, turn_at, at):
                had = _had(part.path, State(event.running, event.queued, event.turn_tool_calls))
                if part.path == "when.turnLongerThan":
                    had = None if turn_at is None else at - turn_at
                found.append(Clause(path=part.path, wanted=part.wanted, had=had))
        return tuple(found)

    def of_session(self, session: str, facts: Facts, sight: Sight) -> Iterator[Clause]:
        """The parts that a session fails, whatever happens in it."""
        for name, wanted, alone in self._filters:
            if not holds(alone, facts, session):
                yield Clause(
                    path=f"filter.{name}", wanted=wanted, had=_FILTER[name](facts, session)
                )
        owner = self._rule.owner  # it may change while the rule stays the same
        if not sight.sees(owner, session, facts):
            yield Clause(path=SIGHT, wanted="may read the session", had=owner)

    def of_state(self, state: State) -> tuple[Clause, ...]:
        """The parts beside its length that a silence fails, by the state last told (6.3)."""
        # A state is asked as the event that told it would be.
        told = SessionEvent(
            "idle",
            "",
            0,
            running=state.running,
            queued=state.queued,
            turn_tool_calls=state.calls,
        )
        return tuple(
            Clause(path=part.path, wanted=part.wanted, had=_had(part.path, state))
            for part in self._whens
            if part.path != "when.turnLongerThan" and not when_holds(part.check, told, None, 0)
        )


def _had(path: str, state: State) -> Any:
    return {
        "when.running": state.running,
        "when.queuedAtLeast": state.queued,
        "when.toolCallsAtLeast": state.calls,
    }.get(path)


def _filter_parts(by: Filter | None) -> Iterator[tuple[str, Any, Filter]]:
    if by is None:
        return
    for name in _FILTER:
        wanted = getattr(by, name)
        if wanted is not None:
            yield name, wanted, Filter(**{name: wanted})


def _when_parts(when: When | None) -> Iterator[_WhenPart]:
    if when is None:
        return
    if when.running is not None:
        yield _WhenPart("when.running", when.running, (when.running, 0, 0, ANY_TURN))
    if when.queued_at_least is not None:
        least = when.queued_at_least
        yield _WhenPart("when.queuedAtLeast", least, (None, least, 0, ANY_TURN))
    if when.tool_calls_at_least is not None:
        least = when.tool_calls_at_least
        yield _WhenPart("when.toolCallsAtLeast", least, (None, 0, least, ANY_TURN))
    if when.turn_longer_than is not None:
        longer = when.turn_longer_than
        yield _WhenPart("when.turnLongerThan", longer, (None, 0, 0, longer))
