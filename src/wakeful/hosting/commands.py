"""A command a wake: run without a shell, with the decision on its standard input.

What the command is, is its user's; what a log says never becomes a part of it. It has a
time limit, only so many run at once, and the others wait in order. A command that fails, hangs
or is not there is told of.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Literal

import attrs

from wakeful.model.outputs import Decision

_KEPT: Final = 2_000
"""How much of what a command says on standard error is told, in bytes."""

_AFTER_TERM: Final = 2.0
"""Seconds that a command has after it was asked to end."""


@attrs.frozen(kw_only=True)
class Ended:
    """A command that is over.

    Attributes:
        decision: The wake it was run for.
        status: Its exit status; negative: the signal it died of; ``None``: it never began, or took
            longer than it may.
        outcome: ``completed`` for status 0, ``timedOut``, or ``failed``.
        message: What it said on standard error, or why it did not begin; shortened.
    """

    decision: Decision
    status: int | None
    outcome: Literal["completed", "failed", "timedOut"]
    message: str


class CommandRunner:
    """Runs a command for each wake.

    Args:
        command: The program and its arguments.
        line: Makes the line that is its standard input.
        ended: Is told of each that is over.
        seconds: How long one may take.
        at_once: How many may run at the same time.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        line: Callable[[Decision], str],
        ended: Callable[[Ended], None],
        seconds: float = 60.0,
        at_once: int = 4,
    ) -> None:
        self._command = tuple(command)
        self._line = line
        self._ended = ended
        self._seconds = seconds
        self._at_once = at_once
        self._waiting: deque[Decision] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> int:
        """How many run now."""
        return len(self._tasks)

    @property
    def waiting(self) -> tuple[Decision, ...]:
        """The wakes whose command waits for others to end."""
        return tuple(self._waiting)

    def run(self, decision: Decision) -> None:
        """Run it for a wake, now or when another has ended."""
        self._waiting.append(decision)
        self._begin()

    async def close(self, grace: float = 5.0) -> tuple[Decision, ...]:
        """Let those that run go on for so many seconds, then end them. None begins any more.

        Returns:
            The wakes whose command never began.
        """
        owed = tuple(self._waiting)
        self._waiting.clear()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=grace)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return owed

    def _begin(self) -> None:
        while self._waiting and len(self._tasks) < self._at_once:
            task = asyncio.create_task(self._run(self._waiting.popleft()))
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._begin()

    async def _run(self, decision: Decision) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as problem:
            message = f"{self._command[0]}: {problem.strerror or problem}"
            self._tell(decision, None, "failed", message)
            return
        said = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                await asyncio.gather(
                    _write(process, self._line(decision)), _listen(process, said), process.wait()
                )
        except TimeoutError:
            await _end(process)
            message = f"took over {self._seconds:g} s"
            self._tell(decision, None, "timedOut", message)
            return
        except asyncio.CancelledError:
            await _end(process)
            raise
        outcome: Literal["completed", "failed"] = "failed" if process.returncode else "completed"
        self._tell(decision, process.returncode, outcome, said.decode("utf-8", "replace").strip())

    def _tell(
        self,
        decision: Decision,
        status: int | None,
        outcome: Literal["completed", "failed", "timedOut"],
        message: str,
    ) -> None:
        self._ended(Ended(decision=decision, status=status, outcome=outcome, message=message))


async def _write(process: asyncio.subprocess.Process, line: str) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for
    with suppress(BrokenPipeError, ConnectionResetError):  # it need not read it
        process.stdin.write(line.encode())
        await process.stdin.drain()
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.close()
        await process.stdin.wait_closed()


async def _listen(process: asyncio.subprocess.Process, said: bytearray) -> None:
    """Read all that it says, and keep the beginning."""
    assert process.stderr is not None  # noqa: S101 - it was asked for
    while part := await process.stderr.read(1 << 16):
        said += part[: _KEPT - len(said)]


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command and what it has begun."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(_AFTER_TERM):
                await process.wait()
                return
