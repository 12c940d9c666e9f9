"""Definitions survive writing and reading; whatever else is read is refused with problems."""

import copy
import json

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.definition_strategies import automations, definitions, plain_data, problems_or_none
from reading.refusals import good
from wakeful.errors import InvalidError
from wakeful.model.rules import Filter
from wakeful.model.triggers import WatchTrigger
from wakeful.presets import PRESETS
from wakeful.reading import (
    read_automation,
    read_definition,
    read_trigger_type,
    write_automation,
    write_definition,
    write_trigger_type,
)


@settings(max_examples=60, deadline=None)
@given(definitions())
def test_any_definition_survives_writing_and_reading(definition):
    assert definition == read_definition(write_definition(definition))


@settings(max_examples=25, deadline=None)
@given(automations)
def test_any_automation_survives_json(automation):
    assert automation == read_automation(json.loads(json.dumps(write_automation(automation))))


@settings(max_examples=25, deadline=None)
@given(definitions())
def test_writing_twice_gives_the_same_text(definition):
    again = read_definition(write_definition(definition))
    assert json.dumps(write_definition(definition)) == json.dumps(write_definition(again))


@st.composite
def mangled(draw):
    """A good automation in which some places hold anything at all."""
    data = good()
    for _ in range(draw(st.integers(1, 3))):
        inner = data
        while True:
            places = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            step = draw(st.sampled_from(places)) if places else None
            if step is None:
                break
            if isinstance(inner[step], dict | list) and draw(st.booleans()):
                inner = inner[step]
                continue
            what = draw(st.sampled_from(["put", "drop", "rename", "double"]))
            if what == "put":
                inner[step] = draw(plain_data)
            elif what == "double" and isinstance(inner, list):
                inner.append(copy.deepcopy(inner[step]))
            elif what == "rename" and isinstance(inner, dict):
                inner[draw(st.text(max_size=4))] = inner.pop(step)
            else:
                del inner[step]
            break
    return data


@settings(max_examples=150, deadline=None)
@given(mangled())
def test_mangled_data_is_read_or_refused_with_problems(data):
    before = copy.deepcopy(data)
    found = problems_or_none(read_automation, data)
    assert found is None or all(problem.expected and str(problem) for problem in found)
    assert before == data


@settings(max_examples=100, deadline=None)
@given(plain_data)
def test_any_data_is_read_or_refused_with_problems(data):
    for read in (read_automation, read_definition, read_trigger_type):
        assert problems_or_none(read, data) != ()


def test_a_trigger_type_survives():
    data = {
        "type": "git.push",
        "title": "Pushes",
        "description": "Of a repository",
        "events": [{"id": "pushed", "title": "Pushed", "description": "To any branch"}],
        "configSchema": {"type": "object"},
    }
    assert data == write_trigger_type(read_trigger_type(data))


def test_what_is_written_has_the_titles_that_the_protocol_asks_for():
    written = write_automation(read_automation(good()))["definition"]
    assert [[e.get("title") for e in t.get("events", [])] for t in written["triggers"]] == [
        ["A tool call failed"],
        ["Looks stuck"],
        [],
        [None],
    ]
    assert written["message"] == {"text": "Look.", "origin": {"kind": "automation"}}


def test_a_changed_field_wins_over_the_note_it_was_read_from():
    definition = read_definition(
        {
            "title": "T",
            "message": {"text": "x"},
            "_meta": {"ahpd": {"overlap": "skip", "dropped": 1}},
        }
    )
    written = write_definition(attrs.evolve(definition, overlap="steer", pinned=True))
    assert written["_meta"] == {"ahpd": {"overlap": "steer", "dropped": 1, "session": "pinned"}}


def test_a_changed_owner_wins_over_the_note_it_was_read_from():
    data = {"title": "T", "message": {"text": "x"}, "_meta": {"ahpd.owner": "user:ann"}}
    automation = read_automation({"resource": "ahp-automation:/a", "definition": data})
    moved = attrs.evolve(automation, owner="team:ops")
    assert read_automation(write_automation(moved)).owner == "team:ops"
    assert read_automation(write_automation(attrs.evolve(automation, owner=None))).owner is None


@pytest.mark.parametrize(
    "rules",
    [
        (("looks-stuck", PRESETS["failing-tools"].rule(3)),),
        (
            ("looks-stuck", PRESETS["looks-stuck"].rule(4)),
            ("failing-tools", PRESETS["failing-tools"].rule(5)),
        ),
        (
            ("looks-stuck", PRESETS["looks-stuck"].rule()),
            ("failing-tools", PRESETS["failing-tools"].rule(filter=Filter(automated=True))),
        ),
    ],
)
def test_a_watch_trigger_that_its_presets_do_not_mean_is_not_written(rules):
    definition = read_definition({"title": "T", "message": {"text": "x"}})
    with pytest.raises(InvalidError):
        write_definition(attrs.evolve(definition, triggers=(WatchTrigger(id="w", rules=rules),)))
