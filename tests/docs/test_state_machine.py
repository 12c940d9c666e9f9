"""The diagram of the design page is drawn from the table that the engine follows."""

import importlib.util
from html import escape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from wakeful.core.machine import TRANSITIONS, State

pytest.importorskip("docutils")
TOOL = Path(__file__).parents[2] / "docs" / "tools" / "state_machine.py"
SPEC = importlib.util.spec_from_file_location("state_machine", TOOL)
drawing = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(drawing)


def words():
    return [text.text for text in ET.fromstring(drawing.svg()).iter() if text.text]


def test_every_state_is_drawn_once():
    assert [words().count(state.value) for state in State] == [1] * len(State)


def test_every_transition_is_drawn():
    drawn = words()

    assert [
        row
        for row in TRANSITIONS
        if (f"↻ {row.on}" if row.state is row.to else row.on) not in drawn
    ] == []


def test_words_of_a_row_cannot_break_the_picture():
    row = TRANSITIONS[0]._replace(on="n < 3 & more")

    assert escape(row.on) in drawing.svg((row,))
