"""Hypothesis strategies: random automations and random logs, out of small pools.

Pools are small so that what is drawn collides: the same session, the same call, an event at
the instant of a deadline. Instants are drawn as steps from the one before; a step back is a
late input (semantics 1.4).
"""

from collections.abc import Sequence

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

kinds = st.sampled_from(EVENT_KINDS)
durations = st.sampled_from((0, 1_000, 2_000, 3_000, 5_000, MINUTE))
steps = st.sampled_from(
    (0, 0, 0, 1, 1, 999, 1_000, 1_000, 1_001, 2_000, 3_000, 5_000, 5_001, MINUTE, -1_000)
)
facts = st.one_of(
    st.just(NO_FACTS),
    st.just(Facts(owner="user:ann", project="web", folders=("file:///w/web",))),
    st.builds(
        Facts,
        owner=st.sampled_from((None, *OWNERS)),
        provider=st.sampled_from((None, "claude")),
        project=st.sampled_from((None, "web", "api")),
        folders=st.sampled_from(((), ("file:///w/web",), ("file:///w/api", "file:///w/web"))),
        automated=st.booleans(),
    ),
)
tools = st.sampled_from((None, Tool("Bash", "1"), Tool("Bash", "2"), Tool("Edit", "1")))


def _some(values: Sequence[str]) -> st.SearchStrategy[frozenset[str] | None]:
    """A listed key of a filter: mostly left out, sometimes empty."""
    return st.sampled_from(
        (None, None, None, frozenset(values[:1]), frozenset(values[1:]), frozenset(values))
    )


filters = st.one_of(
    st.none(),
    st.none(),
    st.builds(
        Filter,
        sessions=_some(SESSIONS),
        providers=_some(("claude",)),
        owners=_some(OWNERS),
        projects=_some(("web", "api")),
        folders=_some(("file:///w/web", "file:///w/api")),
        automated=st.sampled_from((None, None, None, True, False)),
    ),
)
counts = st.one_of(
    st.none(),
    st.builds(
        Count,
        n=st.integers(1, 3),
        consecutive=st.booleans(),
        same_input=st.booleans(),
        within=st.none() | durations,
    ),
)
follow_ups: st.SearchStrategy[FollowUp | None] = st.one_of(
    st.none(),
    st.builds(EventWithin, kinds, durations),
    st.builds(AbsentFor, kinds, durations),
    st.builds(IdleFor, durations),
)
whens = st.one_of(
    st.none(),
    st.none(),
    st.builds(
        When,
        running=st.sampled_from((None, None, True, False)),
        queued_at_least=st.sampled_from((None, None, 0, 1)),
        tool_calls_at_least=st.sampled_from((None, None, 0, 1, 2)),
        turn_longer_than=st.none() | durations,
    ),
)
rules = st.one_of(
    st.builds(
        SessionRule,
        events=st.frozensets(kinds, min_size=1, max_size=3),
        filter=filters,
        count=counts,
        then=follow_ups,
        when=whens,
    ),
    # Rules that are timed, or nearly: endings with a length (semantics 6.1).
    st.builds(
        SessionRule,
        events=st.frozensets(st.sampled_from(sorted(ENDINGS)), min_size=1),
        filter=filters,
        count=st.sampled_from((None, None, None, Count())),
        when=st.builds(
            When, running=st.sampled_from((None, None, True)), turn_longer_than=durations
        ),
    ),
)
"""Session rules with any of their parts."""


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


@st.composite
def triggers(draw: st.DrawFn, trigger_id: str) -> Trigger:
    """A ``session`` or a ``watch`` trigger."""
    if draw(st.integers(0, 3)) == 0:
        names = draw(st.lists(st.sampled_from(PRESETS), min_size=1, max_size=3, unique=True))
        number, filter_ = draw(st.integers(1, 3)), draw(filters)
        return WatchTrigger(
            id=trigger_id, rules=tuple((name, preset_rule(name, number, filter_)) for name in names)
        )
    rule = draw(rules)
    return SessionTrigger(id=trigger_id, events=tuple(sorted(rule.events)), rule=rule)


