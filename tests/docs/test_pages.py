"""Every block of code and every link on every page.

What can be run is run: interactive examples page by page, the tutorial and the example host in
tests of their own. Two kinds are not, and are held to what can be held without: lines for a shell
name logs and folders of whoever reads them, so their options are parsed by the command itself; and
programs that are shown in part need a host around them, so they are compiled, and what they import
has to be there.
"""

import ast
import doctest
import json
import re
import shlex
from importlib import import_module
from pathlib import Path

import click
import pytest

from wakeful.cli.app import COMMANDS, group
from wakeful.reading.yaml_text import read_yaml

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]
)
BLOCK = re.compile(
    r"^```(?P<language>\{?[\w-]*\}?)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
EXTRAS = {"pyflink"}
"""What programs need that is in no environment of these tests: it has one of its own."""

NAMES = {
    *("API", "CEP", "CLI", "CRLF", "FFFD", "FILE", "GIL", "HTML", "HTTP", "ISO", "JSON", "JVM"),
    *("MIT", "NFKD", "NUL", "PNG", "RPC", "SARIF", "SIGTERM", "SVG", "URI", "UTC", "UTF", "YAML"),
}
"""Words that stand in capitals in prose, and mean something."""

KNOWN = {"", "console", "doctest", "json", "markdown", "pycon", "python", "sh", "text", "yaml"}


def blocks(*languages):
    for page in PAGES:
        for index, block in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
            if block["language"] in languages:
                name = f"{page.relative_to(ROOT)}:{index}"
                yield pytest.param(block["text"], id=name)


def prose(page):
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    """The anchors that headings get, on a code host and in these pages alike."""
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
        yield words.replace(" ", "-")


def interactive():
    return [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


def test_every_block_is_of_a_kind_that_is_held_to_something():
    found = {
        block["language"]
        for page in PAGES
        for block in BLOCK.finditer(page.read_text(encoding="utf-8"))
        if not block["language"].startswith("{")  # a directive: the build is strict about those
    }

    assert found <= KNOWN


@pytest.mark.parametrize("page", interactive(), ids=lambda page: page.stem)
def test_interactive_examples_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    # The fence that closes a block is no output of its last example.
    test = doctest.DocTestParser().get_doctest(
        re.sub(r"^```\w*$", "", text, flags=re.MULTILINE), {}, page.name, str(page), 0
    )
    told = []
    doctest.DocTestRunner().run(test, out=told.append)

    assert "".join(told) == ""


@pytest.mark.parametrize("text", list(blocks("yaml")))
def test_yaml_is_yaml(text):
    read_yaml(text)


@pytest.mark.parametrize("text", list(blocks("json")))
def test_json_is_json_whole_or_by_the_line(text):
    try:
        json.loads(text)
    except ValueError:
        assert [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("text", list(blocks("python")))
def test_programs_compile_and_what_they_import_is_there(text):
    if ">>> " in text:
        return  # held by running it
    tree = ast.parse(text)
    compile(tree, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("wakeful"):
            try:
                module = import_module(node.module)
            except ModuleNotFoundError as missing:
                if missing.name in EXTRAS:
                    continue  # tests/flink runs such programs
                raise
            assert [name.name for name in node.names if not hasattr(module, name.name)] == []


@pytest.mark.parametrize("text", list(blocks("sh", "console")))
def test_commands_are_there_and_take_these_options(text):
    for line in text.splitlines():
        for part in re.split(r"\||&&", line.removeprefix("$ ")):
            words = shlex.split(part, comments=True) if part.lstrip().startswith("wakeful ") else []
            if len(words) < 2 or words[1].startswith("-"):
                continue
            assert words[1] in COMMANDS, line
            ends = [words.index(word) for word in words if word == ">"]
            with click.Context(group) as context:
                command = group.get_command(context, words[1])
                command.make_parser(context).parse_args(words[2 : min(ends, default=None)])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_is_left_to_be_filled_in(page):
    """A word in capitals is a name of the field, or stands for what somebody wanted to add."""
    words = re.sub(r"`[^`]*`|\]\([^)]*\)|^Measured on .*$", "", prose(page), flags=re.MULTILINE)

    assert set(re.findall(r"\b[A-Z]{3,}\b", words)) - NAMES == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_pages_and_anchors_that_are_there(page):
    lost = []
    for link in LINK.finditer(prose(page)):
        path, anchor = link["path"], link["anchor"]
        target = page if not path else (page.parent / path)
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link[0])

    assert lost == []
