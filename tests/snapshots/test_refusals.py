"""A snapshot that is not what was saved is refused whole: ``SnapshotError``, and nothing else."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import (
    MATCHES_ONLY,
    absent,
    automation,
    fail,
    idle,
    ms,
    on,
    plugin,
    schedule,
    started,
    turn,
)
from snapshots.cutting import CI
from wakeful import (
    DefinitionSaved,
    Engine,
    GrantsChanged,
    InvalidError,
    PluginEvent,
    Press,
    Settings,
    SnapshotError,
    TypeRegistered,
)
from wakeful.core.sealed import seal, unseal

RULES = (
    automation(
        on("toolFailed", count={"n": 3, "within": "5m"}),
        on("toolFailed", id="t2", count={"n": 3, "consecutive": True}),
        on("toolFailed", id="t3", count={"n": 3, "sameInput": True, "within": "5m"}),
        on("toolFailed", id="t4", count={"n": 3, "sameInput": True, "consecutive": True}),
        on("toolFailed", id="t5", then=absent("toolCalled", "600s")),
        on("toolFailed", id="t6", then=idle("600s")),
        on("turnCompleted", id="t7", when={"turnLongerThan": "600s"}),
        on("toolFailed", id="t8", count={"n": 3}),
    ),
    automation(on("toolFailed"), id="b", disableConditions=[{"kind": "afterRuns", "max": 9}]),
    automation(plugin("ci", "red"), id="c", owner="user:ann", _meta={"ahpd": {"overlap": "steer"}}),
    automation(schedule("* * * * *"), id="d"),
)


def busy_engine() -> Engine:
    """An engine that holds something of everything."""
    engine = Engine(RULES, settings=Settings(run_time="log"))
    engine.feed_many(
        [
            TypeRegistered(definition=CI, at=0, by="plugin"),
            GrantsChanged(principal="user:ann", grants=("session:read",), at=0),
            turn(1, project="web"),
            fail(2, call="x"),
            fail(3, call="x"),
            started(4, "r1", "own", of="b"),
            turn(5, "own"),
            PluginEvent(type="ci", event="red", at=ms(6), by="plugin"),
            started(6, "r2", "mine", of="c"),
            turn(7, "mine"),
            PluginEvent(type="ci", event="red", at=ms(8), by="plugin", data={"branch": "main"}),
            Press(automation="ahp-automation:/b", request_id="p1", at=ms(9)),
            fail(130, "other"),
        ]
    )
    return engine


SNAPSHOT = busy_engine().snapshot()
STATE = unseal(SNAPSHOT, "wakeful-engine", 2)


def refusal(data: Any) -> str:
    with pytest.raises(SnapshotError) as caught:
        Engine.restore(data, RULES)
    return str(caught.value)


def test_the_engine_of_these_tests_restores():
    assert Engine.restore(SNAPSHOT, RULES).engine.snapshot() == SNAPSHOT


@pytest.mark.parametrize("length", range(0, len(SNAPSHOT), 97))
def test_a_snapshot_that_was_cut_short_is_refused(length: int):
    assert "cut short" in refusal(SNAPSHOT[:length])


def test_an_edited_snapshot_is_refused():
    edited = SNAPSHOT.replace(b'"branch":"main"', b'"branch":"next"')
    assert edited != SNAPSHOT
    assert "edited or damaged" in refusal(edited)


def test_a_snapshot_of_another_version_is_refused_with_both_versions():
    other = SNAPSHOT.replace(b'"version":2}', b'"version":3}')
    assert "of version 3; this release reads 1 to 2" in refusal(other)


def test_saved_state_of_another_kind_is_refused():
    assert "'wakeful-session', expected 'wakeful-engine'" in refusal(
        busy_engine().export_session("s")
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'"\xed\xa0\x80"',
        b"[" * 100_000,
        b'{"digest":NaN,"format":"wakeful-engine","state":1,"version":1}',
        b'{"digest":"","format":"wakeful-engine","state":NaN,"version":1}',
        b'{"digest":"","format":"wakeful-engine","state":[1e999],"version":1}',
        b'{"digest":"","format":"wakeful-engine","state":1,"version":true}',
        b"9" * 10_000,
    ],
    ids=range(13),
)
def test_what_is_no_snapshot_at_all_is_refused(data: bytes):
    assert refusal(data)


@settings(max_examples=150)
@given(at=st.integers(0, len(SNAPSHOT) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_is_refused_or_changes_nothing(at: int, bit: int):
    flipped = bytearray(SNAPSHOT)
    flipped[at] ^= 1 << bit
    try:
        restored = Engine.restore(bytes(flipped), RULES)
    except SnapshotError:
        return
    # JSON has blanks and escapes that say the same.
    assert restored.engine.snapshot() == SNAPSHOT


# -- sealed as it should be, and nonsense all the same ------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in plain data."""
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places(inner, (*path, index))
    return found


