"""From decisions to runs, and from what sessions do to how a run ends.

The engine decides; this records, tells and asks the host. A run is recorded (pending) and
told before anything is asked of anybody; its template is checked then, and what no longer
holds fails it before it began; else it is running, and its session is asked for. The end of
a turn in a session's default chat ends the run once no other session of it works.

Outputs of the engine are taken in their order, one queue for all: recording a run feeds the
engine again, and what comes of that waits its turn, so that each start is claimed by the
run that was made for it. What the host is asked for waits until all is recorded, so that it
may call back at once.
"""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from wakeful.catalogue import refusals
from wakeful.catalogue.actions import (
    LifecycleChanged,
    PrimarySessionChanged,
    RunAction,
    SessionRemoved,
    SessionSet,
)
from wakeful.catalogue.broadcasting import Broadcast
from wakeful.catalogue.converting import write
from wakeful.catalogue.entries import Entries
from wakeful.catalogue.grants import Access
from wakeful.catalogue.host import Host, Knowledge, Start, Steer
from wakeful.catalogue.ledger import Ending, Ledger, Run
from wakeful.catalogue.lifecycles import Cancelled, Completed, ErrorInfo, Failed, Lifecycle
from wakeful.catalogue.origins import ManualOrigin, RunOrigin, SessionOrigin
from wakeful.catalogue.starts import StartChecks, host_error, message_of, origin_of
from wakeful.catalogue.turns import Turns
from wakeful.core.engine import Engine
from wakeful.model.events import (
    Press,
    RunLinked,
    RunOutcome,
    RunSettled,
    RunStarted,
    SessionEnded,
    SteerFailed,
)
from wakeful.model.outputs import Decision, DecisionKind, Output, Reason
from wakeful.model.time import Instant, format_instant

NameRun = Callable[[Decision], str]
"""Makes the URI of the run that a decision starts; never the same twice."""


