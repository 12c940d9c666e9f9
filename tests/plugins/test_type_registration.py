"""Registering and removing types (semantics 11.1 and 11.2)."""

import pytest

from plugins.plugin_builders import EVENTS, build_type, refused, registry_of, told, trigger
from wakeful.errors import MISSING, InvalidError
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.plugins import TypeRegistry


def refusal(definition: TriggerType, by: str | None = "ci", registry: TypeRegistry | None = None):
    registry = TypeRegistry() if registry is None else registry
    with pytest.raises(InvalidError) as caught:
        registry.register(definition, by)
    return told(caught.value.problems)


def test_a_type_is_registered_with_its_owner():
    registered = TypeRegistry().register(build_type(), "ci")

    assert (registered.definition, registered.by) == (build_type(), "ci")


def test_types_are_kept_in_order_of_registration():
    registry = registry_of(build_type(type="z"), build_type(type="a"))

    assert [each.definition.type for each in registry] == ["z", "a"]


def test_a_registered_type_is_found_by_name():
    registry = registry_of(build_type())

    assert "build" in registry
    assert registry.get("build") is next(iter(registry))
    assert registry.get("deploy") is None
    assert len(registry) == 1


def test_an_event_of_a_type_is_found_with_its_title():
    registered = TypeRegistry().register(build_type(), "ci")

    assert registered.event("fixed") is EVENTS[1]
    assert registered.event("built") is None


@pytest.mark.parametrize("name", ["session", "watch"])
def test_the_types_of_the_host_are_taken(name):
    assert refusal(build_type(type=name)) == [("type", f"{name!r} is a type of the host's own")]


@pytest.mark.parametrize("by", ["ci", "other", None])
def test_a_second_registration_is_refused_and_the_first_stays(by):
    registry = registry_of(build_type(title="First"))

    assert refusal(build_type(title="Second"), by, registry) == [
        ("type", "'build' is registered already")
    ]
    assert registry.get("build").definition.title == "First"


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_type_needs_a_name(name):
    assert refusal(build_type(type=name)) == [("type", f"{name!r} is not a name for the type")]


@pytest.mark.parametrize("by", ["", 3])
def test_an_owner_that_is_given_has_a_name(by):
    assert refusal(build_type(), by) == [("by", f"{by!r} is not a plugin's name")]


def test_a_type_needs_a_title():
    assert refusal(build_type(title=" ")) == [("title", "' ' is not a title")]


def test_a_missing_title_is_told_as_missing():
    with pytest.raises(InvalidError) as caught:
        TypeRegistry().register(build_type(title=None))

    assert caught.value.problems[0].value is MISSING


def test_a_type_needs_an_event():
    assert refusal(build_type(events=())) == [("events", "[] is not at least one event")]


def test_event_ids_are_unique():
    twice = (EVENTS[0], EVENTS[1], TriggerEvent(id="failed", title="Again"))

    assert refusal(build_type(events=twice)) == [
        ("events[2].id", "two events have the id 'failed'")
    ]


def test_two_events_may_share_a_title():
    alike = (TriggerEvent(id="a", title="Built"), TriggerEvent(id="b", title="Built"))

    assert len(TypeRegistry().register(build_type(events=alike)).definition.events) == 2


def test_events_need_ids_and_titles():
    assert refusal(build_type(events=(TriggerEvent(id="", title=""),))) == [
        ("events[0].id", "'' is not an id"),
        ("events[0].title", "'' is not a title"),
    ]


def test_descriptions_are_text():
    events = (TriggerEvent(id="failed", title="Failed", description=[]),)

    assert refusal(build_type(events=events, description=7)) == [
        ("description", "7 is not text"),
        ("events[0].description", "[] is not text"),
    ]


def test_every_problem_is_told_not_the_first():
    bad = build_type({"branch": {"type": "text"}}, type="watch", title="", events=())

    assert [path for path, _ in refusal(bad, "")] == [
        "type",
        "by",
        "title",
        "events",
        "configSchema.properties.branch.type",
    ]


def test_a_refused_type_leaves_no_trace():
    registry = TypeRegistry()
    refusal(build_type(title=""), registry=registry)

    assert list(registry) == []


