"""Findings by the engine itself: no log whatever makes such a rule match, or wake.

Each claim here is held against the engine with generated logs in the tests.
"""

from collections.abc import Iterable, Iterator

import attrs

from wakeful.checking.findings import Finding, finding
from wakeful.checking.watched import Checked, Watched
from wakeful.errors import InvalidError
from wakeful.model.automations import AfterDate
from wakeful.model.events import ENDINGS
from wakeful.model.rules import Filter
from wakeful.model.time import Instant, format_duration, format_instant
from wakeful.model.triggers import PluginTrigger
from wakeful.plugins import TypeRegistry, UncheckedConnectors
from wakeful.reading.paths import child, join
from wakeful.reading.rulesets import DeclaredType

LISTS = ("sessions", "providers", "owners", "projects", "folders")
"""The keys of a filter that are lists."""


def never_matches(watched: Watched) -> Iterator[Finding]:
    """What is wrong with one rule, whatever a log holds."""
    where = watched.rule.filter
    if where is not None:
        yield from _empty_lists(watched, where)
        yield from _own_chat(watched, where)
    yield from _short_window(watched)


def _empty_lists(watched: Watched, where: Filter) -> Iterator[Finding]:
    for key in LISTS:
        listed = getattr(where, key)
        if listed is not None and not listed:
            yield finding(
                "never-empty-filter",
                watched.at(f"filter.{key}"),
                f"{key} is an empty list, which no session is in: the rule never matches",
                f"name what is meant, or leave {key} out, which is every session",
                [],
            )


def _own_chat(watched: Watched, where: Filter) -> Iterator[Finding]:
    definition = watched.checked.automation.definition
    chat = definition.pinned_session if definition.pinned else None
    if chat is not None and where.sessions == frozenset({chat}):
        yield finding(
            "never-own-chat",
            watched.at("filter.sessions"),
            "the only session it looks at is the chat of its own runs, which never wakes it: "
            "every match is dropped (ownRun)",
            "name another session, or leave sessions out",
            [chat],
        )


def _short_window(watched: Watched) -> Iterator[Finding]:
    """Turns of a session do not overlap: so many long ones need so much time between endings."""
    rule = watched.rule
    count, longer = rule.count, rule.when.turn_longer_than if rule.when else None
    if count is None or count.within is None or longer is None or not rule.events <= ENDINGS:
        return
    least = (count.n - 1) * longer
    if count.within < least:
        yield finding(
            "never-window-too-short",
            watched.at("count.within"),
            f"{count.n} turns of at least {format_duration(longer)} take "
            f"{format_duration(least)} from the first ending to the last, longer than within: "
            "the count is never satisfied",
            f"a window of at least {format_duration(least)}, a smaller n, or shorter turns",
            format_duration(count.within),
        )


def never_wakes(
    checked: Checked, types: Iterable[DeclaredType], now: Instant | None
) -> Iterator[Finding]:
    """What is wrong with one automation, whatever a log holds."""
    yield from _refused_configs(checked, types)
    yield from _past_dates(checked, now)


def _refused_configs(checked: Checked, types: Iterable[DeclaredType]) -> Iterator[Finding]:
    # A file knows no host, so none of its connectors; a host holds the trigger to them.
    registry = TypeRegistry(connectors=UncheckedConnectors())
    for declared in types:
        try:
            registry.register(declared.definition, by=declared.by or "plugin")
        except InvalidError:
            continue  # two of one name were refused when the rules were read
    for path, trigger in checked.triggers():
        if not isinstance(trigger, PluginTrigger) or trigger.type not in registry:
            continue
        for problem in registry.check(trigger, owner=checked.automation.owner):
            placed = attrs.evolve(
                problem,
                path=join(path, problem.path),
                message=f"the type {trigger.type!r} refuses it: {problem.sentence}",
            )
            yield Finding(code="never-config", problem=placed)


def _past_dates(checked: Checked, now: Instant | None) -> Iterator[Finding]:
    if now is None:
        return
    for index, condition in enumerate(checked.automation.definition.disable_conditions):
        if isinstance(condition, AfterDate) and condition.date <= now:
            path = child(child(checked.path, "disableConditions"), index)
            yield finding(
                "never-date-past",
                child(path, "date"),
                f"{format_instant(condition.date)} has passed: the automation is switched off "
                "the moment it is saved",
                "a later date, or no condition",
                format_instant(condition.date),
            )
