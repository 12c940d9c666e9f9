"""A folder of automations to write in, and the command to run on it."""

import pytest

from storage.storage_builders import Ran
from wakeful.cli import main


@pytest.fixture
def folder(tmp_path):
    """Where automations are kept; not there yet."""
    return tmp_path / "automations"


@pytest.fixture
def wakeful(capsys):
    def run(*arguments) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(status=status, out=captured.out, err=captured.err)

    return run
