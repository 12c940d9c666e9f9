"""One run of ``wakeful watch``: engine, follower, hooks, commands and what is shown, together."""

import asyncio
import signal
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, Literal

import attrs
from rich.console import Console

from wakeful.cli.status import INTERRUPTED, OK
from wakeful.cli.watch_output import Output
from wakeful.cli.words import length
from wakeful.core.engine import Engine
from wakeful.cron import Zone
from wakeful.errors import InvalidError
from wakeful.hosting import DelayedClock, Runner, Saved, ScaledClock, SystemClock, Trouble
from wakeful.hosting.commands import CommandRunner, Ended
from wakeful.hosting.following import LogFollower
from wakeful.hosting.hook_payloads import take_payload
from wakeful.hosting.hook_socket import HookSocket, SocketTakenError
from wakeful.hosting.live_state import LiveState
from wakeful.hosting.log_watching import watch_logs
from wakeful.hosting.stepping import ASLEEP_AFTER
from wakeful.hosting.watch_state import WatchState, read_watch_state, write_watch_state
from wakeful.logs.values import LineError
from wakeful.model.events import RunSettled
from wakeful.model.outputs import Decision, DecisionKind
from wakeful.model.time import Duration, Instant
from wakeful.reading import load_rules
from wakeful.replay import DEFAULTS, Replay, decision_record, json_line

_SAVE_EVERY: Final = 30.0
"""Seconds between two savings of the state."""

_DRAW_EVERY: Final = 0.5

_TOLD: Final = 20
"""How many lines that were not read are told of at the end."""

RunTimeOption = Duration | Literal["log", "none", "exec"]
"""How long runs last; ``exec``: as long as their command."""


@attrs.frozen(kw_only=True)
class Plan:
    """What is watched, and how."""

    folders: tuple[Path, ...]
    rules: tuple[str, ...]
    command: tuple[str, ...]
    command_seconds: float
    command_at_once: int
    state: Path | None
    socket: Path | None
    socket_is_asked: bool
    lag: Duration
    run_time: RunTimeOption
    format: str
    zone: Zone | None
    origin: Instant | None
    speed: float


async def watch(plan: Plan, output: Output, errors: Console) -> int:
    """Watch until somebody stops it; the exit status.

    Raises:
        InvalidError: Rules are refused.
        SnapshotError: The state is none.
        OSError: The state or the socket that was asked for cannot be had.
    """
    return await _Watch(plan, output, errors).run()


