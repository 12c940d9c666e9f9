"""The JSON Schema of rulesets and automation files, held against the reader itself."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from reading.definition_strategies import automations, definitions
from wakeful.errors import InvalidError
from wakeful.reading import read_automation, shipped_rules_folder, write_automation
from wakeful.reading.definitions import read_kept_automation
from wakeful.reading.schema import automation_file_schema, ruleset_schema
from wakeful.reading.writing import write_definition
from wakeful.reading.yaml_text import read_yaml

RULESETS = Draft202012Validator(ruleset_schema())
FILES = Draft202012Validator(automation_file_schema())


def faults(data, validator=RULESETS):
    return [error.message for error in validator.iter_errors(data)]


def ruleset(automation):
    return {"automations": [automation]}


def is_read(automation, read=read_automation):
    try:
        read(automation)
    except InvalidError:
        return False
    return True


def maps_of(data, path=()):
    """The path of every map in plain data."""
    if isinstance(data, dict):
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from maps_of(value, (*path, key))


def at(data, path):
    for step in path:
        data = data[step]
    return data


FREE = ("_meta", "customizations", "model", "agent", "origin", "text")
"""Keys below which data is somebody else's."""


def held(automation):
    """The maps of an automation whose keys the reader knows all of."""
    return [
        path
        for path in maps_of(automation)
        if not any(key in FREE for key in path)
        and "message" not in path
        and path[:2] != ("session", "config")
        and path[:3] != ("definition", "session", "config")
        and not is_plugin_config(automation, path)
    ]


def filled(automation):
    return [path for path in held(automation) if at(automation, path)]


def is_plugin_config(automation, path):
    if "config" not in path:
        return False
    trigger = at(automation, path[: path.index("config")])
    return trigger.get("type") not in ("session", "watch")


entries = automations.map(write_automation)
EXAMPLES = settings(max_examples=25)


@pytest.mark.parametrize("validator", [RULESETS, FILES], ids=["rulesets", "files"])
def test_the_schema_is_a_schema(validator):
    Draft202012Validator.check_schema(validator.schema)


@pytest.mark.parametrize(
    "file", sorted(shipped_rules_folder().glob("*.yaml")), ids=lambda f: f.stem
)
def test_the_rules_that_come_with_the_package_pass(file):
    if not file.name.endswith(".test.yaml"):
        assert faults(read_yaml(file.read_text(encoding="utf-8"))) == []


@EXAMPLES
@given(entries)
def test_what_the_reader_takes_passes(entry):
    assert is_read(entry)
    assert faults(ruleset(entry)) == []


@EXAMPLES
@given(definitions().map(write_definition), st.sampled_from(["queue", "steer", "skip", None]))
def test_what_the_reader_takes_in_the_shape_of_a_ruleset_passes(definition, overlap):
    automation = {"id": "a", **definition}
    if overlap and "_meta" not in definition:
        automation["overlap"] = overlap

    assert is_read(automation)
    assert faults(ruleset(automation)) == []


@EXAMPLES
@given(definitions().map(write_definition))
def test_what_an_automation_file_may_hold_passes(definition):
    front = {"owner": "user:ann", "createdAt": "2026-10-01T17:00:00Z", **definition}

    assert is_read(front, read_kept_automation)
    assert faults({**front, "message": {"note": 1}}, FILES) == []
    assert faults({key: front[key] for key in front if key != "message"}, FILES) == []


@EXAMPLES
@given(st.data(), entries)
def test_an_unknown_key_is_refused_by_both(data, entry):
    path = data.draw(st.sampled_from(held(entry)))
    broken = copy.deepcopy(entry)
    at(broken, path)["unheardOf"] = 1

    assert not is_read(broken)
    assert faults(ruleset(broken)) != []


@EXAMPLES
@given(st.data(), entries)
def test_a_value_of_the_wrong_kind_is_refused_by_both(data, entry):
    path = data.draw(st.sampled_from(filled(entry)))
    broken = copy.deepcopy(entry)
    holder = at(broken, path)
    holder[data.draw(st.sampled_from(sorted(holder)))] = None

    assert not is_read(broken)
    assert faults(ruleset(broken)) != []


@EXAMPLES
@given(st.data(), entries)
def test_a_missing_part_is_refused_by_both_or_by_neither(data, entry):
    path = data.draw(st.sampled_from(filled(entry)))
    broken = copy.deepcopy(entry)
    holder = at(broken, path)
    del holder[data.draw(st.sampled_from(sorted(holder)))]

    assert (faults(ruleset(broken)) == []) == is_read(broken)


