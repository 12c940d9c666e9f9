"""What a file of rule tests consists of as it is written, and the converter that reads it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from wakeful.core.settings import RunTime
from wakeful.errors import InvalidError, Problem
from wakeful.model.time import Duration, Instant
from wakeful.reading.converter import ReadingConverter, plain_converter, register
from wakeful.reading.kinds import (
    DURATION,
    FLAG,
    FULL_INSTANT,
    NAME,
    TEXT,
    Kind,
    is_list,
    is_map,
    refuse,
    texts,
)
from wakeful.reading.paths import child
from wakeful.reading.problems import below, unknown_key
from wakeful.rule_tests.expectations import (
    ExpectedDecision,
    ExpectedMatch,
    register_expectations,
)
from wakeful.rule_tests.moments import MOMENT, Moment
from wakeful.rule_tests.notation import INPUT, TestInput

Facts = Mapping[str, Mapping[str, Any]]
"""What is said of sessions once for all, as members of the native log's lines."""


@attrs.frozen(kw_only=True)
class Runs:
    """How long the runs of a test last.

    Attributes:
        every: The length of all: ``none`` (over before the next match is decided), ``log``
            (until an input settles them), or milliseconds.
        each: By automation, the lengths of its runs in the order they start, the last one
            that of all further ones; automations that are not in it have ``every``'s.
    """

    every: RunTime = "none"
    each: Mapping[str, tuple[Duration, ...]] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Expectation:
    """What has to come, all of it and in order; ``None`` is not looked at."""

    matches: tuple[ExpectedMatch, ...] | None = None
    decisions: tuple[ExpectedDecision, ...] | None = None


@attrs.frozen(kw_only=True)
class CaseShape:
    """A test as it is written; what it leaves out is the file's."""

    name: str
    inputs: tuple[TestInput, ...] = ()
    expect: Expectation
    until: Moment | None = None
    rules: tuple[str, ...] | None = None
    start: Instant | None = None
    sessions: Facts | None = None
    runs: Runs | None = None


@attrs.frozen(kw_only=True)
class FileShape:
    """A file of tests as it is written."""

    tests: tuple[CaseShape, ...]
    rules: tuple[str, ...] | None = None
    start: Instant | None = None
    sessions: Facts | None = None
    runs: Runs | None = None


# --- kinds -------------------------------------------------------------------------------


def _rules(value: Any) -> tuple[str, ...]:
    paths = [TEXT(value)] if isinstance(value, str) else texts(value)
    if not paths or not all(path.strip() for path in paths):
        raise InvalidError.single("", value, _RULES_EXPECTED)
    return tuple(paths)


_FACTS: Final[Mapping[str, Kind[Any]]] = {
    "owner": TEXT,
    "provider": TEXT,
    "project": TEXT,
    "folders": Kind("a list of text", texts, {"type": "array", "items": {"type": "string"}}),
    "automated": FLAG,
    "title": TEXT,
}


def _sessions(value: Any) -> Facts:
    if not is_map(value):
        raise InvalidError.single("", value, _SESSIONS_EXPECTED)
    refuse(
        problem
        for session, facts in value.items()
        for problem in below(child("", session), _fact_problems(facts))
    )
    return {session: dict(facts) for session, facts in value.items()}


def _fact_problems(facts: Any) -> Iterator[Problem]:
    if not is_map(facts):
        yield Problem(path="", value=facts, expected=f"a map ({', '.join(_FACTS)})")
        return
    for key, fact in facts.items():
        if key not in _FACTS:
            yield unknown_key(key, fact, _FACTS)
            continue
        try:
            _FACTS[key](fact)
        except InvalidError as error:
            yield from below(child("", key), error.problems)


def _runs(value: Any) -> Runs:
    if value in ("none", "log"):
        return Runs(every=value)
    if isinstance(value, str):
        return Runs(every=DURATION(value))
    if not is_map(value):
        raise InvalidError.single("", value, _RUNS_EXPECTED)
    problems: list[Problem] = []
    each: dict[str, tuple[Duration, ...]] = {}
    for automation, lengths in value.items():
        items = list(lengths) if is_list(lengths) else [lengths]
        if not items:
            expected = "at least one length"
            problems.append(Problem(path=child("", automation), value=lengths, expected=expected))
        found = []
        for index, length in enumerate(items):
            path = child("", automation)
            try:
                found.append(DURATION(length))
            except InvalidError as error:
                where = child(path, index) if is_list(lengths) else path
                problems.extend(below(where, error.problems))
        each[automation] = tuple(found)
    refuse(problems)
    return Runs(every="log", each=each)


def _names_are_distinct(value: Mapping[str, Any]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    tests = value.get("tests")
    for index, test in enumerate(tests if is_list(tests) else ()):
        name = test.get("name") if is_map(test) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Problem(
                path=f"tests[{index}].name",
                value=name,
                expected="a name that no other test of the file has",
                message=f"{name!r} is taken by tests[{seen[name]}]",
            )
        seen.setdefault(name, index)
    if is_list(tests) and not tests:
        yield Problem(path="tests", value=tests, expected="a list of at least one test")


def _expects_something(value: Mapping[str, Any]) -> Iterator[Problem]:
    if "matches" not in value and "decisions" not in value:
        yield Problem(path="", value=dict(value), expected="matches, decisions or both")


_RULES_EXPECTED: Final = "a path, @id, or a list of them"
_SESSIONS_EXPECTED: Final = "a map from session to its facts"
_RUNS_EXPECTED: Final = "none, log, a duration, or a map from automation to durations"

_RULES: Final = Kind(
    _RULES_EXPECTED,
    _rules,
    {
        "anyOf": [
            {"type": "string", "pattern": r"\S"},
            {"type": "array", "items": {"type": "string", "pattern": r"\S"}, "minItems": 1},
        ],
        "description": "The rules that are tested: paths from this file, or @id",
    },
)
_SESSIONS: Final = Kind(
    _SESSIONS_EXPECTED,
    _sessions,
    {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {key: dict(kind.schema) for key, kind in _FACTS.items()},
            "additionalProperties": False,
        },
        "description": "What is said of a session once for all",
    },
)
_LENGTH: Final = dict(DURATION.schema)
_RUNS: Final = Kind(
    _RUNS_EXPECTED,
    _runs,
    {
        "anyOf": [
            {"enum": ["none", "log"]},
            _LENGTH,
            {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [_LENGTH, {"type": "array", "items": _LENGTH, "minItems": 1}]
                },
            },
        ],
        "description": "How long runs last",
    },
)


def _build_converter() -> ReadingConverter:
    converter = plain_converter()
    register_expectations(converter)
    converter.register_structure_hook(TestInput, INPUT)
    register(converter, Expectation, checks=[_expects_something])
    shared: dict[str, Kind[Any]] = {
        "rules": _RULES,
        "start": FULL_INSTANT,
        "sessions": _SESSIONS,
        "runs": _RUNS,
    }
    register(converter, CaseShape, shared | {"name": NAME, "until": MOMENT})
    register(converter, FileShape, shared, checks=[_names_are_distinct])
    return converter


CONVERTER: Final = _build_converter()
"""Reads files of rule tests; their JSON Schema is made of what it was taught."""
