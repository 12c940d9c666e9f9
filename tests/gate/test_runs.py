"""Runs as records: claims, links, ends, and runs that settle by themselves."""

import pytest

from gate.gate_world import World, automation, words


def parallel(**settings) -> World:
    return World(automation(overlap="parallel"), **settings)


def test_a_record_claims_the_oldest_start_that_no_other_has_claimed():
    world = parallel()
    first, second = world.match() + world.match()
    world.started("r1")
    world.started("r2")
    world.settled("r1")

    assert first.run != second.run
    assert world.gate.statistics().runs_going == 1
    assert [each.run for each in world.press("p")] == ["r2"]


def test_until_it_is_claimed_a_run_goes_by_the_engines_name():
    world = World()
    (start,) = world.match()

    (answer,) = world.press("p")

    assert answer.run == start.run


def test_a_claim_gives_the_run_its_name():
    world = World()
    world.match()
    world.started("r1")

    (answer,) = world.press("p")

    assert answer.run == "r1"


def test_a_claim_links_its_session_also_where_the_run_has_settled():
    world = World(run_time="none")
    world.match()
    world.started("r1", "work")

    assert words(world.match(session="work")) == ["drop ownRun 1"]


def test_a_release_can_be_claimed():
    world = World()
    world.match()
    world.match()
    world.started("r1")
    world.settled("r1")
    world.started("r2", "work")

    (answer,) = world.press("p")

    assert answer.run == "r2"


def test_the_start_of_a_press_can_be_claimed():
    world = World()
    world.press("p")
    world.started("r1")

    (answer,) = world.press("p")

    assert answer.run == "r1"


def test_a_start_record_that_finds_no_start_is_a_run_that_was_started_elsewhere():
    world = World()
    world.started("by-hand", "work")

    assert words(world.match()) == ["hold 1"]
    assert words(world.settled("by-hand")) == ["release 1"]


def test_a_second_start_record_of_a_known_run_links_its_session():
    world = parallel()
    world.match()
    world.match()
    world.started("r1")
    world.started("r1", "work")

    assert words(world.match(session="work")) == ["drop ownRun 1"]
    assert world.gate.statistics().runs_going == 2


def test_a_record_may_name_a_run_by_the_engines_own_name():
    world = World()
    (start,) = world.match()
    world.match()

    assert words(world.settled(start.run)) == ["release 1"]


def test_a_start_that_was_named_by_the_engines_own_name_is_claimed():
    world = parallel()
    first, second = world.match() + world.match()
    world.settled(first.run)
    world.started("r2")

    (answer,) = world.press("p")

    assert answer.run == "r2"
    assert second.run != "r2"


@pytest.mark.parametrize("outcome", ["completed", "failed", "cancelled"])
def test_the_end_of_an_unknown_run_is_counted_and_does_nothing(outcome):
    world = World()
    world.match()
    world.match()

    assert world.settled("nobody", outcome) == []
    assert world.gate.statistics().unknown_records == 1


def test_a_link_of_an_unknown_run_is_counted_and_does_nothing():
    world = World()
    world.linked("nobody", "s")

    assert words(world.match()) == ["start 1"]
    assert world.gate.statistics().unknown_records == 1


def test_a_run_that_could_not_start_and_finds_no_start_is_counted():
    world = World()

    assert world.settled("nobody", "notStarted") == []
    assert world.gate.statistics().unknown_records == 1


def test_records_of_an_automation_that_nobody_saved_are_counted():
    world = World()
    for record in (world.started, world.settled, world.steer_failed):
        record("r1", name="stranger")
    world.linked("r1", "s", name="stranger")

    assert world.gate.statistics().unknown_records == 4


def test_a_run_that_settles_twice_has_settled_once():
    world = parallel()
    world.match()
    world.match()
    world.started("r1")
    world.settled("r1")
    world.settled("r1", "failed")

    assert world.gate.statistics().runs_going == 1


def test_runs_of_one_name_belong_to_their_automations():
    world = World(automation("a"), automation("b"))
    world.matches("a", "b")
    world.started("r1", name="a")
    world.started("r1", name="b")
    world.settled("r1", name="a")

    assert words(world.match("a")) == ["start 1"]
    assert words(world.match("b")) == ["hold 1"]


def test_the_runs_of_a_removed_automation_can_be_claimed():
    world = World()
    world.match()
    world.remove()
    world.started("r1", "work")
    world.save(automation())

    assert words(world.match(session="work")) == ["drop ownRun 1"]
    assert words(world.match()) == ["hold 1"]


# How long runs last


def test_runs_of_no_length_are_over_before_the_next_match_is_decided():
    world = World(run_time="none")

    assert words(world.matches("a", "a", "a")) == ["start 1"] * 3


def test_a_run_started_elsewhere_has_no_length_either():
    world = World(run_time="none")
    world.started("by-hand")

    assert words(world.match()) == ["start 1"]


def test_a_run_settles_by_itself_after_its_length():
    world = World(run_time=100)
    world.match()
    world.now = 40
    world.match()

    assert world.gate.next_settle == 100
    assert world.settle_due(99) == []
    released = world.settle_due(100)
    assert words(released) == ["release 1"]
    assert released[0].at == 100


def test_a_release_is_stamped_with_the_deadline_that_let_it_go():
    world = World(run_time=100)
    world.match()
    world.match()

    (released,) = world.settle_due(5_000)

    assert (released.at, released.key.at, released.key.rank) == (100, 100, 1)
    assert world.gate.next_settle is None or world.gate.next_settle == 200


