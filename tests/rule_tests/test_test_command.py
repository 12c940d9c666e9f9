"""``wakeful test`` and the pytest plugin, as they are called."""

from xml.etree import ElementTree as ET

import pytest

from rule_tests.rule_test_files import write
from wakeful.cli import main

GOOD = """
tests:
  - name: two failures
    inputs: [+1m toolFailed s1, +2m toolFailed s1]
    expect: { matches: [+2m failing s1] }
  - name: one failure
    inputs: [+1m toolFailed s1]
    expect: { matches: [] }
"""
BAD = """
tests:
  - name: expected too much
    inputs: [+1m toolFailed s1]
    expect: { matches: [+2m failing s1] }
"""


@pytest.fixture
def run(capsys):
    def call(*arguments):
        capsys.readouterr()
        status = main(["test", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_tests_that_pass_are_0(tmp_path, run):
    path = write(tmp_path, GOOD)

    assert run(path) == (0, f"ok      {path} (2)\n2 passed\n", "")


def test_quiet_says_nothing_where_all_passes(tmp_path, run):
    assert run(write(tmp_path, GOOD), "--quiet") == (0, "", "")


def test_a_failed_test_is_1_with_its_place_and_what_differs(tmp_path, run):
    path = write(tmp_path, BAD)

    status, out, _ = run(path)

    assert status == 1
    assert out.splitlines() == [
        f"failed  {path}:3: expected too much",
        "    matches: (- expected and did not come, + came and was not expected)",
        "      - +2m failing s1",
        "0 passed, 1 failed",
    ]


def test_a_file_that_is_refused_is_3_and_the_others_are_run(tmp_path, run):
    write(tmp_path, "testz: []", name="a")
    write(tmp_path, GOOD, name="b")

    status, out, err = run(tmp_path)

    assert status == 3
    assert "did you mean 'tests'?" in err
    assert "2 passed, 2 refused" in out


def test_rules_that_are_refused_are_3(tmp_path, run):
    path = write(tmp_path, GOOD, rules="automations: [{ id: a }]")

    status, _, err = run(path)

    assert status == 3
    assert "rules.yaml:1:" in err


def test_a_path_that_is_not_there_is_3(tmp_path, run):
    assert run(tmp_path / "none.test.yaml")[0] == 3


def test_no_path_is_a_usage_error(run):
    assert run()[0] == 2


def test_a_folder_without_tests_is_1(tmp_path, run):
    status, _, err = run(tmp_path)

    assert (status, err) == (1, "wakeful: no rule tests\n")


@pytest.mark.parametrize(
    ("name", "passed"), [("two", 1), ("FAILURE", 2), ("rules.test", 2), ("one failure", 1)]
)
def test_tests_are_chosen_by_name(tmp_path, run, name, passed):
    write(tmp_path, GOOD)

    status, out, _ = run(tmp_path, "-k", name)

    assert (status, out.splitlines()[-1]) == (0, f"{passed} passed")


def test_a_name_that_no_test_has_is_1(tmp_path, run):
    write(tmp_path, GOOD)

    assert run(tmp_path, "-k", "three")[0] == 1


def test_junit_tells_of_all_tests_and_of_what_was_refused(tmp_path, run):
    write(tmp_path, GOOD, name="a")
    write(tmp_path, BAD, name="b")
    write(tmp_path, "testz: []", name="c")
    report = tmp_path / "report.xml"

    run(tmp_path, "--junit", report)

    (suite,) = ET.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "1", "2")
    assert [case.get("name") for case in suite][:3] == [
        "two failures",
        "one failure",
        "expected too much",
    ]
    assert "- +2m failing s1" in suite[2].find("failure").text


def test_the_tests_of_the_package_pass(run):
    status, out, _ = run("@")

    assert status == 0
    assert "passed" in out


def test_nothing_rewrites_a_test_file(tmp_path, run):
    path = write(tmp_path, BAD)
    before = path.read_bytes()

    run(path)

    assert path.read_bytes() == before


def test_help_has_an_example(run):
    assert "Example: wakeful test" in run("--help")[1]


def test_an_interrupt_is_130_with_what_was_done_told(tmp_path, run, monkeypatch):
    from wakeful.cli import test as command

    write(tmp_path, GOOD)
    real, calls = command.run_case, []

    def interrupted(case):
        calls.append(case)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(case)

    monkeypatch.setattr(command, "run_case", interrupted)
    status, out, err = run(tmp_path)

    assert status == 130
    assert "interrupted" in err
    assert out.splitlines()[-1] == "1 passed"


class TestPytestPlugin:
    @pytest.fixture
    def pytester(self, pytester):
        # What the package of this checkout registers is what an installed one does.
        pytester.makeini("[pytest]")
        return pytester

    def test_each_test_of_a_file_is_an_item(self, pytester):
        write(pytester.path, GOOD)

        pytester.runpytest("-q").assert_outcomes(passed=2)

    def test_a_test_that_fails_shows_its_place_and_what_differs_and_no_traceback(self, pytester):
        path = write(pytester.path, BAD)

        result = pytester.runpytest("-q")

        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f"{path}:3", "*- +2m failing s1"])
        result.stdout.no_fnmatch_line("*runtest*")

    def test_tests_are_chosen_by_name(self, pytester):
        write(pytester.path, GOOD)

        pytester.runpytest("-q", "-k", "two").assert_outcomes(passed=1, deselected=1)

    def test_a_file_that_is_refused_is_an_error_with_every_problem(self, pytester):
        write(pytester.path, "testz: []")

        result = pytester.runpytest("-q")

        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*did you mean 'tests'?"])

    def test_rules_that_are_refused_fail_their_tests(self, pytester):
        write(pytester.path, GOOD, rules="automations: [{ id: a }]")

        result = pytester.runpytest("-q")

        result.assert_outcomes(failed=2)
        result.stdout.fnmatch_lines(["*rules.yaml:1:*title: missing*"])

    def test_other_yaml_is_left_alone(self, pytester):
        (pytester.path / "test.yaml").write_text("a: [")

        pytester.runpytest("-q").assert_outcomes()
