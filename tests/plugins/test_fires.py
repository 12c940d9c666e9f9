"""What a plugin may fire (semantics 11.3), and what a matcher says to it."""

import collections
import json

import pytest

from plugins.plugin_builders import build_type, registry_of, told, trigger
from wakeful.errors import InvalidError
from wakeful.plugins import FireReason, TypeRegistry, Verdict, freeze


def refusals(type="build", event="failed", data=None, by="ci", registry=None):  # noqa: A002
    registry = registry_of(build_type()) if registry is None else registry
    found = registry.check_fire(type, event, {} if data is None else data, by)
    return [(each.reason, each.problem.path, each.problem.sentence) for each in found]


def test_a_plugin_fires_its_own_type():
    assert refusals(data={"branch": "main"}) == []


def test_an_event_without_a_plugin_is_fired_by_the_types_owner():
    assert refusals(by=None) == []


@pytest.mark.parametrize("by", ["ci", "chat", None])
def test_anyone_may_fire_a_type_without_an_owner(by):
    registry = TypeRegistry()
    registry.register(build_type())

    assert refusals(by=by, registry=registry) == []


def test_a_plugin_that_fires_the_type_of_another_is_refused():
    assert refusals(by="chat") == [
        (FireReason.NOT_ITS_OWNER, "by", "the type 'build' is the plugin 'ci''s")
    ]


def test_an_event_that_the_type_does_not_offer_is_refused():
    assert refusals(event="faild") == [
        (
            FireReason.UNKNOWN_EVENT,
            "event",
            "unknown build event 'faild'; did you mean 'failed'?",
        )
    ]


def test_a_type_that_is_not_registered_cannot_be_fired():
    assert refusals(type="biuld") == [
        (FireReason.UNKNOWN_TYPE, "type", "unknown type 'biuld'; did you mean 'build'?")
    ]


@pytest.mark.parametrize("data", [[], "main", 3, [("a", 1)]])
def test_data_is_a_map(data):
    assert refusals(data=data) == [(FireReason.BAD_DATA, "data", f"{data!r} is not a map")]


def test_data_is_plain():
    assert refusals(data={"a": {1: object}, "b": [float("inf")]}) == [
        (FireReason.BAD_DATA, 'data.a["1"]', "1 is not a key of text"),
        (
            FireReason.BAD_DATA,
            'data.a["1"]',
            "<class 'object'> is not plain data, as JSON can hold it",
        ),
        (FireReason.BAD_DATA, "data.b[0]", "inf is not a finite number"),
    ]


def test_data_that_holds_itself_is_refused():
    data: dict = {}
    data["again"] = data

    assert refusals(data=data) == [
        (FireReason.BAD_DATA, "data.again", "is not nested at most 64 deep")
    ]


def test_everything_wrong_with_a_fire_is_told():
    assert [reason for reason, _, _ in refusals(by="chat", event="zzz", data=[1])] == [
        "notItsOwner",
        "unknownEvent",
        "badData",
    ]


def answer(matcher, config=None, data=None, properties=None):
    registry = TypeRegistry()
    registry.register(build_type(properties), "ci", matcher)
    return registry.bind(trigger(config)).ask(freeze({} if data is None else data))


def on_branch(config, data):
    return config["branch"] == data["branch"]


def test_without_a_matcher_every_event_of_the_type_wakes():
    assert answer(None, {"branch": "main"}, {"branch": "dev"}).wakes


def test_a_matcher_says_which_events_concern_a_trigger():
    assert answer(on_branch, {"branch": "main"}, {"branch": "main"}).verdict is Verdict.WAKES
    assert answer(on_branch, {"branch": "main"}, {"branch": "dev"}).verdict is Verdict.NO_MATCH


def test_a_matcher_that_raises_is_reported_and_counts_as_no_match():
    found = answer(on_branch, {"branch": "main"}, {})

    assert (found.verdict, found.wakes) == (Verdict.FAULT, False)
    assert told(found.problems) == [("", "the matcher of build raised KeyError: 'branch'")]
    assert isinstance(found.error, KeyError)


@pytest.mark.parametrize("said", [None, 1, "yes", []])
def test_a_matcher_answers_true_or_false(said):
    found = answer(lambda config, data: said)

    assert found.verdict is Verdict.FAULT
    assert told(found.problems) == [
        ("", f"the matcher of build answered {said!r}, not True or False")
    ]


class Awkward(Exception):  # noqa: N818 - it is not about an error
    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


