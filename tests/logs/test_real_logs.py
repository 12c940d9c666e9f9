"""Real logs, where they are at hand: what they come to is what is known of them."""

from datetime import UTC

import pytest

from logs.kit import SHARED_LOGS, at, kinds, read, write
from wakeful.logs import write_native
from wakeful.model.events import Activity, SessionEvent, TurnStarted
from wakeful.model.time import format_instant

pytestmark = pytest.mark.skipif(not SHARED_LOGS.is_dir(), reason="the real logs are not here")

LOGS = [path.name for path in sorted(SHARED_LOGS.glob("*.json*"))] if SHARED_LOGS.is_dir() else []


def of(name):
    inputs, report = read(SHARED_LOGS / name, zone=UTC)
    assert (report.unreadable, dict(report.skipped)) == (0, {})
    return inputs


def count(inputs, kind):
    return kinds(inputs).count(kind)


def calls(inputs):
    return count(inputs, "toolCalled"), count(inputs, "toolFailed")


def longest_silence(inputs):
    """The longest time that a running turn said nothing, in milliseconds."""
    longest, since, running = 0, 0, False
    for one in inputs:
        if running:
            longest = max(longest, one.at - since)
        since = one.at
        if isinstance(one, TurnStarted):
            running = True
        elif isinstance(one, SessionEvent) and one.kind in (
            "turnCompleted",
            "turnFailed",
            "turnCancelled",
        ):
            running = False
    return longest


@pytest.mark.parametrize("name", LOGS)
def test_every_real_log_is_recognised_and_read_and_converts_to_the_same_inputs(tmp_path, name):
    inputs = of(name)
    assert inputs
    converted = write(tmp_path / "a.jsonl", map(write_native, inputs))
    assert read(converted)[0] == inputs


def test_the_commit_hook_loop():
    inputs = of("claude-code-commit-hook-loop.jsonl")
    assert calls(inputs) == (230, 12)
    assert count(inputs, "turnCompleted") == 2
    failed = [one for one in inputs if isinstance(one, SessionEvent) and one.kind == "toolFailed"]
    (third,) = (one for one in failed if format_instant(one.at) == "2026-02-12T14:31:59.712Z")
    assert third.tool.name == "Bash"
    same = [one.at for one in failed if one.tool == third.tool]
    assert len(same) == 5
    assert same[2] == third.at
    assert same[4] - same[0] < 176_000


def test_one_failure_and_its_cascades_are_one_failure():
    inputs = of("claude-code-subagent-cascade.jsonl")
    assert calls(inputs) == (25, 1)


def test_messages_queued_and_taken_back():
    inputs = of("claude-code-queue.jsonl")
    waits = [one for one in inputs if isinstance(one, SessionEvent) and one.kind == "messageQueued"]
    assert [one.queued for one in waits] == [1]
    assert count(inputs, "turnCancelled") == 2


def test_records_without_an_instant_move_no_clock():
    inputs = of("claude-code-summaries.jsonl")
    assert inputs[0].at == min(one.at for one in inputs)


def test_a_turn_that_waits_for_a_persons_answer():
    assert longest_silence(of("claude-code-question-wait.jsonl")) == 994_255


def test_aborted_turns_of_the_older_form():
    inputs = of("codex-aborted-turns.jsonl")
    assert sum(calls(inputs)) == 123
    assert calls(inputs)[1] >= 10
    assert count(inputs, "turnCancelled") == 4
    assert count(inputs, "TurnStarted") == 13


def test_a_message_within_a_turn_starts_none():
    inputs = of("codex-message-mid-turn.jsonl")
    assert [kind for kind in kinds(inputs) if kind != "toolCalled"] == [
        "TurnStarted",
        "turnCompleted",
        "idle",
    ]
    assert calls(inputs) == (20, 0)


def test_a_call_that_waits_fifteen_minutes_for_approval():
    inputs = of("gemini-cli-session.json")
    assert calls(inputs) == (11, 2)
    assert count(inputs, "turnCancelled") == 1
    assert longest_silence(inputs) > 15 * 60_000


def test_six_turns_of_two_replies_each():
    inputs = of("copilot-autonomous.jsonl")
    assert count(inputs, "TurnStarted") == 6
    assert count(inputs, "turnCompleted") == 6
    assert calls(inputs) == (6, 0)


def test_microseconds_are_cut():
    inputs = of("openhands-events.jsonl")
    assert format_instant(inputs[0].at) == "2026-06-16T05:39:18.809Z"
    assert not isinstance(inputs[0], Activity)
    assert at("00:00:00") < inputs[0].at
