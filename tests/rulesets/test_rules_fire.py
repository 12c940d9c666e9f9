"""Each rule that comes with the package passes its check and its own tests."""

import pytest

from replay_cases import event, failure
from replay_player import inputs
from wakeful.checking import check_rules
from wakeful.model.outputs import Match
from wakeful.model.time import parse_instant
from wakeful.reading import load_rules, shipped_rules_folder
from wakeful.replay import Replay
from wakeful.rule_tests import find_tests, read_tests, run_case

RULES = sorted(
    file.stem
    for file in shipped_rules_folder().glob("*.yaml")
    if not file.name.endswith(".test.yaml")
)
CASES = [case for file in find_tests(["@"]) for case in read_tests(file)]


def expected(case):
    """All that a test expects, in one list."""
    return [*(case.expect.matches or ()), *(case.expect.decisions or ())]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rules[0][-24:-5]}: {case.name}")
def test_a_rule_does_what_its_test_says(case):
    assert run_case(case).text() == ""


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_test_in_which_it_fires_and_one_in_which_it_is_quiet(rule):
    mine = [case for case in CASES if case.file.endswith(f"/{rule}.test.yaml")]

    assert any(expected(case) for case in mine)
    assert any(not expected(case) for case in mine)


def test_nothing_is_found_in_them():
    assert check_rules(["@"]).findings == ()


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "nightly-check"])
def test_sessions_that_runs_made_wake_no_shipped_rule(rule):
    made = {"automated": True}
    log = [
        event(0, "turnStarted", **made),
        *({**failure(n), **made} for n in range(1, 6)),
        event(6, "messageQueued", running=True, queued=2, turnToolCalls=5, **made),
        event(7, "childFinished", running=True, **made),
        event(5_000, "messageQueued", running=True, queued=3, turnToolCalls=5, **made),
        event(6_000, "turnCancelled", turnToolCalls=5, **made),
        *(event(6_000 + n, "turnFailed", **made) for n in range(4)),
    ]
    until = parse_instant("2026-10-07T23:00:00Z")

    outputs = Replay(load_rules([f"@{rule}"]).automations, until=until).outputs(inputs(*log))

    assert [output for output in outputs if isinstance(output, Match)] == []
