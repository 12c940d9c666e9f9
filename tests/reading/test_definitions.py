"""What definitions mean, once read."""

import pytest

from reading.refusals import good, put
from wakeful.errors import InvalidError
from wakeful.model.automations import AfterDate, AfterRuns, AutomationDefinition, Message
from wakeful.model.rules import (
    AbsentFor,
    Count,
    EventWithin,
    Filter,
    IdleFor,
    SessionRule,
    When,
)
from wakeful.model.time import MINUTE
from wakeful.model.triggers import EventLabel, PluginTrigger, ScheduleTrigger, SessionTrigger
from wakeful.presets import PRESETS
from wakeful.reading import (
    read_automation,
    read_declared_type,
    read_definition,
    read_trigger_type,
)

SEED = {
    "title": "Fix the failing tests",
    "enabled": True,
    "message": {"text": "{{event}} in {{sessionTitle}}: look at it."},
    "session": {"provider": "claude", "workingDirectories": ["file:///work/api"]},
    "triggers": [
        {
            "id": "t1",
            "kind": "event",
            "type": "session",
            "title": "Failing tests",
            "events": [{"id": "toolFailed"}],
            "config": {
                "count": {"n": 3, "consecutive": True, "within": "5m"},
                "when": {"running": True},
                "filter": {"projects": ["api"]},
            },
        }
    ],
}


def session_trigger(config, *events):
    data = {
        "id": "t",
        "kind": "event",
        "type": "session",
        "events": [{"id": event} for event in events or ["toolFailed"]],
        "config": config,
    }
    return read_definition({**SEED, "triggers": [data]}).triggers[0]


def watch(config, *presets):
    data = {
        "id": "t",
        "kind": "event",
        "type": "watch",
        "events": [{"id": preset} for preset in presets],
        "config": config,
    }
    return dict(read_definition({**SEED, "triggers": [data]}).triggers[0].rules)


def test_the_seed_s_example():
    assert read_definition(SEED) == AutomationDefinition(
        title="Fix the failing tests",
        message=Message(text="{{event}} in {{sessionTitle}}: look at it."),
        session={"provider": "claude", "workingDirectories": ["file:///work/api"]},
        triggers=(
            SessionTrigger(
                id="t1",
                events=("toolFailed",),
                title="Failing tests",
                rule=SessionRule(
                    events=frozenset({"toolFailed"}),
                    filter=Filter(projects=frozenset({"api"})),
                    count=Count(n=3, consecutive=True, within=5 * MINUTE),
                    when=When(running=True),
                ),
            ),
        ),
    )


def test_what_is_left_out_has_its_default():
    assert read_definition({"title": "T", "message": {"text": "x"}}) == AutomationDefinition(
        title="T", message=Message(text="x")
    )


@pytest.mark.parametrize("config", [{}, None])
def test_a_rule_without_config_counts_the_event_itself(config):
    data = {"id": "t", "kind": "event", "type": "session", "events": [{"id": "idle"}]}
    if config is not None:
        data["config"] = config
    (trigger,) = read_definition({**SEED, "triggers": [data]}).triggers
    assert trigger.rule == SessionRule(events=frozenset({"idle"}))


def test_a_part_without_keys_is_not_a_part_left_out():
    assert session_trigger({"count": {}}).rule.count == Count()
    assert session_trigger({"filter": {}}).rule.filter == Filter()
    assert session_trigger({"when": {}}).rule.when == When()
    assert session_trigger({}).rule.count is None


def test_an_empty_list_is_not_a_key_left_out():
    assert session_trigger({"filter": {"owners": []}}).rule.filter == Filter(owners=frozenset())


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"kind": "event", "event": "idle", "within": "5m"}, EventWithin("idle", 5 * MINUTE)),
        ({"kind": "absent", "event": "toolCalled", "for": "0s"}, AbsentFor("toolCalled", 0)),
        ({"kind": "idle", "for": "3m"}, IdleFor(3 * MINUTE)),
        ({"kind": "idle", "for": " 600h "}, IdleFor(600 * 60 * MINUTE)),
    ],
)
def test_the_three_follow_ups(written, meant):
    assert session_trigger({"then": written}).rule.then == meant


def test_equal_meaning_is_equal_rules():
    one = session_trigger(
        {"count": {"within": "5m"}, "filter": {"owners": ["b", "a"]}}, "idle", "toolCalled"
    )
    two = session_trigger(
        {"count": {"n": 1, "within": "300s"}, "filter": {"owners": ["a", "b", "a"]}},
        "toolCalled",
        "idle",
    )
    assert one.rule == two.rule


def test_the_largest_n_is_a_million():
    assert session_trigger({"count": {"n": 1_000_000}}).rule.count.n == 1_000_000


