"""Hypothesis strategies: any valid definition as a record, and any plain data."""

from hypothesis import strategies as st

from wakeful.errors import InvalidError
from wakeful.model.automations import (
    AfterDate,
    AfterRuns,
    Automation,
    AutomationDefinition,
    Message,
)
from wakeful.model.events import EVENT_KINDS
from wakeful.model.rules import (
    MAX_COUNT,
    AbsentFor,
    Count,
    EventWithin,
    Filter,
    IdleFor,
    SessionRule,
    When,
)
from wakeful.model.time import SECOND
from wakeful.model.triggers import (
    EventLabel,
    PluginTrigger,
    ScheduleTrigger,
    SessionTrigger,
    WatchTrigger,
)
from wakeful.presets import PRESETS


def problems_or_none(read, data):
    """The problems that reading finds, ``None`` where it finds none; other errors pass."""
    try:
        read(data)
    except InvalidError as error:
        return error.problems
    return None


words = st.text(min_size=1, max_size=8).filter(lambda text: text.strip())
optional = st.none
durations = st.integers(0, 10**7).map(lambda seconds: seconds * SECOND)
kinds = st.sampled_from(EVENT_KINDS)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
)
plain_data = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
plain_maps = st.dictionaries(st.text(max_size=5), plain_data, max_size=3)
listed = st.none() | st.frozensets(st.text(max_size=4), max_size=3)
flags = st.none() | st.booleans()

filters = st.builds(
    Filter,
    sessions=listed,
    providers=listed,
    owners=listed,
    projects=listed,
    folders=listed,
    automated=flags,
)
counts = st.builds(
    Count,
    n=st.integers(1, MAX_COUNT),
    consecutive=st.booleans(),
    same_input=st.booleans(),
    within=st.none() | durations,
)
follow_ups = (
    st.builds(EventWithin, kinds, durations)
    | st.builds(AbsentFor, kinds, durations)
    | st.builds(IdleFor, durations)
)
whens = st.builds(
    When,
    running=flags,
    queued_at_least=st.none() | st.integers(0, 100),
    tool_calls_at_least=st.none() | st.integers(0, 100),
    turn_longer_than=st.none() | durations,
)
titles = st.none() | words


@st.composite
def session_triggers(draw, id_):
    events = tuple(draw(st.lists(kinds, min_size=1, max_size=4)))
    rule = SessionRule(
        events=frozenset(events),
        filter=draw(st.none() | filters),
        count=draw(st.none() | counts),
        then=draw(st.none() | follow_ups),
        when=draw(st.none() | whens),
    )
    return SessionTrigger(
        id=id_,
        events=events,
        rule=rule,
        title=draw(titles),
        description=draw(st.none() | st.text(max_size=5)),
    )


@st.composite
def watch_triggers(draw, id_):
    ids = draw(st.lists(st.sampled_from(sorted(PRESETS)), min_size=1, unique=True))
    numbers = {
        key: draw(st.none() | st.integers(1, 500)) for key in ("times", "minutes", "toolCalls")
    }
    where = draw(st.none() | filters)
    rules = tuple(
        (key, PRESETS[key].rule(numbers[PRESETS[key].number], filter=where)) for key in ids
    )
    return WatchTrigger(id=id_, rules=rules, title=draw(titles))


@st.composite
def schedule_triggers(draw, id_):
    return ScheduleTrigger(
        id=id_,
        expression=draw(st.sampled_from(["0 9 * * *", "*/15 8-18 * * MON-FRI", "0 0 29 2 *"])),
        time_zone=draw(st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"])),
        misfire_policy=draw(st.sampled_from(["runOnce", "skip"])),
        title=draw(titles),
    )


@st.composite
def plugin_triggers(draw, id_):
    events = tuple(draw(st.lists(words, min_size=1, max_size=3, unique=True)))
    labels = tuple(
        EventLabel(id=event, title=draw(words), description=draw(st.none() | st.text(max_size=4)))
        for event in events
        if draw(st.booleans())
    )
    return PluginTrigger(
        id=id_,
        type=draw(words.filter(lambda name: name not in ("session", "watch"))),
        events=events,
        config=draw(plain_maps),
        title=draw(titles),
        labels=labels,
    )


@st.composite
def definitions(draw):
    ids = draw(st.lists(words, max_size=4, unique=True))
    kinds_of = (session_triggers, watch_triggers, schedule_triggers, plugin_triggers)
    overlap = draw(st.sampled_from(["queue", "steer", "parallel", "skip"]))
    pinned = overlap != "parallel" and draw(st.booleans())
    chat = draw(st.none() | words) if pinned else None
    notes = draw(st.dictionaries(st.sampled_from(["note", "dropped"]), leaves, max_size=1))
    if overlap != "queue":
        notes["overlap"] = overlap
    if pinned:
        notes["session"] = "pinned"
    if chat is not None:
        notes["pinnedSession"] = chat
    meta = {key: value for key, value in draw(plain_maps).items() if not key.startswith("ahpd")}
    if notes:
        meta["ahpd"] = notes
    conditions = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "runs": st.builds(AfterRuns, max=st.integers(1, 2**53 - 1)),
                "date": st.builds(AfterDate, date=st.integers(0, 4 * 10**12)),
            },
        )
    )
    return AutomationDefinition(
        title=draw(words),
        message=Message(
            text=draw(st.text(max_size=9)),
            extra={k: v for k, v in draw(plain_maps).items() if k not in ("text", "origin")},
        ),
        triggers=tuple(draw(draw(st.sampled_from(kinds_of))(id_)) for id_ in ids),
        session=draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "provider": words,
                    "workingDirectories": st.lists(st.text(max_size=5), max_size=2),
                    "config": plain_maps,
                },
            )
        ),
        enabled=draw(st.booleans()),
        disable_conditions=tuple(conditions.values()),
        overlap=overlap,
        pinned=pinned,
        pinned_session=chat,
        meta=meta,
    )


automations = st.builds(
    Automation,
    resource=st.sampled_from(["ahp-automation:/a", "ahp-automation:/Daily Review"]),
    definition=definitions(),
    owner=st.sampled_from([None, "user:ann", "team:x y", "plugin:git"]),
)
