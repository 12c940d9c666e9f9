"""The formats that are known, and which of them a file is."""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, cast

from wakeful.errors import LogError
from wakeful.logs.reader import Head, LogFormat

ENTRY_POINTS: Final = "wakeful.logs"
"""The entry point group by which further formats plug in; each names a format's class."""

_BUILT_IN: Final = (
    ("wakeful", "native", "NativeFormat"),
    ("ahp", "ahp", "AhpFormat"),
    ("claude-code", "claude_code", "ClaudeCodeFormat"),
    ("claude-code-hooks", "claude_hooks", "ClaudeHooksFormat"),
    ("codex", "codex", "CodexFormat"),
    ("gemini-cli", "gemini", "GeminiObjectFormat"),
    ("gemini-cli", "gemini", "GeminiFormat"),
    ("copilot-cli", "copilot", "CopilotFormat"),
    ("openhands", "openhands", "OpenHandsObjectFormat"),
    ("openhands", "openhands", "OpenHandsFormat"),
)
"""Name, module and class, in the order in which they are asked to recognise a file."""

AUTO: Final = "auto"
"""The name that stands for recognising the format."""


def format_names() -> tuple[str, ...]:
    """The names that a format can be asked for by, without those that plug in."""
    return tuple(dict.fromkeys((AUTO, *(name for name, _, _ in _BUILT_IN))))


def load_formats(name: str = AUTO) -> Sequence[LogFormat]:
    """The formats of a name: all for :data:`AUTO`, built-in ones first.

    Raises:
        LogError: There is no format of that name.
    """
    found: list[LogFormat] = [
        getattr(import_module(f"wakeful.logs.{module}"), kind)()
        for known, module, kind in _BUILT_IN
        if name in (AUTO, known)
    ]
    found += [
        cast("LogFormat", point.load()())
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
        if name in (AUTO, point.name)
    ]
    if not found:
        names = ", ".join(format_names())
        raise LogError(f"{name!r} is no format of logs; there are {names}")
    return found


def recognise(head: Head, formats: Sequence[LogFormat]) -> LogFormat | None:
    """The first format that a file which begins like this is of."""
    return next((known for known in formats if known.recognise(head)), None)
