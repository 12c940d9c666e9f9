"""The guide's examples run as they stand, and those of the docstrings."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import wakeful.catalogue
import wakeful.testing

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "catalogue.md"
MODULES = [
    f"{package.__name__}.{found.name}"
    for package in (wakeful.catalogue, wakeful.testing)
    for found in pkgutil.iter_modules(package.__path__)
]


def failures_of(test):
    report = []
    doctest.DocTestRunner().run(test, out=report.append)
    return "".join(report)


def test_the_examples_of_the_guide_say_what_they_print():
    test = doctest.DocTestParser().get_doctest(
        GUIDE.read_text(encoding="utf-8"), {}, GUIDE.name, str(GUIDE), 0
    )

    assert failures_of(test) == ""
    assert len(test.examples) > 20


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_say_what_they_print(module):
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module))

    assert [failures_of(test) for test in found if test.examples] == [
        "" for test in found if test.examples
    ]
