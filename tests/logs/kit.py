"""Small helpers of the tests of logs: write lines, read them, say inputs shortly."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wakeful.logs import LogReport, open_logs
from wakeful.model.events import Input, SessionEvent
from wakeful.model.time import format_instant, parse_instant

SHARED_LOGS = Path(__file__).parents[3] / "shared" / "logs"


def at(text: str) -> int:
    """The instant of a time on the day of the tests, such as ``10:00:05``."""
    return parse_instant(f"2026-03-02T{text}Z")


def write(path: Path, lines: Iterable[Any], *, end: str = "\n") -> Path:
    """A file of lines: text and bytes as they stand, anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = [
        line
        if isinstance(line, bytes)
        else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    path.write_bytes(b"".join(line + end.encode() for line in raw))
    return path


def read(*paths: Path, **options: Any) -> tuple[list[Input], LogReport]:
    """The inputs of some logs, and the report."""
    stream = open_logs(paths, **options)
    return list(stream), stream.report


def short(inputs: Iterable[Input]) -> list[str]:
    """Inputs as ``HH:MM:SS.mmm kind session``, without activity."""
    return [
        f"{format_instant(one.at)[11:23]} {kind} {getattr(one, 'session', '')}"
        for one in inputs
        if (kind := kind_of(one)) != "Activity"
    ]


def kind_of(one: Input) -> str:
    """The event's kind, or the record's name."""
    return one.kind if isinstance(one, SessionEvent) else type(one).__name__


def kinds(inputs: Iterable[Input]) -> list[str]:
    """The kinds of inputs without activity."""
    return [kind for kind in map(kind_of, inputs) if kind != "Activity"]
