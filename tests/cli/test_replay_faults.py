"""``wakeful replay``: wrong input gives one clear message and the right status."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from replay_cases import at, automation, event, failure

ONE = automation("one", "toolFailed")


def trigger_with(**config):
    return automation("one", "toolFailed", **config)


@pytest.mark.parametrize(
    ("config", "place", "says"),
    [
        ({"count": {"n": 1, "whithin": "5m"}}, "count.whithin", "within"),
        ({"count": {"n": "3"}}, "count.n", "'3'"),
        ({"count": {"n": True}}, "count.n", "True"),
        ({"count": {"n": 2, "within": 5}}, "count.within", "5"),
        ({"then": {"kind": "idle"}}, "then.for", ""),
        ({"then": {"kind": "event", "event": "coffee", "within": "5m"}}, "then.event", "coffee"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_path(wakeful, rules, config, place, says):
    ran = wakeful("replay", "any.jsonl", "--rules", rules(trigger_with(**config)))

    assert (ran.status, ran.out) == (3, "")
    (message,) = ran.err.splitlines()
    assert f"automations[0].triggers[0].config.{place}" in message
    assert says in message


def test_every_wrong_rule_is_told_at_once(wakeful, log, rules):
    wrong = rules(trigger_with(count={"n": 0}), trigger_with(when={"runing": True}))

    ran = wakeful("replay", log([failure(0)]), "--rules", wrong)

    assert ran.status == 3
    assert len(ran.err.splitlines()) >= 2


def test_an_unknown_preset_is_refused(wakeful, log, rules):
    watch = automation("one", "looks-stuk")
    watch["triggers"][0]["type"] = "watch"

    ran = wakeful("replay", log([failure(0)]), "--rules", rules(watch))

    assert ran.status == 3
    assert "looks-stuk" in ran.err


def test_an_unknown_event_is_refused(wakeful, log, rules):
    ran = wakeful("replay", log([failure(0)]), "--rules", rules(automation("one", "toolBroke")))

    assert ran.status == 3
    assert "toolBroke" in ran.err


def test_invalid_yaml_is_refused_with_its_line(wakeful, log, tmp_path):
    (tmp_path / "rules.yaml").write_text("automations:\n  - id: [one\n")

    ran = wakeful("replay", log([failure(0)]), "--rules", tmp_path / "rules.yaml")

    assert ran.status == 3
    assert "rules.yaml:" in ran.err


def test_a_missing_ruleset_is_refused(wakeful, log):
    ran = wakeful("replay", log([failure(0)]), "--rules", "no-such.yaml")

    assert ran.status == 3
    assert "no-such.yaml" in ran.err


def test_an_unknown_shipped_rule_names_the_nearest(wakeful, log):
    ran = wakeful("replay", log([failure(0)]), "--rules", "@failing-tool")

    assert ran.status == 3
    assert "@failing-tools" in ran.err


def test_a_missing_log_is_bad_news(wakeful, rules):
    ran = wakeful("replay", "no-such.jsonl", "--rules", rules(ONE))

    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "wakeful: no-such.jsonl: no such file\n"


def test_one_missing_log_among_others_is_told_and_the_rest_is_read(wakeful, log, rules):
    path = log([failure(0)])

    ran = wakeful("replay", path, "no-such.jsonl", "--rules", rules(ONE), "--json", "-q")

    assert (ran.status, len(ran.lines)) == (1, 1)
    assert "no-such.jsonl: no such file" in ran.err


def test_a_binary_log_is_bad_news(wakeful, rules, tmp_path):
    (tmp_path / "log.jsonl").write_bytes(bytes(range(256)))

    ran = wakeful("replay", tmp_path / "log.jsonl", "--rules", rules(ONE))

    assert ran.status == 1
    assert len(ran.err.splitlines()) == 1


def test_a_line_that_is_no_json_is_told_with_its_number_and_the_rest_is_read(wakeful, log, rules):
    path = log([failure(0), '{"at": oops', failure(2)])

    ran = wakeful("replay", path, "--rules", rules(ONE), "--json", "-q")

    assert (ran.status, len(ran.lines)) == (1, 2)
    assert f"{path}:2" in ran.err


def test_a_last_line_that_is_cut_short_is_told_and_no_error(wakeful, log, rules, tmp_path):
    path = tmp_path / "cut.jsonl"
    path.write_text(Path(log([failure(0)])).read_text() + '{"at":"2026-10-07T14:00:0')

    ran = wakeful("replay", path, "--rules", rules(ONE), "--json", "-q")

    assert (ran.status, len(ran.lines)) == (0, 1)
    assert f"{path}:2: the last line is cut short" in ran.err


def test_an_instant_without_a_zone_is_a_matter_of_usage(wakeful, log, rules):
    path = log([{**failure(0), "at": "2026-10-07T16:00:00"}])
    command = ("replay", path, "--rules", rules(ONE), "--json", "-q")

    without, with_zone = wakeful(*command), wakeful(*command, "--zone", "Europe/Berlin")

    assert without.status == 2
    assert "--zone" in without.err
    assert [line["at"] for line in with_zone.lines] == [at(0)]


def test_an_unknown_kind_is_skipped_and_counted(wakeful, log, rules):
    path = log([failure(0), {"at": at(1), "kind": "coffee"}])

    ran = wakeful("replay", path, "--rules", rules(ONE))

    assert ran.status == 0
    assert "skipped 1 (coffee 1)" in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["log.jsonl"], "--rules"),
        (["--rules", "@"], "--from and --until"),
        (["--rules", "@", "--from", "2026-10-07T14:00:00"], "has no zone"),
        (["--zone", "Mars/Olympus"], "Mars/Olympus"),
        (["--zone", "europe/berlin"], "Europe/Berlin"),
        (["--run-time", "soon"], "or log"),
        (["--format", "csv"], "'csv' is no format of logs; there are auto, wakeful"),
        (["--reorder", "5"], "30s, 5m or 2h"),
        (["--until", "tomorrow"], "--until"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_a_wrong_command_line_is_a_matter_of_usage(wakeful, arguments, says):
    ran = wakeful("replay", *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "wakeful.cli", "replay", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_standard_input_is_read(log, rules):
    with (
        Path(log([failure(0)])).open() as given,
        start("-", "--rules", rules(ONE), "--json", "-q", stdin=given) as process,
    ):
        out, err = process.communicate(timeout=30)

    assert (process.returncode, err) == (0, "")
    assert len(out.splitlines()) == 1


def test_a_closed_pipe_ends_it_cleanly(log, rules):
    path = log([failure(second / 10) for second in range(20_000)])

    with start(path, "--rules", rules(ONE), "--json", "-q") as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=30)

    assert (process.returncode, err) == (0, "")


def test_an_interrupt_tells_what_was_done_so_far(log, rules):
    # Enough for the first chunk of input to be whole, and few enough outputs for the pipe.
    filler = [event(100, "activity") for _ in range(3_000)]
    records = Path(log([*(failure(second) for second in range(100)), *filler])).read_text()
    with start("-", "--rules", rules(ONE), "--json", stdin=subprocess.PIPE) as process:
        process.stdin.write(records)
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "interrupted" in err
    assert "start" in err
    assert "Traceback" not in err + out


def test_there_is_no_progress_where_there_is_no_terminal(log, rules):
    path = log([failure(second) for second in range(50)])

    with start(path, "--rules", rules(ONE), "--json", "-q") as process:
        _, err = process.communicate(timeout=30)

    assert err == ""
