"""The vectors through the command, where they lie beside the checkout."""

import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[2].parent / "shared" / "vectors"
MATCH = ("at", "automation", "trigger", "session", "event", "count")
DECISION = ("at", "automation", "decision", "reason", "count")

pytestmark = pytest.mark.skipif(not VECTORS.is_dir(), reason="the vectors are not here")


def scenarios(name):
    path = VECTORS / name
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [pytest.param(json.loads(line), id=json.loads(line)["name"]) for line in lines]


def replay(wakeful, log, rules, scenario, *options):
    ran = wakeful(
        *("replay", log(scenario["log"]), "--rules", rules(*scenario["automations"])),
        *("--until", scenario["until"], "--json", "-q", *options),
    )
    assert (ran.status, ran.err) == (0, "")
    return ran.lines


def only(members, records):
    return [
        {name: record[name] for name in members if record.get(name) is not None}
        for record in records
    ]


@pytest.mark.parametrize("scenario", scenarios("matches.jsonl"))
def test_the_matches_of_a_scenario(wakeful, log, rules, scenario):
    lines = replay(wakeful, log, rules, scenario, "--matches")

    assert only(MATCH, lines) == only(MATCH, scenario["matches"])


@pytest.mark.parametrize("scenario", scenarios("decisions.jsonl"))
def test_the_decisions_of_a_scenario(wakeful, log, rules, scenario):
    lines = replay(wakeful, log, rules, scenario, "--run-time", "log")

    assert only(DECISION, lines) == only(DECISION, scenario["decisions"])
