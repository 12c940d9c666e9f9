"""Runs: from a decision to their end (the seed's "Runs", semantics 9)."""

import pytest

from catalogue.catalogue_world import (
    START,
    WOKEN,
    World,
    at,
    entry,
    lifecycle,
    run_uri,
    set_,
    summary,
)
from wakeful.catalogue import Capabilities, Catalogue, ErrorInfo
from wakeful.core.settings import Settings
from wakeful.model.events import Resumed
from wakeful.model.time import SECOND
from wakeful.testing import InMemoryHost

A = "ahp-automation:/a"


def actions(world, client="gus"):
    return [each["action"] for each in world.heard(client)]


def run_of(world, number, name="a"):
    return next(
        each for each in world.entries()[name]["runs"] if each["resource"] == run_uri(number)
    )


def started(world, name="a"):
    """A run by hand with its session, its turn running."""
    run = world.press(name)
    (session,) = world.host.open_sessions()
    return run, session


def told_error(type_, message):
    return {"errorType": type_, "message": message}


# Starting


def test_an_event_starts_a_run_that_says_where_it_comes_from():
    world = World()
    world.create()
    world.subscribe("gus")

    world.later(3)
    world.fail_a_tool()

    assert actions(world) == [
        set_(entry(runs=[summary(1, lifecycle("pending", 3), origin=WOKEN)])),
        set_(entry(runs=[summary(1, lifecycle("running", 3, 3), origin=WOKEN)])),
    ]


def test_the_host_is_asked_for_the_session_as_its_owner_with_the_filled_message():
    world = World()
    world.create(session={"provider": "claude"}, message={"text": "{{event}}!", "extra": 1})
    session = world.fail_a_tool()

    (start,) = world.host.asked
    assert (start.automation, start.run, start.owner, start.session) == (
        A,
        run_uri(1),
        "user:ann",
        None,
    )
    assert start.template.provider == "claude"
    assert (start.origin.kind, start.origin.automation, start.origin.run) == (
        "automation",
        A,
        run_uri(1),
    )
    assert start.message == {
        "text": "A tool call failed!\n\nWhat woke this run: A tool call failed\n"
        f"Session: {session}\nCount: 1\nAt: {at(0)}",
        "extra": 1,
        "origin": {"kind": "automation"},
    }


def test_a_run_a_colleague_pressed_is_still_the_makers():
    world = World()
    world.create()
    world.press(client="bob")

    assert world.host.asked[0].owner == "user:ann"


def test_a_template_that_holds_no_longer_fails_the_run_before_it_began():
    world = World()
    world.create(session={"provider": "gone"})
    world.host.broken["gone"] = "The provider gone is not installed."

    world.press()

    assert world.host.asked == []
    assert run_of(world, 1) == summary(
        1,
        lifecycle(
            "failed",
            0,
            None,
            0,
            error=told_error("provider", "The provider gone is not installed."),
        ),
    )


def test_a_host_that_cannot_start_fails_the_run():
    world = World()
    world.create()

    def start(_start):
        raise OSError("no room left")

    world.host.start = start
    world.press()

    assert run_of(world, 1)["lifecycle"] == lifecycle(
        "failed", 0, 0, 0, error=told_error("automationExecution", "no room left")
    )


def test_a_session_that_could_not_be_made_fails_the_run_with_the_hosts_error():
    world = World()
    world.create()
    run = world.press()
    world.later(2)

    error = ErrorInfo(error_type="quota", message="Out of credits.")
    world.catalogue.run_failed(run, error, at=world.host.at)

    assert run_of(world, 1)["lifecycle"] == lifecycle(
        "failed", 0, 0, 2, error=told_error("quota", "Out of credits.")
    )


def test_a_run_that_could_not_be_started_releases_what_waits():
    world = World()
    world.create()
    world.fail_a_tool()
    world.fail_a_tool()

    error = ErrorInfo(error_type="quota", message="Out of credits.")
    world.catalogue.run_failed(run_uri(1), error, at=world.host.at)

    assert [start.run for start in world.host.asked] == [run_uri(1), run_uri(2)]


