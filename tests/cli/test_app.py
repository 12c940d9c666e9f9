"""The command as a whole: help, version, faults."""

import subprocess
import sys
from pathlib import Path

from wakeful import cli
from wakeful._version import __version__
from wakeful.cli.app import COMMANDS
from wakeful.cron import tzdata_version


def test_the_version_names_the_time_zone_data(wakeful):
    ran = wakeful("--version")

    assert ran.status == 0
    assert ran.out == f"wakeful {__version__} (tz database {tzdata_version()})\n"


def test_help_lists_every_command(wakeful):
    ran = wakeful("--help")

    assert ran.status == 0
    assert all(f"  {name} " in ran.out for name in COMMANDS)


def test_every_command_has_help_with_an_example(wakeful):
    for name in COMMANDS:
        ran = wakeful(name, "--help")

        assert ran.status == 0
        assert "Usage: wakeful" in ran.out


def test_an_unknown_command_is_a_matter_of_usage(wakeful):
    ran = wakeful("repaly")

    assert ran.status == 2
    assert "repaly" in ran.err


def test_a_fault_of_the_program_is_told_without_a_traceback(wakeful, monkeypatch):
    def broken(*_arguments):
        raise KeyError("lost")

    monkeypatch.setattr("wakeful.cli.app.importlib.import_module", broken)

    ran = wakeful("replay")

    assert ran.status == 1
    assert ran.err.startswith("wakeful: a fault of wakeful itself: KeyError")


def test_a_disk_that_is_full_is_bad_news(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "wakeful.cli", "replay", "--json", "-q"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=30,
        )

    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_main_is_the_entry_point(capsys):
    assert cli.main(["--version"]) == cli.app.main(["--version"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_an_unknown_command_names_the_nearest(wakeful):
    assert "Did you mean 'replay'?" in wakeful("repaly").err
    assert "Did you mean" not in wakeful("xxxxxx").err
