"""Saving, switching off, removing, and the disable conditions (semantics 9.1, 9.9, 9.13)."""

import pytest

from gate.gate_world import NIGHTLY, RULE, World, automation, words
from wakeful.errors import InvalidError
from wakeful.model.automations import AfterDate, AfterRuns


def limited(maximum: int, **changes):
    """An automation that is off after so many runs."""
    return automation(disable_conditions=(AfterRuns(max=maximum),), **changes)


def dated(date: int, **changes):
    """An automation that is off from that instant on."""
    return automation(disable_conditions=(AfterDate(date=date),), **changes)


def is_on(world: World) -> bool:
    return world.gate.is_on("ahp-automation:/a")


def holding(saved=None) -> World:
    """A run going, and wakes of three events waiting behind it."""
    world = World(saved or automation())
    world.match()
    world.match()
    world.match(count=2)
    return world


# Off, removed, edited


def test_an_automation_is_on_as_its_definition_says():
    assert is_on(World()) is True
    assert is_on(World(automation(enabled=False))) is False


def test_switching_off_drops_what_waits_with_its_sum():
    world = holding()

    assert words(world.save(automation(enabled=False))) == ["drop disabled 3"]
    assert world.gate.waiting() == ()


def test_removing_drops_what_waits_with_its_sum():
    world = holding()

    assert words(world.remove()) == ["drop disabled 3"]
    assert world.gate.waiting() == ()


def test_a_drop_of_what_waited_tells_what_it_was():
    world = holding()

    (dropped,) = world.remove()

    assert (dropped.trigger, dropped.session, dropped.event, dropped.at) == (
        "t",
        "s",
        "toolFailed",
        world.now,
    )


def test_removing_twice_drops_once():
    world = holding()
    world.remove()

    assert world.remove() == []


def test_a_run_that_ends_after_its_automation_was_removed_releases_nothing():
    world = holding()
    world.remove()

    assert world.settled("never-told", "notStarted") == []


def test_a_match_of_an_automation_that_is_off_is_dropped():
    world = World(automation(enabled=False))

    assert words(world.match()) == ["drop disabled 1"]


def test_off_is_asked_before_own_run():
    world = World()
    world.started("r1", "work")
    world.save(automation(enabled=False))

    assert words(world.match(session="work")) == ["drop disabled 1"]


def test_an_edit_leaves_what_waits_waiting():
    world = holding()

    assert world.save(automation(text="edited")) == []
    assert [each.count for each in world.gate.waiting()] == [3]


def test_a_wake_whose_rule_was_edited_is_folded_into_and_told_by_the_new_definition():
    world = holding()
    world.save(automation(text="edited: {{count}}"))
    folded = words(world.match())
    world.started("r1")

    (released,) = world.settled("r1")

    assert folded == ["fold 1"]
    assert released.message.startswith("edited: 4\n\n")


def test_a_wake_whose_trigger_was_removed_is_released_under_its_old_title():
    world = holding(automation(text="{{trigger}}"))
    world.save(automation(text="{{trigger}}!", triggers=(NIGHTLY,)))
    world.started("r1")

    (released,) = world.settled("r1")

    assert released.message.startswith("Failing!\n\n")


def test_a_wake_waiting_as_the_overlap_is_edited_is_released_like_any_other():
    world = holding()
    world.save(automation(overlap="skip"))
    skipped = words(world.match())
    world.started("r1")

    assert (skipped, words(world.settled("r1"))) == (["drop skipped 1"], ["release 3"])


def test_a_run_goes_on_while_its_automation_is_off():
    world = World()
    world.match()
    world.save(automation(enabled=False))
    world.save(automation())

    assert words(world.match()) == ["hold 1"]


# afterRuns


def test_reaching_the_maximum_switches_off_and_lets_that_run_go():
    world = World(limited(2, overlap="parallel"))
    decisions = words([*world.match(), *world.match()])

    assert decisions == ["start 1", "start 1"]
    assert is_on(world) is False


