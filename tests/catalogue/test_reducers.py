"""Reducers: every branch, and that they are pure (the channel seed's "Actions")."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.catalogue_world import entry, envelope, lifecycle, normal, set_
from catalogue.wire_strategies import RUN_STATES, actions
from wakeful.catalogue import (
    AutomationState,
    CatalogState,
    Envelope,
    Mirror,
    RunState,
    distinct,
    is_client_dispatchable,
    read,
    read_action,
    receive_catalogue,
    receive_run,
    reduce_catalogue,
    reduce_run,
    write,
)
from wakeful.catalogue.actions import ACTION_CLASSES

A, B, C = (f"ahp-automation:/{name}" for name in "abc")


def catalogue(*entries, **members):
    return read(CatalogState, {"automations": list(entries), **members})


def run(**members):
    return read(
        RunState,
        {
            "resource": "ahp-automation-run:/1",
            "automation": A,
            "origin": {"kind": "manual"},
            "lifecycle": lifecycle("running", 0, 0),
            "sessions": [],
            **members,
        },
    )


def reduced(state, **action):
    return write(reduce_run(state, read_action(action)))


# The catalogue


def test_an_unseen_automation_is_appended():
    before = catalogue(entry("a"))

    assert reduce_catalogue(before, read_action(set_(entry("b")))) == catalogue(
        entry("a"), entry("b")
    )


def test_a_known_one_is_replaced_in_its_place():
    before = catalogue(entry("a"), entry("b"), entry("c"), _meta={"kept": 1}, newer=2)
    new = entry("b", written=normal(title="New"))

    assert reduce_catalogue(before, read_action(set_(new))) == catalogue(
        entry("a"), new, entry("c"), _meta={"kept": 1}, newer=2
    )


def test_a_removal_takes_one_out():
    before = catalogue(entry("a"), entry("b"), _meta={"kept": 1})

    removed = read_action({"type": "automation/removed", "resource": A})
    assert reduce_catalogue(before, removed) == catalogue(entry("b"), _meta={"kept": 1})


@pytest.mark.parametrize(
    "action",
    [
        {"type": "automation/removed", "resource": C},
        {"type": "automation/createRequested", "resource": C, "definition": normal()},
        {"type": "automation/updateRequested", "resource": A, "changes": {"title": "x"}},
        {"type": "automationRun/lifecycleChanged", "lifecycle": lifecycle("pending", 0)},
        {"type": "automationRun/sessionSet", "session": "s"},
        {"type": "automationRun/sessionRemoved", "session": "s"},
        {"type": "automationRun/primarySessionChanged"},
        {"type": "automationRun/cancelRequested"},
        {"type": "automation/newer", "resource": A},
    ],
    ids=lambda action: action["type"],
)
def test_what_changes_nothing_gives_the_very_same_catalogue(action):
    before = catalogue(entry("a"), entry("b"))

    assert reduce_catalogue(before, read_action(action)) is before


def test_of_duplicates_in_a_snapshot_the_last_wins_in_place_of_the_first():
    new = entry("a", written=normal(title="New"))

    assert distinct(catalogue(entry("a"), entry("b"), new)) == catalogue(new, entry("b"))


def test_a_snapshot_without_duplicates_is_the_very_same():
    state = catalogue(entry("a"), entry("b"))

    assert distinct(state) is state


@pytest.mark.parametrize(
    ("action", "names"),
    [
        (set_(entry("a")), ["a", "b"]),
        (set_(entry("c")), ["a", "b", "c"]),
        ({"type": "automation/removed", "resource": A}, ["b"]),
    ],
)
def test_duplicates_are_gone_after_any_action(action, names):
    before = catalogue(entry("a"), entry("b"), entry("a"))

    after = reduce_catalogue(before, read_action(action))

    assert [each.resource[-1] for each in after.automations] == names


# A run


def test_a_lifecycle_replaces_the_one_before_whatever_it_was():
    before = run(lifecycle=lifecycle("completed", 0, 1, 2), _meta={"kept": 1}, newer=2)

    assert reduced(
        before, type="automationRun/lifecycleChanged", lifecycle=lifecycle("pending", 0)
    ) == write(run(lifecycle=lifecycle("pending", 0), _meta={"kept": 1}, newer=2))


def test_a_lifecycle_may_bring_the_runs_notes():
    assert reduced(
        run(),
        type="automationRun/lifecycleChanged",
        lifecycle=lifecycle("pending", 0),
        _meta={"ahpd.dropped": 1},
    ) == write(run(lifecycle=lifecycle("pending", 0), _meta={"ahpd.dropped": 1}))


def test_a_session_is_appended():
    assert reduced(run(sessions=["s"]), type="automationRun/sessionSet", session="t")[
        "sessions"
    ] == ["s", "t"]


def test_a_session_that_is_removed_takes_the_primary_one_with_it():
    before = run(sessions=["s", "t"], primarySession="s")

    assert reduced(before, type="automationRun/sessionRemoved", session="s") == write(
        run(sessions=["t"])
    )
    assert reduced(before, type="automationRun/sessionRemoved", session="t") == write(
        run(sessions=["s"], primarySession="s")
    )


def test_a_primary_session_is_set_and_taken_away_and_need_be_no_member():
    before = run(sessions=["s"])

    set_primary = reduced(before, type="automationRun/primarySessionChanged", primarySession="x")
    assert set_primary["primarySession"] == "x"
    assert "primarySession" not in reduced(
        run(primarySession="s"), type="automationRun/primarySessionChanged"
    )


@pytest.mark.parametrize(
    "action",
    [
        {"type": "automationRun/sessionSet", "session": "s"},
        {"type": "automationRun/sessionRemoved", "session": "unknown"},
        {"type": "automationRun/cancelRequested"},
        {"type": "automation/removed", "resource": A},
        set_(entry("a")),
        {"type": "automation/createRequested", "resource": A, "definition": normal()},
        {"type": "automation/updateRequested", "resource": A, "changes": {}},
        {"type": "automationRun/newer"},
    ],
    ids=lambda action: action["type"],
)
def test_what_changes_nothing_gives_the_very_same_run(action):
    before = run(sessions=["s"])

    assert reduce_run(before, read_action(action)) is before


# Envelopes


def test_a_rejected_envelope_changes_nothing():
    removed = {"type": "automation/removed", "resource": A}
    refused = read(Envelope, envelope(removed, 1, reason="Not permitted."))
    accepted = read(Envelope, envelope(removed, 1))
    before = catalogue(entry("a"))

    assert receive_catalogue(before, refused) is before
    assert receive_catalogue(before, accepted) == catalogue()


def test_a_rejected_envelope_changes_no_run():
    told = {"type": "automationRun/sessionSet", "session": "s"}
    refused = read(Envelope, envelope(told, 1, reason="Not permitted."))
    before = run()

    assert receive_run(before, refused) is before
    assert receive_run(before, read(Envelope, envelope(told, 1))) == run(sessions=["s"])


@given(RUN_STATES, st.lists(actions(), max_size=4))
@settings(max_examples=40)
def test_reducers_never_change_what_they_are_given(state, told):
    runs, automations = read(RunState, state), catalogue(entry("a"))
    for each in told:
        action = read_action(each)
        before = write(runs), write(automations)

        after = reduce_run(runs, action), reduce_catalogue(automations, action)

        assert (write(runs), write(automations)) == before
        runs, automations = after


def test_four_actions_are_a_clients_to_dispatch():
    assert {type_ for type_ in ACTION_CLASSES if is_client_dispatchable(type_)} == {
        "automation/createRequested",
        "automation/updateRequested",
        "automation/removed",
        "automationRun/cancelRequested",
    }


# A client's mirror


def test_a_mirror_ignores_channels_it_does_not_hold():
    mirror = Mirror()

    mirror.take(envelope(set_(entry("a")), 4))

    assert (mirror.subscriptions, mirror.seen) == ((), 4)


def test_a_mirror_takes_a_rejection_of_what_was_no_action():
    mirror = Mirror()
    mirror.take_snapshot(
        {"resource": "ahp-automations://", "state": {"automations": []}, "fromSeq": 0}
    )

    mangled = {"type": "automation/createRequested", "definition": 3}
    told = mirror.take(envelope(mangled, 1, reason="no"))

    assert told.rejection_reason == "no"
    assert mirror.catalogues["ahp-automations://"] == catalogue()


def test_a_mirror_lets_go_of_what_is_missing():
    mirror = Mirror()
    mirror.take_snapshot({"resource": run().resource, "state": write(run()), "fromSeq": 0})

    mirror.come_back({"type": "replay", "actions": [], "missing": [run().resource]})

    assert mirror.subscriptions == ()


def test_a_state_is_read_as_it_was_told():
    assert catalogue(entry("a")).automations == (read(AutomationState, entry("a")),)
