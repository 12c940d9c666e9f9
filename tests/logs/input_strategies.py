"""Hypothesis strategies: any input a host can feed."""

from hypothesis import strategies as st

from reading.definition_strategies import definitions
from wakeful.model.automations import Automation
from wakeful.model.events import (
    EVENT_KINDS,
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    PluginEvent,
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
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT
from wakeful.model.triggers import TriggerEvent, TriggerType

instants = st.integers(MIN_INSTANT, MAX_INSTANT)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
resources = texts.map("ahp-automation:/{}".format)
maybe_text = st.none() | texts
json_data = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
facts = st.builds(
    Facts,
    owner=maybe_text,
    provider=maybe_text,
    project=maybe_text,
    folders=st.lists(texts, max_size=2).map(tuple),
    automated=st.booleans(),
)
session_inputs = (
    st.builds(
        SessionEvent,
        kind=st.sampled_from(EVENT_KINDS),
        session=texts,
        at=instants,
        facts=facts,
        running=st.none() | st.booleans(),
        queued=st.none() | st.integers(0, 9),
        turn_tool_calls=st.none() | st.integers(0, 9),
        tool=st.none() | st.builds(Tool, texts, texts),
        child=maybe_text,
        title=maybe_text,
    )
    | st.builds(TurnStarted, texts, instants, facts, maybe_text)
    | st.builds(Activity, texts, instants)
    | st.builds(SessionEnded, texts, instants)
)
trigger_types = st.builds(
    TriggerType,
    type=names.map("ci-{}".format),
    title=names.map("A {}".format),
    events=st.lists(names.map("e-{}".format), min_size=1, max_size=3, unique=True).map(
        lambda ids: tuple(TriggerEvent(id=id_, title=f"Event {id_}") for id_ in ids)
    ),
    description=maybe_text,
)
run = {"automation": resources, "run": texts, "at": instants}
inputs = (
    session_inputs
    | st.builds(
        PluginEvent,
        type=texts,
        event=texts,
        at=instants,
        data=st.dictionaries(texts, json_data, max_size=3),
        by=maybe_text,
    )
    | st.builds(RunStarted, **run, session=maybe_text)
    | st.builds(RunLinked, **run, session=texts)
    | st.builds(
        RunSettled,
        **run,
        outcome=st.sampled_from(["completed", "failed", "cancelled", "notStarted"]),
    )
    | st.builds(SteerFailed, **run)
    | st.builds(Press, automation=resources, request_id=texts, at=instants)
    | st.builds(
        DefinitionSaved,
        automation=st.builds(
            Automation,
            resource=names.filter(str.isalnum).map("ahp-automation:/{}".format),
            definition=definitions(),
            owner=st.none() | st.just("user:ann"),
        ),
        at=instants,
    )
    | st.builds(DefinitionRemoved, automation=resources, at=instants)
    | st.builds(TypeRegistered, definition=trigger_types, at=instants, by=maybe_text)
    | st.builds(TypeRemoved, type=texts, at=instants)
    | st.builds(
        GrantsChanged, principal=texts, grants=st.lists(texts, max_size=3).map(tuple), at=instants
    )
    | st.builds(Resumed, at=instants, live=st.none() | st.lists(texts, max_size=3).map(tuple))
    | st.builds(Tick, instants)
)