def test_the_registry_keeps_its_own_copy_of_the_schema():
    properties = {"branch": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    registry = TypeRegistry()
    registry.register(TriggerType(type="b", title="B", events=EVENTS, config_schema=schema))
    properties["branch"]["type"] = "integer"

    assert registry.check(trigger({"branch": "main"}, type="b")) == ()
    with pytest.raises(TypeError):
        registry.get("b").definition.config_schema["properties"]["new"] = {}


def test_a_trigger_of_an_unregistered_type_is_saved_and_sleeps():
    registry = TypeRegistry()

    assert registry.check(trigger({"anything": 1})) == ()
    assert not registry.admits(trigger({"anything": 1}))
    assert registry.bind(trigger()) is None


def test_a_trigger_saved_before_its_type_works_when_it_is_registered():
    registry = registry_of(build_type({"branch": {"type": "string"}}))

    assert registry.admits(trigger({"branch": "main"}))
    assert registry.bind(trigger({"branch": "main"})).ask({}).wakes


def test_a_trigger_saved_before_its_type_sleeps_on_if_its_config_fails():
    registry = registry_of(build_type({"branch": {"type": "string"}}))

    assert not registry.admits(trigger({"branch": 7}))
    assert registry.bind(trigger({"branch": 7})) is None


def test_a_type_without_a_schema_takes_any_config():
    assert registry_of(build_type()).admits(trigger({"any": {"thing": [1, None]}}))


def test_a_config_of_a_type_without_a_schema_is_plain_data_all_the_same():
    problems = registry_of(build_type()).check(trigger({"any": {3, 4}}))

    assert told(problems) == [("config.any", "{3, 4} is not plain data, as JSON can hold it")]


def test_a_config_of_a_type_without_a_schema_is_a_map_all_the_same():
    assert told(registry_of(build_type()).check(trigger([1]))) == [("config", "[1] is not a map")]


def test_removing_a_type_puts_its_triggers_to_sleep():
    registry = registry_of(build_type())

    assert registry.remove("build")
    assert not registry.admits(trigger())


def test_registering_a_removed_type_wakes_its_triggers_again():
    registry = registry_of(build_type())
    registry.remove("build")
    registry.register(build_type(), "other")

    assert registry.admits(trigger())
    assert registry.get("build").by == "other"


def test_a_type_that_is_registered_again_goes_last():
    registry = registry_of(build_type(type="a"), build_type(type="b"))
    registry.remove("a")
    registry.register(build_type(type="a"), "ci")

    assert [each.definition.type for each in registry] == ["b", "a"]


def test_removing_what_is_not_registered_does_nothing():
    assert not registry_of(build_type()).remove("deploy")


def test_a_plugin_cannot_remove_the_type_of_another():
    registry = registry_of(build_type())

    with pytest.raises(InvalidError) as caught:
        registry.remove("build", by="chat")
    assert told(caught.value.problems) == [("by", "the type 'build' is the plugin 'ci''s")]
    assert "build" in registry


def test_an_event_that_the_type_does_not_offer_is_refused_and_named():
    registry = registry_of(build_type())

    assert told(registry.check(trigger(events=("failed", "fixd")))) == [
        ("events[1].id", "unknown build event 'fixd'; did you mean 'fixed'?")
    ]


def test_an_event_that_is_like_none_is_told_what_there_is():
    problem = registry_of(build_type()).check(trigger(events=("zzz",)))[0]

    assert problem.sentence == "unknown build event 'zzz'; known here: failed, fixed"
    assert problem.expected == "one of 'failed', 'fixed'"


def test_an_event_that_is_offered_no_more_stops_no_other():
    assert registry_of(build_type()).admits(trigger(events=("gone", "failed")))


def test_paths_start_where_the_trigger_stands():
    registry = registry_of(build_type({"branch": {"type": "string"}}))

    problems = registry.check(
        trigger({"branch": 1, "brnch": 2}, events=("zzz",)), path="triggers[3]"
    )
    assert [problem.path for problem in problems] == [
        "triggers[3].events[0].id",
        "triggers[3].config.branch",
        "triggers[3].config.brnch",
    ]


def test_a_good_trigger_is_refused_nothing():
    assert refused({"branch": {"type": "string"}}, {"branch": "main"}) == []
