"""What a check finds: one record a finding, and the table of all codes.

Codes are stable: other programs read them, and each has a page in the reference. The first
word of a code is its class.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, Literal

import attrs

from wakeful.errors import MISSING, InvalidError, Problem, show_value
from wakeful.reading.kinds import plain


class FindingClass(StrEnum):
    """What kind of finding it is: how surely, and in which way, a rule cannot be meant."""

    REFUSED = "refused"
    """It is no rule: the reader refuses it."""
    NEVER = "never"
    """It never matches, or never wakes, whatever a log holds: the engine itself sees to that."""
    HOST = "host"
    """It never matches in a log of a host that keeps section 2 of the semantics."""
    EFFECT = "effect"
    """It does nothing, or too much."""
    UNSEEN = "unseen"
    """It cannot be seen in the logs that were given."""

    @property
    def words(self) -> str:
        """The class in words."""
        return _TITLES[self]


_TITLES: Final = {
    FindingClass.REFUSED: "refused",
    FindingClass.NEVER: "never",
    FindingClass.HOST: "never from a host that keeps the semantics",
    FindingClass.EFFECT: "does nothing, or too much",
    FindingClass.UNSEEN: "cannot be seen in these logs",
}

TITLES: Final[Mapping[str, str]] = {
    "refused": "The reader refuses it",
    "never-empty-filter": "A list of a filter is empty",
    "never-own-chat": "A filter leaves only the automation's own chat",
    "never-window-too-short": "Turns of that length do not fit into the window",
    "never-config": "The config does not pass its type's schema",
    "never-date-past": "The date it is switched off at has passed",
    "host-running-ending": "What ends a turn does not say that it runs",
    "host-not-running-call": "What happens in a turn says that it runs",
    "host-idle-turn": "At idle there is no turn that could be long",
    "host-turn-not-running": "No turn runs that could be long",
    "host-idle-queued": "At idle nothing is queued",
    "host-silence-not-running": "A silent turn is a running one",
    "host-consecutive-idle": "An ending breaks the run before every idle",
    "host-absent-idle": "Idle follows an ending at once",
    "effect-same-input": "sameInput without a kind that has an input",
    "effect-single": "A count of one that is narrowed",
    "effect-zero-wait": "A wait of no length",
    "effect-always-holds": "A condition that always holds",
    "effect-same-rule": "Two triggers mean the same rule",
    "effect-folder": "A folder that is no URI as hosts write them",
    "effect-every-turn": "It matches every turn",
    "effect-schedule-overlap": "Occurrences closer together than runs, under skip",
    "effect-wakes-itself": "It can wake itself",
    "effect-wake-each-other": "Two automations can wake each other",
    "unseen-session": "A session that no log names",
    "unseen-provider": "A provider that no log names",
    "unseen-owner": "An owner that no log names",
    "unseen-project": "A project that no log names",
    "unseen-folder": "A folder that no log names",
    "unseen-together": "No session has all that the filter asks for",
    "unseen-kind": "An event that the logs' format does not show",
    "unseen-queue": "Queued messages that the logs' format does not show",
    "unseen-quiet": "Quiet that the logs' format does not show",
    "unseen-instants": "Lengths of time in logs without instants",
    "unseen-plugin-event": "A plugin's event that no log has",
}
"""Every code, and what it is about in a few words."""


@attrs.frozen(kw_only=True)
class Finding:
    """One thing that is wrong with rules, or cannot be meant.

    Attributes:
        code: One of :data:`TITLES`.
        problem: Where, what was given, the sentence, and in ``expected`` what to do.
    """

    code: str
    problem: Problem

    @property
    def finding_class(self) -> FindingClass:
        """Its class, which is the first word of its code."""
        return FindingClass(self.code.partition("-")[0])

    @property
    def severity(self) -> Literal["error", "warning"]:
        """An error is what is refused; what works but cannot be meant is a warning."""
        return "error" if self.finding_class is FindingClass.REFUSED else "warning"

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data, in the members other programs read."""
        problem = self.problem
        record: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "path": problem.path,
            "file": problem.file,
            "line": problem.line,
            "column": problem.column,
        }
        record = {key: value for key, value in record.items() if value is not None}
        if problem.value is not MISSING:
            record["value"] = _written(problem.value)
        if problem.expected:
            record["expected"] = problem.expected
        return record | {"message": problem.sentence}


def _written(value: Any) -> Any:
    """A value as JSON has it; what JSON does not have, as it is shown."""
    try:
        return plain(value)
    except InvalidError:
        return show_value(value)


def finding(code: str, path: str, message: str, do: str, value: Any = MISSING) -> Finding:
    """A finding that is not yet placed in a file.

    Args:
        code: One of :data:`TITLES`.
        path: Where in the file's data.
        message: The sentence.
        do: What to do about it.
        value: What was given there.
    """
    return Finding(code=code, problem=Problem(path=path, expected=do, value=value, message=message))
