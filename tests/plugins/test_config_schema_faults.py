"""What is refused of a schema when its type is registered, each named by path."""

import pytest

from plugins.plugin_builders import EVENTS, build_type, told
from wakeful.errors import InvalidError
from wakeful.model.triggers import TriggerType
from wakeful.plugins import TypeRegistry

PROPERTY = "configSchema.properties.x"


def faults_of_schema(schema):
    definition = TriggerType(type="build", title="Builds", events=EVENTS, config_schema=schema)
    try:
        TypeRegistry().register(definition)
    except InvalidError as error:
        return told(error.problems)
    return []


def faults_of(described):
    return faults_of_schema({"type": "object", "properties": {"x": described}})


@pytest.mark.parametrize(
    "described",
    [
        {},
        {"title": "Anything"},
        {"type": "string", "title": "X", "description": "d", "default": "a", "enum": ["a", "b"]},
        {"enum": ["a", "b"], "enumLabels": ["A", "B"], "enumDescriptions": ["first", "second"]},
        {"type": "string", "enum": ["a"], "enumDynamic": True, "default": "b"},
        {"type": "string", "enum": ["a", "b"], "readOnly": True, "default": "a"},
        {"type": "number", "minimum": 0, "maximum": 0},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
        {"type": "integer", "minimum": 0.5, "default": 1},
        {"type": "string", "minLength": 0, "maxLength": 3},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1},
        {"type": "array"},
        {"type": "object", "properties": {"y": {"type": "boolean"}}, "required": ["y"]},
        {"type": "object", "additionalProperties": False},
        {"type": "boolean", "readOnly": True, "deprecated": True, "sessionMutable": True},
        {"type": "string", "format": "uri", "examples": ["a"], "$comment": "c"},
        {"type": "string", "x-ahpd-connector": "ci", "x-anything": {"at": "all"}},
    ],
)
def test_a_property_that_can_be_meant_is_accepted(described):
    assert faults_of(described) == []


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}, "required": []}])
def test_a_schema_may_describe_nothing(schema):
    assert faults_of_schema(schema) == []


@pytest.mark.parametrize("schema", [[], "object", True])
def test_a_schema_is_a_map(schema):
    assert faults_of_schema(schema) == [
        ("configSchema", f"{schema!r} is not a map that describes properties")
    ]


def test_a_schema_describes_an_object():
    assert faults_of_schema({"type": "string"}) == [
        ("configSchema.type", "'string' is not 'object'")
    ]


def test_properties_written_without_their_map_are_named():
    known = (
        "type, $schema, title, description, $comment, properties, required, additionalProperties"
    )

    assert faults_of_schema({"branch": {"type": "string"}}) == [
        ("configSchema.branch", f"unknown keyword 'branch'; known here: {known}")
    ]


@pytest.mark.parametrize("described", [True, "string", ["string"], None])
def test_a_property_is_a_map(described):
    assert faults_of(described) == [
        (PROPERTY, f"{described!r} is not a map that describes a property")
    ]


@pytest.mark.parametrize("name", ["text", "null", ["string"], 3])
def test_a_type_is_one_of_six(name):
    assert faults_of({"type": name}) == [
        (
            f"{PROPERTY}.type",
            f"{name!r} is not one of 'string', 'number', 'integer', 'boolean', 'array', 'object'",
        )
    ]


@pytest.mark.parametrize(
    ("key", "nearest"), [("minimun", "minimum"), ("readonly", "readOnly"), ("item", "items")]
)
def test_an_unknown_keyword_is_named_with_the_nearest(key, nearest):
    assert faults_of({key: 1}) == [
        (f"{PROPERTY}.{key}", f"unknown keyword {key!r}; did you mean {nearest!r}?")
    ]


@pytest.mark.parametrize("key", ["oneOf", "pattern", "uniqueItems", "const"])
def test_a_keyword_that_would_not_be_held_to_is_refused(key):
    assert [path for path, _ in faults_of({key: []})] == [f"{PROPERTY}.{key}"]


@pytest.mark.parametrize("reference", ["https://example.com/schema.json", "#/properties/x"])
def test_a_schema_refers_to_nothing(reference):
    path, sentence = faults_of({"$ref": reference})[0]

    assert path == f"{PROPERTY}.$ref"
    assert sentence.endswith("a schema stands alone")


@pytest.mark.parametrize(
    ("described", "path", "sentence"),
    [
        ({"title": 3}, "title", "3 is not text"),
        ({"description": None}, "description", "None is not text"),
        ({"enum": []}, "enum", "[] is not a list of at least one value"),
        ({"enum": "a"}, "enum", "'a' is not a list of at least one value"),
        ({"enumDynamic": 1}, "enumDynamic", "1 is not true or false"),
        ({"readOnly": "yes"}, "readOnly", "'yes' is not true or false"),
        ({"type": "number", "minimum": "0"}, "minimum", "'0' is not a finite number"),
        ({"type": "number", "maximum": True}, "maximum", "True is not a finite number"),
        (
            {"type": "string", "minLength": -1},
            "minLength",
            "-1 is not a whole number, at least 0",
        ),
        (
            {"type": "string", "maxLength": 3.0},
            "maxLength",
            "3.0 is not a whole number, at least 0",
        ),
        ({"type": "array", "maxItems": True}, "maxItems", "True is not a whole number, at least 0"),
        (
            {"type": "array", "items": [{"type": "string"}]},
            "items",
            "[{'type': 'string'}] is not a property that describes each entry",
        ),
        ({"type": "object", "properties": []}, "properties", "[] is not a map of properties"),
        ({"type": "object", "required": True}, "required", "True is not a list of names"),
        (
            {"type": "object", "additionalProperties": True},
            "additionalProperties",
            "True is not false: keys that are not named are refused",
        ),
        (
            {"type": "string", "x-ahpd-connector": ""},
            "x-ahpd-connector",
            "'' is not the name of an adapter",
        ),
    ],
)
def test_a_keyword_has_its_kind_of_value(described, path, sentence):
    assert faults_of(described) == [(f"{PROPERTY}.{path}", sentence)]


