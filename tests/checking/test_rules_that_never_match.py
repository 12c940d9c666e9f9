"""Findings of the classes never and host: a rule that has it, and a neighbour that has not.

The neighbour matches in the log, the rule does not.
"""

from typing import ClassVar

import pytest

from checking.check_kit import automation, codes, event, failure, findings, matches, rule, success
from wakeful.model.time import parse_instant


def ended(at, kind="turnCompleted", **members):
    """An ending, and the idle that a host says after it where nothing is queued."""
    state = {"running": False, "queued": 0, **members}
    ending = event(at, kind, **state)
    return [ending] if state["queued"] else [ending, event(at, "idle", **state)]


def turn(begin, end, kind="turnCompleted", **members):
    return [event(begin, "turnStarted"), *ended(end, kind, **members)]


FACTS = {"owner": "user:ann", "provider": "claude", "project": "api", "folders": ["file:///w/api"]}

NEVER = [
    *(
        pytest.param(
            "never-empty-filter",
            rule("toolFailed", filter={key: []}),
            rule("toolFailed", filter={key: value}),
            [{**failure(1), **FACTS}],
            id=key,
        )
        for key, value in [
            ("sessions", ["s1"]),
            ("providers", ["claude"]),
            ("owners", ["user:ann"]),
            ("projects", ["api"]),
            ("folders", ["file:///w/api"]),
        ]
    ),
    pytest.param(
        "never-window-too-short",
        rule("turnCompleted", count={"n": 3, "within": "199s"}, when={"turnLongerThan": "100s"}),
        rule("turnCompleted", count={"n": 3, "within": "200s"}, when={"turnLongerThan": "100s"}),
        [*turn(0, 100), *turn(100, 200), *turn(200, 300)],
        id="window",
    ),
    pytest.param(
        "host-running-ending",
        rule("turnFailed", when={"running": True}),
        rule("turnFailed", when={"running": False}),
        turn(0, 5, "turnFailed"),
        id="running ending",
    ),
    pytest.param(
        "host-running-ending",
        rule("idle", when={"running": True}),
        rule("idle", when={"running": False}, filter={"projects": ["api"]}),
        [{**record, "project": "api"} for record in turn(0, 5)],
        id="running idle",
    ),
    pytest.param(
        "host-not-running-call",
        rule("toolFailed", when={"running": False}),
        rule("toolFailed", when={"running": True}),
        [event(0, "turnStarted"), {**failure(1), "running": True}],
        id="call",
    ),
    pytest.param(
        "host-not-running-call",
        rule("messageQueued", when={"running": False}),
        rule("messageQueued", when={"running": True}),
        [event(0, "turnStarted"), event(1, "messageQueued", running=True, queued=1)],
        id="message",
    ),
    pytest.param(
        "host-idle-turn",
        rule("idle", when={"turnLongerThan": "5m"}),
        rule("turnCompleted", when={"turnLongerThan": "5m"}, count={}),
        turn(0, 600),
        id="idle turn",
    ),
    pytest.param(
        "host-turn-not-running",
        rule("childFinished", when={"running": False, "turnLongerThan": "5m"}),
        rule("childFinished", when={"running": True, "turnLongerThan": "5m"}),
        [event(0, "turnStarted"), event(600, "childFinished", running=True)],
        id="no turn",
    ),
    pytest.param(
        "host-idle-queued",
        rule("idle", when={"queuedAtLeast": 1}),
        rule("turnCompleted", when={"queuedAtLeast": 1}),
        turn(0, 5, queued=2),
        id="idle queued",
    ),
    pytest.param(
        "host-silence-not-running",
        rule("turnCompleted", when={"turnLongerThan": "5m", "running": False}),
        rule("turnCompleted", when={"turnLongerThan": "5m", "running": True}),
        [event(0, "turnStarted"), event(600, "turnCompleted", running=False)],
        id="silence",
    ),
    pytest.param(
        "host-consecutive-idle",
        rule("idle", count={"n": 2, "consecutive": True}),
        rule("turnCompleted", count={"n": 2, "consecutive": True}),
        [*turn(0, 5), *turn(6, 9)],
        id="consecutive idle",
    ),
    pytest.param(
        "host-absent-idle",
        rule("turnFailed", then={"kind": "absent", "event": "idle", "for": "3m"}),
        rule("turnFailed", then={"kind": "idle", "for": "3m"}),
        turn(0, 5, "turnFailed"),
        id="absent idle",
    ),
]


@pytest.mark.parametrize(("code", "one", "neighbour", "log"), NEVER)
def test_the_rule_has_the_finding_and_never_matches(tmp_path, code, one, neighbour, log):
    assert codes(tmp_path, one) == [code]
    assert matches(one, log) == 0


@pytest.mark.parametrize(("code", "one", "neighbour", "log"), NEVER)
def test_its_neighbour_has_no_finding_and_matches(tmp_path, code, one, neighbour, log):
    assert codes(tmp_path, neighbour) == []
    assert matches(neighbour, log) > 0


