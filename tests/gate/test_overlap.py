"""What a wake does while a run is going (semantics 9.3 to 9.9)."""

import pytest

from gate.gate_world import World, automation, words


def test_a_wake_starts_where_nothing_is_going():
    world = World()

    assert words(world.match()) == ["start 1"]


def test_a_start_names_its_run_and_where_it_came_from():
    world = World()

    (start,) = world.match(count=3, session="s1")

    assert (start.automation, start.trigger, start.session, start.event, start.count) == (
        "ahp-automation:/a",
        "t",
        "s1",
        "toolFailed",
        3,
    )
    assert start.run is not None


def test_the_first_decision_stands_in_the_place_of_its_match():
    world = World()

    (start,) = world.match()

    assert start.key == world.key(0, 0, 0)


def test_a_settled_run_makes_way_for_the_next():
    world = World()
    world.match()
    world.started("r1")
    world.settled("r1")

    assert words(world.match()) == ["start 1"]


# queue


def test_queue_holds_the_second_wake_and_folds_the_others():
    world = World()

    decisions = [words(world.match()) for _ in range(4)]

    assert decisions == [["start 1"], ["hold 1"], ["fold 1"], ["fold 1"]]


def test_fault_20_ten_matches_a_millisecond_apart_are_one_start_one_hold_and_eight_folds():
    world = World()
    first = []
    for world.now in range(10):
        first += words(world.match(count=2))
    world.started("r1")
    released = words(world.settled("r1"))

    assert first == ["start 2", "hold 2", *["fold 2"] * 8]
    assert released == ["release 18"]


def test_overlap_left_out_is_queue():
    world = World()
    world.match()

    assert words(world.match()) == ["hold 1"]


def test_a_release_tells_the_newest_event():
    world = World()
    world.match()
    world.now = 10
    world.match(session="old", title="Old")
    world.now = 20
    world.match(session="new", title="New")
    world.now = 99
    world.started("r1")

    (released,) = world.settled("r1")

    assert released.session == "new"
    assert "Session: New (new)\nCount: 2\nAt: 1970-01-01T00:00:00.020Z" in released.message


def test_a_release_happens_once():
    world = World()
    world.match()
    world.match()
    world.started("r1")
    world.settled("r1")

    assert world.settled("r1") == []


def test_a_release_comes_after_all_matches_of_its_input():
    world = World()
    world.match()
    world.match()
    world.started("r1")

    (released,) = world.settled("r1")

    assert released.key > world.key(2**30, 9, 9)


def test_a_released_wake_is_a_run_that_others_wait_behind():
    world = World()
    world.match()
    world.match()
    world.started("r1")
    world.settled("r1")

    assert words(world.match()) == ["hold 1"]


def test_fault_21_a_wake_behind_a_run_that_could_not_start_is_released():
    world = World()
    world.match()
    world.match()
    world.started("r1")

    assert words(world.settled("r1", "notStarted")) == ["release 1"]


def test_a_start_that_no_record_named_and_that_could_not_start_is_settled_by_its_end():
    world = World()
    world.match()
    world.match()

    assert words(world.settled("never-told", "notStarted")) == ["release 1"]


@pytest.mark.parametrize("outcome", ["completed", "failed", "cancelled"])
def test_a_wake_is_released_however_the_run_ended(outcome):
    world = World()
    world.match()
    world.match()
    world.started("r1")

    assert words(world.settled("r1", outcome)) == ["release 1"]


def test_behind_a_run_that_never_settles_one_wake_waits_and_is_reported():
    world = World()
    world.match()
    for world.now in range(1, 100):
        world.match()

    (waiting,) = world.gate.waiting()

    assert (waiting.automation, waiting.trigger, waiting.count, waiting.since) == (
        "ahp-automation:/a",
        "t",
        99,
        1,
    )


# skip


def test_skip_drops_what_comes_while_a_run_is_going():
    world = World(automation(overlap="skip"))
    world.match()

    assert words(world.match(count=4)) == ["drop skipped 4"]


def test_a_skipped_event_is_noted_on_the_newest_run_that_is_going():
    world = World(automation(overlap="skip"))
    (start,) = world.match()
    world.started("elsewhere-1", name="a")

    (dropped,) = world.match()

    assert start.run != "elsewhere-1"
    assert dropped.run == "elsewhere-1"


def test_a_skipped_event_is_noted_nowhere_where_only_somebodys_own_turn_is_going():
    world = World(automation(overlap="skip", pinned=True, pinned_session="chat"))
    world.turn("chat")

    (dropped,) = world.match()

    assert words([dropped]) == ["drop skipped 1"]
    assert dropped.run is None


def test_fault_19_two_triggers_satisfied_by_one_event_under_skip_are_one_start_and_one_skipped():
    world = World(automation(overlap="skip"))

    assert words(world.matches("a", "a")) == ["start 1", "drop skipped 1"]


# parallel


def test_parallel_starts_a_run_for_every_wake():
    world = World(automation(overlap="parallel"))

    assert words([*world.match(), *world.match(), *world.match()]) == ["start 1"] * 3


def test_parallel_runs_have_names_of_their_own():
    world = World(automation(overlap="parallel"))

    runs = {world.match()[0].run for _ in range(3)}

    assert len(runs) == 3


# steer


def steering(**changes) -> World:
    """A run ``r1`` going, a turn running in its session ``work``."""
    world = World(automation(overlap="steer", **changes))
    world.match()
    world.started("r1", "work")
    world.turn("work")
    return world


