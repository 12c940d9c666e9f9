"""Traces: a replay that is watched step by step.

Theory
------
A trace is a replay and an observer beside it. The engine has no hooks: inputs pass through
the tracer on their way in, outputs on their way out, and after every input of a session that
is watched the engine is looked at (:meth:`wakeful.Engine.look`), which shows what each rule
has there. What changed is a step. So a replay without a tracer does nothing for it, and one
with a tracer costs something only at the sessions it watches.

A trace keeps the inputs of the sessions it watches, and their steps: its memory grows with
these. On a long log name the session, or the automation and the session.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final

from wakeful.core.compile import Rule, rules_of
from wakeful.core.looking import NOWHERE
from wakeful.core.matcher import AFTER_INPUT
from wakeful.explain.pairs import Pair
from wakeful.explain.quiets import Quiet
from wakeful.explain.standing import Desk
from wakeful.explain.steps import Identity, RuleName, Step, Taken, What, Why, identity
from wakeful.explain.tracks import Track
from wakeful.explain.watching import Watch
from wakeful.model.automations import Automation
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    GrantsChanged,
    Input,
    Resumed,
    RunLinked,
    RunStarted,
    SessionEnded,
    SessionEvent,
    TurnStarted,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.outputs import Decision, Match, Output
from wakeful.replay import Replay

OF_SESSIONS: Final = (SessionEvent, TurnStarted, Activity, SessionEnded)
"""The inputs that are about a session alone."""

_CHANGES: Final = (
    DefinitionSaved,
    DefinitionRemoved,
    GrantsChanged,
    TypeRegistered,
    TypeRemoved,
    Resumed,
)
"""The other inputs that matching depends on."""


__all__ = ["OF_SESSIONS", "Observer", "Tracer", "Watch"]

Observer = Callable[[Step], None]


class Tracer:
    """Watches a replay.

    Args:
        replay: The replay, not yet begun.
        watch: What to watch; everything where left out.
        observer: Told of every step as it is made; what an input changed is told after it.

    Attributes:
        replay: The replay.
        tracks: The sessions that were watched, by name.
        changes: The inputs beside those of sessions that matching depends on.
        order: The place of each match among all that were watched.
        began_at: The engine's first instant.
        definitions: The definitions as they stand now, by resource.
    """

    def __init__(
        self, replay: Replay, watch: Watch | None = None, *, observer: Observer | None = None
    ) -> None:
        self.replay = replay
        self.watch = watch or Watch()
        self.tracks: dict[str, Track] = defaultdict(Track)
        self.changes: list[Taken] = []
        self.definitions: dict[str, Automation] = {
            each.resource: each for each in replay.automations
        }
        self.began_at: int | None = None
        self.order: dict[Identity, int] = {}
        self._observer = observer
        self._number = 0
        self._current: Input | None = None
        self._rules: tuple[Rule, ...] | None = None
        self._found: dict[tuple[str, RuleName], list[Pair | Quiet]] = {}
        self._by_session: dict[str, dict[Rule, Pair | Quiet]] = defaultdict(dict)
        self._fresh: list[Match] = []
        self._told: dict[str, Match] = {}
        self._meant: dict[Identity, Automation] = {}
        self._saved: dict[int, Taken] = {}
        self._others: list[Taken] = []
        self._desks: dict[str, Desk] = {}
        self._steps: list[Step] = []
        self._observed: dict[int, int] = {}

    # -- playing -----------------------------------------------------------------------

    def outputs(self, inputs: Iterable[Input]) -> Iterator[Output]:
        """Play the inputs and give the outputs, as :meth:`Replay.outputs` does."""
        for output in self.replay.outputs(self._watched(inputs)):
            if isinstance(output, Match):
                self._match(output)
            elif isinstance(output, Decision):
                self._decision(output)
            yield output
        self._passed()

    def play(self, inputs: Iterable[Input]) -> None:
        """Play the inputs to the end, for the trace alone."""
        for _ in self.outputs(inputs):
            pass

    @property
    def steps(self) -> list[Step]:
        """All steps, in the order they hold from; for each rule and session as they came."""
        found = [step for pairs in self._found.values() for pair in pairs for step in pair.steps]
        return sorted([*found, *self._steps], key=_at)

    @property
    def pairs(self) -> Iterator[Pair | Quiet]:
        """Every rule and session that had to do with each other."""
        for pairs in self._found.values():
            yield from pairs

    def taken(self) -> list[Taken]:
        """What was taken of the sessions that are watched, and all else, in order."""
        found = [*self.changes, *self._others]
        for track in self.tracks.values():
            found += track.inputs
        return sorted(found, key=_place)

    def meant(self, match: Match) -> Automation:
        """An automation as it was when it matched."""
        return self._meant[identity(match)]

    def added(self, step: Step) -> Taken | None:
        """The input that added the rule of a silence after the session's last sign of life."""
        if step.quiet is None or step.session is None or not self._saved:
            return None
        for pair in self._found.get((step.session, step.rule), ()):
            if any(each is step for each in pair.steps):
                last = max((need.at for need in step.needs), default=0)
                saved = self._saved.get(pair.rule.since[1])
                return saved if saved is not None and saved.at >= last else None
        return None

    def _watched(self, inputs: Iterable[Input]) -> Iterator[Input]:
        engine = self.replay.engine
        sessions = self.watch.sessions
        for given in inputs:
            self._number += 1
            self._current = given
            if self.began_at is None:
                self.began_at = given.at if engine.now is None else engine.now
            if isinstance(given, OF_SESSIONS):
                if sessions is not None and given.session not in sessions:
                    yield given
                    continue
                yield given
                self._session_input(given)
            elif isinstance(given, _CHANGES):
                before = engine.inputs
                yield given
                if engine.inputs != before:
                    self._change(given)
            else:
                yield given
                self._other(given)

    # -- inputs ---------------------------------------------------------------------------

    def _session_input(self, given: SessionEvent | TurnStarted | Activity | SessionEnded) -> None:
        engine = self.replay.engine
        now = engine.now
        assert now is not None  # noqa: S101 - something was fed
        taken = Taken(number=self._number, at=now, input=given)
        track = self.tracks[given.session]
        self._add_pairs(given.session)
        matches = self._take_matches(given.session, engine.inputs)
        # A rule that its own match switched off counted the event all the same.
        self._drop_dead(given.session, None, but=matches)
        pairs = dict(self._by_session[given.session])
        for pair in pairs.values():
            if isinstance(pair, Quiet):
                pair.passed(now, track)
                pair.stirred(taken, track)
        look = engine.look(given.session)
        turn, turn_at = track.turn, track.look.turn_at
        if isinstance(given, SessionEnded):
            for pair in pairs.values():
                if isinstance(pair, Pair):
                    pair.over(now, Why.SESSION_ENDED, taken)
        for rule, pair in pairs.items():
            if isinstance(pair, Quiet) or isinstance(given, SessionEnded):
                continue
            if isinstance(given, SessionEvent):
                clauses = (
                    pair.asking.of_event(given, turn_at, now, engine.sight)
                    if given.kind in rule.spec.events
                    else ()
                )
                pair.event(
                    taken, given, look, clauses=clauses, matched=matches.get(rule), turn=turn
                )
            else:
                pair.stir(taken, look)
        track.take(taken)
        track.look = NOWHERE if isinstance(given, SessionEnded) else look
        self._drop_dead(given.session, taken)
        self._observe(pairs.values())

    def _other(self, given: Input) -> None:
        """What matching in sessions does not depend on: runs, presses, plugins' events, ticks."""
        now = self.replay.engine.now
        assert now is not None  # noqa: S101 - something was fed
        self._others.append(Taken(number=self._number, at=now, input=given))
        if isinstance(given, RunStarted | RunLinked):
            self._desk(given.automation).input(given, now)

    def _change(self, given: Input) -> None:
        engine = self.replay.engine
        now = engine.now
        assert now is not None  # noqa: S101 - something was fed
        taken = Taken(number=self._number, at=now, input=given)
        self.changes.append(taken)
        if isinstance(given, DefinitionSaved):
            self.definitions[given.automation.resource] = given.automation
            self._saved[engine.inputs] = taken
        elif isinstance(given, DefinitionRemoved):
            self.definitions.pop(given.automation, None)
        self._rules = None
        for name in list(self._by_session):
            track = self.tracks[name]
            for pair in self._by_session[name].values():
                if isinstance(pair, Quiet):
                    pair.passed(now, track)
            track.look = engine.look(name)
            for rule, pair in self._pairs_of(name, taken).items():
                if isinstance(pair, Pair) and pair.held + (pair.wait is not None):
                    lost = not track.look.hits.get(rule) and rule not in track.look.waits
                    if lost and isinstance(given, GrantsChanged | DefinitionSaved):
                        pair.over(now, Why.SIGHT, taken)

    def _pairs_of(self, session: str, by: Taken | None = None) -> dict[Rule, "Pair | Quiet"]:
        """The rules that are watched in a session, with those that came and went minded."""
        self._drop_dead(session, by)
        self._add_pairs(session)
        return self._by_session[session]

    def _add_pairs(self, session: str) -> None:
        rules = self._rules
        if rules is None:
            rules = self._rules = tuple(
                rule
                for rule in self.replay.engine.rules()
                if self.watch.has_automation(rule.automation)
            )
        pairs = self._by_session[session]
        for rule in rules:
            if rule not in pairs and rule.alive:
                made = (Pair if rule.silence is None else Quiet)(rule, session)
                pairs[rule] = made
                self._found.setdefault((session, made.name), []).append(made)

    def _drop_dead(
        self, session: str, by: Taken | None, *, but: Container[Rule] = frozenset()
    ) -> None:
        pairs = self._by_session[session]
        for rule in [rule for rule in pairs if not rule.alive and rule not in but]:
            pair = pairs.pop(rule)
            if isinstance(pair, Pair):
                pair.over(self.replay.engine.now or 0, Why.RULE, by)

    # -- outputs --------------------------------------------------------------------------

    def _match(self, match: Match) -> None:
        if not self.watch.has_automation(match.automation):
            return
        self._told[match.automation] = match
        self.order[identity(match)] = len(self.order)
        self._meant[identity(match)] = self._definition(match)
        if not self.watch.has_session(match.session):
            return
        if match.session is None:
            name = RuleName(automation=match.automation, trigger=match.trigger)
            assert self._current is not None  # noqa: S101 - it is what is being fed
            by = Taken(number=self._number, at=match.at, input=self._current)
            self._keep(
                Step(
                    what=What.COMPLETED,
                    at=match.at,
                    rule=name,
                    session=None,
                    by=by,
                    match=match,
                )
            )
            return
        key = match.key
        if key.fed and key.order[0] < AFTER_INPUT:
            self._fresh.append(match)
            return
        # It fell due: no input of its session is the one that is being taken.
        pair = self._pair(match)
        if isinstance(pair, Pair):
            pair.held_out(match)
        else:
            pair.matched(match, self.tracks[match.session])

    def _pair(self, match: Match) -> Pair | Quiet:
        assert match.session is not None  # noqa: S101 - asked for sessions only
        name = RuleName(automation=match.automation, trigger=match.trigger, preset=match.preset)
        found = self._found.get((match.session, name))
        if not found:
            # A turn that ran before its rule was added, and nothing since.
            self._add_pairs(match.session)
            found = self._found.get((match.session, name))
        return found[-1] if found else self._short_lived(match, name)

    def _short_lived(self, match: Match, name: RuleName) -> Pair | Quiet:
        """A rule that was never seen: its own first match switched the automation off."""
        assert match.session is not None  # noqa: S101 - asked for sessions only
        automation = self._definition(match)
        for trigger, preset, spec, *places in rules_of(automation):
            if (trigger, preset) == (name.trigger, name.preset):
                order = (match.key.order[0], places[0], places[1])
                rule = Rule(automation, trigger, preset, spec, order, (match.at, 0))
                rule.alive = False
                pair = self._by_session[match.session][rule] = Pair(rule, match.session)
                self._found[match.session, name] = [pair]
                return pair
        raise LookupError(f"{name} matched and is in no definition")

    def _take_matches(self, session: str, seq: int) -> dict[Rule, Match]:
        fresh, self._fresh = self._fresh, []
        found: dict[Rule, Match] = {}
        for match in fresh:
            if match.session == session and match.key.sequence == seq:
                found[self._pair(match).rule] = match
        return found

    def _decision(self, decision: Decision) -> None:
        if not self.watch.has_automation(decision.automation):
            return
        standing = self._desk(decision.automation).decision(decision)
        if not self.watch.has_session(decision.session):
            return
        match = self._told.get(decision.automation)
        about = match if match is not None and match.key == decision.key else None
        name = RuleName(
            automation=decision.automation,
            trigger=decision.trigger or "",
            preset=None if about is None else about.preset,
        )
        self._keep(
            Step(
                what=What.DECIDED,
                at=decision.at,
                rule=name,
                session=decision.session,
                match=about,
                decision=decision,
                standing=standing,
            )
        )

    def _desk(self, automation: str) -> Desk:
        desk = self._desks.get(automation)
        if desk is None:
            desk = self._desks[automation] = Desk(self.replay.engine.settings)
        return desk

    def _definition(self, match: Match) -> Automation:
        return self.definitions[match.automation]

    def _keep(self, step: Step) -> None:
        self._steps.append(step)
        if self._observer is not None:
            self._observer(step)

    def _observe(self, pairs: Iterable[Pair | Quiet]) -> None:
        if self._observer is None:
            return
        for pair in pairs:
            seen = self._observed.get(id(pair), 0)
            for step in pair.steps[seen:]:
                self._observer(step)
            self._observed[id(pair)] = len(pair.steps)

    def _passed(self) -> None:
        """The replay is over: what time alone did since the last inputs."""
        now = self.replay.engine.now
        if now is None:
            return
        if self.began_at is None:
            self.began_at = self.replay.begins_at
        for name, pairs in list(self._by_session.items()):
            for pair in pairs.values():
                if isinstance(pair, Quiet):
                    pair.passed(now, self.tracks[name])
            self._pairs_of(name)
            self._observe(pairs.values())


def _at(step: Step) -> int:
    return step.at


def _place(taken: Taken) -> int:
    return taken.number
