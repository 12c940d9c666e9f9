"""One step after another: inputs as they are taken, and what is due between them.

A step is one input, or one thing that is due. What is due by an instant happens before
what is fed at that instant (semantics 1.5), and what is due at one instant in the order of
semantics 1.6. Here are the clock's place and the count of inputs, and no state besides.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Any, Final

from wakeful.core.compile import BITS
from wakeful.core.guarded_sight import GuardedSight
from wakeful.core.handlers import Handlers
from wakeful.core.index import FAR
from wakeful.core.matcher import ENDING_BITS
from wakeful.core.parts import Parts, or_far
from wakeful.core.refusals import refuse
from wakeful.core.snapshot import Progress
from wakeful.model.automations import Automation
from wakeful.model.events import Activity, Facts, Input, Resumed, SessionEvent
from wakeful.model.outputs import Fault, Match, OrderKey, Output
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT, Instant

NOT_BEGUN: Final = FAR
"""The engine's instant before its first: every input comes before it."""


class Halt(Enum):
    """Why taking inputs ended, where no input is given back."""

    EXHAUSTED = auto()
    """There are no more."""

    OUTPUT = auto()
    """The last one that was taken brought outputs."""


class Steps:
    """Takes the steps of one engine.

    Args:
        parts: What does the work.
        initial: Automations to save at the first instant.

    Attributes:
        now: The instant of the last step.
        inputs: How many inputs were taken; the number of the last one.
        late: How many of them came from before the engine's instant.
        initial: What is to be saved at the first instant; ``None`` once there was one.
    """

    def __init__(self, parts: Parts, initial: tuple[Automation, ...]) -> None:
        self.now: Instant = NOT_BEGUN
        self.inputs = 0
        self.late = 0
        self.initial: tuple[Automation, ...] | None = initial
        self._parts = parts
        self._matcher = parts.matcher
        self._deadlines = parts.matcher.deadlines
        self._gate = parts.gate
        handlers = Handlers(parts)
        self._handlers, self._check = handlers.handlers, handlers.check
        self._told_faults = 0
        self._look_at = parts.matcher.room.every

    def go_on(self, progress: Progress) -> None:
        """Go on from where a snapshot was taken."""
        self.initial = None
        self.now, self.inputs, self.late = progress
        every = self._matcher.room.every
        self._look_at = self.inputs - self.inputs % every + every

    # -- inputs -------------------------------------------------------------------------

    def take(
        self, items: Iterable[Input], out: list[Output], *, stopping: bool = False
    ) -> Halt | Input:
        """Take inputs one after another.

        Args:
            items: The inputs; an iterator where it is ``stopping``.
            out: Where outputs go.
            stopping: Stop after the first input that brings outputs, and before one until
                whose instant something is due. That one is given back: nothing is wrong with
                it, and it was not taken.

        Raises:
            InputRefusedError: One is no input. Those before it were taken.
        """
        # An event is what nearly every input is: nothing on its way is looked up twice.
        parts, deadlines, guard = self._parts, self._deadlines, self._parts.guard
        happened, stirred, chats = self._matcher.event, self._matcher.activity, self._gate.chats
        bits, check = BITS.get, self._check
        given: Any
        for given in items:
            form = type(given)
            bit: int | None = 0
            if form is SessionEvent:
                kind, at = given.kind, given.at
                bit = bits(kind) if type(kind) is str else None
                if (
                    bit is None
                    or type(at) is not int
                    or type(given.session) is not str
                    or type(given.facts) is not Facts
                ):
                    raise refuse(given)
            else:
                check(given)
                at = given.at
                if form is Resumed:
                    # What fell due before it is due with it, and late.
                    at = self._arrive(given, at, out)
            if not self.now <= at <= MAX_INSTANT or deadlines.next <= at or parts.next <= at:
                if not MIN_INSTANT <= at <= MAX_INSTANT:
                    raise refuse(given)
                if stopping and self._is_due_before(at):
                    not_taken: Input = given
                    return not_taken
                at = self._arrive(given, at, out)
            self.now = at
            self.inputs = seq = self.inputs + 1
            if seq >= self._look_at:
                self._matcher.room.look(at)
                self._look_at = seq + self._matcher.room.every
            if bit:
                found = happened(given, bit, at, seq)
                if found:
                    self._decide(found, out)
                if bit & ENDING_BITS and given.session in chats:
                    out += self._gate.turn_over(given.session, OrderKey(at, 1, 0, seq, ()))
                    parts.after_gate()
            elif form is Activity:
                stirred(given, at, seq)
            else:
                out += self._handlers[form](given, at, seq)
            if guard is not None:
                out += self.faults(guard)
            if stopping and out:
                return Halt.OUTPUT
        return Halt.EXHAUSTED

    def _is_due_before(self, at: Instant) -> bool:
        return self.initial is None and (self._deadlines.next < at or self._parts.next < at)

    def _arrive(self, given: Input, at: Instant, out: list[Output]) -> Instant:
        """Do what is due before an input; the instant at which it is taken."""
        if self.initial is not None:
            self.begin(at)
        elif at < self.now:
            at = self.now
            self.late += 1
        if type(given) is Resumed:
            self._run_missed(at, out)
        elif self._deadlines.next <= at or self._parts.next <= at:
            self.run_due(at, out)
        return at

    def begin(self, at: Instant) -> None:
        """Save what the engine was made with, at its first instant."""
        initial, self.initial = self.initial or (), None
        self.now = at
        for automation in initial:
            self._parts.save(automation, OrderKey(at, 1, 0, 0, ()))

    def faults(self, guard: GuardedSight) -> Iterator[Fault]:
        """What the host's sight raised, for each automation of the owner it was asked about."""
        if not guard.raised:
            return
        for owner, message in guard.take().items():
            for automation in self._gate.owned_by(owner):
                self._told_faults += 1
                key = OrderKey(self.now, 1, 0, self.inputs, (FAR, self._told_faults))
                yield Fault(
                    at=self.now, automation=automation, trigger="", key=key, message=message
                )

    # -- what is due, and decisions -----------------------------------------------------

    @property
    def next_due(self) -> Instant:
        """When something may next be due; :data:`FAR` where nothing is."""
        return min(self._deadlines.next, self._parts.next)

    def advance(self, instant: Instant, out: list[Output]) -> None:
        """Let time pass until ``instant``; one before the engine's own does nothing."""
        if self.initial is not None:
            self.begin(instant)
        if instant >= self.now:
            if self._deadlines.next <= instant or self._parts.next <= instant:
                self.run_due(instant, out)
            self.now = instant
        if self._parts.guard is not None:
            out += self.faults(self._parts.guard)

    def run_due(self, until: Instant, out: list[Output], *, late: bool = False) -> None:
        """Do what is due by ``until``, a step at a time, in the order of semantics 1.6.

        Occurrences that are ``late`` are none of it: they are reached when all else is done.
        """
        parts, deadlines = self._parts, self._deadlines
        gate, schedules = parts.gate, parts.schedules
        while True:
            other = parts.next
            if late and other <= until:
                other = min(or_far(gate.next_date), or_far(gate.next_settle))
            if deadlines.next > until and other > until:
                break
            if deadlines.next < other:
                match = self._matcher.due(min(until, other - 1), late=late)
                if match is not None:
                    self.now = match.at
                    self._decide((match,), out)
                continue
            self.now = max(self.now, other)
            date, settle = or_far(gate.next_date), or_far(gate.next_settle)
            if date <= other:
                # A date passes before everything that is due at its instant.
                place = OrderKey(other, 0, -1, 0, ())
                out += gate.pass_dates(other, place, late=late)
            elif deadlines.next <= other:
                match = self._matcher.due(other, late=late)
                if match is not None:
                    self._decide((match,), out)
            elif settle <= other:
                out += gate.settle_due(other, late=late)
            elif (reached := schedules.pop(other)) is not None:
                out += gate.occurrence(reached)
            parts.after_gate()

    def _run_missed(self, until: Instant, out: list[Output]) -> None:
        """Do what fell due while the host was not running, occurrences last."""
        self.run_due(until, out, late=True)
        self.now = until
        for reached, missed in self._parts.schedules.resume(until):
            out += self._gate.missed(reached) if missed else self._gate.occurrence(reached)
            self._parts.after_gate()
        self._parts.after_gate()

    def _decide(self, matches: Sequence[Match], out: list[Output]) -> None:
        decide = self._gate.decide
        for match in matches:
            out.append(match)
            out += decide(match)
        self._parts.after_decisions()
