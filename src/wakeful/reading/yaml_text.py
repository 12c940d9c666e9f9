"""YAML 1.2 text to plain data: the core schema, and nothing that data does not need.

Built from ruamel.yaml's parsing events, which is where YAML's syntax ends: what a plain
scalar means is the schema's to say. The core schema of YAML 1.2 has text, null, true and
false, whole numbers and floats. So ``on``, ``yes``, ``1:30`` and ``2026-10-07`` are text,
``014`` is fourteen, and there are no timestamps, no merge keys and no tags. Refused:
keys that are repeated or no text, tags, a second document, nesting deeper than
:data:`~wakeful.reading.kinds.MAX_DEPTH`, and aliases that blow up to more than
:data:`MAX_NODES` values or stand inside what they name.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from wakeful.errors import InvalidError, Problem
from wakeful.reading.kinds import MAX_DEPTH
from wakeful.reading.paths import child
from wakeful.reading.places import Place, Places

MAX_NODES: Final = 1_000_000
"""How many values a document may have, those of aliases counted at each use."""

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER: Final[tuple[tuple[re.Pattern[str], Callable[[str], int | float]], ...]] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), partial(int, base=0)),
    (re.compile(r"0x[0-9a-fA-F]+"), partial(int, base=0)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (
        re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
        lambda text: float(text.replace(".", "")),
    ),
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BEYOND: Final = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")
_NUMBER_STARTS: Final = frozenset("0123456789+-.")


def read_yaml(text: str) -> Any:
    """The data of a YAML text.

    Raises:
        InvalidError: It is no YAML, or has what is refused; with line and column.
    """
    builder = _Builder(None)
    data = builder.document(text)
    if builder.problems:
        raise InvalidError(builder.problems)
    return data


def yaml_places(text: str) -> Places:
    """Where the values of a YAML text stand; the text was read by :func:`read_yaml` before."""
    places = Places()
    _Builder(places).document(text)
    return places


class _Builder:
    """One reading of one text."""

    def __init__(self, places: Places | None) -> None:
        self.problems: list[Problem] = []
        self._places = places
        self._events: Iterator[Event] = iter(())
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: set[str] = set()
        self._nodes = 0
        # The keys and indices down to where the reading is: a path is made only when told.
        self._steps: list[str | int] = []

    def document(self, text: str) -> Any:
        self._events = self._parsed(text)
        try:
            return self._document()
        except ReaderError as error:
            raise self._refusal(
                f"not YAML: {error.reason}", _after(text[: error.position])
            ) from None
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            said = ", ".join(part for part in (error.context, error.problem) if part)
            raise self._refusal(
                f"not YAML: {said}", Place(mark.line + 1, mark.column + 1) if mark else None
            ) from None
        except YAMLError as error:
            raise self._refusal(f"not YAML: {error}", None) from None

    def _parsed(self, text: str) -> Iterator[Event]:
        read = 0
        try:
            for event in YAML(typ="safe", pure=True).parse(text):
                read = event.end_mark.index
                yield event
        except (OverflowError, ValueError):
            # The one thing that ruamel.yaml computes with unasked: the code of an escape.
            found = _BEYOND.search(text, read)
            before = text[: found.start()] if found else text
            raise self._refusal(
                "not YAML: an escape that no character has", _after(before)
            ) from None

    def _document(self) -> Any:
        next(self._events)  # the start of the stream
        first = next(self._events)
        if isinstance(first, StreamEndEvent):
            return None
        if isinstance(first, DocumentStartEvent) and first.version not in (None, (1, 2)):
            self._problem(first, "YAML 1.2", None)
        data = self._node(next(self._events))
        next(self._events)  # the end of the document
        if not isinstance(after := next(self._events), StreamEndEvent):
            self._problem(after, "one document", None, "a second document begins here")
        return data

    def _node(self, event: Event) -> Any:
        if self._places is not None:
            self._places.values[self._path()] = _place(event)
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._refusal(f"more than {MAX_NODES} values", _place(event))
        if isinstance(event, AliasEvent):
            return self._alias(event)
        assert isinstance(event, ScalarEvent | CollectionStartEvent)  # noqa: S101 - YAML's grammar
        if event.anchor is None:
            return self._value(event)
        self._open.add(event.anchor)
        before = self._nodes
        value = self._value(event)
        self._open.discard(event.anchor)
        self._anchors[event.anchor] = value, self._nodes - before + 1
        return value

    def _value(self, event: ScalarEvent | CollectionStartEvent) -> Any:
        if event.ctag is not None:
            self._problem(event, "a value without a tag", str(event.ctag))
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if len(self._steps) >= MAX_DEPTH:
            raise self._refusal(f"nested deeper than {MAX_DEPTH}", _place(event))
        return self._list() if isinstance(event, SequenceStartEvent) else self._map()

    def _alias(self, event: AliasEvent) -> Any:
        name = event.anchor
        if name in self._open:
            raise self._refusal(f"the alias *{name} stands inside what it names", _place(event))
        if name not in self._anchors:
            raise self._refusal(f"not YAML: no anchor &{name} before this alias", _place(event))
        value, size = self._anchors[name]
        self._nodes += size
        return value

    def _list(self) -> list[Any]:
        found: list[Any] = []
        for event in self._events:
            if isinstance(event, SequenceEndEvent):
                break
            self._steps.append(len(found))
            found.append(self._node(event))
            self._steps.pop()
        return found

    def _map(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                break
            self._steps.append("?")  # a key has no path; only a list or map as a key shows it
            key = self._node(event)
            self._steps[-1] = str(key)
            if not isinstance(key, str):
                expected = "a key that is text (quoted where it would be something else)"
                self._problem(event, expected, key)
                key = str(key)
            elif key in found:
                self._problem(event, "a key that is not repeated", key)
            if self._places is not None:
                self._places.keys[self._path()] = _place(event)
            found[key] = self._node(next(self._events))
            self._steps.pop()
        return found

    def _scalar(self, event: ScalarEvent) -> Any:
        text: str = event.value
        if event.style or not event.implicit[0]:
            if event.style == '"' and _SURROGATE.search(text):
                # JSON writes a character beyond the first plane as two escapes.
                text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            return text
        if text in _NULL:
            return None
        if text in _BOOL:
            return _BOOL[text]
        if text[0] in _NUMBER_STARTS:
            for form, read in _NUMBER:
                if form.fullmatch(text):
                    try:
                        return read(text)
                    except ValueError:  # Python reads whole numbers of some 4 300 digits
                        self._problem(event, "a number of fewer digits", text)
        return text

    def _path(self) -> str:
        path = ""
        for step in self._steps:
            path = child(path, step)
        return path

    def _problem(self, event: Event, expected: str, value: Any, message: str = "") -> None:
        line, column = _place(event)
        self.problems.append(
            Problem(
                path=self._path(),
                value=value,
                expected=expected,
                message=message,
                line=line,
                column=column,
            )
        )

    def _refusal(self, message: str, place: Place | None) -> InvalidError:
        """What cannot be read on: this, after what was found before."""
        line, column = place or (None, None)
        return InvalidError(
            [
                *self.problems,
                Problem(path="", expected="YAML 1.2", message=message, line=line, column=column),
            ]
        )


def _after(text: str) -> Place:
    """The place that follows a text."""
    return Place(text.count("\n") + 1, len(text) - text.rfind("\n"))


def _place(event: Event) -> Place:
    return Place(event.start_mark.line + 1, event.start_mark.column + 1)
