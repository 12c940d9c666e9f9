"""The commands over the wire: text in, exact answers and broadcasts out."""

import pytest

from catalogue.catalogue_world import (
    ALL,
    MANUAL,
    World,
    entry,
    envelope,
    lifecycle,
    run_uri,
    set_,
    summary,
)
from wakeful.catalogue import Capabilities, ScheduleCapability
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.plugins import TypeRegistry

A = "ahp-automation:/a"
ROOT = "ahp-root://"


def run(world, client="ann", request="r1", automation=A, channel=ALL):
    return world.ask(
        client, "runAutomation", channel=channel, automation=automation, requestId=request
    )


def fetch(world, client="ann", automation=A, channel=ALL, **cursor):
    return world.ask(
        client, "fetchAutomationRuns", channel=channel, automation=automation, **cursor
    )


def types(*names):
    registry = TypeRegistry()
    for name in names:
        registry.register(
            TriggerType(
                type=name, title=name.title(), events=(TriggerEvent(id="done", title="Done"),)
            ),
            "ci",
        )
    return registry


# initialize


def test_initialize_tells_the_capabilities_and_the_template():
    assert World().ask("ann", "initialize") == {
        "result": {
            "automations": {"create": {}, "schedules": {}, "runCancellation": {}},
            "_meta": {"ahpd.automations": "ahp-automations://{?owner}"},
        }
    }


def test_the_numbers_of_the_capabilities_are_told():
    world = World(
        capabilities=Capabilities(
            schedules=ScheduleCapability(min_interval_minutes=5), run_history_limit=50
        )
    )

    assert world.ask("ann", "initialize")["result"]["automations"] == {
        "schedules": {"minIntervalMinutes": 5},
        "runHistoryLimit": 50,
    }


# listAutomationTriggerDefinitions


def test_discovery_lists_both_own_types_and_then_each_plugins():
    world = World(types=types("build", "mail"))

    items = world.ask("gus", "listAutomationTriggerDefinitions", channel=ROOT)["result"]["items"]

    assert [item["type"] for item in items] == ["session", "watch", "build", "mail"]
    assert items[2] == {
        "type": "build",
        "title": "Build",
        "events": [{"id": "done", "title": "Done"}],
    }


def test_the_host_may_narrow_the_plugins_types_and_hears_for_which_session():
    world = World(types=types("build", "mail"))
    heard = []
    narrow = world.host.narrow

    def listening(definitions, asked):
        heard.append((len(definitions), dict(asked)))
        return narrow(definitions, asked)

    world.host.narrow = listening
    world.host.hidden_types = {"mail"}

    items = world.ask(
        "ann",
        "listAutomationTriggerDefinitions",
        channel=ROOT,
        provider="claude",
        workingDirectories=["file:///w"],
        sessionConfig={"mode": "plan"},
    )["result"]["items"]

    assert [item["type"] for item in items] == ["session", "watch", "build"]
    assert heard == [
        (
            2,
            {
                "provider": "claude",
                "workingDirectories": ["file:///w"],
                "sessionConfig": {"mode": "plan"},
            },
        )
    ]


# runAutomation


def test_a_press_is_answered_with_the_run_which_is_recorded_before_its_session_exists():
    world = World()
    world.create()
    world.subscribe("gus")

    answer = run(world)

    assert answer == {"result": {"resource": run_uri(1)}}
    assert world.heard("gus") == [
        envelope(set_(entry(runs=[summary(1, lifecycle("pending", 0))])), 3),
        envelope(set_(entry(runs=[summary(1, lifecycle("running", 0, 0))])), 5),
    ]
    assert [start.run for start in world.host.asked] == [run_uri(1)]
    assert world.host.sessions == {}


def test_the_same_request_asked_again_is_answered_with_its_run():
    world = World()
    world.create()
    first = run(world)
    (session,) = world.host.open_sessions()
    world.host.end_turn(session.uri)
    world.catalogue.disconnect("ann")
    world.catalogue.connect("ann", "user:ann")

    assert run(world) == first
    assert run(world, request="r2") == {"result": {"resource": run_uri(2)}}


def test_a_press_while_a_run_is_going_is_answered_with_the_newest():
    world = World()
    world.create()
    run(world)

    assert run(world, "bob", "r2") == {"result": {"resource": run_uri(1)}}
    assert run(world, "bob", "r2") == {"result": {"resource": run_uri(1)}}
    assert len(world.host.asked) == 1


def test_a_request_id_of_another_automation_is_refused():
    world = World()
    world.create()
    world.create("b")
    run(world)

    assert run(world, automation="ahp-automation:/b") == {
        "error": {
            "code": -32000,
            "message": "Automation run requestId is already used for another automation: r1",
        }
    }


def test_an_empty_request_id_is_refused():
    world = World()
    world.create()

    assert run(world, request="") == {
        "error": {"code": -32000, "message": "Automation run requestId must not be empty."}
    }


def test_an_automation_that_is_not_there_does_not_run():
    assert run(World()) == {
        "error": {"code": -32000, "message": "Automation not found: ahp-automation:/a"}
    }


