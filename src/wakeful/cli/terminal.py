"""Text of others on a terminal: neither a command to it nor markup of ours."""

from rich import markup

from wakeful.errors import visible

__all__ = ["escape", "visible"]


def escape(text: str) -> str:
    """Text to stand in markup: what controls a terminal is made visible, brackets are text."""
    return markup.escape(visible(text))
