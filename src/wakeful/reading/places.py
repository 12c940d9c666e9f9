"""Where in a file the values of its data stand; worked out only when something is wrong."""

from collections.abc import Iterable
from typing import NamedTuple

import attrs

from wakeful.errors import Problem
from wakeful.reading.paths import parents
from wakeful.reading.problems import KeyProblem


class Place(NamedTuple):
    """A line and a column, both from 1; columns count characters."""

    line: int
    column: int


@attrs.define
class Places:
    """The places of a document's keys and values, by path.

    Attributes:
        values: Where each value starts.
        keys: Where the key of each member of a map starts.
    """

    values: dict[str, Place] = attrs.field(factory=dict)
    keys: dict[str, Place] = attrs.field(factory=dict)

    def locate(self, problems: Iterable[Problem], file: str | None) -> list[Problem]:
        """The problems, with file, line and column.

        What is missing is shown where the map starts that lacks it.
        """
        return [
            attrs.evolve(problem, file=file, line=place.line, column=place.column)
            if (place := self._of(problem))
            else attrs.evolve(problem, file=file)
            for problem in problems
        ]

    def _of(self, problem: Problem) -> Place | None:
        if isinstance(problem, KeyProblem) and problem.path in self.keys:
            return self.keys[problem.path]
        return next(
            (self.values[path] for path in parents(problem.path) if path in self.values), None
        )
