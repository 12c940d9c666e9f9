"""Hypothesis strategies: random automations and random logs, out of small pools.

Pools are small so that what is drawn collides: the same session, the same call, an event at
the instant of a deadline. Instants are drawn as steps from the one before; a step back is a
late input (semantics 1.4).
"""

from collections.abc import Sequence
from typing import Any

import attrs
from hypothesis import strategies as st

from wakeful.model.automations import (
    AfterDate,
    AfterRuns,
    Automation,
    AutomationDefinition,
    DisableCondition,
    Message,
)
from wakeful.model.events import (
    ENDINGS,
    EVENT_KINDS,
    NO_FACTS,
    TOOL_KINDS,
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    EventKind,
    Facts,
    GrantsChanged,
    Input,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    Tool,
    TurnStarted,
)
from wakeful.model.rules import (
    AbsentFor,
    Count,
    EventWithin,
    Filter,
    FollowUp,
    IdleFor,
    SessionRule,
    When,
)
from wakeful.model.time import MINUTE
from wakeful.model.triggers import SessionTrigger, Trigger, WatchTrigger

START = 1_791_382_800_000
"""The first instant of every random log."""

SESSIONS = ("s0", "s1", "s2")
RUN_SESSIONS = ("r0", "r1")
OWNERS = ("user:ann", "team:web")
PRESETS = (
    "looks-stuck",
    "failing-tools",
    "long-silent-turn",
    "idle-after-failure",
    "waiting-while-busy",
)

durations = st.sampled_from((0, 1_000, 2_000, 2_000, 3_000, 5_000, 5_000, MINUTE))
steps = st.sampled_from(
    (1, 0, 0, 999, 1_000, 1_000, 1_000, 1_001, 2_000, 2_000, 3_000, 5_000, 5_001, MINUTE, -1_000)
)
USUAL = Facts(owner="user:ann", provider="claude", project="web", folders=("file:///w/web",))
facts = st.sampled_from(
    (
        USUAL,
        USUAL,
        USUAL,
        NO_FACTS,
        attrs.evolve(USUAL, project="api", folders=("file:///w/api", "file:///w/web")),
        attrs.evolve(USUAL, owner="team:web", automated=True),
        attrs.evolve(USUAL, provider=None, project=None),
    )
)
tools = st.sampled_from(
    (Tool("Bash", "1"), Tool("Bash", "1"), Tool("Bash", "2"), Tool("Edit", "1"), None)
)
states = st.sampled_from(
    ((True, 0, 1), (True, 1, 2), (True, 1, 0), (False, 0, 1), (None, None, None), (True, None, 2))
)
"""``running``, ``queued`` and ``turnToolCalls`` as an event tells them."""

Kinds = st.SearchStrategy[EventKind]

all_kinds = st.sampled_from(EVENT_KINDS)
kind_pools: st.SearchStrategy[Kinds] = st.sampled_from(
    (
        ("toolFailed", "toolCalled"),
        ("toolFailed", "idle"),
        ("turnFailed", "turnCompleted", "idle"),
        ("turnCompleted", "turnFailed", "turnCancelled", "toolFailed"),
        ("toolCalled", "turnCompleted"),
        ("messageQueued", "toolCalled", "childFinished"),
        EVENT_KINDS,
    )
).map(st.sampled_from)
"""The kinds that the rules and the log of one case are about: few, so that rules match."""

session_pools = st.sampled_from((("s0",), SESSIONS[:2], SESSIONS))

filters = st.sampled_from(
    (
        *[None] * 14,
        Filter(),
        Filter(sessions=frozenset({"s0", "s1"})),
        Filter(providers=frozenset({"claude", "codex"})),
        Filter(owners=frozenset({"user:ann"})),
        Filter(projects=frozenset({"web"})),
        Filter(folders=frozenset({"file:///w/web"})),
        Filter(folders=frozenset({"file:///w"})),
        Filter(automated=False),
        Filter(projects=frozenset()),
        Filter(projects=frozenset({"web", "api"}), sessions=frozenset({"s0"}), automated=True),
    )
)
counts = st.one_of(
    st.none(),
    st.builds(
        Count,
        n=st.sampled_from((2, 1, 2, 3)),
        consecutive=st.booleans(),
        same_input=st.booleans(),
        within=st.none() | durations,
    ),
)
whens = st.one_of(
    st.none(),
    st.none(),
    st.builds(
        When,
        running=st.sampled_from((None, None, True, False)),
        queued_at_least=st.sampled_from((None, None, 0, 1)),
        tool_calls_at_least=st.sampled_from((None, None, 0, 1, 2)),
        turn_longer_than=st.sampled_from((None, None, 0, 1_000, 2_000)),
    ),
)
timed_rules = st.builds(
    SessionRule,
    events=st.frozensets(st.sampled_from(sorted(ENDINGS)), min_size=1),
    filter=filters,
    count=st.sampled_from((None, None, None, Count())),
    when=st.builds(When, running=st.sampled_from((None, None, True)), turn_longer_than=durations),
)
"""Rules that are timed, or would be but for a count (semantics 6.1)."""


