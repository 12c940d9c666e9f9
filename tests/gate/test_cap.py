"""The cap on wakes by events (semantics 9.6)."""

import pytest

from gate.gate_world import World, automation, words

HOUR = 3_600_000
MINUTE = 60_000


def starting(**settings) -> World:
    """An automation that starts a run for every event."""
    return World(automation(overlap="parallel"), **settings)


def test_twenty_wakes_start_and_the_next_is_dropped_with_its_count():
    world = starting()

    decisions = [word for _ in range(21) for word in words(world.match(count=2))]

    assert decisions == ["start 2"] * 20 + ["drop rateLimited 2"]


@pytest.mark.parametrize(
    ("at", "expected"),
    [(HOUR - 1, "drop rateLimited 1"), (HOUR, "start 1")],
)
def test_a_wake_is_free_when_it_is_exactly_an_hour_old(at, expected):
    world = starting(cap=1)
    world.match()
    world.now = at

    assert words(world.match()) == [expected]


def test_fault_26_the_hour_slides():
    world = starting()
    for minute in range(20):
        world.now = minute * MINUTE
        world.match()
    world.now = 59 * MINUTE
    capped = words(world.match())
    world.now = 61 * MINUTE

    assert (capped, words(world.match())) == (["drop rateLimited 1"], ["start 1"])


def test_what_is_dropped_takes_no_place():
    world = starting(cap=1)
    world.match()
    world.now = HOUR - 1
    world.match()
    world.now = HOUR

    assert words(world.match()) == ["start 1"]


def test_a_hold_takes_a_place():
    world = World(cap=2)
    world.match()
    world.match()
    world.started("r1")
    world.settled("r1")
    world.started("r2")
    world.settled("r2")

    assert words(world.match()) == ["drop rateLimited 1"]


def test_a_hold_over_the_cap_is_dropped():
    world = World(cap=1)
    world.match()

    assert words(world.match()) == ["drop rateLimited 1"]


def test_a_fold_takes_none():
    world = World(cap=2)
    world.match()
    world.match()

    assert words(world.match()) == ["fold 1"]


def test_a_release_takes_none():
    world = World(cap=2)
    world.match()
    world.match()
    world.started("r1")

    assert words(world.settled("r1")) == ["release 1"]


def test_a_steer_takes_a_place_and_is_held_to_the_cap():
    world = World(automation(overlap="steer"), cap=2)
    world.match()
    world.started("r1", "work")
    world.turn("work")

    assert words([*world.match(), *world.match()]) == ["steer 1", "drop rateLimited 1"]


def test_a_skip_takes_none_and_comes_before_the_cap():
    world = World(automation(overlap="skip"), cap=1)
    world.match()

    assert words(world.match()) == ["drop skipped 1"]


def test_an_own_run_takes_none():
    world = starting(cap=1)
    world.started("r1", "work")
    world.match(session="work")

    assert words(world.match()) == ["start 1"]


def test_a_press_and_an_occurrence_take_none_and_are_not_held_to_it():
    world = starting(cap=1)
    world.press("p1")
    world.settled(world.made[-1].run)
    world.occurrence()

    assert words(world.match()) == ["start 1"]
    assert words(world.occurrence()) == ["start 1"]


def test_each_automation_has_its_own_hour():
    world = World(automation("a"), automation("b"), cap=1)
    world.match("a")

    assert words(world.match("b")) == ["start 1"]


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.save(automation(overlap="parallel", text="edited")),
        lambda world: [
            world.save(automation(overlap="parallel", enabled=False)),
            world.save(automation(overlap="parallel")),
        ],
        lambda world: [world.remove(), world.save(automation(overlap="parallel"))],
    ],
    ids=["edited", "off and on", "removed and saved again"],
)
def test_a_change_does_not_start_the_hour_over(change):
    world = starting(cap=1)
    world.match()
    change(world)

    assert words(world.match()) == ["drop rateLimited 1"]


def test_limit_and_window_are_settings():
    world = starting(cap=2, cap_window=10)
    taken = [word for _ in range(3) for word in words(world.match())]
    world.now = 10

    assert (taken, words(world.match())) == (
        ["start 1", "start 1", "drop rateLimited 1"],
        ["start 1"],
    )


def test_a_cap_of_nothing_lets_no_event_through():
    assert words(starting(cap=0).match()) == ["drop rateLimited 1"]
