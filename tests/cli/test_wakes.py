"""The table of wakes on a terminal: cut to its width, coloured by what was decided."""

import io
from datetime import UTC

import pytest
from rich.console import Console

from replay_cases import automation, failure
from replay_player import inputs, player
from wakeful.cli.wakes import WakesTable
from wakeful.model.outputs import Match

LONG = "ahp-session://claude/local/a-name-that-no-terminal-of-eighty-columns-holds"


def table(session, *, width, matches=False, color=None):
    console = Console(file=io.StringIO(), force_terminal=True, color_system=color, width=width)
    rows = WakesTable(console, zone=UTC, zone_name="UTC", matches=matches)
    playing = player(automation("one", "toolFailed"))
    for output in playing.outputs(inputs(failure(0, session))):
        if isinstance(output, Match) is matches:
            rows.write(output)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_row_is_wider_than_the_terminal(width):
    assert [len(line) <= width for line in table(LONG, width=width)] == [True, True]


def test_the_end_of_a_long_session_is_what_is_shown():
    _, row = table(LONG, width=100)

    assert row.endswith("…olumns-holds")


def test_wide_characters_count_as_two():
    _, row = table("会" * 40, width=80)

    assert row.split()[-1].count("会") < 12


def test_a_match_names_its_event_whole():
    _, row = table("s1", width=100, matches=True)

    assert row.split()[2:] == ["toolFailed", "one", "1", "s1", "t1"]


def test_the_decision_is_coloured():
    _, row = table("s1", width=100, color="standard")

    assert "\x1b[32mstart" in row
