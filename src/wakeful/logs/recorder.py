"""The recorder: what a host feeds its engine, written as a native log while it happens."""

import os
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from wakeful.logs.native_writer import write_native
from wakeful.model.events import Input, Tick
from wakeful.model.time import Instant

_BLOCK: Final = 1 << 16


class Recorder:
    """Writes inputs to a native log, each as one line, flushed before the call returns.

    Outputs are a function of the inputs alone, so a replay of the log gives the outputs
    that the host got, byte for byte. Record an input when the engine has taken it and
    before acting on what it gave; record time that was advanced to by :meth:`tick`.

    The file is appended to. A last line that a crash cut short is cut off first.
    """

    def __init__(
        self, path: str | PathLike[str], *, redact: bool = False, sync: bool = False
    ) -> None:
        """Open the log.

        Args:
            path: The file; made where it is not there.
            redact: Take titles and plugin data out, as :func:`write_native` does. Outputs
                that show them differ in a replay.
            sync: Wait for the disk after each line, so that a loss of power loses nothing.

        Raises:
            OSError: It cannot be written.
        """
        self._redact = redact
        self._sync = sync
        self._file: BinaryIO = _open_to_append(Path(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def record(self, one: Input) -> None:
        """Write one input.

        Raises:
            InvalidError: It cannot be written as a line; the log is as it was.
            OSError: The file cannot be written.
        """
        self._file.write(write_native(one, redact=self._redact).encode() + b"\n")
        self._file.flush()
        if self._sync:
            os.fsync(self._file.fileno())

    def tick(self, at: Instant) -> None:
        """Write that time has passed until ``at``, and nothing else."""
        self.record(Tick(at))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _open_to_append(path: Path) -> BinaryIO:
    """A file positioned behind its last whole line."""
    path.touch()
    file = path.open("r+b")
    end = file.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - _BLOCK)
        file.seek(begin)
        newline = file.read(end - begin).rfind(b"\n")
        if newline >= 0:
            end = begin + newline + 1
            break
        end = begin
    file.seek(end)
    file.truncate()
    return file
