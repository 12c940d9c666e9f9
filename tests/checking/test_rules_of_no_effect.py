"""Findings of the class effect: a rule that has it, and a neighbour that has not."""

import pytest

from checking.check_kit import automation, codes, findings, rule

API = {"projects": ["api"]}


def schedule(expression, overlap="skip", **members):
    return {
        **automation("a", overlap=overlap),
        "triggers": [
            {"id": "t", "kind": "schedule", "schedule": {"expression": expression, **members}}
        ],
    }


def watch(preset, **config):
    where = {"automated": False, **config.pop("filter", {})}
    trigger = {"id": "t", "kind": "event", "type": "watch", "events": [{"id": preset}]}
    return {**automation("a"), "triggers": [{**trigger, "config": {**config, "filter": where}}]}


@pytest.mark.parametrize(
    ("code", "one", "neighbour"),
    [
        (
            "effect-same-input",
            rule("turnFailed", count={"n": 2, "sameInput": True}),
            rule("turnFailed", "toolFailed", count={"n": 2, "sameInput": True}),
        ),
        (
            "effect-single",
            rule("toolFailed", count={"n": 1, "within": "5m"}),
            rule("toolFailed", count={"n": 2, "within": "5m"}),
        ),
        (
            "effect-single",
            rule("toolFailed", count={"consecutive": True}),
            rule("toolFailed", count={}),
        ),
        (
            "effect-single",
            rule("toolFailed", count={"n": 1, "sameInput": True}),
            rule("toolFailed", count={"n": 1}),
        ),
        (
            "effect-zero-wait",
            rule("turnFailed", then={"kind": "idle", "for": "0s"}),
            rule("turnFailed", then={"kind": "idle", "for": "1s"}),
        ),
        (
            "effect-zero-wait",
            rule("turnFailed", then={"kind": "absent", "event": "toolCalled", "for": "0m"}),
            rule("turnFailed", then={"kind": "event", "event": "toolCalled", "within": "0m"}),
        ),
        (
            "effect-always-holds",
            rule("toolFailed", when={"queuedAtLeast": 0}),
            rule("toolFailed", when={"queuedAtLeast": 1}),
        ),
        (
            "effect-always-holds",
            rule("toolFailed", when={"toolCallsAtLeast": 0}),
            rule("toolFailed", when={"toolCallsAtLeast": 2}),
        ),
        (
            "effect-folder",
            rule("toolFailed", filter={"folders": ["/work/api"]}),
            rule("toolFailed", filter={"folders": ["file:///work/api", "file:///"]}),
        ),
        (
            "effect-folder",
            rule("toolFailed", filter={"folders": ["file:///work/api/"]}),
            rule("toolFailed", filter={"folders": ["vscode-remote://box/work/api"]}),
        ),
        ("effect-every-turn", rule("turnCompleted"), rule("turnFailed")),
        ("effect-every-turn", rule("idle"), rule("idle", filter=API)),
        ("effect-every-turn", rule("toolCalled"), rule("toolCalled", count={"n": 30})),
        (
            "effect-every-turn",
            rule("toolCalled", when={"running": True, "toolCallsAtLeast": 1}),
            rule("toolCalled", when={"running": True, "toolCallsAtLeast": 2}),
        ),
        (
            "effect-every-turn",
            rule("idle", when={"running": False}),
            rule("turnCompleted", count={}, when={"turnLongerThan": "30m"}),
        ),
        (
            "effect-every-turn",
            rule("turnCompleted", then={"kind": "event", "event": "idle", "within": "1m"}),
            rule("turnCompleted", then={"kind": "event", "event": "turnFailed", "within": "1m"}),
        ),
        ("effect-schedule-overlap", schedule("*/4 * * * *"), schedule("*/5 * * * *")),
        ("effect-schedule-overlap", schedule("* * * * *"), schedule("* * * * *", "queue")),
        ("effect-schedule-overlap", schedule("0,3 9 * * *"), schedule("0 9 * * *")),
        (
            "effect-wakes-itself",
            automation("a", "toolFailed", filter=API),
            automation("a", "toolFailed", filter={**API, "automated": False}),
        ),
        (
            "effect-wakes-itself",
            automation("a", "toolFailed"),
            automation("a", "toolFailed", filter={"sessions": ["s1"]}),
        ),
        (
            "effect-wakes-itself",
            automation("a", "toolFailed", filter={"automated": True}),
            {**automation("a", "toolFailed", filter={"automated": True}), "enabled": False},
        ),
    ],
)
class TestSingleRules:
    def test_has_the_finding(self, tmp_path, code, one, neighbour):
        assert codes(tmp_path, one) == [code]

    def test_its_neighbour_has_not(self, tmp_path, code, one, neighbour):
        assert codes(tmp_path, neighbour) == []


