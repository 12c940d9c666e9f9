"""One automation's door: from a match of its own to a decision (semantics, section 9).

State, all of it in slots: the definition and whether it is on; the ledger of runs; the cap's
instants; the wake that waits; how many runs ``afterRuns`` has counted.

Order of the questions, and what stops a wake::

    on?         drop disabled
    own run?    drop ownRun
    going?      no: start
    overlap     parallel: start · skip: drop skipped · steer, a turn running: steer · else wait
    waiting?    yes: fold
    room?       start, steer and hold ask the cap: drop rateLimited

Only what would start, steer or begin to wait asks the cap; a fold has paid by the wake that
it folds into. Invariants: a wake waits only while something of the automation is going, and
only while it is on; a door that is off lets only presses through.

What lies elsewhere: all doors together, dates, deadlines and request ids in
:mod:`wakeful.core.gate`; the records in :mod:`wakeful.core.decisions`; what a run is told in
:mod:`wakeful.core.teller`.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from wakeful.core.cap import Cap
from wakeful.core.decisions import after_matches, decide, later, next_to, refuse
from wakeful.core.overflow import Overflow
from wakeful.core.plain import flag, optional_whole, whole
from wakeful.core.runs import Run, Runs
from wakeful.core.settings import Settings
from wakeful.core.settling import Settling
from wakeful.core.sight import Sight
from wakeful.core.teller import Teller
from wakeful.core.wakes import Occurrence, Told, Waiting
from wakeful.messages import FindType
from wakeful.model.automations import AfterDate, AfterRuns, Automation, Overlap
from wakeful.model.events import RunOutcome
from wakeful.model.outputs import Decision, DecisionKind, Match, OrderKey, Reason
from wakeful.model.time import Instant


@attrs.frozen(kw_only=True)
class Surroundings:
    """What all doors of a gate share.

    Attributes:
        turn_running: Whether a turn runs in a session.
        switched: Automations that a disable condition switched off, for the engine to drain.
        requests: The run that each request id stands for.
        overflow: Counts what was let go at bounds.
    """

    settings: Settings
    turn_running: Callable[[str], bool]
    sight: Sight
    find_type: FindType
    settling: Settling = attrs.field(factory=Settling)
    switched: list[str] = attrs.field(factory=list)
    requests: dict[str, Run] = attrs.field(factory=dict)
    overflow: Overflow = attrs.field(factory=Overflow)


class Door:
    """The gate of one automation. Every method is one step, or part of one, and returns data.

    The ``key`` a method takes is the step's place; decisions on a match have the match's own.
    """

    __slots__ = (
        "_around",
        "_max_runs",
        "_run_time",
        "_teller",
        "_turn_running",
        "automation",
        "cap",
        "chat",
        "date",
        "on",
        "order",
        "overlap",
        "pinned_session",
        "resource",
        "run_count",
        "runs",
        "waiting",
    )

    def __init__(self, resource: str, around: Surroundings) -> None:
        self._around = around
        self._turn_running = around.turn_running
        self.resource = resource
        self.order = 0
        self.automation: Automation | None = None
        self.on = False
        self.overlap: Overlap = "queue"
        self.chat: str | None = None
        self.pinned_session: str | None = None
        self.date: Instant | None = None
        self._max_runs: int | None = None
        self.run_count = 0
        settings = around.settings
        self._run_time = settings.run_time
        self._teller = Teller(around.find_type, tells=settings.messages)
        self.cap = Cap(settings.cap, settings.cap_window)
        self.runs = Runs(
            resource,
            kept=settings.runs_kept,
            most=settings.runs_going,
            requests=around.requests,
            overflow=around.overflow,
        )
        self.waiting: Waiting | None = None

    # The definition

    def state(self, now: Instant) -> dict[str, Any]:
        """What a restart must not lose, as plain data; the definition itself is the host's."""
        automation = self.automation
        return {
            "order": self.order,
            "enabled": None if automation is None else automation.definition.enabled,
            "on": self.on,
            "allowance": self.allowance_used,
            "hour": self.cap.state(now),
            "runs": self.runs.state(),
            "waiting": None if self.waiting is None else self.waiting.state(),
        }

    def take_over(
        self, saved: Mapping[str, Any], automation: Automation | None, key: OrderKey
    ) -> list[Decision]:
        """Go on from a state that :meth:`state` wrote, with the definition as it is now.

        An automation that a disable condition had switched off stays off: nobody has
        switched it on since. One whose definition was switched meanwhile is switched now.
        """
        self.order = whole(saved["order"])
        self.runs.take(saved["runs"])
        self.cap.take_over([whole(instant) for instant in saved["hour"]])
        self.waiting = None if saved["waiting"] is None else Waiting.restore(saved["waiting"])
        self.on = flag(saved["on"])
        used = optional_whole(saved["allowance"])
        self._max_runs, self.run_count = (None, 0) if used is None else (used + 1, used)
        if automation is None:
            self.on = False
            return self._drop_waiting(after_matches(key, self.order, 0))
        stays_off = saved["enabled"] is True and not self.on and automation.definition.enabled
        # To be on before it is saved is what keeps the count (protocol: kept unless switched on).
        self.on = self.on or stays_off
        decisions = self.save(automation, self.order, key)
        if stays_off and self.on:
            decisions += self.switch_off(after_matches(key, self.order, 1))
        return decisions

    def save(self, automation: Automation, order: int, key: OrderKey) -> list[Decision]:
        """Take a definition, new or again. Runs, the hour and what waits stay (semantics 9.6)."""
        definition = automation.definition
        self.order = order
        self._teller.take(definition, self.waiting)
        self.overlap = definition.overlap
        if definition.pinned and definition.pinned_session is not None:
            # It counts as linked, so the automation never hears of it (semantics 9.3, 9.4).
            self.runs.sessions.add(definition.pinned_session)
        self.pinned_session = definition.pinned_session
        self.automation = automation
        self.find_chat()

        max_runs = self._max_runs
        self._max_runs = self.date = None
        for condition in definition.disable_conditions:
            match condition:
                case AfterRuns():
                    self._max_runs = condition.max
                case AfterDate():
                    self.date = condition.date
        if max_runs is None or (definition.enabled and not self.on):
            self.run_count = 0

        met = self._max_runs is not None and self.run_count >= self._max_runs
        met = met or (self.date is not None and self.date <= key.at)
        key = after_matches(key, order, 0)
        if definition.enabled and met:
            return self.switch_off(key)
        if not definition.enabled:
            self.on = False
            return self._drop_waiting(key)
        self.on = True
        return self.release(key)

    def remove(self, key: OrderKey) -> list[Decision]:
        """Take the definition out. Runs that are going go on, and the hour is not forgotten."""
        self.on = False
        self.automation = self.chat = self.date = self._max_runs = None
        self.pinned_session = None
        return self._drop_waiting(after_matches(key, self.order, 0))

    def switch_off(self, key: OrderKey, *, late: bool = False) -> list[Decision]:
        """A disable condition is met: off, and what waited is dropped, at ``key``."""
        self.on = False
        self._around.switched.append(self.resource)
        return self._drop_waiting(key, late=late)

    def find_chat(self) -> None:
        """Work out the chat of a pinned automation: last linked, else as the host noted."""
        pinned = self.automation is not None and self.automation.definition.pinned
        self.chat = (self.runs.last_linked or self.pinned_session) if pinned else None

    @property
    def owner_unknown(self) -> bool:
        """Whether the owner is a user the host has not met, so that nobody can be asked."""
        owner = None if self.automation is None else self.automation.owner
        return owner is not None and owner.startswith("user:") and not self._around.sight.met(owner)

    @property
    def allowance_used(self) -> int | None:
        """The runs that ``afterRuns`` has counted; ``None`` without such a condition."""
        return None if self._max_runs is None else self.run_count

    @property
    def is_blank(self) -> bool:
        """Whether a removed automation has left nothing behind that could still matter."""
        return not (self.automation or self.runs.known or self.runs.sessions or self.cap.instants)

    # Wakes

    def decide(self, match: Match) -> list[Decision]:
        """An event's match: its first decision, and what follows from that in the same step."""
        if not self.on:
            return [decide(match, DecisionKind.DROP, Reason.DISABLED)]
        if match.session in self.runs.sessions:
            return [decide(match, DecisionKind.DROP, Reason.OWN_RUN)]
        return self._pass(match, capped=True)

    def occurrence(self, occurrence: Occurrence) -> list[Decision]:
        """A schedule's occurrence: the same road, without own-run check and cap (9.10)."""
        if not self.on:
            return [decide(occurrence, DecisionKind.DROP, Reason.DISABLED)]
        if self.owner_unknown:
            return [decide(occurrence, DecisionKind.DROP, Reason.OWNER_UNKNOWN)]
        return self._pass(occurrence, capped=False)

    def missed(self, occurrence: Occurrence) -> Decision:
        """What a schedule gives up after the host was away."""
        return decide(occurrence, DecisionKind.DROP, Reason.MISSED)

    def place_of(self, trigger: str) -> int:
        """Where a trigger stands in its definition."""
        return list(self._teller.triggers).index(trigger)

    def _pass(self, told: Told, *, capped: bool) -> list[Decision]:
        chat = self.chat
        going = self.runs.going
        overlap = self.overlap
        if overlap == "parallel" or not (going or (chat is not None and self._turn_running(chat))):
            if capped and not self.cap.take(told.at):
                return [decide(told, DecisionKind.DROP, Reason.RATE_LIMITED)]
            return self._start(told)
        if overlap == "skip":
            # The run it came during is named, so that the host can note it there (9.5).
            newest = self.runs.newest
            run = None if newest is None else newest.name
            return [decide(told, DecisionKind.DROP, Reason.SKIPPED, run)]
        target = self._steer_target() if overlap == "steer" else None
        if target is None and self.waiting is not None:
            self.waiting.fold(told)
            return [decide(told, DecisionKind.FOLD)]
        if capped and not self.cap.take(told.at):
            return [decide(told, DecisionKind.DROP, Reason.RATE_LIMITED)]
        if target is None:
            self.waiting = Waiting(told=told, count=told.count, since=told.at)
            return [decide(told, DecisionKind.HOLD)]
        return [self._steer(told, *target)]

    def _start(self, told: Told) -> list[Decision]:
        run = self._begin(told.key)
        message = self._teller.tell(told, told.count)
        decision = decide(told, DecisionKind.START, None, run.name, message)
        if self._max_runs is None:
            return [decision]
        self.run_count += 1
        if self.run_count < self._max_runs:
            return [decision]
        return [decision, *self.switch_off(next_to(told.key), late=told.late)]

    def _steer_target(self) -> tuple[Run | None, str] | None:
        """The run and session to steer into: where a turn is running (semantics 9.7)."""
        if self.chat is not None:
            return (self.runs.newest, self.chat) if self._turn_running(self.chat) else None
        for run in reversed(self.runs.going.values()):
            for session in reversed(run.sessions):
                if self._turn_running(session):
                    return run, session
        return None

    def _steer(self, told: Told, run: Run | None, session: str) -> Decision:
        if run is not None:
            if run.steers is None:
                run.steers = deque()
            run.steers.append(told)
        name = None if run is None else run.name
        message = self._teller.tell(told, told.count)
        return decide(told, DecisionKind.STEER, None, name, message, session)

    def release(self, key: OrderKey, *, late: bool = False) -> list[Decision]:
        """Start what waits, once, if nothing of the automation is going any more (9.9)."""
        waiting = self.waiting
        if waiting is None or self.is_going:
            return []
        self.waiting = None
        run = self._begin(key)
        told = waiting.told
        message = self._teller.tell(told, waiting.count, waiting.trigger)
        released = later(
            decide(told, DecisionKind.RELEASE, None, run.name, message),
            key,
            count=waiting.count,
            late=late,
        )
        self.run_count += self._max_runs is not None
        if self._max_runs is not None and self.run_count >= self._max_runs:
            self.switch_off(next_to(key))
        return [released]

    def _drop_waiting(self, key: OrderKey, *, late: bool = False) -> list[Decision]:
        waiting, self.waiting = self.waiting, None
        if waiting is None:
            return []
        dropped = decide(waiting.told, DecisionKind.DROP, Reason.DISABLED)
        return [later(dropped, key, count=waiting.count, late=late)]

    # Runs

    @property
    def is_going(self) -> bool:
        """Whether a run has not settled or, where pinned, a turn runs in the chat (9.4)."""
        return bool(self.runs.going) or (self.chat is not None and self._turn_running(self.chat))

    def run_started(self, name: str, session: str | None, key: OrderKey) -> list[Decision]:
        """A record names a run: a start's, or one that was started elsewhere."""
        run = self.runs.claim(name)
        if run is None:
            run = self.runs.elsewhere(name, key.at)
            self._time(run, key)
        return [] if session is None else self.link(run, session, key)

    def link(self, run: Run, session: str, key: OrderKey) -> list[Decision]:
        """A session belongs to a run; a pinned automation keeps to it from now on."""
        self.runs.link(run, session)
        self.find_chat()
        return self.release(after_matches(key, self.order, 0))

    def settle(
        self, run: Run, outcome: RunOutcome, key: OrderKey, *, late: bool = False
    ) -> list[Decision]:
        """A run is over, which may release what waits, at ``key``. Once: a second end is none."""
        if run.outcome is not None:
            return []
        self.runs.settle(run, outcome)
        return self.release(key, late=late)

    def steer_failed(self, run: Run, key: OrderKey) -> list[Decision]:
        """The oldest steer into a run not told as failed waits or folds; it has paid already."""
        if not run.steers:
            return []
        told = run.steers.popleft()
        first, second = (after_matches(key, self.order, n) for n in (0, 1))
        if self.waiting is None:
            self.waiting = Waiting(told=told, count=told.count, since=key.at)
            kind = DecisionKind.HOLD
        else:
            self.waiting.fold(told)
            kind = DecisionKind.FOLD
        held = later(decide(told, kind, Reason.NOT_DELIVERED), first, count=told.count)
        # A door that is off holds nothing: what would wait is dropped in the same step.
        return [held, *(self.release(second) if self.on else self._drop_waiting(second))]

    def press(self, request_id: str, key: OrderKey) -> Decision:
        """Somebody pressed Run: answered at once, also where the automation is off (9.11)."""
        key = after_matches(key, self.order, 0)
        if self.owner_unknown:
            return refuse(self.resource, request_id, Reason.OWNER_UNKNOWN, key)
        if not request_id:
            return refuse(self.resource, request_id, Reason.REQUEST_ID_EMPTY, key)
        run = self._around.requests.get(request_id)
        if run is not None and run.automation != self.resource:
            return refuse(self.resource, request_id, Reason.REQUEST_ID_USED, key)
        if run is None and (run := self.runs.newest) is not None:
            self.runs.request(run, request_id)
        elif run is None and self.is_going:
            run = self.runs.fail(key.at, request_id)
        elif run is None:
            run = self._begin(key, request_id)
            return Decision(
                at=key.at,
                automation=self.resource,
                kind=DecisionKind.START,
                key=key,
                run=run.name,
                message=self._teller.tell_press(key.at),
                request_id=request_id,
            )
        return Decision(
            at=key.at,
            automation=self.resource,
            kind=DecisionKind.ANSWER,
            key=key,
            reason=Reason.CHAT_BUSY if run.chat_busy else None,
            run=run.name,
            request_id=request_id,
        )

    def _begin(self, key: OrderKey, request_id: str | None = None) -> Run:
        run = self.runs.start(key.at)
        if request_id is not None:
            # Before it settles: where it is not kept, neither is the request id.
            self.runs.request(run, request_id)
        if self._run_time != "log":
            self._time(run, key)
        return run

    def _time(self, run: Run, started: OrderKey) -> None:
        run_time = self._run_time
        if run_time == "none":
            self.runs.settle(run, "completed")
        elif run_time != "log":
            self._around.settling.add(run, run_time, started=started, order=self.order)