def follow_ups(kinds: Kinds) -> st.SearchStrategy[FollowUp | None]:
    """What has to follow: nothing, an event, its absence, or quiet."""
    return st.one_of(
        st.none(),
        st.builds(EventWithin, kinds, durations),
        st.builds(AbsentFor, kinds, durations),
        st.builds(IdleFor, durations),
    )


def rules(kinds: Kinds) -> st.SearchStrategy[SessionRule]:
    """Session rules with any of their parts."""
    ordinary = st.builds(
        SessionRule,
        events=st.frozensets(kinds, min_size=1, max_size=3),
        filter=filters,
        count=counts,
        then=follow_ups(kinds),
        when=whens,
    )
    return st.one_of(ordinary, ordinary, ordinary, timed_rules)


def simple_rules(kinds: Kinds) -> st.SearchStrategy[SessionRule]:
    """Rules that match often, so that a gate has something to decide."""
    events = st.frozensets(kinds, min_size=1, max_size=3)
    plain = st.builds(SessionRule, events=events)
    return st.one_of(
        plain,
        plain,
        st.builds(
            SessionRule,
            events=events,
            count=st.sampled_from((None, Count(n=2))),
            then=follow_ups(kinds),
        ),
    )


def preset_rule(preset: str, number: int, filter_: Filter | None) -> SessionRule:
    """A preset as the rule it means, its minutes shortened to seconds."""
    if preset == "looks-stuck":
        return SessionRule(
            events=TOOL_KINDS,
            count=Count(n=number, same_input=True, within=10 * MINUTE),
            filter=filter_,
        )
    if preset == "failing-tools":
        return SessionRule(
            events=frozenset({"toolFailed"}),
            count=Count(n=number, consecutive=True),
            filter=filter_,
        )
    if preset == "long-silent-turn":
        when = When(turn_longer_than=number * 1_000)
        return SessionRule(events=ENDINGS, when=when, filter=filter_)
    if preset == "idle-after-failure":
        return SessionRule(
            events=frozenset({"turnFailed"}), then=IdleFor(number * 1_000), filter=filter_
        )
    return SessionRule(
        events=frozenset({"messageQueued"}),
        when=When(running=True, tool_calls_at_least=number),
        filter=filter_,
    )


@attrs.frozen(kw_only=True)
class World:
    """What one case is about; ``for_gate``: its rules match often and its gate says much."""

    kinds: Kinds
    sessions: Sequence[str]
    for_gate: bool = False

    @property
    def automations(self) -> int:
        """How many there are at most at the beginning; definitions saved may add one."""
        return 3 if self.for_gate else 4


@st.composite
def worlds(draw: st.DrawFn, *, for_gate: bool = False) -> World:
    """A pool of kinds and one of sessions."""
    sessions = (*SESSIONS[:2], *RUN_SESSIONS) if for_gate else draw(session_pools)
    return World(kinds=draw(kind_pools), sessions=sessions, for_gate=for_gate)


@st.composite
def triggers(draw: st.DrawFn, world: World, trigger_id: str) -> Trigger:
    """A ``session`` or a ``watch`` trigger."""
    if not world.for_gate and draw(st.integers(0, 4)) == 4:
        names = draw(st.lists(st.sampled_from(PRESETS), min_size=1, max_size=3, unique=True))
        number, filter_ = draw(st.integers(1, 3)), draw(filters)
        return WatchTrigger(
            id=trigger_id, rules=tuple((name, preset_rule(name, number, filter_)) for name in names)
        )
    rule = draw(simple_rules(world.kinds) if world.for_gate else rules(world.kinds))
    return SessionTrigger(id=trigger_id, events=tuple(sorted(rule.events)), rule=rule)


