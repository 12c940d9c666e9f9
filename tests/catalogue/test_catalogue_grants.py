"""Who may do what (the seed's "Grants" and "The owner", semantics 9.2)."""

import pytest

from catalogue.catalogue_world import ALL, OWN, World, definition, entry, normal, run_uri
from wakeful.catalogue import GrantAccess
from wakeful.catalogue.grants import GUEST, MEMBER
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight

A = "ahp-automation:/a"

READING = {
    "subscribe": {"channel": ALL},
    "subscribe to one's own": {"channel": OWN},
    "subscribe to a run": {"channel": run_uri(1)},
    "reconnect": {"lastSeenServerSeq": 0, "subscriptions": [ALL]},
    "listAutomationTriggerDefinitions": {"channel": "ahp-root://"},
    "fetchAutomationRuns": {"channel": ALL, "automation": A},
    "x-ahpd/completions": {"connector": "ci"},
}
WRITING = {
    "automation/createRequested": ("create", {"resource": A + "2", "definition": definition()}),
    "automation/updateRequested": ("update", {"resource": A, "changes": {"title": "New"}}),
    "automation/removed": ("remove", {"resource": A}),
    "automationRun/cancelRequested": ("cancel", {"channel": run_uri(1)}),
}


def with_a_run():
    world = World()
    world.create()
    world.press()
    world.grant("user:meg")
    return world


@pytest.mark.parametrize("what", READING)
def test_reading_asks_for_the_grant_to_list(what):
    world = with_a_run()
    method = what.split(" ")[0]

    refused = world.ask("meg", method, **READING[what])
    world.grant("user:meg", "automation:list")
    granted = world.ask("meg", method, **READING[what])

    assert refused == {
        "error": {"code": -32000, "message": "Not permitted: automation:list is needed."}
    }
    assert "result" in granted


@pytest.mark.parametrize("type_", WRITING)
def test_each_action_asks_for_its_own_grant(type_):
    operation, members = WRITING[type_]
    world = with_a_run()
    before = world.entries()

    world.dispatch("meg", type_, **members)
    refused = world.reasons("meg")
    unchanged = world.entries() == before
    others = {"create", "update", "remove", "run", "cancel"} - {operation}
    world.grant("user:meg", *(f"automation:{each}" for each in others), "automation:read")
    world.dispatch("meg", type_, **members)
    still = world.reasons("meg")
    world.grant("user:meg", f"automation:{operation}")
    world.dispatch("meg", type_, **members)

    assert refused == still == [f"Not permitted: automation:{operation} is needed."]
    assert unchanged
    assert world.reasons("meg") == []
    assert world.entries() != before


def test_pressing_run_asks_for_the_grant_to_run():
    world = with_a_run()
    params = {"channel": ALL, "automation": A, "requestId": "r9"}

    refused = world.ask("gus", "runAutomation", **params)
    world.grant("user:gus", "automation:run")

    assert refused["error"]["message"] == "Not permitted: automation:run is needed."
    assert world.ask("gus", "runAutomation", **params) == {"result": {"resource": run_uri(1)}}


@pytest.mark.parametrize(
    ("type_", "members"),
    [
        ("automation/updateRequested", {"resource": "ahp-automation:/none", "changes": {}}),
        ("automationRun/cancelRequested", {"channel": run_uri(99)}),
    ],
)
def test_the_grant_is_asked_before_it_is_told_what_there_is(type_, members):
    world = with_a_run()

    world.dispatch("gus", type_, **members)

    (reason,) = world.reasons("gus")
    assert reason.startswith("Not permitted")


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (GUEST, {"list"}),
        (MEMBER, set()),
        (("automation:write",), {"create", "update", "remove", "run", "cancel"}),
    ],
)
def test_what_roles_and_groups_hold(role, may):
    sight = GrantSight()
    sight.change("user:x", role)
    access = GrantAccess(sight)

    operations = ("list", "create", "update", "remove", "run", "cancel")
    assert {each for each in operations if access.allows("user:x", f"automation:{each}")} == may


