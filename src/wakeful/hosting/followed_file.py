"""One log that is followed: what it is, which of it is history, what in it is new."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs

from wakeful.hosting.tail import FileTail, Place
from wakeful.logs.reader import HEAD_LINES, Head, LogFormat, Origin, Reader, Record
from wakeful.logs.values import LineError
from wakeful.model.time import SECOND, Duration, Instant

_HEAD: Final = 1 << 17
"""How much of a file recognition looks at."""

_OUT_OF_ORDER: Final[Duration] = SECOND
"""How long a record may come after a later one, also where a file was rotated between them."""

_RECENT: Final = 1_024
"""How many of the last lines are known again when a file is begun anew."""

_BEFORE_ALL: Final = -(1 << 62)

Recognise = Callable[[Head], LogFormat | None]


@attrs.frozen
class NewRecord:
    """A record that was read.

    Attributes:
        place: The instant it stands at; one without an instant stands where those before it do.
        offset: Where its line begins.
        is_history: Whether it was there before the following began: it teaches the reader, and
            comes to no input.
    """

    place: Instant
    offset: int
    record: Record
    is_history: bool


class FollowedFile:
    """One file.

    Args:
        path: The file.
        number: A number of its own.
        history: The place up to which all was there before; what is behind it is new, whatever
            its instants. ``None`` where no place is known, as for a file that has just come.
        since: Where no place is known, what is not after this instant was there before: the file
            may have been moved here, or begin with a copy of another.
        given: Offsets of lines behind the place that were given nevertheless.
        recognise: Says of which format a file is.

    Attributes:
        origin: The file, as readers know it.
        format: Its format; ``None`` while that is not known.
        held: The offsets of lines whose records are held back, with how many each.
    """

    def __init__(  # noqa: PLR0913 - all but the first two are named
        self,
        path: Path,
        number: int,
        *,
        history: Place | None,
        since: Instant,
        given: frozenset[int] = frozenset(),
        recognise: Recognise,
    ) -> None:
        self.origin = Origin(str(path), number)
        self.format: LogFormat | None = None
        self.held: dict[int, int] = {}
        self.latest: Instant = _BEFORE_ALL
        self._path = path
        self._history = history
        self._since = since
        self._given = given
        self._recognise = recognise
        # From the beginning, so that the reader learns what came before.
        self._tail = FileTail(path)
        self._seen: set[int] = set()
        self._behind: list[int] = []
        self._recent: deque[int] = deque(maxlen=_RECENT)
        self._told: frozenset[int] = frozenset()

    @property
    def is_open(self) -> bool:
        """Whether it holds a file handle."""
        return self._tail.is_open

    def close(self) -> None:
        """Let go of the file."""
        self._tail.close()

    def find_format(self) -> bool:
        """Look at its beginning; whether its format is known now.

        Raises:
            OSError: It cannot be read.
        """
        if self.format is None:
            with self._path.open("rb") as file:
                beginning = file.read(_HEAD)
            lines = beginning.split(b"\n")[:HEAD_LINES]
            if beginning and b"\0" not in beginning:
                self.format = self._recognise(Head(lines, str(self._path)))
        return self.format is not None

    def records(
        self, reader: Reader, refuse: Callable[[int, Exception], None]
    ) -> Iterator[NewRecord]:
        """What has come since the last time.

        Args:
            reader: Of its format.
            refuse: Is told the offset of a line that cannot be read, and why.

        Raises:
            OSError: It cannot be read.
        """
        if self.format is not None and self.format.whole:
            yield from self._of_whole(reader, refuse)
            return
        if self._is_moved():
            self._begin_again()
        restarts = self._tail.restarts
        for line in self._tail.lines():
            if self._tail.restarts != restarts:
                restarts = self._tail.restarts
                self._begin_again()
            if line.text and not line.text.isspace():
                mark = hash(line.text)
                known = self._was_there(line.offset) or mark in self._told
                self._recent.append(mark)
                try:
                    records = reader.decode(line.text, self.origin)
                except (LineError, ValueError) as problem:
                    if not known:
                        refuse(line.offset, problem)
                    continue
                for record in records:
                    was_there = known or (self._history is None and self._is_before(record))
                    yield self._placed(record, line.offset, was_there=was_there)

    def hold(self, offset: int) -> None:
        """A record of the line that begins there is held back."""
        self.held[offset] = self.held.get(offset, 0) + 1
        self._behind.append(offset)

    def give(self, offset: int) -> None:
        """A record of the line that begins there was given."""
        left = self.held[offset] - 1
        if left:
            self.held[offset] = left
            return
        del self.held[offset]
        if not self.held:
            self._behind.clear()

    def state(self) -> dict[str, object]:
        """Where it stands, as plain data: before the first line that is held back."""
        place = self._tail.place
        offset = min(self.held, default=place.offset)
        given = sorted({each for each in self._behind if each > offset} - self.held.keys())
        return {
            "offset": offset,
            "given": given,
            "device": place.device,
            "inode": place.inode,
            "guard": place.guard.hex() if offset == place.offset else "",
            "latest": self.latest,
        }

    def _begin_again(self) -> None:
        """The file holds something else than it did.

        Its instants tell what is new, and near the end of what was read the lines themselves.
        """
        self._history, self._given = None, frozenset()
        self._told = frozenset(self._recent)
        self._since = max(self._since, self.latest - _OUT_OF_ORDER)
        self._behind.clear()

    def _was_there(self, offset: int) -> bool:
        return self._history is not None and (
            offset < self._history.offset or offset in self._given
        )

    def _is_moved(self) -> bool:
        """Whether what was history is not in this file: it was rotated or cut meanwhile."""
        history = self._history
        if history is None or not history.offset or self._tail.place.offset:
            return False
        try:
            status = self._path.stat()
        except OSError:
            return False
        if status.st_size < history.offset:
            return True
        if history.guard:
            with self._path.open("rb") as file:
                file.seek(history.offset - len(history.guard))
                return file.read(len(history.guard)) != history.guard
        return (status.st_dev, status.st_ino) != (history.device, history.inode)

    def _placed(self, record: Record, offset: int, *, was_there: bool) -> NewRecord:
        at = record.at
        place = self.latest if at is None else at
        self.latest = max(self.latest, place)
        return NewRecord(place, offset, record, was_there)

    def _is_before(self, record: Record) -> bool:
        """Whether a record is history by its instant."""
        return (self.latest if record.at is None else record.at) <= self._since

    def _of_whole(
        self, reader: Reader, refuse: Callable[[int, Exception], None]
    ) -> Iterator[NewRecord]:
        """The records of a file that is one object, and is written anew as it grows."""
        content = self._path.read_bytes()
        if not content.strip():
            return
        try:
            records = reader.decode(content, self.origin)
        except (LineError, ValueError) as problem:
            # Half-written, as like as not: what is whole will follow.
            if content.rstrip().endswith((b"}", b"]")):
                refuse(0, problem)
            return
        for record in records:
            known = hash(repr(record))
            if known in self._seen:
                continue
            self._seen.add(known)
            yield self._placed(record, 0, was_there=self._is_before(record))