# Settling


@pytest.mark.parametrize("outcome", ["completed", "cancelled"])
def test_the_end_of_the_default_chats_turn_settles_the_run(outcome):
    world = World()
    world.create()
    _run, session = started(world)
    world.later(4)

    world.host.end_turn(session.uri, outcome)

    assert run_of(world, 1) == summary(1, lifecycle(outcome, 0, 0, 4), sessions=[session.uri])


def test_a_run_whose_turn_failed_carries_the_chats_own_error():
    world = World()
    world.create()
    _run, session = started(world)

    error = ErrorInfo(error_type="overloaded", message="Try later.", stack="at …")
    world.host.end_turn(session.uri, "failed", error=error)

    assert run_of(world, 1)["lifecycle"] == lifecycle(
        "failed", 0, 0, 0, error={**told_error("overloaded", "Try later."), "stack": "at …"}
    )


def test_what_a_turn_used_is_told_with_its_end():
    world = World()
    world.create()
    _run, session = started(world)

    world.catalogue.turn_ended(
        session.uri, session.chat, "completed", at=world.host.at, usage={"inputTokens": 3}
    )

    assert run_of(world, 1)["lifecycle"]["usage"] == {"inputTokens": 3}


def test_a_side_chat_settles_nothing():
    world = World()
    world.create()
    _run, session = started(world)
    world.host.begin_turn(session.uri, "side")

    world.host.end_turn(session.uri, chat="side")

    assert run_of(world, 1)["lifecycle"]["status"] == "running"


def test_a_side_chat_that_still_works_keeps_no_run_open():
    world = World()
    world.create()
    _run, session = started(world)
    world.host.begin_turn(session.uri, "side")

    world.host.end_turn(session.uri)

    assert run_of(world, 1)["lifecycle"]["status"] == "completed"


def test_a_run_goes_on_while_another_of_its_sessions_works():
    world = World()
    world.create()
    run, first = started(world)
    second = world.host.new_session(owner="user:ann")
    world.catalogue.session_linked(run, second.uri, default_chat=second.chat, at=world.host.at)
    world.host.begin_turn(second.uri)

    world.host.end_turn(first.uri)
    before = run_of(world, 1)["lifecycle"]["status"]
    world.host.end_turn(second.uri, "failed", error=ErrorInfo(error_type="x", message="y"))

    assert before == "running"
    assert run_of(world, 1)["lifecycle"]["status"] == "failed"


def test_a_run_that_is_over_is_never_opened_again():
    world = World()
    world.create()
    run, session = started(world)
    world.host.end_turn(session.uri)
    over = run_of(world, 1)

    world.host.begin_turn(session.uri)
    world.host.end_turn(session.uri, "failed")
    world.catalogue.run_failed(run, ErrorInfo(error_type="x", message="y"), at=world.host.at)

    assert run_of(world, 1) == over


def test_the_run_is_recorded_as_going_before_the_ending_is_heard_by_the_rules():
    world = World()
    world.create()
    world.create(
        "b",
        triggers=[
            {"id": "t1", "kind": "event", "type": "session", "events": [{"id": "turnCompleted"}]}
        ],
    )
    _run, session = started(world)
    world.host.end_turn(session.uri)

    assert [start.automation for start in world.host.asked] == ["ahp-automation:/b"]


def test_a_run_never_wakes_the_automation_that_made_it():
    world = World()
    world.create()
    _run, session = started(world)

    world.host.happen(session.uri, "toolFailed")
    world.host.end_turn(session.uri)
    world.host.happen(session.uri, "toolFailed")

    assert len(world.entries()["a"]["runs"]) == 1


# Sessions


def test_a_session_is_linked_and_is_the_first_to_look_at():
    world = World()
    world.create()
    run = world.press()
    world.subscribe("gus", run)
    world.subscribe("gus")

    (session,) = world.host.open_sessions()

    told = [{"type": "automationRun/sessionSet", "session": session.uri}]
    told += [{"type": "automationRun/primarySessionChanged", "primarySession": session.uri}]
    told += [set_(entry(runs=[summary(1, lifecycle("running", 0, 0), sessions=[session.uri])]))]
    assert actions(world) == told