class _Watch:
    """One run of the command."""

    def __init__(self, plan: Plan, output: Output, errors: Console) -> None:
        self._plan = plan
        self._output = output
        self._errors = errors
        self._stop = asyncio.Event()
        self._status = OK
        self._live = LiveState()
        self._wakes = 0
        self._tasks: set[asyncio.Future[object]] = set()
        self._began = time.monotonic()
        scaled = plan.origin is not None or plan.speed != 1.0
        machine = SystemClock()
        self._clock = (
            ScaledClock(machine.now() if plan.origin is None else plan.origin, plan.speed)
            if scaled
            else machine
        )
        scale = max(plan.speed, 1.0)
        self._behind = DelayedClock(self._clock, int(plan.lag * scale))
        saved = None if plan.state is None else read_watch_state(plan.state)
        self._follower = LogFollower(
            plan.folders,
            since=self._behind.now(),
            format=plan.format,
            zone=None if plan.zone is None else plan.zone.tzinfo(),
            state=None if saved is None else saved.logs,
        )
        self._commands = (
            CommandRunner(
                plan.command,
                line=lambda decision: json_line(decision_record(decision)),
                ended=self._ended,
                seconds=plan.command_seconds,
                at_once=plan.command_at_once,
            )
            if plan.command
            else None
        )
        self._engine = self._begin(saved)
        self._runner = Runner(
            self._engine,
            self._wake,
            clock=self._behind,
            source=self._follower,
            listener=output.write,
            observers=[self._live],
            trouble=self._trouble,
            asleep_after=int(ASLEEP_AFTER * scale),
            saved=None
            if saved is None
            else Saved(snapshot=saved.snapshot, owed=saved.owed, going=()),
        )

    def _begin(self, saved: WatchState | None) -> Engine:
        rules = load_rules(self._plan.rules)
        run_time = "log" if self._plan.run_time == "exec" else self._plan.run_time
        settings = attrs.evolve(DEFAULTS, run_time=run_time)
        if saved is not None:
            restored = Engine.restore(saved.snapshot, rules.automations, settings=settings)
            for output in restored.outputs:
                self._output.write(output)
            for each in restored.let_go:
                self._say(f"let go of what was saved: {each}")
            return restored.engine
        # A replay minds the types that rules name and nothing declares; so does this.
        replay = Replay(
            rules.automations, types=rules.types, settings=settings, at=self._behind.now()
        )
        for output in replay.outputs(()):
            self._output.write(output)
        return replay.engine

    async def run(self) -> int:
        """Watch until somebody stops it; the exit status."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._end, INTERRUPTED)
        loop.add_signal_handler(signal.SIGTERM, self._end, OK)
        self._follower.scan()
        async with AsyncExitStack() as stack:
            stack.callback(self._follower.close)
            await self._listen(stack)
            self._output.begin(toggle=self._toggle, leave=self._end)
            stack.callback(self._output.end)
            await stack.enter_async_context(self._runner)
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(watch_logs(self._follower, self._runner.nudge, self._stop))
                    tasks.create_task(self._draw())
                    tasks.create_task(self._save_now_and_then())
            finally:
                await self._finish()
        self._sum_up()
        return self._status

    async def _listen(self, stack: AsyncExitStack) -> None:
        socket = self._plan.socket
        if socket is None:
            return
        listener = HookSocket(socket, self._payload, self._say)
        try:
            await stack.enter_async_context(listener)
        except (SocketTakenError, OSError) as problem:
            if self._plan.socket_is_asked:
                raise
            self._say(f"no hooks are heard: {problem}")

    def _end(self, status: int = OK) -> None:
        self._status = status
        self._stop.set()

    def _toggle(self) -> None:
        if self._runner.is_paused:
            self._runner.resume()
        else:
            self._runner.pause()

    # -- what happens -----------------------------------------------------------------------

    async def _wake(self, decision: Decision) -> None:
        self._wakes += 1
        if self._commands is not None:
            self._commands.run(decision)

    def _ended(self, ended: Ended) -> None:
        if ended.outcome != "completed":
            status = "" if ended.status is None else f"status {ended.status}: "
            self._say(f"the command of {ended.decision.automation}: {status}{ended.message}")
        decision = ended.decision
        if self._plan.run_time != "exec" or self._stop.is_set():
            return
        if decision.run is not None and decision.kind is not DecisionKind.STEER:
            outcome: Literal["completed", "failed"] = (
                "completed" if ended.outcome == "completed" else "failed"
            )
            settled = RunSettled(
                automation=decision.automation,
                run=decision.run,
                outcome=outcome,
                at=self._behind.now(),
            )
            task: asyncio.Future[object] = asyncio.ensure_future(self._runner.feed(settled))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _payload(self, payload: bytes) -> None:
        try:
            take_payload(payload, self._follower, self._clock.now())
        except (LineError, InvalidError) as problem:
            self._say(f"a hook's payload was not read: {problem}")
        self._runner.nudge()

    def _trouble(self, trouble: Trouble) -> None:
        self._say(trouble.message)

    def _say(self, text: str) -> None:
        self._output.say(text, self._errors)

    # -- now and then -----------------------------------------------------------------------

    async def _draw(self) -> None:
        while not self._stop.is_set():
            self._output.draw(self._behind.now(), self._live, self._engine.pending(), self._notes())
            await _pause(self._stop, _DRAW_EVERY)

    def _notes(self) -> list[str]:
        notes = []
        if self._runner.is_paused:
            notes.append(f"paused, {len(self._runner.held)} held")
        if self._commands is not None:
            notes.append(f"{self._commands.running} commands")
        if self._follower.report.unreadable:
            notes.append(f"{self._follower.report.unreadable} lines not read")
        return notes

    async def _save_now_and_then(self) -> None:
        while not self._stop.is_set():
            await _pause(self._stop, _SAVE_EVERY)
            waiting = () if self._commands is None else self._commands.waiting
            self._save((*self._runner.owed, *waiting))

    def _save(self, owed: tuple[Decision, ...]) -> None:
        path = self._plan.state
        if path is None:
            return
        snapshot = self._engine.snapshot()
        state = WatchState(snapshot=snapshot, logs=self._follower.state(), owed=owed)
        try:
            write_watch_state(path, state)
        except OSError as problem:
            self._say(f"the state was not saved: {path}: {problem.strerror or problem}")

    async def _finish(self) -> None:
        self._stop.set()
        saved = await self._runner.close()
        waiting = () if self._commands is None else await self._commands.close()
        self._save((*saved.owed, *waiting))
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _sum_up(self) -> None:
        report = self._follower.report
        spent = length(int((time.monotonic() - self._began) * 1_000))
        told = [f"{self._live.taken:,} inputs", f"{self._wakes:,} wakes"]
        if report.unreadable:
            told.append(f"{report.unreadable:,} lines not read")
        self._errors.print(f"watched {spent}: {', '.join(told)}", markup=False)
        for problem in report.problems[:_TOLD]:
            self._errors.print(str(problem), markup=False)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
