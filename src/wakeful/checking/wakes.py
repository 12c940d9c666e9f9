"""Automations that can wake each other, or themselves, by what their runs do.

A run is a session, and does what sessions do: its turns end, its calls fail. A rule that does
not leave automated sessions out looks at it. Its own runs never wake an automation
(semantics 9.3); sessions that those runs start are not its own, and do.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from wakeful.checking.findings import Finding, finding
from wakeful.checking.watched import Checked, Watched
from wakeful.model.rules import Filter

_SHOWN: Final = 5
_DO: Final = "automated: false in the filter of one of them"


def wakes_by_runs(automations: Sequence[Checked]) -> Iterator[tuple[str, Finding]]:
    """Each finding with the file that it is in."""
    active = [each for each in automations if each.automation.definition.enabled]
    for checked in active:
        rule = next((rule for rule in checked.rules() if _takes_any_run(rule.rule.filter)), None)
        if rule is not None:
            yield (
                checked.file,
                finding(
                    "effect-wakes-itself",
                    rule.at("filter.automated"),
                    "its filter lets in the sessions that its own runs start, so it can wake "
                    "itself, run after run",
                    "automated: false in the filter",
                ),
            )
    for index, one in enumerate(active):
        # Each pair is told once, at the first of the two.
        partners, place = [], None
        for other in active[index + 1 :]:
            back = _woken_by(one, other)
            if back is not None and _woken_by(other, one) is not None:
                partners.append(other.name)
                place = place or back
        if place is not None:
            yield (
                one.file,
                finding(
                    "effect-wake-each-other",
                    place.at("filter.automated"),
                    f"runs of {one.name} can wake {_listing(partners)}, and theirs can wake "
                    f"{one.name}",
                    _DO,
                ),
            )


def _listing(names: list[str]) -> str:
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"


def _takes_any_run(where: Filter | None) -> bool:
    """Whether a session that some run started can pass, of which nothing else is known."""
    if where is None:
        return True
    if where.automated is False or where.sessions is not None:
        return False
    lists = (where.providers, where.owners, where.projects, where.folders)
    return all(listed is None or listed for listed in lists)


def _woken_by(woken: Checked, runs_of: Checked) -> Watched | None:
    """The first rule of an automation that looks at the runs of another one."""
    return next(
        (rule for rule in woken.rules() if _takes_run(rule.rule.filter, runs_of)),
        None,
    )


def _takes_run(where: Filter | None, of: Checked) -> bool:
    """Whether the session of a run can pass: where its facts are not written, they can be any."""
    if where is None:
        return True
    definition = of.automation.definition
    if where.automated is False:
        return False
    if where.sessions is not None:
        return definition.pinned and definition.pinned_session in where.sessions
    provider = definition.session.get("provider")
    folders = definition.session.get("workingDirectories")
    if where.folders is not None and folders and where.folders.isdisjoint(folders):
        return False
    return (
        _can_be(where.providers, provider)
        and _can_be(where.owners, of.automation.owner)
        and _can_be(where.projects, None)
        and _can_be(where.folders, None)
    )


def _can_be(listed: frozenset[str] | None, fact: str | None) -> bool:
    if listed is None:
        return True
    return bool(listed) if fact is None else fact in listed
