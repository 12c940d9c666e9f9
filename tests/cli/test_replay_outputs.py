"""``wakeful replay``: what it writes, and what hides or cuts what."""

import json

import pytest

from replay_cases import at, automation, event, failure

RESOURCE = "ahp-automation:/two"
TWO = automation("two", "toolFailed", count={"n": 2})


def run_record(seconds, kind, **members):
    return {"at": at(seconds), "kind": kind, "automation": RESOURCE, **members}


def test_a_decision_is_one_line_with_the_members_that_say_something(wakeful, log, rules):
    path = log([failure(0), failure(1)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json")

    (line,) = ran.lines
    run, message = line.pop("run"), line.pop("message")
    assert line == {
        "at": at(1),
        "automation": RESOURCE,
        "trigger": "t1",
        "decision": "start",
        "count": 2,
        "session": "s1",
        "event": "toolFailed",
    }
    assert run
    assert message.startswith("A tool call failed 2\n\nWhat woke this run: A tool call failed\n")


def test_a_match_is_one_line(wakeful, log, rules):
    path = log([failure(0), failure(1)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json", "--matches")

    assert ran.lines == [
        {
            "at": at(1),
            "automation": RESOURCE,
            "trigger": "t1",
            "session": "s1",
            "event": "toolFailed",
            "count": 2,
        }
    ]


def test_by_default_a_run_is_over_before_the_next_match_is_decided(wakeful, log, rules):
    path = log([failure(second) for second in range(6)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json")

    assert [line["decision"] for line in ran.lines] == ["start", "start", "start"]


def test_a_run_time_makes_the_next_wake_wait_until_it_is_over(wakeful, log, rules):
    path = log([failure(0), failure(1), failure(2), failure(3)])

    ran = wakeful(
        *("replay", path, "--rules", rules(TWO), "--json"),
        *("--run-time", "10s", "--until", at(60)),
    )

    assert [(line["at"], line["decision"]) for line in ran.lines] == [
        (at(1), "start"),
        (at(3), "hold"),
        (at(11), "release"),
    ]


def test_with_the_runs_of_the_log_a_wake_waits_until_a_record_settles_it(wakeful, log, rules):
    path = log(
        [
            *(failure(0), failure(1)),
            run_record(1, "runStarted", run="r1", session="s9"),
            *(failure(2), failure(3)),
            run_record(90, "runSettled", run="r1", outcome="completed"),
        ]
    )

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json", "--run-time", "log")

    assert [(line["at"], line["decision"]) for line in ran.lines] == [
        (at(1), "start"),
        (at(3), "hold"),
        (at(90), "release"),
    ]


def test_time_ends_with_the_log_and_what_waits_is_listed(wakeful, log, rules, tmp_path):
    quiet = automation("quiet", "turnFailed", then={"kind": "idle", "for": "3m"})
    path, summary = log([event(0, "turnFailed")]), tmp_path / "summary.json"

    ran = wakeful("replay", path, "--rules", rules(quiet), "--json", "--summary", summary)

    assert ran.lines == []
    (waiting,) = json.loads(summary.read_text())["waiting"]
    assert waiting["deadline"] == at(180)
    assert waiting["automation"] == "ahp-automation:/quiet"


def test_until_lets_time_go_on_after_the_last_record(wakeful, log, rules):
    quiet = automation("quiet", "turnFailed", then={"kind": "idle", "for": "3m"})
    path = log([event(0, "turnFailed")])

    ran = wakeful("replay", path, "--rules", rules(quiet), "--json", "--until", at(180))

    assert [(line["at"], line["decision"]) for line in ran.lines] == [(at(180), "start")]


def test_until_feeds_no_record_from_the_first_one_after_it(wakeful, log, rules):
    path = log([failure(0), failure(10), failure(5), failure(6)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json", "--until", at(9))

    assert ran.lines == []


def test_from_hides_outputs_and_cuts_no_input(wakeful, log, rules):
    path = log([failure(0), failure(1), failure(2), failure(3)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json", "--from", at(2))

    assert [line["at"] for line in ran.lines] == [at(3)]


def test_session_hides_the_outputs_of_others(wakeful, log, rules):
    path = log([failure(0, "s1"), failure(0, "s2"), failure(1, "s1"), failure(2, "s2")])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json", "--session", "s2")

    assert [line["at"] for line in ran.lines] == [at(2)]


@pytest.mark.parametrize("name", ["two", RESOURCE])
def test_automation_hides_the_outputs_of_others(wakeful, log, rules, name):
    path = log([failure(0), failure(1)])
    both = rules(automation("one", "toolFailed"), TWO)

    ran = wakeful("replay", path, "--rules", both, "--json", "--automation", name)

    assert [line["automation"] for line in ran.lines] == [RESOURCE]


def test_a_reorder_window_gives_the_matches_of_the_sorted_log(wakeful, log, rules):
    pair = automation("pair", "toolFailed", then={"kind": "event", "event": "idle", "within": "1s"})
    path = log([event(1.5, "idle"), failure(1), event(9, "activity")])
    command = ("replay", path, "--rules", rules(pair), "--json", "--matches")

    assert wakeful(*command).lines == []
    assert [line["at"] for line in wakeful(*command, "--reorder", "1s").lines] == [at(1.5)]


def test_with_json_standard_output_is_lines_and_the_summary_goes_to_the_other(wakeful, log, rules):
    path = log([failure(0), failure(1)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json")

    assert len(ran.lines) == 1
    assert "1 match: start 1" in ran.err


def test_quiet_writes_no_summary(wakeful, log, rules):
    path = log([failure(0), failure(1)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--json", "-q")

    assert len(ran.lines) == 1
    assert ran.err == ""


def test_the_table_shows_session_rule_count_and_the_instant_in_the_zone(wakeful, log, rules):
    path = log([failure(0, "ahp-session:/s1"), failure(1, "ahp-session:/s1")])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--zone", "Europe/Berlin")

    heading, row = ran.out.splitlines()[:2]
    assert "Europe/Berlin" in heading
    assert row.split() == ["2026-10-07", "16:00:01.000", "start", "two", "2", "ahp-session:/s1"]


def test_the_table_of_matches_names_the_trigger(wakeful, log, rules):
    path = log([failure(0), failure(1)])

    ran = wakeful("replay", path, "--rules", rules(TWO), "--matches")

    assert ran.out.splitlines()[1].split()[-1] == "t1"


def test_text_of_a_log_is_shown_and_not_obeyed(wakeful, log, rules):
    path = log([failure(0, "[red]s[/red]\n1"), failure(1, "[red]s[/red]\n1")])

    ran = wakeful("replay", path, "--rules", rules(TWO))

    assert "[red]s[/red] 1" in ran.out.splitlines()[1]


def test_several_logs_are_one_by_instant(wakeful, log, rules):
    first = log([failure(0), failure(20)], "first.jsonl")
    second = log([failure(10)], "second.jsonl")

    ran = wakeful("replay", first, second, "--rules", rules(TWO), "--json")

    assert [line["at"] for line in ran.lines] == [at(10)]


def test_rules_without_a_log_go_from_one_instant_to_another(wakeful, rules):
    ran = wakeful("replay", "--rules", rules(TWO), "--from", at(0), "--until", at(60), "--json")

    assert (ran.status, ran.lines) == (0, [])


def test_a_type_that_nothing_declares_is_taken_as_registered(wakeful, log, rules):
    hook = automation("hook", "opened")
    hook["triggers"][0]["type"] = "review"
    fired = {"at": at(0), "kind": "plugin", "type": "review", "event": "opened", "data": {}}

    ran = wakeful("replay", log([fired]), "--rules", rules(hook), "--json", "--matches")

    assert [line["event"] for line in ran.lines] == ["opened"]


def test_the_recorded_day_shows_each_of_the_eight_words(wakeful):
    ran = wakeful("replay", "--json")

    assert ran.status == 0
    assert {line["decision"] for line in ran.lines} == {
        *("start", "hold", "fold", "steer", "release", "drop", "answer", "refuse")
    }


def test_the_recorded_day_leaves_things_waiting(wakeful, tmp_path):
    wakeful("replay", "--json", "--summary", tmp_path / "summary.json")

    waiting = json.loads((tmp_path / "summary.json").read_text())["waiting"]
    shown = [
        (one["what"], one["automation"].rpartition("/")[2], one["deadline"]) for one in waiting
    ]
    assert shown == [
        ("silence", "waiting-for-person", "2026-10-07T10:41:10.000Z"),
        ("idle", "idle-after-failure", "2026-10-07T10:41:50.000Z"),
        ("silence", "waiting-for-person", "2026-10-07T10:45:00.000Z"),
        ("silence", "long-silent-turn", "2026-10-07T10:46:10.000Z"),
        ("silence", "long-silent-turn", "2026-10-07T10:50:00.000Z"),
        ("silence", "missing-child", "2026-10-07T11:36:10.000Z"),
        ("silence", "missing-child", "2026-10-07T11:40:00.000Z"),
        ("occurrence", "nightly-check", "2026-10-08T02:30:00.000Z"),
    ]
