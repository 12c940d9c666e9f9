"""The JSON Schema of rule tests, held against the reader."""

import copy

import pytest
from jsonschema import Draft202012Validator

from wakeful.errors import InvalidError
from wakeful.reading.yaml_text import read_yaml
from wakeful.rule_tests import find_tests, rule_test_schema
from wakeful.rule_tests.shapes import CONVERTER, FileShape

SCHEMA = Draft202012Validator(rule_test_schema())

FILE = {
    "rules": ["rules.yaml", "@failing-tools"],
    "start": "2026-10-07T14:00:00Z",
    "sessions": {"s1": {"project": "api", "folders": ["file:///w"], "automated": False}},
    "runs": {"failing": ["5m", "2m"], "quiet": "1h"},
    "tests": [
        {
            "name": "all of it",
            "inputs": [
                "+1m toolFailed s1 Bash:h1",
                {"at": "+2m", "kind": "toolFailed", "session": "s1", "queued": 1},
                {"at": 1_791_381_600_000, "kind": "tick"},
                {"at": "+3m", "kind": "press", "automation": "a", "requestId": "q"},
                {"at": "+3m", "kind": "resumed", "live": ["r1"]},
            ],
            "until": "+1h30m",
            "runs": "log",
            "expect": {
                "matches": ["+2m failing s1", {"at": "+2m", "count": 2, "late": False}],
                "decisions": [
                    "+2m start failing",
                    {"at": "+2m", "decision": "drop", "reason": "skipped", "scheduledFor": "+1m"},
                ],
            },
        }
    ],
}


def is_read(data):
    try:
        CONVERTER.structure(data, FileShape)
    except InvalidError:
        return False
    return True


def passes(data):
    return SCHEMA.is_valid(data)


def changed(path, value):
    data = copy.deepcopy(FILE)
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    if value is KeyError:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return data


TEST = ("tests", 0)


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA.schema)


def test_what_a_file_may_hold_passes_both():
    assert is_read(FILE)
    assert [error.message for error in SCHEMA.iter_errors(FILE)] == []


@pytest.mark.parametrize("file", find_tests(["@"]), ids=lambda file: file.name)
def test_the_tests_of_the_package_pass(file):
    data = read_yaml(file.read_text(encoding="utf-8"))

    assert [error.message for error in SCHEMA.iter_errors(data)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("test",), []),
        (("tests",), []),
        (("tests",), KeyError),
        (("tests",), {}),
        (("rules",), []),
        (("rules",), 3),
        (("start",), "2026-10-07"),
        (("sessions",), []),
        (("sessions", "s1", "projects"), "api"),
        (("sessions", "s1", "automated"), "no"),
        (("runs",), "forever"),
        (("runs", "failing"), []),
        (("runs", "failing"), 5),
        ((*TEST, "nmae"), "x"),
        ((*TEST, "name"), KeyError),
        ((*TEST, "name"), " "),
        ((*TEST, "expect"), KeyError),
        ((*TEST, "expect"), {}),
        ((*TEST, "expect", "match"), []),
        ((*TEST, "expect", "matches"), None),
        ((*TEST, "expect", "matches", 1, "at"), KeyError),
        ((*TEST, "expect", "matches", 1, "session"), 1),
        ((*TEST, "expect", "matches", 1, "decision"), "start"),
        ((*TEST, "expect", "decisions", 1, "decision"), "strat"),
        ((*TEST, "expect", "decisions", 1, "decision"), KeyError),
        ((*TEST, "expect", "decisions", 1, "reason"), "because"),
        ((*TEST, "inputs"), "+1m idle s1"),
        ((*TEST, "inputs", 0), 3),
        ((*TEST, "inputs", 1, "sesion"), "s1"),
        ((*TEST, "inputs", 1, "session"), KeyError),
        ((*TEST, "inputs", 1, "session"), 1),
        ((*TEST, "inputs", 1, "kind"), "toolFialed"),
        ((*TEST, "inputs", 1, "at"), KeyError),
        ((*TEST, "inputs", 1, "queued"), "1"),
        ((*TEST, "inputs", 3, "requestId"), KeyError),
        ((*TEST, "inputs", 4, "live"), "r1"),
        ((*TEST, "until"), []),
    ],
)
def test_both_refuse(path, value):
    data = changed(path, value)

    assert not is_read(data)
    assert not passes(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*TEST, "inputs", 0), "+1m toolFialed s1"),
        ((*TEST, "expect", "matches", 0), "+1m"),
        ((*TEST, "expect", "matches", 1, "count"), 3.0),
    ],
)
def test_what_only_the_reader_refuses_is_what_the_page_lists(path, value):
    data = changed(path, value)

    assert not is_read(data)
    assert passes(data)