def test_a_session_that_is_linked_twice_is_told_once():
    world = World()
    world.create()
    run, session = started(world)
    world.subscribe("gus", run)

    wanted = world.catalogue.session_linked(
        run, session.uri, default_chat=session.chat, at=world.host.at
    )

    assert wanted
    assert actions(world) == []


def test_another_session_of_the_run_can_be_the_first_to_look_at():
    world = World()
    world.create()
    run, _first = started(world)
    second = world.host.new_session()
    world.catalogue.session_linked(run, second.uri, default_chat=second.chat, at=world.host.at)
    world.subscribe("gus", run)

    world.catalogue.primary_session(run, second.uri, at=world.host.at)
    world.catalogue.primary_session(run, "ahp-session:/of-another", at=world.host.at)
    world.catalogue.primary_session(run, None, at=world.host.at)

    assert actions(world) == [
        {"type": "automationRun/primarySessionChanged", "primarySession": second.uri},
        {"type": "automationRun/primarySessionChanged"},
    ]


def test_a_session_that_is_removed_leaves_its_run():
    world = World()
    world.create()
    run, first = started(world)
    second = world.host.new_session()
    world.catalogue.session_linked(run, second.uri, default_chat=second.chat, at=world.host.at)
    world.subscribe("gus", run)

    world.host.remove_session(first.uri)

    assert actions(world) == [
        {"type": "automationRun/sessionRemoved", "session": first.uri},
        {"type": "automationRun/primarySessionChanged", "primarySession": second.uri},
    ]
    assert run_of(world, 1)["sessionCount"] == 1


def test_a_run_whose_only_session_is_removed_before_its_end_has_failed():
    world = World()
    world.create()
    _run, session = started(world)

    world.host.remove_session(session.uri)

    assert run_of(world, 1)["lifecycle"]["error"]["message"] == (
        "The run's session was removed before its turn ended."
    )


def test_a_run_that_waits_for_a_session_that_is_removed_ends_as_its_turn_did():
    world = World()
    world.create()
    run, first = started(world)
    second = world.host.new_session()
    world.catalogue.session_linked(run, second.uri, default_chat=second.chat, at=world.host.at)
    world.host.begin_turn(second.uri)
    world.host.end_turn(first.uri)

    world.host.remove_session(second.uri)

    assert run_of(world, 1)["lifecycle"]["status"] == "completed"


def test_what_the_host_says_of_runs_that_nobody_knows_does_nothing():
    world = World()
    world.create()
    before = world.entries()

    wanted = world.catalogue.session_linked("x", "s", default_chat="c", at=world.host.at)
    world.catalogue.run_failed("x", ErrorInfo(error_type="a", message="b"), at=world.host.at)
    world.catalogue.primary_session("x", None, at=world.host.at)
    world.catalogue.turn_ended("s", "c", "completed", at=world.host.at)
    world.catalogue.session_removed("s", at=world.host.at)

    assert not wanted
    assert world.entries() == before


# While a run is going: the overlap


def overlapping(mode):
    world = World()
    world.create(_meta={"ahpd": {"overlap": mode}})
    run, session = started(world)
    world.later(1)
    return world, run, session


def test_queue_holds_one_run_that_is_told_how_many_events_there_were():
    world, _run, session = overlapping("queue")
    world.fail_a_tool()
    world.fail_a_tool()
    waiting = list(world.host.asked)

    world.host.end_turn(session.uri)

    assert waiting == []
    (start,) = world.host.asked
    assert "Count: 2" in start.message["text"]


def test_steer_goes_into_the_running_turn():
    world, run, session = overlapping("steer")

    world.fail_a_tool()

    (steer,) = world.host.steered
    assert (steer.automation, steer.run, steer.session) == (A, run, session.uri)
    assert steer.message.startswith("Look at it.\n\nWhat woke this run: A tool call failed")
    assert len(world.entries()["a"]["runs"]) == 1


