"""JSON: what is refused, and where things stand."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.definition_strategies import plain_data, problems_or_none
from wakeful.errors import InvalidError
from wakeful.reading.json_text import json_places, read_json
from wakeful.reading.paths import split


def problems_of(text):
    with pytest.raises(InvalidError) as caught:
        read_json(text)
    return caught.value.problems


@settings(max_examples=60, deadline=None)
@given(plain_data)
def test_reads_what_json_writes(data):
    assert data == read_json(json.dumps(data, indent="\t"))


@pytest.mark.parametrize(
    ("text", "path", "line", "column", "said"),
    [
        ("", "", 1, 1, "not JSON"),
        ('{"a": 1,\n "b" 2}', "", 2, 6, "not JSON"),
        ('{"a": 1}\n{"b": 2}', "", 2, 1, "not JSON"),
        ('{"a": 1,\n "b": 2,\n "a": 3}', "a", 3, 2, "not repeated"),
        ('[{"x": {"n": 1, "\\u006e": 2}}]', "[0].x.n", 1, 17, "not repeated"),
        ('{"a":\n NaN}', "", 2, 2, "no JSON number"),
        ('{"a": -Infinity}', "", 1, 7, "no JSON number"),
        (f'{{"a": {"9" * 5000}}}', "", 1, 7, "digits"),
        ("[" * 70 + "]" * 70, "", 1, 65, "nested deeper than 64"),
        ("[" * 100_000, "", 1, 65, "nested deeper than 64"),
        ("[" * 100_000 + "]" * 100_000, "", 1, 65, "nested deeper than 64"),
        ('{"a": 1, "a": 2, "b" 3}', "", 1, 22, "not JSON"),
    ],
)
def test_refuses_with_the_place(text, path, line, column, said):
    (problem,) = problems_of(text)
    assert (path, line, column) == (problem.path, problem.line, problem.column)
    assert said in str(problem)


def test_tells_every_repeated_key():
    text = '{"a": 1, "a": [{"b": 1, "b": 2}], "c": 3, "c": 4}'
    assert [p.path for p in problems_of(text)] == ["a", "a[0].b", "c"]


@settings(max_examples=100, deadline=None)
@given(plain_data, st.sampled_from([None, 2, "\t"]))
def test_every_value_and_key_stands_where_it_is_said_to(data, indent):
    text = json.dumps(data, indent=indent)
    lines = text.split("\n")
    places = json_places(text)
    for path, (line, column) in places.values.items():
        value = data
        for step in split(path):
            value = value[step]
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert json.JSONDecoder().raw_decode(rest)[0] == value
    for path, (line, column) in places.keys.items():
        key = json.JSONDecoder().raw_decode(lines[line - 1][column - 1 :])[0]
        assert key == split(path)[-1]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='ab:-[]{}"\\,0123.eE \n\tnulltrue\x00é', max_size=25))
def test_any_text_is_read_or_refused_with_problems(text):
    found = problems_or_none(read_json, text)
    assert found != ()
    if found is None:
        assert "" in json_places(text).values or read_json(text) is None
