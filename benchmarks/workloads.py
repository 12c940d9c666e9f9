"""What the benchmarks feed: rules of each kind of machine, and a day of many sessions.

Everything is made the same at every call. Fifty projects are live. Of any number of rules
ten watch each session, one of each shape of their kind; what is left over is for projects
that no session has.
"""

from collections.abc import Iterator, Sequence
from random import Random

from wakeful import (
    AbsentFor,
    Activity,
    Automation,
    AutomationDefinition,
    Count,
    EventWithin,
    Facts,
    Filter,
    IdleFor,
    Input,
    Message,
    SessionEvent,
    SessionRule,
    SessionTrigger,
    Settings,
    Tool,
    TurnStarted,
    When,
)
from wakeful.model.events import ENDINGS
from wakeful.model.rules import FollowUp
from wakeful.model.time import HOUR, MINUTE

LIVE_PROJECTS = 50
WATCHING = 10
MATCHING = Settings(run_time="none", messages=False)
"""Decisions are made and no message is filled: a message costs what its text costs."""

TOOLS = tuple(Tool("Bash", f"sha256:{number}") for number in range(40))
FACTS = tuple(
    Facts(owner="user:ann", provider="claude", project=f"live-{number}")
    for number in range(LIVE_PROJECTS)
)

_FAILED, _TOOLS = frozenset({"toolFailed"}), frozenset({"toolCalled", "toolFailed"})

COUNTS = (
    (_FAILED, Count(n=3)),
    (_FAILED, Count(n=3, within=5 * MINUTE)),
    (_FAILED, Count(n=3, consecutive=True)),
    (_FAILED, Count(n=3, consecutive=True, within=5 * MINUTE)),
    (_TOOLS, Count(n=3, same_input=True, within=10 * MINUTE)),
    (_TOOLS, Count(n=3, same_input=True, consecutive=True)),
    (frozenset({"turnFailed"}), Count(n=2, consecutive=True)),
    (frozenset({"messageQueued"}), Count(n=5)),
    (frozenset({"toolCalled"}), Count(n=100)),
    (_FAILED, Count(n=100, within=HOUR)),
)


def _rule(
    events: frozenset[str], count: Count | None, then: FollowUp | None, projects: frozenset[str]
) -> SessionRule:
    return SessionRule(events=events, count=count, then=then, filter=Filter(projects=projects))


def _following(shape: int, kind: str) -> FollowUp | None:
    length = (shape + 1) * 4 * MINUTE
    if kind == "event":
        return EventWithin("turnCompleted", length)
    if kind == "absent":
        return AbsentFor("toolCalled", length)
    return IdleFor(length) if kind == "idle" else None


def rules_of(kind: str, projects: frozenset[str]) -> list[SessionRule]:
    """The ten rules of a kind that watch these projects.

    Args:
        kind: ``count``, or ``event``, ``absent`` or ``idle`` by what follows the count;
            ``silence`` for the ten that time the silence of a turn; ``mixed`` for two of each;
            ``four`` for what a hand-written loop does, too: filters, runs, one event after
            another, and absences.
        projects: What their filter names.
    """
    if kind == "mixed":
        each = [rules_of(one, projects) for one in KINDS]
        return [rules[shape] for shape in (1, 4) for rules in each]
    if kind == "four":
        return [
            _rule(frozenset({event}), count, then, projects)
            for event, count, then in (
                ("messageQueued", None, None),
                ("turnFailed", None, None),
                ("toolFailed", Count(n=3, consecutive=True, within=5 * MINUTE), None),
                ("toolFailed", Count(n=4, consecutive=True, within=10 * MINUTE), None),
                ("toolFailed", Count(n=5, consecutive=True, within=20 * MINUTE), None),
                ("turnFailed", None, EventWithin("turnCompleted", 10 * MINUTE)),
                ("turnFailed", None, EventWithin("messageQueued", 20 * MINUTE)),
                ("messageQueued", None, EventWithin("turnFailed", 30 * MINUTE)),
                ("turnCompleted", None, AbsentFor("messageQueued", 5 * MINUTE)),
                ("turnFailed", None, AbsentFor("turnCompleted", 10 * MINUTE)),
            )
        ]
    if kind == "silence":
        return [
            SessionRule(
                events=ENDINGS,
                when=When(turn_longer_than=(shape + 1) * 4 * MINUTE),
                filter=Filter(projects=projects),
            )
            for shape in range(WATCHING)
        ]
    if kind == "count":
        return [_rule(events, count, None, projects) for events, count in COUNTS]
    return [
        _rule(events, Count(n=1 + shape % 3), _following(shape, kind), projects)
        for shape, (events, _) in enumerate(COUNTS)
    ]


KINDS = ("count", "event", "absent", "idle", "silence")


def automations(number: int, kind: str = "mixed") -> list[Automation]:
    """So many rules, ten an automation, of which ten watch each session."""
    groups = min(LIVE_PROJECTS, number // WATCHING)
    made = []
    for group in range(number // WATCHING):
        projects = (
            [f"live-{project}" for project in range(group, LIVE_PROJECTS, groups)]
            if group < groups
            else [f"dead-{group}"]
        )
        triggers = tuple(
            SessionTrigger(id=f"t{place}", events=tuple(sorted(rule.events)), rule=rule)
            for place, rule in enumerate(rules_of(kind, frozenset(projects)))
        )
        made.append(automation(f"a{group}", triggers))
    return made


def automation(name: str, triggers: Sequence[object]) -> Automation:
    """An automation of these triggers."""
    definition = AutomationDefinition(
        title=name, message=Message(text="{{event}} {{count}}"), triggers=tuple(triggers)
    )
    return Automation(resource=f"ahp-automation:/{name}", definition=definition)


def day(sessions: int, *, seed: int = 1, facts: Sequence[Facts] = FACTS) -> Iterator[Input]:
    """What so many sessions do, side by side, without end.

    Calls by far the most, one in six of them failing; a turn of some twenty of them; words
    in between. In each minute every session comes up once, some of them only in the next, so
    that the number of sessions that live is the number given, and quiets come true and are
    broken. ``facts`` are those of the sessions, in turn.
    """
    dice = Random(seed)
    chance = dice.random
    at, step = 0, max(1, MINUTE // sessions)
    running = bytearray(sessions)
    calls = [0] * sessions
    names = [f"session-{number}" for number in range(sessions)]
    while True:
        for number in dice.sample(range(sessions), sessions):
            at += step
            if chance() < 0.2:
                continue
            name, known = names[number], facts[number % len(facts)]
            if not running[number]:
                running[number], calls[number] = 1, 0
                yield TurnStarted(name, at, known)
                continue
            what = chance()
            if what < 0.15:
                yield Activity(name, at)
            elif what < 0.90:
                calls[number] += 1
                kind = "toolFailed" if what < 0.27 else "toolCalled"
                tool = TOOLS[int(chance() * len(TOOLS))]
                yield SessionEvent(kind, name, at, known, True, 0, calls[number], tool)
            elif what < 0.95:
                yield SessionEvent("messageQueued", name, at, known, True, 1, calls[number])
            else:
                running[number] = 0
                kind = "turnFailed" if what < 0.96 else "turnCompleted"
                yield SessionEvent(kind, name, at, known, False, 0, calls[number])