@pytest.mark.parametrize(
    ("described", "sentence"),
    [
        (
            {"type": "string", "minimum": 1},
            "minimum is for the type 'number' or 'integer', not 'string'",
        ),
        ({"type": "number", "maxLength": 1}, "maxLength is for the type 'string', not 'number'"),
        ({"type": "string", "items": {}}, "items is for the type 'array', not 'string'"),
        ({"type": "array", "properties": {}}, "properties is for the type 'object', not 'array'"),
        ({"minItems": 1}, "minItems is for the type 'array', which the property does not have"),
        (
            {"type": "array", "x-ahpd-connector": "ci"},
            "x-ahpd-connector is for the type 'string', not 'array'",
        ),
    ],
)
def test_a_keyword_belongs_to_its_type(described, sentence):
    assert [told for _, told in faults_of(described)] == [sentence]


@pytest.mark.parametrize(
    ("described", "path", "sentence"),
    [
        (
            {"type": "integer", "minimum": 2, "maximum": 1},
            "maximum",
            "1 is not at least minimum, 2",
        ),
        (
            {"type": "number", "minimum": 1, "exclusiveMaximum": 1},
            "exclusiveMaximum",
            "1 is not above minimum, 1",
        ),
        (
            {"type": "string", "minLength": 2, "maxLength": 1},
            "maxLength",
            "1 is not at least minLength, 2",
        ),
        (
            {"type": "array", "minItems": 2, "maxItems": 1},
            "maxItems",
            "1 is not at least minItems, 2",
        ),
    ],
)
def test_bounds_leave_room_between_them(described, path, sentence):
    assert faults_of(described) == [(f"{PROPERTY}.{path}", sentence)]


@pytest.mark.parametrize(
    ("described", "path", "sentence"),
    [
        ({"type": "string", "default": 3}, "default", "3 is not text"),
        ({"type": "integer", "default": 3.0}, "default", "3.0 is not a whole number"),
        ({"type": "integer", "minimum": 1, "default": 0}, "default", "0 is not at least 1"),
        ({"type": "string", "enum": ["a"], "default": "b"}, "default", "'b' is not 'a'"),
        ({"type": "integer", "enum": [1, True]}, "enum[1]", "True is not a whole number"),
        ({"type": "integer", "maximum": 1, "enum": [1, 2]}, "enum[1]", "2 is not at most 1"),
        (
            {"type": "array", "items": {"type": "string"}, "default": ["a", 1]},
            "default[1]",
            "1 is not text",
        ),
    ],
)
def test_defaults_and_choices_are_held_to_their_own_property(described, path, sentence):
    assert faults_of(described) == [(f"{PROPERTY}.{path}", sentence)]


def test_a_required_name_is_one_of_the_properties():
    assert faults_of_schema({"properties": {"branch": {}}, "required": ["branch", "brnch"]}) == [
        ("configSchema.required[1]", "unknown property 'brnch'; did you mean 'branch'?")
    ]


def test_what_can_never_be_given_is_not_required():
    assert faults_of_schema(
        {"properties": {"id": {"type": "string", "readOnly": True}}, "required": ["id"]}
    ) == [
        (
            "configSchema.required[0]",
            "'id' is required, but read-only and without a default",
        )
    ]


def test_labels_are_as_many_as_choices():
    assert faults_of({"enum": ["a", "b"], "enumLabels": ["A"]}) == [
        (f"{PROPERTY}.enumLabels", "['A'] is not as many texts as enum has values, 2")
    ]


def test_a_connector_has_no_choices_of_the_plugins():
    assert faults_of({"type": "string", "x-ahpd-connector": "ci", "enum": ["a"]}) == [
        (f"{PROPERTY}.enum", "a connector's choices are the host's: leave enum out")
    ]


def test_faults_are_found_at_every_level():
    described = {
        "type": "object",
        "properties": {
            "a.b": {"type": "array", "items": {"type": "object", "properties": {"y": {"typ": 1}}}}
        },
    }

    assert [path for path, _ in faults_of(described)] == [
        f'{PROPERTY}.properties["a.b"].items.properties.y.typ'
    ]


def test_a_schema_that_holds_itself_is_refused():
    described: dict = {"type": "array"}
    described["items"] = described

    assert faults_of(described) == [("configSchema.properties", "is not nested at most 64 deep")]


def test_a_schema_is_plain_data():
    assert faults_of({"default": {1, 2}}) == [
        (f"{PROPERTY}.default", "{1, 2} is not plain data, as JSON can hold it")
    ]


def test_a_good_type_after_a_bad_one_is_registered():
    registry = TypeRegistry()
    with pytest.raises(InvalidError):
        registry.register(build_type({"x": {"type": "text"}}))

    assert registry.register(build_type({"x": {"type": "string"}})).by is None