def test_one_that_is_switched_off_runs_by_hand_and_its_allowance_does_not_count_it():
    world = World()
    world.create(enabled=False, disableConditions=[{"kind": "afterRuns", "max": 1}])

    assert run(world) == {"result": {"resource": run_uri(1)}}
    assert world.entries()["a"]["runCount"] == 0


# fetchAutomationRuns


def with_runs(world, count):
    world.create()
    for number in range(1, count + 1):
        run(world, request=f"r{number}")
        (session,) = world.host.open_sessions()
        world.host.end_turn(session.uri)
    world.host.inboxes.clear()


def numbers(world):
    return [int(each["resource"].rpartition("/")[2]) for each in world.entries()["a"]["runs"]]


def test_an_entry_shows_the_newest_twenty():
    world = World()
    with_runs(world, 21)

    assert numbers(world) == list(range(21, 1, -1))
    assert world.entries()["a"]["runsNextCursor"] == "20"


def test_twenty_runs_have_no_more_behind_them():
    world = World()
    with_runs(world, 20)

    assert len(numbers(world)) == 20
    assert "runsNextCursor" not in world.entries()["a"]


@pytest.mark.parametrize("cursor", [{}, {"cursor": "20"}])
def test_a_fetch_brings_one_more_page_to_everybody(cursor):
    world = World()
    with_runs(world, 45)
    world.subscribe("gus")

    assert fetch(world, **cursor) == {"result": {}}

    (told,) = world.heard("gus")
    automation = told["action"]["automation"]
    assert len(automation["runs"]) == 40
    assert automation["runsNextCursor"] == "40"


def test_the_last_page_has_no_cursor():
    world = World()
    with_runs(world, 25)

    fetch(world)

    assert len(numbers(world)) == 25
    assert "runsNextCursor" not in world.entries()["a"]


def test_where_nothing_is_more_a_fetch_is_answered_and_nothing_is_told():
    world = World()
    with_runs(world, 3)
    world.subscribe("gus")

    assert fetch(world) == {"result": {}}
    assert world.heard("gus") == []


@pytest.mark.parametrize(("runs", "cursor"), [(25, "40"), (25, ""), (3, "20")])
def test_a_cursor_that_is_not_the_entrys_own_is_refused(runs, cursor):
    world = World()
    with_runs(world, runs)

    assert fetch(world, cursor=cursor) == {
        "error": {
            "code": -32000,
            "message": f"Automation run-history cursor is no longer available: {cursor}",
        }
    }


def test_runs_of_what_is_not_there_are_not_fetched():
    assert fetch(World())["error"]["message"] == "Automation not found: ahp-automation:/a"


def test_as_many_runs_that_are_over_are_kept_as_the_limit_says():
    world = World(capabilities=Capabilities(create={}, run_history_limit=2))
    with_runs(world, 4)
    run(world, request="r5")

    assert numbers(world) == [5, 4, 3]


def test_a_run_that_is_kept_no_longer_is_forgotten_with_its_request_id():
    world = World(capabilities=Capabilities(create={}, run_history_limit=1))
    with_runs(world, 2)

    assert world.ask("ann", "subscribe", channel=run_uri(1)) == {
        "error": {"code": -32000, "message": "Automation run not found: ahp-automation-run:/1"}
    }
    assert run(world, request="r1") == {"result": {"resource": run_uri(3)}}


# Parameters


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        (
            "runAutomation",
            {"channel": ROOT, "automation": A, "requestId": "r"},
            "channel: 'ahp-root://' is not ahp-automations://",
        ),
        (
            "fetchAutomationRuns",
            {"channel": ROOT, "automation": A},
            "channel: 'ahp-root://' is not ahp-automations://",
        ),
        (
            "listAutomationTriggerDefinitions",
            {"channel": ALL},
            "channel: 'ahp-automations://' is not ahp-root://",
        ),
        ("runAutomation", {"channel": ALL}, "automation: missing; expected text; requestId: missing; expected text"),
        (
            "runAutomation",
            {"channel": ALL, "automation": A, "requestId": 7},
            "requestId: 7 is not text",
        ),
        ("fetchAutomationRuns", {"channel": ALL, "automation": A, "cursor": 20}, "cursor: 20 is not text"),
        ("subscribe", {}, "channel: missing; expected text"),
        ("reconnect", {"lastSeenServerSeq": -1, "subscriptions": []}, "lastSeenServerSeq: -1 is not a whole number at least 0"),
        ("x-ahpd/completions", {"connector": 3}, "connector: 3 is not text"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_told_under_their_own_code(method, params, message):
    world = World()
    world.create()

    assert world.ask("ann", method, **params) == {"error": {"code": -32602, "message": message}}


def test_a_method_that_is_not_there_is_told_so():
    assert World().ask("ann", "pauseAutomation") == {
        "error": {"code": -32601, "message": "Method not found: pauseAutomation"}
    }


def test_completions_are_a_persons_own():
    assert World().ask("ann", "x-ahpd/completions", connector="ci") == {"result": {"items": []}}


def test_a_run_by_hand_says_so():
    world = World()
    world.create()
    run(world)

    assert world.entries()["a"]["runs"][0]["origin"] == MANUAL
