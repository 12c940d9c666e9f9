"""The compact notation of inputs: ``+4m toolFailed s1 Bash:h1 running=true``.

A line is an offset, a kind of the native log, what that kind is about in a fixed order, and
``key=value`` for the rest; words with blanks are quoted as a shell quotes them. It stands for
one line of the native log, and is read by the reader of that log. What has no place in a line
(a definition that is saved, a plugin's nested data) is written as such a line, a map.
"""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs
import msgspec

from wakeful.errors import InvalidError, Problem
from wakeful.logs import LineError, Origin
from wakeful.logs.native import NativeFormat
from wakeful.logs.native_lines import OTHER_LINES, EventLine, SessionLine, TurnLine
from wakeful.model.events import EVENT_KINDS, TOOL_KINDS, Input
from wakeful.model.time import Instant, format_instant
from wakeful.reading.kinds import Kind, is_map, one_of, refuse
from wakeful.reading.problems import below, unknown_key
from wakeful.rule_tests.moments import MOMENT, Moment

LINES: Final[Mapping[str, type[msgspec.Struct]]] = {
    **dict.fromkeys(EVENT_KINDS, EventLine),
    "turnStarted": TurnLine,
    "activity": SessionLine,
    "sessionEnded": SessionLine,
    **{kind: shape for kind, (shape, _) in OTHER_LINES.items()},
}
"""What a line of each kind may hold."""

_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys((*EVENT_KINDS, "turnStarted", "activity", "sessionEnded"), ("session",)),
    **dict.fromkeys(TOOL_KINDS, ("session", "tool?")),
    "childFinished": ("session", "child?"),
    "plugin": ("type", "event"),
    "runStarted": ("automation", "run", "session?"),
    "runLinked": ("automation", "run", "session"),
    "runSettled": ("automation", "run", "outcome"),
    "steerFailed": ("automation", "run"),
    "press": ("automation", "requestId"),
    "definitionRemoved": ("automation",),
    "typeRemoved": ("type",),
    "grantsChanged": ("principal", "grants*"),
    "resumed": (),
    "tick": (),
}
"""What the words of a line are, by kind: ``?`` may be left out, ``*`` is all that follow."""

_KIND: Final = one_of(tuple(LINES), "a kind of input")
_KEY_VALUE: Final = re.compile(r"([A-Za-z][A-Za-z0-9]*)=(.*)", re.DOTALL)


@attrs.frozen(kw_only=True)
class TestInput:
    """An input of a test, its instant not yet known.

    Attributes:
        record: The line of the native log that it stands for, without ``at``.
    """

    __test__ = False  # pytest takes what is called Test… for tests

    at: Moment
    record: Mapping[str, Any]

    def read(self, start: Instant, facts: Mapping[str, Mapping[str, Any]]) -> Input:
        """The input, in a test that starts then.

        Args:
            start: The test's start.
            facts: What is said of sessions once for all: members of their lines.

        Raises:
            InvalidError: The line cannot be read.
        """
        record = dict(self.record)
        allowed = keys_of(record["kind"])
        for key, value in facts.get(record.get("session", ""), {}).items():
            if key in allowed:
                record.setdefault(key, value)
        record["at"] = format_instant(self.at.resolve(start))
        try:
            (found,) = NativeFormat().reader().feed(json.dumps(record).encode(), Origin("test"))
        except LineError as error:
            raise InvalidError.single(
                "", self.record, "a line of the native log", str(error)
            ) from None
        return found


def keys_of(kind: str) -> tuple[str, ...]:
    """The members that a line of this kind may have."""
    return tuple(field.encode_name for field in msgspec.structs.fields(LINES[kind]))


def words_of(text: str) -> list[str]:
    """The words of a line, quoted ones without their quotes.

    Raises:
        InvalidError: A quote is not closed.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InvalidError.single("", text, "words", f"{text!r}: {error}") from None


def members_of(
    words: list[str], known: Mapping[str, Callable[[str], Any]]
) -> tuple[list[str], dict[str, Any]]:
    """The words that stand by themselves, and what the ``key=value`` among them say.

    Raises:
        InvalidError: A key is not known, said twice, or its value is refused.
    """
    alone: list[str] = []
    members: dict[str, Any] = {}
    problems: list[Problem] = []
    for word in words:
        found = _KEY_VALUE.fullmatch(word)
        if found is None:
            alone.append(word)
            continue
        key, text = found.groups()
        if key not in known:
            problems.append(attrs.evolve(unknown_key(key, text, known), path=""))
        elif key in members:
            problems.append(Problem(path="", value=word, expected="each key once"))
        else:
            try:
                members[key] = known[key](text)
            except InvalidError as error:
                problems.extend(
                    attrs.evolve(problem, message=f"{key}: {problem.sentence}")
                    for problem in error.problems
                )
    refuse(problems)
    return alone, members


def flag(text: str) -> bool:
    """``true`` or ``false``."""
    if text not in ("true", "false"):
        raise InvalidError.single("", text, "true or false")
    return text == "true"


def number(text: str) -> int:
    """Digits."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise InvalidError.single("", text, "a whole number")
    return int(text)


