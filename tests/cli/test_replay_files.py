"""``wakeful replay``: what it writes beside its output, and what it says of what it was given."""

import json

import pytest

from replay_cases import at, automation, event, failure

ONE = automation("one", "toolFailed")


def test_a_summary_is_written_over_an_old_one_and_leaves_nothing_else(
    wakeful, log, rules, tmp_path
):
    path = tmp_path / "summary.json"
    path.write_text("old")

    ran = wakeful("replay", log([failure(0)]), "--rules", rules(ONE), "--summary", path)

    assert ran.status == 0
    assert json.loads(path.read_text())["matches"] == 1
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("option", ["log", "rules"])
def test_a_summary_does_not_write_over_what_is_read(wakeful, log, rules, option):
    paths = {"log": log([failure(0)]), "rules": rules(ONE)}

    ran = wakeful("replay", paths["log"], "--rules", paths["rules"], "--summary", paths[option])

    assert (ran.status, ran.out) == (2, "")
    assert "write over" in ran.err


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("", 2, "an empty name is no file"),
        ("/no/such/folder/s.json", 1, "/no/such/folder/s.json: No such file"),
        ("/", 1, "/: Is a directory"),
    ],
)
def test_a_summary_that_cannot_be_written_is_told_before_the_replay(
    wakeful, log, name, status, says
):
    ran = wakeful("replay", log([failure(0)]), "--rules", "@", "--summary", name)

    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err


def test_a_full_disk_names_the_summary(wakeful, log, rules):
    ran = wakeful("replay", log([failure(0)]), "--rules", rules(ONE), "--summary", "/dev/full")

    assert ran.status == 1
    assert "/dev/full: No space left" in ran.err


@pytest.mark.parametrize("command", ["replay", "explain"])
@pytest.mark.parametrize("files", [1, 2])
def test_an_input_that_the_engine_refuses_is_told_with_its_line(
    wakeful, log, rules, command, files
):
    nested = {"at": at(1), "kind": "plugin", "type": "a/b", "event": "e", "data": {"x": {"y": 1}}}
    path = log([failure(0), nested, failure(2)])
    others = [log([failure(9)], name=f"{n}.jsonl") for n in range(1, files)]

    ran = wakeful(command, path, *others, "--rules", rules(ONE), "--json", "-q")

    assert ran.status == 1
    assert f"{path}:2: " in ran.err


def test_an_end_before_the_beginning_is_a_matter_of_usage(wakeful):
    ran = wakeful("replay", "--from", at(2), "--until", at(1))

    assert (ran.status, ran.out) == (2, "")
    assert "--until lies before --from" in ran.err


def test_a_day_without_a_time_says_what_is_missing(wakeful):
    ran = wakeful("replay", "--until", "2026-11-04")

    assert ran.status == 2
    assert "2026-11-04T00:00" in ran.err


def test_an_automation_that_the_rules_do_not_have_is_a_matter_of_usage(wakeful, log, rules):
    ran = wakeful("replay", log([failure(0)]), "--rules", rules(ONE), "--automation", "two")

    assert ran.status == 2
    assert "no automation 'two'; they have: one" in ran.err


def test_a_session_that_never_occurs_is_told(wakeful, log, rules):
    path = log([failure(0), event(1, "activity", "s2")])
    command = ("replay", path, "--rules", rules(ONE), "--json", "-q", "--session")

    assert "no session s3 in the logs" in wakeful(*command, "s3").err
    assert wakeful(*command, "s2").err == ""


def test_at_most_twenty_unreadable_lines_are_named(wakeful, log, rules):
    ran = wakeful(
        "replay", log(["no json"] * 25), "--rules", rules(ONE), "--format", "wakeful", "-q"
    )

    assert ran.status == 1
    assert len(ran.err.splitlines()) == 21
    assert "and 6 more" in ran.err