@st.composite
def definitions(draw: st.DrawFn, *, gate: bool = False) -> AutomationDefinition:
    """A definition; with ``gate``, one whose rules match often and whose gate says much."""
    each = simple_triggers if gate else triggers
    names = draw(
        st.sampled_from((("t1",), ("t1",), ("t1", "t2"), ("t2", "t1"), ("t1", "t2", "t3")))
    )
    drawn = tuple(draw(each(name)) for name in names)
    if not gate:
        return AutomationDefinition(title="A", message=Message(text="m"), triggers=drawn)
    pinned = draw(st.integers(0, 3)) == 0
    overlaps = ("queue", "steer", "skip") if pinned else ("queue", "steer", "skip", "parallel")
    return AutomationDefinition(
        title="A",
        message=Message(text="m"),
        triggers=drawn,
        enabled=draw(st.integers(0, 9)) > 0,
        overlap=draw(st.sampled_from(overlaps)),
        pinned=pinned,
        pinned_session="r0" if pinned and draw(st.booleans()) else None,
        disable_conditions=draw(disable_conditions()),
    )


@st.composite
def simple_triggers(draw: st.DrawFn, trigger_id: str) -> Trigger:
    """Triggers that match often, so that the gate has something to decide."""
    rule = draw(
        st.one_of(
            st.builds(SessionRule, events=st.frozensets(kinds, min_size=1, max_size=3)),
            st.builds(
                SessionRule,
                events=st.frozensets(kinds, min_size=1, max_size=3),
                count=st.sampled_from((None, Count(n=2))),
                then=follow_ups,
            ),
        )
    )
    return SessionTrigger(id=trigger_id, events=tuple(sorted(rule.events)), rule=rule)


@st.composite
def disable_conditions(draw: st.DrawFn) -> tuple[DisableCondition, ...]:
    """None mostly; either kind, or both."""
    which = draw(st.integers(0, 9))
    runs = AfterRuns(max=draw(st.integers(1, 4))) if which in {0, 1, 2} else None
    date = AfterDate(date=START + draw(steps) * 5) if which in {2, 3} else None
    return tuple(each for each in (runs, date) if each is not None)


@st.composite
def automation_lists(draw: st.DrawFn, *, gate: bool = False) -> list[Automation]:
    """One to four automations ``a0``, ``a1`` …, some with owners."""
    return [
        Automation(
            resource=f"ahp-automation:/a{number}",
            definition=draw(definitions(gate=gate)),
            owner=draw(st.sampled_from((None, None, *OWNERS))),
        )
        for number in range(draw(st.integers(1, 4)))
    ]


# --- what a session does -----------------------------------------------------------------


@st.composite
def session_inputs(draw: st.DrawFn, at: int, sessions: Sequence[str] = SESSIONS) -> Input:
    """An event mostly; else a turn's start, activity, a session's end, or a tick."""
    session = draw(st.sampled_from(sessions))
    which = draw(st.integers(0, 19))
    if which >= 8:
        kind = draw(kinds)
        return SessionEvent(
            kind,
            session,
            at,
            draw(facts),
            running=draw(st.sampled_from((None, True, False))),
            queued=draw(st.sampled_from((None, 0, 1))),
            turn_tool_calls=draw(st.sampled_from((None, 0, 1, 2))),
            tool=draw(tools) if kind in TOOL_KINDS else None,
        )
    if which >= 4:
        return TurnStarted(session, at, draw(facts))
    if which >= 2:
        return Activity(session, at)
    if which == 1:
        return SessionEnded(session, at)
    return Tick(at)


# --- what becomes of definitions ---------------------------------------------------------


@st.composite
def definition_inputs(
    draw: st.DrawFn, at: int, current: dict[str, Automation], *, gate: bool = False
) -> Input:
    """A definition saved again, reordered, edited in part, switched, replaced or removed.

    ``current`` is what stands now; it is changed as the input will change it.
    """
    resource = f"ahp-automation:/a{draw(st.integers(0, 4))}"
    standing = current.get(resource)
    fresh = Automation(
        resource=resource,
        definition=draw(definitions(gate=gate)),
        owner=draw(st.sampled_from((None, None, *OWNERS))),
    )
    if standing is None:
        saved = fresh
    else:
        how = draw(st.integers(0, 7))
        if how == 0:
            del current[resource]
            return DefinitionRemoved(automation=resource, at=at)
        definition = standing.definition
        if how in {1, 2}:
            definition = attrs.evolve(definition, title="Said again")
        elif how == 3:
            definition = attrs.evolve(definition, triggers=definition.triggers[::-1])
        elif how in {4, 5}:
            edited = draw(st.sampled_from(definition.triggers))
            new = draw((simple_triggers if gate else triggers)(edited.id))
            definition = attrs.evolve(
                definition,
                triggers=tuple(new if each is edited else each for each in definition.triggers),
            )
        elif how == 6:
            definition = attrs.evolve(definition, enabled=not definition.enabled)
        else:
            definition = fresh.definition
        saved = attrs.evolve(standing, definition=definition)
    current[resource] = saved
    return DefinitionSaved(automation=saved, at=at)