def _texts(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


_MEMBERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "owner": str,
    "provider": str,
    "project": str,
    "folders": _texts,
    "automated": flag,
    "running": flag,
    "queued": number,
    "turnToolCalls": number,
    "child": str,
    "title": str,
    "by": str,
    "live": _texts,
}


def _read(value: Any) -> TestInput:
    found = _from_map(value) if is_map(value) else _from_text(value)
    found.read(0, {})  # what cannot be read is told here, with its place
    return found


def _from_map(value: Mapping[str, Any]) -> TestInput:
    read: dict[str, Any] = {}
    problems: list[Problem] = []
    kinds: Mapping[str, Kind[Any]] = {"at": MOMENT, "kind": _KIND}
    for key, kind in kinds.items():
        if key not in value:
            problems.append(Problem(path=key, expected=kind.expected))
            continue
        try:
            read[key] = kind(value[key])
        except InvalidError as error:
            problems.extend(below(key, error.problems))
    if "kind" in read:
        known = keys_of(read["kind"])
        problems.extend(
            unknown_key(key, member, known) for key, member in value.items() if key not in known
        )
    refuse(problems)
    return TestInput(at=read["at"], record={key: value[key] for key in value if key != "at"})


def _from_text(value: Any) -> TestInput:
    if not isinstance(value, str):
        raise InvalidError.single("", value, INPUT.expected)
    words = words_of(value)
    if len(words) < 2:
        raise InvalidError.single("", value, INPUT.expected)
    at, kind = MOMENT(words[0]), _KIND(words[1])
    if kind not in _PLACES:
        raise InvalidError.single("", value, f"a map: {kind} does not fit in a line")
    known = {key: _MEMBERS[key] for key in keys_of(kind) if key in _MEMBERS}
    data: dict[str, Any] = {}
    if kind == "plugin":
        # What a plugin's event carries is the plugin's own: any key, and JSON where it is some.
        data = {
            found[1]: _json_or_text(found[2])
            for word in words[4:]
            if (found := _KEY_VALUE.fullmatch(word))
        }
        words = [word for word in words if not _KEY_VALUE.fullmatch(word)]
    alone, members = members_of(words[2:], known)
    record = {"kind": kind, **_placed(kind, alone, value), **members}
    if data:
        record["data"] = data
    return TestInput(at=at, record=record)


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _placed(kind: str, words: list[str], line: str) -> dict[str, Any]:
    """What the words of a line are, each by its place."""
    found: dict[str, Any] = {}
    rest = list(words)
    places = _PLACES[kind]
    shape = f"+OFFSET {kind} {' '.join(_shown(place) for place in places)}".strip()
    for place in places:
        key = place.rstrip("?*")
        if place.endswith("*"):
            found[key], rest = rest, []
        elif rest:
            word = rest.pop(0)
            found[key] = _tool(word) if key == "tool" else word
        elif not place.endswith("?"):
            raise InvalidError.single(
                "", line, shape, f"{line!r} lacks its {key}; expected {shape}"
            )
    if rest:
        raise InvalidError.single("", line, shape, f"{rest[0]!r} has no place; expected {shape}")
    return found


def _shown(place: str) -> str:
    name = "TOOL:HASH" if place == "tool?" else place.rstrip("?*").upper()
    return f"[{name}]" if place.endswith("?") else f"{name}…" if place.endswith("*") else name


def _tool(word: str) -> dict[str, str]:
    # At the first colon: a hash is written as sha256:…; a name with one is written as a map.
    name, colon, input_hash = word.partition(":")
    if not colon or not name or not input_hash:
        raise InvalidError.single("", word, "a tool and the hash of its input, such as Bash:h1")
    return {"name": name, "inputHash": input_hash}


INPUT: Final = Kind(
    "an input such as +4m toolFailed s1 Bash:h1, or a line of the native log as a map",
    _read,
)
"""An input of a test. Its schema is made by :mod:`wakeful.rule_tests.schema`."""