def test_a_steer_that_was_not_delivered_waits_for_the_next_run():
    world, _run, session = overlapping("steer")
    session.running = False

    world.fail_a_tool()
    world.host.end_turn(session.uri)

    assert world.host.steered == []
    assert [start.run for start in world.host.asked] == [run_uri(2)]


def test_a_steer_that_the_host_finds_undelivered_later_waits_too():
    world, _run, session = overlapping("steer")
    world.fail_a_tool()

    world.catalogue.steer_failed(world.host.steered[0], at=world.host.at)
    world.host.end_turn(session.uri)

    assert [start.run for start in world.host.asked] == [run_uri(2)]


def test_parallel_starts_a_run_for_every_event():
    world, _run, _session = overlapping("parallel")

    world.fail_a_tool()
    world.fail_a_tool()

    assert [each["resource"] for each in world.entries()["a"]["runs"]] == [
        run_uri(3),
        run_uri(2),
        run_uri(1),
    ]


def test_skip_drops_the_event_and_counts_it_on_the_run():
    world, run, session = overlapping("skip")
    world.subscribe("gus", run)

    world.fail_a_tool()
    world.fail_a_tool()

    assert run_of(world, 1)["_meta"] == {"ahpd.dropped": 2}
    assert [action["_meta"] for action in actions(world)] == [
        {"ahpd.dropped": 1},
        {"ahpd.dropped": 2},
    ]
    assert world.subscribe("ann", run)["_meta"] == {"ahpd.dropped": 2}
    assert session.messages == ["Look at it."]


# Cancelling


def cancel(world, run, client="ann"):
    return world.dispatch(client, "automationRun/cancelRequested", channel=run)


def test_cancelling_stops_the_turns_and_the_run_settles_as_they_end():
    world = World()
    world.create()
    run, session = started(world)
    world.subscribe("gus", run)

    number = cancel(world, run)
    stopped = list(world.host.cancelled)
    world.host.end_turn(session.uri, "cancelled")

    told = world.heard("gus")
    assert stopped == [(run, session.uri)]
    assert told[0]["origin"] == {"clientId": "ann", "clientSeq": number}
    assert [each["action"] for each in told] == [
        {"type": "automationRun/cancelRequested"},
        {"type": "automationRun/lifecycleChanged", "lifecycle": lifecycle("cancelled", 0, 0, 0)},
    ]


def test_a_cancelled_run_may_still_end_well():
    world = World()
    world.create()
    run, session = started(world)
    cancel(world, run)

    world.host.end_turn(session.uri)

    assert run_of(world, 1)["lifecycle"]["status"] == "completed"


def test_a_run_without_a_session_settles_at_once_and_wants_none_any_more():
    world = World()
    world.create()
    run = world.press()
    world.later(2)

    cancel(world, run)
    opened = world.host.open_sessions()

    assert run_of(world, 1) == summary(1, lifecycle("cancelled", 0, 0, 2))
    assert opened == []


def test_a_session_that_comes_too_late_still_never_wakes_its_automation():
    world = World()
    world.create()
    run = world.press()
    cancel(world, run)
    world.host.open_sessions()

    world.host.happen("ahp-session:/1", "toolFailed")

    assert len(world.entries()["a"]["runs"]) == 1


@pytest.mark.parametrize("settle", [True, False])
def test_a_run_that_is_over_or_runs_no_turn_is_not_cancelled(settle):
    world = World()
    world.create()
    run = world.press()
    if settle:
        (session,) = world.host.open_sessions()
        world.host.end_turn(session.uri)
        reason = f"Automation run is already terminal: {run}"
    else:
        world.catalogue.session_linked(run, "s", default_chat="c", at=world.host.at)
        reason = f"Automation run cancellation was not accepted: {run}"
    world.subscribe("gus", run)

    cancel(world, run)

    assert world.reasons("ann") == [reason]
    assert world.heard("gus") == []


def test_a_run_that_is_not_there_is_not_cancelled():
    world = World()

    cancel(world, run_uri(9))

    assert world.reasons("ann") == ["Automation run not found: ahp-automation-run:/9"]


