"""Creating, changing and removing over the wire: text in, exact answers and broadcasts out."""

import pytest

from catalogue.catalogue_world import ALL, World, definition, entry, envelope, normal, set_
from wakeful.catalogue import Capabilities, ScheduleCapability

A = "ahp-automation:/a"


def create(world, client="ann", resource=A, **members):
    number = world.dispatch(
        client,
        "automation/createRequested",
        resource=resource,
        definition=definition(**members),
    )
    return {
        "type": "automation/createRequested",
        "resource": resource,
        "definition": normal(owner=f"user:{client}", **members),
    }, number


def update(world, changes, client="ann", resource=A):
    return world.dispatch(client, "automation/updateRequested", resource=resource, changes=changes)


# automation/createRequested


def test_a_create_is_told_to_all_and_then_the_entry():
    world = World()
    world.subscribe("ann")
    world.subscribe("gus")

    action, number = create(world)

    told = [envelope(action, 1, origin=("ann", number)), envelope(set_(entry()), 2)]
    assert world.heard("ann") == told
    assert world.heard("gus") == told


def test_the_same_create_again_is_answered_with_the_entry():
    world = World()
    world.subscribe("ann")
    create(world)
    world.later(5)
    world.heard("ann")

    action, number = create(world)

    assert world.heard("ann") == [
        envelope(action, 3, origin=("ann", number)),
        envelope(set_(entry()), 4),
    ]


def test_another_definition_at_the_same_resource_is_refused_to_the_client_that_asked():
    world = World()
    world.subscribe("gus")
    create(world)
    world.heard("gus")

    number = world.dispatch(
        "bob", "automation/createRequested", resource=A, definition=definition(title="Other")
    )

    assert world.heard("bob") == [
        envelope(
            {
                "type": "automation/createRequested",
                "resource": A,
                "definition": definition(title="Other"),
            },
            3,
            origin=("bob", number),
            reason="Automation already exists: ahp-automation:/a",
        )
    ]
    assert world.heard("gus") == []
    assert world.entries()["a"] == entry()


def test_the_same_definition_by_somebody_else_is_another_one_since_its_owner_is():
    world = World()
    create(world)

    create(world, "bob")

    assert world.reasons("bob") == ["Automation already exists: ahp-automation:/a"]


@pytest.mark.parametrize("resource", ["file:///a", "ahp-automation-run:/a", "a", ""])
def test_another_scheme_is_refused(resource):
    world = World()

    create(world, resource=resource)

    assert world.reasons("ann") == [
        f"Automation resource must use the ahp-automation scheme: {resource}"
    ]


def test_any_uri_of_the_scheme_may_be_chosen():
    world = World()

    create(world, resource="ahp-automation:/Daily Review")

    assert world.reasons("ann") == []


def test_a_scheme_without_an_id_is_no_resource():
    world = World()

    create(world, resource="ahp-automation:/")

    assert world.reasons("ann") == [
        "resource: 'ahp-automation:/' is not an automation's resource: ahp-automation:/ with an id"
    ]


def test_without_the_capability_every_create_is_refused():
    world = World(capabilities=Capabilities())

    create(world)

    assert world.reasons("ann") == ["Automations cannot be created on this host."]
    assert world.entries() == {}


def test_every_problem_of_a_definition_is_named_in_the_reason():
    world = World()

    world.dispatch(
        "ann",
        "automation/createRequested",
        resource=A,
        definition=definition(title="", enabeld=True, session={"provider": 3}),
    )

    (reason,) = world.reasons("ann")
    assert "title: '' is not non-empty text" in reason
    assert "unknown key 'enabeld'; did you mean 'enabled'?" in reason
    assert "session.provider: 3 is not" in reason
    assert world.entries() == {}


@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        ({"events": [{"id": "toolExploded"}]}, "toolExploded"),
        ({"type": "watch", "events": [{"id": "looks-bored"}]}, "looks-bored"),
        ({"config": {"cuont": {"n": 3}}}, "cuont"),
        ({"config": {"count": {"n": True}}}, "triggers[0].config.count.n"),
        ({"config": {"filter": {"folder": []}}}, "folder"),
    ],
)
def test_a_trigger_this_host_cannot_read_is_refused_with_what_is_wrong_named(trigger, said):
    world = World()
    good = definition()["triggers"][0]

    world.dispatch(
        "ann",
        "automation/createRequested",
        resource=A,
        definition=definition(triggers=[good | trigger]),
    )

    (reason,) = world.reasons("ann")
    assert said in reason


def test_pinned_and_parallel_is_refused():
    world = World()

    world.dispatch(
        "ann",
        "automation/createRequested",
        resource=A,
        definition=definition(_meta={"ahpd": {"session": "pinned", "overlap": "parallel"}}),
    )

    (reason,) = world.reasons("ann")
    assert "a pinned automation has one chat and cannot be parallel" in reason


