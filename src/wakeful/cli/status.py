"""Exit statuses, the same for every command."""

from typing import Final

OK: Final = 0
BAD_NEWS: Final = 1
"""Unreadable input, a failed test, errors found."""
USAGE: Final = 2
REFUSED: Final = 3
"""Rules or expressions that cannot be meant."""
INTERRUPTED: Final = 130
