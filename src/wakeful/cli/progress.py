"""How far the reading of a log has come, on a terminal and nowhere else."""

from collections.abc import Iterator, Sequence
from time import monotonic
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from wakeful.logs.stream import LogStream
from wakeful.model.events import Input

_EVERY: Final = 0.1
"""Seconds between two drawings."""

_AFTER: Final = 0.5
"""Seconds until the first one: a short log needs no bar."""


class ReadingProgress:
    """A bar on standard error: bytes read, rate, time left.

    Args:
        console: Standard error.
        quiet: Show nothing on a terminal either.

    Attributes:
        shown: Whether the bar stands on the terminal now.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._enabled = console.is_terminal and not quiet
        # Drawn by the loop that reads, not by a thread. Standard output is not redirected:
        # it may be a file.
        self._bar = Progress(
            TextColumn("reading"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("reading", total=None)
        self._drawn_at = monotonic() + _AFTER - _EVERY
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def follow(self, stream: LogStream) -> "Followed":
        """The stream's inputs, drawing the bar from time to time."""
        return Followed(self, stream)

    def stop(self) -> None:
        """Take the bar off the terminal."""
        if self.shown:
            self._bar.stop()
            self.shown = False

    def draw(self, stream: LogStream) -> None:
        """Draw how far the stream is, where that shows and it is time."""
        if not self._enabled:
            return
        now = monotonic()
        if now - self._drawn_at < _EVERY:
            return
        self._drawn_at = now
        if not self.shown:
            self._bar.start()
            self.shown = True
        report = stream.report
        self._bar.update(self._task, completed=report.bytes_read, total=report.bytes_total)
        self._bar.refresh()


class Followed:
    """A stream's inputs, one by one or in batches, while a bar shows how far it is."""

    def __init__(self, progress: ReadingProgress, stream: LogStream) -> None:
        self._progress = progress
        self._stream = stream

    def __iter__(self) -> Iterator[Input]:
        for batch in self.batches():
            yield from batch

    def batches(self) -> Iterator[Sequence[Input]]:
        """The batches of the stream."""
        for batch in self._stream.batches():
            self._progress.draw(self._stream)
            yield batch
