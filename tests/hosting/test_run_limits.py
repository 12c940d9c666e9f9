"""Whose run goes on for how long, by whichever name it is told of."""

from hosting.hosting_world import AT, MINUTE
from wakeful import Decision, DecisionKind, OrderKey, RunLinked, RunSettled, RunStarted
from wakeful.hosting.run_limits import GoingRun, RunLimits


def start(number, at=AT):
    return Decision(
        at=at,
        automation="a",
        kind=DecisionKind.START,
        key=OrderKey(at, 1, 0, number, ()),
        run=f"own/{number}",
    )


def limits(*starts):
    found = RunLimits(MINUTE)
    for one in starts:
        found.gave(one)
    return found


def due(found, at=AT + 2 * MINUTE):
    return [(one.run, one.outcome, one.at) for one in found.due(at)]


def test_a_start_is_due_after_the_limit():
    found = limits(start(1))

    assert found.next_deadline == AT + MINUTE
    assert due(found, AT + MINUTE) == [("own/1", "failed", AT + MINUTE)]
    assert found.going == ()


def test_a_record_claims_the_oldest_start_and_gives_it_its_name():
    found = limits(start(1), start(2, AT + 1))
    found.took(RunStarted(automation="a", run="r", at=AT + 5))

    assert due(found) == [("r", "failed", AT + MINUTE), ("own/2", "failed", AT + MINUTE + 1)]


def test_a_claimed_run_settles_by_either_name():
    for name in ("r", "own/1"):
        found = limits(start(1))
        found.took(RunStarted(automation="a", run="r", at=AT + 5))
        found.took(RunSettled(automation="a", run=name, outcome="completed", at=AT + 6))

        assert due(found) == []


def test_a_record_by_the_engine_s_own_name_claims_it():
    found = limits(start(1), start(2))
    found.took(RunLinked(automation="a", run="own/1", session="s", at=AT))
    found.took(RunStarted(automation="a", run="r", at=AT))

    assert [run.names for run in found.going] == [("own/1",), ("r", "own/2")]


def test_a_run_that_could_not_be_started_claims_the_oldest_start():
    found = limits(start(1), start(2, AT + 1))
    found.took(RunSettled(automation="a", run="r", outcome="notStarted", at=AT + 5))

    assert due(found) == [("own/2", "failed", AT + MINUTE + 1)]


def test_another_outcome_of_an_unknown_run_settles_nothing():
    found = limits(start(1))
    found.took(RunSettled(automation="a", run="r", outcome="completed", at=AT + 5))

    assert due(found) == [("own/1", "failed", AT + MINUTE)]


def test_a_run_started_by_hand_is_followed_from_its_record():
    found = limits()
    found.took(RunStarted(automation="a", run="r", at=AT + 5))

    assert due(found) == [("r", "failed", AT + MINUTE + 5)]


def test_a_link_of_an_unknown_run_is_nothing():
    found = limits()
    found.took(RunLinked(automation="a", run="r", session="s", at=AT))

    assert found.going == ()


def test_another_automation_s_record_claims_nothing():
    found = limits(start(1))
    found.took(RunSettled(automation="b", run="r", outcome="notStarted", at=AT))

    assert len(found.going) == 1


def test_runs_that_go_already_are_taken_over():
    found = RunLimits(MINUTE, [GoingRun(automation="a", names=("r",), started_at=AT)])

    assert due(found) == [("r", "failed", AT + MINUTE)]


def test_without_a_limit_nothing_is_due():
    found = RunLimits(None)
    found.gave(start(1))

    assert (found.next_deadline, due(found)) == (None, [])
