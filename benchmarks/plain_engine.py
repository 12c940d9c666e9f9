"""The yardstick: an engine written the way one would write it first.

It asks every rule about every event, keeps the state of every pair of rule and session in a
dictionary, and has its timers in a heap. Nothing in it is slow on purpose: a rule whose
filter does not hold costs one comparison. It knows sections 3 to 6 of the semantics for
rules that stay as they are, which is what the benchmarks ask; that it gives the same matches
as the engine is checked before the two are compared.
"""

from collections import deque
from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count as numbers

from wakeful import (
    AbsentFor,
    Activity,
    Automation,
    Count,
    EventWithin,
    Facts,
    Filter,
    IdleFor,
    Input,
    SessionEvent,
    SessionRule,
    TurnStarted,
    When,
)
from wakeful.model.events import ENDINGS

PlainMatch = tuple[int, str, str, str, str, int]
"""Instant, automation, trigger, session, event, count."""


class _Watch:
    """A rule, and what it has in each session."""

    def __init__(self, automation: str, trigger: str, rule: SessionRule, order: int) -> None:
        self.automation, self.trigger, self.rule, self.order = automation, trigger, rule, order
        self.count = rule.count or Count()
        self.silence = rule.silence
        self.hits: dict[str, dict[tuple[str, str] | None, deque[int]]] = {}
        """By session, and there by call: the instants of the hits."""
        self.waits: dict[str, tuple[int, int, str]] = {}
        """By session: a wait's number, its deadline, and the event that satisfied the count."""
        self.silences: dict[str, int] = {}
        """By session: the number of the silence that is being timed."""


class _Session:
    """What is known of a session."""

    def __init__(self) -> None:
        self.facts = Facts()
        self.turn_at: int | None = None
        self.running: bool | None = None
        self.queued: int | None = None
        self.calls: int | None = None


