"""Running rule tests: what passes, what fails, and how the difference is shown."""

import pytest

from rule_tests.rule_test_files import write
from wakeful.errors import InvalidError
from wakeful.rule_tests import read_tests, run_case

FAILS = "inputs: [+1m toolFailed s1, +2m toolFailed s1]"


@pytest.fixture
def outcome(tmp_path):
    """Runs one test, written as its keys."""

    def run(*keys):
        body = "".join(f"    {key}\n" for key in keys)
        (case,) = read_tests(write(tmp_path, f"tests:\n  - name: one\n{body}"))
        return run_case(case)

    return run


@pytest.mark.parametrize(
    "expect",
    [
        "expect: { matches: [+2m failing] }",
        "expect: { matches: [+2m failing s1 count=2 event=toolFailed trigger=t1] }",
        "expect: { matches: [{ at: +2m }] }",
        "expect: { matches: [{ at: +2m, automation: 'ahp-automation:/failing', count: 2 }] }",
        "expect: { decisions: [+2m start failing] }",
        "expect: { decisions: [+2m start failing s1 count=2], matches: [+2m failing] }",
        "expect: { decisions: [{ at: '2026-01-01T00:02:00Z', decision: start }] }",
    ],
)
def test_what_came_as_expected_passes(outcome, expect):
    assert outcome(FAILS, expect).text() == ""


@pytest.mark.parametrize(
    "expect",
    [
        "expect: { matches: [] }",
        "expect: { decisions: [] }",
        "expect: { matches: [+1m failing] }",
        "expect: { matches: [+2m quiet] }",
        "expect: { matches: [+2m failing s2] }",
        "expect: { matches: [+2m failing count=3] }",
        "expect: { matches: [+2m failing trigger=t2] }",
        "expect: { matches: [+2m failing late=true] }",
        "expect: { matches: [+2m failing, +2m failing] }",
        "expect: { decisions: [+2m hold failing] }",
        "expect: { decisions: [+2m start failing message=other] }",
        "expect: { decisions: [+2m start failing reason=skipped] }",
        "expect: { matches: [+2m failing], decisions: [] }",
    ],
)
def test_what_came_otherwise_fails(outcome, expect):
    assert not outcome(FAILS, expect).passed


def test_an_empty_list_asserts_silence(outcome):
    assert outcome("inputs: [+1m toolFailed s1]", "expect: { matches: [], decisions: [] }").passed


def test_a_list_is_in_order(outcome):
    log = "inputs: [+1m toolFailed s1, +2m toolFailed s1, +3m toolFailed s2, +4m toolFailed s2]"

    assert outcome(log, "expect: { matches: [+2m failing s1, +4m failing s2] }").passed
    assert not outcome(log, "expect: { matches: [+4m failing s2, +2m failing s1] }").passed


def test_the_difference_shows_what_is_the_same_what_lacks_and_what_is_too_much(outcome):
    log = "inputs: [+1m toolFailed s1, +2m toolFailed s1, +3m toolFailed s2, +4m toolFailed s2]"

    found = outcome(log, "expect: { decisions: [+2m start failing s1, +3m hold failing s2] }")

    assert found.text().splitlines() == [
        "decisions: (- expected and did not come, + came and was not expected)",
        "    +2m start failing s1",
        "  - +3m hold failing s2",
        "  + +4m start failing s2 count=2",
    ]


def test_the_difference_shows_members_that_expectations_name(outcome):
    found = outcome(FAILS, "expect: { decisions: [+2m start failing message='none of it'] }")

    assert "+ +2m start failing s1 count=2 message='2 failed in" in found.text()


def test_a_message_is_held_to_whole(outcome):
    text = (
        "2 failed in Fix it\\n\\nWhat woke this run: A tool call failed\\n"
        "Session: Fix it (s1)\\nCount: 2\\nAt: 2026-01-01T00:02:00.000Z"
    )

    found = outcome(
        "sessions: { s1: { title: Fix it } }",
        FAILS,
        f'expect: {{ decisions: [{{ at: +2m, decision: start, message: "{text}" }}] }}',
    )

    assert found.text() == ""


