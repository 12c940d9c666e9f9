"""``wakeful check`` as it is called."""

import json
import os
import subprocess
import sys

import pytest

from checking.check_kit import event, failure, rule
from wakeful.cli import main

GOOD = rule("toolFailed")
BAD = rule("toolFailed", filter={"projects": []})


@pytest.fixture
def check(tmp_path, capsys):
    """Runs the command on automations: status, standard output, standard error."""

    def run(*automations, options=(), text=None):
        path = tmp_path / "rules.json"
        path.write_text(text or json.dumps({"automations": automations}), encoding="utf-8")
        capsys.readouterr()
        status = main(["check", str(path), *map(str, options)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_rules_with_nothing_to_say_about_them_are_0(check):
    assert check(GOOD) == (0, "nothing to say about 1 automation\n", "")


def test_quiet_says_nothing_then(check):
    assert check(GOOD, options=["--quiet"]) == (0, "", "")


def test_warnings_alone_are_0_and_strictly_1(check):
    assert check(BAD)[0] == 0
    assert check(BAD, options=["--strict"])[0] == 1
    assert check(GOOD, options=["--strict"])[0] == 0


def test_refused_rules_are_3(check):
    assert check(text='{"automations": 3}')[0] == 3
    assert check(text='{"automations": 3}', options=["--json"])[0] == 3


def test_no_path_is_a_usage_error(capsys):
    assert main(["check"]) == 2


def test_people_read_place_class_sentence_and_what_to_do(check, tmp_path):
    _, out, _ = check(BAD)
    first, second, total = out.splitlines()

    assert first.startswith(f"{tmp_path}/rules.json:1:")
    assert ": never: automations[0].triggers[0].config.filter.projects: projects is " in first
    assert first.endswith("(never-empty-filter)")
    assert second == (
        "    to do: name what is meant, or leave projects out, which is every session"
    )
    assert total == "1 warning in 1 automation"


def test_json_is_one_finding_a_line_and_nothing_else(check):
    _, out, _ = check(BAD, options=["--json"])
    (record,) = map(json.loads, out.splitlines())

    assert record["code"] == "never-empty-filter"
    assert record.keys() <= {
        "code", "severity", "path", "file", "line", "column", "value", "expected", "message"
    }  # fmt: skip


def test_sarif_is_written_to_its_file(check, tmp_path):
    file = tmp_path / "findings.sarif"

    check(BAD, options=["--sarif", file])

    log = json.loads(file.read_text())
    assert log["version"] == "2.1.0"
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == ["never-empty-filter"]


def test_logs_are_read_and_held_against_the_rules(check, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({**failure(1), "project": "web"}) + "\n")
    api = rule("toolFailed", filter={"projects": ["api"]})

    assert check(api, options=["--strict"])[0] == 0
    assert check(api, options=["--strict", "--logs", log])[0] == 1


def test_a_log_that_cannot_be_read_whole_is_1(check, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(
        json.dumps(event(1, "idle")) + "\nno line\n" + json.dumps(event(2, "idle")) + "\n"
    )

    status, _, err = check(GOOD, options=["--logs", log])

    assert status == 1
    assert f"{log}:2" in err


def test_a_log_that_is_not_there_is_1(check, tmp_path):
    status, _, err = check(GOOD, options=["--logs", tmp_path / "none.jsonl"])

    assert (status, "no such file" in err) == (1, True)


def test_run_time_is_how_long_runs_are_taken_to_last(check):
    trigger = {"id": "t", "kind": "schedule", "schedule": {"expression": "*/30 * * * *"}}
    half_hourly = {**GOOD, "overlap": "skip", "triggers": [trigger]}

    assert check(half_hourly, options=["--strict"])[0] == 0
    assert check(half_hourly, options=["--strict", "--run-time", "1h"])[0] == 1
    assert check(half_hourly, options=["--run-time", "1.5h"])[0] == 2


def test_the_rules_that_come_with_the_package_pass_strictly(capsys):
    assert main(["check", "@", "--strict"]) == 0


def test_help_has_an_example(capsys):
    assert main(["check", "--help"]) == 0
    assert "Example: wakeful check" in capsys.readouterr().out


@pytest.mark.parametrize(("no_color", "coloured"), [("1", False), (None, True)])
def test_no_color_is_honoured(tmp_path, no_color, coloured):
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"automations": [BAD]}))
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    if no_color:
        environment["NO_COLOR"] = no_color

    done = subprocess.run(
        [sys.executable, "-m", "wakeful.cli", "check", str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ("\x1b[33m" in done.stdout) == coloured
