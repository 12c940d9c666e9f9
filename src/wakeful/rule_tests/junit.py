"""Outcomes as JUnit XML, which continuous integration shows."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from wakeful.errors import Problem
from wakeful.rule_tests.runner import Outcome

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write."""


def write_junit(
    path: Path, outcomes: Sequence[tuple[Outcome, float]], problems: Iterable[Problem] = ()
) -> None:
    """Write a report.

    Args:
        path: The file to write.
        outcomes: Each with the seconds that it took.
        problems: What was refused, in place of being run.

    Raises:
        OSError: The file cannot be written.
    """
    refused = list(problems)
    suite = ET.Element(
        "testsuite",
        name="wakeful test",
        tests=str(len(outcomes) + len(refused)),
        failures=str(sum(not outcome.passed for outcome, _ in outcomes)),
        errors=str(len(refused)),
        time=f"{sum(seconds for _, seconds in outcomes):.3f}",
    )
    for outcome, seconds in outcomes:
        case = outcome.case
        element = ET.SubElement(
            suite,
            "testcase",
            classname=_text(case.file),
            name=_text(case.name),
            file=_text(case.file),
            line=str(case.line),
            time=f"{seconds:.3f}",
        )
        if not outcome.passed:
            failure = ET.SubElement(element, "failure", message="not as expected")
            failure.text = _text(outcome.text())
    for problem in refused:
        element = ET.SubElement(suite, "testcase", classname=_text(problem.file or ""), name="read")
        ET.SubElement(element, "error", message=_text(str(problem)))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    ET.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _text(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