def test_an_event_that_never_counts_is_told_beside_others_that_do(tmp_path):
    mixed = rule("toolFailed", "turnFailed", when={"running": True})

    (found,) = findings(tmp_path, mixed)

    assert found.code == "host-running-ending"
    assert "at turnFailed" in found.problem.message
    assert "never counts there" in found.problem.message


def test_calls_in_a_row_and_idle_is_a_run_that_an_ending_breaks(tmp_path):
    row = rule("toolFailed", "idle", count={"n": 3, "consecutive": True})
    log = [failure(1), failure(2), *ended(3)]

    assert codes(tmp_path, row) == ["host-consecutive-idle"]
    assert matches(row, log) == 0


def test_absent_idle_is_meant_where_the_rule_asks_for_a_queue(tmp_path):
    absent = {"kind": "absent", "event": "idle", "for": "3m"}
    stuck = rule("turnFailed", then=absent, when={"queuedAtLeast": 1})

    assert codes(tmp_path, stuck) == []
    assert matches(stuck, turn(0, 5, "turnFailed", queued=1)) == 1


class TestOwnChat:
    PINNED: ClassVar = {"_meta": {"ahpd": {"session": "pinned", "pinnedSession": "s1"}}}

    def test_a_filter_that_leaves_only_the_own_chat_never_wakes(self, tmp_path):
        one = {**rule("toolFailed", filter={"sessions": ["s1"]}), **self.PINNED}

        assert codes(tmp_path, one) == ["never-own-chat"]

    def test_another_session_beside_it_does(self, tmp_path):
        one = {**rule("toolFailed", filter={"sessions": ["s1", "s2"]}), **self.PINNED}

        assert codes(tmp_path, one) == []

    def test_a_session_that_is_no_pinned_chat_is_a_session_as_any(self, tmp_path):
        assert codes(tmp_path, rule("toolFailed", filter={"sessions": ["s1"]})) == []


class TestConfig:
    TYPE: ClassVar = {
        "type": "git",
        "title": "Git",
        "events": [{"id": "push", "title": "Pushed"}],
        "configSchema": {"type": "object", "properties": {"branch": {"type": "string"}}},
    }

    def trigger(self, event="push", **config):
        return {
            **automation("a"),
            "triggers": [
                {
                    "id": "t",
                    "kind": "event",
                    "type": "git",
                    "events": [{"id": event}],
                    "config": config,
                }
            ],
        }

    def test_a_config_that_the_declared_type_refuses(self, tmp_path):
        (found,) = findings(tmp_path, self.trigger(branch=3), types=[self.TYPE])

        assert (found.code, found.problem.path) == (
            "never-config",
            "automations[0].triggers[0].config.branch",
        )

    def test_an_event_that_the_declared_type_does_not_offer(self, tmp_path):
        assert codes(tmp_path, self.trigger(event="pull"), types=[self.TYPE]) == ["never-config"]

    def test_a_config_that_passes(self, tmp_path):
        assert codes(tmp_path, self.trigger(branch="main"), types=[self.TYPE]) == []

    def test_a_type_that_nothing_declares_is_not_judged(self, tmp_path):
        assert codes(tmp_path, self.trigger(branch=3)) == []


class TestDates:
    def ending(self, date):
        return {
            **rule("toolFailed"),
            "disableConditions": [{"kind": "afterDate", "date": date}],
        }

    def test_a_date_that_has_passed(self, tmp_path):
        now = parse_instant("2026-10-07T14:00:00Z")

        assert codes(tmp_path, self.ending("2026-10-07T14:00:00Z"), now=now) == ["never-date-past"]

    def test_a_date_to_come(self, tmp_path):
        now = parse_instant("2026-10-07T14:00:00Z")

        assert codes(tmp_path, self.ending("2026-10-07T14:00:01Z"), now=now) == []

    def test_without_a_clock_no_date_has_passed(self, tmp_path):
        assert codes(tmp_path, self.ending("2020-01-01T00:00:00Z")) == []


def test_a_success_does_not_hide_what_is_wrong_with_the_filter(tmp_path):
    one = rule("toolCalled", filter={"projects": [], "owners": []}, count={"n": 2})

    assert codes(tmp_path, one) == ["never-empty-filter"] * 2
    assert matches(one, [success(1), success(2)]) == 0


def test_one_idle_is_no_run_that_an_ending_could_break(tmp_path):
    one = rule("idle", count={"n": 1, "consecutive": True}, filter={"projects": ["api"]})

    assert codes(tmp_path, one) == ["effect-single"]
    assert matches(one, [{**record, "project": "api"} for record in turn(0, 5)]) == 1


def test_a_wait_of_no_length_is_over_before_the_idle_comes(tmp_path):
    one = rule("turnFailed", then={"kind": "absent", "event": "idle", "for": "0s"})

    assert codes(tmp_path, one) == ["effect-zero-wait"]
    assert matches(one, turn(0, 5, "turnFailed")) == 1
