"""From what failed to the remedies that are worth trying, the plainest first."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from wakeful.core.compile import Rule
from wakeful.core.machine import Then
from wakeful.explain.remedies import Remedy
from wakeful.explain.steps import Taken
from wakeful.model.events import EVENT_KINDS, Facts, SessionEvent
from wakeful.model.rules import AbsentFor, EventWithin, Filter, FollowUp, IdleFor, SessionRule, When
from wakeful.model.time import Duration, Instant

_MANY: Final = 3
"""To leave out more inputs than that is less plain than to change a number."""

_WHEN: Final = {
    "when.running": "running",
    "when.queuedAtLeast": "queued_at_least",
    "when.toolCallsAtLeast": "tool_calls_at_least",
    "when.turnLongerThan": "turn_longer_than",
}
_TOLD: Final = {
    "when.running": "running",
    "when.queuedAtLeast": "queued",
    "when.toolCallsAtLeast": "turn_tool_calls",
}
_FACTS: Final = {
    "filter.providers": "provider",
    "filter.owners": "owner",
    "filter.projects": "project",
    "filter.folders": "folders",
    "filter.automated": "automated",
}


class Mender:
    """Knows what would mend the misses of one rule."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._spec = rule.spec

    def remedies(  # noqa: PLR0913 - the parts of a miss, each named
        self,
        path: str,
        wanted: Any,
        had: Any,
        by: Sequence[Taken],
        *,
        events: Sequence[Taken],
        due: Instant | None,
    ) -> Iterator[Remedy]:
        """What to try where one part failed.

        Args:
            path: The part.
            wanted: What the rule asks for.
            had: What there was.
            by: The inputs it failed by.
            events: The events of the miss.
            due: The deadline of its wait.
        """
        last = events[-1]
        if path == "count.n":
            yield self._more(last, wanted - had, wanted)
        elif path == "count.within":
            assert self._spec.count is not None  # noqa: S101 - the part is there
            count = attrs.evolve(self._spec.count, within=had)
            yield self._ruled(f"with {path} {had} ms", attrs.evolve(self._spec, count=count), last)
        elif path == "count.consecutive":
            yield self._left_out(by, last)
        elif path in {"then.within", "then.event", "then.for"}:
            assert due is not None  # noqa: S101 - there was a wait
            yield from self._followed(path, had, by, last, due)
        elif path in _TOLD or path in _FACTS:
            yield from self._changed(path, wanted, by, last)
        elif path == "filter.sessions" and self._spec.filter is not None:
            sessions = frozenset({*wanted, *(_session(each) for each in by)})
            filter_ = attrs.evolve(self._spec.filter, sessions=sessions)
            changed = attrs.evolve(self._spec, filter=filter_)
            yield self._ruled("with the session listed in filter.sessions", changed, last)
        elif path == "when.turnLongerThan":
            told = f"without {path}" if had is None else f"with {path} {had} ms"
            yield self._ruled(told, self._with_when(path, had), last)

    def of_silence(
        self, paths: Sequence[str], *, quiet: Duration, expected_at: Instant
    ) -> Iterator[Remedy]:
        """What to try where a silence was too short, or the rest of ``when`` did not hold."""
        for path in paths:
            is_length = path == "when.turnLongerThan"
            told = f"with {path} {quiet} ms" if is_length else f"without {path}"
            yield Remedy(
                told=told,
                since=expected_at,
                rule=self._with_when(path, quiet if is_length else None),
                expected_at=expected_at,
                until=expected_at,
            )

    def _more(self, last: Taken, missing: int, wanted: int) -> Remedy:
        copies = ((last.number, last.restamped),) * missing
        told = f"with {missing} more of the {wanted}, right after the last"
        return self._placed(Remedy(told=told, since=last.at, after=copies), last)

    def _left_out(self, by: Sequence[Taken], last: Taken) -> Remedy:
        told = "without the event between" if len(by) == 1 else f"without the {len(by)} between"
        numbers = frozenset(each.number for each in by)
        return self._placed(Remedy(told=told, since=last.at, without=numbers), last)

    def _ruled(self, told: str, rule: SessionRule, last: Taken) -> Remedy:
        return self._placed(Remedy(told=told, since=last.at, rule=rule), last)

    def _placed(self, remedy: Remedy, last: Taken) -> Remedy:
        """A remedy of the count, with when the rule then matches."""
        match self._rule.then:
            case None:
                return attrs.evolve(remedy, expected_at=last.at)
            case Then.EVENT:
                return remedy
            case _:
                until = last.at + self._rule.for_
                return attrs.evolve(remedy, expected_at=until, until=until)

    def _followed(
        self, path: str, had: Duration | None, by: Sequence[Taken], armed: Taken, due: Instant
    ) -> Iterator[Remedy]:
        armed_at = due - self._rule.for_
        if path == "then.within" and had is None:
            kind = next(each for each in EVENT_KINDS if each == self._rule.awaited)
            came = SessionEvent(kind, _session(armed), armed_at, _facts(armed))
            yield Remedy(
                told=f"with {kind} after it",
                since=armed_at,
                after=((armed.number, came),),
                expected_at=armed_at,
            )
            return
        assert had is not None  # noqa: S101 - something ended the wait
        changed = Remedy(
            told=f"with {'then.within' if path == 'then.within' else 'then.for'} {had} ms",
            since=armed_at,
            rule=attrs.evolve(self._spec, then=_lasting(self._spec.then, had)),
            expected_at=armed_at + had,
        )
        if path == "then.within":
            yield changed
            return
        names = "it" if len(by) == 1 else f"the {len(by)}"
        left_out = Remedy(
            told=f"without {names} that broke the wait",
            since=armed_at,
            without=frozenset(each.number for each in by),
            until=due,
            expected_at=due,
        )
        yield from (left_out, changed) if len(by) <= _MANY else (changed, left_out)

    def _changed(
        self, path: str, wanted: Any, by: Sequence[Taken], last: Taken
    ) -> Iterator[Remedy]:
        """The events as the part asks for them."""
        if path in _FACTS and not isinstance(wanted, bool) and not wanted:
            # An empty list matches nothing: no event could be as it asks for.
            assert self._spec.filter is not None  # noqa: S101 - the part is there
            key = path.removeprefix("filter.")
            filter_: Filter = attrs.evolve(self._spec.filter, **{key: None})
            yield self._ruled(f"without {path}", attrs.evolve(self._spec, filter=filter_), last)
            return
        instead = {each.number: _as_asked(each, path, wanted) for each in by}
        which = "the event" if len(by) == 1 else f"the {len(by)} events"
        yield self._placed(
            Remedy(told=f"with {which} as {path} asks", since=last.at, instead=instead), last
        )

    def _with_when(self, path: str, value: Any) -> SessionRule:
        assert self._spec.when is not None  # noqa: S101 - the part is there
        when: When = attrs.evolve(self._spec.when, **{_WHEN[path]: value})
        return attrs.evolve(self._spec, when=when)


def _as_asked(taken: Taken, path: str, wanted: Any) -> SessionEvent:
    event = taken.restamped
    assert isinstance(event, SessionEvent)  # noqa: S101 - only events are asked
    if path in _TOLD:
        told: SessionEvent = attrs.evolve(event, **{_TOLD[path]: wanted})
        return told
    value: Any = wanted if isinstance(wanted, bool) else min(wanted)
    changed: dict[str, Any] = {_FACTS[path]: (value,) if path == "filter.folders" else value}
    facts: Facts = attrs.evolve(event.facts, **changed)
    return attrs.evolve(event, facts=facts)


def _lasting(then: FollowUp | None, length: Duration) -> FollowUp | None:
    match then:
        case EventWithin():
            return attrs.evolve(then, within=length)
        case AbsentFor() | IdleFor():
            return attrs.evolve(then, for_=length)
        case None:
            return None


def _session(taken: Taken) -> str:
    given = taken.input
    assert isinstance(given, SessionEvent)  # noqa: S101 - only events are counted
    return given.session


def _facts(taken: Taken) -> Facts:
    given = taken.input
    assert isinstance(given, SessionEvent)  # noqa: S101 - only events are counted
    return given.facts
