"""Rule tests from ``*.test.yaml`` files, with every problem by line and column."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.time import Instant, parse_instant
from wakeful.reading import shipped_rules_folder
from wakeful.reading.bounded import read_bounded
from wakeful.reading.kinds import refuse
from wakeful.reading.paths import child, in_order
from wakeful.reading.problems import below
from wakeful.reading.rulesets import FORMATS, SHIPPED, TEST_SUFFIX
from wakeful.reading.yaml_text import read_yaml, yaml_places
from wakeful.rule_tests.moments import Moment
from wakeful.rule_tests.notation import TestInput
from wakeful.rule_tests.shapes import CONVERTER, CaseShape, Expectation, Facts, FileShape, Runs

START: Final = parse_instant("2026-01-01T00:00:00Z")
"""When a test starts that does not say."""


@attrs.frozen(kw_only=True)
class Case:
    """A test, with what its file says for it.

    Attributes:
        file: The file it stands in.
        line: The line it begins at.
        rules: Paths, and ``@id`` for the package's own.
        until: How far time goes on after the last input; ``None``: not at all.
    """

    file: str
    line: int
    name: str
    rules: tuple[str, ...]
    start: Instant
    inputs: tuple[TestInput, ...]
    expect: Expectation
    until: Moment | None
    sessions: Facts
    runs: Runs


def find_tests(paths: Iterable[str | Path]) -> list[Path]:
    """The files of rule tests: files as they are named, those of folders and all below.

    ``@`` is the tests of the rules that come with the package, ``@id`` those of one.

    Raises:
        InvalidError: There is no such file, or a file's name does not end in ``.test.yaml``.
    """
    found: dict[Path, None] = {}
    problems: list[Problem] = []
    for path in paths:
        name = str(path)
        if name.startswith(SHIPPED):
            stem = name.removeprefix(SHIPPED) or "*"
            files = sorted(shipped_rules_folder().glob(f"{stem}{TEST_SUFFIX}"))
        elif Path(path).is_dir():
            files = sorted(Path(path).rglob(f"*{TEST_SUFFIX}"))
        elif Path(path).is_file() and name.endswith(TEST_SUFFIX):
            files = [Path(path)]
        else:
            expected = f"a {TEST_SUFFIX} file, or a folder"
            said = "no rule tests" if Path(path).exists() else "no such file"
            message = f"{said}; expected {expected}"
            problems.append(Problem(path="", expected=expected, message=message, file=name))
            continue
        found.update(dict.fromkeys(files))
    refuse(problems)
    return list(found)


def read_tests(file: Path) -> tuple[Case, ...]:
    """The tests of a file, in its order.

    Raises:
        InvalidError: With every problem, by line and column.
    """
    name = str(file)
    try:
        with file.open("rb") as opened:
            text = read_bounded(opened).decode("utf-8-sig")
    except OSError as error:
        raise _whole(name, f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise _whole(name, "not UTF-8 text") from None
    except InvalidError as error:
        raise InvalidError(attrs.evolve(problem, file=name) for problem in error.problems) from None
    try:
        data = read_yaml(text)
    except InvalidError as error:
        raise InvalidError(attrs.evolve(problem, file=name) for problem in error.problems) from None
    places = yaml_places(text)
    try:
        shape = CONVERTER.structure(data, FileShape)
    except InvalidError as error:
        raise InvalidError(places.locate(in_order(error.problems, data), name)) from None
    cases, problems = [], []
    for index, case in enumerate(shape.tests):
        path = child("tests", index)
        try:
            cases.append(_case(file, places.values[path].line, shape, case))
        except InvalidError as error:
            problems.extend(places.locate(below(path, error.problems), name))
    refuse(problems)
    return tuple(cases)


def _case(file: Path, line: int, shape: FileShape, case: CaseShape) -> Case:
    rules = case.rules or shape.rules or _beside(file)
    start = next(at for at in (case.start, shape.start, START) if at is not None)
    sessions = {**(shape.sessions or {}), **(case.sessions or {})}
    if case.until is not None and case.inputs:
        last = max(each.at.resolve(start) for each in case.inputs)
        if case.until.resolve(start) < last:
            raise InvalidError.single(
                "until", None, "a moment not before the last input", "before the last input"
            )
    return Case(
        file=str(file),
        line=line,
        name=case.name,
        rules=tuple(
            path if path.startswith(SHIPPED) else str(file.parent / path) for path in rules
        ),
        start=start,
        inputs=case.inputs,
        expect=case.expect,
        until=case.until,
        sessions=sessions,
        runs=case.runs or shape.runs or Runs(),
    )


def _beside(file: Path) -> tuple[str, ...]:
    """The ruleset that lies beside a file of tests and has its name."""
    stem = file.name.removesuffix(TEST_SUFFIX)
    for suffix in FORMATS:
        if (file.parent / f"{stem}{suffix}").is_file():
            return (f"{stem}{suffix}",)
    expected = "the rules that are tested"
    message = f"missing; expected {expected}, as no {stem}.yaml lies beside the tests"
    raise InvalidError([Problem(path="rules", expected=expected, message=message)])


def _whole(file: str, message: str) -> InvalidError:
    return InvalidError([Problem(path="", expected="rule tests", message=message, file=file)])
