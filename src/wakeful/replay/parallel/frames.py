"""Rows of inputs and matches in files, so many at once.

What sessions do is nearly all of a log, so it is written as plain tuples; the rest as it is.
Files are pickled, as whatever goes to a worker is: they are this process's own, in a folder
that nobody else may enter, and never older than it.
"""

import pickle
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import attrs

from wakeful.model.events import (
    Activity,
    Input,
    SessionEnded,
    SessionEvent,
    Tool,
    TurnStarted,
)
from wakeful.model.outputs import Match, OrderKey

Row: TypeAlias = tuple[Any, int, Any]
"""A number or a place, a form, and the values of a record of it."""

ROWS: Final = 1_024
"""How many rows a frame holds; what a reader or a writer has in memory of one file."""

_FORMS: Final[tuple[type, ...]] = (SessionEvent, TurnStarted, Activity, SessionEnded, Match)
_EVENT: Final = 0
_AS_IT_IS: Final = -1
_FORM_OF: Final = {form: index for index, form in enumerate(_FORMS)}
_NAMES: Final = tuple(
    tuple(field.name for field in attrs.fields(form) if field.name not in {"key", "data"})
    for form in _FORMS
)
_VALUES: Final = tuple(attrgetter(*names) for names in _NAMES)
_TOOL: Final = _NAMES[_EVENT].index("tool")


def row_of_input(number: Any, item: Input) -> Row:
    """An input as a row, under its number or its place."""
    form = _FORM_OF.get(type(item), _AS_IT_IS)
    if form == _AS_IT_IS:
        return number, form, item
    values = _VALUES[form](item)
    if form == _EVENT and (tool := values[_TOOL]) is not None:
        values = (*values[:_TOOL], (tool.name, tool.input_hash), *values[_TOOL + 1 :])
    return number, form, values


def input_of_row(row: Row) -> Input:
    """The input that was written as that row."""
    _, form, values = row
    if form == _EVENT:
        if (tool := values[_TOOL]) is not None:
            values = (*values[:_TOOL], Tool(*tool), *values[_TOOL + 1 :])
        return SessionEvent(*values)
    item: Input = values if form == _AS_IT_IS else _FORMS[form](*values)
    return item


def row_of_match(match: Match) -> Row:
    """A session's match as a row, under its place."""
    form = _FORM_OF[Match]
    return tuple(match.key), form, _VALUES[form](match)


def placed_of_row(row: Row) -> tuple[OrderKey, Input | Match]:
    """The input or match that was written under its place, with it."""
    place, form, values = row
    key = OrderKey(*place)
    if form == _FORM_OF[Match]:
        names = _NAMES[form]
        return key, Match(key=key, **dict(zip(names, values, strict=True)))
    return key, input_of_row(row)


class FrameWriter:
    """Writes rows to a new file, so many at once.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("xb")
        self._rows: list[Row] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, finished or not."""
        self._file.close()

    def add(self, row: Row) -> None:
        """Write a row. O(1) amortised."""
        self._rows.append(row)
        if len(self._rows) == ROWS:
            self._flush()

    def finish(self, end: Any = ()) -> None:
        """Write what is left, and something that only a whole file has: its end."""
        self._flush()
        self._dump(tuple(end))
        self.close()

    def _flush(self) -> None:
        if self._rows:
            self._dump(self._rows)
            self._rows.clear()

    def _dump(self, frame: list[Row] | tuple[Any, ...]) -> None:
        pickle.dump(frame, self._file, protocol=pickle.HIGHEST_PROTOCOL)


class FrameReader:
    """Reads the rows of a file; once.

    Args:
        path: A file that a :class:`FrameWriter` has finished.

    Attributes:
        end: What the file ends with; nothing before it was read to its end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.end: tuple[Any, ...] = ()

    def frames(self) -> Iterator[list[Row]]:
        """The rows, so many at once.

        Raises:
            EOFError, pickle.UnpicklingError: The file was not finished.
        """
        with self._path.open("rb") as file:
            while isinstance(frame := pickle.load(file), list):  # noqa: S301 - see the module
                yield frame
            self.end = frame
