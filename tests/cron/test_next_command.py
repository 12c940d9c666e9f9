"""``wakeful next``, as programs and people read it."""

import json

import pytest
from click.testing import CliRunner

from wakeful.cli.next import next_command

RULES = """\
automations:
  - id: mornings
    title: Mornings
    message: { text: "Look." }
    session: { provider: claude }
    triggers:
      - id: early
        kind: schedule
        schedule: { expression: "0 9 * * *", timeZone: Europe/Berlin }
      - id: hourly
        kind: schedule
        title: "Each [hour]"
        schedule: { expression: "0 */3 * * *" }
  - id: never
    title: By hand
    message: { text: "Look." }
    session: { provider: claude }
    triggers: []
"""


def run(*arguments):
    return CliRunner().invoke(next_command, [*arguments])


def lines(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def test_json_has_an_object_for_each_occurrence():
    expected = [
        {"at": "2026-10-07T07:30:00.000Z", "local": "2026-10-07T09:30:00+02:00"},
        {"at": "2026-10-08T07:30:00.000Z", "local": "2026-10-08T09:30:00+02:00"},
    ]
    assert expected == lines(
        "30 9 * * mon-fri", "--zone", "Europe/Berlin",
        "--from", "2026-10-07T07:29:59Z", "--count", "2",
    )  # fmt: skip


def test_the_second_pass_is_marked_as_repeated():
    found = lines(
        "30 1 * * *", "--zone", "America/New_York",
        "--from", "2026-11-01T00:00:00Z", "--count", "3",
    )  # fmt: skip
    expected = [
        {"at": "2026-11-01T05:30:00.000Z", "local": "2026-11-01T01:30:00-04:00"},
        {
            "at": "2026-11-01T06:30:00.000Z",
            "local": "2026-11-01T01:30:00-05:00",
            "repeated": True,
        },
        {"at": "2026-11-02T06:30:00.000Z", "local": "2026-11-02T01:30:00-05:00"},
    ]
    assert expected == found


def test_ten_occurrences_from_now_in_utc_are_the_default():
    found = lines("* * * * *")
    assert len(found) == 10
    assert all(line["local"].endswith("+00:00") for line in found)


def test_from_takes_milliseconds():
    assert lines("* * * * *", "--from", "60000", "--count", "1")[0]["at"] == (
        "1970-01-01T00:02:00.000Z"
    )


def test_a_from_without_a_zone_is_in_the_zone_given():
    found = lines("0 * * * *", "--zone", "Asia/Tokyo", "--from", "2026-10-07T09:00", "--count", "1")
    assert found == [{"at": "2026-10-07T01:00:00.000Z", "local": "2026-10-07T10:00:00+09:00"}]


def test_the_table_tells_what_a_change_of_clocks_skips():
    result = run(
        "30 2 * * *", "--zone", "America/New_York",
        "--from", "2026-03-07T12:00:00Z", "--count", "1",
    )  # fmt: skip
    rows = [line for line in result.stdout.splitlines() if "2026-" in line]
    assert result.exit_code == 0
    assert "at 02:30 every day, America/New_York" in result.stdout
    assert [row[2:22] for row in rows] == ["Sun 2026-03-08 02:30", "Mon 2026-03-09 02:30"]
    assert "skipped" in rows[0]
    assert "2026-03-09T06:30:00.000Z" in rows[1]
    assert "-04:00" in rows[1]


def test_the_table_tells_of_a_skipped_day_in_two_rows():
    result = run(
        "* * 30 12 *", "--zone", "Pacific/Apia",
        "--from", "2011-12-29T09:00:00Z", "--count", "1",
    )  # fmt: skip
    assert result.stdout.count("skipped") == 2
    assert "1440 times" in result.stdout


def test_the_table_marks_what_repeats():
    result = run(
        "30 1 * * *", "--zone", "America/New_York",
        "--from", "2026-11-01T00:00:00Z", "--count", "2",
    )  # fmt: skip
    assert result.stdout.count("repeated") == 1


@pytest.mark.parametrize(
    ("named", "arguments"),
    [
        (["minute"], ["@daily"]),
        (["day of month"], ["0 0 30 2 *"]),
        (["Mars/Olympus"], ["0 0 * * *", "--zone", "Mars/Olympus"]),
        (["minute", "hour", "timeZone"], ["60 24 * * *", "--zone", "Nowhere"]),
    ],
)
def test_what_is_refused_is_told_on_standard_error_with_status_3(named, arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (3, "")
    assert all(name in result.stderr for name in named)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--rules", "rules.yaml"],
        ["--automation", "x"],
        ["0 0 * * *", "--rules", "rules.yaml", "--automation", "x"],
        ["0 0 * * *", "--automation", "x"],
        ["0 0 * * *", "--count", "0"],
        ["0 0 * * *", "--from", "yesterday"],
        ["0 0 * * *", "--from", "2026-01-01T00:00"],
    ],
)
def test_wrong_usage_has_status_2(arguments):
    assert run(*arguments).exit_code == 2


def test_the_end_of_the_years_ends_the_list():
    found = lines("0 12 31 12 *", "--from", "9998-01-01T00:00:00Z")
    assert [line["at"] for line in found] == [
        "9998-12-31T12:00:00.000Z",
        "9999-12-31T12:00:00.000Z",
    ]


def test_an_automation_has_the_occurrences_of_all_its_schedules_once_each(rules):
    found = lines(
        "--rules", rules, "--automation", "mornings",
        "--from", "2027-01-07T05:59:00Z", "--count", "4",
    )  # fmt: skip
    # 09:00 in Berlin is 08:00 UTC.
    assert [line["local"] for line in found] == [
        "2027-01-07T06:00:00+00:00",
        "2027-01-07T09:00:00+01:00",
        "2027-01-07T09:00:00+00:00",
        "2027-01-07T12:00:00+00:00",
    ]
    in_summer = lines(
        "--rules", rules, "--automation", "ahp-automation:/mornings", "--zone", "Asia/Tokyo",
        "--from", "2026-07-07T05:59:00Z", "--count", "3",
    )  # fmt: skip
    assert [line["local"][11:16] for line in in_summer] == ["15:00", "16:00", "18:00"]


def test_two_schedules_at_one_instant_are_one_occurrence(rules, tmp_path):
    path = tmp_path / "same.yaml"
    path.write_text(RULES.replace('"0 9 * * *", timeZone: Europe/Berlin', '"0 3 * * *"'))
    found = lines(
        "--rules", str(path), "--automation", "mornings",
        "--from", "2026-07-07T00:00:00Z", "--count", "2",
    )  # fmt: skip
    assert [line["local"][11:16] for line in found] == ["03:00", "06:00"]


def test_the_table_of_several_schedules_names_each(rules):
    result = run("--rules", rules, "--automation", "mornings", "--from", "2026-07-07T00:00:00Z")
    assert result.exit_code == 0
    assert "Each [hour]" in result.stdout
    assert "early" in result.stdout


def test_an_automation_without_a_schedule_has_none(rules):
    result = run("--rules", rules, "--automation", "never")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no schedule" in result.stderr


def test_an_unknown_automation_is_wrong_usage_and_the_known_are_named(rules):
    result = run("--rules", rules, "--automation", "evenings")
    assert result.exit_code == 2
    assert "mornings, never" in result.stderr


def test_rules_that_are_refused_have_status_3(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(RULES.replace("0 9 * * *", "0 25 * * *").replace("Mornings", ""))
    result = run("--rules", str(path), "--automation", "mornings")
    assert result.exit_code == 3
    assert "0 25 * * *" in result.stderr or "'25'" in result.stderr