@st.composite
def definitions(draw: st.DrawFn, world: World) -> AutomationDefinition:
    """A definition of one to three triggers."""
    names = draw(st.sampled_from((("t1",), ("t1", "t2"), ("t2", "t1"), ("t1", "t2", "t3"))))
    definition = AutomationDefinition(
        title="A",
        message=Message(text="m"),
        triggers=tuple(draw(triggers(world, name)) for name in names),
    )
    if not world.for_gate:
        return definition
    pinned = draw(st.integers(0, 3)) == 3
    overlaps = ("queue", "steer", "steer", "skip") + (() if pinned else ("parallel",))
    return attrs.evolve(
        definition,
        enabled=draw(st.integers(0, 9)) < 9,
        overlap=draw(st.sampled_from(overlaps)),
        pinned=pinned,
        pinned_session="r0" if pinned and draw(st.booleans()) else None,
        disable_conditions=draw(disable_conditions()),
    )


@st.composite
def disable_conditions(draw: st.DrawFn) -> tuple[DisableCondition, ...]:
    """None mostly; either kind, or both."""
    which = draw(st.integers(0, 9))
    runs = AfterRuns(max=draw(st.integers(1, 4))) if which in {0, 1, 2} else None
    date = AfterDate(date=START + draw(steps) * 5) if which in {2, 3} else None
    return tuple(each for each in (runs, date) if each is not None)


@st.composite
def automation_lists(draw: st.DrawFn, world: World) -> list[Automation]:
    """Automations ``a0``, ``a1`` …, some with owners."""
    return [
        draw(automations(world, number))
        for number in range(draw(st.integers(1, world.automations)))
    ]


@st.composite
def automations(draw: st.DrawFn, world: World, number: int) -> Automation:
    """The automation of that number."""
    return Automation(
        resource=f"ahp-automation:/a{number}",
        definition=draw(definitions(world)),
        owner=draw(st.sampled_from((None, None, *OWNERS))),
    )


# --- what a session does -----------------------------------------------------------------


@st.composite
def session_inputs(draw: st.DrawFn, at: int, world: World) -> Input:
    """An event mostly; else a turn's start, activity, a session's end, or a tick."""
    session = draw(st.sampled_from(world.sessions))
    which = draw(st.integers(0, 39))
    if which < 28:
        kind = draw(world.kinds if which < 24 else all_kinds)
        running, queued, turn_tool_calls = draw(states)
        return SessionEvent(
            kind,
            session,
            at,
            draw(facts),
            running=running,
            queued=queued,
            turn_tool_calls=turn_tool_calls,
            tool=draw(tools) if kind in TOOL_KINDS else None,
        )
    if which < 35:
        return TurnStarted(session, at, draw(facts))
    if which < 38:
        return Activity(session, at)
    if which == 38:
        return SessionEnded(session, at)
    return Tick(at)


# --- what becomes of definitions ---------------------------------------------------------


@st.composite
def definition_inputs(
    draw: st.DrawFn, at: int, current: dict[str, Automation], world: World
) -> Input:
    """A definition saved again, reordered, edited in part, switched, replaced or removed.

    ``current`` is what stands now; it is changed as the input will change it.
    """
    fresh = draw(automations(world, draw(st.integers(0, world.automations))))
    standing = current.get(fresh.resource)
    how = draw(st.integers(0, 8))
    if standing is not None and how == 8:
        del current[fresh.resource]
        return DefinitionRemoved(automation=fresh.resource, at=at)
    saved = fresh if standing is None else _edited(standing, fresh, how)
    current[fresh.resource] = saved
    return DefinitionSaved(automation=saved, at=at)


def _edited(standing: Automation, fresh: Automation, how: int) -> Automation:
    """What stands, changed in one of several ways, with parts of what was drawn afresh."""
    definition = standing.definition
    new = fresh.definition
    if how <= 1:
        definition = attrs.evolve(definition, title="Said again")
    elif how == 2:
        definition = attrs.evolve(definition, triggers=definition.triggers[::-1])
    elif how <= 4:
        by_id = {trigger.id: trigger for trigger in new.triggers}
        kept = tuple(by_id.get(trigger.id, trigger) for trigger in definition.triggers)
        definition = attrs.evolve(definition, triggers=kept)
    elif how == 5:
        definition = attrs.evolve(definition, enabled=not definition.enabled)
    elif how == 6:
        definition = attrs.evolve(new, triggers=definition.triggers)
    else:
        return fresh
    return attrs.evolve(standing, definition=definition)


@st.composite
def grant_inputs(draw: st.DrawFn, at: int) -> Input:
    """A principal's grants change: sight lost, kept or regained."""
    grants = draw(st.sampled_from(((), ("session:read",), ("automation:read",))))
    return GrantsChanged(principal=draw(st.sampled_from(OWNERS)), grants=grants, at=at)


