"""A slow, plain model of the gate: semantics 9, and the order of outputs of 1.6.

It drives a :class:`~models.plain_matcher.PlainMatcher` one step at a time: a step is one
input with its matches, or one due item. Nothing is kept that can be looked up: whether an
automation is going is asked of all its runs each time.

Schedules (9.10) and plugin events are not modelled.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import attrs

from models.plain_matcher import PlainMatch, PlainMatcher
from wakeful.model.automations import AfterDate, AfterRuns, Automation, AutomationDefinition
from wakeful.model.events import (
    DefinitionRemoved,
    DefinitionSaved,
    Input,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SteerFailed,
)


@attrs.frozen(kw_only=True)
class PlainDecision:
    """A decision. ``run`` is the run's number in the order that runs began, from 0."""

    at: int
    automation: str
    decision: str
    reason: str | None = None
    count: int | None = None
    trigger: str | None = None
    session: str | None = None
    event: str | None = None
    run: int | None = None
    request_id: str | None = None
    into: str | None = None


@attrs.frozen
class Wake:
    """A match on its way, or several folded into one: the newest event, the sum of counts."""

    number: int
    trigger: str
    session: str
    event: str
    count: int

    def folded_with(self, other: "Wake") -> "Wake":
        """9.8: the counts are added, the newest event is the one that is told."""
        newest = max(self, other, key=lambda wake: wake.number)
        return attrs.evolve(newest, count=self.count + other.count)


@attrs.define
class Run:
    """One run; ``name`` is what the log calls it, once a record has claimed it."""

    number: int
    name: str | None = None
    is_start: bool = True
    sessions: list[str] = attrs.field(factory=list)
    settled: bool = False
    chat_busy: bool = False
    settles_at: int | None = None
    armed: int = -1
    dropped: int = 0
    steers: list[Wake] = attrs.field(factory=list)


@attrs.define
class Gate:
    """What is kept of one automation, whatever its definition becomes."""

    runs: list[Run] = attrs.field(factory=list)
    waiting: Wake | None = None
    paid: list[int] = attrs.field(factory=list)
    run_count: int = 0
    linked: set[str] = attrs.field(factory=set)
    last_linked: str | None = None


class Item(NamedTuple):
    """Something due, with its place in the order of 1.6; a date passes before the rest."""

    at: int
    rank: int
    armed: int
    place: int
    number: int
    what: str
    automation: str