@EXAMPLES
@given(st.data(), entries, st.sampled_from([True, 3.5, "", [], {}, "5 m", -1]))
def test_the_schema_refuses_nothing_that_the_reader_takes(data, entry, value):
    path = data.draw(st.sampled_from(filled(entry)))
    changed = copy.deepcopy(entry)
    holder = at(changed, path)
    holder[data.draw(st.sampled_from(sorted(holder)))] = value

    if is_read(changed):
        assert faults(ruleset(changed)) == []


BASE = {
    "id": "a",
    "title": "A",
    "message": {"text": "m"},
    "triggers": [
        {"id": "t", "kind": "event", "type": "session", "events": [{"id": "toolFailed"}]},
        {"id": "n", "kind": "schedule", "schedule": {"expression": "0 9 * * *"}},
    ],
}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", 3),
        ("title", "  "),
        ("owner", "ann"),
        ("overlap", "wait"),
        ("pinned", "yes"),
        ("id", "/a"),
        ("id", "ahp-automation:/a"),
        ("triggers", {}),
        ("disableConditions", [{"kind": "afterRuns"}]),
        ("disableConditions", [{"kind": "afterRuns", "max": 0}]),
        ("disableConditions", [{"kind": "afterDate", "date": "2026-10-07"}]),
        ("_meta", {"ahpd": {"overlap": "wait"}}),
        ("message", {"text": "m", "origin": {"kind": "user"}}),
    ],
)
def test_both_refuse(key, value):
    broken = {**BASE, key: value}

    assert not is_read(broken)
    assert faults(ruleset(broken)) != []


@pytest.mark.parametrize(
    "config",
    [
        {"count": {"n": 0}},
        {"count": {"n": 1_000_001}},
        {"count": {"within": "5"}},
        {"count": {"within": "5M"}},
        {"then": {"kind": "idle"}},
        {"then": {"kind": "idle", "for": "3m", "event": "idle"}},
        {"then": {"kind": "absent", "event": "pause", "for": "3m"}},
        {"then": {"for": "3m"}},
        {"when": {"running": 1}},
        {"when": {"queuedAtLeast": -1}},
        {"filter": {"projects": "api"}},
        {"filter": {"automated": "no"}},
        {"filter": {"project": ["api"]}},
    ],
)
def test_both_refuse_a_config(config):
    first, second = BASE["triggers"]
    broken = {**BASE, "triggers": [{**first, "config": config}, second]}

    assert not is_read(broken)
    assert faults(ruleset(broken)) != []


@pytest.mark.parametrize(
    "change",
    [
        {"triggers": [BASE["triggers"][1], BASE["triggers"][1]]},  # two triggers with one id
        {"triggers": [{**BASE["triggers"][1], "schedule": {"expression": "0 0 30 2 *"}}]},
        {"triggers": [{**BASE["triggers"][1], "schedule": {"expression": "0 9 * *"}}]},
        {
            "triggers": [
                {**BASE["triggers"][1], "schedule": {"expression": "0 9 * * *", "timeZone": "X/Y"}}
            ]
        },
        {"triggers": [{**BASE["triggers"][0], "config": {"count": {"n": 3.0}}}]},
        {"pinned": True, "overlap": "parallel"},
        {"owner": "user:ann", "_meta": {"ahpd.owner": "user:bob"}},
        {
            "triggers": [
                {
                    "id": "w",
                    "kind": "event",
                    "type": "watch",
                    "events": [{"id": "failing-tools"}],
                    "config": {"minutes": 3},
                }
            ]
        },
    ],
)
def test_what_only_the_reader_refuses_is_what_the_page_lists(change):
    broken = {**BASE, **change}

    assert not is_read(broken)
    assert faults(ruleset(broken)) == []


def test_a_ruleset_without_automations_and_types_is_refused():
    assert faults({}) != []
    assert faults({"_meta": {}}) != []


def test_a_ruleset_that_declares_a_type_passes():
    declared = {"type": "git", "title": "Git", "events": [{"id": "push", "title": "Pushed"}]}

    assert faults({"types": [declared]}) == []
    assert faults({"types": [{**declared, "type": "watch"}]}) != []
    assert faults({"types": [{**declared, "events": []}]}) != []
