"""The pytest plugin: collects ``*.test.yaml`` as ``wakeful test`` does, and gives a clock.

It is loaded by every pytest of an environment that has wakeful, so it imports nothing else
of wakeful until there is such a file. ``-p no:wakeful`` leaves it out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from wakeful.testing import VirtualClock

SUFFIX = ".test.yaml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "RuleTestFile | None":
    """Collect files of rule tests."""
    if file_path.name.endswith(SUFFIX):
        return RuleTestFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def virtual_clock() -> "VirtualClock":
    """A clock that a test moves: :class:`wakeful.testing.VirtualClock`, at 0."""
    from wakeful.testing import VirtualClock  # noqa: PLC0415 - only where a test asks for it

    return VirtualClock()


class RuleTestFile(pytest.File):
    """A file of rule tests."""

    def collect(self) -> Iterator["RuleTestItem"]:
        """The tests of the file.

        Raises:
            pytest.Collector.CollectError: The file is refused, with every problem.
        """
        from wakeful.errors import InvalidError  # noqa: PLC0415 - only where a file is
        from wakeful.rule_tests import read_tests  # noqa: PLC0415

        try:
            cases = read_tests(self.path)
        except InvalidError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield RuleTestItem.from_parent(self, name=case.name, case=case)


class DifferentError(Exception):
    """A test did not come as it was expected."""


class RuleTestItem(pytest.Item):
    """One rule test."""

    def __init__(self, *, case: Any, **options: Any) -> None:
        super().__init__(**options)
        self._case = case

    def runtest(self) -> None:
        """Run it.

        Raises:
            DifferentError: Something else came than was expected.
            InvalidError: Its rules are refused.
        """
        from wakeful.rule_tests import run_case  # noqa: PLC0415 - as above

        outcome = run_case(self._case)
        if not outcome.passed:
            raise DifferentError(outcome.text())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The comparison alone: a traceback into the runner says nothing about the rule."""
        from wakeful.errors import InvalidError  # noqa: PLC0415 - as above

        if isinstance(excinfo.value, DifferentError | InvalidError):
            return f"{self._case.file}:{self._case.line}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test stands."""
        return self.path, self._case.line - 1, self.name
