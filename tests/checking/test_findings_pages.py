"""The examples on the pages of the findings: the first has the finding, the second has not."""

import json
import re
from pathlib import Path

import pytest

from checking.check_kit import event, failure
from replay_player import inputs
from wakeful.checking import TITLES, Census, check_rules
from wakeful.logs import LogReport
from wakeful.model.time import parse_instant
from wakeful.reading.yaml_text import read_yaml

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "findings"
NOW = parse_instant("2026-10-07T14:00:00Z")
HIDDEN = {
    "unseen-kind": "childFinished",
    "unseen-queue": "queue",
    "unseen-quiet": "heartbeat",
    "unseen-instants": "instants",
}


def examples(code):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    return [read_yaml(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]


def ruleset(example):
    """A whole ruleset, of an automation's keys, or of a session trigger's."""
    if "automations" in example:
        return example
    base = {"id": "a", "title": "A", "message": {"text": "Look."}}
    if "events" in example:
        trigger = {"id": "t1", "kind": "event", "type": "session", **example}
        return {"automations": [{**base, "triggers": [trigger]}]}
    return {"automations": [{**base, **example}]}


def census(code):
    """A log of a session or two, in a format that cannot show what the page is about."""
    report = LogReport()
    if code in HIDDEN:
        report.cannot_show["some-agent"] = {HIDDEN[code]: "it is not written"}
    facts = {"owner": "user:ann", "provider": "claude", "project": "api", "folders": ["file:///w"]}
    found = Census(report=report)
    found.take(
        inputs(
            {**failure(1), **facts},
            {**event(2, "idle", "s2"), "project": "web"},
            {"at": "2026-10-07T14:00:03Z", "kind": "plugin", "type": "git", "event": "push"},
        )
    )
    return found


def codes(tmp_path, code, example):
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(ruleset(example)), encoding="utf-8")
    logs = census(code) if code.startswith("unseen") else None
    return {found.code for found in check_rules([path], census=logs, now=NOW).findings}


@pytest.mark.parametrize("code", TITLES)
def test_the_first_example_has_the_finding(tmp_path, code):
    first, _ = examples(code)

    assert code in codes(tmp_path, code, first)


@pytest.mark.parametrize("code", TITLES)
def test_the_second_example_has_not(tmp_path, code):
    _, second = examples(code)

    assert code not in codes(tmp_path, code, second)
