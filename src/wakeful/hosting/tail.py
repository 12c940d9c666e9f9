"""The end of a file that grows: whole lines as they are written, whatever happens to the file.

- A half-written last line is left for later.
- *Rotation*: another file has the name now. What is left of the old one is read first, then
  the new one from its beginning.
- *Truncation*: the file is shorter than what was read, or holds something else where that
  ended; it is read from its beginning.
- A file that was written anew and still begins with what was read (an editor's save, a copy put
  in its place) goes on where it was.

The last bytes before the place are kept to tell these apart.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import attrs

MAX_LINE: Final = 64 * 1024 * 1024
"""How long a line may be; what is longer is passed over, up to its end."""

_CHUNK: Final = 1 << 20
_GUARD: Final = 64


class TailLine(NamedTuple):
    """A whole line, without its newline, and where it begins in the file."""

    offset: int
    text: bytes


@attrs.frozen
class Place:
    """Where a tail stands in its file, so that another can go on from there.

    Attributes:
        offset: The first byte that was not given.
        device: The file system, and ``inode`` the file on it; 0 where it was never opened.
        guard: The bytes before the offset.
    """

    offset: int = 0
    device: int = 0
    inode: int = 0
    guard: bytes = b""


class FileTail:
    """Follows one file.

    Args:
        path: The file; it need not be there.
        place: Where to go on. Without a guard the file is trusted to be the one that is meant.

    Attributes:
        restarts: How often it was begun from the beginning again.
        too_long: How many lines were longer than :data:`MAX_LINE`.
    """

    def __init__(self, path: Path, place: Place | None = None) -> None:
        self.path = path
        self.restarts = 0
        self.too_long = 0
        place = Place() if place is None else place
        self._offset = place.offset
        self._identity = (place.device, place.inode)
        self._guard = place.guard
        self._partial = b""
        self._skipping = False
        self._file: int | None = None

    @property
    def place(self) -> Place:
        """Where it stands: before a half-written line."""
        return Place(self._offset, *self._identity, self._guard)

    @property
    def is_open(self) -> bool:
        """Whether it holds a file handle."""
        return self._file is not None

    def close(self) -> None:
        """Let go of the file; it is opened again when it is read again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._partial = b""

    def lines(self) -> Iterator[TailLine]:
        """The whole lines that have come since; none where the file is not there.

        Raises:
            OSError: It cannot be read.
        """
        if self._file is not None and self._was_replaced():
            yield from self._read()
            if self._partial:
                # Nothing can follow it any more.
                yield TailLine(self._offset, self._partial)
            self.close()
        if self._file is None and not self._open():
            return
        if not self._holds_what_was_read():
            self.restarts += 1
            self._offset, self._guard, self._partial = 0, b"", b""
        yield from self._read()

    def _was_replaced(self) -> bool:
        try:
            status = self.path.stat()
        except OSError:
            return False  # moved away: who writes it may still do, and another may come
        return (status.st_dev, status.st_ino) != self._identity

    def _open(self) -> bool:
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return False
        status = os.fstat(self._file)
        known, self._identity = self._identity, (status.st_dev, status.st_ino)
        if not self._guard and self._offset:
            if known not in ((0, 0), self._identity):
                self._offset = 0
                self.restarts += 1
            self._guard = self._before(self._offset)
        return True

    def _before(self, offset: int) -> bytes:
        assert self._file is not None  # noqa: S101 - whoever asks has opened it
        begin = max(0, offset - _GUARD)
        return os.pread(self._file, offset - begin, begin)

    def _holds_what_was_read(self) -> bool:
        assert self._file is not None  # noqa: S101 - whoever asks has opened it
        if os.fstat(self._file).st_size < self._offset + len(self._partial):
            return False
        return self._before(self._offset)[-len(self._guard) :] == self._guard or not self._guard

    def _read(self) -> Iterator[TailLine]:
        assert self._file is not None  # noqa: S101 - whoever asks has opened it
        while chunk := os.pread(self._file, _CHUNK, self._offset + len(self._partial)):
            *whole, rest = (self._partial + chunk).split(b"\n")
            for line in whole:
                begin = self._offset
                self._offset += len(line) + 1
                self._guard = (self._guard + line + b"\n")[-_GUARD:]
                if self._skipping:
                    self._skipping = False
                else:
                    yield TailLine(begin, line)
            self._partial = rest
            if len(rest) > MAX_LINE:
                self.too_long += not self._skipping
                self._skipping = True
                self._offset += len(rest)
                self._guard = rest[-_GUARD:]
                self._partial = b""
