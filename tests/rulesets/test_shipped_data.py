"""The log and the rules that come with the package, as data."""

import pytest
from ruamel.yaml import YAML

from wakeful import data
from wakeful.reading import shipped_rules_folder
from working_day import working_day

RULESETS = {
    path.stem: path
    for path in sorted(shipped_rules_folder().glob("*.yaml"))
    if not path.name.endswith(".test.yaml")
}
PRESETS = {
    "looks-stuck",
    "failing-tools",
    "long-silent-turn",
    "idle-after-failure",
    "waiting-while-busy",
}


def test_the_committed_log_is_what_its_generator_writes():
    assert data.log_path().read_text(encoding="utf-8") == working_day()


OTHERS = {
    "failed-turns",
    "missing-child",
    "nightly-check",
    "queue-behind-long-turn",
    "refusing-hook",
    "repeating-failure",
    "stopped-and-left",
    "waiting-for-person",
}


def test_the_presets_and_eight_more_rules_come_with_the_package():
    assert {*PRESETS, *OTHERS} == RULESETS.keys()


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_ruleset_holds_one_rule_of_its_own_name_and_says_what_it_is_good_for(name):
    automations = YAML(typ="safe").load(RULESETS[name])["automations"]

    assert [automation["id"] for automation in automations] == [name]
    about = automations[0]["_meta"]["wakeful"]
    assert about.keys() == {"version", "purpose", "falseWakes", "blindSpots", "needs"}
    assert isinstance(about["version"], int)
    assert all(len(about[key]) > 25 for key in about if key != "version")


def test_every_overlap_mode_is_shown_by_some_rule():
    modes = {YAML(typ="safe").load(path)["automations"][0]["overlap"] for path in RULESETS.values()}

    assert modes == {"queue", "steer", "parallel", "skip"}