def test_what_was_left_out_is_filled_in_as_the_wire_requires():
    world = World()
    trigger = {"id": "w", "kind": "event", "type": "watch", "events": [{"id": "looks-stuck"}]}
    schedule = {"id": "s", "kind": "schedule", "schedule": {"expression": "0 9 * * *"}}

    world.create(triggers=[trigger, schedule])

    kept = world.entries()["a"]["definition"]
    assert (kept["session"], kept["enabled"], kept["message"]["origin"]) == (
        {},
        True,
        {"kind": "automation"},
    )
    assert [each.get("title") for each in kept["triggers"]] == ["Watch a session", None]
    assert kept["triggers"][0]["events"][0]["title"] == "Looks stuck"
    assert kept["triggers"][1]["schedule"]["timeZone"] == "UTC"


def test_a_triggers_title_stays_and_its_events_are_called_as_discovery_calls_them():
    world = World()
    trigger = definition()["triggers"][0] | {
        "title": "My own words",
        "events": [{"id": "toolFailed", "title": "Boom", "description": "Ouch"}],
    }

    world.create(triggers=[trigger])

    kept = world.entries()["a"]["definition"]["triggers"][0]
    assert kept["title"] == "My own words"
    assert kept["events"] == [
        {
            "id": "toolFailed",
            "title": "A tool call failed",
            "description": "A tool call in the session failed",
        }
    ]


def test_unknown_notes_in_meta_and_in_the_message_are_kept():
    world = World()

    world.create(
        message={"text": "x", "attachments": [{"uri": "file:///a"}]}, _meta={"mine": [1, None]}
    )

    kept = world.entries()["a"]["definition"]
    assert kept["message"]["attachments"] == [{"uri": "file:///a"}]
    assert kept["_meta"] == {"mine": [1, None], "ahpd.owner": "user:ann"}


def test_a_client_that_writes_the_pinned_session_has_it_dropped():
    world = World()

    world.create(_meta={"ahpd": {"session": "pinned", "pinnedSession": "ahp-session:/bobs"}})

    assert world.entries()["a"]["definition"]["_meta"]["ahpd"] == {"session": "pinned"}


def test_schedules_are_refused_where_the_host_has_none():
    world = World(capabilities=Capabilities(create={}))

    world.dispatch(
        "ann",
        "automation/createRequested",
        resource=A,
        definition=definition(
            triggers=[{"id": "s", "kind": "schedule", "schedule": {"expression": "0 9 * * *"}}]
        ),
    )

    assert world.reasons("ann") == ["Automation schedule triggers are not available."]


@pytest.mark.parametrize(
    ("expression", "reasons"),
    [
        (
            "*/5 * * * *",
            ["Automation schedule of trigger s has occurrences closer than 10 minutes apart."],
        ),
        ("*/10 * * * *", []),
        (
            "0,55 * * * *",
            ["Automation schedule of trigger s has occurrences closer than 10 minutes apart."],
        ),
        ("0 9 * * *", []),
    ],
)
def test_a_schedule_that_can_come_closer_than_the_interval_is_refused(expression, reasons):
    world = World(
        capabilities=Capabilities(create={}, schedules=ScheduleCapability(min_interval_minutes=10))
    )

    world.dispatch(
        "ann",
        "automation/createRequested",
        resource=A,
        definition=definition(
            triggers=[{"id": "s", "kind": "schedule", "schedule": {"expression": expression}}]
        ),
    )

    assert world.reasons("ann") == reasons


# automation/updateRequested


def test_an_update_is_told_to_all_and_then_the_entry():
    world = World()
    world.create()
    world.subscribe("ann")
    world.subscribe("gus")
    world.later(5)

    number = update(world, {"title": "New"})

    action = {"type": "automation/updateRequested", "resource": A, "changes": {"title": "New"}}
    told = [
        envelope(action, 3, origin=("ann", number)),
        envelope(set_(entry(written=normal(title="New"), changed=5)), 4),
    ]
    assert world.heard("ann") == told
    assert world.heard("gus") == told


def test_two_clients_that_change_different_members_do_not_revert_each_other():
    world = World()
    world.create()

    update(world, {"title": "Ann's"})
    update(world, {"enabled": False}, "bob")

    kept = world.entries()["a"]["definition"]
    assert (kept["title"], kept["enabled"]) == ("Ann's", False)


def test_of_two_changes_of_one_member_the_later_wins():
    world = World()
    world.create()

    update(world, {"title": "Ann's"})
    update(world, {"title": "Bob's"}, "bob")

    assert world.entries()["a"]["definition"]["title"] == "Bob's"


def test_an_update_that_changes_nothing_is_answered_and_is_no_change():
    world = World()
    world.create()
    world.subscribe("ann")
    world.later(5)

    number = update(world, {"title": "Failures"})

    action = {
        "type": "automation/updateRequested",
        "resource": A,
        "changes": {"title": "Failures"},
    }
    assert world.heard("ann") == [
        envelope(action, 3, origin=("ann", number)),
        envelope(set_(entry()), 4),
    ]


