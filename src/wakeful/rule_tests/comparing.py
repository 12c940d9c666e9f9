"""What came against what was expected: the longest common row of both, and the rest marked."""

from collections.abc import Sequence
from typing import Final, Literal

import attrs

from wakeful.model.outputs import Decision, Match
from wakeful.model.time import Instant
from wakeful.rule_tests.expectations import Expected, holds, line_of, members_of_output

_SHOWN: Final = ("at", "decision", "automation", "session", "count", "reason")
"""What an output that was not expected is shown with, besides what expectations name."""


@attrs.frozen
class Row:
    """A line of a comparison.

    Attributes:
        mark: ``-`` for what did not come, ``+`` for what was not expected, else a blank.
    """

    mark: Literal[" ", "-", "+"]
    text: str

    @property
    def differs(self) -> bool:
        """Whether expectation and outputs part here."""
        return self.mark != " "

    def __str__(self) -> str:
        return f"{self.mark} {self.text}"


def compare(
    expected: Sequence[Expected], came: Sequence[Match | Decision], start: Instant
) -> list[Row]:
    """The rows of both, in order. O(expected times came)."""
    same = [[holds(wanted, output, start) for output in came] for wanted in expected]
    longest = _longest(same, len(expected), len(came))
    named = {
        field.name
        for wanted in expected
        for field in attrs.fields(type(wanted))
        if getattr(wanted, field.name) is not None
    }
    rows: list[Row] = []
    i = j = 0
    while i < len(expected) or j < len(came):
        if i < len(expected) and j < len(came) and same[i][j]:
            rows.append(Row(" ", _expected_line(expected[i], start)))
            i, j = i + 1, j + 1
        elif j == len(came) or (i < len(expected) and longest[i + 1][j] >= longest[i][j + 1]):
            rows.append(Row("-", _expected_line(expected[i], start)))
            i += 1
        else:
            rows.append(Row("+", _output_line(came[j], named, start)))
            j += 1
    return rows


def _longest(same: Sequence[Sequence[bool]], rows: int, columns: int) -> list[list[int]]:
    """From each pair of places on, how many can still be paired in order."""
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if same[i][j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    return longest


def _expected_line(expected: Expected, start: Instant) -> str:
    return line_of(
        {field.name: getattr(expected, field.name) for field in attrs.fields(type(expected))},
        start,
    )


def _output_line(output: Match | Decision, named: set[str], start: Instant) -> str:
    members = members_of_output(output)
    return line_of(
        {name: value for name, value in members.items() if name in named or name in _SHOWN},
        start,
    )
