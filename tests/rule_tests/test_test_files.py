"""Reading files of rule tests: what they hold, and every problem by line and column."""

import pytest

from rule_tests.rule_test_files import RULES, write
from wakeful.errors import InvalidError
from wakeful.model.time import parse_instant
from wakeful.rule_tests import find_tests, read_tests


def problems(folder, tests, **options):
    with pytest.raises(InvalidError) as caught:
        read_tests(write(folder, tests, **options))
    return [(problem.path, problem.line, problem.sentence) for problem in caught.value.problems]


def test_what_a_test_leaves_out_is_the_files_or_a_default(tmp_path):
    first, second = read_tests(
        write(
            tmp_path,
            """
            start: "2026-10-07T14:00:00Z"
            sessions: { s1: { project: api }, s2: { project: web } }
            runs: 5m
            tests:
              - name: one
                inputs: [+1m idle s1]
                expect: { matches: [] }
              - name: two
                start: "2026-10-08T14:00:00Z"
                sessions: { s1: { project: docs } }
                runs: { failing: [1m, 2m] }
                rules: "@failing-tools"
                expect: { decisions: [] }
            """,
        )
    )

    assert first.start == parse_instant("2026-10-07T14:00:00Z")
    assert first.rules == (str(tmp_path / "rules.yaml"),)
    assert first.runs.every == 300_000
    assert (first.line, second.line) == (6, 9)
    assert second.start == parse_instant("2026-10-08T14:00:00Z")
    assert second.rules == ("@failing-tools",)
    assert second.sessions == {"s1": {"project": "docs"}, "s2": {"project": "web"}}
    assert second.runs.each == {"failing": (60_000, 120_000)}


def test_rules_are_named_from_the_files_folder(tmp_path):
    (tmp_path / "rules").mkdir()
    path = write(
        tmp_path,
        """
        rules: [rules, ../shared.yaml]
        tests: [{ name: a, expect: { matches: [] } }]
        """,
    )

    (case,) = read_tests(path)

    assert case.rules == (str(tmp_path / "rules"), str(tmp_path / "../shared.yaml"))


def test_without_rules_they_are_those_of_the_same_name(tmp_path):
    (tmp_path / "nightly.md").write_text("---\ntitle: N\n---\nm\n")
    path = tmp_path / "nightly.test.yaml"
    path.write_text("tests: [{ name: a, expect: { matches: [] } }]")

    assert read_tests(path)[0].rules == (str(tmp_path / "nightly.md"),)


def test_rules_that_nothing_names_are_missed(tmp_path):
    path = tmp_path / "lonely.test.yaml"
    path.write_text("tests: [{ name: a, expect: { matches: [] } }]")

    with pytest.raises(InvalidError, match=r"rules: missing; .* no lonely\.yaml lies beside"):
        read_tests(path)