class PlainGate:
    """Automations, their runs, and what waits.

    Args:
        run_time: ``"log"``: a run lasts until a record settles it; milliseconds: it settles
            by itself; ``"none"``: it is over at once.
    """

    def __init__(
        self,
        automations: Iterable[Automation] = (),
        *,
        run_time: int | Literal["log", "none"] = "log",
        cap: int = 20,
        cap_window: int = 3_600_000,
        unowned_sees: bool = True,
        unmet_sees: bool = True,
    ) -> None:
        self.matcher = PlainMatcher(automations, unowned_sees=unowned_sees, unmet_sees=unmet_sees)
        self.gates = {resource: Gate() for resource in self.matcher.automations}
        for automation in self.matcher.automations.values():
            self.note_pinned(automation)
        self.requests: dict[str, tuple[str, Run]] = {}
        self.run_time = run_time
        self.cap = cap
        self.cap_window = cap_window
        self.unmet_sees = unmet_sees
        self.wakes = 0
        self.run_number = 0
        self.armed = -1
        self.outputs: list[PlainMatch | PlainDecision] = []

    # --- running ---------------------------------------------------------------------

    def run(
        self, inputs: Iterable[Input], until: int | None = None
    ) -> list[PlainMatch | PlainDecision]:
        """All outputs of a log, in order; with ``until``, time goes on to it."""
        for input_ in inputs:
            self.feed(input_)
        if until is not None:
            self.advance(until)
        return self.outputs

    def decisions(self) -> list[PlainDecision]:
        return [output for output in self.outputs if isinstance(output, PlainDecision)]

    def feed(self, input_: Input) -> None:
        """What is due first; then the input's matches, each decided; then what it lets go."""
        at = self.matcher.taken_at(input_)
        self.advance(at)
        was_on = self.matcher.on.copy()
        before = self.matcher.automations.copy()
        matches = self.matcher.take(input_)
        self.armed = self.matcher.number
        if isinstance(input_, DefinitionSaved):
            self.saved(input_.automation, before.get(input_.automation.resource), was_on, at)
        elif isinstance(input_, DefinitionRemoved):
            self.drop_waiting(input_.automation, at)
        elif isinstance(input_, RunStarted):
            self.run_started(input_, at)
        elif isinstance(input_, RunLinked):
            if (run := self.known_run(input_.automation, input_.run)) is not None:
                self.link(input_.automation, run, input_.session)
        elif isinstance(input_, RunSettled):
            self.run_settled(input_)
        elif isinstance(input_, SteerFailed):
            self.steer_failed(input_, at)
        elif isinstance(input_, Press):
            self.press(input_, at)
        elif isinstance(input_, Resumed):
            self.resumed(input_)
        self.decide_all(matches)
        self.release_all(at)

    def advance(self, until: int) -> None:
        """What is due by an instant: dates, waits and silences, runs that settle (1.6, 9.13)."""
        if self.matcher.now is not None and until < self.matcher.now:
            return
        while (item := self.next_item(until)) is not None:
            self.matcher.now = (
                item.at if self.matcher.now is None else max(self.matcher.now, item.at)
            )
            self.armed = item.armed
            if item.what == "date":
                self.switch_off(item.automation, item.at)
            elif item.what == "match":
                due = self.matcher.next_due(until)
                assert due is not None
                self.decide_all(self.matcher.fire(due))
            else:
                gate = self.gate(item.automation)
                next(run for run in gate.runs if run.number == item.number).settled = True
            self.release_all(item.at)
        self.matcher.now = until

    def next_item(self, until: int) -> Item | None:
        """The first of everything that is due by an instant."""
        items = []
        order = list(self.matcher.automations)
        for place, (resource, automation) in enumerate(self.matcher.automations.items()):
            date = end_date(automation.definition)
            if self.matcher.on[resource] and date is not None:
                items.append(Item(date, 0, 0, place, 0, "date", resource))
        due = self.matcher.next_due(until)
        if due is not None:
            items.append(Item(due.at, 1, due.armed, 0, 0, "match", due.key[0]))
        for resource, gate in self.gates.items():
            place = order.index(resource) if resource in order else len(order)
            for run in gate.runs:
                if run.settles_at is not None and not run.settled:
                    items.append(
                        Item(run.settles_at, 2, run.armed, place, run.number, "settle", resource)
                    )
        return min((item for item in items if item.at <= until), default=None)

    # --- looking things up -----------------------------------------------------------

    def gate(self, resource: str) -> Gate:
        return self.gates.get(resource, Gate())

    def definition(self, resource: str) -> AutomationDefinition | None:
        automation = self.matcher.automations.get(resource)
        return None if automation is None else automation.definition

    def turn_runs(self, session: str | None) -> bool:
        """Whether a turn is known to run; an ending's is over once its matches are decided."""
        known = self.matcher.sessions.get(session or "")
        return known is not None and known.turn_started_at is not None

    def chat(self, resource: str) -> str | None:
        """9.4: the chat of a pinned automation; ``None`` where it is not pinned or has none."""
        definition = self.definition(resource)
        if definition is None or not definition.pinned:
            return None
        return self.gate(resource).last_linked or definition.pinned_session

    def unsettled(self, resource: str) -> list[Run]:
        """The runs that have not settled, newest first."""
        return [run for run in reversed(self.gate(resource).runs) if not run.settled]

    def going(self, resource: str) -> bool:
        """9.4: a run that has not settled, or a turn running in a pinned automation's chat."""
        return bool(self.unsettled(resource)) or self.turn_runs(self.chat(resource))

    def is_own_run(self, resource: str, session: str) -> bool:
        """9.3: a session ever linked to a run of it, whatever became of run and session."""
        return session in self.gate(resource).linked

    def pays(self, resource: str, at: int) -> bool:
        """9.6: take one of the wakes of the window, if one is free (half-open)."""
        gate = self.gate(resource)
        gate.paid = [paid for paid in gate.paid if paid > at - self.cap_window]
        if len(gate.paid) >= self.cap:
            return False
        gate.paid.append(at)
        return True

    # --- from a match to a decision --------------------------------------------------

    def decide_all(self, matches: Iterable[PlainMatch]) -> None:
        """Each match is followed by its decision."""
        for match in matches:
            self.outputs.append(match)
            self.decide(match)

    def decide(self, match: PlainMatch) -> None:
        """The steps of 9.3 to 9.8, in their order."""
        resource, at = match.automation, match.at
        definition = self.definition(resource)
        gate = self.gate(resource)
        self.wakes += 1
        wake = Wake(self.wakes, match.trigger, match.session, match.event, match.count)
        if definition is None or not self.matcher.on[resource]:
            self.tell(at, resource, "drop", wake, reason="disabled")
        elif self.is_own_run(resource, match.session):
            self.tell(at, resource, "drop", wake, reason="ownRun")
        elif self.going(resource) and definition.overlap == "skip":
            noted_on = next(iter(self.unsettled(resource)), None)
            if noted_on is not None:
                noted_on.dropped += 1
            self.tell(at, resource, "drop", wake, reason="skipped", run=noted_on)
        elif not self.going(resource) or definition.overlap == "parallel":
            if self.asks_cap(at, resource, wake):
                self.start(at, resource, "start", wake)
        elif definition.overlap == "steer" and (target := self.steer_target(resource)) is not None:
            if self.asks_cap(at, resource, wake):
                run_, into = target
                if run_ is not None:
                    run_.steers.append(wake)
                self.tell(at, resource, "steer", wake, run=run_, into=into)
        elif gate.waiting is not None or self.asks_cap(at, resource, wake):
            self.hold(at, resource, wake)

    def asks_cap(self, at: int, resource: str, wake: Wake) -> bool:
        """9.6: a start, a wake that begins to wait and a steer ask; over it they are dropped."""
        if self.pays(resource, at):
            return True
        self.tell(at, resource, "drop", wake, reason="rateLimited")
        return False

    def steer_target(self, resource: str) -> tuple[Run | None, str] | None:
        """9.7: the newest unsettled run with a turn running, and its session linked last."""
        chat = self.chat(resource)
        if self.definition_is_pinned(resource):
            if chat is None or not self.turn_runs(chat):
                return None
            return next(iter(self.unsettled(resource)), None), chat
        for run in self.unsettled(resource):
            for session in reversed(run.sessions):
                if self.turn_runs(session):
                    return run, session
        return None

    def definition_is_pinned(self, resource: str) -> bool:
        definition = self.definition(resource)
        return definition is not None and definition.pinned

    def hold(self, at: int, resource: str, wake: Wake, reason: str | None = None) -> None:
        """9.8: one wake waits, another folds into it."""
        gate = self.gate(resource)
        if gate.waiting is None:
            gate.waiting = wake
            self.tell(at, resource, "hold", wake, reason=reason)
        else:
            gate.waiting = gate.waiting.folded_with(wake)
            self.tell(at, resource, "fold", wake, reason=reason)

    def start(self, at: int, resource: str, decision: str, wake: Wake) -> None:
        """Start a run by a trigger; the one that reaches the allowance switches off (9.13)."""
        gate = self.gate(resource)
        self.tell(at, resource, decision, wake, run=self.new_run(resource, at))
        gate.run_count += 1
        if self.allowance_is_used(resource):
            self.switch_off(resource, at)

    def new_run(
        self, resource: str, at: int, *, name: str | None = None, is_start: bool = True
    ) -> Run:
        run = Run(
            number=self.run_number,
            name=name,
            is_start=is_start,
            settled=self.run_time == "none",
            settles_at=at + self.run_time if isinstance(self.run_time, int) else None,
            armed=self.armed,
        )
        self.run_number += 1
        self.gate(resource).runs.append(run)
        return run

    def release_all(self, at: int) -> None:
        """9.9: when nothing of an automation is going any more, its waiting wake starts."""
        for resource in list(self.matcher.automations):
            gate = self.gate(resource)
            if gate.waiting is not None and not self.going(resource):
                wake, gate.waiting = gate.waiting, None
                self.start(at, resource, "release", wake)

    def tell(
        self,
        at: int,
        resource: str,
        decision: str,
        wake: Wake,
        *,
        reason: str | None = None,
        run: Run | None = None,
        into: str | None = None,
    ) -> None:
        self.outputs.append(
            PlainDecision(
                at=at,
                automation=resource,
                decision=decision,
                reason=reason,
                count=wake.count,
                trigger=wake.trigger,
                session=wake.session,
                event=wake.event,
                run=None if run is None else run.number,
                into=into,
            )
        )

    # --- switching -------------------------------------------------------------------

    def drop_waiting(self, resource: str, at: int) -> None:
        """9.1, 9.9: what was waiting is dropped, with its sum."""
        gate = self.gate(resource)
        if gate.waiting is not None:
            wake, gate.waiting = gate.waiting, None
            self.tell(at, resource, "drop", wake, reason="disabled")

    def switch_off(self, resource: str, at: int) -> None:
        self.matcher.switch(resource, on=False)
        self.drop_waiting(resource, at)

    def allowance_is_used(self, resource: str) -> bool:
        definition = self.definition(resource)
        most = None if definition is None else run_allowance(definition)
        return most is not None and self.gate(resource).run_count >= most

    def saved(
        self, automation: Automation, before: Automation | None, was_on: dict[str, bool], at: int
    ) -> None:
        """9.1, 9.13: switched off, switched on again, or past a condition as it is saved."""
        resource = automation.resource
        gate = self.gates.setdefault(resource, Gate())
        self.note_pinned(automation)
        switched_on = automation.definition.enabled and not was_on.get(resource, False)
        allowance_added = before is None or run_allowance(before.definition) is None
        if switched_on or allowance_added:
            gate.run_count = 0
        date = end_date(automation.definition)
        if (
            not automation.definition.enabled
            or (date is not None and date <= at)
            or self.allowance_is_used(resource)
        ):
            self.switch_off(resource, at)

    # --- what the host tells of runs -------------------------------------------------

    def known_run(self, resource: str, name: str) -> Run | None:
        return next((run for run in self.gate(resource).runs if run.name == name), None)

    def claim(self, resource: str, name: str) -> Run | None:
        """The automation's oldest start that no other record has claimed takes the name."""
        for run in self.gate(resource).runs:
            if run.is_start and run.name is None:
                run.name = name
                return run
        return None

    def link(self, resource: str, run: Run, session: str) -> None:
        run.sessions.append(session)
        self.gate(resource).linked.add(session)
        self.gate(resource).last_linked = session

    def note_pinned(self, automation: Automation) -> None:
        """9.4: ``pinnedSession`` counts as linked."""
        definition = automation.definition
        if definition.pinned and definition.pinned_session is not None:
            self.gate(automation.resource).linked.add(definition.pinned_session)

    def run_started(self, record: RunStarted, at: int) -> None:
        """A known run is linked; else it claims a start; else it was started elsewhere.

        Of an automation that is not there no run is started elsewhere.
        """
        run = self.known_run(record.automation, record.run) or self.claim(
            record.automation, record.run
        )
        known = self.definition(record.automation) is not None
        if run is None and known:
            run = self.new_run(record.automation, at, name=record.run, is_start=False)
        if run is not None and record.session is not None:
            self.link(record.automation, run, record.session)

    def run_settled(self, record: RunSettled) -> None:
        """An unknown run that did not start claims the oldest unclaimed start first."""
        run = self.known_run(record.automation, record.run)
        if run is None and record.outcome == "notStarted":
            run = self.claim(record.automation, record.run)
        if run is not None:
            run.settled = True

    def steer_failed(self, record: SteerFailed, at: int) -> None:
        """9.7: the oldest steer into that run not yet told; it has paid already."""
        run = self.known_run(record.automation, record.run)
        if run is None or not run.steers:
            return
        wake = run.steers.pop(0)
        if self.matcher.on.get(record.automation, False):
            self.hold(at, record.automation, wake, reason="notDelivered")
        else:
            self.tell(at, record.automation, "drop", wake, reason="disabled")

    def resumed(self, record: Resumed) -> None:
        """7.4: the runs that no longer live settle as failed."""
        if record.live is None:
            return
        for gate in self.gates.values():
            for run in gate.runs:
                if run.name not in record.live:
                    run.settled = True

    # --- presses ---------------------------------------------------------------------

    def press(self, press: Press, at: int) -> None:
        """9.11: answered at once."""
        resource, request_id = press.automation, press.request_id
        definition = self.definition(resource)
        reason = run = None
        decision = "refuse"
        asked = self.requests.get(request_id)
        if definition is None:
            reason = "unknownAutomation"
        elif self.owner_is_unknown(resource):
            reason = "ownerUnknown"
        elif request_id == "":
            reason = "requestIdEmpty"
        elif asked is not None and asked[0] != resource:
            reason = "requestIdUsed"
        elif asked is not None:
            decision, run = "answer", asked[1]
            reason = "chatBusy" if run.chat_busy else None
        elif self.unsettled(resource):
            decision, run = "answer", self.unsettled(resource)[0]
        elif self.turn_runs(self.chat(resource)):
            decision, reason = "answer", "chatBusy"
            run = self.new_run(resource, at, is_start=False)
            run.settled = run.chat_busy = True
        else:
            decision, run = "start", self.new_run(resource, at)
        if run is not None:
            self.requests[request_id] = (resource, run)
        self.outputs.append(
            PlainDecision(
                at=at,
                automation=resource,
                decision=decision,
                reason=reason,
                run=None if run is None else run.number,
                request_id=request_id,
            )
        )

    def owner_is_unknown(self, resource: str) -> bool:
        owner = self.matcher.automations[resource].owner
        return (
            owner is not None
            and owner.startswith("user:")
            and not self.unmet_sees
            and owner not in self.matcher.grants
        )


def run_allowance(definition: AutomationDefinition) -> int | None:
    """``afterRuns``, where the definition has it."""
    found = [each.max for each in definition.disable_conditions if isinstance(each, AfterRuns)]
    return found[0] if found else None


def end_date(definition: AutomationDefinition) -> int | None:
    """``afterDate``, where the definition has it."""
    found = [each.date for each in definition.disable_conditions if isinstance(each, AfterDate)]
    return found[0] if found else None
