"""Who is told what: channels, filters, order, and coming back."""

import pytest

from catalogue.catalogue_world import (
    ALL,
    OWN,
    World,
    at,
    entry,
    envelope,
    lifecycle,
    normal,
    run_uri,
    set_,
    summary,
)
from wakeful.catalogue import Mirror

A = "ahp-automation:/a"


def test_a_snapshot_is_the_whole_catalogue_and_says_from_where_it_goes_on():
    world = World()
    world.create()

    assert world.ask("gus", "subscribe", channel=ALL) == {
        "result": {"snapshot": {"resource": ALL, "state": {"automations": [entry()]}, "fromSeq": 2}}
    }


def test_entries_stand_in_the_order_they_were_made_and_keep_it_when_changed():
    world = World()
    for name in ("b", "a", "c"):
        world.create(name)
    world.dispatch(
        "ann", "automation/updateRequested", resource="ahp-automation:/b", changes={"title": "B"}
    )

    assert list(world.entries()) == ["b", "a", "c"]


def test_numbers_of_what_is_told_only_grow():
    world = World()
    world.subscribe("ann")
    world.subscribe("ann", OWN)
    for name in ("a", "b"):
        world.create(name)
        world.press(name, request=name)

    told = world.heard("ann")
    assert [each["serverSeq"] for each in told] == sorted(each["serverSeq"] for each in told)


def test_whoever_unsubscribes_is_told_no_more():
    world = World()
    world.subscribe("gus")

    assert world.ask("gus", "unsubscribe", channel=ALL) == {"result": {}}

    world.create()
    assert world.heard("gus") == []


def test_unsubscribing_from_the_filter_leaves_the_whole():
    world = World()
    world.subscribe("bob", ALL)
    world.subscribe("bob", OWN)
    world.ask("bob", "unsubscribe", channel=OWN)

    world.dispatch("ann", "automation/removed", resource=A)
    world.create("b")
    world.press("b")

    assert {each["channel"] for each in world.heard("bob")} == {ALL}


def test_unsubscribing_from_what_was_not_subscribed_to_is_no_fault():
    assert World().ask("ann", "unsubscribe", channel=ALL) == {"result": {}}


def test_a_connection_that_breaks_while_it_is_told_stops_nobody_else():
    world = World()
    world.subscribe("bob")
    world.subscribe("gus")
    world.host.gone.add("bob")

    world.dispatch("ann", "automation/createRequested", resource=A, definition=normal())

    assert len(world.host.read("gus")) == 2
    with pytest.raises(LookupError):
        world.catalogue.request("bob", "subscribe", {"channel": ALL}, at=world.host.at)


# ?owner=me


def test_the_filtered_snapshot_holds_the_principals_own():
    world = World()
    world.create("a")
    world.create("b", client="bob")

    assert world.subscribe("bob", OWN) == {"automations": [entry("b", owner="user:bob")]}


def test_a_plugin_owns_too():
    world = World()
    world.grant("plugin:ci", "automation:read", "automation:write")
    world.catalogue.connect("ci", "plugin:ci")
    world.create("b", client="ci")

    assert world.subscribe("ci", OWN) == {"automations": [entry("b", owner="plugin:ci")]}


def test_a_connection_without_a_principal_owns_nothing():
    world = World(access=Anyone())
    world.create("a", client="nobody")

    assert world.subscribe("nobody", OWN) == {"automations": []}
    assert world.subscribe("nobody", ALL) == {"automations": [entry(owner=None)]}


class Anyone:
    """A host for one person: everybody may everything."""

    def allows(self, principal, grant):
        return True

    def speaks_for(self, principal, owner):
        return principal == owner


@pytest.mark.parametrize(
    "query", ["?owner=bob", "?owner=user:ann", "?owner=", "?", "?owner=me&x=1", "?me", "/", "#"]
)
def test_any_other_filter_is_refused_as_a_wrong_parameter(query):
    answer = World().ask("ann", "subscribe", channel=ALL + query)

    assert answer["error"]["code"] == -32602


