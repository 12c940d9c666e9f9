"""Logs as one stream of inputs: files merged by instant, counted, and bounded in memory.

Each file is one :class:`_Part`: its lines, the window that puts its records in order, and
the record that comes next. The parts stand in a heap by the instant of that record, so
that the whole is in one total order: by instant, at one instant by file, in a file as it
stands. Parts of one format share one reader, so that a session that goes on in another
file is one session, and its subagents' files belong to it. What a reader infers from quiet
is given at its deadline, before the first record at or after it.

A single native log, the common case of a replay, takes a road without heaps: its lines
are inputs already, and come in batches.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from functools import partial
from heapq import heapify, heappop, heappush, heapreplace
from itertools import islice
from operator import le
from os import PathLike, fspath
from types import TracebackType
from typing import Final, Self

import attrs

from wakeful.errors import InvalidError, LogError, Problem
from wakeful.logs.formats import AUTO, load_formats, recognise
from wakeful.logs.instants import ZoneMissingError
from wakeful.logs.merge import AFTER_ALL, BEFORE_ALL, Window
from wakeful.logs.native import NativeReader
from wakeful.logs.reader import Head, LogFormat, Origin, Reader, Record
from wakeful.logs.report import FileReport, LogReport
from wakeful.logs.sources import MAX_OPEN, LineSource, OpenFiles, find_logs
from wakeful.logs.values import LineError
from wakeful.logs.words import input_kind
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant, parse_instant

_INSTANT: Final = re.compile(rb'"(?:startTime|timestamp)"\s*:\s*"([^"]+)"')
"""The first instant of a file that is one object; nothing in it is earlier."""

_BATCH: Final = 256
"""How many inputs of merged files are handed on at once."""


def open_logs(  # noqa: PLR0913 - each has a default, and is a flag of the command
    paths: Iterable[str | PathLike[str]],
    *,
    format: str = AUTO,  # noqa: A002 - the name that people use for it
    zone: tzinfo | None = None,
    reorder: Duration | None = None,
    until: Instant | None = None,
    max_open: int = MAX_OPEN,
) -> "LogStream":
    """Open logs to be read as one.

    Args:
        paths: Files, folders (with all that is below), ``-`` for standard input. ``.gz``
            and ``.zst`` are read as they are.
        format: One of :func:`~wakeful.logs.formats.format_names`, or one that plugs in.
        zone: The zone of instants without one.
        reorder: How long a record may come after a later one, in milliseconds; ``None``
            for what the format needs.
        until: Read up to the first input after this instant, and let time go on to it.
        max_open: How many files may be open at once.

    Raises:
        LogError: There is no such format, or nothing at all can be read. Where something
            can, the rest is in the report's problems.
    """
    options = _Options(zone=zone, reorder=reorder, until=until, max_open=max_open)
    asked = format != AUTO
    return LogStream([fspath(path) for path in paths], load_formats(format), options, asked=asked)


@attrs.frozen(kw_only=True)
class _Options:
    """How logs are read, as :func:`open_logs` takes it."""

    zone: tzinfo | None
    reorder: Duration | None
    until: Instant | None
    max_open: int


@attrs.define(eq=False)
class _Part:
    """One file of the stream."""

    source: LineSource
    origin: Origin
    format: LogFormat
    reader: Reader
    report: FileReport
    window: Window
    began: bool = False
    ended: bool = False
    place: Instant = BEFORE_ALL
    record: Record | None = None


class LogStream:
    """All inputs of some logs, in one total order.

    Iterate it once. It is a context manager, and closes its files at the end of the
    iteration too.

    Attributes:
        report: What was read so far; complete when the iteration has ended.
    """

    def __init__(
        self,
        paths: Sequence[str],
        formats: Sequence[LogFormat],
        options: _Options,
        *,
        asked: bool,
    ) -> None:
        self.report = LogReport()
        self._formats = formats
        self._options = options
        self._until = options.until
        self._asked = asked
        self._open = OpenFiles(options.max_open)
        self._readers: dict[str, Reader] = {}
        self._clock = BEFORE_ALL
        self._parts: list[_Part] = []
        self._done: list[tuple[Instant, int]] = []
        refused: list[str] = []
        seen: set[str] = set()
        for path in paths:
            self._add(path, seen, refused)
        if refused and not self._parts:
            raise LogError("\n".join(refused))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Input]:
        for batch in self.batches():
            yield from batch

    def close(self) -> None:
        """Close every file."""
        for part in self._parts:
            self._open.done(part.source)

    def batches(self) -> Iterator[Sequence[Input]]:
        """The inputs in batches, each to be fed in order; the fast way to iterate."""
        try:
            only = self._parts[0] if len(self._parts) == 1 else None
            if (
                only is not None
                and isinstance(only.reader, NativeReader)
                and not self._window_of(only.format)
            ):
                yield from self._native_batches(only, only.reader)
            else:
                yield from self._merged_batches()
        finally:
            self._forget(AFTER_ALL)
            self._sum_up()
            self.close()

    # Opening

    def _add(self, path: str, seen: set[str], refused: list[str]) -> None:
        try:
            found = list(find_logs(path))
        except LogError as problem:
            self._refuse_file(problem, refused)
            return
        walked = found != [path]
        if not found:
            self._refuse_file(LogError(f"{path}: holds no logs"), refused)
        for name in found:
            if name in seen:
                continue
            seen.add(name)
            try:
                self._add_file(name, walked=walked)
            except LogError as problem:
                self._refuse_file(problem, refused)

    def _refuse_file(self, problem: LogError, refused: list[str]) -> None:
        refused.append(str(problem))
        self.report.refuse(None, Problem(path="", expected="a log", message=str(problem)))

    def _add_file(self, path: str, *, walked: bool) -> None:
        try:
            source = LineSource(path)
        except OSError as problem:
            raise LogError(f"{path}: {problem.strerror}") from problem
        self._open.use(source)
        try:
            lines = source.head()
            head = Head(lines, path)
            known = self._formats[0] if self._asked else recognise(head, self._formats)
            if self._asked and len(self._formats) > 1:
                known = recognise(head, self._formats) or known
        except BaseException:
            self._open.done(source)
            raise
        self.report.bytes_total = (
            None
            if source.size is None or self.report.bytes_total is None
            else self.report.bytes_total + source.size
        )
        if b"\0" in head.beginning:
            self._open.done(source)
            raise LogError(f"{path}: is binary, not a log")
        if known is None or not any(line and not line.isspace() for line in lines):
            self._open.done(source)
            if not any(line and not line.isspace() for line in lines):
                self.report.files.append(FileReport(path=path))
            elif walked and path.endswith(".json"):
                self.report.ignored.append(path)
            else:
                raise LogError(f"{path}: no known format of logs")
            return
        self._add_part(source, known, lines)

    def _add_part(self, source: LineSource, known: LogFormat, lines: Sequence[bytes]) -> None:
        reader = self._readers.get(known.name)
        if reader is None:
            reader = self._readers[known.name] = known.reader(zone=self._options.zone)
            self.report.cannot_show[known.name] = known.cannot_show
            if known.endings_inferred:
                self.report.endings_inferred.add(known.name)
        report = FileReport(path=source.path, format=known.name)
        self.report.files.append(report)
        part = _Part(
            source=source,
            origin=Origin(source.path, len(self._parts)),
            format=known,
            reader=reader,
            report=report,
            window=Window(self._window_of(known)),
        )
        part.place = self._first_place(part, lines)
        self._parts.append(part)

    def _window_of(self, known: LogFormat) -> Duration:
        asked = self._options.reorder
        return known.reorder if asked is None else asked

    def _first_place(self, part: _Part, lines: Sequence[bytes]) -> Instant:
        """An instant that nothing in the file's beginning lies before.

        It is only where the file begins to be read in earnest; until then the file takes
        no memory, and no handle where there are many.
        """
        if part.format.whole:
            found = _INSTANT.search(b"\n".join(lines))
            try:
                text = found[1].decode() if found is not None else ""
                return parse_instant(text, zone=self._options.zone)
            except ValueError:
                return BEFORE_ALL
        scratch = part.format.reader(zone=self._options.zone)
        for line in lines:
            try:
                for record in scratch.decode(line, part.origin):
                    if record.at is not None:
                        return record.at - self._window_of(part.format)
            except (LineError, InvalidError):
                continue
        return BEFORE_ALL

    # One native log

    def _native_batches(self, part: _Part, reader: NativeReader) -> Iterator[Sequence[Input]]:
        source = part.source
        while True:
            try:
                lines = source.take_batch()
            except LogError as problem:
                self._refuse_rest(part, problem)
                return
            self.report.bytes_read += source.take_bytes_read()
            if not lines:
                return
            before = source.line_number - len(lines)
            batch = reader.read(lines, partial(self._refuse_line, part, before, len(lines)))
            kept = None
            if self._until is not None:
                until = self._until
                kept = next((n for n, at in enumerate(batch.instants) if at > until), None)
            self._count(part, batch.instants[:kept], batch.words[:kept])
            if given := batch.inputs[:kept]:
                yield given
            if kept is not None:
                return

    def _refuse_line(
        self, part: _Part, before: int, lines: int, index: int, problem: Exception
    ) -> None:
        """Report the line ``index`` of a batch of ``lines`` with ``before`` lines before it."""
        number = before + index + 1
        if part.source.cut_short and index == lines - 1:
            part.report.half_written = number
            return
        self._refuse_record(part, number, problem)

    # Many logs

    def _merged_batches(self) -> Iterator[Sequence[Input]]:
        heap = [(part.place, part.origin.index) for part in self._parts]
        heapify(heap)
        given: list[Input] = []
        while heap:
            part = self._parts[heap[0][1]]
            until = min(heap[1:3], default=None)
            if not part.began:
                part.began = True
                alive = self._next_record(part)
            else:
                alive = True
            while alive and (until is None or (part.place, part.origin.index) < until):
                assert part.record is not None  # noqa: S101 - alive says so
                if self._done and self._done[0][0] < part.place:
                    self._forget(part.place)
                given += self._infer(part.place)
                self._clock = max(self._clock, part.place)
                fresh = self._apply(part, part.record)
                if self._is_past(fresh):
                    given += self._infer(self._until)
                    if given:
                        yield given
                    return
                self._count(part, [one.at for one in fresh], list(map(input_kind, fresh)))
                given += fresh
                if len(given) >= _BATCH:
                    yield given
                    given = []
                alive = self._next_record(part)
            if alive:
                heapreplace(heap, (part.place, part.origin.index))
            else:
                heappop(heap)
        if self._until is not None:
            given += self._infer(self._until)
        if given:
            yield given

    def _next_record(self, part: _Part) -> bool:
        """Find the part's next record; whether there is one."""
        while True:
            found = part.window.take(ended=part.ended)
            if found is not None:
                at, part.record = found
                part.place = max(part.place, at)
                return True
            if part.ended:
                part.record = None
                heappush(self._done, (part.place, part.origin.index))
                return False
            self._read_more(part)

    def _forget(self, instant: Instant) -> None:
        """Let readers forget files that ended before an instant.

        Not as soon as a file ends: what is at its last instant may stand in another, too.
        """
        while self._done and self._done[0][0] < instant:
            part = self._parts[heappop(self._done)[1]]
            part.reader.close(part.origin)

    def _read_more(self, part: _Part) -> None:
        """Put the records of the next line, or of the whole file, in the window."""
        source = part.source
        self._open.use(source)
        try:
            if part.format.whole:
                line: bytes | None = source.take_all()
                part.ended = True
            else:
                line = source.take()
        except LogError as problem:
            self._refuse_rest(part, problem)
            part.ended = True
            line = None
        self.report.bytes_read += source.take_bytes_read()
        if line is None or part.ended:
            part.ended = True
            self._open.done(source)
        if not line or line.isspace():
            return
        try:
            part.window.put(part.reader.decode(line, part.origin))
        except (LineError, InvalidError) as problem:
            if source.cut_short:
                part.report.half_written = source.line_number
            else:
                self._refuse_record(part, source.line_number, problem)

    def _apply(self, part: _Part, record: Record) -> Sequence[Input]:
        try:
            return part.reader.apply(record)
        except (LineError, InvalidError) as problem:
            self._refuse_record(part, part.source.line_number, problem)
            return ()

    def _infer(self, instant: Instant | None) -> Sequence[Input]:
        """What the readers infer from quiet up to an instant, in order."""
        given: list[Input] = []
        while instant is not None:
            due = [
                (deadline, name)
                for name, reader in self._readers.items()
                if (deadline := reader.next_deadline) is not None and deadline <= instant
            ]
            if not due:
                break
            deadline, name = min(due)
            fresh = self._readers[name].advance(deadline)
            self._clock = max(self._clock, deadline)
            self._count(None, [one.at for one in fresh], list(map(input_kind, fresh)))
            given += fresh
        return given

    def _is_past(self, given: Sequence[Input]) -> bool:
        return self._until is not None and any(one.at > self._until for one in given)

    # Counting

    def _count(self, part: _Part | None, instants: Sequence[Instant], words: Sequence[str]) -> None:
        if not instants:
            return
        self.report.inputs.update(words)
        if instants[0] >= self._clock and all(map(le, instants, islice(instants, 1, None))):
            self._clock = instants[-1]
        else:
            for instant in instants:
                if instant < self._clock:
                    self.report.late += 1
                else:
                    self._clock = instant
        if part is not None:
            report = part.report
            report.inputs += len(instants)
            if report.first_at is None or report.last_at is None:
                report.first_at = report.last_at = instants[0]
            report.last_at = max(report.last_at, instants[-1])

    def _refuse_record(self, part: _Part, line: int, problem: Exception) -> None:
        message = str(problem)
        self.report.without_zone += isinstance(problem, ZoneMissingError)
        self.report.refuse(
            part.report,
            Problem(
                path="",
                expected=f"a line of a {part.format.name} log",
                message=message,
                file=part.source.path,
                line=line,
            ),
        )

    def _refuse_rest(self, part: _Part, problem: LogError) -> None:
        self.report.refuse(
            part.report,
            Problem(path="", expected="a log", message=f"{problem}; the rest is not read"),
        )

    def _sum_up(self) -> None:
        for reader in self._readers.values():
            self.report.skipped.update(reader.skipped)
            self.report.duplicates += reader.duplicates
            reader.skipped.clear()
            reader.duplicates = 0
