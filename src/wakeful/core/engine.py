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

from wakeful.core.admission import definition_problems
from wakeful.core.census import live, waiting
from wakeful.core.gate import Gate
from wakeful.core.index import FAR
from wakeful.core.matcher import BITS, ENDING_BITS, Matcher
from wakeful.core.plugin_events import PluginEvents
from wakeful.core.schedules import Schedules, TriggerName
from wakeful.core.sealed import seal, unseal
from wakeful.core.session_state import LetGo, admit_session, restore_session, save_session
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight, Sight
from wakeful.core.statistics import Pending, Statistics, pending_wait
from wakeful.errors import InputRefusedError, InvalidError, Problem, SnapshotError
from wakeful.model.automations import Automation
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    GrantsChanged,
    Input,
    PluginEvent,
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
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.outputs import Decision, Match, OrderKey, Output
from wakeful.model.time import Instant
from wakeful.model.triggers import TriggerType
from wakeful.plugins import TypeRegistry

_BEGINNING: Final = -FAR

_SESSION_FORMAT: Final = "wakeful-session"
_SESSION_VERSION: Final = 1


class Engine:
    """Compiles automations' rules and decides, input by input, what wakes.

    Args:
        automations: Definitions to start with, saved at the engine's first instant in this
            order; more come and go as inputs.
        at: The engine's first instant. Left out, it is that of the first input.
        settings: See :class:`Settings`.
        sight: Who may see which session; by grants where left out.
        types: The plugin types that are registered; the engine registers and removes in it
            as inputs say.
        occurrences: What schedules were waiting for, as :attr:`occurrences` gave it, so that
            what fell due since is caught up at the next ``Resumed``.

    Raises:
        InvalidError: An automation cannot be meant, or two have one resource.

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

    def __init__(  # noqa: PLR0913 - all but the first are named
        self,
        automations: Iterable[Automation] = (),
        *,
        at: Instant | None = None,
        settings: Settings | None = None,
        sight: Sight | None = None,
        types: TypeRegistry | None = None,
        occurrences: Mapping[TriggerName, Instant] | None = None,
    ) -> None:
        self.settings = settings if settings is not None else Settings()
        self.sight: Sight = (
            sight
            if sight is not None
            else GrantSight(unowned=self.settings.unowned, unmet=self.settings.unmet)
        )
        self.types = TypeRegistry() if types is None else types
        self._matcher = Matcher(self.sight)
        self._deadlines = self._matcher.deadlines
        self._gate = Gate(
            settings=self.settings,
            turn_running=self._matcher.turn_running,
            sight=self.sight,
            find_type=self._find_type,
        )
        self._plugin_events = PluginEvents(self.types, self.sight)
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
            PluginEvent: self._plugin_event,
            TypeRegistered: self._type_registered,
            TypeRemoved: self._type_removed,
            DefinitionSaved: self._definition_saved,
            DefinitionRemoved: self._definition_removed,
            GrantsChanged: self._grants_changed,
            Resumed: self._resumed,
            Tick: self._tick,
        }
        self._checks: dict[type, Callable[..., Iterable[Problem]]] = {
            DefinitionSaved: self._check_definition,
            PluginEvent: self._check_fire,
            TypeRegistered: self._check_type,
        }
        self._initial: tuple[Automation, ...] | None = tuple(automations)
        problems = [*_twice(self._initial)]
        for automation in self._initial:
            problems += definition_problems(automation, self.types)
        if problems:
            raise InvalidError(problems)
        if at is not None:
            self._begin(at)

    # -- the two verbs and the question -------------------------------------------------

    def feed(self, item: Input) -> list[Output]:
        """Take one input; what was due by its instant is done first.

        An input from before the engine's instant is taken at the engine's instant and
        counted as late.

        Returns:
            The outputs in order, each match followed by its decision.

        Raises:
            InputRefusedError: It is no input; the engine is as it was.
        """
        out: list[Output] = []
        self._feed(item, out)
        return out

    def feed_many(self, items: Iterable[Input]) -> list[Output]:
        """Take inputs one after another; the outputs of all, in order.

        Raises:
            InputRefusedError: One of them is no input. Those before it were taken.
        """
        out: list[Output] = []
        feed = self._feed
        for item in items:
            feed(item, out)
        return out

    def advance(self, instant: Instant) -> list[Output]:
        """Let time pass until ``instant``, and do what is due by then.

        An instant before the engine's own does nothing.
        """
        out: list[Output] = []
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

    def _feed(self, item: Input, out: list[Output]) -> None:
        if type(item) is not SessionEvent:
            self._feed_other(item, out)
            return
        # The way of an event is written out here: nothing on it is looked up twice.
        bit = BITS.get(item.kind)
        at = item.at
        if bit is None or type(at) is not int:
            raise _refused(item)
        if at < self._now:
            at = self._now
            self._late += 1
        elif self._initial is not None:
            self._begin(at)
        if self._deadlines.next <= at or self._other_next <= at:
            self._run_due(at, out)
        self._now = at
        self._inputs = seq = self._inputs + 1
        found = self._matcher.event(item, bit, at, seq)
        if found:
            self._decide(found, out)
        if bit & ENDING_BITS and item.session in self._gate.chats:
            out += self._gate.turn_over(item.session, OrderKey(at, 1, 0, seq, ()))
            self._after_gate()

    def _feed_other(self, item: Input, out: list[Output]) -> None:
        handler = self._handlers.get(type(item))
        at = item.at if handler is not None else None
        if handler is None or type(at) is not int:
            raise _refused(item)
        check = self._checks.get(type(item))
        problems = () if check is None else tuple(check(item))
        if problems:
            raise _refused(item, problems)
        if at < self._now:
            at = self._now
            self._late += 1
        elif self._initial is not None:
            self._begin(at)
        if self._deadlines.next <= at or self._other_next <= at:
            if isinstance(item, Resumed):
                self._run_missed(at, out)
            else:
                self._run_due(at, out)
        self._now = at
        self._inputs = seq = self._inputs + 1
        handler(item, at, seq, out)

    def _turn_started(self, turn: TurnStarted, at: Instant, seq: int, _out: list[Output]) -> None:
        self._matcher.turn_started(turn, at, seq)

    def _activity(self, activity: Activity, at: Instant, seq: int, _out: list[Output]) -> None:
        self._matcher.activity(activity, at, seq)

    def _session_ended(self, ended: SessionEnded, at: Instant, seq: int, out: list[Output]) -> None:
        if self._matcher.session_ended(ended.session) and ended.session in self._gate.chats:
            out += self._gate.turn_over(ended.session, OrderKey(at, 1, 0, seq, ()))
            self._after_gate()

    def _run_started(self, item: RunStarted, at: Instant, seq: int, out: list[Output]) -> None:
        out += self._gate.run_started(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _run_linked(self, item: RunLinked, at: Instant, seq: int, out: list[Output]) -> None:
        out += self._gate.run_linked(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _run_settled(self, item: RunSettled, at: Instant, seq: int, out: list[Output]) -> None:
        out += self._gate.run_settled(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _steer_failed(self, item: SteerFailed, at: Instant, seq: int, out: list[Output]) -> None:
        out += self._gate.steer_failed(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _plugin_event(self, item: PluginEvent, at: Instant, seq: int, out: list[Output]) -> None:
        decide = self._gate.decide
        for found in self._plugin_events.fire(item, at, seq):
            out.append(found)
            if isinstance(found, Match):
                out += decide(found)
        self._after_gate()

    def _type_registered(
        self, item: TypeRegistered, _at: Instant, _seq: int, _out: list[Output]
    ) -> None:
        self.types.register(item.definition, item.by)
        self._plugin_events.type_changed(item.definition.type)

    def _type_removed(self, item: TypeRemoved, _at: Instant, _seq: int, _out: list[Output]) -> None:
        self.types.remove(item.type)
        self._plugin_events.type_changed(item.type)

    def _press(self, item: Press, at: Instant, seq: int, out: list[Output]) -> None:
        out += self._gate.press(item, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _definition_saved(
        self, item: DefinitionSaved, at: Instant, seq: int, out: list[Output]
    ) -> None:
        out += self._save(item.automation, OrderKey(at, 1, 0, seq, ()))

    def _definition_removed(
        self, item: DefinitionRemoved, at: Instant, seq: int, out: list[Output]
    ) -> None:
        resource = item.automation
        if self._places.pop(resource, None) is None:
            return
        self._unwatch(resource)
        out += self._gate.remove(resource, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _grants_changed(
        self, item: GrantsChanged, at: Instant, seq: int, _out: list[Output]
    ) -> None:
        sight = self.sight
        if not isinstance(sight, GrantSight) or sight.change(item.principal, item.grants):
            self._matcher.upkeep.sight_changed(item.principal, at, seq)

    def _resumed(self, item: Resumed, at: Instant, seq: int, out: list[Output]) -> None:
        out += self._gate.interrupted(item.live, OrderKey(at, 1, 0, seq, ()))
        self._after_gate()

    def _tick(self, _item: Tick, _at: Instant, _seq: int, _out: list[Output]) -> None:
        self._matcher.upkeep.sweep()

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
            self._matcher.upkeep.save(automation, place, key.at, key.sequence)
            self._schedules.save(automation, place, key.at)
            self._plugin_events.save(automation, place)
        else:
            self._unwatch(resource)
        self._after_gate()
        return decisions

    def _unwatch(self, resource: str) -> None:
        self._matcher.upkeep.remove(resource)
        self._schedules.remove(resource)
        self._plugin_events.remove(resource)

    # -- what may not be fed -----------------------------------------------------------------

    def _check_definition(self, item: DefinitionSaved) -> Iterable[Problem]:
        return definition_problems(item.automation, self.types)

    def _check_fire(self, item: PluginEvent) -> Iterable[Problem]:
        refusals = self.types.check_fire(item.type, item.event, item.data, item.by)
        return (refusal.problem for refusal in refusals)

    def _check_type(self, item: TypeRegistered) -> Iterable[Problem]:
        return self.types.problems_of(item.definition, item.by)

    def _find_type(self, name: str) -> TriggerType | None:
        registered = self.types.get(name)
        return None if registered is None else registered.definition

    # -- what is due, and decisions ---------------------------------------------------------

    def _run_due(self, until: Instant, out: list[Output], *, late: bool = False) -> None:
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

    def _run_missed(self, until: Instant, out: list[Output]) -> None:
        """Do what fell due while the host was not running, occurrences last."""
        self._run_due(until, out, late=True)
        self._now = until
        for reached, missed in self._schedules.resume(until):
            out += self._gate.missed(reached) if missed else self._gate.occurrence(reached)
            self._after_gate()
        self._after_gate()

    def _decide(self, matches: Sequence[Match], out: list[Output]) -> None:
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

    # -- one session ------------------------------------------------------------------------

    def export_session(self, session: str) -> bytes | None:
        """A session's state: versioned, and the same bytes for the same state.

        Returns:
            ``None`` where the session is not known.
        """
        found = self._matcher.sessions.get(session)
        if found is None:
            return None
        state = save_session(self._matcher, found, self._now)
        return seal(_SESSION_FORMAT, _SESSION_VERSION, state)

    def import_session(self, data: bytes) -> tuple[LetGo, ...]:
        """Take over a session that another engine exported, in place of one of that name.

        Returns:
            What was let go, because a rule is not what it was there.

        Raises:
            SnapshotError: It is no such data; the engine is as it was.
        """
        saved = unseal(data, _SESSION_FORMAT, _SESSION_VERSION)
        try:
            session, lost = restore_session(self._matcher, saved)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise SnapshotError(f"saved session cannot be read: {error}") from None
        admit_session(self._matcher, session)
        return tuple(lost)

    def forget_session(self, session: str) -> bool:
        """Forget everything the matcher keeps of a session; whether it was known.

        For a session that moves to another engine. Nothing is decided, as ``SessionEnded``
        would: its turn goes on there.
        """
        known = session in self._matcher.sessions
        self._matcher.session_ended(session)
        return known

    # -- what there is ----------------------------------------------------------------------

    def statistics(self) -> Statistics:
        """Counts of what the engine holds now. O(sessions + hits + waits)."""
        matcher = self._matcher
        hits = waits = 0
        for one in live(matcher, self._now):
            hits += one.hits
            waits += one.wait is not None
        return Statistics(
            automations=len(self._places) + len(self._initial or ()),
            rules=len(matcher.index),
            sessions=len(matcher.sessions),
            turns=len(matcher.upkeep.silences.turns),
            hits=hits,
            waits=waits,
            timers=sum(one.what != "event" for one in waiting(matcher, self._now)),
            inputs=self._inputs,
            late=self._late,
            evicted=matcher.upkeep.evicted,
        )

    def pending(self) -> tuple[Pending, ...]:
        """What waits now: wakes held behind a run first, then all else by its deadline."""
        timed = [
            *(pending_wait(one) for one in waiting(self._matcher, self._now)),
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

    def occurrences_of(self, resource: str) -> dict[str, Instant]:
        """What an automation's schedules wait for, by trigger id. O(its schedules)."""
        return self._schedules.occurrences_of(resource)

    def is_on(self, resource: str) -> bool:
        """Whether an automation's triggers are watched: enabled, no disable condition met."""
        return self._gate.is_on(resource)

    def run_count(self, resource: str) -> int | None:
        """How much of its ``afterRuns`` allowance an automation has used; ``None`` without one."""
        return self._gate.run_count(resource)

    @property
    def occurrences(self) -> dict[TriggerName, Instant]:
        """What every schedule trigger waits for, by automation and trigger id."""
        return self._schedules.occurrences()


def _deadline_of(pending: Pending) -> Instant:
    return FAR if pending.deadline is None else pending.deadline


def _or_far(instant: Instant | None) -> Instant:
    return FAR if instant is None else instant


def _twice(automations: Iterable[Automation]) -> Iterable[Problem]:
    seen: set[str] = set()
    for automation in automations:
        if automation.resource in seen:
            yield Problem(
                path="resource",
                value=automation.resource,
                expected="a resource of its own",
                message=f"more than one automation is called {automation.resource}",
            )
        seen.add(automation.resource)


def _refused(item: object, problems: Sequence[Problem] = ()) -> InputRefusedError:
    name = type(item).__name__
    at = getattr(item, "at", None)
    if problems:
        message = "; ".join(str(problem) for problem in problems)
    elif isinstance(item, SessionEvent) and item.kind not in BITS:
        message = f"{item.kind!r} is no event kind; there are {', '.join(BITS)}"
    elif isinstance(at, int) and not isinstance(at, bool):
        message = f"{name} is no input of an engine"
    else:
        message = f"the instant of {name} is {at!r}; expected whole milliseconds"
    return InputRefusedError(message, problems)
