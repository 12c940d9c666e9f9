"""Where lines come from: files, folders, compressed files, standard input.

A file is read in chunks and split into lines, so memory is a chunk, or the longest line.
At most :data:`MAX_OPEN` files are open at once; the one that was asked for a line the
longest ago is closed, and opened again where it stood when it is asked the next time.
"""

import gzip
import io
import os
import stat
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final, cast

import zstandard

from wakeful.errors import LogError
from wakeful.logs.reader import HEAD_LINES
from wakeful.model.limits import LIMITS

MAX_OPEN: Final = 200
"""How many files are open at once."""

LOG_SUFFIXES: Final = (".jsonl", ".ndjson", ".json")
"""What a file in a folder ends with to be looked at, before ``.gz`` or ``.zst``."""

STANDARD_INPUT: Final = "-"

_CHUNK: Final = 1 << 15
_FILE_CHUNK: Final = 1 << 17
"""How much is read at once; of a stream less, since it may have to be waited for."""

_GZIP: Final = (".gz", b"\x1f\x8b")
_ZSTANDARD: Final = (".zst", b"\x28\xb5\x2f\xfd")
"""The suffix and the first bytes of compressed files; either is enough."""
_COMPRESSED: Final = (_GZIP[0], _ZSTANDARD[0])
_MARK: Final = b"\xef\xbb\xbf"
_END: Final = b"\n"


def find_logs(path: str, refuse: Callable[[LogError], None]) -> Iterator[str]:
    """The logs that a path names: itself, or those of a folder and all below, by name.

    Args:
        path: A file, a folder, ``-``.
        refuse: Is told of each folder below that cannot be read.

    Raises:
        LogError: There is no such file, or the folder itself cannot be read.
    """

    def cannot_read(problem: OSError) -> None:
        error = LogError(f"{problem.filename or path}: {_reason(problem)}")
        if problem.filename in (None, path):
            raise error from problem
        refuse(error)

    if path == STANDARD_INPUT:
        yield path
        return
    if not os.path.lexists(path) or not Path(path).exists():
        raise LogError(f"{path}: no such file")
    if not Path(path).is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path, onerror=cannot_read, followlinks=False):
        folders.sort()
        for file in sorted(files):
            plain = file
            for suffix in _COMPRESSED:
                plain = plain.removesuffix(suffix)
            if plain.endswith(LOG_SUFFIXES):
                yield str(Path(folder, file))