PLACES = places(STATE)
NONSENSE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    0.5,
    "",
    "x",
    "\ud800",
    [],
    {},
    [None],
    {"": None},
    [[]],
    ["a", "b"],
    [1, 2, 3],
    "ahp-automation:/a",
)


def changed(path: tuple[Any, ...], value: Any) -> bytes:
    """The state with one value put in the place of another, sealed."""
    state = copy.deepcopy(STATE)
    if not path:
        return seal("wakeful-engine", 2, value)
    inner = state
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return seal("wakeful-engine", 2, state)


def without(path: tuple[Any, ...]) -> bytes:
    state = copy.deepcopy(STATE)
    inner = state
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return seal("wakeful-engine", 2, state)


def restore_and_use(data: bytes) -> None:
    """Restore, where it can be, and have everything that was restored used."""
    engine = Engine.restore(data, RULES).engine
    engine.check()
    engine.statistics()
    engine.pending()
    engine.snapshot()


def assert_refused_or_sound(data: bytes) -> None:
    try:
        restore_and_use(data)
    except (SnapshotError, InvalidError):
        # A definition that the snapshot does not know is new, and held to the types as new.
        return


@settings(max_examples=300)
@given(path=st.sampled_from(PLACES), value=st.sampled_from(NONSENSE))
def test_a_value_of_the_wrong_kind_is_refused_or_leaves_a_sound_engine(path: Any, value: Any):
    assert_refused_or_sound(changed(path, value))


@pytest.mark.deep
@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_no_value_in_any_place_leaves_an_unsound_engine(value: Any):
    for path in PLACES:
        assert_refused_or_sound(changed(path, value))


def test_a_value_left_out_anywhere_is_refused_or_leaves_a_sound_engine():
    for path in PLACES[1:]:
        assert_refused_or_sound(without(path))


@settings(max_examples=100)
@given(
    path=st.sampled_from(PLACES),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        ),
        max_leaves=8,
    ),
)
def test_any_data_in_any_place_is_refused_or_leaves_a_sound_engine(path: Any, value: Any):
    assert_refused_or_sound(changed(path, value))


# -- a session's state alone ----------------------------------------------------------------


def test_a_session_that_is_refused_leaves_the_engine_as_it_was():
    engine = busy_engine()
    before = engine.snapshot()
    exported = engine.export_session("s")
    state = unseal(exported, "wakeful-session", 1)
    for path in places(state):
        for value in (None, "x", [], -1):
            broken = copy.deepcopy(state)
            if not path:
                broken = value
            else:
                inner = broken
                for step in path[:-1]:
                    inner = inner[step]
                inner[path[-1]] = value
            try:
                engine.import_session(seal("wakeful-session", 1, broken))
            except SnapshotError:
                assert before == engine.snapshot()
            else:
                engine.check()
                engine = busy_engine()


def test_a_snapshot_is_json_in_ascii():
    assert json.loads(SNAPSHOT.decode("ascii"))["version"] == 2


def test_definitions_are_not_in_a_snapshot():
    assert b"toolFailed" in SNAPSHOT  # a kind that satisfied a count
    assert b'"message"' not in SNAPSHOT


def test_a_definition_saved_by_an_input_is_handed_in_when_restoring():
    engine = Engine(settings=MATCHES_ONLY)
    rule = automation(on("toolFailed", count={"n": 2}))
    engine.feed(DefinitionSaved(automation=rule, at=0))
    engine.feed(fail(1))
    again = Engine.restore(engine.snapshot(), [rule], settings=MATCHES_ONLY).engine
    expected = engine.feed(fail(2))
    assert len(expected) == 2
    assert expected == again.feed(fail(2))