def test_an_exception_that_cannot_be_shown_is_reported_by_its_name():
    def matcher(config, data):
        raise Awkward

    assert told(answer(matcher).problems) == [("", "the matcher of build raised Awkward")]


def test_an_answer_that_cannot_be_shown_is_reported_by_its_kind():
    assert told(answer(lambda config, data: Awkward()).problems) == [
        ("", "the matcher of build answered an object of Awkward, not True or False")
    ]


def test_a_matcher_that_exits_is_not_held_back():
    def matcher(config, data):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer(matcher)


def test_a_matcher_that_raises_stops_nobody_else():
    registry = TypeRegistry()
    registry.register(build_type(), "ci", on_branch)
    data = freeze({"branch": "main"})
    answers = [
        registry.bind(trigger(config)).ask(data).wakes for config in ({}, {"branch": "main"})
    ]

    assert answers == [False, True]


CHANGES = {
    "sets a key": lambda value: value.__setitem__("new", 1),
    "deletes a key": lambda value: value.__delitem__("a"),
    "sets a nested key": lambda value: value["a"].__setitem__("b", 1),
    "clears": lambda value: value.clear(),
    "appends": lambda value: value["list"].append(1),
    "sets an entry": lambda value: value["list"].__setitem__(0, 1),
    "sets a key in a list": lambda value: value["list"][0].__setitem__("b", 1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("part", ["config", "data"])
def test_a_matcher_cannot_change_what_it_is_handed(change, part):
    given = {"a": {"b": 0}, "list": [{"b": 0}]}

    def matcher(config, data):
        change(config if part == "config" else data)
        return True

    before = json.dumps(given)
    found = answer(matcher, given, given)

    assert found.verdict is Verdict.FAULT
    assert isinstance(found.error, TypeError | AttributeError)
    assert json.dumps(given) == before


def test_a_matcher_is_handed_copies():
    config, data, handed = {"a": [1]}, {"b": [1]}, []
    registry = TypeRegistry()
    registry.register(
        build_type(), "ci", lambda config, data: bool(handed.append((config, data))) or True
    )
    bound, frozen = registry.bind(trigger(config)), freeze(data)
    config["a"].append(2)
    data["b"].append(2)
    bound.ask(frozen)

    assert handed == [({"a": (1,)}, {"b": (1,)})]


def seen(properties, config):
    handed = []
    answer(lambda config, data: bool(handed.append(config)), config, properties=properties)
    return handed[0]


def test_a_matcher_sees_defaults_where_keys_are_left_out():
    properties = {"branch": {"type": "string", "default": "main"}, "tries": {"type": "integer"}}

    assert seen(properties, {}) == {"branch": "main"}
    assert seen(properties, {"branch": "dev", "tries": 1}) == {"branch": "dev", "tries": 1}


def test_defaults_are_filled_in_at_every_level():
    one = {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}}
    properties = {
        "given": one,
        "left_out": one,
        "from_default": {**one, "default": {}},
        "list": {"type": "array", "items": one},
    }

    assert seen(properties, {"given": {}, "list": [{}, {"b": 2}]}) == {
        "given": {"b": 1},
        "list": ({"b": 1}, {"b": 2}),
        "from_default": {"b": 1},
    }


def test_defaults_are_not_written_into_the_saved_config():
    config: dict = {}
    seen({"branch": {"type": "string", "default": "main"}}, config)

    assert config == {}


def test_a_matcher_can_be_known_before_its_type_is_registered():
    registry = TypeRegistry(matchers={"build": on_branch})
    registry.register(build_type(), "ci")

    assert not registry.bind(trigger({"branch": "main"})).ask(freeze({"branch": "dev"})).wakes


def test_a_matcher_given_with_the_type_goes_first():
    registry = TypeRegistry(matchers={"build": on_branch})
    registry.register(build_type(), "ci", lambda config, data: True)

    assert registry.bind(trigger({"branch": "main"})).ask(freeze({"branch": "dev"})).wakes


def test_any_kind_of_map_can_be_frozen():
    frozen = freeze(collections.OrderedDict(a=collections.ChainMap({"b": (1, [2])})))

    assert frozen == {"a": {"b": (1, (2,))}}


def test_what_is_not_plain_cannot_be_frozen():
    with pytest.raises(InvalidError) as caught:
        freeze({"a": {1, 2}})

    assert told(caught.value.problems) == [("a", "{1, 2} is not plain data, as JSON can hold it")]