class LineSource:
    """The lines of one file, given in batches or one by one.

    Args:
        path: The file, ``-`` for standard input.
        max_line: How long a line may be, in bytes; reading ends before one that is longer.

    Attributes:
        path: As it was named.
        is_stream: Whether it can be read only once: standard input, a pipe.
        size: Its size as it lies there; ``None`` for a stream.
        line_number: The number of the line given last, from 1.
        cut_short: Whether the line given last has no newline, which ends the file.
    """

    def __init__(self, path: str, *, max_line: int = LIMITS.line) -> None:
        self.path = path
        self._max_line = max_line
        self.line_number = 0
        self.cut_short = False
        self.is_stream = path == STANDARD_INPUT
        self.size: int | None = None
        if not self.is_stream:
            status = Path(path).stat()
            self.is_stream = not stat.S_ISREG(status.st_mode)
            self.size = None if self.is_stream else status.st_size
        self._file: IO[bytes] | None = None
        self._raw: IO[bytes] | None = None
        self._offset = 0  # in the uncompressed bytes, of the first line not yet given
        self._lines: list[bytes] = []
        self._next = 0
        self._rest = b""
        self._begins = True
        self._ended = False
        self._seen_bytes = 0
        self._told_bytes = 0

    @property
    def is_open(self) -> bool:
        """Whether it holds a file handle."""
        return self._file is not None

    def take_bytes_read(self) -> int:
        """How many bytes of the file were read since this was asked the last time."""
        taken = self._seen_bytes - self._told_bytes
        self._told_bytes = self._seen_bytes
        return taken

    def head(self) -> Sequence[bytes]:
        """Its first lines, without taking them."""
        if self._next >= len(self._lines):
            self._fill()
        lines = self._lines[self._next : self._next + HEAD_LINES]
        return [line.removesuffix(_END) for line in lines]

    def take(self) -> bytes | None:
        """The next line, without its newline; ``None`` at the end.

        Raises:
            LogError: The file cannot be read.
        """
        if self._next >= len(self._lines) and not self._fill():
            return None
        line = self._lines[self._next]
        self._next += 1
        self.line_number += 1
        self._offset += len(line)
        self.cut_short = not line.endswith(_END)
        return line.removesuffix(_END)

    def take_batch(self) -> Sequence[bytes]:
        """The lines of the next chunk, with their newlines; none at the end.

        ``line_number`` is that of the last.

        Raises:
            LogError: The file cannot be read.
        """
        if self._next >= len(self._lines) and not self._fill():
            return ()
        batch = self._lines[self._next :] if self._next else self._lines
        self.line_number += len(batch)
        self._offset += sum(map(len, batch))
        self._next = len(self._lines)
        self.cut_short = not batch[-1].endswith(_END)
        return batch

    def take_all(self) -> bytes:
        """Everything that was not taken yet, at once.

        Raises:
            LogError: The file cannot be read.
        """
        parts: list[bytes] = []
        size = 0
        while batch := self.take_batch():
            parts += batch
            size += sum(map(len, batch))
            if size > self._max_line:
                raise LogError(f"{self.path}: longer than {self._max_line} bytes, and one record")
        self.line_number = 1
        self.cut_short = False
        return b"".join(parts)

    def suspend(self) -> None:
        """Close the file, to be opened again where it stands. Streams stay open."""
        if self._file is None or self.is_stream:
            return
        self.close()
        self._lines, self._next, self._rest, self._ended = [], 0, b"", False

    def close(self) -> None:
        """Close the file for good."""
        for file in (self._file, self._raw):
            if file is not None and self.path != STANDARD_INPUT:
                file.close()
        self._file = self._raw = None

    def _fill(self) -> bool:
        """Read the next chunk that holds a newline; whether there was anything."""
        if self._ended:
            return False
        try:
            if self._file is None:
                self._open()
            assert self._file is not None  # noqa: S101 - _open sets it or raises
            parts = [self._rest]
            held = len(self._rest)
            while True:
                chunk = self._file.read(_CHUNK if self.is_stream else _FILE_CHUNK)
                if self.is_stream:
                    self._seen_bytes += len(chunk)
                if self._begins and chunk.startswith(_MARK):
                    chunk = chunk.removeprefix(_MARK)
                    self._offset = len(_MARK)
                self._begins = False
                if not chunk:
                    self._ended = True
                    break
                parts.append(chunk)
                if _END in chunk:
                    break
                held += len(chunk)
                self._hold_to_limit(held)
        except (OSError, EOFError, zstandard.ZstdError) as problem:
            raise LogError(f"{self.path}: {_reason(problem)}") from problem
        if self._raw is not None and not self.is_stream:
            self._seen_bytes = max(self._seen_bytes, self._raw.tell())
        # Finds newlines several times as fast as splitting does.
        lines = io.BytesIO(b"".join(parts)).readlines()
        self._rest = b""
        if not self._ended and not lines[-1].endswith(_END):
            self._rest = lines.pop()
        self._lines, self._next = lines, 0
        if lines:
            # The others are shorter than a chunk.
            self._hold_to_limit(len(lines[0].removesuffix(_END)))
        return bool(lines)

    def _hold_to_limit(self, length: int) -> None:
        if length > self._max_line:
            raise LogError(
                f"{self.path}:{self.line_number + 1}: a line of more than {self._max_line} bytes"
            )

    def _open(self) -> None:
        if self.path == STANDARD_INPUT:
            if sys.stdin is None:
                raise LogError(f"{self.path}: standard input is closed")
            self._raw = sys.stdin.buffer
        else:
            self._raw = Path(self.path).open("rb")  # noqa: SIM115 - closed by suspend and close
        if self._is(_GZIP):
            self._file = cast("IO[bytes]", gzip.GzipFile(fileobj=self._raw, mode="rb"))
        elif self._is(_ZSTANDARD):
            reader = zstandard.ZstdDecompressor().stream_reader(self._raw, read_across_frames=True)
            self._file = io.BufferedReader(reader, _CHUNK)
        else:
            self._file = self._raw
        if self._offset:
            self._go_to(self._offset)

    def _is(self, compression: tuple[str, bytes]) -> bool:
        """Whether the file, just opened, is compressed so, by its name or its first bytes."""
        suffix, first = compression
        if self.path.endswith(suffix):
            return True
        peek = getattr(self._raw, "peek", None)  # a program may have put anything on stdin
        return peek is not None and bool(peek(len(first)).startswith(first))

    def _go_to(self, offset: int) -> None:
        """Stand where it stood. A compressed file is read again from its beginning."""
        assert self._file is not None  # noqa: S101
        if self._file is self._raw:
            self._file.seek(offset)
            return
        while offset > 0:
            skipped = len(self._file.read(min(offset, _CHUNK)))
            if not skipped:
                return
            offset -= skipped


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return str(problem) or type(problem).__name__


class OpenFiles:
    """Keeps the number of open files down."""

    def __init__(self, limit: int = MAX_OPEN) -> None:
        self._limit = limit
        self._used: OrderedDict[int, LineSource] = OrderedDict()

    def use(self, source: LineSource) -> None:
        """Say that a source is about to be read."""
        key = id(source)
        if key in self._used:
            self._used.move_to_end(key)
            return
        while len(self._used) >= self._limit:
            self._used.popitem(last=False)[1].suspend()
        self._used[key] = source

    def done(self, source: LineSource) -> None:
        """Say that a source was read to its end."""
        self._used.pop(id(source), None)
        source.close()
