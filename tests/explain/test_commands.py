"""The four commands: what they print, and their statuses."""

import json
from pathlib import Path

import pytest

from explaining import rule
from replay_cases import at, event, failure, success
from wakeful.cli import main


@pytest.fixture
def write(tmp_path):
    def write(name, records):
        path = tmp_path / name
        if name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
        else:
            path.write_text(json.dumps({"automations": records}), "utf-8")
        return str(path)

    return write


@pytest.fixture
def run(capsys):
    def run(*arguments):
        capsys.readouterr()
        status = main([str(each) for each in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


LOG = [failure(0), success(1), failure(2), failure(3)]
RULE = rule("toolFailed", count={"n": 2, "consecutive": True})


def records_of(out):
    return [json.loads(line) for line in out.splitlines()]


def test_explain_tells_what_fired_and_what_did_not(run, write):
    status, out, _ = run("explain", write("log.jsonl", LOG), "--rules", write("rules.json", [RULE]))

    assert status == 0
    assert "Fired (1)" in out
    assert "2 counted: toolFailed Bash:1 at 2026-10-07 14:00:02.000" in out
    assert "count.consecutive: the run was broken by toolCalled Bash:1" not in out
    assert "1 of 2" in out


def test_explain_as_json_is_one_object_a_line(run, write):
    _, out, _ = run(
        "explain",
        write("log.jsonl", LOG),
        "--rules",
        write("rules.json", [RULE]),
        "--json",
    )

    assert [(each["explains"], each["at"]) for each in records_of(out)] == [
        ("fired", at(3)),
        ("missed", at(0)),
    ]


def test_explain_at_an_instant_tells_only_what_was_going_on(run, write):
    arguments = ("explain", write("log.jsonl", LOG), "--rules", write("rules.json", [RULE]))
    _, out, _ = run(*arguments, "--json", "--at", "2026-10-07T14:00:03Z")

    assert [each["explains"] for each in records_of(out)] == ["fired"]


def test_explain_tells_what_waits_and_what_would_end_it(run, write):
    log = write("log.jsonl", [event(0, "turnFailed")])
    rules = write("r.json", [rule("turnFailed", then={"kind": "idle", "for": "5m"})])
    _, out, _ = run("explain", log, "--rules", rules)

    assert "Waiting now" in out
    assert "matches at 2026-10-07 14:05:00.000, unless the session does something" in out


def test_explain_without_a_log_is_a_clocks_view(run, write):
    clock = {
        "id": "a",
        "title": "a",
        "message": {"text": "m"},
        "triggers": [{"id": "t1", "kind": "schedule", "schedule": {"expression": "0 9 * * *"}}],
    }
    status, out, _ = run(
        "explain",
        "--rules",
        write("rules.json", [clock]),
        "--from",
        "2026-10-07T00:00:00Z",
        "--until",
        "2026-10-08T00:00:00Z",
    )

    assert status == 0
    assert "2026-10-07 09:00:00.000: started" in out


def test_the_trace_that_explain_writes_is_replayed_to_the_same_matches(run, write, tmp_path):
    log, rules = write("log.jsonl", LOG), write("rules.json", [RULE])
    trace = tmp_path / "trace.jsonl"
    run("explain", log, "--rules", rules, "--trace", trace)
    expected = run("replay", log, "--rules", rules, "--matches", "--json")[1]

    assert run("replay", trace, "--rules", rules, "--matches", "--json")[1] == expected
    assert expected


def test_explain_of_an_automation_that_is_not_there_is_a_usage_error(run, write):
    status, _, err = run(
        "explain",
        write("log.jsonl", LOG),
        "--rules",
        write("rules.json", [RULE]),
        "--automation",
        "b",
    )

    assert status == 2
    assert "there are a" in err


def test_compare_of_rules_with_themselves_finds_nothing(run, write):
    rules = write("rules.json", [RULE])
    status, out, _ = run(
        "compare", write("log.jsonl", LOG), "--old", rules, "--new", rules, "--fail-on-change"
    )

    assert (status, out) == (0, "same 1, gained 0, lost 0, moved 0, changed 0\n")


def test_compare_fails_on_a_change_where_asked_to(run, write):
    old = write("old.json", [RULE])
    new = write("new.json", [rule("toolFailed", count={"n": 9})])
    arguments = ("compare", write("log.jsonl", LOG), "--old", old, "--new", new, "--json")
    status, out, _ = run(*arguments)

    assert status == 0
    assert [each["change"] for each in records_of(out)] == ["lost"]
    assert run(*arguments, "--fail-on-change")[0] == 1


def test_sweep_is_a_row_a_variant(run, write):
    _, out, _ = run(
        "sweep",
        write("log.jsonl", LOG),
        "--rules",
        write("rules.json", [RULE]),
        "--vary",
        "count.n=1..3",
        "--json",
    )

    assert [(each["values"], each["matches"]) for each in records_of(out)] == [
        ({"count.n": 1}, 3),
        ({"count.n": 2}, 1),
        ({"count.n": 3}, 0),
    ]


@pytest.mark.parametrize(("vary", "status"), [("count.n", 2), ("count.n=0", 3), ("no.such=1", 3)])
def test_sweep_refuses_what_it_cannot_vary(run, write, vary, status):
    arguments = ("sweep", write("log.jsonl", LOG), "--rules", write("rules.json", [RULE]))

    assert run(*arguments, "--vary", vary)[0] == status


def test_shrink_prints_a_test_that_passes(run, write, tmp_path):
    log, rules = write("log.jsonl", LOG), write("rules.json", [RULE])
    out = tmp_path / "small.test.yaml"

    assert run("shrink", log, "--rules", rules, "--out", out)[0] == 0
    assert run("test", out)[0] == 0
    assert out.read_text("utf-8").count("toolFailed s1") == 2


def test_shrink_of_a_match_that_is_not_there_is_bad_news(run, write):
    arguments = ("shrink", write("log.jsonl", LOG), "--rules", write("rules.json", [RULE]))
    status, out, err = run(*arguments, "--match", "2")

    assert (status, out) == (1, "")
    assert "no such match; there are 1" in err


@pytest.mark.parametrize("command", [("explain",), ("sweep", "--vary", "count.n=1"), ("shrink",)])
def test_a_log_without_rules_is_a_usage_error(run, write, command):
    assert run(*command, write("log.jsonl", LOG))[0] == 2


def test_a_log_that_cannot_be_read_is_bad_news_and_the_rest_is_explained(run, write, tmp_path):
    log = write("log.jsonl", LOG)
    with Path(log).open("a", encoding="utf-8") as file:
        file.write("{}\n" + json.dumps(failure(9)) + "\n")
    status, out, err = run("explain", log, "--rules", write("rules.json", [RULE]), "--json")

    assert status == 1
    assert records_of(out)
    assert "log.jsonl:5" in err


def test_without_logs_and_rules_the_recorded_day_is_explained(run):
    status, out, _ = run("explain", "--limit", "1", "--quiet")

    assert status == 0
    assert "Nearest misses" in out