class Executions:
    """Carries decisions out, and follows the runs to their end."""

    def __init__(  # noqa: PLR0913 - the parts of a catalogue, by name
        self,
        *,
        engine: Engine,
        host: Host,
        knowledge: Knowledge,
        access: Access,
        entries: Entries,
        ledger: Ledger,
        broadcast: Broadcast,
        name_run: NameRun,
    ) -> None:
        self._engine = engine
        self._host = host
        self._checks = StartChecks(access, knowledge)
        self._entries = entries
        self._ledger = ledger
        self._broadcast = broadcast
        self._name_run = name_run
        self._turns = Turns()

        self._outputs: deque[Output] = deque()
        self._asks: deque[Callable[[], None]] = deque()
        self._taking = False

    # Outputs

    def take(self, outputs: Iterable[Output]) -> None:
        """Carry out what the engine gave, in order, and what comes of that."""
        self._outputs.extend(outputs)
        if self._taking:
            return
        self._taking = True
        try:
            while self._outputs:
                output = self._outputs.popleft()
                if isinstance(output, Decision):
                    self._carry_out(output)
        finally:
            self._taking = False
        self._entries.pass_dates(self._now)

    def ask(self) -> None:
        """Ask the host for what waits to be asked; it may call back."""
        while self._asks:
            self._asks.popleft()()

    def _carry_out(self, decision: Decision) -> None:
        match decision.kind:
            case DecisionKind.START | DecisionKind.RELEASE:
                self._begin(decision)
            case DecisionKind.ANSWER if decision.reason is Reason.CHAT_BUSY:
                self._answer_busy(decision)
            case DecisionKind.STEER:
                self._steer(decision)
            case DecisionKind.DROP if decision.reason is Reason.SKIPPED:
                self._note_drop(decision)
            case _:
                pass  # what waits, waits in the engine; what is refused is told where it was asked
        self._entries.refresh(decision.automation)

    @property
    def _now(self) -> Instant:
        return self._engine.now or 0

    # Starting

    def press(self, resource: str, request: str, at: Instant) -> str:
        """Somebody pressed Run: the run that is the answer.

        Raises:
            RefusedError: In the words for why not.
        """
        entry = self._entries.find(resource)
        if entry is None:
            raise refusals.not_found(resource)
        most = self._engine.settings.limits.request
        if len(request) > most:
            raise refusals.request_too_long(len(request), most)
        known = self._ledger.answering(request)
        if known is not None:
            if known.automation != resource:
                raise refusals.request_used(request)
            return known.resource
        outputs = self._engine.feed(Press(automation=resource, request_id=request, at=at))
        pressed = next(
            each
            for each in reversed(outputs)
            if isinstance(each, Decision) and each.request_id == request
        )
        self.take(outputs)
        match pressed.reason:
            case Reason.OWNER_UNKNOWN:
                raise refusals.owner_not_met(entry.owner)
            case Reason.REQUEST_ID_EMPTY:
                raise refusals.RefusedError(refusals.EMPTY_REQUEST)
            case Reason.REQUEST_ID_USED:
                raise refusals.request_used(request)
            case _:
                run = self._ledger.answering(request)
        if run is None:
            run = self._ledger.find(pressed.run or "")
            if run is None:
                raise refusals.request_lost(request)
            self._ledger.answer(run, request)
            self._entries.refresh(resource)
        return run.resource

    def _begin(self, decision: Decision) -> None:
        entry = self._entries[decision.automation]
        run = self._record(decision, origin_of(decision, entry))
        kept = self._entries.refresh(run.automation)
        self.take(
            self._engine.feed(RunStarted(automation=run.automation, run=run.resource, at=self._now))
        )
        if not kept:
            self._fail(run, refusals.UNAVAILABLE)
            return
        chat = self._checks.chat_of(entry)
        refused = self._checks.refusal(entry, chat)
        if refused is not None:
            self._end_failed(run, refused)
            return
        self._ledger.begin(run, self._now)
        self._tell_lifecycle(run)
        start = Start(
            automation=run.automation,
            run=run.resource,
            owner=entry.owner,
            template=entry.definition.session,
            message=message_of(entry, decision.message),
            origin=SessionOrigin(automation=run.automation, run=run.resource),
            session=chat,
        )
        self._asks.append(partial(self._start, run, start))

    def _record(self, decision: Decision, origin: RunOrigin) -> Run:
        run = self._ledger.record(
            self._name_run(decision), decision.automation, origin, decision.at
        )
        if decision.request_id is not None:
            self._ledger.answer(run, decision.request_id)
        return run

    def _start(self, run: Run, start: Start) -> None:
        if run.is_over:
            return  # it was stopped before anybody was asked
        try:
            self._host.start(start)
        except Exception as error:  # noqa: BLE001 - what a host cannot start is a run that failed
            self._fail(run, str(error) or type(error).__name__)

    def _answer_busy(self, decision: Decision) -> None:
        """A press into a chat that runs somebody's own turn: a run that failed for it."""
        run = self._record(decision, ManualOrigin())
        self._fail(run, refusals.CHAT_BUSY, settle=False)

    # While a run is going

    def _steer(self, decision: Decision) -> None:
        steer = Steer(
            automation=decision.automation,
            run=decision.run,
            session=decision.into or "",
            message=decision.message or "",
        )
        self._asks.append(partial(self._send, steer))

    def _send(self, steer: Steer) -> None:
        try:
            self._host.steer(steer)
        except Exception:  # noqa: BLE001 - what a host cannot deliver waits for the next run
            self.steer_failed(steer, self._now)

    def steer_failed(self, steer: Steer, at: Instant) -> None:
        """A steer was not delivered; the wake waits. Into somebody's own turn, it is lost."""
        if steer.run is not None:
            failed = SteerFailed(automation=steer.automation, run=steer.run, at=at)
            self.take(self._engine.feed(failed))

    def _note_drop(self, decision: Decision) -> None:
        run = self._ledger.find(decision.run or "")
        if run is not None:
            run.dropped += 1
            self._tell_lifecycle(run)

    def link(self, resource: str, session: str, default_chat: str, at: Instant) -> bool:
        """A session belongs to a run; whether the run still wants its message sent."""
        run = self._ledger.find(resource)
        if run is None:
            return False
        linked = RunLinked(automation=run.automation, run=resource, session=session, at=at)
        self.take(self._engine.feed(linked))
        if run.is_over:
            return False
        self._turns.default_is(session, default_chat)
        if self._ledger.link(run, session):
            if self._turns.works(session):
                run.not_its_own.add(session)
            self._tell(run, SessionSet(session=session))
            if run.primary_session is None:
                self._make_primary(run, session)
        self._entries.keep_chat(run.automation, session)
        self._entries.refresh(run.automation)
        return True

    def make_primary(self, resource: str, session: str | None) -> None:
        """Another session is the run's first to look at; one that is not its own is not."""
        run = self._ledger.find(resource)
        if (
            run is not None
            and run.primary_session != session
            and (session is None or session in run.sessions)
        ):
            self._make_primary(run, session)
            self._entries.refresh(run.automation)

    def _make_primary(self, run: Run, session: str | None) -> None:
        run.primary_session = session
        self._tell(run, PrimarySessionChanged(primary_session=session))

    def remove_session(self, session: str, at: Instant) -> None:
        """A session is no more: its runs go on in others, or are over."""
        self._turns.forget(session)
        self.take(self._engine.feed(SessionEnded(session, at)))
        for run in self._ledger.in_session(session):
            self._ledger.unlink(run, session)
            was_primary = run.primary_session == session
            run.primary_session = None if was_primary else run.primary_session
            self._tell(run, SessionRemoved(session=session))
            if was_primary and run.sessions:
                self._make_primary(run, run.sessions[0])
            if not run.is_over:
                if run.ending is not None:
                    self._end_if_quiet(run)
                elif not run.sessions:
                    self._fail(run, refusals.SESSION_GONE)
            self._entries.refresh(run.automation)

    # The end

    def start_turn(self, session: str, chat: str) -> None:
        """A turn began."""
        self._turns.start(session, chat)
        if self._turns.is_default(session, chat):
            for run in self._ledger.in_session(session):
                run.not_its_own.discard(session)

    def end_turn(self, session: str, chat: str, ending: Ending) -> None:
        """A turn is over. A side chat's settles nothing, nor does one that was not the run's."""
        self._turns.end(session, chat)
        if not self._turns.is_default(session, chat):
            return
        for run in self._ledger.in_session(session):
            if run.is_over:
                continue
            if session in run.not_its_own:
                run.not_its_own.discard(session)
                continue
            run.ending = ending
            self._end_if_quiet(run)

    def _end_if_quiet(self, run: Run) -> None:
        ending = run.ending
        if ending is None or any(
            self._turns.works(session) and session not in run.not_its_own
            for session in run.sessions
        ):
            return
        match ending.outcome:
            case "completed":
                now = format_instant(self._now)
                lifecycle = Completed(
                    created_at=run.lifecycle.created_at,
                    started_at=run.started_at or now,
                    completed_at=now,
                    usage=ending.usage,
                )
                self._end(run, lifecycle, "completed")
            case "cancelled":
                self._end_cancelled(run)
            case "failed":
                self._end_failed(run, ending.error or host_error("The turn failed."))

    def fail(self, resource: str, error: ErrorInfo) -> None:
        """A run could not go on, or its session could not be made."""
        run = self._ledger.find(resource)
        if run is not None and not run.is_over:
            self._end_failed(run, error)

    def check_cancel(self, run: Run) -> None:
        """Ask whether a run can be stopped now.

        Raises:
            RefusedError: It is over, or none of its sessions runs a turn of its own.
        """
        if run.is_over:
            raise refusals.run_over(run.resource)
        if run.sessions and not self._stoppable(run):
            raise refusals.not_cancelled(run.resource)

    def cancel(self, run: Run) -> None:
        """Stop a run: at once where it has no session, else by stopping its turns."""
        if not run.sessions:
            self._end_cancelled(run)
            return
        for session in self._stoppable(run):
            self._asks.append(partial(self._stop_turn, run, session))

    def _stoppable(self, run: Run) -> list[str]:
        """The sessions that run a turn of the run's own, and not somebody else's."""
        return [
            session
            for session in run.sessions
            if self._turns.runs(session) and session not in run.not_its_own
        ]

    def _stop_turn(self, run: Run, session: str) -> None:
        with suppress(Exception):  # the turn goes on then, and so does the run
            self._host.cancel(run.resource, session)

    def interrupt(self, live: Iterable[str]) -> None:
        """The host was away: runs that do not live any more have failed.

        The engine is told by the ``Resumed`` that follows.
        """
        living = frozenset(live)
        for run in self._ledger.all_going():
            if run.resource not in living:
                self._fail(run, refusals.INTERRUPTED, settle=False)

    def _fail(self, run: Run, message: str, *, settle: bool = True) -> None:
        self._end_failed(run, host_error(message), settle=settle)

    def _end_failed(self, run: Run, error: ErrorInfo, *, settle: bool = True) -> None:
        lifecycle = Failed(
            created_at=run.lifecycle.created_at,
            started_at=run.started_at,
            completed_at=format_instant(self._now),
            error=error,
        )
        outcome: RunOutcome = "notStarted" if run.started_at is None else "failed"
        self._end(run, lifecycle, outcome if settle else None)

    def _end_cancelled(self, run: Run) -> None:
        lifecycle = Cancelled(
            created_at=run.lifecycle.created_at,
            started_at=run.started_at,
            completed_at=format_instant(self._now),
        )
        self._end(run, lifecycle, "cancelled")

    def _end(self, run: Run, lifecycle: Lifecycle, outcome: RunOutcome | None) -> None:
        run.lifecycle = lifecycle
        self._tell_lifecycle(run)
        self._ledger.end(run, lifecycle)
        if self._entries.find(run.automation) is None:
            self._ledger.forget_over(run.automation)
        self._entries.refresh(run.automation)
        if outcome is not None:
            settled = RunSettled(
                automation=run.automation, run=run.resource, outcome=outcome, at=self._now
            )
            self.take(self._engine.feed(settled))

    def _tell_lifecycle(self, run: Run) -> None:
        self._tell(run, LifecycleChanged(lifecycle=run.lifecycle, meta=run.meta))

    def _tell(self, run: Run, action: RunAction) -> None:
        self._broadcast.tell(write(action), run=run.resource)
