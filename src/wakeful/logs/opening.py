"""Opening logs: which files there are, what format each is of, and where it begins.

Every file is looked at once, before any is read: its first lines say its format, and an
instant that nothing in it lies before. Then it is closed again where there are many, and
takes no memory until the merge has come to that instant.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Final

import attrs

from wakeful.errors import InvalidError, LogError, Problem
from wakeful.logs.formats import AUTO, load_formats, recognise
from wakeful.logs.merge import BEFORE_ALL, Window
from wakeful.logs.reader import Head, LogFormat, Origin, Reader, Record
from wakeful.logs.report import FileReport, LogReport
from wakeful.logs.sources import MAX_OPEN, LineSource, OpenFiles, find_logs
from wakeful.logs.values import LineError
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.time import Duration, Instant, parse_instant

_INSTANT: Final = re.compile(rb'"(?:startTime|timestamp)"\s*:\s*"([^"]+)"')
"""The first instant of a file that is one object; nothing in it is earlier."""


@attrs.define(eq=False)
class Part:
    """One file of a stream.

    Attributes:
        reader: Shared with the other files of its format.
        window: Its records that are read and not yet given.
        is_recognised: Whether its beginning is of the format; else it was only asked for.
        began: Whether it is read in earnest.
        place: The instant at which it stands in the merge; never goes back.
        record: The record that comes next.
    """

    source: LineSource
    origin: Origin
    format: LogFormat
    reader: Reader
    report: FileReport
    window: Window
    is_recognised: bool = True
    began: bool = False
    ended: bool = False
    place: Instant = BEFORE_ALL
    record: Record | None = None


class Opener:
    """Finds, recognises and opens logs.

    Attributes:
        parts: The files that are logs, in the order in which they were given.
        readers: One reader a format, by its name.
        files: Keeps the number of open files down.
        report: What became of each file.
    """

    def __init__(
        self,
        *,
        format: str = AUTO,  # noqa: A002 - as open_logs has it
        zone: tzinfo | None = None,
        reorder: Duration | None = None,
        max_open: int = MAX_OPEN,
        limits: Limits = LIMITS,
    ) -> None:
        """Take the parts of :func:`~wakeful.logs.stream.open_logs` that say how.

        Raises:
            LogError: There is no such format.
        """
        self._formats = load_formats(format)
        self._is_asked = format != AUTO
        self._zone = zone
        self._reorder = reorder
        self._max_line = limits.line
        self._seen: set[str] = set()
        self._refused: list[str] = []
        self.report = LogReport()
        self.files = OpenFiles(max_open)
        self.readers: dict[str, Reader] = {}
        self.parts: list[Part] = []

    def open(self, paths: Iterable[str]) -> None:
        """Open what can be opened; the rest is in the report.

        Raises:
            LogError: Nothing could.
        """
        for path in paths:
            self._add(path)
        if self._refused and not self.parts:
            raise LogError("\n".join(self._refused))

    def _add(self, path: str) -> None:
        try:
            found = list(find_logs(path, self._refuse_file))
        except LogError as problem:
            self._refuse_file(problem)
            return
        walked = found != [path]
        if not found:
            self._refuse_file(LogError(f"{path}: holds no logs"))
        for name in found:
            if name in self._seen:
                continue
            self._seen.add(name)
            try:
                self._add_file(name, walked=walked)
            except LogError as problem:
                self._refuse_file(problem)

    def _refuse_file(self, problem: LogError) -> None:
        self._refused.append(str(problem))
        self.report.refuse(None, Problem(path="", expected="a log", message=str(problem)))

    def _add_file(self, path: str, *, walked: bool) -> None:
        try:
            source = LineSource(path, max_line=self._max_line)
        except OSError as problem:
            raise LogError(f"{path}: {problem.strerror}") from problem
        if walked and source.is_stream:
            # Whoever names a folder means what lies in it: a pipe would be waited for.
            self.report.no_files.append(path)
            return
        self.files.use(source)
        try:
            if not self._recognise(source, walked=walked):
                self.files.done(source)
        except BaseException:
            self.files.done(source)
            raise

    def _recognise(self, source: LineSource, *, walked: bool) -> bool:
        """Make a file a part; whether it is one.

        Raises:
            LogError: It should be one, and is none.
        """
        path = source.path
        head = Head(source.head(), path)
        if source.size is None:
            self.report.bytes_total = None
        elif self.report.bytes_total is not None:
            self.report.bytes_total += source.size
        if not any(line and not line.isspace() for line in head.lines):
            self.report.files.append(FileReport(path=path))
            return False
        known = recognise(head, self._formats)
        is_recognised = known is not None
        if known is None and self._is_asked:
            known = self._formats[-1]
        if known is None and b"\0" in head.beginning:
            raise LogError(f"{path}: is binary, not a log")
        if known is None and walked and Origin(path).name.suffix == ".json":
            self.report.ignored.append(path)
            return False
        if known is None:
            raise LogError(f"{path}: no known format of logs")
        part = self._add_part(source, known, head.lines)
        part.is_recognised = is_recognised
        return True

    def _add_part(self, source: LineSource, known: LogFormat, lines: Sequence[bytes]) -> Part:
        reader = self.readers.get(known.name)
        if reader is None:
            reader = self.readers[known.name] = known.reader(zone=self._zone)
            self.report.cannot_show[known.name] = known.cannot_show
            if known.endings_inferred:
                self.report.endings_inferred.add(known.name)
        report = FileReport(path=source.path, format=known.name)
        self.report.files.append(report)
        part = Part(
            source=source,
            origin=Origin(source.path, len(self.parts)),
            format=known,
            reader=reader,
            report=report,
            window=Window(self._window_of(known)),
        )
        part.place = self._first_place(part, lines)
        self.parts.append(part)
        return part

    def _window_of(self, known: LogFormat) -> Duration:
        return known.reorder if self._reorder is None else self._reorder

    def _first_place(self, part: Part, lines: Sequence[bytes]) -> Instant:
        """An instant that nothing in the file's beginning lies before.

        It is only where the file begins to be read in earnest; until then the file takes
        no memory, and no handle where there are many.
        """
        if part.format.whole:
            found = _INSTANT.search(b"\n".join(lines))
            try:
                text = found[1].decode() if found is not None else ""
                return parse_instant(text, zone=self._zone)
            except ValueError:
                return BEFORE_ALL
        scratch = part.format.reader(zone=self._zone)
        for line in lines:
            try:
                for record in scratch.decode(line, part.origin):
                    if record.at is not None:
                        return record.at - self._window_of(part.format)
            except (LineError, InvalidError):
                continue
        return BEFORE_ALL
