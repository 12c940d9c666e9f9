"""A config is held to its type's schema when it is saved: each refusal, named by path."""

import datetime as dt
import subprocess
import sys

import pytest

from plugins.plugin_builders import build_type, refused, registry_of, trigger
from wakeful.errors import MISSING

TEXT = {"type": "string"}


def test_an_unknown_key_is_named_with_the_nearest():
    assert refused({"branch": TEXT}, {"brnach": "main"}) == [
        ("config.brnach", "unknown key 'brnach'; did you mean 'branch'?")
    ]


def test_an_unknown_key_that_is_like_none_is_told_what_there_is():
    assert refused({"branch": TEXT, "tries": TEXT}, {"zzz": 1}) == [
        ("config.zzz", "unknown key 'zzz'; known here: branch, tries")
    ]


def test_a_schema_that_names_no_key_takes_none():
    assert refused({}, {"branch": "main"}) == [
        ("config.branch", "unknown key 'branch'; none is known here")
    ]


def test_every_unknown_key_is_a_problem_of_its_own():
    assert [path for path, _ in refused({"a": TEXT}, {"x": 1, "a": "", "y": 2})] == [
        "config.x",
        "config.y",
    ]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", 3, "text"),
        ("string", None, "text"),
        ("number", "3", "a number"),
        ("number", True, "a number"),
        ("integer", 3.0, "a whole number"),
        ("integer", True, "a whole number"),
        ("integer", 2.5, "a whole number"),
        ("boolean", 1, "true or false"),
        ("boolean", "true", "true or false"),
        ("array", "a", "a list"),
        ("array", {}, "a list"),
        ("object", [], "a map"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(kind, value, expected):
    assert refused({"x": {"type": kind}}, {"x": value}) == [
        ("config.x", f"{value!r} is not {expected}")
    ]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", ""),
        ("number", 3),
        ("number", 3.0),
        ("integer", 10**30),
        ("boolean", False),
        ("array", []),
        ("array", (1, "a", None)),
        ("object", {"any": {"key": 1}}),
    ],
)
def test_a_value_of_the_right_kind_is_accepted(kind, value):
    assert refused({"x": {"type": kind}}, {"x": value}) == []


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_is_finite(value):
    assert refused({"x": {"type": "number"}}, {"x": value}) == [
        ("config.x", f"{value!r} is not a number")
    ]


def test_a_value_outside_the_choices_is_refused():
    assert refused({"x": {"enum": ["main", "dev"]}}, {"x": "mian"}) == [
        ("config.x", "'mian' is not one of 'main', 'dev'")
    ]


def test_a_choice_of_another_kind_is_told_by_its_kind():
    assert refused({"x": {"enum": ["main", "dev"]}}, {"x": 1}) == [("config.x", "1 is not text")]


@pytest.mark.parametrize("value", [True, 1.0])
def test_whole_choices_are_whole(value):
    assert refused({"x": {"enum": [1, 2]}}, {"x": value}) == [
        ("config.x", f"{value!r} is not a whole number")
    ]


def test_choices_of_mixed_kinds_are_told_apart():
    assert refused({"x": {"enum": [0, "a", None]}}, {"x": False}) == [
        ("config.x", "False is not one of 0, 'a', None")
    ]
    assert refused({"x": {"enum": [0, "a", None]}}, {"x": None}) == []


def test_dynamic_choices_hold_the_kind_alone():
    described = {"type": "string", "enum": ["main"], "enumDynamic": True}

    assert refused({"x": described}, {"x": "anything"}) == []
    assert refused({"x": described}, {"x": 3}) == [("config.x", "3 is not text")]


@pytest.mark.parametrize(
    ("bound", "limit", "kept", "broken", "expected"),
    [
        ("minimum", 1, 1, 0, "0 is not at least 1"),
        ("maximum", 1, 1, 2, "2 is not at most 1"),
        ("exclusiveMinimum", 1, 2, 1, "1 is not more than 1"),
        ("exclusiveMaximum", 1, 0, 1, "1 is not less than 1"),
        ("minLength", 2, "ab", "a", "'a' is not text of at least 2 characters"),
        ("maxLength", 1, "ä", "ab", "'ab' is not text of at most 1 character"),
        ("minItems", 1, [0], [], "[] is not a list of at least 1 entry"),
        ("maxItems", 2, [0, 0], [0, 0, 0], "[0, 0, 0] is not a list of at most 2 entries"),
    ],
)
def test_a_broken_bound_is_refused(bound, limit, kept, broken, expected):
    kind = {"L": "string", "I": "array"}.get(bound[3], "integer")
    described = {"type": kind, bound: limit}

    assert refused({"x": described}, {"x": kept}) == []
    assert refused({"x": described}, {"x": broken}) == [("config.x", expected)]


def test_what_is_required_and_missing_is_named():
    assert refused({"branch": TEXT}, {}, required=["branch"]) == [
        ("config.branch", "missing; expected text")
    ]


def test_a_missing_choice_is_told_its_choices():
    assert refused({"x": {"enum": ["a", "b"]}}, {}, required=["x"]) == [
        ("config.x", "missing; expected one of 'a', 'b'")
    ]


def test_everything_that_is_missing_is_named_at_once():
    assert [
        path for path, _ in refused({"a": {}, "b": {}, "c": {}}, {"b": 1}, ["c", "b", "a"])
    ] == [
        "config.c",
        "config.a",
    ]


def test_a_missing_value_is_told_as_missing():
    registry = registry_of(build_type({"a": {}}, required=["a"]))

    assert registry.check(trigger({}))[0].value is MISSING


