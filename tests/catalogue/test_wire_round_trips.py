"""Every record of the wire reads what it wrote and writes what it read, whatever is in it."""

import copy

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.catalogue_world import entry, lifecycle, set_, summary
from catalogue.wire_strategies import actions, data_of
from wakeful.catalogue import (
    AutomationState,
    Capabilities,
    Envelope,
    Running,
    ScheduleCapability,
    UnknownAction,
    read,
    read_action,
    write,
)
from wakeful.catalogue.converting import RECORDS
from wakeful.catalogue.parameters import PARAMETERS
from wakeful.errors import InvalidError


@pytest.mark.parametrize("cls", [*RECORDS, *PARAMETERS], ids=lambda cls: cls.__name__)
@given(data=st.data())
@settings(max_examples=15)
def test_a_record_writes_what_it_read(cls, data):
    if cls is Capabilities:
        strategy = data_of(cls).filter(
            lambda each: each.get("schedules", {}).get("minIntervalMinutes", 1) > 0
        )
    else:
        strategy = data_of(cls)
    written = data.draw(strategy)
    before = copy.deepcopy(written)

    record = read(cls, written)

    assert write(record) == before
    assert written == before
    assert read(cls, write(record)) == record


@given(actions())
@settings(max_examples=40)
def test_an_action_is_read_by_its_type(data):
    action = read_action(data)

    assert action.type == data["type"]
    assert write(action) == data


def test_an_action_of_a_newer_protocol_is_kept_whole():
    data = {"type": "automation/paused", "resource": "a", "until": None}

    assert read_action(data) == UnknownAction(
        type="automation/paused", unknown={"resource": "a", "until": None}
    )


def test_members_that_nobody_knows_are_kept_at_every_depth():
    data = entry(runs=[summary(1, lifecycle("running", 0, 0, newer=1), newer=[2])], newer={})
    data["definition"]["triggers"][0]["newer"] = "x"
    data["definition"]["triggers"][0]["events"][0]["newer"] = "y"
    data["definition"]["session"]["customizations"] = [{"id": "p"}]

    assert write(read(AutomationState, data)) == data


@pytest.mark.parametrize(
    ("cls", "data", "said"),
    [
        (AutomationState, [], "[] is not a map (resource, definition, runs"),
        (AutomationState, entry(nextRunAt=None), "nextRunAt: None is not text"),
        (AutomationState, entry(runCount=True), "runCount: True is not a whole number"),
        (AutomationState, entry() | {"runs": {}}, "runs: {} is not a list"),
        (AutomationState, entry(runs=[3]), "runs[0]: 3 is not a map"),
        (
            AutomationState,
            entry(runs=[summary(1, {"status": "paused"})]),
            "runs[0].lifecycle.status: 'paused' is not a status",
        ),
        (
            AutomationState,
            entry(runs=[summary(1, 3)]),
            "runs[0].lifecycle: 3 is not a map",
        ),
        (
            AutomationState,
            entry(runs=[summary(1, {})]),
            "runs[0].lifecycle.status: '<nothing>' is not a status",
        ),
        (AutomationState, entry(_meta={1: 2}), "_meta[1]: 1 is not a key that is text"),
        (AutomationState, entry(x=float("nan")), "x: nan is not plain data"),
        (Running, lifecycle("pending", 0, 0), "status: 'pending' is not 'running'"),
        (Envelope, {"channel": "c", "serverSeq": 1}, "action: missing; expected a map"),
        (
            Envelope,
            {"channel": "c", "serverSeq": 1, "action": {"type": "automation/set"}},
            "action.automation: missing; expected a map",
        ),
        (Envelope, {"channel": "c", "serverSeq": 1, "action": 3}, "action: 3 is not a map"),
    ],
)
def test_what_is_wrong_is_named_with_its_path(cls, data, said):
    with pytest.raises(InvalidError) as refused:
        read(cls, data)

    assert str(refused.value).startswith(said)


def test_every_problem_is_named_and_not_the_first_alone():
    with pytest.raises(InvalidError) as refused:
        read(AutomationState, {"resource": 1, "runs": [{"sessionCount": -1}]})

    assert [problem.path for problem in refused.value.problems] == [
        "resource",
        "definition",
        "runs[0].resource",
        "runs[0].automation",
        "runs[0].origin",
        "runs[0].lifecycle",
        "runs[0].sessionCount",
        "operations",
        "createdAt",
        "modifiedAt",
    ]


@pytest.mark.parametrize(
    ("capabilities", "paths"),
    [
        ({"run_history_limit": 1.5}, ["runHistoryLimit"]),
        ({"run_history_limit": -1}, ["runHistoryLimit"]),
        ({"run_history_limit": True}, ["runHistoryLimit"]),
        (
            {
                "run_history_limit": "3",
                "schedules": ScheduleCapability(min_interval_minutes=0),
            },
            ["schedules.minIntervalMinutes", "runHistoryLimit"],
        ),
    ],
)
def test_the_numbers_of_capabilities_are_whole(capabilities, paths):
    with pytest.raises(InvalidError) as refused:
        Capabilities(**capabilities)

    assert [problem.path for problem in refused.value.problems] == paths


def test_the_baseline_has_no_capability_and_an_absent_one_is_not_an_empty_one():
    assert write(Capabilities()) == {}
    assert read(Capabilities, {}) == Capabilities()
    assert read(Capabilities, {"create": {}}) == Capabilities(create={})


def test_records_cannot_be_changed():
    state = read(AutomationState, entry())

    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        state.resource = "b"


def test_an_action_that_is_no_map_is_refused():
    with pytest.raises(InvalidError, match="3 is not a map"):
        read_action(3)

    assert read_action(set_(entry())).automation.resource == "ahp-automation:/a"
