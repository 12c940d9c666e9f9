"""The engine: one ordered log of inputs in, matches and decisions out.

It keeps the clock's place and the count of inputs, and hands each input to whoever it
concerns. No clock is read and nothing is called back; the same inputs give the same outputs.

A step is one input, or one thing that is due. What is due by an instant happens before
what is fed at that instant (semantics 1.5), so that feeding alone, without ever calling
:meth:`Engine.advance`, gives the same outputs.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from wakeful.core.admission import definition_problems
from wakeful.core.census import live, waiting
from wakeful.core.compile import Rule
from wakeful.core.index import FAR
from wakeful.core.invariants import broken
from wakeful.core.looking import Look, look_at
from wakeful.core.overflow import Overflow
from wakeful.core.parts import Parts
from wakeful.core.refusals import no_instant
from wakeful.core.schedules import TriggerName
from wakeful.core.session_state import LetGo, export_session, import_session
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight, Sight
from wakeful.core.snapshot import Progress, restore_parts, save_parts
from wakeful.core.statistics import (
    Pending,
    Statistics,
    pending_occurrences,
    pending_wait,
    pending_wakes,
)
from wakeful.core.steps import NOT_BEGUN, Halt, Steps
from wakeful.errors import InputRefusedError, InvalidError, Problem, SnapshotError
from wakeful.model._records import record
from wakeful.model.automations import Automation
from wakeful.model.events import Input
from wakeful.model.outputs import Output
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT, Instant
from wakeful.plugins import TypeRegistry


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
        InputRefusedError: ``at`` is no instant.

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
        settings = Settings() if settings is None else settings
        self._parts = Parts(
            settings=settings,
            sight=GrantSight(unowned=settings.unowned, unmet=settings.unmet)
            if sight is None
            else sight,
            types=TypeRegistry() if types is None else types,
            occurrences=occurrences,
        )
        self._matcher = self._parts.matcher
        self._gate = self._parts.gate
        self._steps = Steps(self._parts, _admitted(automations, self._parts.types))
        if at is not None:
            if type(at) is not int:
                raise no_instant(at)
            self._steps.begin(at)

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
        self._steps.take((item,), out)
        return out

    def feed_many(self, items: Iterable[Input]) -> list[Output]:
        """Take inputs one after another; the outputs of all, in order.

        Raises:
            InputRefusedError: One of them is no input. Those before it were taken.
        """
        out: list[Output] = []
        self._steps.take(items, out)
        return out

    def stream(
        self, items: Iterable[Input], *, refused: Callable[[InputRefusedError], None] | None = None
    ) -> Iterator[Output]:
        """Take inputs one after another and give each output as it comes.

        For long logs: what falls due in a gap is done deadline by deadline, so that memory
        does not grow with the length of a log, nor with that of a gap.

        Args:
            items: The inputs.
            refused: Told of an input that is refused, which is passed over; left out, it raises.

        Raises:
            InputRefusedError: One of them is no input, and ``refused`` was left out.
        """
        out: list[Output] = []
        steps, rest = self._steps, iter(items)
        halt: Halt | Input = Halt.OUTPUT
        while halt is not Halt.EXHAUSTED:
            try:
                halt = steps.take(rest, out, stopping=True)
                if not isinstance(halt, Halt):
                    while steps.next_due < halt.at:
                        steps.run_due(steps.next_due, out)
                        yield from out
                        out.clear()
                    steps.take((halt,), out)
            except InputRefusedError as error:
                if refused is None:
                    raise
                refused(error)
                halt = Halt.OUTPUT
            if out:
                yield from out
                out.clear()

    def advance(self, instant: Instant) -> list[Output]:
        """Let time pass until ``instant``, and do what is due by then.

        An instant before the engine's own does nothing.

        Raises:
            InputRefusedError: It is no instant of the years 1 to 9999; the engine is as it was.
        """
        out: list[Output] = []
        if type(instant) is not int or not MIN_INSTANT <= instant <= MAX_INSTANT:
            raise no_instant(instant)
        self._steps.advance(instant, out)
        return out

    @property
    def next_deadline(self) -> Instant | None:
        """When :meth:`advance` may next have something to do; it may be early, never late."""
        due = self._steps.next_due
        return None if due >= FAR else due

    @property
    def now(self) -> Instant | None:
        """The engine's instant; ``None`` before the first input."""
        return None if self._steps.now == NOT_BEGUN else self._steps.now

    # -- saved state ------------------------------------------------------------------------

    def snapshot(self) -> bytes:
        """The whole state: versioned, and the same bytes for the same state (semantics 7.3).

        Definitions are not in it; whoever restores hands them in. O(everything held).

        Raises:
            SnapshotError: The engine was fed nothing yet, so there is nothing to save.
        """
        if self._steps.initial is not None:
            raise SnapshotError("an engine that was fed nothing has no state to save")
        steps = self._steps
        return save_parts(self._parts, Progress(steps.now, steps.inputs, steps.late))

    @classmethod
    def restore(
        cls,
        snapshot: bytes,
        automations: Iterable[Automation],
        *,
        settings: Settings | None = None,
        sight: Sight | None = None,
        types: TypeRegistry | None = None,
    ) -> "Restored":
        """An engine that goes on where a snapshot was taken.

        Feed it ``Resumed`` next: what fell due in between is due with that (semantics 7.3).

        Args:
            snapshot: What :meth:`snapshot` gave.
            automations: The definitions as they are now. One that means what it meant goes
                on; one that changed is treated as saved now, one left out as removed.
            settings: As for a new engine.
            sight: As for a new engine; a :class:`GrantSight` gets the grants back.
            types: As for a new engine; types that inputs registered are added to it.

        Raises:
            SnapshotError: It is cut short, edited, or of a version not known.
            InvalidError: A definition cannot be meant.
        """
        engine = cls((), settings=settings, sight=sight, types=types)
        parts = engine._parts
        progress, outputs, let_go = restore_parts(
            parts, snapshot, lambda standing: _admitted(automations, parts.types, standing)
        )
        steps = engine._steps
        steps.go_on(progress)
        return Restored(engine=engine, outputs=tuple(outputs), let_go=tuple(let_go))

    def export_session(self, session: str) -> bytes | None:
        """A session's state: versioned, and the same bytes for the same state.

        Returns:
            ``None`` where the session is not known.
        """
        return export_session(self._matcher, session, self._steps.now)

    def import_session(self, data: bytes) -> tuple[LetGo, ...]:
        """Take over a session that another engine exported, in place of one of that name.

        Returns:
            What was let go, because a rule is not what it was there.

        Raises:
            SnapshotError: It is no such data; the engine is as it was.
        """
        return tuple(import_session(self._matcher, data))

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
        for one in live(matcher, self._steps.now):
            hits += one.hits
            waits += one.wait is not None
        return Statistics(
            automations=len(self._parts.places) + len(self._steps.initial or ()),
            rules=len(matcher.index),
            sessions=len(matcher.sessions),
            turns=len(matcher.upkeep.silences.turns),
            hits=hits,
            waits=waits,
            timers=sum(one.what != "event" for one in waiting(matcher, self._steps.now)),
            inputs=self._steps.inputs,
            late=self._steps.late,
            evicted=matcher.upkeep.evicted,
            forgotten=matcher.room.overflow.sessions,
            counts_let_go=matcher.room.overflow.counts,
            waits_let_go=matcher.room.overflow.waits,
            runs_given_up=matcher.room.overflow.runs,
        )

    def pending(self) -> tuple[Pending, ...]:
        """What waits now: wakes held behind a run first, then all else by its deadline."""
        timed = [
            *(pending_wait(one) for one in waiting(self._matcher, self._steps.now)),
            *pending_occurrences(self._parts.schedules),
        ]
        timed.sort(key=_deadline_of)
        return (*pending_wakes(self._gate), *timed)

    @property
    def inputs(self) -> int:
        """How many inputs were taken; the number of the last one."""
        return self._steps.inputs

    def rules(self) -> Iterator[Rule]:
        """Every rule that is watched, by automation. O(rules)."""
        return self._matcher.upkeep.rules()

    def look(self, session: str) -> Look:
        """What rules have in a session now. O(its hits, waits and silences)."""
        return look_at(self._matcher, session, self._steps.now)

    def next_run_at(self, resource: str) -> Instant | None:
        """The earliest occurrence an automation waits for; ``None`` while it is off."""
        return self._parts.schedules.next_of(resource)

    def occurrences_of(self, resource: str) -> dict[str, Instant]:
        """What an automation's schedules wait for, by trigger id. O(its schedules)."""
        return self._parts.schedules.occurrences_of(resource)

    def is_on(self, resource: str) -> bool:
        """Whether an automation's triggers are watched: enabled, no disable condition met."""
        return self._gate.is_on(resource)

    def run_count(self, resource: str) -> int | None:
        """How much of its ``afterRuns`` allowance an automation has used; ``None`` without one."""
        return self._gate.run_count(resource)

    def check(self) -> None:
        """Verify every internal invariant; for tests, and when in doubt. O(everything held).

        Raises:
            AssertionError: One does not hold, which is a fault of this library.
        """
        found = broken(self._parts, self._steps.now)
        if found:
            raise AssertionError("; ".join(found))

    @property
    def occurrences(self) -> dict[TriggerName, Instant]:
        """What every schedule trigger waits for, by automation and trigger id."""
        return self._parts.schedules.occurrences()

    @property
    def overflow(self) -> Overflow:
        """What was let go at bounds so far; O(1), where :meth:`statistics` walks everything."""
        return self._matcher.room.overflow

    @property
    def settings(self) -> Settings:
        """What the engine was made with."""
        return self._parts.settings

    @property
    def sight(self) -> Sight:
        """Who may see which session."""
        return self._parts.sight

    @property
    def types(self) -> TypeRegistry:
        """The plugin types that are registered now."""
        return self._parts.types


@record(kw_only=True)
class Restored:
    """What restoring gave.

    Attributes:
        engine: The engine, at the instant of the snapshot.
        outputs: What follows from definitions that changed meanwhile: wakes that waited for
            an automation that is gone or off are dropped.
        let_go: State that was not taken over, because its rule is gone or means another thing.
    """

    engine: Engine
    outputs: tuple[Output, ...]
    let_go: tuple[LetGo, ...]


def _admitted(
    automations: Iterable[Automation], types: TypeRegistry, standing: Container[str] = ()
) -> tuple[Automation, ...]:
    """Definitions that were put together in code, or everything that is wrong with them."""
    admitted = tuple(automations)
    problems = list(_twice(admitted))
    for automation in admitted:
        held_to = None if automation.resource in standing else types
        problems += definition_problems(automation, held_to)
    if problems:
        raise InvalidError(problems)
    return admitted


def _deadline_of(pending: Pending) -> Instant:
    return FAR if pending.deadline is None else pending.deadline


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
