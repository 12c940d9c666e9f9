"""Findings as SARIF 2.1.0, the form in which code hosts show what linters find."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from wakeful._version import __version__
from wakeful.checking.findings import TITLES, Finding, FindingClass

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Iterable[Finding]) -> dict[str, Any]:
    """The findings as one run of a SARIF log."""
    found = list(findings)
    codes = list(TITLES)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "wakeful",
                        "version": __version__,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, codes) for each in found],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    class_ = FindingClass(code.partition("-")[0])
    return {
        "id": code,
        "shortDescription": {"text": TITLES[code]},
        "defaultConfiguration": {"level": "error" if class_ is FindingClass.REFUSED else "warning"},
        "properties": {"class": class_.words},
    }


def _result(found: Finding, codes: list[str]) -> dict[str, Any]:
    problem = found.problem
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": codes.index(found.code),
        "level": found.severity,
        "message": {"text": f"{problem.sentence}. To do: {problem.expected}"},
    }
    if problem.file is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.file)}}
        if problem.line is not None:
            place["region"] = {"startLine": problem.line}
            if problem.column is not None:
                place["region"]["startColumn"] = problem.column
        location: dict[str, Any] = {"physicalLocation": place}
        if problem.path:
            location["logicalLocations"] = [{"fullyQualifiedName": problem.path}]
        result["locations"] = [location]
    return result


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else path.as_posix()
