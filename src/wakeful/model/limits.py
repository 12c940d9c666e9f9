"""How much of what others write is taken: definitions, plugin data, logs.

The defaults are far beyond what anybody means and far below what hurts. Whoever reads or
embeds may set others; what lies beyond is refused with its path, never cut.
"""

from typing import Final

import attrs

from wakeful.errors import InvalidError, Problem

MAX_DEPTH: Final = 64
"""How deep lists and maps may nest at the most, whatever the limits say."""


@attrs.frozen(kw_only=True)
class Limits:
    """Limits on input.

    Attributes:
        file: The size of a file of rules, in bytes.
        triggers: How many triggers a definition may have.
        listed: How many entries any other list of a definition may have.
        values: How many values a definition may have in all, what is shared counted each time.
        text: The length of any text of a definition, in characters.
        depth: How deep a definition's lists and maps may nest; at most :data:`MAX_DEPTH`.
        data: The size of a plugin event's data: its values, and the characters of its texts.
        line: The length of a line of a log, and of a record of a journal, in bytes.
        message: The length of a client's message, in bytes.
        request: The length of a press's request id, which is kept as long as its run is, in
            characters.
        saved: The size of saved state, a snapshot or the records since, in bytes.

    Raises:
        InvalidError: A limit is no whole number of at least 1, or ``depth`` is too large.
    """

    file: int = 16 << 20
    triggers: int = 200
    listed: int = 10_000
    values: int = 100_000
    text: int = 1_000_000
    depth: int = MAX_DEPTH
    data: int = 1_000_000
    line: int = 128 << 20
    message: int = 16 << 20
    request: int = 10_000
    saved: int = 4 << 30

    def __attrs_post_init__(self) -> None:
        """Refuse what limits nothing or everything, every problem at once."""
        problems = [
            Problem(path=name, value=value, expected="a whole number, at least 1")
            for name, value in attrs.asdict(self).items()
            if not isinstance(value, int) or isinstance(value, bool) or value < 1
        ]
        if not problems and self.depth > MAX_DEPTH:
            problems = [
                Problem(path="depth", value=self.depth, expected=f"at most {MAX_DEPTH} levels")
            ]
        if problems:
            raise InvalidError(problems)


LIMITS: Final = Limits()
"""The limits where nobody sets others."""
