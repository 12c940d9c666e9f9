"""Ctrl-C at any time: one line, status 130, and no traceback."""

import signal
import subprocess
import sys

import pytest

from wakeful.cli import interrupts, main

AT_A_MODULE = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv = ["wakeful", "replay", "-q"]
from wakeful.cli import main
sys.exit(main())
"""
"""The command, interrupted when it begins to import a module."""


@pytest.mark.parametrize("module", ["wakeful.cli.app", "click", "wakeful.cli.replay", "rich"])
def test_an_interrupt_while_it_imports_is_one_line(module):
    done = subprocess.run(
        [sys.executable, "-c", AT_A_MODULE.format(module=module)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "wakeful: interrupted\n")


def test_an_interrupt_of_what_is_called_in_a_process_of_others_is_told(monkeypatch, capsys):
    def interrupted(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("wakeful.cli.app.main", interrupted)

    assert main(["replay"]) == 130
    assert capsys.readouterr().err == "wakeful: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_does_not_cut_short_what_is_told_of_the_first():
    program = (
        "import os, signal\n"
        "from wakeful.cli import app, main\n"
        "def interrupted(_): raise KeyboardInterrupt\n"
        "app.main = interrupted\n"
        "status = main()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "raise SystemExit(status)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.returncode, done.stderr) == (130, "wakeful: interrupted\n")


def test_interrupts_that_were_ignored_stay_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert not interrupts.end_at_once()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