def test_an_update_of_what_is_not_there_is_refused():
    world = World()

    update(world, {"title": "New"})

    assert world.reasons("ann") == ["Automation not found: ahp-automation:/a"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"titel": "New"}, "titel: unknown key 'titel'; did you mean 'title'?"),
        ({"title": None}, "title: None is not non-empty text"),
        ({"disableConditions": None}, "disableConditions: None is not a list"),
        ({"triggers": {}}, "triggers: {} is not a list"),
        ({"_meta": 3}, "_meta: 3 is not a map"),
        ({"_meta": {"ahpd": 3}}, "_meta.ahpd: 3 is not a map"),
        (["title"], "['title'] is not a map"),
        (None, "None is not a map"),
    ],
)
def test_a_patch_that_cannot_be_meant_is_refused_and_changes_nothing(changes, said):
    world = World()
    world.create()

    update(world, changes)

    assert world.reasons("ann") == [said]
    assert world.entries()["a"] == entry()


def test_an_empty_list_clears_the_disable_conditions_and_leaving_out_keeps_them():
    world = World()
    world.create(disableConditions=[{"kind": "afterRuns", "max": 3}])

    update(world, {"title": "New"})
    kept = world.entries()["a"]
    update(world, {"disableConditions": []})
    cleared = world.entries()["a"]

    assert kept["definition"]["disableConditions"] == [{"kind": "afterRuns", "max": 3}]
    assert kept["runCount"] == 0
    assert "runCount" not in cleared


def test_a_patch_of_meta_keeps_the_owner_and_the_hosts_note():
    world = World()
    world.create(_meta={"ahpd": {"session": "pinned"}, "mine": 1})
    world.press()
    (session,) = world.host.open_sessions()

    update(world, {"_meta": {"ahpd": {"session": "pinned", "pinnedSession": "ahp-session:/x"}}})

    assert world.entries()["a"]["definition"]["_meta"] == {
        "ahpd": {"session": "pinned", "pinnedSession": session.uri},
        "ahpd.owner": "user:ann",
    }


def test_a_patch_of_nothing_but_the_hosts_note_is_no_change():
    world = World()
    world.create(_meta={"ahpd": {"session": "pinned"}})
    world.later(5)

    update(world, {"_meta": {"ahpd": {"session": "pinned", "pinnedSession": "ahp-session:/x"}}})

    assert world.entries()["a"]["modifiedAt"] == world.entries()["a"]["createdAt"]


def test_a_colleagues_change_leaves_the_automation_its_makers():
    world = World()
    world.create()

    update(world, {"title": "Bob's"}, "bob")

    assert world.entries()["a"]["_meta"] == {"ahpd.owner": "user:ann"}


# automation/removed


def test_a_removal_is_told_to_all():
    world = World()
    world.create()
    world.subscribe("ann")
    world.subscribe("gus")

    number = world.dispatch("ann", "automation/removed", resource=A)

    told = [envelope({"type": "automation/removed", "resource": A}, 3, origin=("ann", number))]
    assert world.heard("ann") == told
    assert world.heard("gus") == told
    assert world.entries() == {}


def test_removing_what_is_not_there_is_accepted_and_told_to_nobody_else():
    world = World()
    world.subscribe("gus")

    number = world.dispatch("ann", "automation/removed", resource=A)

    assert world.heard("ann") == [
        envelope({"type": "automation/removed", "resource": A}, 1, origin=("ann", number))
    ]
    assert world.heard("gus") == []


# What may not be dispatched


@pytest.mark.parametrize(
    "type_", ["automation/set", "automationRun/lifecycleChanged", "automation/exploded", ""]
)
def test_an_action_that_is_not_a_clients_is_refused(type_):
    world = World()

    world.dispatch("ann", type_, automation={})

    assert world.reasons("ann") == [f"Clients cannot dispatch the action {type_!r}."]


@pytest.mark.parametrize(
    ("type_", "channel", "reason"),
    [
        (
            "automationRun/cancelRequested",
            ALL,
            (
                "The action automationRun/cancelRequested does not belong to the channel "
                "ahp-automations://."
            ),
        ),
        (
            "automation/removed",
            "ahp-automation-run:/1",
            "The action automation/removed does not belong to the channel ahp-automation-run:/1.",
        ),
        (
            "automation/removed",
            "ahp-automations://?owner=bob",
            (
                "channel: 'ahp-automations://?owner=bob' is not ahp-automations://, "
                "ahp-automations://?owner=me or a URI of ahp-automation-run:"
            ),
        ),
    ],
)
def test_an_action_on_a_channel_that_is_not_its_own_is_refused(type_, channel, reason):
    world = World()

    world.dispatch("ann", type_, channel=channel, resource=A)

    assert world.reasons("ann") == [reason]


@pytest.mark.parametrize("resource", [None, 3, [A]])
def test_an_action_about_nothing_is_refused(resource):
    world = World()

    for type_ in ("automation/createRequested", "automation/updateRequested", "automation/removed"):
        world.dispatch("ann", type_, resource=resource, definition=definition(), changes={})

    assert [reason.partition(":")[0] for reason in world.reasons("ann")] == ["resource"] * 3
