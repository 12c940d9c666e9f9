"""What reading logs came to: counts, and what could not be read."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

import attrs

from wakeful.errors import Problem
from wakeful.model.time import Instant

KEPT_PROBLEMS: Final = 1_000
"""How many problems are kept to be shown; all are counted."""


@attrs.define(kw_only=True)
class FileReport:
    """What one file came to.

    Attributes:
        path: The file as it was named; ``-`` for standard input.
        format: The format it is read as; empty for a file with nothing in it.
        inputs: How many inputs it gave.
        unreadable: How many of its lines could not be read.
        half_written: The number of its last line, where that was cut short.
        first_at: The instant of its first input, ``last_at`` of its last.
    """

    path: str
    format: str = ""
    inputs: int = 0
    unreadable: int = 0
    half_written: int | None = None
    first_at: Instant | None = None
    last_at: Instant | None = None


@attrs.define(kw_only=True)
class LogReport:
    """What all logs of one reading came to, as far as they were read.

    Attributes:
        files: One report a file, in the order they are merged in at one instant.
        ignored: Files of a folder that are no logs of any known format.
        no_files: What has the name of a log in a folder and is no file, such as a pipe: told,
            but no error.
        inputs: How many inputs of each kind, by the native log's words.
        skipped: Records of unknown kinds, by kind; no error.
        duplicates: Records dropped because their id was seen before.
        late: Inputs earlier than one that was given before them.
        unreadable: Lines and files that could not be read; their status is 1.
        without_zone: How many of these have an instant without a zone, and would be read
            if a zone were given.
        problems: The first of them all, with file and line.
        cannot_show: For each format read, what its logs cannot show and why.
        endings_inferred: The formats some of whose endings are inferred from quiet.
        bytes_read: Of the files as they lie there, compressed or not.
        bytes_total: Of all files; ``None`` where one is a stream.
    """

    files: list[FileReport] = attrs.Factory(list)
    ignored: list[str] = attrs.Factory(list)
    no_files: list[str] = attrs.Factory(list)
    inputs: Counter[str] = attrs.Factory(Counter)
    skipped: Counter[str] = attrs.Factory(Counter)
    duplicates: int = 0
    late: int = 0
    unreadable: int = 0
    without_zone: int = 0
    problems: list[Problem] = attrs.Factory(list)
    cannot_show: dict[str, Mapping[str, str]] = attrs.Factory(dict)
    endings_inferred: set[str] = attrs.Factory(set)
    bytes_read: int = 0
    bytes_total: int | None = 0

    @property
    def half_written(self) -> list[tuple[str, int]]:
        """Each file whose last line was cut short, with the line: told, but no error."""
        return [(file.path, file.half_written) for file in self.files if file.half_written]

    def refuse(self, file: FileReport | None, problem: Problem) -> None:
        """Count a problem, and keep it while there are few."""
        self.unreadable += 1
        if file is not None:
            file.unreadable += 1
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(problem)