def test_an_action_about_anothers_automation_does_not_reach_the_filter():
    world = World()
    world.subscribe("bob", OWN)

    world.create("a")
    world.press("a")

    assert world.heard("bob") == []


def test_an_action_about_ones_own_reaches_the_filter_whoever_asked_for_it():
    world = World()
    world.create("b", client="bob")
    world.subscribe("bob", OWN)

    number = world.dispatch(
        "ann", "automation/updateRequested", resource="ahp-automation:/b", changes={"title": "New"}
    )

    action = {
        "type": "automation/updateRequested",
        "resource": "ahp-automation:/b",
        "changes": {"title": "New"},
    }
    changed = entry("b", owner="user:bob", written=normal(owner="user:bob", title="New"))
    assert world.heard("bob") == [
        envelope(action, 3, channel=OWN, origin=("ann", number)),
        envelope(set_(changed), 4, channel=OWN),
    ]


def test_a_removal_reaches_every_filter():
    world = World()
    world.create("a")
    world.subscribe("bob", OWN)

    number = world.dispatch("ann", "automation/removed", resource=A)

    assert world.heard("bob") == [
        envelope(
            {"type": "automation/removed", "resource": A},
            3,
            channel=OWN,
            origin=("ann", number),
        )
    ]


def test_an_automation_that_changes_hands_leaves_one_filter_and_enters_the_other():
    world = World()
    world.create("a")
    world.subscribe("ann", OWN)
    world.subscribe("bob", OWN)

    world.catalogue.save_definition(A, normal(owner="user:bob"), at=world.host.at)

    handed = entry(owner="user:bob", written=normal(owner="user:bob"))
    gone = {"type": "automation/removed", "resource": A}
    assert world.heard("ann") == [envelope(gone, 3, channel=OWN)]
    assert world.heard("bob") == [envelope(set_(handed), 4, channel=OWN)]


def test_whoever_dispatches_is_answered_without_any_subscription():
    world = World()

    number = world.dispatch(
        "bob", "automation/createRequested", resource=A, definition=normal(owner="user:bob")
    )

    (told,) = world.heard("bob")
    assert told["origin"] == {"clientId": "bob", "clientSeq": number}


# Run channels


def test_a_run_channel_tells_the_run_through_its_life():
    world = World()
    world.create()
    run = world.press()
    world.later(1)
    state = world.subscribe("gus", run)

    (session,) = world.host.open_sessions()
    world.later(1)
    world.host.end_turn(session.uri)

    assert state == {
        "resource": run,
        "automation": A,
        "origin": {"kind": "manual"},
        "lifecycle": lifecycle("running", 0, 0),
        "sessions": [],
    }
    assert [each["action"] for each in world.heard("gus")] == [
        {"type": "automationRun/sessionSet", "session": session.uri},
        {"type": "automationRun/primarySessionChanged", "primarySession": session.uri},
        {"type": "automationRun/lifecycleChanged", "lifecycle": lifecycle("completed", 0, 0, 2)},
    ]


def test_a_run_that_is_not_there_cannot_be_subscribed_to():
    assert World().ask("ann", "subscribe", channel=run_uri(9)) == {
        "error": {"code": -32000, "message": "Automation run not found: ahp-automation-run:/9"}
    }


def test_a_run_channel_is_silent_about_other_runs():
    world = World()
    world.create()
    world.create("b")
    run = world.press()
    world.subscribe("gus", run)

    world.press("b", request="r2")

    assert world.heard("gus") == []


# Coming back


def come_back(world, client, mirror):
    return world.ask(
        client,
        "reconnect",
        lastSeenServerSeq=mirror.seen,
        subscriptions=list(mirror.subscriptions),
    )["result"]


