"""The examples of the guides to rules and their tests do what the guides say."""

import json
import re
from pathlib import Path

from jsonschema import Draft202012Validator

from wakeful.checking import check_rules
from wakeful.reading.schema import ruleset_schema
from wakeful.reading.yaml_text import read_yaml
from wakeful.rule_tests import read_tests, rule_test_schema, run_case
from wakeful.rule_tests.notation import INPUT

GUIDES = Path(__file__).parents[2] / "docs" / "guide"


def blocks(guide, language="yaml"):
    text = (GUIDES / guide).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_rule_of_the_guide_to_rules_is_one_that_nothing_is_found_in(tmp_path):
    rules, _ = blocks("rules.md")
    path = tmp_path / "rules.yaml"
    path.write_text(rules, encoding="utf-8")

    assert check_rules([path]).findings == ()
    assert Draft202012Validator(ruleset_schema()).is_valid(read_yaml(rules))


def test_the_settings_of_the_guide_are_json():
    (settings,) = blocks("rules.md", "json")

    assert json.loads(settings).keys() == {"yaml.schemas"}


def test_the_tests_of_the_guide_to_testing_pass(tmp_path):
    rules, tests, _ = blocks("testing.md")
    (tmp_path / "failing.yaml").write_text(rules, encoding="utf-8")
    path = tmp_path / "failing.test.yaml"
    path.write_text(tests, encoding="utf-8")

    cases = read_tests(path)

    assert [run_case(case).text() for case in cases] == [""] * 3
    assert Draft202012Validator(rule_test_schema()).is_valid(read_yaml(tests))


def test_the_lines_of_its_table_are_inputs():
    text = (GUIDES / "testing.md").read_text(encoding="utf-8")
    table = text.partition("## Inputs")[2].partition("## Expectations")[0]
    lines = re.findall(r"^\| `(\+[^`]+)`", table, re.MULTILINE)

    assert len(lines) >= 10
    for line in lines:
        INPUT(line)


def test_its_map_is_an_input():
    *_, example = blocks("testing.md")

    (one,) = read_yaml(example)["inputs"]
    assert INPUT(one).record["tool"]["input"] == {"command": "make"}
