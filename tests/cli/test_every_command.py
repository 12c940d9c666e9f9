"""What holds of every command: examples that work, --quiet, completion, NO_COLOR, clean ends."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from replay_cases import automation, event, failure
from wakeful.cli import main
from wakeful.cli.app import COMMANDS
from wakeful.reading import shipped_rules_folder

FILE = """---
title: Nightly review
triggers:
- id: t1
  kind: schedule
  schedule: { expression: "0 9 * * *", timeZone: Europe/Berlin }
---
Review what changed.
"""


def example_of(name, capsys):
    capsys.readouterr()
    assert main([name, "--help"]) == 0
    # Lines are wrapped at blanks, and at the hyphens inside options.
    text = " ".join(re.sub(r"-\n\s*", "-", capsys.readouterr().out).split())
    found = re.search(r"Example: wakeful (.+)$", text)
    assert found, f"the help of {name} has no example"
    return found[1]


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A folder with all that examples name."""
    shutil.copytree(shipped_rules_folder(), tmp_path / "rulesets")
    twice = automation(
        "twice", "toolFailed", count={"n": 2, "within": "5m"}, filter={"automated": False}
    )
    for name in ("rules.yaml", "edited.yaml"):
        (tmp_path / name).write_text(json.dumps({"automations": [twice]}))
    log = [event(0, "turnStarted"), *(failure(n) for n in range(1, 9)), event(9, "turnCompleted")]
    (tmp_path / "logs").mkdir()
    for path in (tmp_path / "session.jsonl", tmp_path / "logs" / "a.jsonl"):
        path.write_text("".join(json.dumps(one) + "\n" for one in log))
    (tmp_path / "automations").mkdir()
    (tmp_path / "automations" / "nightly-review.md").write_text(FILE)
    (tmp_path / "nightly.md").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Long or live ones are held to their examples by their own tests.
ENDLESS = {"watch"}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - ENDLESS))
def test_the_example_of_its_help_works(name, capsys, workshop):
    words = shlex.split(example_of(name, capsys).partition(" > ")[0])

    assert words[0] == name
    assert main(words) == 0


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - ENDLESS))
def test_it_takes_quiet_and_says_no_more_for_it(name, capsys, workshop):
    words = shlex.split(example_of(name, capsys).partition(" > ")[0])
    assert main(words) == 0
    loud = capsys.readouterr()

    assert main([*words, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert len(quiet.err) <= len(loud.err)
    assert len(quiet.out) <= len(loud.out)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - ENDLESS))
def test_no_color_is_honoured_where_a_terminal_would_have_colours(
    name, capsys, workshop, monkeypatch
):
    words = shlex.split(example_of(name, capsys).partition(" > ")[0])
    for variable, value in (("FORCE_COLOR", "1"), ("TERM", "xterm-256color"), ("NO_COLOR", "1")):
        monkeypatch.setenv(variable, value)

    main(words)

    shown = capsys.readouterr()
    # Bold and dim are no colours; 30 to 39 and 90 to 97 are.
    assert re.search(r"\x1b\[(\d+;)*(3\d|9[0-7])m", shown.out + shown.err) is None


@pytest.mark.parametrize(
    ("words", "place", "completed"),
    [
        ("wakeful che", "1", "plain,check"),
        ("wakeful check --sar", "2", "plain,--sarif"),
        ("wakeful schema aut", "2", "plain,automation"),
    ],
)
def test_a_shell_completes_commands_options_and_choices(words, place, completed):
    done = subprocess.run(
        [sys.executable, "-c", "from wakeful.cli import main; main()"],
        env={
            **os.environ,
            "_WAKEFUL_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": place,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert completed in done.stdout.splitlines()


@pytest.mark.parametrize(
    "words", [["schema", "ruleset"], ["check", "bad", "--json"], ["test", "rulesets"]]
)
def test_a_closed_pipe_ends_it_cleanly(words, workshop):
    bad = "".join(
        f"  - {{ id: a{n}, title: A, message: {{ text: m }}, triggers: [{{ id: t, kind: event, "
        f"type: session, events: [{{ id: idle }}] }}] }}\n"
        for n in range(300)
    )
    (workshop / "bad").mkdir()
    (workshop / "bad" / "bad.yaml").write_text("automations:\n" + bad)
    process = subprocess.Popen(
        [sys.executable, "-m", "wakeful.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()

    _, err = process.communicate(timeout=60)

    assert b"Traceback" not in err
    assert process.returncode in (0, 1)
