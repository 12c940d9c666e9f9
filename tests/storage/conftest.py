"""A folder of automations to write in, and the command to run on it."""

import tempfile
from pathlib import Path

import pytest

from storage.storage_builders import Ran
from wakeful.cli import main

_MEMORY = Path("/dev/shm")


@pytest.fixture
def folder():
    """Where automations are kept; not there yet. In memory where there is such a place.

    These tests write to the disk thousands of times and wait for it each time.
    """
    where = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=where, ignore_cleanup_errors=True) as around:
        yield Path(around) / "automations"


@pytest.fixture
def wakeful(capsys):
    def run(*arguments) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(status=status, out=captured.out, err=captured.err)

    return run