def test_steer_goes_into_the_running_turn_with_the_filled_message():
    world = steering(text="{{event}} {{count}}")

    (steer,) = world.match(count=2, session="s9")

    assert words([steer]) == ["steer 2"]
    assert (steer.run, steer.into, steer.session) == ("r1", "work", "s9")
    assert steer.message.startswith("A tool call failed 2\n\nWhat woke this run: ")


def test_steer_without_a_running_turn_waits():
    world = steering()
    world.turn_over("work")

    assert words([*world.match(), *world.match()]) == ["hold 1", "fold 1"]


def test_steer_with_nothing_going_starts():
    world = World(automation(overlap="steer"))
    world.turn("s")

    assert words(world.match()) == ["start 1"]


def test_steer_goes_into_the_newest_run_that_has_a_turn_running():
    world = steering()
    world.started("r2", "other")
    world.turn("other")
    world.started("r3", "quiet")

    (steer,) = world.match()

    assert (steer.run, steer.into) == ("r2", "other")


def test_steer_goes_into_the_session_of_the_run_that_was_linked_last():
    world = steering()
    world.linked("r1", "second")
    world.turn("second")

    (steer,) = world.match()

    assert steer.into == "second"


def test_linking_a_session_again_makes_it_the_last():
    world = steering()
    world.linked("r1", "second")
    world.turn("second")
    world.linked("r1", "work")

    (steer,) = world.match()

    assert steer.into == "work"


def test_steer_does_not_go_into_a_run_that_has_settled():
    world = steering()
    world.settled("r1")

    assert words(world.match()) == ["start 1"]


def test_a_wake_that_waits_under_steer_does_not_keep_the_next_from_being_steered():
    world = steering()
    world.turn_over("work")
    world.match()
    world.turn("work")

    assert words(world.match()) == ["steer 1"]


def test_a_steer_that_was_not_delivered_waits():
    world = steering()
    world.match(count=3)

    assert words(world.steer_failed("r1")) == ["hold notDelivered 3"]


def test_a_steer_that_was_not_delivered_folds_into_what_waits():
    world = steering()
    world.match(count=3)
    world.turn_over("work")
    world.match()

    failed = words(world.steer_failed("r1"))
    released = words(world.settled("r1"))

    assert failed == ["fold notDelivered 3"]
    assert released == ["release 4"]


def test_the_newest_event_is_told_also_where_an_older_one_folds_later():
    world = steering()
    world.now = 10
    world.match(session="older")
    world.turn_over("work")
    world.now = 20
    world.match(session="newer")
    world.steer_failed("r1")

    (released,) = world.settled("r1")

    assert released.session == "newer"


def test_a_steer_not_delivered_with_nothing_going_any_more_is_held_and_released_at_once():
    world = steering()
    world.match(count=3)
    world.settled("r1")

    assert words(world.steer_failed("r1")) == ["hold notDelivered 3", "release 3"]


def test_a_hold_and_release_of_one_step_stand_in_different_places():
    world = steering()
    world.match()
    world.settled("r1")

    held, released = world.steer_failed("r1")

    assert held.key < released.key


def test_a_steer_is_told_as_failed_oldest_first_and_once():
    world = steering()
    world.match(count=3)
    world.match(count=5)

    assert words([d for _ in range(3) for d in world.steer_failed("r1")]) == [
        "hold notDelivered 3",
        "fold notDelivered 5",
    ]


def test_a_steer_not_delivered_does_not_pay_again():
    world = World(automation(overlap="steer"), cap=2)
    world.match()
    world.started("r1", "work")
    world.turn("work")
    world.match()

    assert words(world.match()) == ["drop rateLimited 1"]
    assert words(world.steer_failed("r1")) == ["hold notDelivered 1"]


def test_a_steer_not_delivered_of_an_automation_switched_off_is_dropped():
    world = steering()
    world.match(count=3)
    world.save(automation(overlap="steer", enabled=False))

    assert words(world.steer_failed("r1")) == ["hold notDelivered 3", "drop disabled 3"]


def test_a_failed_steer_that_nobody_knows_is_counted_and_does_nothing():
    world = steering()

    assert world.steer_failed("r1") == []
    assert world.steer_failed("nobody") == []
    assert world.gate.statistics().unknown_records == 2


# own runs


def test_fault_27_a_session_of_a_run_never_wakes_its_automation():
    world = World()
    world.match()
    world.started("r1", "work")

    assert words(world.match(session="work")) == ["drop ownRun 1"]


def test_an_own_session_is_one_also_after_the_run_settled():
    world = World()
    world.match()
    world.started("r1", "work")
    world.settled("r1")

    assert words(world.match(session="work")) == ["drop ownRun 1"]


def test_every_session_of_a_run_is_its_own():
    world = World()
    world.match()
    world.started("r1", "work")
    world.linked("r1", "more")

    assert words(world.match(session="more")) == ["drop ownRun 1"]


def test_the_run_of_another_automation_is_an_ordinary_session():
    world = World(automation("a"), automation("b"))
    world.match("a")
    world.started("r1", "work", name="a")

    assert words(world.match("b", session="work")) == ["start 1"]


def test_a_plugin_event_without_a_session_is_nobodys_own_run():
    world = World()
    world.match()
    world.started("r1", "work")
    world.settled("r1")

    assert words(world.match(session=None, event="deployed", data={})) == ["start 1"]


def test_an_own_run_is_dropped_before_the_overlap_is_asked():
    world = World(automation(overlap="skip"))
    world.match()
    world.started("r1", "work")

    assert words(world.match(session="work")) == ["drop ownRun 1"]