def test_whoever_comes_back_is_told_what_was_missed():
    world = World()
    world.create()
    mirror = Mirror()
    mirror.take_snapshot(world.ask("gus", "subscribe", channel=ALL)["result"]["snapshot"])
    world.catalogue.disconnect("gus")
    world.press()

    world.catalogue.connect("gus", "user:gus")
    result = come_back(world, "gus", mirror)

    assert result == {
        "type": "replay",
        "actions": [
            envelope(set_(entry(runs=[summary(1, lifecycle("pending", 0))])), 3),
            envelope(set_(entry(runs=[summary(1, lifecycle("running", 0, 0))])), 5),
        ],
        "missing": [],
    }


def test_and_is_told_what_happens_from_then_on():
    world = World()
    world.catalogue.disconnect("gus")
    world.catalogue.connect("gus", "user:gus")
    world.ask("gus", "reconnect", lastSeenServerSeq=0, subscriptions=[ALL])

    world.dispatch("ann", "automation/createRequested", resource=A, definition=normal())

    assert len(world.heard("gus")) == 2


def test_what_is_remembered_no_longer_is_a_snapshot_anew():
    world = World(replayed=3)
    world.create()
    world.create("b")

    result = world.ask("gus", "reconnect", lastSeenServerSeq=0, subscriptions=[ALL])["result"]

    assert result == {
        "type": "snapshot",
        "snapshots": [
            {"resource": ALL, "state": {"automations": [entry(), entry("b")]}, "fromSeq": 4}
        ],
        "missing": [],
    }


@pytest.mark.parametrize(
    ("seen", "type_"), [(0, "snapshot"), (1, "replay"), (4, "replay"), (5, "snapshot")]
)
def test_only_what_is_remembered_whole_is_replayed(seen, type_):
    world = World(replayed=3)
    world.create()
    world.create("b")

    result = world.ask("gus", "reconnect", lastSeenServerSeq=seen, subscriptions=[ALL])["result"]

    assert result["type"] == type_


def test_a_host_that_started_anew_goes_on_counting_and_gives_snapshots():
    world = World(first_seq=100)
    world.create()

    result = world.ask("gus", "reconnect", lastSeenServerSeq=99, subscriptions=[ALL])["result"]

    assert (result["type"], result["snapshots"][0]["fromSeq"]) == ("snapshot", 102)


def test_a_run_that_is_kept_no_longer_is_told_as_missing():
    world = World()

    result = world.ask("gus", "reconnect", lastSeenServerSeq=0, subscriptions=[ALL, run_uri(7)])[
        "result"
    ]

    assert result["missing"] == [run_uri(7)]


def test_a_rejection_that_was_lost_is_told_again_to_its_client_only():
    world = World()
    number = world.dispatch("bob", "automation/updateRequested", resource=A, changes={})
    for client in ("bob", "ann"):
        world.catalogue.disconnect(client)
        world.catalogue.connect(client, f"user:{client}")

    def missed(client):
        return world.ask(client, "reconnect", lastSeenServerSeq=0, subscriptions=[ALL])["result"]

    assert [each["origin"] for each in missed("bob")["actions"]] == [
        {"clientId": "bob", "clientSeq": number}
    ]
    assert missed("ann")["actions"] == []


def test_another_person_under_the_same_client_id_is_not_told_what_was_refused_to_the_first():
    world = World()
    world.dispatch("bob", "automation/updateRequested", resource=A, changes={})
    world.catalogue.connect("bob", "user:gus")

    result = world.ask("bob", "reconnect", lastSeenServerSeq=0, subscriptions=[ALL])["result"]

    assert result["actions"] == []


def test_the_filter_holds_for_what_is_replayed():
    world = World()
    world.create("a")
    world.create("b", client="bob")

    result = world.ask("bob", "reconnect", lastSeenServerSeq=0, subscriptions=[OWN])["result"]

    assert [each["action"]["type"] for each in result["actions"]] == [
        "automation/createRequested",
        "automation/set",
    ]
    assert result["actions"][1]["action"]["automation"]["createdAt"] == at(0)
