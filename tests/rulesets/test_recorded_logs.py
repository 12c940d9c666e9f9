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


@pytest.mark.parametrize("rule", ["looks-stuck", "repeating-failure"])
def test_the_commit_hook_loop_is_seen_at_the_third_refusal(rule):
    first, *_ = matches(rule, "claude-code-commit-hook-loop.jsonl")

    assert first == ("2026-02-12T14:31:59.712Z", 3)


def test_the_hook_loop_is_the_only_repeating_failure_there():
    assert len(matches("repeating-failure", "claude-code-commit-hook-loop.jsonl")) == 1


def test_a_failure_and_its_cascades_are_no_row_of_failures():
    assert matches("failing-tools", "claude-code-subagent-cascade.jsonl") == []
