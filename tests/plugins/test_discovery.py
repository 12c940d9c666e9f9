"""What `listAutomationTriggerDefinitions` answers."""

import copy
import json

import pytest

from plugins.plugin_builders import build_type, registry_of, told, trigger
from wakeful.model.rules import MAX_COUNT
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.plugins import TypeRegistry, list_trigger_definitions


def listed(*types):
    return list_trigger_definitions(registry_of(*types))


def session():
    return listed()[0]


def watch():
    return listed()[1]


def test_session_and_watch_come_first_then_plugins_in_order_of_registration():
    types = [item["type"] for item in listed(build_type(type="z"), build_type(type="a"))]

    assert types == ["session", "watch", "z", "a"]


def test_a_type_that_is_removed_is_listed_no_more():
    registry = registry_of(build_type())
    registry.remove("build")

    assert [item["type"] for item in list_trigger_definitions(registry)] == ["session", "watch"]


def test_a_plugins_type_is_sent_as_it_was_registered():
    properties = {"branch": {"type": "string", "enum": ["main"], "default": "main"}}

    assert listed(build_type(properties, description="Of a CI system"))[2] == {
        "type": "build",
        "title": "Builds",
        "description": "Of a CI system",
        "events": [
            {"id": "failed", "title": "A build failed"},
            {"id": "fixed", "title": "A build was fixed", "description": "It had failed before"},
        ],
        "configSchema": {"type": "object", "properties": properties, "required": []},
    }


def test_a_type_without_description_or_schema_is_sent_without():
    assert listed(build_type())[2].keys() == {"type", "title", "events"}


def test_the_answer_is_plain_data_for_the_wire():
    items = listed(build_type({"branch": {"type": "array", "items": {"enum": ["a"]}}}))

    assert json.loads(json.dumps(items)) == items


def test_changing_an_answer_changes_no_other():
    registry = registry_of(build_type({"branch": {"type": "string"}}))
    before = copy.deepcopy(list_trigger_definitions(registry))
    for item in list_trigger_definitions(registry):
        item["events"].clear()
        item["configSchema"]["properties"].clear()

    assert list_trigger_definitions(registry) == before


def test_session_offers_the_eight_events_by_their_titles():
    assert [(event["id"], event["title"]) for event in session()["events"]] == [
        ("turnCompleted", "A turn finished"),
        ("turnFailed", "A turn failed"),
        ("turnCancelled", "A turn was cancelled"),
        ("toolCalled", "A tool call finished"),
        ("toolFailed", "A tool call failed"),
        ("messageQueued", "A message was queued"),
        ("idle", "The session went idle"),
        ("childFinished", "A session it started finished"),
    ]


def test_watch_offers_the_five_presets_by_their_titles():
    assert [(event["id"], event["title"]) for event in watch()["events"]] == [
        ("looks-stuck", "Looks stuck"),
        ("failing-tools", "Failing tools"),
        ("long-silent-turn", "Long silent turn"),
        ("idle-after-failure", "Idle after failure"),
        ("waiting-while-busy", "Waiting while busy"),
    ]


def test_every_event_of_the_host_has_a_description():
    described = [event.get("description") for item in listed() for event in item["events"]]

    assert all(described)
    assert len(set(described)) == 13


def test_watch_names_the_numbers_and_what_each_starts_as():
    properties = watch()["configSchema"]["properties"]

    assert {
        number: (described["type"], described["minimum"], described["x-wakeful-defaults"])
        for number, described in properties.items()
        if number != "filter"
    } == {
        "times": ("integer", 1, {"looks-stuck": 3, "failing-tools": 3}),
        "minutes": ("integer", 1, {"long-silent-turn": 10, "idle-after-failure": 3}),
        "toolCalls": ("integer", 1, {"waiting-while-busy": 3}),
    }


def test_a_number_has_a_default_where_its_presets_agree():
    properties = watch()["configSchema"]["properties"]

    assert properties["times"]["default"] == 3
    assert properties["toolCalls"]["default"] == 3
    assert "default" not in properties["minutes"]


def test_watch_takes_the_same_filter_as_session():
    assert (
        watch()["configSchema"]["properties"]["filter"]
        == session()["configSchema"]["properties"]["filter"]
    )


def test_session_takes_the_four_parts_of_a_rule():
    assert list(session()["configSchema"]["properties"]) == ["filter", "count", "then", "when"]


@pytest.mark.parametrize("place", [0, 1])
def test_the_hosts_own_schemas_are_config_schemas(place):
    schema = listed()[place]["configSchema"]
    registry = TypeRegistry()
    registry.register(
        TriggerType(
            type="t", title="T", events=(TriggerEvent(id="e", title="E"),), config_schema=schema
        )
    )

    assert "t" in registry


def held(place, config):
    event = (TriggerEvent(id="e", title="E"),)
    registry = TypeRegistry()
    registry.register(
        TriggerType(
            type="t", title="T", events=event, config_schema=listed()[place]["configSchema"]
        )
    )
    return told(registry.check(trigger(config, type="t", events=("e",))))


@pytest.mark.parametrize(
    "config",
    [
        {},
        {
            "count": {"n": 3, "consecutive": True, "within": "5m"},
            "when": {"running": True},
            "filter": {"projects": ["api"]},
        },
        {"then": {"kind": "event", "event": "turnCompleted", "within": "10m"}},
        {"then": {"kind": "absent", "event": "toolCalled", "for": "5m"}},
        {"then": {"kind": "idle", "for": "3m"}, "count": {"n": MAX_COUNT, "sameInput": True}},
        {"when": {"queuedAtLeast": 1, "toolCallsAtLeast": 3, "turnLongerThan": "10m"}},
        {
            "filter": {
                "sessions": ["s"],
                "providers": ["claude"],
                "owners": ["user:ann"],
                "folders": [],
                "automated": False,
            }
        },
    ],
)
def test_the_session_schema_takes_the_rules_of_the_seed(config):
    assert held(0, config) == []


def test_the_session_schema_refuses_what_no_rule_has():
    assert held(0, {"count": {"n": 0, "witin": "5m"}, "then": {}}) == [
        ("config.count.n", "0 is not at least 1"),
        ("config.count.witin", "unknown key 'witin'; did you mean 'within'?"),
        ("config.then.kind", "missing; expected one of 'event', 'idle', 'absent'"),
    ]


def test_the_watch_schema_holds_numbers_to_at_least_one():
    assert held(1, {"times": 3, "minutes": 0, "toolCalls": 1.0}) == [
        ("config.minutes", "0 is not at least 1"),
        ("config.toolCalls", "1.0 is not a whole number"),
    ]
