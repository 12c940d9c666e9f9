"""Checking rulesets: everything that is refused, then everything that cannot be meant."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import attrs

from wakeful.checking.census import Census
from wakeful.checking.effect import every_turn, same_rules, without_effect
from wakeful.checking.findings import Finding, FindingClass
from wakeful.checking.host import never_from_host
from wakeful.checking.never import never_matches, never_wakes
from wakeful.checking.schedules import RUN_TIME, overlapping_schedules
from wakeful.checking.unseen import unseen, unseen_plugin_events
from wakeful.checking.wakes import wakes_by_runs
from wakeful.checking.watched import Checked, checked_automations
from wakeful.model.time import Duration, Instant
from wakeful.reading.places import Places
from wakeful.reading.rulesets import DeclaredType, survey_rules


@attrs.frozen(kw_only=True)
class Result:
    """What a check came to.

    Attributes:
        findings: What is refused first, then file by file, in the order of the text.
        automations: How many automations were checked.
    """

    findings: tuple[Finding, ...]
    automations: int

    @property
    def refused(self) -> bool:
        """Whether something is no rule at all."""
        return any(each.finding_class is FindingClass.REFUSED for each in self.findings)


def check_rules(
    paths: Iterable[str | Path],
    *,
    census: Census | None = None,
    run_time: Duration = RUN_TIME,
    now: Instant | None = None,
) -> Result:
    """Check rulesets. What can be read is checked also where other things are refused.

    Args:
        paths: Files, folders, and ``@id`` or ``@`` for the rules that come with the package.
        census: What logs name and show; without it nothing is said about logs.
        run_time: How long a run is taken to last, in milliseconds.
        now: The instant that dates are held against; without it they are not.
    """
    ruleset, problems = survey_rules(paths)
    refused = [Finding(code="refused", problem=problem) for problem in problems]
    automations, places = checked_automations(ruleset)
    placed = [
        _placed(file, found, places)
        for file, found in _found(automations, ruleset.types, census, run_time, now)
    ]
    files = list(places)
    placed.sort(key=lambda each: _order(each, files))
    return Result(findings=(*refused, *placed), automations=len(automations))


def _found(
    automations: Iterable[Checked],
    types: tuple[DeclaredType, ...],
    census: Census | None,
    run_time: Duration,
    now: Instant | None,
) -> Iterator[tuple[str, Finding]]:
    automations = list(automations)
    for checked in automations:
        for found in _of_one(checked, types, census, run_time, now):
            yield checked.file, found
    yield from wakes_by_runs(automations)


def _of_one(
    checked: Checked,
    types: tuple[DeclaredType, ...],
    census: Census | None,
    run_time: Duration,
    now: Instant | None,
) -> Iterator[Finding]:
    yield from never_wakes(checked, types, now)
    seen: set[tuple[str, str, str]] = set()
    for watched in checked.rules():
        for found in (
            *never_matches(watched),
            *never_from_host(watched),
            *without_effect(watched),
            *every_turn(watched),
            *(unseen(watched, census) if census is not None else ()),
        ):
            # The presets of a trigger share its filter: what is wrong there is said once.
            key = (found.code, found.problem.path, found.problem.message)
            if key not in seen:
                seen.add(key)
                yield found
    yield from same_rules(checked)
    yield from overlapping_schedules(checked, run_time, now)
    if census is not None:
        yield from unseen_plugin_events(checked, census)


def _placed(file: str, found: Finding, places: Mapping[str, Places]) -> Finding:
    (problem,) = places[file].locate([found.problem], file)
    return attrs.evolve(found, problem=problem)


def _order(found: Finding, files: list[str]) -> tuple[int, int, int]:
    problem = found.problem
    return files.index(problem.file or ""), problem.line or 0, problem.column or 0
