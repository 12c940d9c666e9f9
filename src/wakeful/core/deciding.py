"""The deciding half of an engine: from matches that others made to decisions.

Theory
------
Everything but matching: the gate, schedules, plugin triggers, presses, runs. It takes the
matches of any number of :class:`~wakeful.core.matching.Matching` halves and the inputs that
decide something, all in the order of their places, and gives what one engine gives. Its steps
are the engine's own (:mod:`wakeful.core.steps`), around a matcher that has no rules and gives
for an input the matches that were handed in with it.

Of sessions it needs to know in which of them a turn runs: in the chats of pinned automations
and in the sessions of runs. So it is fed every input of these (or every turn start, ending and
end of them, nothing else of it counts), and may be fed those of any others.

A step is an input with its matches, or one match that fell due. What a disable condition
switches off is off after that step: later matches of it are passed over, since one engine would
not have made them. Whoever matches has to be told (:meth:`Deciding.take_switched_off`) before
it takes that automation's next definition, from which a new beginning is made.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from wakeful.core.index import FAR
from wakeful.core.invariants import broken
from wakeful.core.matcher import AFTER_INPUT, Matcher
from wakeful.core.overflow import Overflow
from wakeful.core.parts import Parts, or_far
from wakeful.core.plain import text, whole
from wakeful.core.sealed import seal, unseal
from wakeful.core.session_state import UNREADABLE, admit_session, restore_session, save_session
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight, Sight
from wakeful.core.statistics import Pending, pending_occurrences, pending_wakes
from wakeful.core.steps import NOT_BEGUN, Steps
from wakeful.errors import SnapshotError
from wakeful.model.automations import Automation
from wakeful.model.events import Input, Resumed, SessionEvent
from wakeful.model.outputs import Match, OrderKey, Output
from wakeful.model.time import Instant
from wakeful.plugins import TypeRegistry

Placed: TypeAlias = tuple[OrderKey, Input | Match]
"""An input or a match with its place: :func:`place_of_input`, ``Match.key``."""

_FORMAT: Final = "wakeful-automation"
_VERSION: Final = 1


def place_of_input(at: Instant, number: int) -> OrderKey:
    """The place of an input among matches: after what was due, before its own matches."""
    return OrderKey(at, 1, 0, number, ())


def is_brought_at(key: OrderKey) -> bool:
    """Whether a match of that place was brought by an input, and did not fall due."""
    return bool(key.fed) and key.order[0] < AFTER_INPUT


class Deciding:
    """Decides about matches that are handed to it.

    Args:
        automations: Definitions to start with, as for an engine.
        at: The whole log's first instant. Left out, it is that of the first step here.
        settings: As for an engine. Sight is by grants; types are registered by inputs.
    """

    def __init__(
        self,
        automations: Iterable[Automation] = (),
        *,
        at: Instant | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._parts = _GateParts(Settings() if settings is None else settings)
        self._steps = _GateSteps(self._parts, tuple(automations))
        if at is not None:
            self._steps.begin(at)

    # -- steps --------------------------------------------------------------------------

    def take(self, item: Input, number: int, matches: Sequence[Match] = ()) -> list[Output]:
        """Take one input and decide about its matches; what was due here is done first.

        Args:
            item: At the instant it is taken at (see :class:`~wakeful.core.numbering.Numbering`).
            number: Its number among all inputs of the whole log, from 1, rising.
            matches: The matches of that very input, in order; only an event has any.

        Returns:
            The outputs in order, each match followed by its decision.

        Raises:
            InputRefusedError: It is no input; nothing has changed.
        """
        out: list[Output] = []
        self._steps.inputs = number - 1
        self._parts.handing.handed = matches
        self._steps.take((item,), out)
        return out

    def give_place(self, resource: str, place: int) -> None:
        """Say where an automation stands among all, before its first definition is taken.

        For a half that is not fed every definition.
        """
        self._parts.places.setdefault(resource, place)
        self._parts.next_place = max(self._parts.next_place, place + 1)

    def take_matches(self, matches: Sequence[Match]) -> list[Output]:
        """Decide about the matches of one input that is not taken here itself: one step."""
        out: list[Output] = []
        if matches:
            self._steps.decide_brought(matches, out)
        return out

    def take_due(self, match: Match) -> list[Output]:
        """Decide about a match that fell due, which is a step of its own."""
        out: list[Output] = []
        self._steps.decide_due(match, out)
        return out

    def advance(self, instant: Instant) -> list[Output]:
        """Let time pass until ``instant``; every match until then was handed in."""
        out: list[Output] = []
        self._steps.advance(instant, out)
        return out

    def decide(self, placed: Iterable[Placed]) -> Iterator[Output]:
        """Take inputs and matches, sorted by their places, and give each output as it comes.

        The last input's step ends with the iterable. Memory does not grow with its length,
        nor with that of a gap in it.

        Raises:
            InputRefusedError: One is no input. Those before it were taken.
        """
        for number, item, matches, due in _steps_of(placed):
            if due is not None:
                yield from self._pass(due.at, late=due.late)
                yield from self.take_due(due)
                continue
            at = matches[0].at if item is None else item.at
            if type(item) is not Resumed:
                yield from self._pass(at, late=False)
            yield from (
                self.take_matches(matches) if item is None else self.take(item, number, matches)
            )

    def take_switched_off(self) -> tuple[str, ...]:
        """The automations that disable conditions switched off since this was last asked."""
        went_off, self._parts.went_off = tuple(self._parts.went_off), []
        return went_off

    @property
    def next_deadline(self) -> Instant | None:
        """When :meth:`advance` may next have something to do; it may be early, never late."""
        due = self._steps.next_due
        return None if due >= FAR else due

    @property
    def now(self) -> Instant | None:
        """The instant of the last step; ``None`` before the first."""
        return None if self._steps.now == NOT_BEGUN else self._steps.now

    def _pass(self, until: Instant, *, late: bool) -> Iterator[Output]:
        """Do what is due before ``until``, deadline by deadline."""
        steps = self._steps
        while not late and steps.initial is None and steps.next_due < until:
            out: list[Output] = []
            steps.run_due(steps.next_due, out)
            yield from out

    # -- state --------------------------------------------------------------------------

    def export_automation(self, resource: str) -> bytes | None:
        """All that is kept of one automation, and the turns of its runs' sessions.

        Definition, grants and types are not in it. Versioned, and the same bytes for the same
        state. O(its runs, and all occurrences that are waited for).

        Returns:
            ``None`` where nothing is known of it.
        """
        parts, now = self._parts, self._steps.now
        gate = parts.gate.state_of(resource, now)
        if gate is None:
            return None
        matcher = parts.matcher
        turns = [
            save_session(matcher, matcher.sessions[name], now)
            for name in sorted(parts.gate.sessions_of(resource))
            if matcher.turn_running(name)
        ]
        state = {
            "now": now,
            "automation": resource,
            "place": parts.places.get(resource),
            "gate": gate,
            "schedules": [one for one in parts.schedules.state() if one[0] == resource],
            "turns": turns,
        }
        return seal(_FORMAT, _VERSION, state)

    def import_automation(self, data: bytes, automation: Automation | None) -> list[Output]:
        """Take over an automation that was exported and is not known here.

        Args:
            data: What :meth:`export_automation` gave.
            automation: The definition that stood there, ``None`` where it had been removed.
                One that has changed since is taken afterwards, as one that is saved.

        Returns:
            What follows where it did change all the same: a wake that waited is dropped.

        Raises:
            SnapshotError: It is no such data, or another automation's; the half is of no use
                then.
        """
        saved = unseal(data, _FORMAT, _VERSION)
        parts, steps = self._parts, self._steps
        went_off = list(parts.went_off)
        try:
            resource, now = text(saved["automation"]), whole(saved["now"])
            if automation is not None and automation.resource != resource:
                raise SnapshotError(f"saved state is {resource}'s, not {automation.resource}'s")
            if steps.initial is not None:
                steps.begin(now)
            steps.now = max(steps.now, now)
            for one in saved["turns"]:
                session, _ = restore_session(parts.matcher, one)
                admit_session(parts.matcher, session)
            known = {} if automation is None else {resource: automation}
            key = place_of_input(steps.now, steps.inputs)
            outputs: list[Output] = [*parts.gate.take_over(saved["gate"], known, key)]
            if automation is not None:
                place = parts.places[resource] = whole(saved["place"])
                parts.next_place = max(parts.next_place, place + 1)
                if parts.gate.is_on(resource):
                    waiting = {(one[0], one[1]): one[2:] for one in saved["schedules"]}
                    parts.schedules.give(automation, waiting)
                    parts.schedules.save(automation, place, steps.now)
                    parts.plugin_events.save(automation, place)
            parts.after_gate()
        except UNREADABLE as error:
            raise SnapshotError(f"saved automation cannot be read: {error!r}") from None
        parts.went_off = went_off
        contradictions = broken(parts, steps.now)
        if contradictions:
            raise SnapshotError(f"saved automation contradicts itself: {contradictions[0]}")
        return outputs

    def forget_automation(self, resource: str) -> bool:
        """Forget all of an automation that is decided about elsewhere; whether it was known."""
        parts = self._parts
        known = parts.gate.state_of(resource, self._steps.now) is not None
        parts.places.pop(resource, None)
        parts.unwatch(resource)
        parts.gate.forget(resource)
        parts.after_gate()
        return known

    # -- what there is ------------------------------------------------------------------

    def is_on(self, resource: str) -> bool:
        """Whether an automation's triggers are watched: enabled, no disable condition met."""
        return self._parts.gate.is_on(resource)

    def pending(self) -> tuple[Pending, ...]:
        """What waits here: wakes held behind a run, then occurrences."""
        parts = self._parts
        return (*pending_wakes(parts.gate), *pending_occurrences(parts.schedules))

    @property
    def overflow(self) -> Overflow:
        """What was let go here at bounds: of runs, and of the sessions that are known here."""
        return self._parts.matcher.room.overflow

    def check(self) -> None:
        """Verify every internal invariant; for tests, and when in doubt. O(everything held).

        Raises:
            AssertionError: One does not hold, which is a fault of this library.
        """
        found = broken(self._parts, self._steps.now)
        if found:
            raise AssertionError("; ".join(found))


