"""The rules and the events that all peers are fed.

Rules of four kinds: a filter, three failures in a row within five minutes, one event then
another within ten, and one event after which another stays absent for five. A project has
one of each, and each session is of one project: at any number of rules four watch an event.
"""

import os
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from workloads import automation

from wakeful import (
    AbsentFor,
    Automation,
    Count,
    EventWithin,
    Facts,
    Filter,
    Match,
    SessionEvent,
    SessionRule,
    SessionTrigger,
    Tool,
)
from wakeful.model.time import MINUTE

KINDS: Final = ("filter", "count", "then", "absence")
EVENTS: Final = int(os.environ.get("WAKEFUL_BENCH_EVENTS", "20000"))
SESSIONS: Final = 1_000
WARM: Final = 2_000
"""Events that come before what is timed."""

EACH: Final = 20_000
"""Milliseconds from one event of a session to its next, on average."""

FILTERED: Final = "messageQueued"
COUNTED, TIMES, WITHIN = "toolFailed", 3, 5 * MINUTE
FIRST, SECOND, BETWEEN = "turnFailed", "turnCompleted", 10 * MINUTE
SEEN, ABSENT, FOR = "childFinished", "messageQueued", 5 * MINUTE

FILTERS: Final[Mapping[str, str]] = {
    "queued": "messageQueued",
    "failed": "turnFailed",
    "finished": "childFinished",
    "cancelled": "turnCancelled",
}
"""The kinds that filters alone ask for, by the names of the rules that do."""

SHARES: Final[dict[str, int]] = {
    "toolCalled": 66,
    "toolFailed": 20,
    "messageQueued": 3,
    "turnCompleted": 3,
    "childFinished": 3,
    "turnFailed": 2,
    "idle": 2,
    "turnCancelled": 1,
}
"""Of each hundred events, how many are of a kind."""

_TOOLS: Final = tuple(Tool("Bash", f"sha256:{number}") for number in range(40))


class Found(NamedTuple):
    """A match, as every peer can say it."""

    at: int
    project: str
    kind: str
    session: str


def projects_of(number: int) -> list[str]:
    """The projects that so many rules are for, four each."""
    return [f"p{group}" for group in range(max(1, number // 4))]


def rule_of(kind: str, project: str) -> SessionRule:
    """A project's rule of a kind."""
    event, count, then = {
        "filter": (FILTERED, None, None),
        "count": (COUNTED, Count(n=TIMES, within=WITHIN, consecutive=True), None),
        "then": (FIRST, None, EventWithin(SECOND, BETWEEN)),
        "absence": (SEEN, None, AbsentFor(ABSENT, FOR)),
    }[kind]
    return SessionRule(events=frozenset({event}), count=count, then=then, filter=_only(project))


def automations(number: int) -> list[Automation]:
    """So many rules, as automations of four; those that are left over are for no session."""
    made = [
        _automation(project, {kind: rule_of(kind, project) for kind in KINDS})
        for project in projects_of(number)
    ]
    spare = KINDS[: number - 4 * len(made)]
    if spare:
        made.append(_automation("spare", {kind: rule_of(kind, "no project") for kind in spare}))
    return made


def filters(number: int) -> list[Automation]:
    """So many rules that are a filter alone, four a project."""
    return [
        _automation(
            project,
            {
                name: SessionRule(events=frozenset({kind}), filter=_only(project))
                for name, kind in FILTERS.items()
            },
        )
        for project in projects_of(number)
    ]


def _automation(name: str, rules: Mapping[str, SessionRule]) -> Automation:
    return automation(
        name,
        [
            SessionTrigger(id=id_, events=tuple(rule.events), rule=rule)
            for id_, rule in rules.items()
        ],
    )


def _only(project: str) -> Filter:
    return Filter(projects=frozenset({project}))


def stream(
    number: int, events: int, *, sessions: int = SESSIONS, seed: int = 7
) -> list[SessionEvent]:
    """So many events for so many rules; a session has one some three times a minute."""
    dice = Random(seed)
    every = [
        Facts(owner="user:ann", provider="claude", project=project)
        for project in projects_of(number)
    ]
    kinds = dice.choices(list(SHARES), weights=list(SHARES.values()), k=events)
    places = dice.choices(range(sessions), k=events)
    names = [f"session-{place}" for place in range(sessions)]
    step = EACH // sessions
    return [
        SessionEvent(
            kind,
            names[place],
            index * step,
            every[place % len(every)],
            True,
            0,
            0,
            dice.choice(_TOOLS) if kind.startswith("tool") else None,
        )
        for index, (kind, place) in enumerate(zip(kinds, places, strict=True))
    ]


def found_in(outputs: Sequence[object]) -> list[Found]:
    """The matches among an engine's outputs."""
    return [
        Found(each.at, each.automation.rpartition("/")[2], each.trigger, each.session)
        for each in outputs
        if isinstance(each, Match)
    ]
