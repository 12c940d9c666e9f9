"""The import arrows, and what the core may not know, read off the syntax trees.

``docs/design.md`` draws the same picture.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import wakeful

PACKAGE = Path(wakeful.__file__).parent

LEVELS = {
    room: level
    for level, rooms in enumerate(
        (
            ("_version", "errors"),
            ("model",),
            ("core", "messages", "plugins", "cron", "presets"),
            ("reading",),
            ("catalogue", "storage", "logs", "data", "journal"),
            (
                "hosting",
                "distributed",
                "replay",
                "checking",
                "rule_tests",
                "explain",
                "report",
                "testing",
            ),
            ("cli", "__main__", "pytest_plugin"),
        )
    )
    for room in rooms
}
"""Room to level; an import goes to the same level or down, never up."""

PURE_ROOMS = ("errors", "model", "core", "cron", "presets", "messages")
FORBIDDEN_MODULES = {"time", "random", "os", "asyncio", "threading", "logging"}
FORBIDDEN_CALLS = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(module: str) -> str | None:
    """The room of a dotted module name: ``wakeful.core.engine`` is of ``core``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST, module: str, *, package: bool) -> Iterator[tuple[str, int]]:
    """Every module named by an import anywhere in the tree, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                keep = len(parents) - node.level + (1 if package else 0)
                base = ".".join([*parents[:keep], *([base] if base else [])])
            for alias in node.names:
                yield f"{base}.{alias.name}", node.lineno


def arrows() -> Iterator[tuple[str, str, str]]:
    """Importing room, imported room, and where, for every import between rooms."""
    for path in sources():
        module = module_of(path)
        room = room_of(module)
        if room is None:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, line in imported(tree, module, package=path.name == "__init__.py"):
            target = room_of(name) if name.split(".")[0] == "wakeful" else None
            if target is not None and target != room:
                yield room, target, f"{path.relative_to(PACKAGE)}:{line}"


def test_every_room_has_a_level():
    rooms = {room_of(module_of(path)) for path in sources()} - {None}

    assert rooms - LEVELS.keys() == set()


def test_imports_go_down_only():
    # A name that is no room is a public name of the package itself, which would go up.
    upward = [
        f"{where}: {room} imports {target}"
        for room, target, where in arrows()
        if LEVELS.get(target, 99) > LEVELS[room]
    ]

    assert upward == []


def test_rooms_of_one_level_import_each_other_in_one_direction():
    pairs = {(room, target) for room, target, _ in arrows()}

    assert [pair for pair in sorted(pairs) if pair[::-1] in pairs] == []


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_a_pure_room_reads_no_clock_and_does_no_io(room):
    found = []
    for path in sources():
        module = module_of(path)
        if room_of(module) != room:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        where = path.relative_to(PACKAGE)
        for name, line in imported(tree, module, package=path.name == "__init__.py"):
            if name.split(".")[0] in FORBIDDEN_MODULES:
                found.append(f"{where}:{line}: imports {name}")
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name | ast.Attribute)
                and (last_name(node.value), node.attr) in FORBIDDEN_CALLS
            ):
                found.append(f"{where}:{node.lineno}: {last_name(node.value)}.{node.attr}")

    assert found == []


def last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


FOREIGN = """
import sys
before = set(sys.modules)
import {module}
names = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(names - set(sys.stdlib_module_names)))
"""


def foreign_imports(module: str) -> set[str]:
    """What importing the module in a fresh interpreter brings in besides the standard library."""
    done = subprocess.run(
        [sys.executable, "-c", FOREIGN.format(module=module)],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


def test_importing_the_core_brings_in_attrs_sortedcontainers_and_tzdata_only():
    allowed = {"wakeful", "attr", "attrs", "sortedcontainers", "tzdata"}

    assert foreign_imports("wakeful.core.engine") - allowed == set()


def test_importing_the_package_brings_in_nothing():
    assert foreign_imports("wakeful") == {"wakeful"}


def test_importing_the_command_does_not_import_a_subcommand():
    # Start-up is what a person waits for: a command imports what it needs when it is called.
    heavy = {"ruamel", "jsonschema", "msgspec", "cattrs", "zstandard", "rich"}

    assert foreign_imports("wakeful.cli") & heavy == set()