# --- what the host tells of runs ---------------------------------------------------------


@st.composite
def run_inputs(draw: st.DrawFn, at: int) -> Input:
    """A record of a run, in any order and of any run, or a press."""
    number = draw(st.integers(0, 2))
    automation = f"ahp-automation:/a{number}"
    run = f"ahp-automation-run:/{number}-{draw(st.integers(0, 3))}"
    session = draw(st.sampled_from((*RUN_SESSIONS, *RUN_SESSIONS, SESSIONS[0])))
    which = draw(st.integers(0, 15))
    if which < 7:
        linked = draw(st.sampled_from((session, session, None)))
        return RunStarted(automation=automation, run=run, session=linked, at=at)
    if which < 11:
        outcome = draw(st.sampled_from(("completed", "failed", "cancelled", "notStarted")))
        return RunSettled(automation=automation, run=run, outcome=outcome, at=at)
    if which == 11:
        return RunLinked(automation=automation, run=run, session=session, at=at)
    if which < 14:
        return SteerFailed(automation=automation, run=run, at=at)
    request_id = draw(st.sampled_from(("p0", "p1", "p2", "p3", "")))
    return Press(automation=automation, request_id=request_id, at=at)


@st.composite
def resumptions(draw: st.DrawFn, at: int) -> Input:
    """The host comes back, and says which runs live, or does not say."""
    names = [f"ahp-automation-run:/{number}-{each}" for number in range(3) for each in range(3)]
    live = draw(st.none() | st.lists(st.sampled_from(names), unique=True).map(tuple))
    return Resumed(at=at, live=live)


# --- whole logs --------------------------------------------------------------------------


@attrs.frozen(kw_only=True, repr=False)
class Case:
    """Automations, a log, and how far time goes on after it."""

    automations: list[Automation]
    inputs: list[Input]
    until: int

    def __repr__(self) -> str:
        lines = ["", *map(short, self.automations), "", *map(short, self.inputs)]
        return "\n    ".join([*lines, f"until={self.until}"])

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:
        """What Hypothesis asks for when it shows a case that failed."""
        printer.text(repr(self))


def short(value: object) -> str:
    """A record as it would be written: without what is left at its default."""
    if isinstance(value, tuple):
        return "(" + "".join(f"{short(each)}, " for each in value) + ")"
    if not attrs.has(type(value)):
        return repr(value)
    parts = []
    for field in attrs.fields(type(value)):
        given, default = getattr(value, field.name), field.default
        if isinstance(default, attrs.Factory):
            default = default.factory()
        if given != default:
            parts.append(f"{field.name.rstrip('_')}={short(given)}")
    return f"{type(value).__name__}({', '.join(parts)})"


@st.composite
def matcher_cases(draw: st.DrawFn, *, changes: bool = True, most: int = 40) -> Case:
    """A case for the matcher: sessions act; with ``changes``, definitions and grants change."""
    world = draw(worlds())
    standing = draw(automation_lists(world))
    current = {automation.resource: automation for automation in standing}
    at = START
    inputs: list[Input] = []
    for _ in range(draw(st.integers(0, most) | st.just(most))):
        at += draw(steps)
        which = draw(st.integers(0, 15)) if changes else 0
        if which == 14:
            inputs.append(draw(definition_inputs(at, current, world)))
        elif which == 15:
            inputs.append(draw(grant_inputs(at)))
        else:
            inputs.append(draw(session_inputs(at, world)))
    return Case(automations=standing, inputs=inputs, until=at + draw(durations))


@st.composite
def gate_cases(draw: st.DrawFn, *, most: int = 40) -> Case:
    """A case for the gate: sessions and runs act, presses come, definitions change."""
    world = draw(worlds(for_gate=True))
    standing = draw(automation_lists(world))
    current = {automation.resource: automation for automation in standing}
    at = START
    inputs: list[Input] = []
    for _ in range(draw(st.integers(0, most) | st.just(most))):
        at += draw(steps)
        which = draw(st.integers(0, 39))
        if which < 24:
            inputs.append(draw(session_inputs(at, world)))
        elif which < 36:
            inputs.append(draw(run_inputs(at)))
        elif which < 38:
            inputs.append(draw(definition_inputs(at, current, world)))
        elif which == 38:
            inputs.append(draw(grant_inputs(at)))
        else:
            inputs.append(draw(resumptions(at)))
    return Case(automations=standing, inputs=inputs, until=at + draw(durations))
