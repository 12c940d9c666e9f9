"""The matching half of an engine: from what happens in sessions to matches.

Theory
------
What a rule makes of a session depends on that session's inputs, on the definitions and on
who may see it; no session knows of another. So sessions can be dealt out among any number of
these, each fed the inputs of its own sessions and, like every other, those that concern
rules (:data:`CONCERNS_RULES`). Every input has the number that one engine would give it, and
every match tells its whole place (:class:`~wakeful.model.outputs.OrderKey`): sorted by it, the
matches of all halves are those of one engine, in its order.

What one engine's gate switches off by itself (``afterRuns``, ``afterDate``) this half cannot
know. Until it is told (:meth:`Matching.switch_off`) it goes on and gives matches, which the
:class:`~wakeful.core.deciding.Deciding` half passes over. That is exact as long as it is told
before it takes the next definition of that automation, which begins from nothing (semantics
9.1); when in between makes no difference. Whoever learns of it too late matches once more
that automation alone, from that definition on: ``only`` and ``since`` are for that.

What fell due before a ``Resumed`` is late only where no input came after it. So each half has
to know how far time had come: before a ``Resumed``, and at the end of a log, it is fed the
input before, or where that is another half's a ``Tick`` of its instant and number.

What lies across sessions in one engine is per half here: how many sessions, hits and waits are
kept at most, and when one looks for sessions that are silent (:mod:`wakeful.core.room`).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

import attrs

from wakeful.core.census import waiting
from wakeful.core.compile import BITS
from wakeful.core.index import FAR
from wakeful.core.invariants import broken_in_matcher
from wakeful.core.matcher import AFTER_INPUT, Matcher
from wakeful.core.overflow import Overflow
from wakeful.core.plain import number, text, whole
from wakeful.core.sealed import seal, unseal
from wakeful.core.session_state import UNREADABLE, LetGo, export_session, import_session
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight
from wakeful.core.statistics import Pending, pending_wait
from wakeful.errors import SnapshotError
from wakeful.model.automations import Automation
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    GrantsChanged,
    Input,
    Resumed,
    SessionEnded,
    SessionEvent,
    Tick,
    TurnStarted,
)
from wakeful.model.outputs import Match, OrderKey
from wakeful.model.time import Instant

OF_SESSIONS: Final = frozenset({SessionEvent, TurnStarted, Activity, SessionEnded})
"""The inputs that one session's half is fed."""

CONCERNS_RULES: Final = frozenset({DefinitionSaved, DefinitionRemoved, GrantsChanged, Resumed})
"""The inputs that every half is fed; all others are only time that passes."""

_FORMAT: Final = "wakeful-rules"
_VERSION: Final = 1

_ANEW: Final = 1 << 30
"""The first place of automations that are watched anew."""

_NO_MATCHES: Final[Sequence[Match]] = ()


