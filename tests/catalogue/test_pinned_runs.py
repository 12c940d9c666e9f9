"""Pinned automations: one chat that each run adds a turn to (the seed's "One chat")."""

from catalogue.catalogue_world import World, at, entry, lifecycle, normal, run_uri, summary

A = "ahp-automation:/a"
PINNED = {"ahpd": {"session": "pinned"}}


def reason_of(world, number=1):
    return next(
        each["lifecycle"]["error"]["message"]
        for each in world.entries()["a"]["runs"]
        if each["resource"] == run_uri(number)
    )


def pinned(**meta):
    world = World()
    world.create(_meta={"ahpd": {"session": "pinned", **meta}})
    return world


def run_once(world, request="r1"):
    world.press(request=request)
    (session,) = world.host.open_sessions()
    world.host.end_turn(session.uri)
    return session


def test_the_session_of_the_first_run_is_kept_and_noted():
    world = pinned()

    session = run_once(world)

    notes = {"session": "pinned", "pinnedSession": session.uri}
    assert world.entries()["a"] == entry(
        written=normal(notes=notes),
        runs=[summary(1, lifecycle("completed", 0, 0, 0), sessions=[session.uri])],
    )


def test_the_next_run_is_the_next_turn_of_that_chat():
    world = pinned()
    first = run_once(world)

    second = run_once(world, "r2")

    assert second is first
    assert first.messages == ["Look at it.", "Look at it."]


def test_a_kept_session_that_is_gone_is_replaced_by_a_new_one():
    world = pinned()
    first = run_once(world)
    world.host.remove_session(first.uri)

    second = run_once(world, "r2")

    assert second.uri != first.uri
    assert world.entries()["a"]["definition"]["_meta"]["ahpd"]["pinnedSession"] == second.uri


def test_keeping_a_session_is_no_change_of_the_definition():
    world = pinned()
    world.later(5)

    run_once(world)

    assert world.entries()["a"]["modifiedAt"] == at(0)


def test_the_same_create_is_still_the_same_when_a_session_is_kept():
    world = pinned()
    run_once(world)

    world.create(_meta=PINNED)

    assert len(world.entries()) == 1


def test_an_event_while_somebodys_own_turn_runs_there_waits_for_it():
    world = pinned()
    session = run_once(world)
    world.host.begin_turn(session.uri)

    world.fail_a_tool()
    waiting = list(world.host.asked)
    world.host.end_turn(session.uri)

    assert waiting == []
    assert [(start.run, start.session) for start in world.host.asked] == [(run_uri(2), session.uri)]


def test_a_steer_goes_into_somebodys_own_turn():
    world = pinned(overlap="steer")
    session = run_once(world)
    world.host.begin_turn(session.uri)

    world.fail_a_tool()

    (steer,) = world.host.steered
    assert (steer.run, steer.session) == (None, session.uri)


def test_a_steer_into_somebodys_own_turn_that_fails_is_lost_and_breaks_nothing():
    world = pinned(overlap="steer")
    session = run_once(world)
    world.host.begin_turn(session.uri)
    session.running = False

    world.fail_a_tool()

    assert world.host.steered == []
    assert len(world.entries()["a"]["runs"]) == 1


def test_a_press_while_somebodys_own_turn_runs_there_is_a_run_that_failed():
    world = pinned()
    session = run_once(world)
    world.host.begin_turn(session.uri)
    world.later(5)

    run = world.press(request="r2")

    assert run == run_uri(2)
    assert world.press(request="r2") == run
    assert world.entries()["a"]["runs"][0] == summary(
        2,
        lifecycle(
            "failed",
            5,
            None,
            5,
            error={
                "errorType": "automationExecution",
                "message": "The chat of this automation is running somebody's own turn.",
            },
        ),
    )


def test_the_end_of_somebodys_own_turn_does_not_settle_the_run_that_follows_it():
    world = pinned()
    session = run_once(world)
    run = world.press(request="r2")
    world.catalogue.turn_started(session.uri, session.chat, at=world.host.at)
    world.catalogue.session_linked(run, session.uri, default_chat=session.chat, at=world.host.at)

    world.catalogue.turn_ended(session.uri, session.chat, "completed", at=world.host.at)
    before = world.entries()["a"]["runs"][0]["lifecycle"]["status"]
    world.host.begin_turn(session.uri)
    world.host.end_turn(session.uri)

    assert before == "running"
    assert world.entries()["a"]["runs"][0]["lifecycle"]["status"] == "completed"


def test_somebodys_own_turn_is_not_stopped_with_the_run():
    world = pinned()
    session = run_once(world)
    run = world.press(request="r2")
    world.catalogue.turn_started(session.uri, session.chat, at=world.host.at)
    world.catalogue.session_linked(run, session.uri, default_chat=session.chat, at=world.host.at)

    world.dispatch("ann", "automationRun/cancelRequested", channel=run)

    assert world.reasons("ann") == [f"Automation run cancellation was not accepted: {run}"]
    assert world.host.cancelled == []


def test_a_run_into_a_chat_of_somebody_else_is_refused():
    world = pinned()
    session = run_once(world)
    session.owner = "user:bob"

    world.press(request="r2")

    assert reason_of(world, 2) == (
        "The chat that this automation is pinned to belongs to somebody else."
    )
    assert world.host.asked == []


def test_a_run_into_a_chat_of_nobody_is_not():
    world = pinned()
    session = run_once(world)
    session.owner = None

    assert run_once(world, "r2") is session


def test_an_owner_who_may_not_see_sessions_gets_no_run_in_the_chat():
    world = pinned()
    run_once(world)
    world.grant("user:ann", "automation:read", "automation:write")

    world.press(request="r2")

    assert reason_of(world, 2) == "The automation's owner user:ann needs session:read."
