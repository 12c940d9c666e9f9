"""What every finding says of itself, and that each code has its page."""

import json
from pathlib import Path

import pytest

from checking.check_kit import findings, rule
from wakeful.checking import TITLES, Finding, FindingClass, check_rules, sarif
from wakeful.errors import Problem

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "findings"
BAD = rule("toolFailed", filter={"projects": []}, count={"n": 1, "within": "5m"})


def written(tmp_path, text, name="rules.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("code", TITLES)
def test_every_code_has_a_page_of_its_name(code):
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")

    assert page.startswith(f"# {code}\n")


def test_there_is_no_page_without_a_code():
    assert {page.stem for page in PAGES.glob("*.md")} - {"index"} == set(TITLES)


def test_the_first_word_of_a_code_is_its_class():
    for code in TITLES:
        assert (
            Finding(code=code, problem=Problem(path="", expected="")).finding_class in FindingClass
        )


def test_a_finding_names_code_path_file_line_sentence_and_what_to_do(tmp_path):
    path = written(
        tmp_path,
        "automations:\n"
        "  - id: a\n"
        "    title: A\n"
        "    message: { text: m }\n"
        "    triggers:\n"
        "      - id: t\n"
        "        kind: event\n"
        "        type: session\n"
        "        events: [{ id: toolFailed }]\n"
        "        config:\n"
        "          filter: { automated: false, projects: [] }\n",
    )

    (found,) = check_rules([path]).findings

    assert found.to_dict() == {
        "code": "never-empty-filter",
        "severity": "warning",
        "path": "automations[0].triggers[0].config.filter.projects",
        "file": str(path),
        "line": 11,
        "column": 49,
        "value": [],
        "expected": "name what is meant, or leave projects out, which is every session",
        "message": "projects is an empty list, which no session is in: the rule never matches",
    }


def test_the_protocols_own_shape_is_placed_too(tmp_path):
    definition = {key: BAD[key] for key in ("title", "message", "triggers")}
    data = {"automations": [{"resource": "ahp-automation:/a", "definition": definition}]}
    path = written(tmp_path, json.dumps(data, indent=1), "rules.json")

    first, *_ = check_rules([path]).findings

    assert first.problem.path == "automations[0].definition.triggers[0].config.filter.projects"
    assert first.problem.line is not None


def test_an_automation_file_is_placed_too(tmp_path):
    path = written(
        tmp_path,
        "---\ntitle: A\ntriggers:\n- id: t\n  kind: event\n  type: session\n"
        "  events: [{id: turnFailed}]\n  config: {filter: {automated: false, owners: []}}\n---\nm\n",
        "nightly.md",
    )

    (found,) = check_rules([path]).findings

    assert (found.problem.path, found.problem.line) == ("triggers[0].config.filter.owners", 8)


def test_what_is_refused_is_told_first_and_the_rest_is_checked_still(tmp_path):
    good = written(tmp_path, json.dumps({"automations": [BAD]}), "a.json")
    broken = written(tmp_path, "automations: [{ id: b, titel: B }]\n", "b.yaml")

    result = check_rules([good, broken])

    assert [found.code for found in result.findings] == [
        "refused",
        "refused",
        "refused",
        "never-empty-filter",
        "effect-single",
    ]
    assert [found.severity for found in result.findings] == ["error"] * 3 + ["warning"] * 2
    assert result.refused


def test_findings_come_in_the_order_of_the_text(tmp_path):
    found = findings(tmp_path, BAD, {**BAD, "id": "b"})

    lines = [each.problem.line for each in found]
    assert lines == sorted(lines)


def test_a_value_that_json_does_not_have_is_shown(tmp_path):
    path = written(tmp_path, "automations: [{ id: a, title: .nan }]\n")

    record = check_rules([path]).findings[0].to_dict()

    assert record["value"] == "nan"
    json.dumps(record, allow_nan=False)


class TestSarif:
    def test_a_finding_is_a_result_with_its_place(self, tmp_path):
        (run,) = sarif(findings(tmp_path, BAD))["runs"]
        result = run["results"][0]

        assert result["ruleId"] == "never-empty-filter"
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "never-empty-filter"
        assert result["level"] == "warning"
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == (tmp_path / "rules.json").as_uri()
        assert place["region"]["startLine"] > 1

    def test_every_code_is_a_rule_of_the_tool(self):
        (run,) = sarif([])["runs"]

        assert [each["id"] for each in run["tool"]["driver"]["rules"]] == list(TITLES)
        assert run["results"] == []

    def test_what_is_refused_is_an_error(self, tmp_path):
        path = written(tmp_path, "automations: 3\n")

        (run,) = sarif(check_rules([path]).findings)["runs"]
        assert {result["level"] for result in run["results"]} == {"error"}
