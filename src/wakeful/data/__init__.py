"""The recorded log that comes with the package. Its rules are read by :mod:`wakeful.reading`."""

from importlib.resources import files
from pathlib import Path
from typing import Final

LOG: Final = "a-working-day.jsonl"
"""The log that ``wakeful replay`` shows without arguments."""


def log_path() -> Path:
    """The recorded log that comes with the package."""
    return Path(str(files(__name__))) / LOG
