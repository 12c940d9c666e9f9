"""Each rule that comes with the package, on a log where it fires and on its neighbours."""

import json

import pytest

from replay_cases import event, failure, success
from wakeful.logs.native import NativeFormat
from wakeful.logs.reader import Origin
from wakeful.model.outputs import Match
from wakeful.model.time import parse_instant
from wakeful.reading import load_rules
from wakeful.replay import Replay


@pytest.fixture
def wakes():
    """The matches of one shipped rule on records: seconds after 14:00, and the count."""
    zero = parse_instant("2026-10-07T14:00:00Z")

    def replay(rule, records, *, until=3_600):
        reader = NativeFormat().reader()
        inputs = [
            one
            for record in records
            for one in reader.feed(json.dumps(record).encode(), Origin("log"))
        ]
        player = Replay(load_rules([f"@{rule}"]).automations, until=zero + until * 1_000)
        return [
            ((output.at - zero) / 1_000, output.count)
            for output in player.outputs(inputs)
            if isinstance(output, Match)
        ]

    return replay


def turn(*records, begin=0, **members):
    return [event(begin, "turnStarted", **members), *records]


def edit(seconds):
    return success(seconds, input_hash=f"edit at {seconds}")


class TestLooksStuck:
    def test_fires_at_the_third_of_one_call(self, wakes):
        assert wakes("looks-stuck", [success(0), success(60), success(120)]) == [(120, 3)]

    def test_fires_when_the_call_fails_and_edits_lie_between(self, wakes):
        log = [failure(0), edit(30), failure(60), edit(90), failure(120)]

        assert wakes("looks-stuck", log) == [(120, 3)]

    def test_twelve_edits_with_different_inputs_are_not_a_loop(self, wakes):
        assert wakes("looks-stuck", [edit(second) for second in range(12)]) == []

    def test_polling_every_six_minutes_is_not_a_loop(self, wakes):
        assert wakes("looks-stuck", [success(second) for second in (0, 360, 720, 1080)]) == []

    def test_the_same_call_in_three_sessions_is_not_a_loop(self, wakes):
        assert wakes("looks-stuck", [success(0, "s1"), success(1, "s2"), success(2, "s3")]) == []


class TestFailingTools:
    def test_fires_at_the_third_failure_in_a_row(self, wakes):
        log = [failure(0, input_hash="1"), failure(5, input_hash="2"), failure(9, input_hash="3")]

        assert wakes("failing-tools", log) == [(9, 3)]

    def test_a_success_in_between_ends_the_row(self, wakes):
        assert wakes("failing-tools", [failure(0), failure(5), edit(7), failure(9)]) == []


class TestLongSilentTurn:
    def test_fires_after_ten_minutes_without_a_word(self, wakes):
        log = turn(event(30, "activity"), event(3_500, "turnCompleted"))

        assert wakes("long-silent-turn", log) == [(630, 1)]

    def test_a_word_every_nine_minutes_keeps_it_quiet(self, wakes):
        log = turn(*(event(540 * n, "activity") for n in range(1, 6)), event(3_000, "turnFailed"))

        assert wakes("long-silent-turn", log) == []

    def test_a_session_between_turns_is_not_silent(self, wakes):
        assert wakes("long-silent-turn", turn(event(60, "turnCompleted"), event(60, "idle"))) == []


class TestIdleAfterFailure:
    def test_fires_three_minutes_after_a_turn_that_failed(self, wakes):
        log = turn(event(60, "turnFailed"), event(60, "idle"))

        assert wakes("idle-after-failure", log) == [(240, 1)]

    def test_a_turn_tried_again_within_them_keeps_it_quiet(self, wakes):
        log = [*turn(event(60, "turnFailed")), *turn(event(3_590, "turnCompleted"), begin=239)]

        assert wakes("idle-after-failure", log) == []

    def test_a_turn_that_somebody_stopped_is_no_failure(self, wakes):
        assert wakes("idle-after-failure", turn(event(60, "turnCancelled"))) == []


class TestWaitingWhileBusy:
    @staticmethod
    def queued_after(calls):
        return event(90, "messageQueued", running=True, queued=1, turnToolCalls=calls)

    def test_fires_at_a_message_behind_a_turn_of_three_calls(self, wakes):
        assert wakes("waiting-while-busy", turn(self.queued_after(3))) == [(90, 1)]

    def test_a_turn_that_has_just_begun_is_not_busy(self, wakes):
        assert wakes("waiting-while-busy", turn(self.queued_after(2))) == []


class TestRepeatingFailure:
    def test_fires_on_a_commit_that_a_hook_refuses_three_times(self, wakes):
        log = [failure(0), edit(30), failure(60), edit(90), failure(120)]

        assert wakes("repeating-failure", log) == [(120, 3)]

    def test_healthy_re_runs_after_edits_are_quiet(self, wakes):
        log = [step for n in range(8) for step in (edit(60 * n), success(60 * n + 30))]

        assert wakes("repeating-failure", log) == []

    def test_two_failures_before_it_passes_are_quiet(self, wakes):
        log = [failure(0), edit(30), failure(60), edit(90), success(120), edit(150), success(180)]

        assert wakes("repeating-failure", log) == []

    def test_three_different_failures_are_quiet(self, wakes):
        log = [failure(n, input_hash=str(n)) for n in range(3)]

        assert wakes("repeating-failure", log) == []

    def test_the_same_failure_every_six_minutes_is_quiet(self, wakes):
        assert wakes("repeating-failure", [failure(360 * n) for n in range(6)]) == []


@pytest.mark.parametrize(
    "rule",
    [
        "looks-stuck",
        "failing-tools",
        "idle-after-failure",
        "waiting-while-busy",
        "long-silent-turn",
        "repeating-failure",
    ],
)
def test_sessions_that_runs_made_wake_no_shipped_rule(wakes, rule):
    log = [
        event(0, "turnStarted", automated=True),
        *({**failure(n), "automated": True} for n in range(1, 6)),
        event(6, "messageQueued", automated=True, running=True, queued=1, turnToolCalls=5),
        event(1_000, "turnFailed", automated=True),
    ]

    assert wakes(rule, log) == []
