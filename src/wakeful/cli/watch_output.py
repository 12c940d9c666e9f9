"""How ``wakeful watch`` shows what happens: a screen, a table that grows, or lines of JSON."""

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any, Protocol

from rich.console import Console
from rich.live import Live

from wakeful.cli.live_view import LiveView, Shown, plain
from wakeful.cli.wakes import WakesTable
from wakeful.core.statistics import Pending
from wakeful.hosting.live_state import LiveState
from wakeful.model.outputs import Decision
from wakeful.model.outputs import Output as EngineOutput
from wakeful.model.time import Instant
from wakeful.replay import decision_record, json_line


class Output(Protocol):
    """Where everything goes."""

    def begin(self, *, toggle: Callable[[], None], leave: Callable[[], None]) -> None:
        """The watch begins; it is told what to call to pause or resume, and to leave."""

    def end(self) -> None:
        """The watch is over."""

    def write(self, output: EngineOutput) -> None:
        """The engine gave an output."""

    def draw(
        self,
        now: Instant,
        live: LiveState,
        waiting: Sequence[Pending],
        notes: Sequence[str],
    ) -> None:
        """Time has passed."""

    def say(self, text: str, errors: Console) -> None:
        """Something went wrong, or is worth a line."""


class _Plain:
    """What the outputs share that are no screen."""

    def __init__(self) -> None:
        self._leave: Callable[[], None] | None = None

    def begin(self, *, toggle: Callable[[], None], leave: Callable[[], None]) -> None:  # noqa: ARG002 - the protocol's
        """Remember how to leave, for when nobody reads any more."""
        self._leave = leave

    def end(self) -> None:
        """Nothing."""

    def draw(self, now: Instant, live: LiveState, waiting: Sequence[Pending], notes: Any) -> None:
        """Nothing."""

    def say(self, text: str, errors: Console) -> None:
        """A line on standard error."""
        errors.print(plain(text), markup=False, soft_wrap=True)

    def _nobody_reads(self) -> None:
        """Whoever read has gone: leave, and let Python flush its last into nothing."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        if self._leave is not None:
            self._leave()


class JsonOutput(_Plain):
    """One decision a line, as ``wakeful replay --json`` writes it, each as soon as it is made."""

    def write(self, output: EngineOutput) -> None:
        """A line for a decision."""
        if isinstance(output, Decision):
            try:
                sys.stdout.write(json_line(decision_record(output)))
                sys.stdout.flush()
            except BrokenPipeError:
                self._nobody_reads()


class TableOutput(_Plain):
    """The table of ``wakeful replay``, a row for each decision as it is made."""

    def __init__(self, console: Console, zone: tzinfo, zone_name: str) -> None:
        super().__init__()
        self._table = WakesTable(console, zone=zone, zone_name=zone_name, matches=False)

    def write(self, output: EngineOutput) -> None:
        """A row for a decision."""
        if isinstance(output, Decision):
            try:
                self._table.write(output)
                sys.stdout.flush()
            except BrokenPipeError:
                self._nobody_reads()


class ScreenOutput:
    """The whole terminal, drawn anew twice a second; ``p`` pauses and resumes, ``q`` leaves."""

    def __init__(self, console: Console, zone: tzinfo) -> None:
        self._zone = zone
        self._console = console
        self._live = Live(console=console, screen=True, auto_refresh=False)
        self._keys = _Keys()
        self._said = ""

    def begin(self, *, toggle: Callable[[], None], leave: Callable[[], None]) -> None:
        """Take the terminal."""
        self._keys.begin({"p": toggle, "q": leave})
        self._live.start()

    def end(self) -> None:
        """Give the terminal back."""
        self._live.stop()
        self._keys.end()

    def write(self, output: EngineOutput) -> None:
        """Nothing: it is drawn with all else."""

    def draw(
        self,
        now: Instant,
        live: LiveState,
        waiting: Sequence[Pending],
        notes: Sequence[str],
    ) -> None:
        """Draw everything."""
        shown = Shown(
            now=now,
            sessions=tuple(reversed(live.sessions.values())),
            waiting=waiting,
            decisions=tuple(live.decisions),
            notes=[*notes, *([self._said] if self._said else [])],
        )
        self._live.update(LiveView(shown, self._zone), refresh=True)

    def say(self, text: str, errors: Console) -> None:
        """Keep it for the first line; without a screen yet, a line on standard error."""
        self._said = plain(text)
        if not self._live.is_started:
            errors.print(self._said, markup=False, soft_wrap=True)


class _Keys:
    """Keys that do something as they are pressed, where standard input is a terminal."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None

    def begin(self, actions: dict[str, Callable[[], None]]) -> None:
        if sys.stdin is None or not sys.stdin.isatty():
            return
        number = sys.stdin.fileno()
        self._before = termios.tcgetattr(number)
        tty.setcbreak(number)

        def pressed() -> None:
            for key in os.read(number, 64).decode("utf-8", "replace"):
                action = actions.get(key)
                if action is not None:
                    action()

        asyncio.get_running_loop().add_reader(number, pressed)

    def end(self) -> None:
        if self._before is not None:
            number = sys.stdin.fileno()
            asyncio.get_running_loop().remove_reader(number)
            termios.tcsetattr(number, termios.TCSADRAIN, self._before)
