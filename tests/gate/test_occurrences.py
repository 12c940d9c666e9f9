"""A schedule's occurrence on the same road (semantics 9.10, 9.2, 9.8)."""

from gate.gate_world import World, automation, words
from wakeful.core.sight import GrantSight
from wakeful.core.wakes import Occurrence


def test_an_occurrence_starts_and_counts_one():
    world = World()

    (start,) = world.occurrence(scheduled_for=7, catch_up=True, late=True)

    assert words([start]) == ["start 1"]
    assert (start.trigger, start.scheduled_for, start.catch_up, start.late) == (
        "nightly",
        7,
        True,
        True,
    )
    assert (start.session, start.event) == (None, None)


def test_an_occurrence_is_placed_by_automation_and_trigger():
    world = World(automation("a"), automation("b"))

    assert world.occurrence("b")[0].key.order == (1, 1)


def test_a_place_that_was_given_is_kept():
    world = World()

    (start,) = world.occurrence(key=world.key(7, 8))

    assert start.key.order == (7, 8)


def test_fault_22_an_occurrence_waits_under_queue_and_is_released():
    world = World()
    world.occurrence()
    held = words(world.occurrence(scheduled_for=5))
    world.started("r1")
    (released,) = world.settled("r1")

    assert (held, words([released])) == (["hold 1"], ["release 1"])
    assert (released.trigger, released.scheduled_for) == ("nightly", 5)


def test_an_occurrence_under_skip_is_skipped():
    world = World(automation(overlap="skip"))
    world.occurrence()

    assert words(world.occurrence()) == ["drop skipped 1"]


def test_an_occurrence_under_parallel_starts():
    world = World(automation(overlap="parallel"))
    world.occurrence()

    assert words(world.occurrence()) == ["start 1"]


def test_an_occurrence_under_steer_goes_into_the_running_turn_as_text_without_a_block():
    world = World(automation(overlap="steer", text="{{trigger}} at {{at}}{{event}}"))
    world.match()
    world.started("r1", "work")
    world.turn("work")

    (steer,) = world.occurrence()

    assert (str(steer.kind), steer.into) == ("steer", "work")
    assert steer.message == "Every night at 1970-01-01T00:00:00.000Z"


def test_an_occurrence_folding_into_a_waiting_event_adds_its_count_and_no_more():
    world = World()
    world.match()
    world.match(count=2, session="s1")
    world.now = 50
    folded = words(world.occurrence())
    world.started("r1")

    (released,) = world.settled("r1")

    assert (folded, words([released])) == (["fold 1"], ["release 3"])
    assert (released.trigger, released.session, released.scheduled_for) == ("t", "s1", None)
    assert released.message.endswith("Count: 3\nAt: 1970-01-01T00:00:00.000Z")


def test_an_event_folding_into_a_waiting_occurrence_makes_it_an_events_wake():
    world = World()
    world.match()
    world.occurrence()
    world.match(count=2, session="s1")
    world.started("r1")

    (released,) = world.settled("r1")

    assert words([released]) == ["release 3"]
    assert (released.trigger, released.session, released.scheduled_for) == ("t", "s1", None)
    assert "What woke this run: A tool call failed" in released.message


def test_of_two_occurrences_the_newest_is_told():
    world = World()
    world.match()
    world.occurrence(scheduled_for=1)
    world.occurrence(scheduled_for=2)
    world.started("r1")

    (released,) = world.settled("r1")

    assert (words([released]), released.scheduled_for) == (["release 2"], 2)


def test_a_fold_into_a_waiting_occurrence_takes_no_place_under_the_cap():
    world = World(cap=1)
    world.occurrence()
    world.occurrence()
    world.match()
    world.started("r1")
    world.settled("r1")
    world.started("r2")
    world.settled("r2")

    assert words(world.match()) == ["start 1"]


def test_an_occurrence_that_was_steered_and_not_delivered_waits():
    world = World(automation(overlap="steer"))
    world.match()
    world.started("r1", "work")
    world.turn("work")
    world.occurrence(scheduled_for=9)

    (held,) = world.steer_failed("r1")

    assert (words([held]), held.scheduled_for) == (["hold notDelivered 1"], 9)


def test_an_occurrence_that_is_reached_as_the_automation_went_off_is_dropped():
    world = World(automation(enabled=False))

    assert words(world.occurrence()) == ["drop disabled 1"]


def test_an_occurrence_of_a_user_the_host_has_not_met_is_dropped():
    sight = GrantSight()
    world = World(automation(owner="user:ann"), sight=sight)
    before = words(world.occurrence())
    sight.change("user:ann", [])

    assert (before, words(world.occurrence())) == (["drop ownerUnknown 1"], ["start 1"])


def test_owners_that_are_no_users_need_not_be_met():
    world = World(automation(owner="project:api"), sight=GrantSight())

    assert words(world.occurrence()) == ["start 1"]


def test_an_unknown_owner_is_asked_for_before_the_overlap():
    sight = GrantSight()
    world = World(automation(owner="user:ann", overlap="skip"), sight=sight)
    world.match()

    assert words(world.occurrence()) == ["drop ownerUnknown 1"]


def test_missed_occurrences_are_one_drop_that_says_how_many():
    world = World()
    occurrence = Occurrence(
        automation="ahp-automation:/a",
        trigger="nightly",
        at=9,
        key=world.key(),
        scheduled_for=2,
        late=True,
        count=4_320,
    )

    (dropped,) = world.gate.missed(occurrence)

    assert words([dropped]) == ["drop missed 4320"]
    assert (dropped.at, dropped.late, dropped.key.order) == (9, True, (0, 1))