class Matching:
    """Watches the sessions it is told of, and decides nothing.

    Args:
        automations: Definitions to start with, as for an engine; they were admitted.
        at: The whole log's first instant. Left out, it is that of the first input here.
        settings: As for an engine. Sight is by grants.
        only: Watch the rules of these automations only; left out, of all. The others keep
            their places among definitions.
        since: Watch no rules before the input of that number.

    Attributes:
        now: The instant of the last step; ``None`` before the first.
    """

    def __init__(
        self,
        automations: Iterable[Automation] = (),
        *,
        at: Instant | None = None,
        settings: Settings | None = None,
        only: Collection[str] | None = None,
        since: int = 0,
    ) -> None:
        settings = Settings() if settings is None else settings
        self._only = only
        self._since = since
        self.now: Instant | None = None
        self._sight = GrantSight(unowned=settings.unowned, unmet=settings.unmet)
        self._matcher = Matcher(self._sight, settings)
        self._places: dict[str, int] = {}
        self._next_place = 0
        self._begun_anew = 0
        self._until_look = self._matcher.room.every
        self._initial: tuple[Automation, ...] = tuple(automations)
        self._takes: dict[type, Callable[[Any, Instant, int], Sequence[Match]]] = {
            SessionEvent: self._event,
            TurnStarted: self._turn_started,
            Activity: self._activity,
            SessionEnded: self._session_ended,
            DefinitionSaved: self._saved,
            DefinitionRemoved: self._removed,
            GrantsChanged: self._grants_changed,
            Tick: self._tick,
        }
        if at is not None:
            self._begin(at)

    # -- what happens -------------------------------------------------------------------

    def take(self, item: Input, number: int) -> list[Match]:
        """Take one input; what was due by its instant is done first.

        Args:
            item: It was admitted, and its instant is the one it is taken at (see
                :class:`~wakeful.core.numbering.Numbering`). One from before the half's own
                instant is taken at that.
            number: Its number among all inputs of the whole log, from 1, rising.

        Returns:
            What fell due and matched, and the input's own matches, by their order keys.
        """
        now = self.now
        at = item.at
        if now is None:
            self._begin(at)
        elif at < now:
            at = now
        out: list[Match] = []
        if self._matcher.deadlines.next <= at:
            self._run_due(at, out, late=type(item) is Resumed)
        self.now = at
        self._until_look -= 1
        if not self._until_look:
            self._until_look = self._matcher.room.every
            self._matcher.room.look(at)
        takes = self._takes.get(type(item))
        if takes is not None:
            out += takes(item, at, number)
        return out

    def advance(self, instant: Instant) -> list[Match]:
        """Let time pass until ``instant``; what fell due by then and matched."""
        out: list[Match] = []
        if self.now is None:
            self._begin(instant)
        elif instant >= self.now:
            self._run_due(instant, out, late=False)
            self.now = instant
        return out

    def watch_anew(self, automation: Automation, name: str, number: int) -> None:
        """Watch an automation once more, from nothing, under another name.

        For who cannot know whether a disable condition had switched it off before its
        definition of that number: matches of both names are told apart later. They tell a
        place of that name, after all others: see :meth:`in_its_place`. Called again for a
        name, it takes the newer definition, and keeps what means the same.
        """
        if name not in self._places:
            self._places[name] = _ANEW + self._begun_anew
            self._begun_anew += 1
        again = attrs.evolve(automation, resource=name)
        self._matcher.upkeep.save(again, self._places[name], self._instant(), number)

    def in_its_place(self, key: OrderKey, resource: str) -> OrderKey:
        """The place that a match of an automation watched anew has under its own name."""
        order = list(key.order)
        order[order[0] >= AFTER_INPUT] = self._places[resource]
        return key._replace(order=tuple(order))

    def unwatch(self, name: str) -> None:
        """Stop watching what :meth:`watch_anew` began."""
        self._places.pop(name, None)
        self._matcher.upkeep.remove(name)

    def turn_running(self, session: str) -> bool:
        """Whether a turn whose start was seen runs in a session. O(1)."""
        return self._matcher.turn_running(session)

    @property
    def next_deadline(self) -> Instant | None:
        """When :meth:`advance` may next have something to do; it may be early, never late."""
        due = self._matcher.deadlines.next
        return None if due >= FAR else due

    def switch_off(self, resource: str) -> None:
        """The gate switched an automation off: its rules' state is gone, until it is saved."""
        self._matcher.upkeep.remove(resource)

    def _begin(self, at: Instant) -> None:
        initial, self._initial = self._initial, ()
        self.now = at
        for automation in initial:
            self._save(automation, at, 0)

    def _run_due(self, until: Instant, out: list[Match], *, late: bool) -> None:
        while (match := self._matcher.due(until, late=late)) is not None:
            out.append(match)

    # -- each kind of input -------------------------------------------------------------

    def _event(self, event: SessionEvent, at: Instant, number: int) -> Sequence[Match]:
        return self._matcher.event(event, BITS[event.kind], at, number)

    def _turn_started(self, turn: TurnStarted, at: Instant, number: int) -> Sequence[Match]:
        self._matcher.turn_started(turn, at, number)
        return _NO_MATCHES

    def _activity(self, activity: Activity, at: Instant, number: int) -> Sequence[Match]:
        self._matcher.activity(activity, at, number)
        return _NO_MATCHES

    def _session_ended(self, ended: SessionEnded, _at: Instant, _number: int) -> Sequence[Match]:
        self._matcher.session_ended(ended.session)
        return _NO_MATCHES

    def _saved(self, saved: DefinitionSaved, at: Instant, number: int) -> Sequence[Match]:
        self._save(saved.automation, at, number)
        return _NO_MATCHES

    def _save(self, automation: Automation, at: Instant, number: int) -> None:
        resource = automation.resource
        place = self._places.get(resource)
        if place is None:
            place = self._places[resource] = self._next_place
            self._next_place += 1
        if number < self._since or (self._only is not None and resource not in self._only):
            return
        if automation.definition.enabled:
            self._matcher.upkeep.save(automation, place, at, number)
        else:
            self._matcher.upkeep.remove(resource)

    def _removed(self, removed: DefinitionRemoved, _at: Instant, _number: int) -> Sequence[Match]:
        self._places.pop(removed.automation, None)
        self._matcher.upkeep.remove(removed.automation)
        return _NO_MATCHES

    def _grants_changed(self, changed: GrantsChanged, at: Instant, number: int) -> Sequence[Match]:
        if self._sight.change(changed.principal, changed.grants):
            self._matcher.upkeep.sight_changed(changed.principal, at, number)
        return _NO_MATCHES

    def _tick(self, _tick: Tick, _at: Instant, _number: int) -> Sequence[Match]:
        self._matcher.upkeep.sweep()
        return _NO_MATCHES

    # -- state --------------------------------------------------------------------------

    def export_session(self, session: str) -> bytes | None:
        """A session's state: versioned, and the same bytes for the same state.

        Returns:
            ``None`` where the session is not known.
        """
        return export_session(self._matcher, session, self._instant())

    def import_session(self, data: bytes) -> tuple[LetGo, ...]:
        """Take over a session that was exported, in place of one of that name.

        The rules have to stand first: by the inputs that made them, or :meth:`import_rules`.

        Returns:
            What was let go, because a rule is not what it was there.

        Raises:
            SnapshotError: It is no such data; nothing was changed.
        """
        return tuple(import_session(self._matcher, data))

    def forget_session(self, session: str) -> bool:
        """Forget everything about a session that moves elsewhere; whether it was known."""
        known = session in self._matcher.sessions
        self._matcher.session_ended(session)
        return known

    def sessions(self) -> tuple[str, ...]:
        """The sessions that are known. O(sessions)."""
        return tuple(self._matcher.sessions)

    def export_rules(self) -> bytes:
        """All that is not of one session: places, grants, what is watched and since when.

        Definitions are not in it; whoever imports hands them in. Versioned, and the same
        bytes for the same state. O(rules).
        """
        upkeep = self._matcher.upkeep
        since = [
            [rule.automation, rule.trigger, rule.preset, *rule.since] for rule in upkeep.rules()
        ]
        return seal(
            _FORMAT,
            _VERSION,
            {
                "now": self._instant(),
                "places": self._places,
                "nextPlace": self._next_place,
                "grants": self._sight.state(),
                "watched": sorted({rule.automation for rule in upkeep.rules()}),
                "since": sorted(since, key=str),
            },
        )

    def import_rules(self, data: bytes, automations: Iterable[Automation]) -> None:
        """Take over exported rules, in a half that was fed nothing.

        Args:
            data: What :meth:`export_rules` gave.
            automations: The definitions that stood there. One that has changed since is fed
                afterwards, as a definition that is saved.

        Raises:
            SnapshotError: It is no such data, or definitions are missing; the half is of no
                use then.
        """
        saved = unseal(data, _FORMAT, _VERSION)
        known = {automation.resource: automation for automation in automations}
        try:
            for principal, grants in saved["grants"].items():
                self._sight.change(principal, [text(grant) for grant in grants])
            now = whole(saved["now"])
            self._places = {text(one): whole(at) for one, at in saved["places"].items()}
            self._next_place = whole(saved["nextPlace"])
            upkeep = self._matcher.upkeep
            for resource in saved["watched"]:
                upkeep.save(known[resource], self._places[resource], now, 0)
            for automation, trigger, preset, at, since in saved["since"]:
                rule = upkeep.find(automation, trigger, preset)
                if rule is not None:
                    rule.since = (whole(at), number(since))
            self._matcher.index.all_changed()
        except UNREADABLE as error:
            raise SnapshotError(f"saved rules cannot be read: {error!r}") from None
        self._initial = ()
        self.now = now

    def _instant(self) -> Instant:
        if self.now is None:
            raise SnapshotError("what was fed nothing has no state to save")
        return self.now

    # -- what there is ------------------------------------------------------------------

    def pending(self) -> tuple[Pending, ...]:
        """The waits and silences that are being timed, by deadline. O(sessions)."""
        if self.now is None:
            return ()
        return tuple(pending_wait(one) for one in waiting(self._matcher, self.now))

    @property
    def looks_every(self) -> int:
        """After how many inputs one engine looks whether it keeps too many hits or waits."""
        return self._matcher.room.every

    def held(self) -> tuple[int, int]:
        """How many pairs of rule and session have hits, and how many waits there are.

        What is broken or stale by now is among them, as in an engine's first look. O(sessions).
        """
        sessions = self._matcher.sessions.values()
        return (
            sum(len(one.hits) for one in sessions if one.hits),
            sum(len(one.waits) for one in sessions if one.waits),
        )

    @property
    def overflow(self) -> Overflow:
        """What was let go here at bounds."""
        return self._matcher.room.overflow

    def check(self) -> None:
        """Verify every internal invariant; for tests, and when in doubt. O(everything held).

        Raises:
            AssertionError: One does not hold, which is a fault of this library.
        """
        found = list(broken_in_matcher(self._matcher))
        if found:
            raise AssertionError("; ".join(found))
