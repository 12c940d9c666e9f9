"""What every format of logs is to the rest: one small protocol.

A *format* recognises its files and makes *readers*. A reader is fed in two steps, so that
records can be put in order in between: :meth:`Reader.decode` makes records of a line,
without looking at anything but the line; :meth:`Reader.apply` makes inputs of a record,
and is where state is: turns, calls that run, messages that wait. A reader is causal: what
it gives at a record depends on no later one. What it infers from quiet it gives when
:meth:`Reader.advance` tells it that time has passed, so that a replay and a live watch of
the same log agree.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from functools import cached_property
from pathlib import PurePath
from typing import Any, ClassVar, Final, Protocol

import attrs

from wakeful.logs.values import LineError, load
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant

HEAD_LINES: Final = 50
"""How many lines recognition looks at."""

INFER_AFTER: Final[Duration] = 5_000
"""How long nothing has to follow a reply for its turn to have ended (milliseconds)."""

NO_APPROVALS: Final = "waiting for approval leaves no record"
NO_HEARTBEAT: Final = "nothing is written while a tool runs or a reply streams"
NO_INSTANTS: Final = "the records carry no instants of their own"
NO_QUEUE: Final = "messages that wait are not recorded"


@attrs.frozen
class Origin:
    """Where a line comes from.

    Attributes:
        path: The file as it was named.
        index: Its place among the files read together.
    """

    path: str
    index: int = 0

    @cached_property
    def name(self) -> PurePath:
        """The path without the endings of compression."""
        path = PurePath(self.path)
        return path.with_suffix("") if path.suffix in (".gz", ".zst") else path


class Record(Protocol):
    """What a line was decoded to; ``at`` is ``None`` where it carries no instant."""

    @property
    def at(self) -> Instant | None:
        """When it was written."""


@attrs.frozen
class Head:
    """The beginning of a file, for a format to recognise.

    Attributes:
        lines: Its first lines, at most :data:`HEAD_LINES`; for a file that is one object,
            its beginning.
        path: The file's name.
    """

    lines: Sequence[bytes]
    path: str = ""

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """Those of the lines that are JSON objects."""
        found = []
        for line in self.lines[:HEAD_LINES]:
            try:
                value = load(line)
            except LineError:
                continue
            if isinstance(value, dict):
                found.append(value)
        return found

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes as they stand."""
        return b"\n".join(self.lines)


class Reader(ABC):
    """Makes inputs of the lines of one format, from one file or from many.

    Attributes:
        skipped: Records of unknown kinds, by kind.
        duplicates: Records dropped because they were seen before.
    """

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self.skipped: Counter[str] = Counter()
        self.duplicates = 0

    @abstractmethod
    def decode(self, line: bytes, origin: Origin) -> Sequence[Record]:
        """The records of one line (or one whole file), in its order.

        Raises:
            LineError: It cannot be read.
            InvalidError: An instant is none, or has no zone.
        """

    @abstractmethod
    def apply(self, record: Any) -> Sequence[Input]:
        """The inputs that a record of :meth:`decode` stands for, in order."""

    @property
    def next_deadline(self) -> Instant | None:
        """When quiet will next say something: the instant to :meth:`advance` to."""
        return None

    def advance(self, instant: Instant) -> Sequence[Input]:  # noqa: ARG002 - most infer nothing
        """The inputs that are due by ``instant`` because nothing came before it."""
        return ()

    def close(self, origin: Origin) -> None:  # noqa: B027 - most keep nothing per file
        """The file was read to its end: forget what was kept for it alone."""

    def feed(self, line: bytes, origin: Origin) -> list[Input]:
        """One line's inputs, with those that its instant makes due before them.

        For a log that is in order; one that is not goes through a
        :class:`~wakeful.logs.stream.LogStream`.

        Raises:
            LineError: It cannot be read.
            InvalidError: An instant is none, or has no zone.
        """
        given: list[Input] = []
        for record in self.decode(line, origin):
            if record.at is not None:
                given += self.advance(record.at)
            given += self.apply(record)
        return given


class LogFormat(Protocol):
    """One format of logs. New ones plug in by the entry point group ``wakeful.logs``."""

    name: ClassVar[str]
    """The name that ``--format`` takes."""

    reorder: ClassVar[Duration]
    """How long a record may come after a later one, in milliseconds."""

    whole: ClassVar[bool]
    """Whether a file is one object, so that it is decoded at once."""

    cannot_show: ClassVar[Mapping[str, str]]
    """What logs of this format cannot show (an input's kind, or ``approval``,
    ``heartbeat``, ``instants``, ``queue``), with the reason in words."""

    endings_inferred: ClassVar[bool]
    """Whether endings of turns are inferred from quiet where no record says them."""

    def recognise(self, head: Head) -> bool:
        """Whether a file that begins like this is of this format."""

    def reader(self, *, zone: tzinfo | None = None) -> Reader:
        """A new reader; ``zone`` is that of instants without one."""