def test_without_the_capability_no_run_is_cancelled():
    world = World(capabilities=Capabilities(create={}))
    world.create()

    cancel(world, world.press())

    assert world.reasons("ann") == ["Automation run cancellation is not available."]


# Removing, switching off, going away


def test_removing_while_a_run_is_going_lets_it_go_on_and_drops_what_waits():
    world = World()
    world.create()
    run, session = started(world)
    world.fail_a_tool()
    world.subscribe("gus", run)

    world.dispatch("ann", "automation/removed", resource=A)
    world.host.end_turn(session.uri)

    assert [action["lifecycle"]["status"] for action in actions(world)] == ["completed"]
    assert world.host.asked == []


def test_a_new_automation_of_an_old_name_has_an_empty_history():
    world = World()
    world.create()
    _run, session = started(world)
    world.host.end_turn(session.uri)
    world.dispatch("ann", "automation/removed", resource=A)

    world.create()

    assert world.entries()["a"]["runs"] == []


def test_reaching_its_allowance_switches_an_automation_off_for_all_to_see():
    world = World()
    world.create(disableConditions=[{"kind": "afterRuns", "max": 1}])
    world.subscribe("gus")

    world.later(5)
    world.fail_a_tool()

    last = actions(world)[-1]["automation"]
    assert (last["definition"]["enabled"], last["runCount"], last["modifiedAt"]) == (
        False,
        1,
        at(5),
    )
    assert len(world.host.asked) == 1


def test_a_date_that_passes_switches_an_automation_off_for_all_to_see():
    world = World()
    world.create(disableConditions=[{"kind": "afterDate", "date": at(10)}])
    world.subscribe("gus")

    world.later(9)
    before = actions(world)
    world.later(1)

    assert before == []
    assert [each["automation"]["definition"]["enabled"] for each in actions(world)] == [False]


def test_switching_on_again_begins_a_new_allowance():
    world = World()
    world.create(disableConditions=[{"kind": "afterRuns", "max": 1}])
    world.fail_a_tool()

    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"enabled": True})

    shown = world.entries()["a"]
    assert (shown["definition"]["enabled"], shown["runCount"]) == (True, 0)


def test_runs_that_do_not_live_any_more_have_failed_when_the_host_is_back():
    world = World()
    world.create()
    world.create("b")
    first, session = started(world)
    second = world.press("b", request="r2")
    world.host.open_sessions()
    world.fail_a_tool()

    world.host.at += 60 * SECOND
    world.catalogue.feed(Resumed(at=world.host.at, live=(second,)))

    assert run_of(world, 1) == summary(
        1,
        lifecycle(
            "failed",
            0,
            0,
            60,
            error=told_error(
                "automationExecution", "The run was interrupted: its host was not running."
            ),
        ),
        sessions=[session.uri],
    )
    assert run_of(world, 2, "b")["lifecycle"]["status"] == "running"
    assert run_of(world, 3)["lifecycle"] == lifecycle("running", 60, 60)
    assert first == run_uri(1)


def test_a_host_that_opens_sessions_at_once_sees_the_same_runs():
    quick, slow = World(at_once=True), World()
    for world in (quick, slow):
        world.create(_meta={"ahpd": {"overlap": "parallel"}})
        world.fail_a_tool()
        world.fail_a_tool()
        world.host.open_sessions()

    assert [each["lifecycle"] for each in quick.entries()["a"]["runs"]] == [
        each["lifecycle"] for each in slow.entries()["a"]["runs"]
    ]
    assert [each["sessionCount"] for each in quick.entries()["a"]["runs"]] == [1, 1]


def test_runs_have_names_of_their_own_where_the_host_gives_none():
    host = InMemoryHost()
    host.catalogue = Catalogue(host, at=START)
    for name in ("a", "b"):
        resource = f"ahp-automation:/{name}"
        host.catalogue.save_definition(
            resource,
            {"title": "T", "message": {"text": "x"}, "triggers": entry()["definition"]["triggers"]},
            at=START,
        )
    session = host.new_session()
    for _ in range(2):
        host.happen(session.uri, "toolFailed")
        for opened in host.open_sessions():
            host.end_turn(opened.uri)

    made = [each.origin["run"] for each in host.sessions.values() if each.origin]
    assert len(set(made)) == 4
    assert all(run.startswith("ahp-automation-run:/") for run in made)


