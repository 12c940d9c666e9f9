"""Rule tests: ``*.test.yaml`` files beside rulesets, read, run and reported.

>>> from wakeful.rule_tests import find_tests, read_tests, run_case
>>> [file] = find_tests(["@failing-tools"])
>>> all(run_case(case).passed for case in read_tests(file))
True
"""

from wakeful.rule_tests.files import Case, find_tests, read_tests
from wakeful.rule_tests.junit import write_junit
from wakeful.rule_tests.runner import Outcome, run_case
from wakeful.rule_tests.schema import rule_test_schema

__all__ = [
    "Case",
    "Outcome",
    "find_tests",
    "read_tests",
    "rule_test_schema",
    "run_case",
    "write_junit",
]
