"""Presses and their request ids (semantics 9.11)."""

from gate.gate_world import World, automation, words
from wakeful.core.sight import GrantSight


def test_a_press_starts_a_run():
    world = World(automation(text="{{trigger}}|{{event}}|{{count}}|{{at}}"))
    world.now = 1_000

    (start,) = world.press("p1")

    assert (str(start.kind), start.request_id, start.trigger, start.count) == (
        "start",
        "p1",
        None,
        None,
    )
    assert start.message == "|||1970-01-01T00:00:01.000Z"


def test_a_press_is_answered_with_the_run_that_is_going():
    world = World()
    (start,) = world.match()

    (answer,) = world.press("p1")

    assert (str(answer.kind), answer.run, answer.reason) == ("answer", start.run, None)


def test_a_press_is_answered_with_the_newest_run_that_is_going():
    world = World(automation(overlap="parallel"))
    world.match()
    world.match()
    world.started("r1")
    world.started("r2")
    world.match()
    world.started("r3")
    world.settled("r3")

    (answer,) = world.press("p1")

    assert answer.run == "r2"


def test_a_press_during_a_hold_is_answered_and_what_waits_goes_on_waiting():
    world = World()
    world.match()
    world.match()

    assert words(world.press("p1")) == ["answer"]
    assert [each.count for each in world.gate.waiting()] == [1]


def test_a_wake_while_a_pressed_run_is_going_waits():
    world = World()
    world.press("p1")

    assert words(world.match()) == ["hold 1"]


def test_a_press_on_a_switched_off_automation_runs():
    world = World(automation(enabled=False))

    assert words(world.press("p1")) == ["start"]


def test_a_press_on_an_automation_that_was_switched_off_by_its_date_runs():
    from wakeful.model.automations import AfterDate

    world = World(automation(disable_conditions=(AfterDate(date=10),)))
    world.dates(10)

    assert words(world.press("p1")) == ["start"]


def test_a_press_on_an_unknown_automation_is_refused():
    world = World()

    (refused,) = world.press("p1", name="stranger")

    assert (str(refused.kind), refused.reason, refused.automation, refused.request_id) == (
        "refuse",
        "unknownAutomation",
        "ahp-automation:/stranger",
        "p1",
    )


def test_a_press_on_a_removed_automation_is_refused():
    world = World()
    world.match()
    world.remove()

    assert words(world.press("p1")) == ["refuse unknownAutomation"]


def test_an_empty_request_id_is_refused():
    assert words(World().press("")) == ["refuse requestIdEmpty"]


def test_a_request_asked_again_is_answered_with_the_run_it_made():
    world = World()
    (start,) = world.press("p1")
    world.settled(start.run)
    world.press("p2")

    (answer,) = world.press("p1")

    assert (str(answer.kind), answer.run) == ("answer", start.run)


def test_a_request_that_was_answered_with_a_run_keeps_to_it():
    # A client that never saw the answer asks again: that must not make another run.
    world = World()
    (start,) = world.match()
    world.press("p1")
    world.settled(start.run)

    (answer,) = world.press("p1")

    assert (str(answer.kind), answer.run) == ("answer", start.run)


def test_a_request_id_is_refused_on_another_automation():
    world = World(automation("a"), automation("b"))
    world.press("p1", name="a")

    assert words(world.press("p1", name="b")) == ["refuse requestIdUsed"]


def test_a_request_id_is_refused_elsewhere_also_after_its_automation_was_removed():
    world = World(automation("a"), automation("b"))
    world.press("p1", name="a")
    world.remove("a")

    assert words(world.press("p1", name="b")) == ["refuse requestIdUsed"]


def test_a_refused_press_uses_no_request_id_up():
    world = World(automation("a"))
    world.press("p1", name="stranger")

    assert words(world.press("p1")) == ["start"]


def test_presses_of_runs_without_length_each_start_one():
    world = World(run_time="none")

    assert words([*world.press("p1"), *world.press("p2"), *world.press("p1")]) == [
        "start",
        "start",
        "answer",
    ]


def test_a_user_the_host_has_not_met_is_refused_before_everything_else():
    world = World(automation(owner="user:ann"), sight=GrantSight())

    assert words([*world.press("p1"), *world.press("")]) == ["refuse ownerUnknown"] * 2


def test_a_user_that_was_met_may_press_with_no_grant_at_all():
    sight = GrantSight()
    sight.change("user:ann", [])
    world = World(automation(owner="user:ann"), sight=sight)

    assert words(world.press("p1")) == ["start"]


def test_owners_that_are_no_users_need_not_be_met():
    world = World(automation(owner="team:web"), sight=GrantSight())

    assert words(world.press("p1")) == ["start"]
