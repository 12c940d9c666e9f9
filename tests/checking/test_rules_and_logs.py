"""Findings of the class unseen: rules held against logs."""

import json

import pytest

from checking.check_kit import codes, event, failure, findings, rule
from replay_player import inputs
from wakeful.checking import Census, read_census
from wakeful.logs import LogReport

FACTS = {
    "owner": "user:ann",
    "provider": "claude",
    "project": "api",
    "folders": ["file:///w/api"],
}


def census(*records, **cannot_show):
    """What these records name, in a log of a format that cannot show some things."""
    report = LogReport()
    if cannot_show:
        report.cannot_show["some-agent"] = cannot_show
    found = Census(report=report)
    found.take(inputs(*records))
    return found


LOG = census(
    {**failure(1), **FACTS},
    {**failure(2, "s2"), "project": "web"},
    {"at": "2026-10-07T14:00:03Z", "kind": "plugin", "type": "git", "event": "push"},
)


@pytest.mark.parametrize(
    ("key", "known", "unknown"),
    [
        ("sessions", "s1", "s9"),
        ("owners", "user:ann", "user:bob"),
        ("providers", "claude", "codex"),
        ("projects", "web", "docs"),
        ("folders", "file:///w/api", "file:///w/web"),
    ],
)
def test_a_name_that_no_log_has(tmp_path, key, known, unknown):
    def asks(*values):
        return codes(tmp_path, rule("toolFailed", filter={key: values}), census=LOG)

    assert asks(known) == []
    assert asks(known, unknown) == [f"unseen-{key.removesuffix('s')}"]


def test_the_name_that_was_probably_meant_is_told(tmp_path):
    (found,) = findings(tmp_path, rule("toolFailed", filter={"projects": ["apis"]}), census=LOG)

    assert "did you mean 'api'?" in found.problem.message


def test_logs_that_name_no_owner_at_all_say_so(tmp_path):
    one = rule("toolFailed", filter={"owners": ["user:ann"]})
    (found,) = findings(tmp_path, one, census=census(failure(1)))

    assert "they name no owner at all" in found.problem.message


def test_keys_that_exclude_each_other_in_these_logs(tmp_path):
    one = rule("toolFailed", filter={"projects": ["web"], "owners": ["user:ann"]})
    other = rule("toolFailed", filter={"projects": ["api"], "owners": ["user:ann"]})

    assert codes(tmp_path, one, census=LOG) == ["unseen-together"]
    assert codes(tmp_path, other, census=LOG) == []


def test_a_plugins_event_that_no_log_has(tmp_path):
    def on(event_id):
        trigger = {"id": "t", "kind": "event", "type": "git", "events": [{"id": event_id}]}
        return {**rule("toolFailed"), "triggers": [trigger]}

    assert codes(tmp_path, on("push"), census=LOG) == []
    assert codes(tmp_path, on("pull"), census=LOG) == ["unseen-plugin-event"]


SILENT = rule("turnCompleted", "turnFailed", when={"turnLongerThan": "5m"})


@pytest.mark.parametrize(
    ("code", "hidden", "one", "neighbour"),
    [
        (
            "unseen-kind",
            "childFinished",
            rule("childFinished"),
            rule("toolFailed"),
        ),
        (
            "unseen-kind",
            "toolFailed",
            rule("turnFailed", then={"kind": "event", "event": "toolFailed", "within": "5m"}),
            rule("turnFailed", then={"kind": "event", "event": "toolCalled", "within": "5m"}),
        ),
        ("unseen-kind", "turnStarted", SILENT, rule("turnFailed")),
        ("unseen-queue", "queue", rule("messageQueued"), rule("toolFailed")),
        (
            "unseen-queue",
            "queue",
            rule("toolFailed", when={"queuedAtLeast": 1}),
            rule("toolFailed", when={"running": True}),
        ),
        ("unseen-quiet", "approval", SILENT, rule("turnFailed")),
        (
            "unseen-quiet",
            "heartbeat",
            rule("toolFailed", then={"kind": "idle", "for": "5m"}),
            rule("turnFailed", then={"kind": "idle", "for": "5m"}),
        ),
        (
            "unseen-instants",
            "instants",
            rule("toolFailed", count={"n": 3, "within": "5m"}),
            rule("toolFailed", count={"n": 3}),
        ),
        (
            "unseen-instants",
            "instants",
            rule("turnFailed", then={"kind": "idle", "for": "5m"}),
            rule("turnFailed"),
        ),
        ("unseen-instants", "instants", SILENT, rule("turnFailed")),
    ],
)
def test_what_a_format_cannot_show(tmp_path, code, hidden, one, neighbour):
    log = census(failure(1), **{hidden: "it is not written"})

    (found,) = findings(tmp_path, one, census=log)
    assert found.code == code
    assert "logs of some-agent" in found.problem.message
    assert "it is not written" in found.problem.message
    assert codes(tmp_path, neighbour, census=log) == []
    assert codes(tmp_path, one, census=census(failure(1))) == []


def test_presets_of_one_trigger_tell_of_their_filter_once(tmp_path):
    watching = {
        "id": "t",
        "kind": "event",
        "type": "watch",
        "events": [{"id": "failing-tools"}, {"id": "looks-stuck"}],
        "config": {"filter": {"projects": ["docs"], "automated": False}},
    }

    assert codes(tmp_path, {**rule("idle"), "triggers": [watching]}, census=LOG) == [
        "unseen-project"
    ]


def test_a_census_is_read_from_files(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({**event(1, "turnStarted", "s7"), "project": "docs"}) + "\n")

    found = read_census([path])

    assert (found.named("sessions"), found.named("projects")) == ({"s7"}, {"docs"})