def test_a_preset_that_counts_to_one_is_a_count_of_one(tmp_path):
    assert (
        codes(tmp_path, watch("looks-stuck", times=1))
        == ["effect-every-turn"] + ["effect-single"] * 2
    )
    assert codes(tmp_path, watch("looks-stuck", times=2)) == []


def test_two_triggers_that_mean_the_same_rule(tmp_path):
    one = rule("toolFailed", count={"n": 3, "within": "5m"})
    trigger = one["triggers"][0]
    again = {**trigger, "id": "t2", "title": "Again"}
    again["config"] = {**trigger["config"], "count": {"within": "300s", "n": 3}}
    other = {**again, "config": {**trigger["config"], "count": {"within": "301s", "n": 3}}}

    (found,) = findings(tmp_path, {**one, "triggers": [trigger, again]})
    assert (found.code, found.problem.path) == ("effect-same-rule", "automations[0].triggers[1]")
    assert codes(tmp_path, {**one, "triggers": [trigger, other]}) == []


def test_how_long_runs_last_can_be_said(tmp_path):
    half_hourly = schedule("*/30 * * * *")

    assert codes(tmp_path, half_hourly, run_time=31 * 60_000) == ["effect-schedule-overlap"]
    assert codes(tmp_path, half_hourly, run_time=30 * 60_000) == []


def test_two_schedules_of_one_automation_can_come_close_together(tmp_path):
    one = schedule("0 9 * * *")
    second = {**one["triggers"][0], "id": "t2", "schedule": {"expression": "2 9 * * *"}}
    same = {**one["triggers"][0], "id": "t2", "schedule": {"expression": "0 9 * * MON"}}

    assert codes(tmp_path, {**one, "triggers": [*one["triggers"], second]}) == [
        "effect-schedule-overlap"
    ]
    assert codes(tmp_path, {**one, "triggers": [*one["triggers"], same]}) == []


class TestWakingEachOther:
    @staticmethod
    def open_rule(id_, provider=None, filter=None, owner=None, folders=None):  # noqa: A002
        """An automation that looks at the runs of others, of sessions that are not its own."""
        session = {"provider": provider} if provider else {}
        if folders:
            session["workingDirectories"] = folders
        return {
            **automation(id_, "toolFailed", filter=filter or {}),
            "session": session,
            **({"owner": owner} if owner else {}),
        }

    def pairs(self, folder, *automations):
        return [
            found.problem.message
            for found in findings(folder, *automations)
            if found.code == "effect-wake-each-other"
        ]

    def test_two_that_look_at_each_others_runs(self, tmp_path):
        assert self.pairs(tmp_path, self.open_rule("a"), self.open_rule("b")) == [
            "runs of a can wake b, and theirs can wake a"
        ]

    def test_many_are_told_in_one_finding_each(self, tmp_path):
        many = [self.open_rule(f"a{number}") for number in range(9)]

        first, *rest = self.pairs(tmp_path, *many)

        assert first == "runs of a0 can wake a1, a2, a3, a4, a5 and 3 more, and theirs can wake a0"
        assert len(rest) == 7

    def test_one_way_is_no_circle(self, tmp_path):
        closed = self.open_rule("b", filter={"automated": False})

        assert self.pairs(tmp_path, self.open_rule("a"), closed) == []

    @pytest.mark.parametrize(
        ("of_run", "where"),
        [
            ({"provider": "codex"}, {"providers": ["claude"]}),
            ({"owner": "user:bob"}, {"owners": ["user:ann"]}),
            ({"folders": ["file:///w/web"]}, {"folders": ["file:///w/api"]}),
            ({}, {"sessions": ["s1"]}),
            ({}, {"projects": []}),
        ],
    )
    def test_runs_that_a_filter_leaves_out_wake_nobody(self, tmp_path, of_run, where):
        one, other = self.open_rule("a", **of_run), self.open_rule("b", filter=where)

        assert self.pairs(tmp_path, one, other) == []

    @pytest.mark.parametrize(
        ("of_run", "where"),
        [
            ({"provider": "claude"}, {"providers": ["claude"]}),
            ({"owner": "user:ann"}, {"owners": ["user:ann"]}),
            ({"folders": ["file:///w/api"]}, {"folders": ["file:///w/api"]}),
            ({}, {"projects": ["api"], "automated": True}),
        ],
    )
    def test_runs_that_a_filter_lets_in_do(self, tmp_path, of_run, where):
        one, other = self.open_rule("a", **of_run), self.open_rule("b", filter=where)

        assert len(self.pairs(tmp_path, one, other)) == 1
