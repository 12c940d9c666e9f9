"""Following logs: the records of files that grow, as inputs in one order.

The follower lives behind the time by a *delay*, with a runner whose clock is a
:class:`~wakeful.hosting.clock.DelayedClock`: records are held back until that clock has come
to their instants, and are given then by instant, at one instant by file, in a file as they
stand. What is out of order by up to the delay, in a file or between files, is so put in order,
as a replay of the same files does; what is later still is given at once, and the engine takes
it at its own instant and counts it as late. What readers infer from quiet is given at its
deadline.

What was in a file before the following began is history: it is read when the file first
grows, so that the reader knows the session's folder, its title and its running turn, and comes
to no input.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, Final

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.hosting.followed_file import FollowedFile, NewRecord
from wakeful.hosting.tail import Place
from wakeful.logs.formats import load_formats, recognise
from wakeful.logs.reader import Head, LogFormat, Origin, Reader
from wakeful.logs.report import LogReport
from wakeful.logs.sources import LOG_SUFFIXES
from wakeful.logs.values import LineError
from wakeful.logs.words import input_kind
from wakeful.model.events import Input
from wakeful.model.time import MINUTE, Instant

_MAX_OPEN: Final = 100
"""How many files are kept open at once."""

_ACTIVE: Final = 60 * MINUTE
"""How long after its last record a log's reader state may matter to what comes next."""

_OBJECT_SUFFIX: Final = ".json"


@attrs.frozen
class _Known:
    """A file that was there before the following began and has not changed since."""

    size: int
    changed: int
    device: int
    inode: int