@st.composite
def grant_inputs(draw: st.DrawFn, at: int) -> Input:
    """A principal's grants change: sight lost, kept or regained."""
    grants = draw(st.sampled_from(((), ("session:read",), ("automation:read",))))
    return GrantsChanged(principal=draw(st.sampled_from(OWNERS)), grants=grants, at=at)


# --- what the host tells of runs ---------------------------------------------------------


@st.composite
def run_inputs(draw: st.DrawFn, at: int) -> Input:
    """A record of a run, in any order and of any run, or a press."""
    number = draw(st.integers(0, 3))
    automation = f"ahp-automation:/a{number}"
    run = f"ahp-automation-run:/{number}-{draw(st.integers(0, 4))}"
    session = draw(st.sampled_from((*RUN_SESSIONS, SESSIONS[0])))
    which = draw(st.integers(0, 13))
    if which < 5:
        linked = draw(st.sampled_from((None, session, session)))
        return RunStarted(automation=automation, run=run, session=linked, at=at)
    if which < 9:
        outcome = draw(st.sampled_from(("completed", "failed", "cancelled", "notStarted")))
        return RunSettled(automation=automation, run=run, outcome=outcome, at=at)
    if which == 9:
        return RunLinked(automation=automation, run=run, session=session, at=at)
    if which < 12:
        return SteerFailed(automation=automation, run=run, at=at)
    request_id = draw(st.sampled_from(("", "p0", "p1", "p2", "p3")))
    return Press(automation=automation, request_id=request_id, at=at)


@st.composite
def resumptions(draw: st.DrawFn, at: int) -> Input:
    """The host comes back, and says which runs live, or does not say."""
    names = [f"ahp-automation-run:/{number}-{each}" for number in range(3) for each in range(3)]
    live = draw(st.none() | st.lists(st.sampled_from(names), unique=True).map(tuple))
    return Resumed(at=at, live=live)


# --- whole logs --------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Case:
    """Automations, a log, and how far time goes on after it."""

    automations: list[Automation]
    inputs: list[Input]
    until: int


@st.composite
def matcher_cases(draw: st.DrawFn, *, changes: bool = True, most: int = 40) -> Case:
    """A case for the matcher: sessions act; with ``changes``, definitions and grants change."""
    automations = draw(automation_lists())
    current = {automation.resource: automation for automation in automations}
    at = START
    inputs: list[Input] = []
    for _ in range(draw(st.integers(0, most))):
        at += draw(steps)
        which = draw(st.integers(0, 15)) if changes else 15
        if which == 0:
            inputs.append(draw(definition_inputs(at, current)))
        elif which == 1:
            inputs.append(draw(grant_inputs(at)))
        else:
            inputs.append(draw(session_inputs(at)))
    return Case(automations=automations, inputs=inputs, until=at + draw(durations))


@st.composite
def gate_cases(draw: st.DrawFn, *, most: int = 40) -> Case:
    """A case for the gate: sessions and runs act, presses come, definitions change."""
    automations = draw(automation_lists(gate=True))
    current = {automation.resource: automation for automation in automations}
    sessions = (*SESSIONS[:2], *RUN_SESSIONS)
    at = START
    inputs: list[Input] = []
    for _ in range(draw(st.integers(0, most))):
        at += draw(steps)
        inputs.append(draw(_gate_input(at, current, sessions)))
    return Case(automations=automations, inputs=inputs, until=at + draw(durations))


@st.composite
def _gate_input(
    draw: st.DrawFn, at: int, current: dict[str, Automation], sessions: Sequence[str]
) -> Input:
    which = draw(st.integers(0, 29))
    if which == 0:
        return draw(grant_inputs(at))
    if which == 1:
        return draw(resumptions(at))
    if which < 4:
        return draw(definition_inputs(at, current, gate=True))
    if which < 14:
        return draw(run_inputs(at))
    return draw(session_inputs(at, sessions))
