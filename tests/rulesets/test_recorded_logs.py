"""The shipped rules on recorded logs of real agents, where those lie beside the checkout."""

from pathlib import Path

import pytest

from wakeful.logs.stream import open_logs
from wakeful.model.outputs import Match
from wakeful.model.time import format_instant
from wakeful.reading import load_rules
from wakeful.replay import Replay

LOGS = Path(__file__).parents[2].parent / "shared" / "logs"

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the recorded logs are not here")


def matches(rule, log):
    replay = Replay(load_rules([f"@{rule}"]).automations)
    return [
        (format_instant(output.at), output.count)
        for output in replay.outputs(open_logs([LOGS / log]))
        if isinstance(output, Match)
    ]


@pytest.mark.parametrize(
    ("rule", "at", "count"),
    [
        ("repeating-failure", "2026-02-12T14:31:59.712Z", 3),
        ("looks-stuck", "2026-02-12T14:33:26.948Z", 5),
        ("refusing-hook", "2026-02-12T14:32:50.372Z", 4),
    ],
)
def test_the_commit_hook_loop_is_seen_at_the_third_refusal_or_soon_after(rule, at, count):
    assert matches(rule, "claude-code-commit-hook-loop.jsonl") == [(at, count)]


def test_a_failure_and_its_cascades_are_no_row_of_failures():
    assert matches("failing-tools", "claude-code-subagent-cascade.jsonl") == []


def test_the_agent_that_asked_twice_and_waited_is_seen():
    assert len(matches("waiting-for-person", "claude-code-question-wait.jsonl")) == 2
