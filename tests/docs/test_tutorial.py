"""The tutorial, followed from an empty folder: what it says is what happens, at every step."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(
    r"^(?P<before>[^\n]*)\n+```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
NAMED = re.compile(r"`([\w.]+)`:$")
ANYTHING = "…"


def steps():
    """The blocks in order: a file to write, or commands with what they print."""
    for block in BLOCK.finditer(TUTORIAL.read_text(encoding="utf-8")):
        before, language, text = block["before"], block["language"], block["text"]
        name = NAMED.search(before)
        if name is not None:
            yield "file", name[1], text
        elif language == "console":
            for one in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = one.partition("\n")
                yield "command", command, output
        else:
            assert before.startswith("<!-- not run: "), before


STEPS = tuple(steps())


def shape(output):
    """A pattern for what is printed: blanks at the end of lines do not matter, `…` is anything."""
    lines = [
        r"(?:.*\n)*?" if line == ANYTHING else re.escape(line.rstrip()) + r"\s*\n"
        for line in output.splitlines()
    ]
    return re.compile("".join(lines))


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a shell")
def test_every_step_of_the_tutorial_does_what_it_says(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = []
    for kind, name, text in STEPS:
        if kind == "file":
            (tmp_path / name).write_text(text, encoding="utf-8")
            continue
        done = subprocess.run(
            name,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        said.append((name, done.returncode, done.stderr if done.returncode else ""))
        assert shape(text).fullmatch(done.stdout), f"$ {name}\n{done.stdout}"

    assert said == [(name, 0, "") for kind, name, _ in STEPS if kind == "command"]


def test_it_is_followed_from_a_log_to_a_program():
    written = {name for kind, name, _ in STEPS if kind == "file"}

    assert written == {"session.jsonl", "rules.yaml", "rules.test.yaml", "left.yaml", "replayed.py"}