class _NoRules(Matcher):
    """A matcher that knows sessions and their turns, and gives the matches it is handed.

    Attributes:
        handed: The matches of the event that comes next.
        is_on: Whether one engine would have made a match of that automation.
    """

    def __init__(self, sight: Sight, settings: Settings) -> None:
        super().__init__(sight, settings)
        self.handed: Sequence[Match] = ()
        self.is_on: Callable[[str], bool] = bool

    def event(self, event: SessionEvent, bit: int, at: Instant, seq: int) -> Sequence[Match]:
        """An event of a session; the matches that were handed in with it."""
        super().event(event, bit, at, seq)
        handed, self.handed = self.handed, ()
        return [match for match in handed if self.is_on(match.automation)]


class _GateParts(Parts):
    """The parts of an engine, around such a matcher.

    Attributes:
        handing: The matcher.
        went_off: What disable conditions switched off, until somebody asks.
    """

    _matches_by = _NoRules

    def __init__(self, settings: Settings) -> None:
        sight = GrantSight(unowned=settings.unowned, unmet=settings.unmet)
        super().__init__(settings=settings, sight=sight, types=TypeRegistry(), occurrences=None)
        self.went_off: list[str] = []
        matcher: Any = self.matcher
        self.handing: _NoRules = matcher
        self.handing.is_on = self.gate.is_on

    def watch_sessions(self, automation: Automation, place: int, at: Instant, seq: int) -> None:
        """Nothing: others match."""

    def after_gate(self) -> None:
        """Take over what the gate changed, and remember what it switched off."""
        self.went_off += self.gate.switched
        super().after_gate()