def test_a_connection_without_a_principal_may_what_the_host_gives_it():
    access = GrantAccess(GrantSight(), anonymous=("automation:read",))

    assert access.allows(None, "automation:list")
    assert not access.allows(None, "automation:run")
    assert not GrantAccess(GrantSight()).allows(None, "automation:list")


def test_whoever_loses_the_grant_to_list_is_told_no_more():
    world = World()
    world.subscribe("gus")
    world.grant("user:gus")

    world.create()
    world.grant("user:gus", "automation:read")
    world.press()

    assert world.heard("gus") == []


# The owner


def test_a_maker_owns_what_it_makes():
    world = World()
    world.create(client="bob")

    assert world.entries()["a"] == entry(owner="user:bob")


def test_a_maker_may_name_itself():
    world = World()
    world.create(_meta={"ahpd.owner": "user:ann"})

    assert world.entries()["a"]["_meta"] == {"ahpd.owner": "user:ann"}


@pytest.mark.parametrize("owner", ["user:bob", "team:a", "root:host", "plugin:ci"])
def test_nobody_makes_an_automation_that_acts_as_somebody_else(owner):
    world = World()

    world.dispatch(
        "ann",
        "automation/createRequested",
        resource=A,
        definition=definition(_meta={"ahpd.owner": owner}),
    )

    assert world.reasons("ann") == [f"An automation of {owner} can only be made by {owner}."]


def test_nobody_hands_an_automation_to_somebody_else():
    world = World()
    world.create()

    world.dispatch(
        "ann",
        "automation/updateRequested",
        resource=A,
        changes={"_meta": {"ahpd.owner": "user:bob"}},
    )

    assert world.reasons("ann") == ["An automation of user:bob can only be made by user:bob."]


def test_a_host_may_let_people_speak_for_their_team():
    class Teams(GrantAccess):
        def speaks_for(self, principal, owner):
            return owner in (principal, "team:red")

        def allows(self, principal, grant):
            return True

    world = World(access=Teams(GrantSight()))
    world.create(_meta={"ahpd.owner": "team:red"})

    assert world.entries()["a"]["_meta"] == {"ahpd.owner": "team:red"}


def test_an_owner_not_met_has_to_sign_in_before_anything_runs():
    world = World()
    world.catalogue.save_definition(A, normal(owner="user:zoe"), at=world.host.at)

    answer = world.ask("ann", "runAutomation", channel=ALL, automation=A, requestId="r")
    world.grant("user:zoe")
    met = world.ask("ann", "runAutomation", channel=ALL, automation=A, requestId="r")

    assert answer == {
        "error": {
            "code": -32000,
            "message": "The automation's owner user:zoe has to sign in once first.",
        }
    }
    assert met == {"result": {"resource": run_uri(1)}}


@pytest.mark.parametrize(
    ("config", "grants", "error"),
    [
        ({"computer": "c1"}, (), "The automation's owner user:ann needs computer:write."),
        ({"computer": "c1"}, ("computer:write",), None),
        ({"mode": "plan"}, (), None),
    ],
)
def test_a_run_acts_as_its_owner_whoever_pressed_it(config, grants, error):
    world = World()
    world.create(session={"config": config})
    world.grant("user:ann", *grants)

    world.press(client="bob")

    life = world.entries("bob")["a"]["runs"][0]["lifecycle"]
    assert life.get("error", {}).get("message") == error
    assert "startedAt" in life or error is not None


@pytest.mark.parametrize(("unowned", "runs"), [("every", 1), ("none", 0)])
def test_what_an_automation_without_an_owner_wakes_on_is_the_hosts_to_say(unowned, runs):
    world = World(settings=Settings(unowned=unowned))
    world.catalogue.save_definition(A, normal(owner=None), at=world.host.at)

    world.fail_a_tool()

    assert len(world.host.asked) == runs


def test_a_rule_only_sees_sessions_its_owner_may_read():
    world = World()
    world.create()
    world.grant("user:ann", "automation:read")

    world.fail_a_tool()

    assert world.host.asked == []
