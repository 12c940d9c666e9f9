"""The guide's worked plugin runs as it stands."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import wakeful.plugins

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "plugins.md"


def failures_of(test):
    report = []
    doctest.DocTestRunner().run(test, out=report.append)
    return "".join(report)


def test_the_examples_of_the_guide_say_what_they_print():
    test = doctest.DocTestParser().get_doctest(
        GUIDE.read_text(encoding="utf-8"), {}, GUIDE.name, str(GUIDE), 0
    )

    assert failures_of(test) == ""
    assert len(test.examples) > 30


@pytest.mark.parametrize(
    "module", [found.name for found in pkgutil.iter_modules(wakeful.plugins.__path__)]
)
def test_the_examples_of_docstrings_say_what_they_print(module):
    tests = doctest.DocTestFinder(exclude_empty=True).find(
        importlib.import_module(f"wakeful.plugins.{module}")
    )

    assert [failures_of(test) for test in tests if test.examples] == [
        "" for test in tests if test.examples
    ]