class PlainEngine:
    """Rules in, events in, matches out."""

    def __init__(self, automations: Iterable[Automation]) -> None:
        self._watches: list[_Watch] = []
        for automation in automations:
            for trigger in automation.definition.triggers:
                place = len(self._watches)
                self._watches.append(_Watch(automation.resource, trigger.id, trigger.rule, place))
        self._counting = [watch for watch in self._watches if watch.silence is None]
        self._timed = [watch for watch in self._watches if watch.silence is not None]
        self._quiet = [watch for watch in self._counting if isinstance(watch.rule.then, IdleFor)]
        self._sessions: dict[str, _Session] = {}
        self._timers: list[tuple[int, int, int, int, str]] = []
        self._numbers = numbers()
        self._inputs = 0

    def feed_many(self, items: Iterable[Input]) -> list[PlainMatch]:
        """Take inputs one after another; the matches of all."""
        matches: list[PlainMatch] = []
        for item in items:
            self.advance(item.at, matches)
            self._inputs += 1
            session = self._sessions.setdefault(item.session, _Session())
            if isinstance(item, SessionEvent):
                self._event(item, session, matches)
            elif isinstance(item, TurnStarted):
                session.facts = item.facts
                session.turn_at, session.running, session.calls = item.at, True, 0
                self._stir(item)
                self._time(item, session)
            elif isinstance(item, Activity):
                self._stir(item)
                self._time(item, session)
        return matches

    def advance(self, until: int, matches: list[PlainMatch]) -> None:
        """Do what is due by then."""
        timers = self._timers
        while timers and timers[0][0] <= until:
            due, _armed, order, number, name = heappop(timers)
            watch = self._watches[order]
            wait = watch.waits.get(name)
            if wait is not None and wait[0] == number:
                del watch.waits[name]
                watch.hits.pop(name, None)
                matches.append(_match(watch, due, name, wait[2]))
            elif watch.silences.get(name) == number:
                del watch.silences[name]
                if _holds(watch.rule.when, self._sessions[name], due, silence=True):
                    matches.append(_match(watch, due, name, "turnStarted"))

    def _event(self, event: SessionEvent, session: _Session, matches: list[PlainMatch]) -> None:
        session.facts = event.facts
        session.running, session.queued = event.running, event.queued
        session.calls = event.turn_tool_calls
        for watch in self._counting:
            self._offer(watch, event, session, matches)
        if event.kind in ENDINGS:
            session.turn_at = None
        self._time(event, session)

    def _offer(
        self, watch: _Watch, event: SessionEvent, session: _Session, matches: list[PlainMatch]
    ) -> None:
        rule, name, at = watch.rule, event.session, event.at
        then = rule.then
        wait = watch.waits.get(name)
        if wait is not None:
            if isinstance(then, EventWithin):
                if at > wait[1]:
                    del watch.waits[name]
                elif event.kind == then.event:
                    del watch.waits[name]
                    watch.hits.pop(name, None)
                    matches.append(_match(watch, at, name, wait[2]))
                    return
            elif event.kind == then.event if isinstance(then, AbsentFor) else event.kind != "idle":
                del watch.waits[name]
                watch.hits.pop(name, None)
            else:
                return
        counts = (
            event.kind in rule.events
            and _in(rule.filter, event.facts, name)
            and _holds(rule.when, session, at)
        )
        if not counts:
            if watch.count.consecutive and _breaks(rule, event.kind):
                watch.hits.pop(name, None)
        elif self._count(watch, event):
            if then is None:
                matches.append(_match(watch, at, name, event.kind))
            else:
                self._wait(watch, event)

    def _count(self, watch: _Watch, event: SessionEvent) -> bool:
        count, at = watch.count, event.at
        tool = event.tool
        call = tool and (tool.name, tool.input_hash) if count.same_input else None
        calls = watch.hits.setdefault(event.session, {})
        if count.consecutive and call not in calls:
            calls.clear()
        hits = calls.setdefault(call, deque())
        hits.append(at)
        if count.within is not None:
            while hits[0] < at - count.within:
                hits.popleft()
        if len(hits) < count.n:
            return False
        del calls[call]
        return True

    def _wait(self, watch: _Watch, event: SessionEvent) -> None:
        then = watch.rule.then
        length = then.within if isinstance(then, EventWithin) else then.for_
        number, due = next(self._numbers), event.at + length
        watch.waits[event.session] = (number, due, event.kind)
        if not isinstance(then, EventWithin):
            timer = (due, self._inputs, watch.order, number, event.session)
            heappush(self._timers, timer)

    def _stir(self, item: TurnStarted | Activity) -> None:
        for watch in self._quiet:
            if watch.waits.pop(item.session, None):
                watch.hits.pop(item.session, None)

    def _time(self, item: SessionEvent | TurnStarted | Activity, session: _Session) -> None:
        """The session did something: every silence in it begins anew."""
        for watch in self._timed:
            length = watch.silence
            watch.silences.pop(item.session, None)
            if session.turn_at is not None and _in(watch.rule.filter, session.facts, item.session):
                number = watch.silences[item.session] = next(self._numbers)
                timer = (item.at + length, self._inputs, watch.order, number, item.session)
                heappush(self._timers, timer)


def _match(watch: _Watch, at: int, session: str, event: str) -> PlainMatch:
    return (at, watch.automation, watch.trigger, session, event, watch.count.n)


def _in(where: Filter | None, facts: Facts, session: str) -> bool:
    return where is None or (
        (where.projects is None or facts.project in where.projects)
        and (where.sessions is None or session in where.sessions)
        and (where.owners is None or facts.owner in where.owners)
        and (where.providers is None or facts.provider in where.providers)
        and (where.folders is None or not where.folders.isdisjoint(facts.folders))
        and (where.automated is None or facts.automated is where.automated)
    )


def _holds(when: When | None, session: _Session, at: int, *, silence: bool = False) -> bool:
    return when is None or (
        (when.running is None or session.running is when.running)
        and (session.queued or 0) >= (when.queued_at_least or 0)
        and (session.calls or 0) >= (when.tool_calls_at_least or 0)
        and (
            silence
            or when.turn_longer_than is None
            or (session.turn_at is not None and at - session.turn_at >= when.turn_longer_than)
        )
    )


def _breaks(rule: SessionRule, kind: str) -> bool:
    if rule.events <= ENDINGS:
        return kind in ENDINGS
    return kind != "idle" or "idle" in rule.events