def test_a_default_does_not_stand_in_for_what_is_required():
    assert refused({"a": {"type": "string", "default": "x"}}, {}, ["a"]) == [
        ("config.a", "missing; expected text")
    ]


def test_a_read_only_value_is_not_to_be_given():
    assert refused({"id": {"type": "string", "readOnly": True}}, {"id": "x"}) == [
        ("config.id", "is read-only: the plugin sets it")
    ]


def test_a_read_only_value_may_be_its_default():
    described = {"type": "integer", "readOnly": True, "default": 1}

    assert refused({"id": described}, {"id": 1}) == []
    assert refused({"id": described}, {}) == []
    assert refused({"id": described}, {"id": 2}) == [
        ("config.id", "is read-only: the plugin sets it")
    ]


@pytest.mark.parametrize("value", [True, 1.0, "1"])
def test_a_read_only_value_that_only_looks_like_its_default_is_refused(value):
    assert refused({"x": {"readOnly": True, "default": 1}}, {"x": value}) == [
        ("config.x", "is read-only: the plugin sets it")
    ]


def test_an_object_that_is_closed_and_names_no_key_takes_none():
    assert refused({"x": {"type": "object", "additionalProperties": False}}, {"x": {"a": 1}}) == [
        ("config.x.a", "unknown key 'a'; none is known here")
    ]


def test_nested_objects_are_held_to_their_own_properties():
    described = {
        "type": "object",
        "properties": {"branch": TEXT, "tries": {"type": "integer"}},
        "required": ["branch"],
    }

    assert refused({"a": described}, {"a": {"tires": 1, "tries": "1"}}) == [
        ("config.a.tires", "unknown key 'tires'; did you mean 'tries'?"),
        ("config.a.tries", "'1' is not a whole number"),
        ("config.a.branch", "missing; expected text"),
    ]


def test_entries_of_a_list_are_named_by_their_place():
    described = {"type": "object", "properties": {"b": {"type": "array", "items": TEXT}}}

    assert refused({"a": described}, {"a": {"b": [1, "x", None]}}) == [
        ("config.a.b[0]", "1 is not text"),
        ("config.a.b[2]", "None is not text"),
    ]


def test_lists_of_objects_and_lists_of_lists_are_held_too():
    lists = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    objects = {"type": "array", "items": {"type": "object", "properties": {"b": TEXT}}}

    assert refused({"x": lists, "y": objects}, {"x": [[1], [1, "2"]], "y": [{"c": 1}]}) == [
        ("config.x[1][1]", "'2' is not a whole number"),
        ("config.y[0].c", "unknown key 'c'; known here: b"),
    ]


def test_a_key_that_is_no_word_is_quoted_in_the_path():
    assert [path for path, _ in refused({}, {"a.b": 1, "": 2, "c d": 3})] == [
        'config["a.b"]',
        'config[""]',
        'config["c d"]',
    ]


def test_a_key_that_is_no_text_is_named():
    assert refused({}, {1: "x"}) == [('config["1"]', "unknown key 1; none is known here")]
    assert refused({"x": {}}, {"x": {1: "a"}}) == [('config.x["1"]', "1 is not a key of text")]


def test_problems_come_in_the_order_of_the_config():
    properties = {"a": TEXT, "b": TEXT, "c": TEXT, "d": TEXT}

    assert [path for path, _ in refused(properties, {"c": 1, "x": 1, "a": 1}, ["b"])] == [
        "config.c",
        "config.x",
        "config.a",
        "config.b",
    ]


@pytest.mark.parametrize("config", [[], "main", 3])
def test_a_config_is_a_map(config):
    assert refused({"x": TEXT}, config) == [("config", f"{config!r} is not a map")]


def test_a_date_of_yaml_is_named_once():
    day = dt.date(2026, 10, 7)

    assert refused({"x": TEXT}, {"x": day}) == [("config.x", f"{day!r} is not text")]
    assert refused({"x": {}}, {"x": day}) == [
        ("config.x", f"{day!r} is not plain data, as JSON can hold it")
    ]


def deep(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def test_a_config_that_holds_itself_is_refused():
    config: dict = {"x": {}}
    config["x"]["again"] = config["x"]

    assert refused({"x": {}, "y": TEXT}, config) == [("config.x", "is not nested at most 64 deep")]


def test_a_config_that_is_very_deep_is_refused_and_can_be_shown():
    problem = registry_of(build_type({"x": {}})).check(trigger({"x": deep(100_000)}))[0]

    assert str(problem) == "config.x: is not nested at most 64 deep"


def test_a_config_of_shared_parts_that_unfolds_without_end_is_refused():
    value: list = [0] * 10
    for _ in range(20):
        value = [value] * 10

    assert refused({"x": {}}, {"x": value}) == [("config.x", "is not of at most 100000 values")]


IMPORTS = """
import sys
from wakeful.plugins import TypeRegistry, list_trigger_definitions
from wakeful.model.triggers import TriggerEvent, TriggerType
def loaded(): return sorted(name for name in ("jsonschema", "cattrs") if name in sys.modules)
registry = TypeRegistry()
event = (TriggerEvent(id="e", title="E"),)
registry.register(TriggerType(type="plain", title="Plain", events=event), "p")
list_trigger_definitions(registry)
print(loaded())
registry.register(TriggerType(type="b", title="B", events=event, config_schema={}), "p")
print(loaded())
"""


def test_jsonschema_is_imported_with_the_first_type_that_has_a_schema():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], check=True, capture_output=True, text=True
    )

    assert done.stdout.split("\n")[:2] == ["[]", "['jsonschema']"]
