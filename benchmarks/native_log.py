"""Logs as the recorder writes them."""

from collections.abc import Iterable
from pathlib import Path

from wakeful import Input
from wakeful.logs.native_writer import write_native


def write(path: Path, items: Iterable[Input]) -> Path:
    """Write inputs as a native log."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(write_native(item) + "\n" for item in items)
    return path
