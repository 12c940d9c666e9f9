"""The examples in docstrings, run."""

import doctest
import importlib
from pathlib import Path

import pytest

import wakeful

PACKAGE = Path(wakeful.__file__).parent


def modules_with_examples():
    for path in sorted(PACKAGE.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("module", list(modules_with_examples()))
def test_the_examples_of_a_module_show_what_happens(module):
    failed, attempted = doctest.testmod(importlib.import_module(module))

    assert attempted > 0
    assert failed == 0