def test_what_matched_in_the_same_step_is_dropped():
    world = World(limited(1, overlap="parallel"))

    assert words(world.matches("a", "a")) == ["start 1", "drop disabled 1"]


def test_what_waited_is_dropped_with_its_sum_after_the_decision_that_reached_the_maximum():
    world = World(limited(2))
    world.match()
    world.match(count=3)
    world.save(limited(2, overlap="parallel"))

    decisions = world.matches("a", "a")

    assert words(decisions) == ["start 1", "drop disabled 3", "drop disabled 1"]
    assert decisions == sorted(decisions, key=lambda each: each.key)
    assert len({each.key for each in decisions}) == 3


def test_a_release_counts_and_may_reach_the_maximum():
    world = World(limited(2))
    world.match()
    world.match()
    world.started("r1")
    released = words(world.settled("r1"))

    assert released == ["release 1"]
    assert is_on(world) is False


def test_a_run_counts_also_where_it_could_not_start():
    world = World(limited(1))
    (start,) = world.match()
    world.settled(start.run, "notStarted")

    assert is_on(world) is False


def test_a_hold_a_fold_and_a_steer_are_no_runs():
    world = World(limited(2, overlap="steer"))
    world.match()
    world.started("r1", "work")
    world.turn("work")
    world.match()
    world.turn_over("work")
    world.match()
    world.match()

    assert is_on(world) is True


def test_an_occurrence_that_starts_counts():
    world = World(limited(1))
    world.occurrence()

    assert is_on(world) is False


def test_a_press_neither_counts_nor_is_stopped():
    world = World(limited(1), run_time="none")
    world.press("p1")
    before = is_on(world)
    world.match()

    assert (before, is_on(world)) == (True, False)
    assert words(world.press("p2")) == ["start"]


def test_switching_on_counts_from_nothing():
    world = World(limited(1), run_time="none")
    world.match()
    world.save(limited(1, enabled=False))
    world.save(limited(1))

    assert words(world.match()) == ["start 1"]


def test_saving_what_a_condition_switched_off_as_enabled_switches_it_on():
    world = World(limited(1), run_time="none")
    world.match()
    world.save(limited(1))

    assert words(world.match()) == ["start 1"]


def test_adding_the_condition_counts_from_then():
    world = World(automation(), run_time="none")
    world.match()
    world.match()
    world.save(limited(2))
    world.match()

    assert is_on(world) is True


def test_taking_the_condition_out_and_adding_it_again_counts_from_nothing():
    world = World(limited(2), run_time="none")
    world.match()
    world.save(automation())
    world.save(limited(2))
    world.match()

    assert is_on(world) is True


@pytest.mark.parametrize(
    "edited",
    [
        limited(2, text="edited"),
        automation(disable_conditions=(AfterDate(date=9_999), AfterRuns(max=2))),
        automation(disable_conditions=(AfterRuns(max=2), AfterDate(date=9_999))),
    ],
    ids=["another text", "a date added before", "a date added after"],
)
def test_other_edits_keep_the_count(edited):
    world = World(limited(3), run_time="none")
    world.match()
    world.save(edited)
    world.match()

    assert is_on(world) is False


def test_a_maximum_edited_down_to_what_has_run_switches_off_and_drops_what_waits():
    world = World(limited(9))
    world.match()
    world.match()

    assert words(world.save(limited(1))) == ["drop disabled 1"]
    assert is_on(world) is False


def test_the_gate_tells_whom_it_switched_off():
    world = World(limited(1))
    world.gate.decide(match_of(world))

    assert world.gate.switched == ["ahp-automation:/a"]


def match_of(world: World):
    from wakeful.model.outputs import Match

    return Match(
        automation="ahp-automation:/a",
        trigger="t",
        session="s",
        event="toolFailed",
        count=1,
        at=0,
        key=world.key(0, 0, 0),
    )


# afterDate


def test_at_the_date_the_automation_is_switched_off_and_what_waits_is_dropped():
    world = holding(dated(100))

    assert world.gate.next_date == 100
    assert words(world.dates(99)) == []
    assert words(world.dates(100)) == ["drop disabled 3"]
    assert is_on(world) is False