def test_time_goes_on_to_until_and_no_further(outcome):
    log = "inputs: [+1m turnFailed s1]"

    assert outcome(log, "expect: { matches: [] }").passed
    assert outcome(log, "until: +3m59s999ms", "expect: { matches: [] }").passed
    assert outcome(log, "until: +4m", "expect: { matches: [+4m quiet s1] }").passed


TWICE = "inputs: [+0m toolFailed s1, +1m toolFailed s1, +2m toolFailed s1, +3m toolFailed s1]"


class TestRuns:
    @pytest.mark.parametrize(
        ("runs", "decisions"),
        [
            ("none", "+1m start failing, +3m start failing"),
            ("log", "+1m start failing, +3m hold failing"),
            ("1m", "+1m start failing, +3m start failing"),
            ("5m", "+1m start failing, +3m hold failing, +6m release failing"),
            ("{ failing: 5m }", "+1m start failing, +3m hold failing, +6m release failing"),
            ("{ failing: 2m }", "+1m start failing, +3m start failing"),
            ("{ quiet: 5m }", "+1m start failing, +3m hold failing"),
        ],
    )
    def test_last_as_long_as_the_test_says(self, outcome, runs, decisions):
        found = outcome(
            TWICE, f"runs: {runs}", "until: +1h", f"expect: {{ decisions: [{decisions}] }}"
        )

        assert found.text() == ""

    def test_each_has_its_length_the_last_one_that_of_all_further_ones(self, outcome):
        times = ", ".join(f"+{minute}m toolFailed s1" for minute in range(12))

        found = outcome(
            f"inputs: [{times}]",
            "runs: { failing: [1m, 3m, 30s] }",
            "until: +1h",
            "expect: { decisions: [+1m start failing, +3m start failing, +5m hold failing, "
            "+6m release failing, +7m start failing, +9m start failing, +11m start failing] }",
        )

        assert found.text() == ""

    def test_a_run_that_begins_by_itself_is_over_before_the_next_input(self, outcome):
        found = outcome(
            "inputs: [+1m turnFailed s1, +2m turnFailed s2, +10m turnFailed s3]",
            "runs: { quiet: [30s, 2m, 10m] }",
            "until: +13m",
            "expect: { decisions: [+4m start quiet s1, +5m start quiet s2, +13m start quiet s3] }",
        )

        assert found.text() == ""

    def test_a_record_settles_a_run_before_its_length_is_over(self, outcome):
        found = outcome(
            "inputs: [+0m toolFailed s1, +1m toolFailed s1, +1m runStarted failing r1, "
            "+2m runSettled failing r1 completed, +2m toolFailed s1, +3m toolFailed s1]",
            "runs: 1h",
            "expect: { decisions: [+1m start failing, +3m start failing] }",
        )

        assert found.text() == ""

    def test_lengths_of_an_automation_that_is_not_there_are_refused(self, outcome):
        with pytest.raises(InvalidError, match="no automation 'fialing'"):
            outcome(TWICE, "runs: { fialing: 5m }", "expect: { matches: [] }")


def test_rules_that_are_refused_are_told_with_their_place(tmp_path):
    path = write(
        tmp_path,
        "tests: [{ name: a, expect: { matches: [] } }]",
        rules="automations: [{ id: a }]\n",
    )
    (case,) = read_tests(path)

    with pytest.raises(InvalidError, match=r"rules\.yaml:1:.*title: missing"):
        run_case(case)


def test_an_input_that_the_engine_refuses_fails_the_test(outcome):
    definition = "{ title: A, message: { text: m }, triggers: [] }"
    saved = (
        f"{{ at: +1m, kind: definitionSaved, automation: b, definition: {definition}, owner: 'x' }}"
    )
    removed = "{ at: +1m, kind: plugin, type: git, event: push }"

    with pytest.raises(InvalidError, match="an owner"):
        outcome(f"inputs: [{saved}]", "expect: { matches: [] }")
    found = outcome(f"inputs: [{removed}]", "expect: { matches: [] }")
    assert not found.passed
    assert found.text().startswith("refused: ")
