"""The progress bar: on a terminal, when reading takes long, and nowhere else."""

import io
from itertools import count

import pytest
from rich.console import Console

from replay_cases import failure
from wakeful.cli import progress
from wakeful.cli.progress import ReadingProgress
from wakeful.logs.stream import open_logs


@pytest.fixture
def slow(monkeypatch):
    """Every look at the clock finds it a second later."""
    seconds = count()
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(seconds)))


def follow(path, console, **options):
    with ReadingProgress(console, **options) as bar:
        inputs = sum(1 for _ in bar.follow(open_logs([path], format="wakeful")))
        shown = bar.shown
    return inputs, shown


def terminal():
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def test_on_a_terminal_it_shows_bytes_and_rate(slow, log):
    console = terminal()

    inputs, shown = follow(log([failure(second) for second in range(4_000)]), console)

    assert (inputs, shown) == (4_000, True)
    assert "reading" in console.file.getvalue()
    assert "kB" in console.file.getvalue()


def test_a_short_log_needs_no_bar(log):
    console = terminal()

    inputs, shown = follow(log([failure(0)]), console)

    assert (inputs, shown) == (1, False)
    assert console.file.getvalue() == ""


def test_quiet_shows_none(slow, log):
    console = terminal()

    inputs, _ = follow(log([failure(second) for second in range(4_000)]), console, quiet=True)

    assert inputs == 4_000
    assert console.file.getvalue() == ""


def test_where_there_is_no_terminal_it_shows_nothing(slow, log):
    console = Console(file=io.StringIO(), width=120)

    inputs, _ = follow(log([failure(second) for second in range(4_000)]), console)

    assert inputs == 4_000
    assert console.file.getvalue() == ""