def test_a_released_run_settles_in_its_turn():
    world = World(run_time=100)
    world.match()
    world.match()
    world.settle_due(100)

    assert world.gate.next_settle == 200


def test_one_call_does_all_that_is_due():
    world = World(run_time=100)
    world.match()
    world.match()
    world.settle_due(10_000)

    assert world.gate.next_settle is None
    assert world.gate.statistics().runs_going == 0


def test_a_record_may_settle_a_run_before_its_length():
    world = World(run_time=100)
    world.match()
    world.started("r1")
    world.now = 10
    world.settled("r1")

    assert world.gate.next_settle is None


def test_a_run_started_elsewhere_settles_by_itself_too():
    world = World(run_time=100)
    world.now = 7
    world.started("by-hand")

    assert world.gate.next_settle == 107


def test_runs_due_at_one_instant_settle_in_the_order_of_the_inputs_that_started_them():
    world = World(automation("a"), automation("b"), run_time=100)
    world.match("b")
    world.match("a")
    world.match("a")
    world.match("b")

    released = world.settle_due(100)

    assert [each.automation[-1] for each in released] == ["b", "a"]
    assert released == sorted(released, key=lambda each: each.key)


def test_runs_that_one_input_started_settle_in_definition_order():
    world = World(automation("a"), automation("b"), run_time=100)
    world.matches("a", "b")
    world.matches("b", "a")

    released = world.settle_due(100)

    assert [each.automation[-1] for each in released] == ["a", "b"]


def test_a_run_of_no_time_at_all_ends_after_the_input_that_started_it():
    world = World(run_time=0)
    decisions = world.matches("a", "a")
    decisions += world.settle_due(0)

    assert words(decisions) == ["start 1", "hold 1", "release 1"]
    assert decisions == sorted(decisions, key=lambda each: each.key)


def test_what_fell_due_before_a_resumed_is_marked_late():
    world = World(run_time=100)
    world.match()
    world.match()

    assert [each.late for each in world.gate.settle_due(100, late=True)] == [True]


def test_a_wake_of_a_late_match_is_late_and_its_release_is_not():
    world = World()
    world.match(late=True)
    (held,) = world.match(late=True)
    world.started("r1")
    (released,) = world.settled("r1")

    assert (held.late, released.late) == (True, False)


# Resumed


def test_after_resuming_runs_that_do_not_live_settle_and_let_go_what_waits():
    world = World(automation("a"), automation("b"))
    world.matches("a", "b", "a", "b")
    world.started("r1", name="a")
    world.started("r2", name="b")

    decisions = world.interrupted("r1")

    assert [(each.automation[-1], str(each.kind)) for each in decisions] == [("b", "release")]


def test_after_resuming_what_is_released_stands_in_definition_order():
    world = World(automation("a"), automation("b"))
    world.matches("b", "a", "b", "a")

    released = world.interrupted()

    assert [each.automation[-1] for each in released] == ["a", "b"]
    assert released == sorted(released, key=lambda each: each.key)


def test_after_resuming_a_wake_behind_several_interrupted_runs_starts_once():
    world = parallel()
    world.match()
    world.match()
    world.save(automation())
    world.match()

    assert words(world.interrupted()) == ["release 1"]


def test_after_resuming_a_run_lives_under_either_of_its_names():
    world = World()
    (start,) = world.match()
    world.started("r1")
    world.match()

    assert world.interrupted(start.run) == []
    assert world.interrupted("r1") == []


def test_a_host_that_does_not_say_what_lives_interrupts_nothing():
    world = World()
    world.match()
    world.match()

    assert world.gate.interrupted(None, world.key()) == []


# What is kept


def test_settled_runs_are_kept_up_to_a_number_the_newest():
    world = parallel(runs_kept=2)
    for number in range(4):
        world.match()
        world.started(f"r{number}", f"work-{number}")
        world.settled(f"r{number}")

    assert world.gate.statistics().runs_kept == 2


def test_a_forgotten_run_takes_its_request_id_along_and_leaves_its_sessions():
    world = World(runs_kept=1)
    world.press("p1")
    world.started("r1", "work")
    world.settled("r1")
    world.press("p2")
    world.started("r2")
    world.settled("r2")

    assert world.gate.statistics().request_ids == 1
    assert words(world.match(session="work")) == ["drop ownRun 1"]
    assert words(world.press("p1")) == ["start"]


def test_a_run_that_is_not_kept_leaves_no_request_id():
    world = World(run_time="none", runs_kept=0)

    assert words(world.press("p1")) == ["start"]
    assert world.gate.statistics().request_ids == 0
    assert words(world.press("p1")) == ["start"]


def test_a_start_that_nobody_claimed_is_kept_beside_runs_that_are_over():
    world = World(run_time="none", runs_kept=2)
    world.match()
    world.match()
    world.started("r1", "work")
    world.match()

    # One that is over, two that a record may claim.
    assert world.gate.statistics().runs_kept == 3


def test_of_starts_that_nobody_claims_only_so_many_are_kept():
    world = World(run_time="none", runs_kept=2)
    for _ in range(9):
        world.match()

    # Two that a record may claim, and two that are over.
    assert world.gate.statistics().runs_kept == 4


def test_a_removed_automation_that_never_did_anything_is_forgotten():
    world = World(automation("a"), automation("b"))
    world.remove("b")

    assert world.gate.statistics().runs_kept == 0
    assert world.gate.is_on("b") is False
    assert world.started("r1", name="b") == []
    assert world.gate.statistics().unknown_records == 1