@pytest.mark.parametrize(
    ("path", "line", "said", "tests"),
    [
        (
            "testz",
            2,
            "did you mean 'tests'?",
            "\ntestz: []\ntests: [{ name: a, expect: { matches: [] } }]\n",
        ),
        ("tests", 2, "missing", "\n{}\n"),
        ("tests", 2, "at least one test", "\ntests: []\n"),
        ("", 1, "a map", "3"),
        ("tests[0].name", 2, "missing", "\ntests: [{ expect: { matches: [] } }]"),
        ("tests[0].expect", 2, "missing", "\ntests: [{ name: a }]"),
        (
            "tests[0].expect",
            2,
            "{} is not matches, decisions or both",
            "\ntests: [{ name: a, expect: {} }]",
        ),
        (
            "tests[0].expect.match",
            2,
            "did you mean 'matches'?",
            "\ntests: [{ name: a, expect: { match: [], decisions: [] } }]",
        ),
        (
            "tests[0].inputs[1]",
            6,
            "did you mean 'toolFailed'?",
            (
                "\ntests:\n- name: a\n  inputs:\n  - +1m idle s1\n  - +1m toolFaild s1\n"
                "  expect: { matches: [] }\n"
            ),
        ),
        (
            "tests[0].expect.matches[0]",
            4,
            "+OFFSET AUTOMATION",
            "\ntests:\n- name: a\n  expect: { matches: [+4m] }\n",
        ),
        (
            "tests[0].expect.decisions[0]",
            4,
            "did you mean 'start'?",
            "\ntests:\n- name: a\n  expect: { decisions: [+4m strat failing] }\n",
        ),
        (
            "tests[0].expect.decisions[0].reson",
            4,
            "did you mean 'reason'?",
            (
                "\ntests:\n- name: a\n"
                "  expect: { decisions: [{ at: +1m, decision: drop, reson: skipped }] }\n"
            ),
        ),
        (
            "tests[0].expect.matches[0].count",
            4,
            "a whole number",
            "\ntests:\n- name: a\n  expect: { matches: [{ at: +1m, count: 3.0 }] }\n",
        ),
        (
            "tests[0].sessions.s1.projects",
            4,
            "did you mean 'project'?",
            "\ntests:\n- name: a\n  sessions: { s1: { projects: api } }\n  expect: { matches: [] }\n",
        ),
        (
            "tests[0].runs.failing",
            4,
            "a duration",
            "\ntests:\n- name: a\n  runs: { failing: 5 }\n  expect: { matches: [] }\n",
        ),
        (
            "tests[0].runs.failing[1]",
            4,
            "a duration",
            "\ntests:\n- name: a\n  runs: { failing: [5m, 1] }\n  expect: { matches: [] }\n",
        ),
        (
            "tests[0].until",
            5,
            "before the last input",
            "\ntests:\n- name: a\n  inputs: [+5m idle s1]\n  until: +4m\n  expect: { matches: [] }\n",
        ),
        (
            "tests[1].name",
            4,
            "'a' is taken by tests[0]",
            "\ntests:\n- { name: a, expect: { matches: [] } }\n- { name: a, expect: { matches: [] } }\n",
        ),
        (
            "start",
            2,
            "a full instant",
            "\nstart: 2026-10-07\ntests: [{ name: a, expect: { matches: [] } }]",
        ),
        ("rules", 2, "a path, @id", "\nrules: []\ntests: [{ name: a, expect: { matches: [] } }]"),
    ],
)
def test_what_is_refused_and_where(tmp_path, path, line, said, tests):
    ((found_path, found_line, sentence),) = problems(tmp_path, tests)

    assert (found_path, found_line) == (path, line)
    assert said in sentence


def test_all_problems_are_told(tmp_path):
    tests = """
        tests:
          - name: a
            inputs: [+1m idel s1, 2m idle s1]
            expect: { matches: [+1m] }
        """

    assert len(problems(tmp_path, tests)) == 3


def test_text_that_is_no_yaml_is_refused_with_its_place(tmp_path):
    ((_, line, sentence),) = problems(tmp_path, "tests:\n  - name: [\n")

    assert line is not None
    assert "not YAML" in sentence


class TestFinding:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "below").mkdir()
        for name in ("b.test.yaml", "a.test.yaml", "below/c.test.yaml", "rules.yaml"):
            (tmp_path / name).write_text("")
        return tmp_path

    def test_a_folder_is_its_tests_and_all_below(self, folder):
        names = [path.name for path in find_tests([folder])]

        assert names == ["a.test.yaml", "b.test.yaml", "c.test.yaml"]

    def test_a_file_that_is_named_twice_is_run_once(self, folder):
        assert len(find_tests([folder, folder / "a.test.yaml"])) == 3

    def test_a_file_of_another_name_is_refused(self, folder):
        with pytest.raises(InvalidError, match=r"no rule tests; expected a \.test\.yaml file"):
            find_tests([folder / "rules.yaml"])

    def test_a_file_that_is_not_there_is_refused(self, folder):
        with pytest.raises(InvalidError, match="no such file"):
            find_tests([folder / "d.test.yaml"])

    def test_the_packages_own_are_found_by_the_name_of_their_rule(self):
        assert [path.name for path in find_tests(["@looks-stuck"])] == ["looks-stuck.test.yaml"]
        assert len(find_tests(["@"])) >= 10


def test_rule_tests_are_left_out_where_rules_are_read(tmp_path):
    from wakeful.reading import load_rules

    write(tmp_path, "tests: []")

    assert len(load_rules([tmp_path]).automations) == RULES.count("- id: t1")
