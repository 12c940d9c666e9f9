"""The guide to restarts runs as it stands."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "restarts.md"


def test_the_examples_of_the_guide_say_what_they_print():
    failed, attempted = doctest.testfile(str(GUIDE), module_relative=False)
    assert attempted > 10
    assert failed == 0
