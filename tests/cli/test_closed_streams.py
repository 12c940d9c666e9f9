"""Streams that whoever ran the command has closed: a message and a status, no traceback."""

import os
import subprocess
import sys
from functools import partial

import pytest

from replay_cases import automation, failure


def run(closed, *arguments):
    """Run the command with one of its descriptors closed."""
    streams = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    return subprocess.run(
        [sys.executable, "-m", "wakeful.cli", *map(str, arguments)],
        preexec_fn=partial(os.close, closed),
        text=True,
        check=False,
        timeout=60,
        **streams,
    )


@pytest.mark.parametrize(
    "words", [("replay", "--json", "-q"), ("--version",), ("check", "@"), ("schema", "ruleset")]
)
def test_a_closed_standard_output_is_told_before_anything_is_done(words):
    done = run(1, *words)

    assert (done.returncode, done.stderr) == (1, "wakeful: standard output is closed\n")


def test_a_closed_standard_input_cannot_be_read_as_a_log(rules):
    done = run(0, "replay", "-", "--rules", rules(automation("one", "toolFailed")))

    assert (done.returncode, done.stderr) == (1, "wakeful: -: standard input is closed\n")


def test_a_closed_standard_input_cannot_be_imported(tmp_path):
    done = run(0, "import", "-", "--in", tmp_path)

    assert done.returncode == 1
    assert "standard input is closed" in done.stderr


def test_a_closed_standard_error_changes_neither_result_nor_status(log, rules):
    path = log([failure(0), "no json"])

    done = run(2, "replay", path, "--rules", rules(automation("one", "toolFailed")), "--json")

    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1
