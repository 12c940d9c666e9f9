"""Every exception wakeful raises, and the problem record they carry.

One tree: whoever catches :class:`WakefulError` has caught all that is documented.
Reading collects :class:`Problem` records and raises once with all of them
(semantics, section 12); running raises at once.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import attrs

MISSING: Final = "<nothing>"
"""What a :class:`Problem` shows as its value where a required part is not there."""


@attrs.frozen(kw_only=True)
class Problem:
    """One thing that is wrong with what somebody wrote.

    Attributes:
        path: Where in the data, as ``triggers[0].config.count.n``; empty for the whole.
        expected: What would have been right, in words.
        value: What was given; :data:`MISSING` where nothing was.
        message: The sentence to show; made from the other parts where left out.
        file: The file it stands in, where it came from one.
        line: Line in that file, from 1.
        column: Column in that line, from 1.
    """

    path: str
    expected: str
    value: Any = MISSING
    message: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        where = ":".join(
            str(part) for part in (self.file, self.line, self.column) if part is not None
        )
        return visible(": ".join(part for part in (where, self.path, self.sentence) if part))

    @property
    def sentence(self) -> str:
        """The message, or one made of the value and what was expected."""
        if self.message:
            return self.message
        if self.value is MISSING:
            return f"missing; expected {self.expected}"
        return f"{show_value(self.value)} is not {self.expected}"


def show_value(value: Any, *, limit: int = 60) -> str:
    """A value as it is shown in a problem: its repr, shortened to ``limit`` characters."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deep to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


_UNSEEN: Final = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for codes in (
        range(0x09),  # all but tabs and newlines: among them what begins a terminal's command
        range(0x0B, 0x20),
        range(0x7F, 0xA0),
        range(0x202A, 0x202F),  # what turns the direction of writing, so that text reads otherwise
        range(0x2066, 0x206A),
        (0x061C, 0x200E, 0x200F, 0x2028, 0x2029),
    )
    for code in codes
}


def visible(text: str) -> str:
    r"""Text of others as it may be shown on a terminal: it changes nothing but its own place.

    Control characters are written as escapes; so are those that turn the direction of
    writing. Tabs and newlines stay.

    >>> print(visible("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return text.translate(_UNSEEN)


class WakefulError(Exception):
    """The root of everything wakeful raises on purpose."""


class InvalidError(WakefulError, ValueError):
    """What was written cannot be meant: a rule, an expression, a file, an instant.

    Attributes:
        problems: Everything that is wrong, in the order of the text. Never empty.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: Sequence[Problem] = tuple(problems)
        if not self.problems:
            raise ValueError("an InvalidError needs at least one problem")
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def single(cls, path: str, value: Any, expected: str, message: str = "") -> "InvalidError":
        """The error of one problem."""
        return cls([Problem(path=path, value=value, expected=expected, message=message)])


class InputRefusedError(WakefulError, ValueError):
    """An input was refused by the engine, which is as it was before the call.

    Attributes:
        problems: What is wrong with it, each with the path in the input.
    """

    def __init__(self, message: str, problems: Iterable[Problem] = ()) -> None:
        self.problems: Sequence[Problem] = tuple(problems)
        super().__init__(message)


class LogError(WakefulError):
    """A log that cannot be read at all: no such file, not a log, nothing recognises it."""


class SnapshotError(WakefulError, ValueError):
    """Saved state that cannot be restored: cut short, edited, or of an unknown version."""
