"""What no automation may be: asked before an engine or a gate takes a definition.

The readers refuse the same with file and line. This is the last check, for definitions that
were put together in code, so that an input that is refused leaves no trace.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, get_args

import attrs

from wakeful.cron import Schedule
from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import AfterRuns, Automation, Overlap
from wakeful.model.triggers import PluginTrigger, ScheduleTrigger
from wakeful.plugins import TypeRegistry

_OVERLAPS: Final = get_args(Overlap)

OWNERS: Final = ("user", "team", "project", "root", "plugin")
"""What an owner may be, before its id (semantics 9.2)."""


def admit(automation: Automation) -> None:
    """Let an automation through, or name everything that is wrong with it.

    Raises:
        InvalidError: Its owner is of no known kind, its overlap is no known word, it is pinned
            and ``parallel``, or a disable condition cannot be meant.
    """
    problems = list(problems_of(automation))
    if problems:
        raise InvalidError(problems)


def problems_of(automation: Automation) -> Iterator[Problem]:
    """Everything that is wrong with an automation, as far as the gate is concerned."""
    definition = automation.definition
    owner = automation.owner
    if owner is not None:
        kind, _, identity = owner.partition(":")
        if kind not in OWNERS or not identity:
            expected = f"an owner: {', '.join(f'{known}:' for known in OWNERS)} with an id"
            yield Problem(path="owner", value=owner, expected=expected)
    if definition.overlap not in _OVERLAPS:
        yield Problem(
            path="overlap",
            value=definition.overlap,
            expected=f"one of {', '.join(_OVERLAPS)}",
        )
    if definition.pinned and definition.overlap == "parallel":
        # One chat takes one turn at a time (semantics 9.12).
        yield Problem(
            path="overlap",
            value=definition.overlap,
            expected="queue, steer or skip on a pinned automation",
        )
    if not definition.disable_conditions:
        return
    kinds = Counter(type(condition).__name__ for condition in definition.disable_conditions)
    for index, condition in enumerate(definition.disable_conditions):
        path = f"disableConditions[{index}]"
        if kinds[type(condition).__name__] > 1:
            yield Problem(path=path, value=condition, expected="each kind at most once")
        if isinstance(condition, AfterRuns) and condition.max < 1:
            yield Problem(
                path=f"{path}.max", value=condition.max, expected="a whole number, at least 1"
            )


def definition_problems(automation: Automation, types: TypeRegistry | None) -> list[Problem]:
    """Everything that is wrong with an automation, its schedules and plugin triggers included.

    Without ``types`` plugin triggers are not asked about: of a definition that stands already,
    one that does not pass sleeps (semantics 11.2).
    """
    problems = list(problems_of(automation))
    for index, trigger in enumerate(automation.definition.triggers):
        path = f"triggers[{index}]"
        if isinstance(trigger, ScheduleTrigger):
            try:
                Schedule.parse(trigger.expression, trigger.time_zone)
            except InvalidError as error:
                problems += (
                    attrs.evolve(problem, path=f"{path}.schedule: {problem.path}")
                    for problem in error.problems
                )
        elif isinstance(trigger, PluginTrigger) and types is not None:
            problems += types.check(trigger, owner=automation.owner, path=path)
    return problems