class _GateSteps(Steps):
    """An engine's steps, and those of matches that were made elsewhere."""

    def decide_due(self, match: Match, out: list[Output]) -> None:
        """What is due earlier, and dates of that instant (semantics 9.13); then a due match."""
        at = match.at
        if self.initial is not None:
            self.begin(at)
        gate = self._parts.gate
        # What an input made due at its own instant comes after it, and so after all that was
        # due by then, whether or not that input was taken here. Only a run without length that
        # began after the input settles later still; where there is one, all else is done.
        passes = match.key.fed and not gate.settles_after(match.key)
        self.run_due(at if passes else at - 1, out, late=match.late)
        if or_far(gate.next_date) <= at:
            out += gate.pass_dates(at, OrderKey(at, 0, -1, 0, ()), late=match.late)
            self._parts.after_gate()
        self.now = max(self.now, at)
        if gate.is_on(match.automation):
            self._decide((match,), out)

    def decide_brought(self, matches: Sequence[Match], out: list[Output]) -> None:
        """What is due by an input's instant; then the matches it brought."""
        at = matches[0].at
        if self.initial is not None:
            self.begin(at)
        self.run_due(at, out)
        self.now = max(self.now, at)
        self.inputs = matches[0].key.sequence
        is_on = self._parts.gate.is_on
        self._decide([match for match in matches if is_on(match.automation)], out)


_Step: TypeAlias = tuple[int, Input | None, list[Match], Match | None]
"""A number, the input of that number where it is there, and its matches; or a due match."""


def _steps_of(placed: Iterable[Placed]) -> Iterator[_Step]:
    """Put inputs and their matches together."""
    number = 0
    item: Input | None = None
    matches: list[Match] = []
    for key, what in placed:
        is_brought = isinstance(what, Match) and is_brought_at(key)
        if is_brought and isinstance(what, Match) and key.sequence == number:
            matches.append(what)
            continue
        if item is not None or matches:
            yield number, item, matches, None
            item, matches = None, []
        if not isinstance(what, Match):
            number, item = key.sequence, what
            if not isinstance(what, SessionEvent):
                # It brings no matches from elsewhere: nothing is to be waited for.
                yield number, item, matches, None
                item = None
        elif is_brought:
            number, matches = key.sequence, [what]
        else:
            yield 0, None, [], what
    if item is not None or matches:
        yield number, item, matches, None
