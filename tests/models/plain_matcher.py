"""A slow, plain model of matching: semantics 1 to 6, 7.1, 7.2 and 8.1, and 9.1 and 9.2.

Written to be obviously right, not fast: every rule is asked about every event, hits are one
plain list, and what is due is found by looking at every session and every rule. It shares
nothing with the engine but the records, so that two independent readings of the text can be
held against each other.
"""

from collections.abc import Iterable, Sequence

import attrs

from wakeful.model.automations import Automation
from wakeful.model.events import (
    ENDINGS,
    NO_FACTS,
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    Input,
    SessionEnded,
    SessionEvent,
    Tool,
    TurnStarted,
)
from wakeful.model.rules import AbsentFor, Count, EventWithin, Filter, IdleFor, SessionRule, When
from wakeful.model.triggers import SessionTrigger, WatchTrigger

MOST_CALLS = 1_024
LONG_AGO = -(10**18)

RuleKey = tuple[str, str, str | None]
"""Automation, trigger, preset: what a rule is known by (semantics 7.1)."""


@attrs.frozen(kw_only=True)
class PlainMatch:
    """What semantics 8.1 says a match holds."""

    at: int
    automation: str
    trigger: str
    preset: str | None
    session: str
    event: str
    count: int


@attrs.frozen(kw_only=True)
class Waiting:
    """What still waits at the end (semantics 5.5)."""

    what: str
    automation: str
    trigger: str
    preset: str | None
    session: str
    deadline: int


@attrs.frozen
class Hit:
    at: int
    call: Tool | None


@attrs.frozen(kw_only=True)
class Wait:
    what: str
    deadline: int
    satisfied_by: str
    armed: int


@attrs.define
class Memory:
    """What one rule remembers of one session."""

    hits: list[Hit] = attrs.field(factory=list)
    wait: Wait | None = None
    silence_is_over: bool = False
    watched_at: int = LONG_AGO
    watched_by: int = -1


@attrs.define
class Session:
    """What is known of one session, whoever watches it."""

    facts: Facts = NO_FACTS
    running: bool | None = None
    queued: int | None = None
    turn_tool_calls: int | None = None
    turn_started_at: int | None = None
    did_at: int = LONG_AGO
    did_by: int = -1
    memories: dict[RuleKey, Memory] = attrs.field(factory=dict)


@attrs.frozen(order=True)
class Due:
    """A wait or a silence with its place in the order of semantics 1.6."""

    at: int
    armed: int
    place: tuple[int, int, int]
    session_did: int
    session: str
    key: RuleKey