# Corners


def test_of_parallel_runs_each_ends_by_itself():
    world = World()
    world.create(_meta={"ahpd": {"overlap": "parallel"}})
    world.fail_a_tool()
    world.fail_a_tool()
    first, _second = world.host.open_sessions()

    world.host.end_turn(first.uri)

    assert [each["lifecycle"]["status"] for each in world.entries()["a"]["runs"]] == [
        "running",
        "completed",
    ]


def test_a_run_that_is_stopped_before_its_session_was_asked_for_never_has_one():
    world = World()
    world.create("a", message={"text": "one"})
    world.create("b", message={"text": "two"})
    start = world.host.start
    asked = []

    def stopping(what):
        asked.append(what.run)
        start(what)
        world.dispatch("ann", "automationRun/cancelRequested", channel=run_uri(2))

    world.host.start = stopping
    world.fail_a_tool()

    assert asked == [run_uri(1)]
    assert run_of(world, 2, "b")["lifecycle"]["status"] == "cancelled"


def test_a_wake_that_waited_says_where_it_comes_from_also_when_its_trigger_is_gone():
    world = World()
    world.create()
    _run, session = started(world)
    world.fail_a_tool()
    changes = {"triggers": []}
    world.dispatch("ann", "automation/updateRequested", resource=A, changes=changes)

    world.host.end_turn(session.uri)

    assert run_of(world, 2)["origin"] == {
        "kind": "trigger",
        "triggerId": "t1",
        "event": {"id": "toolFailed", "count": 1},
    }


def test_a_request_id_of_a_run_that_went_with_its_automation_is_not_used_again():
    world = World()
    world.create()
    world.create("b")
    _run, session = started(world)
    world.host.end_turn(session.uri)
    world.dispatch("ann", "automation/removed", resource=A)
    world.create()

    def ask(name):
        return world.ask(
            "ann",
            "runAutomation",
            channel="ahp-automations://",
            automation=f"ahp-automation:/{name}",
            requestId="r1",
        )["error"]["message"]

    assert ask("a") == "Automation run requestId refers to a missing run: r1"
    assert ask("b") == "Automation run requestId is already used for another automation: r1"


def test_without_filled_messages_a_run_is_told_what_its_author_wrote():
    world = World(settings=Settings(messages=False))
    world.create(message={"text": "{{event}}!"})

    world.press()

    assert world.host.asked[0].message["text"] == "{{event}}!"


def test_a_host_that_cannot_stop_a_turn_lets_the_run_go_on():
    world = World()
    world.create()
    run, _session = started(world)

    def cannot(_run, _session):
        raise OSError("no")

    world.host.cancel = cannot
    cancel(world, run)

    assert world.reasons("ann") == []
    assert run_of(world, 1)["lifecycle"]["status"] == "running"


def test_somebodys_own_turn_in_a_session_of_the_run_keeps_it_not_open():
    world = World()
    world.create()
    run, session = started(world)
    other = world.host.new_session(owner="user:ann")
    world.catalogue.turn_started(other.uri, other.chat, at=world.host.at)
    world.catalogue.session_linked(run, other.uri, default_chat=other.chat, at=world.host.at)

    world.host.end_turn(session.uri)

    assert run_of(world, 1)["lifecycle"]["status"] == "completed"


def test_a_run_that_outlives_its_automation_is_forgotten_when_it_is_over():
    world = World()
    world.create()
    run, session = started(world)
    world.dispatch("ann", "automation/removed", resource=A)
    world.create()
    world.dispatch("ann", "automation/removed", resource=A)
    world.host.end_turn(session.uri)

    answer = world.ask("ann", "subscribe", channel=run)

    assert answer["error"]["message"] == f"Automation run not found: {run}"