def test_each_preset_takes_its_own_number_and_the_common_filter():
    found = watch(
        {"times": 4, "minutes": 7, "filter": {"projects": ["api"]}},
        "failing-tools",
        "idle-after-failure",
        "looks-stuck",
    )
    where = Filter(projects=frozenset({"api"}))
    assert found == {
        "failing-tools": PRESETS["failing-tools"].rule(4, filter=where),
        "idle-after-failure": PRESETS["idle-after-failure"].rule(7, filter=where),
        "looks-stuck": PRESETS["looks-stuck"].rule(4, filter=where),
    }
    assert list(found) == ["failing-tools", "idle-after-failure", "looks-stuck"]


def test_a_number_left_out_is_each_preset_s_own_default():
    assert watch({}, "long-silent-turn", "idle-after-failure") == {
        "long-silent-turn": PRESETS["long-silent-turn"].rule(10),
        "idle-after-failure": PRESETS["idle-after-failure"].rule(3),
    }


def test_a_preset_named_twice_is_one_rule():
    assert list(watch({}, "looks-stuck", "looks-stuck")) == ["looks-stuck"]


def test_a_schedule_with_its_defaults():
    data = {"id": "t", "kind": "schedule", "schedule": {"expression": "0 9 * * *"}}
    assert read_definition({**SEED, "triggers": [data]}).triggers == (
        ScheduleTrigger(
            id="t", expression="0 9 * * *", time_zone="UTC", misfire_policy="runOnce", title=None
        ),
    )


def test_a_plugin_s_trigger_is_kept_as_it_is():
    data = {
        "id": "t",
        "kind": "event",
        "type": "git.push",
        "title": "Pushes",
        "description": "From the forge",
        "events": [{"id": "pushed", "title": "Pushed"}, {"id": "tagged"}],
        "config": {"anything": [{"deep": None}]},
    }
    assert read_definition({**SEED, "triggers": [data]}).triggers == (
        PluginTrigger(
            id="t",
            type="git.push",
            events=("pushed", "tagged"),
            config={"anything": [{"deep": None}]},
            title="Pushes",
            description="From the forge",
            labels=(EventLabel(id="pushed", title="Pushed"),),
        ),
    )


def test_disable_conditions():
    conditions = [
        {"kind": "afterRuns", "max": 5},
        {"kind": "afterDate", "date": "2026-10-01T17:00:00-07:00"},
    ]
    assert read_definition({**SEED, "disableConditions": conditions}).disable_conditions == (
        AfterRuns(max=5),
        AfterDate(date=1_790_899_200_000),
    )


def test_the_message_keeps_its_other_members():
    message = {"text": "x", "origin": {"kind": "automation"}, "attachments": [1]}
    assert read_definition({**SEED, "message": message}).message == Message(
        text="x", extra={"attachments": [1]}
    )


def test_meta_takes_anything_and_keeps_it():
    meta = {"wakeful": {"purpose": "p"}, "ahpd": {"note": [1]}, "": None}
    assert read_definition({**SEED, "_meta": meta}).meta == meta


def test_overlap_and_pinning_are_read_from_the_notes():
    meta = {"ahpd": {"overlap": "steer", "session": "pinned", "pinnedSession": "ahp-session://x"}}
    read = read_definition({**SEED, "_meta": meta})
    assert (read.overlap, read.pinned, read.pinned_session) == ("steer", True, "ahp-session://x")


def test_a_ruleset_s_item_and_the_protocol_s_shape_mean_the_same():
    item = {**SEED, "id": "a", "owner": "user:ann", "overlap": "skip", "pinned": True}
    entry = {
        "resource": "ahp-automation:/a",
        "owner": "user:ann",
        "definition": {**SEED, "_meta": {"ahpd": {"overlap": "skip", "session": "pinned"}}},
    }
    assert read_automation(item) == read_automation(entry)


def test_the_owner_may_stand_in_meta():
    noted = put({**SEED, "id": "a"}, "_meta", {"ahpd.owner": "team:ops"})
    assert read_automation(noted).owner == "team:ops"


@pytest.mark.parametrize(
    "owner", ["user:ann", "team:ops", "project:api", "root:host", "plugin:git"]
)
def test_the_five_forms_of_an_owner(owner):
    assert read_automation({**SEED, "id": "a", "owner": owner}).owner == owner


def test_any_text_is_an_id():
    assert (
        read_automation({**SEED, "id": "Daily Review"}).resource == "ahp-automation:/Daily Review"
    )


def test_what_was_read_is_not_shared_with_what_was_given():
    data = good()
    definition = read_automation(data).definition
    data["_meta"]["kept"].append("later")
    data["session"]["workingDirectories"].clear()
    assert definition.meta["kept"] == [1, None]
    assert definition.session["workingDirectories"] == ["file:///w/api"]


def test_a_declared_type_says_who_may_fire_it():
    data = {"type": "git.push", "title": "Pushes", "events": [{"id": "a", "title": "A"}]}
    declared = read_declared_type({**data, "by": "plugin:git"})
    assert declared.by == "plugin:git"
    assert declared.definition() == read_trigger_type(data)


def test_a_trigger_type_has_no_by_of_its_own():
    data = {"type": "x", "title": "X", "events": [{"id": "a", "title": "A"}], "by": "p"}
    with pytest.raises(InvalidError, match="unknown key 'by'"):
        read_trigger_type(data)
