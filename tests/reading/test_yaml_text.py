"""YAML 1.2: the core schema, what is refused, and where things stand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.definition_strategies import plain_data, problems_or_none
from wakeful.errors import InvalidError
from wakeful.reading.places import Place
from wakeful.reading.yaml_text import read_yaml, yaml_places


def problems_of(text):
    with pytest.raises(InvalidError) as caught:
        read_yaml(text)
    return caught.value.problems


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        # text that older YAML takes for something else
        *((word, word) for word in ("on", "off", "yes", "no", "y", "N", "Yes", "ON")),
        ("2026-10-07", "2026-10-07"),
        ("2026-10-07T14:22:05Z", "2026-10-07T14:22:05Z"),
        ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.10 -5"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("0b101", "0b101"),
        ("0o9", "0o9"),
        ("-0x1F", "-0x1F"),
        ("=", "="),
        ("<<", "<<"),
        ("tRUE", "tRUE"),
        ("nil", "nil"),
        (".", "."),
        ("-", [None]),
        ("5m", "5m"),
        ("1e", "1e"),
        ("'3'", "3"),
        ('"true"', "true"),
        ("|\n  3\n", "3\n"),
        # the core schema
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("true", True),
        ("False", False),
        ("3", 3),
        ("-3", -3),
        ("+3", 3),
        ("014", 14),
        ("0o14", 12),
        ("0x1F", 31),
        ("3.0", 3.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1e3", -1000.0),
        ("1E-2", 0.01),
        ("-.inf", -math.inf),
        ("+.INF", math.inf),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_says(written, meant):
    found = read_yaml(f"- {written}\n")[0]
    assert (type(meant), meant) == (type(found), found)


def test_not_a_number():
    assert math.isnan(read_yaml(".nan"))


@settings(max_examples=60, deadline=None)
@given(plain_data)
def test_json_is_yaml(data):
    import json

    assert data == read_yaml(json.dumps(data))


def test_an_alias_is_the_value_of_its_anchor():
    assert read_yaml("a: &x {n: 1}\nb: *x\n") == {"a": {"n": 1}, "b": {"n": 1}}


def test_an_anchor_may_be_used_again():
    assert read_yaml("[&x 1, *x, &x 2, *x]") == [1, 1, 2, 2]


def test_a_merge_key_is_a_key():
    assert read_yaml("a: &x {n: 1}\nb: {<<: *x}\n")["b"] == {"<<": {"n": 1}}


def test_an_empty_text_has_no_data():
    assert [read_yaml(text) for text in ("", "# nothing\n", "---\n")] == [None, None, None]


@pytest.mark.parametrize(
    ("text", "path", "line", "column", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "a", 3, 1, "not repeated"),
        ("x:\n  - {n: 1, n: 2}\n", "x[0].n", 2, 12, "not repeated"),
        ("a: !!str 5\n", "a", 1, 4, "without a tag"),
        ("a: !thing {}\n", "a", 1, 4, "without a tag"),
        ("- !<tag:x> [1]\n", "[0]", 1, 3, "without a tag"),
        ("5: x\n", '["5"]', 1, 1, "key that is text"),
        ("a: {true: 1}\n", "a.True", 1, 5, "key that is text"),
        ("? [a]\n: 1\n", "[\"['a']\"]", 1, 3, "key that is text"),
        (": 1\n", "None", 1, 1, "key that is text"),
        ("a: 1\n---\nb: 2\n", "", 2, 1, "second document"),
        ("%YAML 1.1\n---\na: 1\n", "", 2, 1, "YAML 1.2"),
        ("a: &x [*x]\n", "", 1, 8, "inside what it names"),
        ("a: *x\n", "", 1, 4, "no anchor"),
        ("a: [1, 2\nb: 3\n", "", 2, 2, "not YAML"),
        ("a: b: c\n", "", 1, 5, "not YAML"),
        ("a:\n\t- b\n", "", 2, 1, "not YAML"),
        ("a: 'b\n", "", 2, 1, "not YAML"),
        ("a: \x07\n", "", 1, 4, "not YAML"),
        (f"a: {'9' * 5000}\n", "a", 1, 4, "fewer digits"),
        ("[" * 70 + "]" * 70, "", 1, 65, "nested deeper than 64"),
        ("- " * 70, "", 1, 129, "nested deeper than 64"),
        ("a:\n  'é': \"\\UFFFFFFFF\"\n", "", 2, 9, "an escape that no character has"),
        ("a: '\\U00110000'\nb: \"\\U00110000\"\n", "", 2, 5, "an escape that no character has"),
    ],
)
def test_refuses_with_the_place(text, path, line, column, said):
    (problem,) = problems_of(text)
    assert (path, line, column) == (problem.path, problem.line, problem.column)
    assert said in str(problem)


def test_tells_all_that_is_wrong_and_not_only_the_first():
    assert [(p.line, p.column) for p in problems_of("a: !x 1\na: 2\n3: 4\n")] == [
        (1, 4),
        (2, 1),
        (3, 1),
    ]


def test_aliases_that_multiply_are_refused_before_they_cost_anything():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    (problem,) = problems_of("\n".join(lines))
    assert problem.message == "more than 1000000 values"


def test_places_are_of_keys_and_values():
    places = yaml_places("a:\n  - b: 1\n    c: [x, 'é', z]\n")
    assert places.keys["a[0].c"] == Place(3, 5)
    assert places.values["a[0].c[2]"] == Place(3, 17)
    assert places.values["a"] == Place(2, 3)
    assert places.values[""] == Place(1, 1)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab:-[]{}#&*!|>'\"%@`,?~ \n\t\\0123\x00é\u2028<u", max_size=25))
def test_any_text_is_read_or_refused_with_problems(text):
    found = problems_or_none(read_yaml, text)
    assert found != ()
    if found is None:
        assert "" in yaml_places(text).values or read_yaml(text) is None
