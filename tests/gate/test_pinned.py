"""Automations that keep one chat (semantics 9.4, 9.9, 9.11, 9.12)."""

import pytest

from gate.gate_world import World, automation, words
from wakeful.errors import InvalidError


def pinned(**changes) -> World:
    """Pinned to ``chat``, with nothing going."""
    return World(automation(pinned=True, **{"pinned_session": "chat", **changes}))


def test_a_turn_in_the_chat_is_going_whoever_started_it():
    world = pinned()
    world.turn("chat")

    assert words(world.match()) == ["hold 1"]


def test_a_quiet_chat_is_not_going():
    assert words(pinned().match()) == ["start 1"]


def test_a_waiting_wake_is_released_when_the_turn_in_the_chat_ends():
    world = pinned()
    world.turn("chat")
    world.match()

    assert words(world.turn_over("chat")) == ["release 1"]


def test_a_wake_waits_for_the_run_and_for_the_turn():
    world = pinned()
    world.match()
    world.started("r1", "chat")
    world.turn("chat")
    world.match()

    assert world.settled("r1") == []
    assert words(world.turn_over("chat")) == ["release 1"]


def test_a_turn_that_ends_while_a_run_is_going_releases_nothing():
    world = pinned()
    world.match()
    world.started("r1", "chat")
    world.turn("chat")
    world.match()

    assert world.turn_over("chat") == []


def test_the_chat_is_the_session_last_linked_before_the_one_that_was_noted():
    world = pinned()
    world.match()
    world.started("r1", "newer")
    world.settled("r1")
    world.turn("chat")
    started = words(world.match())
    world.settled("r1")

    assert started == ["start 1"]
    assert set(world.gate.chats) == {"newer"}


def test_a_link_to_a_quiet_chat_releases_what_waited_for_the_old_one():
    world = World(automation(pinned=True, pinned_session="chat"), run_time="none")
    world.turn("chat")
    world.match()

    assert words(world.started("by-hand", "newer")) == ["release 1"]


def test_the_chat_never_wakes_its_automation():
    world = pinned()

    assert words(world.match(session="chat")) == ["drop ownRun 1"]


def test_fault_27_a_chat_that_was_linked_never_wakes_its_automation_either():
    world = pinned(pinned_session=None)
    world.match()
    world.started("r1", "chat")
    world.settled("r1")

    assert words(world.match(session="chat")) == ["drop ownRun 1"]


def test_two_automations_in_one_chat_are_both_released_in_definition_order():
    world = World(
        automation("a", pinned=True, pinned_session="chat"),
        automation("b", pinned=True, pinned_session="chat"),
    )
    world.turn("chat")
    world.matches("b", "a")

    released = world.turn_over("chat")

    assert [each.automation[-1] for each in released] == ["a", "b"]
    assert released == sorted(released, key=lambda each: each.key)


def test_steer_goes_into_the_chat_where_somebodys_own_turn_runs():
    world = pinned(overlap="steer")
    world.turn("chat")

    (steer,) = world.match()

    assert (str(steer.kind), steer.into, steer.run) == ("steer", "chat", None)


def test_steer_names_the_run_where_there_is_one():
    world = pinned(overlap="steer")
    world.match()
    world.started("r1", "chat")
    world.turn("chat")

    (steer,) = world.match()

    assert (steer.into, steer.run) == ("chat", "r1")


def test_steer_into_a_run_whose_chat_is_quiet_waits():
    world = pinned(overlap="steer")
    world.match()
    world.started("r1", "chat")

    assert words(world.match()) == ["hold 1"]


def test_a_press_while_somebodys_own_turn_runs_fails():
    world = pinned()
    world.turn("chat")

    (answer,) = world.press("p1")

    assert (str(answer.kind), str(answer.reason)) == ("answer", "chatBusy")
    assert answer.run is not None


def test_the_failed_run_of_a_press_is_given_again_for_its_request():
    world = pinned()
    world.turn("chat")
    (first,) = world.press("p1")
    world.turn_over("chat")

    (again,) = world.press("p1")

    assert (again.run, again.reason) == (first.run, first.reason)


def test_the_failed_run_of_a_press_is_not_going_and_claimed_by_nobody():
    world = pinned()
    world.turn("chat")
    (failed,) = world.press("p1")
    world.turn_over("chat")
    (start,) = world.match()
    world.started("r1", "chat")

    (answer,) = world.press("p2")

    assert (str(start.kind), answer.run) == ("start", "r1")
    assert failed.run != "r1"


def test_the_failed_run_of_a_press_is_kept_like_any_that_is_over():
    world = World(automation(pinned=True, pinned_session="chat"), runs_kept=0)
    world.turn("chat")
    world.press("p1")

    statistics = world.gate.statistics()

    assert (statistics.runs_kept, statistics.request_ids) == (0, 0)


def test_a_press_while_a_pinned_run_is_going_is_answered_with_it():
    world = pinned()
    world.match()
    world.started("r1", "chat")
    world.turn("chat")

    (answer,) = world.press("p1")

    assert (answer.run, answer.reason) == ("r1", None)


def test_pinned_with_parallel_is_refused_when_saved_and_leaves_no_trace():
    world = pinned()

    with pytest.raises(InvalidError) as refused:
        world.save(automation(pinned=True, overlap="parallel"))

    assert [problem.path for problem in refused.value.problems] == ["overlap"]
    world.turn("chat")
    assert words(world.match()) == ["hold 1"]


def test_unpinning_releases_what_waited_for_the_chat():
    world = pinned()
    world.turn("chat")
    world.match()

    assert words(world.save(automation())) == ["release 1"]
    assert dict(world.gate.chats) == {}


def test_an_automation_that_is_not_pinned_keeps_to_no_chat():
    world = World()
    world.match()
    world.started("r1", "work")

    assert dict(world.gate.chats) == {}


def test_a_removed_automation_keeps_to_no_chat():
    world = pinned()
    world.remove()

    assert dict(world.gate.chats) == {}