class LogFollower:
    """Follows the logs below some folders; a source for a runner.

    Args:
        roots: Folders, or single files. They need not be there yet.
        since: When the following begins: records from before it are history.
        format: A format's name, or ``auto``.
        zone: The zone of instants without one.
        state: What :meth:`state` of an earlier follower gave, to go on from there; ``since``
            is its own then.

    Attributes:
        report: What was read, and what could not be.
    """

    def __init__(
        self,
        roots: Iterable[Path],
        *,
        since: Instant,
        format: str = "auto",  # noqa: A002 - the name that people use for it
        zone: tzinfo | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        self.roots = tuple(Path(os.path.abspath(root)) for root in roots)  # noqa: PTH100 - links stay
        self.report = LogReport(bytes_total=None)
        self._formats = load_formats(format)
        self._zone = zone
        self._readers: dict[str, Reader] = {}
        self._files: dict[Path, FollowedFile] = {}
        self._known: dict[Path, _Known] = {}
        self._open: dict[Path, FollowedFile] = {}
        self._numbers = 0
        self._heap: list[
            tuple[Instant, tuple[Any, ...], int, FollowedFile | None, Any, Reader]
        ] = []
        self._put = 0
        self._since = since
        self._passed = since
        self._saved: Mapping[str, Any] = {}
        if state is None:
            for path, status in self._walk():
                self._known[path] = _known(status)
        else:
            self._take_over(state)

    # -- what there is to read --------------------------------------------------------------

    def scan(self) -> None:
        """Look at every log below the roots that is new or has changed. O(logs)."""
        for path, status in self._walk():
            self._look_at(path, status)

    def look_at(self, paths: Iterable[Path]) -> None:
        """Look at some files or folders, as somebody says that they have changed."""
        for path in paths:
            if path.is_dir():
                for found, status in self._walk_folder(path):
                    self._look_at(found, status)
            elif _is_log(path.name) and self._root_of(path) is not None:
                try:
                    status = path.stat()
                except OSError:
                    continue
                self._look_at(path, status)

    def follows(self, path: Path) -> bool:
        """Whether a file is one of those that are followed, or would be."""
        return self._root_of(path) is not None

    def _walk(self) -> Iterator[tuple[Path, os.stat_result]]:
        for root in self.roots:
            if root.is_dir():
                yield from self._walk_folder(root)
            elif root.exists():
                yield root, root.stat()

    @staticmethod
    def _walk_folder(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
        for above, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted(files):
                if _is_log(name):
                    path = Path(above, name)
                    try:
                        yield path, path.stat()
                    except OSError:
                        continue  # gone since

    def _root_of(self, path: Path) -> int | None:
        for number, root in enumerate(self.roots):
            if path == root or root in path.parents:
                return number
        return None

    def _look_at(self, path: Path, status: os.stat_result) -> None:
        known = self._known.get(path)
        if known == _known(status):
            return
        file = self._files.get(path)
        if file is None:
            file = self._begin(path, known)
        self._known[path] = _known(status)
        try:
            if file.find_format():
                self._read(path, file)
        except OSError as problem:
            self._refuse(path, None, problem.strerror or str(problem))

    def _begin(self, path: Path, known: _Known | None) -> FollowedFile:
        """Begin with a file: what is history in it is what is known to have been there."""
        saved = self._saved.get(str(path))
        history: Place | None = None
        given: frozenset[int] = frozenset()
        if saved is not None:
            history = Place(
                saved["offset"], saved["device"], saved["inode"], bytes.fromhex(saved["guard"])
            )
            given = frozenset(saved["given"])
        elif known is not None:
            history = Place(known.size, known.device, known.inode)
        self._numbers += 1
        file = self._files[path] = FollowedFile(
            path,
            self._numbers,
            history=history,
            since=self._since,
            given=given,
            recognise=self._recognise,
        )
        return file

    def _recognise(self, head: Head) -> LogFormat | None:
        found = recognise(head, self._formats)
        if found is None or found.whole or not head.path.endswith(_OBJECT_SUFFIX):
            return found
        # A file of one object, which it is on one line: it does not grow, it is written anew.
        whole = (each for each in self._formats if each.name == found.name and each.whole)
        return next(whole, found)

    def _read(self, path: Path, file: FollowedFile) -> None:
        assert file.format is not None  # noqa: S101 - the caller has found it
        reader = self._reader_of(file.format)
        key = self._key(path)
        warmed = False
        for found in file.records(reader, lambda at, why: self._refuse(path, at, str(why))):
            if found.is_history:
                warmed = True
                self._learn(reader, found)
            else:
                file.hold(found.offset)
                self._hold(found.place, key, file, found, reader)
        if warmed:
            # What would have been inferred by now is history as well.
            reader.advance(self._passed)
        self._open.pop(path, None)
        self._open[path] = file
        while len(self._open) > _MAX_OPEN:
            self._open.pop(next(iter(self._open))).close()

    def _learn(self, reader: Reader, found: NewRecord) -> None:
        if found.record.at is not None:
            reader.advance(min(found.record.at, self._passed))
        try:
            reader.apply(found.record)
        except (LineError, InvalidError):
            return

    def _reader_of(self, known: LogFormat) -> Reader:
        reader = self._readers.get(known.name)
        if reader is None:
            reader = self._readers[known.name] = known.reader(zone=self._zone)
            self.report.cannot_show[known.name] = known.cannot_show
            if known.endings_inferred:
                self.report.endings_inferred.add(known.name)
        return reader

    def _key(self, path: Path) -> tuple[Any, ...]:
        """A key that sorts files as a replay of the roots orders them."""
        number = self._root_of(path) or 0
        *folders, name = path.relative_to(self.roots[number]).parts or (path.name,)
        return (number, *((1, folder) for folder in folders), (0, name))

    def _hold(
        self,
        place: Instant,
        key: tuple[Any, ...],
        file: FollowedFile | None,
        found: NewRecord,
        reader: Reader,
    ) -> None:
        self._put += 1
        heappush(self._heap, (place, key, self._put, file, found, reader))

    def _refuse(self, path: Path, offset: int | None, message: str) -> None:
        where = "" if offset is None else f"at byte {offset}: "
        self.report.refuse(
            None,
            Problem(path="", expected="a log", message=f"{where}{message}", file=str(path)),
        )

    # -- what somebody tells ------------------------------------------------------------------

    def tell(self, line: bytes, *, format: str) -> None:  # noqa: A002 - the name that people use
        """Take a line that somebody tells, such as a hook, as one of a log of that format.

        Raises:
            LineError: It cannot be read.
            InvalidError: Its instant is none.
        """
        (known, *_) = load_formats(format)
        reader = self._reader_of(known)
        for record in reader.decode(line, Origin(format)):
            if record.at is not None:
                found = NewRecord(record.at, 0, record, is_history=False)
                self._hold(record.at, (len(self.roots), (0, format)), None, found, reader)

    # -- what a runner asks ---------------------------------------------------------------------

    @property
    def next_deadline(self) -> Instant | None:
        """The instant of what is given next."""
        deadlines = [
            deadline
            for reader in self._readers.values()
            if (deadline := reader.next_deadline) is not None
        ]
        if self._heap:
            deadlines.append(self._heap[0][0])
        return min(deadlines, default=None)

    def take_until(self, instant: Instant) -> Iterator[Input]:
        """Everything up to an instant, in order."""
        while self._heap and self._heap[0][0] <= instant:
            place, _, _, file, found, reader = heappop(self._heap)
            yield from self._infer(place)
            if file is not None:
                file.give(found.offset)
            try:
                fresh = reader.apply(found.record)
            except (LineError, InvalidError) as problem:
                where = Path("-" if file is None else file.origin.path)
                self._refuse(where, found.offset, str(problem))
                continue
            yield from self._counted(fresh)
        yield from self._infer(instant)
        self._passed = max(self._passed, instant)

    def _infer(self, instant: Instant) -> Iterator[Input]:
        while True:
            due = [
                (deadline, name)
                for name, reader in self._readers.items()
                if (deadline := reader.next_deadline) is not None and deadline <= instant
            ]
            if not due:
                return
            deadline, name = min(due)
            yield from self._counted(self._readers[name].advance(deadline))

    def _counted(self, fresh: Iterable[Input]) -> Iterator[Input]:
        for item in fresh:
            self.report.inputs[input_kind(item)] += 1
            yield item

    # -- going on later -------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Where each file stands, as plain data."""
        files = {str(path): file.state() for path, file in self._files.items() if file.format}
        for path, saved in self._saved.items():
            files.setdefault(path, dict(saved))
        known = {
            str(path): [known.size, known.changed, known.device, known.inode]
            for path, known in self._known.items()
            if path not in self._files
        }
        return {"passed": self._passed, "files": files, "known": known}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """Go on from a state: what was read is history, what came since is new."""
        self._since = self._passed = state["passed"]
        self._saved = state["files"]
        for path, known in state["known"].items():
            if path not in self._saved:
                self._known[Path(path)] = _Known(*known)
        for path, saved in self._saved.items():
            # An agent that was at work: its reader may have something to say about quiet.
            if saved["latest"] > self._passed - _ACTIVE:
                self.look_at([Path(path)])

    def close(self) -> None:
        """Close every file."""
        for file in self._open.values():
            file.close()
        self._open.clear()


def _is_log(name: str) -> bool:
    return name.endswith(LOG_SUFFIXES)


def _known(status: os.stat_result) -> _Known:
    return _Known(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)