class PlainMatcher:
    """Automations, sessions and what each rule remembers of each session.

    Args:
        unowned_sees: Whether an automation without an owner sees sessions.
        unmet_sees: Whether an owner without a record of grants does (a replay: yes).
    """

    def __init__(
        self,
        automations: Iterable[Automation] = (),
        *,
        unowned_sees: bool = True,
        unmet_sees: bool = True,
    ) -> None:
        self.automations = {automation.resource: automation for automation in automations}
        self.on = {
            resource: automation.definition.enabled
            for resource, automation in self.automations.items()
        }
        self.sessions: dict[str, Session] = {}
        self.grants: dict[str, tuple[str, ...]] = {}
        self.now: int | None = None
        self.late = 0
        self.evicted = 0
        self.number = 0
        self.unowned_sees = unowned_sees
        self.unmet_sees = unmet_sees

    # --- running a whole log ---------------------------------------------------------

    def run(self, inputs: Iterable[Input], until: int | None = None) -> list[PlainMatch]:
        """All matches of a log, in order; with ``until``, time goes on to it."""
        matches: list[PlainMatch] = []
        for input_ in inputs:
            at = self.taken_at(input_)
            matches += self.advance(at)
            matches += self.take(input_)
        if until is not None:
            matches += self.advance(until)
        return matches

    def taken_at(self, input_: Input) -> int:
        """1.4: an input from before the engine's own instant is taken at that instant."""
        return input_.at if self.now is None else max(self.now, input_.at)

    def advance(self, until: int) -> list[PlainMatch]:
        """1.5, 1.6: what is due by an instant, in order. To the past: nothing (1.4)."""
        if self.now is not None and until < self.now:
            return []
        matches = []
        while (due := self.next_due(until)) is not None:
            matches += self.fire(due)
        self.now = until
        return matches

    # --- which rules there are -------------------------------------------------------

    def rules_of(self, automation: Automation) -> list[tuple[RuleKey, SessionRule]]:
        """The rules an automation's triggers mean, in order (3.4, 3.5)."""
        rules: list[tuple[RuleKey, SessionRule]] = []
        for trigger in automation.definition.triggers:
            if isinstance(trigger, SessionTrigger):
                rules.append(((automation.resource, trigger.id, None), trigger.rule))
            elif isinstance(trigger, WatchTrigger):
                rules += [
                    ((automation.resource, trigger.id, preset), rule)
                    for preset, rule in trigger.rules
                ]
        return rules

    def watched(self) -> list[tuple[RuleKey, SessionRule]]:
        """Every rule that is watched now, in definition order (9.1, 9.2)."""
        return [
            pair
            for automation in self.automations.values()
            if self.on[automation.resource] and self.sees(automation.owner)
            for pair in self.rules_of(automation)
        ]

    def sees(self, owner: str | None) -> bool:
        """9.2: whether an owner may read sessions."""
        if owner is None:
            return self.unowned_sees
        if owner not in self.grants:
            return self.unmet_sees
        return "session:read" in self.grants[owner]

    def place(self, key: RuleKey) -> tuple[int, int, int]:
        """Where a rule stands in definition order: automation, trigger, preset."""
        automation = self.automations[key[0]]
        triggers = [trigger.id for trigger in automation.definition.triggers]
        presets = [
            preset for (_, trigger, preset), _ in self.rules_of(automation) if trigger == key[1]
        ]
        return (
            list(self.automations).index(key[0]),
            triggers.index(key[1]),
            presets.index(key[2]),
        )

    # --- what is due -----------------------------------------------------------------

    def next_due(self, until: int) -> Due | None:
        """The first wait or silence that is due by an instant, in the order of 1.6."""
        dues = []
        for name, session in self.sessions.items():
            for key, rule in self.watched():
                memory = session.memories[key]
                wait = memory.wait
                if wait is not None and wait.what != "event":
                    dues.append(
                        Due(wait.deadline, wait.armed, self.place(key), session.did_by, name, key)
                    )
                silent_at = self.silence_deadline(session, memory, rule)
                if silent_at is not None:
                    armed = max(session.did_by, memory.watched_by)
                    dues.append(Due(silent_at, armed, self.place(key), session.did_by, name, key))
        return min((due for due in dues if due.at <= until), default=None)

    def silence_deadline(self, session: Session, memory: Memory, rule: SessionRule) -> int | None:
        """6.2, 6.4: when the running turn will have been quiet for the rule's length."""
        if rule.silence is None or session.turn_started_at is None or memory.silence_is_over:
            return None
        return max(session.did_at + rule.silence, memory.watched_at)

    def fire(self, due: Due) -> list[PlainMatch]:
        """Complete a wait, or match a silence where the rest of its rule holds (6.3)."""
        self.now = due.at if self.now is None else max(self.now, due.at)
        session = self.sessions[due.session]
        memory = session.memories[due.key]
        rule = dict(self.watched())[due.key]
        if memory.wait is not None:
            satisfied_by = memory.wait.satisfied_by
            self.clear(memory)
            return [self.match(due.at, due.key, due.session, satisfied_by, rule)]
        memory.silence_is_over = True
        if self.filter_holds(rule.filter, due.session, session.facts) and self.state_holds(
            rule.when, session
        ):
            return [self.match(due.at, due.key, due.session, "turnStarted", rule)]
        return []

    def waiting(self) -> list[Waiting]:
        """5.5: what still waits, with its deadline, soonest first."""
        found = []
        for name, session in self.sessions.items():
            for key, rule in self.watched():
                memory = session.memories[key]
                wait = memory.wait
                if wait is not None and not (
                    wait.what == "event" and self.now is not None and wait.deadline < self.now
                ):
                    found.append((wait.what, wait.deadline, key, name))
                silent_at = self.silence_deadline(session, memory, rule)
                if silent_at is not None and self.filter_holds(rule.filter, name, session.facts):
                    found.append(("silence", silent_at, key, name))
        return [
            Waiting(
                what=what,
                automation=key[0],
                trigger=key[1],
                preset=key[2],
                session=name,
                deadline=deadline,
            )
            for what, deadline, key, name in sorted(
                found, key=lambda item: (item[1], self.place(item[2]), item[3])
            )
        ]

    # --- one input -------------------------------------------------------------------

    def take(self, input_: Input) -> list[PlainMatch]:
        """One input, after what was due at its instant; its matches in definition order."""
        at = self.taken_at(input_)
        if input_.at < at:
            self.late += 1
        self.now = at
        self.number += 1
        if isinstance(input_, SessionEvent):
            return self.event(input_, at)
        if isinstance(input_, TurnStarted):
            session = self.session(input_.session)
            session.facts = input_.facts
            session.running = True
            session.turn_tool_calls = 0
            session.turn_started_at = at
            self.session_did(session, at)
            self.break_idle_waits(session)
        elif isinstance(input_, Activity):
            session = self.session(input_.session)
            self.session_did(session, at)
            self.break_idle_waits(session)
        elif isinstance(input_, SessionEnded):
            self.sessions.pop(input_.session, None)
        elif isinstance(input_, DefinitionSaved):
            self.save(input_.automation)
        elif isinstance(input_, DefinitionRemoved):
            self.remove(input_.automation)
        elif isinstance(input_, GrantsChanged):
            before = self.watched()
            self.grants[input_.principal] = input_.grants
            self.rules_changed(before)
        return []

    def session(self, name: str) -> Session:
        """The session, which exists from the first input that names it."""
        if name not in self.sessions:
            self.sessions[name] = Session(memories={key: Memory() for key, _ in self.watched()})
        return self.sessions[name]

    def session_did(self, session: Session, at: int) -> None:
        """6.2: an event, a turn's start or activity ends the silence, and arms it again."""
        session.did_at = at
        session.did_by = self.number
        for memory in session.memories.values():
            memory.silence_is_over = False

    def break_idle_waits(self, session: Session) -> None:
        """5.3: a turn that started and activity break an idle wait, and are not counted."""
        for memory in session.memories.values():
            if memory.wait is not None and memory.wait.what == "idle":
                self.clear(memory)

    def event(self, event: SessionEvent, at: int) -> list[PlainMatch]:
        """An event: the state it tells, every rule in definition order, then the turn's end."""
        session = self.session(event.session)
        session.facts = event.facts
        session.running = event.running
        session.queued = event.queued
        session.turn_tool_calls = event.turn_tool_calls
        self.session_did(session, at)
        matches = []
        for key, rule in self.watched():
            satisfied_by = self.offer(event, at, session, rule, session.memories[key])
            if satisfied_by is not None:
                matches.append(self.match(at, key, event.session, satisfied_by, rule))
        if event.kind in ENDINGS:
            session.turn_started_at = None
        return matches

    # --- one rule and one event ------------------------------------------------------

    def offer(
        self, event: SessionEvent, at: int, session: Session, rule: SessionRule, memory: Memory
    ) -> str | None:
        """Offer an event to a rule. If it matches: the kind that satisfied the count."""
        if rule.silence is not None:
            return None
        wait = memory.wait
        if wait is not None and wait.what == "event":
            if at > wait.deadline:
                memory.wait = None
            elif isinstance(rule.then, EventWithin) and event.kind == rule.then.event:
                self.clear(memory)
                return wait.satisfied_by
        elif wait is not None:
            ends_absence = isinstance(rule.then, AbsentFor) and event.kind == rule.then.event
            breaks_quiet = isinstance(rule.then, IdleFor) and event.kind != "idle"
            if not ends_absence and not breaks_quiet:
                return None
            self.clear(memory)
        if not self.count_is_satisfied(event, at, session, rule, memory):
            return None
        return self.follow_up(event, at, rule, memory)

    def follow_up(
        self, event: SessionEvent, at: int, rule: SessionRule, memory: Memory
    ) -> str | None:
        """Section 5: without a ``then`` the rule matches; with one its wait begins."""
        if rule.then is None:
            return event.kind
        if isinstance(rule.then, EventWithin):
            what, length = "event", rule.then.within
        elif isinstance(rule.then, AbsentFor):
            what, length = "absent", rule.then.for_
        else:
            what, length = "idle", rule.then.for_
        memory.wait = Wait(
            what=what,
            deadline=at + length,
            satisfied_by=event.kind,
            armed=self.number,
        )
        return None

    def clear(self, memory: Memory) -> None:
        """5.4: completing or breaking a wait clears the hits."""
        memory.wait = None
        memory.hits = []

    def count_is_satisfied(
        self, event: SessionEvent, at: int, session: Session, rule: SessionRule, memory: Memory
    ) -> bool:
        """Sections 3 and 4: whether this event is the hit that reaches ``n``."""
        count = rule.count or Count()
        if count.within is not None:
            memory.hits = [hit for hit in memory.hits if at - hit.at <= count.within]
        if not self.is_counted(event, at, session, rule):
            if count.consecutive and self.breaks_a_row(event, rule):
                memory.hits = []
            return False
        call = event.tool if count.same_input else None
        if count.consecutive:
            memory.hits = [hit for hit in memory.hits if hit.call == call]
        memory.hits.append(Hit(at, call))
        if sum(hit.call == call for hit in memory.hits) >= count.n:
            memory.hits = [hit for hit in memory.hits if hit.call != call]
            return True
        self.forget_longest_untouched(memory)
        return False

    def forget_longest_untouched(self, memory: Memory) -> None:
        """4.4: at most 1 024 different calls are kept; the one longest untouched goes first."""
        latest = {hit.call: position for position, hit in enumerate(memory.hits)}
        if len(latest) > MOST_CALLS:
            stalest = min(latest, key=lambda call: latest[call])
            memory.hits = [hit for hit in memory.hits if hit.call != stalest]
            self.evicted += 1

    def breaks_a_row(self, event: SessionEvent, rule: SessionRule) -> bool:
        """4.3: whether an event that is not counted forgets the hits of a consecutive rule."""
        if rule.events <= ENDINGS:
            return event.kind in ENDINGS
        return event.kind != "idle" or "idle" in rule.events

    def is_counted(self, event: SessionEvent, at: int, session: Session, rule: SessionRule) -> bool:
        """3.1: the kind is selected, the filter holds and ``when`` holds."""
        return (
            event.kind in rule.events
            and self.filter_holds(rule.filter, event.session, session.facts)
            and self.state_holds(rule.when, session)
            and self.turn_is_long_enough(rule.when, event, at, session)
        )

    def filter_holds(self, wanted: Filter | None, session: str, facts: Facts) -> bool:
        """3.2: every key given holds; an empty list matches nothing."""
        if wanted is None:
            return True
        return all(
            (
                wanted.sessions is None or session in wanted.sessions,
                wanted.providers is None or facts.provider in wanted.providers,
                wanted.owners is None or facts.owner in wanted.owners,
                wanted.projects is None or facts.project in wanted.projects,
                wanted.folders is None or any(folder in wanted.folders for folder in facts.folders),
                wanted.automated is None or facts.automated == wanted.automated,
            )
        )

    def state_holds(self, when: When | None, session: Session) -> bool:
        """3.3 but for the turn's length: a missing flag equals neither, a missing number is 0."""
        if when is None:
            return True
        return all(
            (
                when.running is None or session.running == when.running,
                when.queued_at_least is None or (session.queued or 0) >= when.queued_at_least,
                when.tool_calls_at_least is None
                or (session.turn_tool_calls or 0) >= when.tool_calls_at_least,
            )
        )

    def turn_is_long_enough(
        self, when: When | None, event: SessionEvent, at: int, session: Session
    ) -> bool:
        """3.3: an ending is measured by the turn it ends, which is still known here."""
        if when is None or when.turn_longer_than is None:
            return True
        if session.turn_started_at is None:
            return False
        return at - session.turn_started_at >= when.turn_longer_than

    def match(
        self, at: int, key: RuleKey, session: str, event: str, rule: SessionRule
    ) -> PlainMatch:
        """8.1: what a match holds."""
        return PlainMatch(
            at=at,
            automation=key[0],
            trigger=key[1],
            preset=key[2],
            session=session,
            event=event,
            count=(rule.count or Count()).n,
        )

    # --- definitions -----------------------------------------------------------------

    def save(self, automation: Automation) -> None:
        """1.6, 7.1: a saved definition keeps its place, a new one goes last."""
        before = self.watched()
        self.automations[automation.resource] = automation
        self.on[automation.resource] = automation.definition.enabled
        self.rules_changed(before)

    def remove(self, resource: str) -> None:
        """An automation is taken out."""
        before = self.watched()
        self.automations.pop(resource, None)
        self.on.pop(resource, None)
        self.rules_changed(before)

    def switch(self, resource: str, *, on: bool) -> None:
        """9.1: switching off forgets; switching on is adding the rules."""
        before = self.watched()
        self.on[resource] = on
        self.rules_changed(before)

    def rules_changed(self, before: Sequence[tuple[RuleKey, SessionRule]]) -> None:
        """7.1: a changed or removed rule loses exactly its own, a new one starts from nothing."""
        old = dict(before)
        new = dict(self.watched())
        now = LONG_AGO if self.now is None else self.now
        for session in self.sessions.values():
            kept = {
                key: memory
                for key, memory in session.memories.items()
                if key in new and meaning(new[key]) == meaning(old[key])
            }
            session.memories = {
                key: kept.get(key) or Memory(watched_at=now, watched_by=self.number) for key in new
            }


def meaning(rule: SessionRule) -> tuple[object, ...]:
    """What has to be equal for two rules to be the same one.

    A part without keys says nothing. The one exception is the difference between a rule that
    is timed and one that is not (6.1), which is told apart by the length of its silence.
    """
    return (
        rule.events,
        rule.filter or Filter(),
        rule.count or Count(),
        rule.then,
        rule.when or When(),
        rule.silence,
    )