def test_a_date_that_passed_while_nobody_called_is_stamped_with_itself():
    world = holding(dated(100))

    (dropped,) = world.dates(5_000)

    assert (dropped.at, dropped.key.at) == (100, 100)


def test_a_date_passes_once():
    world = World(dated(100))
    world.dates(100)

    assert world.gate.next_date is None
    assert world.dates(200) == []


def test_dates_pass_in_order_and_at_one_instant_in_definition_order():
    world = World(
        automation("a", disable_conditions=(AfterDate(date=20),)),
        automation("b", disable_conditions=(AfterDate(date=10),)),
        automation("c", disable_conditions=(AfterDate(date=10),)),
    )
    world.matches("a", "b", "c", "a", "b", "c")

    dropped = world.dates(50)

    assert [each.automation[-1] for each in dropped] == ["b", "c", "a"]
    assert dropped == sorted(dropped, key=lambda each: each.key)


def test_what_a_date_drops_that_passed_before_a_resumed_is_late():
    world = holding(dated(100))

    (dropped,) = world.gate.pass_dates(100, world.key(), late=True)

    assert dropped.late is True


@pytest.mark.parametrize(("now", "expected"), [(99, True), (100, False), (101, False)])
def test_a_date_that_is_past_when_saved_switches_off_in_the_same_step(now, expected):
    world = World()
    world.now = now
    world.save(dated(100))

    assert is_on(world) is expected


def test_a_date_that_is_past_when_saved_drops_what_waits():
    world = holding()
    world.now = 100

    assert words(world.save(dated(100))) == ["drop disabled 3"]


def test_a_date_that_is_past_when_switched_on_switches_off_in_the_same_step():
    world = World(dated(100, enabled=False))
    world.now = 100
    world.save(dated(100))

    assert is_on(world) is False


def test_an_automation_that_is_off_waits_for_no_date():
    assert World(dated(100, enabled=False)).gate.next_date is None


def test_a_date_that_is_edited_or_taken_out_no_longer_counts():
    world = World(dated(100))
    world.save(dated(200))
    edited = world.gate.next_date
    world.save(automation())

    assert (edited, world.gate.next_date) == (200, None)


def test_a_removed_automation_waits_for_no_date():
    world = World(dated(100))
    world.remove()

    assert world.gate.next_date is None


# What is refused


@pytest.mark.parametrize("owner", ["ann", "user:", "group:x", "", ":x"])
def test_an_owner_of_no_known_kind_is_refused(owner):
    with pytest.raises(InvalidError, match="owner"):
        World(automation(owner=owner))


@pytest.mark.parametrize("owner", ["user:a", "team:a", "project:a", "root:a", "plugin:a:b"])
def test_an_owner_of_a_known_kind_with_an_id_is_taken(owner):
    assert is_on(World(automation(owner=owner))) is True


def test_an_unknown_overlap_is_refused():
    with pytest.raises(InvalidError, match="overlap"):
        World(automation(overlap="stack"))


@pytest.mark.parametrize(
    "conditions",
    [
        (AfterRuns(max=1), AfterRuns(max=1)),
        (AfterDate(date=1), AfterDate(date=2)),
        (AfterRuns(max=0),),
    ],
    ids=["two counts", "two dates", "no run at all"],
)
def test_disable_conditions_that_cannot_be_meant_are_refused(conditions):
    with pytest.raises(InvalidError, match="disableConditions"):
        World(automation(disable_conditions=conditions))


def test_every_problem_is_named_at_once():
    with pytest.raises(InvalidError) as refused:
        World(automation(owner="ann", overlap="stack"))

    assert [problem.path for problem in refused.value.problems] == ["owner", "overlap"]


def test_a_definition_that_is_refused_changes_nothing():
    world = World(limited(5))
    with pytest.raises(InvalidError):
        world.save(automation(owner="ann", enabled=False, triggers=(RULE,)))

    assert is_on(world) is True
    assert words(world.occurrence()) == ["start 1"]
