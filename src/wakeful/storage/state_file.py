"""The run state's file on the disk: read when it is another, written whole, or once for many."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wakeful.storage.faults import StorageUnavailableError
from wakeful.storage.run_state import RunState, decode_run_state, read_bytes
from wakeful.storage.whole_files import sweep, write_file


class StateFile:
    """One file of run state. Whoever writes it holds its folder's lock.

    Args:
        path: The file; it need not be there.

    Attributes:
        fault: Why it has to be recovered; once there is one it stays.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault: str | None = None
        self._last: tuple[bytes | None, RunState] = (None, RunState())
        self._batched: RunState | None = None
        self.in_batch = False
        try:
            self.read()
        except StorageUnavailableError as error:
            self.fault = error.fault

    def refuse_fault(self) -> None:
        """Go on only where nothing has to be recovered.

        Raises:
            StorageUnavailableError: Something has.
        """
        if self.fault is not None:
            raise StorageUnavailableError(self.fault)

    def read(self) -> RunState:
        """What is on the disk, or is about to be.

        Its bytes are compared and not its times: two writes in one tick of the clock, the
        second in the place of a file that was just freed, have the same.

        Raises:
            StorageUnavailableError: It cannot be read or not be understood.
        """
        if self._batched is not None:
            return self._batched
        try:
            data = read_bytes(self.path)
            if data is None:
                self._last = None, RunState()
            elif data != self._last[0]:
                self._last = data, decode_run_state(data, self.path)
        except StorageUnavailableError as error:
            self.fault = error.fault
            raise
        return self._last[1]

    @property
    def last(self) -> RunState:
        """What was read or written last."""
        return self._last[1] if self._batched is None else self._batched

    def write(self, state: RunState) -> None:
        """Write it whole; in a batch, at its end.

        Raises:
            OSError: It could not be written.
        """
        if self.in_batch:
            self._batched = state
            return
        data = state.encode()
        write_file(self.path, data, prefix=self._prefix)
        self._last = data, state

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write once, at the end; not at all where it is left by an error.

        Raises:
            OSError: It could not be written.
        """
        self.in_batch = True
        try:
            yield
            batched = self._batched
        finally:
            self.in_batch, self._batched = False, None
        if batched is not None:
            self.write(batched)

    def sweep(self) -> None:
        """Clear away what writers of this file left behind that were killed."""
        sweep(self.path.parent, self._prefix)

    @property
    def _prefix(self) -> str:
        return f".{self.path.name}-"
