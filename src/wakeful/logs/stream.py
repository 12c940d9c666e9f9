"""Logs as one stream of inputs: files merged by instant, counted, and bounded in memory.

Each file is a :class:`~wakeful.logs.opening.Part`: its lines, the window that puts its
records in order, and the record that comes next. The parts stand in a heap by the instant
of that record, so that the whole is in one total order: by instant, at one instant by
file, in a file as it stands. Parts of one format share one reader, so that a session that
goes on in another file is one session, and its subagents' files belong to it. What a
reader infers from quiet is given at its deadline, before the first record at or after it.

A single native log, the common case of a replay, takes a road without heaps: its lines
are inputs already, and come in batches.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from functools import partial
from heapq import heapify, heappop, heappush, heapreplace
from itertools import islice
from operator import le
from os import PathLike, fspath
from types import TracebackType
from typing import Final, Self

from wakeful.errors import InputRefusedError, InvalidError, LogError, Problem
from wakeful.logs.formats import AUTO
from wakeful.logs.instants import ZoneMissingError
from wakeful.logs.merge import AFTER_ALL, BEFORE_ALL
from wakeful.logs.native import Batch, NativeReader
from wakeful.logs.opening import Opener, Part
from wakeful.logs.reader import Record
from wakeful.logs.sources import MAX_OPEN
from wakeful.logs.values import LineError
from wakeful.logs.words import input_kind
from wakeful.model.events import Input
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.time import Duration, Instant

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
    limits: Limits = LIMITS,
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
        limits: How long a line may be; a file is read up to one that is longer.

    Raises:
        LogError: There is no such format, or nothing at all can be read. Where something
            can, the rest is in the report's problems.
    """
    opener = Opener(format=format, zone=zone, reorder=reorder, max_open=max_open, limits=limits)
    opener.open([fspath(path) for path in paths])
    return LogStream(opener, until=until)


class LogStream:
    """All inputs of some logs, in one total order.

    Iterate it once. It is a context manager, and closes its files at the end of the
    iteration too.

    Attributes:
        report: What was read so far; complete when the iteration has ended.
    """

    def __init__(self, opener: Opener, *, until: Instant | None = None) -> None:
        """Read what an opener has opened; :func:`open_logs` is the usual way to do so."""
        self.report = opener.report
        self._until = until
        self._open = opener.files
        self._readers = opener.readers
        self._parts = opener.parts
        self._clock = BEFORE_ALL
        self._done: list[tuple[Instant, int]] = []
        # Where an input of the batch that was given last stands.
        self._place_of: Callable[[Input], tuple[Part, int] | None] = _nowhere

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
                and not only.window.length
            ):
                yield from self._native_batches(only, only.reader)
            else:
                yield from self._merged_batches()
        finally:
            self._forget(AFTER_ALL)
            self._sum_up()
            self.close()

    def refuse(self, given: Input, error: InputRefusedError) -> None:
        """Report that an input, of those that were given last, was refused by an engine.

        It counts as a line that could not be read. The line is named where the format gives
        each line as it comes.
        """
        place = self._place_of(given)
        part, line = place or (None, None)
        is_exact = part is not None and not part.window.length and not part.format.whole
        self.report.refuse(
            None if part is None else part.report,
            Problem(
                path="",
                expected="an input that an engine takes",
                message=str(error),
                file=None if part is None else part.source.path,
                line=line if is_exact else None,
            ),
        )

    # One native log

    def _native_batches(self, part: Part, reader: NativeReader) -> Iterator[Sequence[Input]]:
        source = part.source
        while True:
            try:
                lines = source.take_batch()
            except LogError as problem:
                self._refuse_rest(part, problem)
                return
            self.report.bytes_read += source.take_bytes_read()
            if not lines:
                part.ended = True
                return
            before = source.line_number - len(lines)
            batch = reader.read(lines, partial(self._refuse_line, part, before, len(lines)))
            kept = None
            if self._until is not None:
                until = self._until
                kept = next((n for n, at in enumerate(batch.instants) if at > until), None)
            self._count(part, batch.instants[:kept], batch.words[:kept])
            if given := batch.inputs[:kept]:
                self._place_of = partial(_place_in, part, before + 1, batch)
                yield given
            if kept is not None:
                return

    def _refuse_line(
        self, part: Part, before: int, lines: int, index: int, problem: Exception
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
        places: dict[int, tuple[Part, int]] = {}  # by id: the batch keeps its inputs alive
        self._place_of = lambda one: places.get(id(one))
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
                if fresh:
                    if not given:
                        places.clear()
                    place = part, part.source.line_number
                    places.update((id(one), place) for one in fresh)
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

    def _next_record(self, part: Part) -> bool:
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

    def _read_more(self, part: Part) -> None:
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

    def _apply(self, part: Part, record: Record) -> Sequence[Input]:
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

    def _count(self, part: Part | None, instants: Sequence[Instant], words: Sequence[str]) -> None:
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

    def _refuse_record(self, part: Part, line: int, problem: Exception) -> None:
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

    def _refuse_rest(self, part: Part, problem: LogError) -> None:
        self.report.refuse(
            part.report,
            Problem(path="", expected="a log", message=f"{problem}; the rest is not read"),
        )

    def _refuse_whole(self, part: Part) -> None:
        name = part.format.name
        self.report.refuse(
            part.report,
            Problem(
                path="",
                expected=f"a {name} log",
                message=f"nothing in it is recognised as a {name} log",
                file=part.source.path,
            ),
        )

    def _sum_up(self) -> None:
        for part in self._parts:
            if part.ended and not part.is_recognised and not part.report.inputs:
                self._refuse_whole(part)
        for reader in self._readers.values():
            self.report.skipped.update(reader.skipped)
            self.report.duplicates += reader.duplicates
            reader.skipped.clear()
            reader.duplicates = 0


def _nowhere(_given: Input) -> None:
    """Nothing was given yet."""


def _place_in(part: Part, first: int, batch: Batch, given: Input) -> tuple[Part, int] | None:
    """Where an input of a batch stands whose lines begin with the line ``first``."""
    for index, one in zip(batch.indices, batch.inputs, strict=True):
        if one is given:
            return part, first + index
    return None
