"""No message raises, changes anything unseen, or gets past a grant, however mangled it is."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.catalogue_world import ALL, OWN, World, definition, run_uri
from wakeful.catalogue import CatalogState, Mirror, read
from wakeful.catalogue.jsonrpc import receive

A = "ahp-automation:/a"

ACTIONS = [
    {"type": "automation/createRequested", "resource": A + "2", "definition": definition()},
    {"type": "automation/updateRequested", "resource": A, "changes": {"title": "New"}},
    {"type": "automation/removed", "resource": A},
    {"type": "automationRun/cancelRequested"},
    {"type": "automation/set", "automation": {}},
]
VALID = [
    *(
        {
            "jsonrpc": "2.0",
            "method": "dispatchAction",
            "params": {
                "channel": run_uri(1) if "Run/" in action["type"] else ALL,
                "clientSeq": 1,
                "action": action,
            },
        }
        for action in ACTIONS
    ),
    *(
        {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        for method, params in [
            ("initialize", {}),
            ("subscribe", {"channel": ALL}),
            ("subscribe", {"channel": OWN}),
            ("subscribe", {"channel": run_uri(1)}),
            ("unsubscribe", {"channel": ALL}),
            ("reconnect", {"lastSeenServerSeq": 0, "subscriptions": [ALL, run_uri(1)]}),
            ("listAutomationTriggerDefinitions", {"channel": "ahp-root://"}),
            ("runAutomation", {"channel": ALL, "automation": A, "requestId": "r9"}),
            ("fetchAutomationRuns", {"channel": ALL, "automation": A}),
            ("x-ahpd/completions", {"connector": "ci"}),
        ]
    ),
]
ODD = st.sampled_from(
    [None, True, 0, -1, 1.5, 10**40, "", "\ud800", "\0", [], {}, [[]], {"": {}}, ALL, A, "user:bob"]
)


def places(value, path=()):
    """Every place in plain data, as a path."""
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in items:
        yield from places(part, (*path, key))


@st.composite
def mangled(draw):
    """A valid message of which a few parts are something else, gone, or there twice."""
    message = copy.deepcopy(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(sorted(places(message), key=repr)))
        if not path:
            continue
        parent = message
        for key in path[:-1]:
            parent = parent[key]
        if isinstance(parent, dict) and draw(st.booleans()):
            del parent[path[-1]]
        else:
            parent[path[-1]] = copy.deepcopy(draw(ODD))
    return json.dumps(message)


TEXTS = (
    mangled()
    | st.text(max_size=30)
    | st.sampled_from(
        [
            "",
            "[",
            "[" * 5_000,
            "NaN",
            '{"method": NaN}',
            "1e999",
            "null",
            "[]",
            '{"id": 1}',
            '{"id": []}',
        ]
    )
)


def world_with_a_run():
    world = World()
    world.create()
    world.press()
    world.host.open_sessions()
    mirror = Mirror()
    mirror.take_snapshot(world.ask("gus", "subscribe", channel=ALL)["result"]["snapshot"])
    return world, mirror


@given(st.lists(TEXTS, max_size=6))
@settings(max_examples=150)
def test_no_message_raises_or_changes_what_others_do_not_see(texts):
    world, mirror = world_with_a_run()

    for text in texts:
        answer = receive(world.catalogue, "ann", text, at=world.host.at)
        assert answer is None or "jsonrpc" in json.loads(answer)

    for told in world.heard("gus"):
        mirror.take(told)
    there = world.ask("bob", "subscribe", channel=ALL)["result"]["snapshot"]["state"]
    assert mirror.catalogues[ALL] == read(CatalogState, there)


@given(st.lists(TEXTS, max_size=6), st.sampled_from(["meg", "nobody"]))
@settings(max_examples=100)
def test_whoever_holds_no_grant_changes_and_reads_nothing(texts, client):
    world, _mirror = world_with_a_run()
    before = world.entries("bob")

    for text in texts:
        answer = receive(world.catalogue, client, text, at=world.host.at)
        told = {} if answer is None else json.loads(answer)
        assert told.get("result", {}) in ({}, world.catalogue.initialize())

    assert world.entries("bob") == before
    assert world.heard("gus") == []
    assert all(each["rejectionReason"] for each in world.heard(client))


@given(st.lists(TEXTS, max_size=6))
@settings(max_examples=60)
def test_whoever_may_only_read_changes_nothing_that_others_are_told(texts):
    world, _mirror = world_with_a_run()
    before = world.entries("bob")
    world.catalogue.connect("reader", "user:gus")

    for text in texts:
        receive(world.catalogue, "reader", text, at=world.host.at)

    assert world.entries("bob") == before
    assert world.heard("gus") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ('{"id": 7}', -32600),
        ("\ud800", -32700),
    ],
)
def test_what_is_no_request_is_told_so(text, code):
    world = World()

    answer = json.loads(receive(world.catalogue, "ann", text, at=world.host.at))

    assert answer["error"]["code"] == code


def test_a_notification_that_nobody_knows_is_left_alone():
    world = World()

    assert receive(world.catalogue, "ann", '{"method": "progress"}', at=world.host.at) is None


@pytest.mark.parametrize(
    "params",
    [
        {"channel": ALL, "action": ACTIONS[0]},
        {"channel": ALL, "clientSeq": 1, "action": {**ACTIONS[0], "type": 3}},
        {"channel": ALL, "clientSeq": 1, "action": {}},
        {"channel": 3, "clientSeq": 1, "action": ACTIONS[0]},
        [],
    ],
)
def test_what_no_envelope_can_be_made_of_is_left_alone(params):
    world = World()

    answered = world.catalogue.dispatch("ann", params, at=world.host.at)

    assert not answered
    assert world.entries() == {}
