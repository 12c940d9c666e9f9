"""Titles, sessions and file names of others cannot command a terminal."""

import json

import pytest

from wakeful.cli import main
from wakeful.errors import Problem, visible

CLEAR = "\x1b[2J\x1b]0;owned\x07"
RULES = """
automations:
  - id: a
    title: A
    message: {text: m}
    triggers: [{id: t1, kind: event, type: session, events: [{id: toolFailed}]}]
"""


def commands(text: str) -> str:
    """What of a text a terminal would not show."""
    return "".join(letter for letter in text if not letter.isprintable() and letter not in "\n\t")


@pytest.mark.parametrize("code", [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)])
def test_a_control_character_is_shown_as_an_escape(code):
    assert visible(f"a{chr(code)}b") == f"a\\x{code:02x}b"


@pytest.mark.parametrize("code", [0x202E, 0x2066, 0x200F, 0x2028])
def test_what_turns_the_direction_of_writing_is_shown_as_an_escape(code):
    assert visible(chr(code)) == f"\\u{code:04x}"


def test_text_without_them_is_shown_as_it_is():
    text = "Привет 🎉\tline\nline é"
    assert text == visible(text)


def test_a_problem_shows_no_command_of_its_file_or_message():
    problem = Problem(path="x", expected="y", message=f"said {CLEAR}", file=f"a{CLEAR}.yaml")
    assert commands(str(problem)) == ""


@pytest.mark.parametrize("shown", ["decisions", "matches"])
def test_a_replay_shows_no_command_of_a_session(shown, tmp_path, capfd):
    rules, log = tmp_path / "rules.yaml", tmp_path / "log.jsonl"
    rules.write_text(RULES)
    line = {"at": 1, "kind": "toolFailed", "session": f"s{CLEAR}", "title": CLEAR}
    log.write_text(json.dumps(line) + "\n")
    more = ["--matches"] if shown == "matches" else []
    main(["replay", str(log), "--rules", str(rules), *more])
    told = capfd.readouterr()
    assert "owned" in told.out
    assert commands(told.out + told.err) == ""


def test_a_file_name_shows_no_command_where_it_cannot_be_read(tmp_path, capfd):
    rules = tmp_path / f"rules{CLEAR.replace('/', '')}.yaml"
    rules.write_text("automations: [{}]")
    main(["check", str(rules)])
    told = capfd.readouterr()
    assert "owned" in told.out + told.err
    assert commands(told.out + told.err) == ""
