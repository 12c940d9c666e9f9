"""What is ours, held against a plain model, on schemas and configs that hypothesis makes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from plugins.config_model import cases, refusals, schemas, values
from plugins.plugin_builders import EVENTS, trigger
from wakeful.errors import MISSING, InvalidError
from wakeful.model.triggers import TriggerType
from wakeful.plugins import TypeRegistry, freeze
from wakeful.plugins.frozen import plain
from wakeful.plugins.schema import translate

WORDS = {
    "unknown key": "unknown",
    "missing": "missing",
    "is read-only": "readOnly",
    "more than": "exclusiveMinimum",
    "less than": "exclusiveMaximum",
    "text of at least": "minLength",
    "text of at most": "maxLength",
    "a list of at least": "minItems",
    "a list of at most": "maxItems",
    "at least": "minimum",
    "at most": "maximum",
    "is not one of": "choice",
}
KINDS = ("text", "a number", "a whole number", "true or false", "a list", "a map")


def kind_of(problem):
    """The model's word for a problem, read off its sentence as a person would."""
    if problem.expected in KINDS and problem.value is not MISSING:
        return "kind"
    sentence = problem.sentence
    if sentence.startswith("unknown key"):
        return "unknown"
    return next((kind for words, kind in WORDS.items() if words in sentence), "choice")


def path_of(steps):
    text = "config"
    for step in steps:
        plain_word = isinstance(step, str) and step.isalpha()
        text += f".{step}" if plain_word else f"[{json.dumps(step)}]"
    return text


def registered(schema):
    registry = TypeRegistry()
    registry.register(
        TriggerType(type="build", title="Builds", events=EVENTS, config_schema=schema)
    )
    return registry


def hold_against_model(case):
    schema, config = case
    problems = registered(schema).check(trigger(config))
    said = [(problem.path, kind_of(problem)) for problem in problems]

    assert sorted(said) == sorted(
        (path_of(steps), kind) for steps, kind in refusals(schema, config)
    )


@given(cases)
def test_the_check_refuses_what_the_model_refuses(case):
    hold_against_model(case)


@pytest.mark.deep
@settings(settings.get_profile("deep"), max_examples=2_000)
@given(cases)
def test_the_check_refuses_what_the_model_refuses_at_length(case):
    hold_against_model(case)


@given(cases)
def test_a_trigger_passes_exactly_where_nothing_is_refused(case):
    schema, config = case
    registry = registered(schema)

    assert registry.admits(trigger(config)) is (registry.check(trigger(config)) == ())


@given(cases)
def test_what_passes_passes_any_reader_of_the_translated_schema(case):
    schema, config = case
    Draft202012Validator.check_schema(translate(schema))
    if registered(schema).admits(trigger(config)):
        assert Draft202012Validator(translate(schema)).is_valid(config)


@given(schemas)
def test_a_translated_schema_refers_nowhere(schema):
    assert "$ref" not in json.dumps(translate(schema))


@given(values)
def test_a_frozen_copy_thaws_to_what_it_was(value):
    assert plain(freeze(value)) == value


keywords = st.sampled_from(
    [
        "type",
        "properties",
        "items",
        "required",
        "enum",
        "default",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "readOnly",
        "enumDynamic",
        "enumLabels",
        "x-ahpd-connector",
        "$ref",
        "title",
    ]
)
loose = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 2),
        st.floats(),
        st.sampled_from(["", "string", "object", "array", "integer", "x"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(keywords, inner, max_size=4)
    ),
    max_leaves=12,
)


def refusals_of(schema):
    """The paths that registering a type of this schema is refused for."""
    try:
        registered(schema)
    except InvalidError as error:
        return [problem.path for problem in error.problems]
    return []


written = st.one_of(
    loose.filter(lambda schema: schema is not None),
    st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("xy"), loose)}),
)


@given(written)
def test_whatever_a_plugin_writes_is_accepted_or_refused_by_path(schema):
    assert all(path.startswith("configSchema") for path in refusals_of(schema))


@given(written.filter(lambda schema: not refusals_of(schema)), loose)
def test_an_accepted_schema_checks_any_config_by_path(schema, value):
    problems = registered(schema).check(trigger({"x": value}))

    assert all(problem.path.startswith("config.x") for problem in problems)
