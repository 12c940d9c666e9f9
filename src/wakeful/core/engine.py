"""The engine: one ordered log of inputs in, matches and decisions out.

It keeps the clock's place and the count of inputs, and hands each to whoever it concerns:
the matcher, the gate, the schedules. No clock is read and nothing is called back; the same
inputs give the same outputs.

A step is one input, or one thing that is due. What is due by an instant happens before
what is fed at that instant (semantics 1.5), so that feeding alone, without ever calling
:meth:`Engine.advance`, gives the same outputs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from wakeful.core.gate import Gate
from wakeful.core.index import FAR
from wakeful.core.matcher import CLASSES, ENDING, Matcher
from wakeful.core.schedules import Schedules, TriggerName
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight, Sight
from wakeful.core.statistics import Pending, Statistics, pending_wait
from wakeful.errors import InputRefusedError
from wakeful.model.automations import Automation
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    GrantsChanged,
    Input,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    TurnStarted,
)
from wakeful.model.outputs import Decision, Match, OrderKey
from wakeful.model.time import Instant

_BEGINNING: Final = -FAR


class Engine:
    """Compiles automations' rules and decides, input by input, what wakes.

    Args:
        automations: Definitions to start with, saved at the engine's first instant in this
            order; more come and go as inputs.
        at: The engine's first instant. Left out, it is that of the first input.
        settings: See :class:`Settings`.
        sight: Who may see which session; by grants where left out.
        occurrences: What schedules were waiting for, as :attr:`occurrences` gave it, so that
            what fell due since is caught up at the next ``Resumed``.

    Raises:
        ValueError: Two automations have one resource.

    >>> from wakeful import Engine, SessionEvent, read_automation
    >>> engine = Engine([read_automation({
    ...     "id": "failing", "title": "Failing", "message": {"text": "{{count}} failed"},
    ...     "triggers": [{"id": "t1", "kind": "event", "type": "session",
    ...                   "events": [{"id": "toolFailed"}], "config": {"count": {"n": 2}}}],
    ... })])
    >>> engine.feed(SessionEvent("toolFailed", "s1", 1_000))
    []
    >>> match, decision = engine.feed(SessionEvent("toolFailed", "s1", 2_000))
    >>> match.count, str(decision.kind), decision.message.splitlines()[0]
    (2, 'start', '2 failed')
    """

    def __init__(
        self,
        automations: Iterable[Automation] = (),
        *,
        at: Instant | None = None,
        settings: Settings | None = None,
        sight: Sight | None = None,
        occurrences: Mapping[TriggerName, Instant] | None = None,
    ) -> None:
        self.settings = settings if settings is not None else Settings()
        self.sight: Sight = (
            sight
            if sight is not None
            else GrantSight(unowned=self.settings.unowned, unmet=self.settings.unmet)
        )
        self._matcher = Matcher(self.sight)
        self._deadlines = self._matcher.deadlines
        self._gate = Gate(
            settings=self.settings, turn_running=self._matcher.turn_running, sight=self.sight
        )
        self._schedules = Schedules(occurrences)
        self._places: dict[str, int] = {}
        self._next_place = 0
        self._now = _BEGINNING
        self._inputs = 0
        self._late = 0
        self._other_next = FAR
        self._handlers: dict[type, Callable[..., None]] = {
            TurnStarted: self._turn_started,
            Activity: self._activity,
            SessionEnded: self._session_ended,
            RunStarted: self._run_started,
            RunLinked: self._run_linked,
            RunSettled: self._run_settled,
            SteerFailed: self._steer_failed,
            Press: self._press,
            DefinitionSaved: self._definition_saved,
            DefinitionRemoved: self._definition_removed,
            GrantsChanged: self._grants_changed,
            Resumed: self._resumed,
            Tick: self._tick,
        }
        self._initial: tuple[Automation, ...] | None = tuple(automations)
        resources = [automation.resource for automation in self._initial]
        if len(set(resources)) < len(resources):
            twice = sorted({one for one in resources if resources.count(one) > 1})
            raise ValueError(f"more than one automation is called {', '.join(twice)}")
        if at is not None:
            self._begin(at)

    # -- the two verbs and the question -------------------------------------------------

    def feed(self, item: Input) -> list[Match | Decision]:
        """Take one input; what was due by its instant is done first.

        An input from before the engine's instant is taken at the engine's instant and
        counted as late.

        Returns:
            The outputs in order, each match followed by its decision.

        Raises:
            InputRefusedError: It is no input; the engine is as it was.
        """
        out: list[Match | Decision] = []
        self._feed(item, out)
        return out

    def feed_many(self, items: Iterable[Input]) -> list[Match | Decision]:
        """Take inputs one after another; the outputs of all, in order.

        Raises:
            InputRefusedError: One of them is no input. Those before it were taken.
        """
        out: list[Match | Decision] = []
        feed = self._feed
        for item in items:
            feed(item, out)
        return out

    def advance(self, instant: Instant) -> list[Match | Decision]:
        """Let time pass until ``instant``, and do what is due by then.

        An instant before the engine's own does nothing.
        """
        out: list[Match | Decision] = []
        if self._initial is not None:
            self._begin(instant)
        if instant >= self._now:
            if self._deadlines.next <= instant or self._other_next <= instant:
                self._run_due(instant, out)
            self._now = instant
        return out

    @property
    def next_deadline(self) -> Instant | None:
        """When :meth:`advance` may next have something to do; it may be early, never late."""
        due = min(self._deadlines.next, self._other_next)
        return None if due >= FAR else due

    @property
    def now(self) -> Instant | None:
        """The engine's instant; ``None`` before the first input."""
        return None if self._now == _BEGINNING else self._now

    # -- inputs ---------------------------------------------------------------------------

    def _feed(self, item: Input, out: list[Match | Decision]) -> None:
        cls = item.__class__
        if cls is SessionEvent:
            class_of = CLASSES.get(item.kind)  # type: ignore[union-attr]
            handler = None
        else:
            class_of = None
            handler = self._handlers.get(cls)
        if class_of is None and handler is None:
            raise _refused(item)
        at = item.at
        if at.__class__ is not int:
            raise _refused(item)
        now = self._now
        if at < now:
            at = now
            self._late += 1
        elif self._initial is not None:
            self._begin(at)
        if self._deadlines.next <= at or self._other_next <= at:
            if cls is Resumed:
                self._run_missed(at, out)
            else:
                self._run_due(at, out)
        self._now = at
        self._inputs = seq = self._inputs + 1
        if handler is not None:
            handler(item, at, seq, out)
        else:
            self._event(item, class_of, at, seq, out)  # type: ignore[arg-type]

    def _event(
        self, event: SessionEvent, class_of: int, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        found = self._matcher.event(event, class_of, at, seq)
        if found:
            self._decide(found, out)
        if class_of == ENDING and event.session in self._gate.chats:
            out += self._gate.turn_over(event.session, OrderKey(at, 1, 0, seq, ()))
            self._after_gate()

    def _turn_started(
        self, turn: TurnStarted, at: Instant, seq: int, _out: list[Match | Decision]
    ) -> None:
        self._matcher.turn_started(turn, at, seq)

    def _activity(
        self, activity: Activity, at: Instant, seq: int, _out: list[Match | Decision]
    ) -> None:
        self._matcher.activity(activity, at, seq)

    def _session_ended(
        self, ended: SessionEnded, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        if self._matcher.session_ended(ended.session) and ended.session in self._gate.chats:
            out += self._gate.turn_over(ended.session, OrderKey(at, 1, 0, seq, ()))
            self._after_gate()

    def _run_started(
        self, item: RunStarted, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        out += self._gate.run_started(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _run_linked(
        self, item: RunLinked, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        out += self._gate.run_linked(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _run_settled(
        self, item: RunSettled, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        out += self._gate.run_settled(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _steer_failed(
        self, item: SteerFailed, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        out += self._gate.steer_failed(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _press(self, item: Press, at: Instant, seq: int, out: list[Match | Decision]) -> None:
        out += self._gate.press(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _definition_saved(
        self, item: DefinitionSaved, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        out += self._save(item.automation, OrderKey(at, 1, 0, seq, ()))

    def _definition_removed(
        self, item: DefinitionRemoved, at: Instant, seq: int, out: list[Match | Decision]
    ) -> None:
        resource = item.automation
        if self._places.pop(resource, None) is None:
            return
        self._unwatch(resource)
        out += self._gate.remove(resource, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _grants_changed(
        self, item: GrantsChanged, at: Instant, seq: int, _out: list[Match | Decision]
    ) -> None:
        sight = self.sight
        if not isinstance(sight, GrantSight) or sight.change(item.principal, item.grants):
            self._matcher.sight_changed(item.principal, at, seq)

    def _resumed(self, item: Resumed, at: Instant, seq: int, out: list[Match | Decision]) -> None:
        out += self._gate.interrupted(item.live, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _tick(self, _item: Tick, _at: Instant, _seq: int, _out: list[Match | Decision]) -> None:
        self._matcher.sweep()

    # -- definitions ----------------------------------------------------------------------

    def _begin(self, at: Instant) -> None:
        """Save what the engine was made with, at its first instant."""
        initial, self._initial = self._initial or (), None
        self._now = at
        for automation in initial:
            self._save(automation, OrderKey(at, 1, 0, 0, ()))

    def _save(self, automation: Automation, key: OrderKey) -> Sequence[Decision]:
        resource = automation.resource
        place = self._places.get(resource)
        if place is None:
            place = self._places[resource] = self._next_place
            self._next_place += 1
        decisions = self._gate.save(automation, place, key)
        if self._gate.is_on(resource):
            self._matcher.save(automation, place, key.at, key.sequence)
            self._schedules.save(automation, place, key.at)
        else:
            self._unwatch(resource)
        self._after_gate()
        return decisions

    def _unwatch(self, resource: str) -> None:
        self._matcher.remove(resource)
        self._schedules.remove(resource)

    # -- what is due, and decisions ---------------------------------------------------------

    def _run_due(self, until: Instant, out: list[Match | Decision], *, late: bool = False) -> None:
        """Do what is due by ``until``, a step at a time, in the order of semantics 1.6.

        Occurrences that are ``late`` are none of it: they are reached when all else is done.
        """
        gate, deadlines, schedules = self._gate, self._deadlines, self._schedules
        while True:
            date, settle = _or_far(gate.next_date), _or_far(gate.next_settle)
            occurrence = FAR if late else _or_far(schedules.next)
            due = min(date, deadlines.next, settle, occurrence)
            if due > until:
                break
            self._now = max(self._now, due)
            if date <= due:
                # A date passes before everything that is due at its instant.
                place = OrderKey(due, 0, -1, self._inputs, ())
                out += gate.pass_dates(due, place, late=late)
            elif deadlines.next <= due:
                match = self._matcher.due(due, late=late)
                if match is not None:
                    self._decide((match,), out)
            elif settle <= due:
                out += gate.settle_due(due, late=late)
            elif (reached := schedules.pop(due)) is not None:
                out += gate.occurrence(reached)
            self._after_gate()
        self._after_gate()

    def _run_missed(self, until: Instant, out: list[Match | Decision]) -> None:
        """Do what fell due while the host was not running, occurrences last."""
        self._run_due(until, out, late=True)
        self._now = until
        for reached, missed in self._schedules.resume(until):
            out += self._gate.missed(reached) if missed else self._gate.occurrence(reached)
            self._after_gate()
        self._after_gate()

    def _decide(self, matches: Sequence[Match], out: list[Match | Decision]) -> None:
        decide = self._gate.decide
        for match in matches:
            out.append(match)
            out += decide(match)
        self._after_gate()

    def _after_gate(self) -> None:
        """Take over what the gate changed: switches it made, and its next deadlines."""
        gate = self._gate
        if gate.switched:
            for resource in gate.switched:
                self._unwatch(resource)
            gate.switched.clear()
        self._other_next = min(
            _or_far(gate.next_date), _or_far(gate.next_settle), _or_far(self._schedules.next)
        )

    # -- what there is ----------------------------------------------------------------------

    def statistics(self) -> Statistics:
        """Counts of what the engine holds now. O(sessions + hits + waits)."""
        matcher = self._matcher
        hits = waits = timers = 0
        for _session, _rule, live, wait in matcher.settle(self._now):
            hits += live
            waits += wait is not None
        waiting = matcher.waiting(self._now)
        timers = sum(one.what != "event" for one in waiting)
        return Statistics(
            automations=len(self._places) + len(self._initial or ()),
            rules=len(matcher.index),
            sessions=len(matcher.sessions),
            turns=matcher.turns,
            hits=hits,
            waits=waits,
            timers=timers,
            inputs=self._inputs,
            late=self._late,
            evicted=matcher.evicted,
        )

    def pending(self) -> tuple[Pending, ...]:
        """What waits now: wakes held behind a run first, then all else by its deadline."""
        timed = [
            *(pending_wait(one) for one in self._matcher.waiting(self._now)),
            *(
                Pending(kind="occurrence", automation=automation, trigger=trigger, deadline=due)
                for (automation, trigger), due in self._schedules.occurrences().items()
            ),
        ]
        timed.sort(key=_deadline_of)
        held = (
            Pending(
                kind="wake",
                automation=wake.automation,
                trigger=wake.trigger,
                deadline=None,
                session=wake.session,
                event=wake.event,
                count=wake.count,
            )
            for wake in self._gate.waiting()
        )
        return (*held, *timed)

    def next_run_at(self, resource: str) -> Instant | None:
        """The earliest occurrence an automation waits for; ``None`` while it is off."""
        return self._schedules.next_of(resource)

    @property
    def occurrences(self) -> dict[TriggerName, Instant]:
        """What every schedule trigger waits for, by automation and trigger id."""
        return self._schedules.occurrences()


def _deadline_of(pending: Pending) -> Instant:
    return FAR if pending.deadline is None else pending.deadline


def _or_far(instant: Instant | None) -> Instant:
    return FAR if instant is None else instant


def _refused(item: object) -> InputRefusedError:
    if isinstance(item, SessionEvent) and item.kind not in CLASSES:
        return InputRefusedError(f"{item.kind!r} is no event kind; there are {', '.join(CLASSES)}")
    at = getattr(item, "at", None)
    if isinstance(at, int) and not isinstance(at, bool):
        return InputRefusedError(f"{type(item).__name__} is no input of an engine")
    return InputRefusedError(
        f"the instant of {type(item).__name__} is {at!r}; expected whole milliseconds"
    )
