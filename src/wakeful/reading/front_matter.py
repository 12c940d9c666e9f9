"""A Markdown file's front matter and body, told apart and put together.

The answers to what such files can look like:

- The first line is ``---``, and so is the first line after it that closes the front matter;
  blanks at the end of either do not matter. Every later ``---`` is the body's.
- ``...`` closes nothing: in the front matter it is refused, in the body it is text.
- A byte-order mark before the first line is passed over. Lines end in LF or CRLF.
- The body's text is what follows the closing line, CRLF read as LF, without the line ends
  before its first and after its last character. There may be none of it.
- A NUL is refused wherever it stands: no editor shows it, and many tools stop at it.
"""

import re
from typing import Final

import attrs

from wakeful.errors import InvalidError, Problem

FENCE: Final = "---"
"""The line that opens the front matter, and the one that closes it."""

BYTE_ORDER_MARK: Final = "\ufeff"

_OPENING: Final = re.compile(rf"{BYTE_ORDER_MARK}?{FENCE}[ \t]*\r?(?:\n|\Z)")
_CLOSING: Final = re.compile(rf"^(?:{FENCE}|(\.\.\.))[ \t]*\r?$\n?", re.MULTILINE)


@attrs.frozen(kw_only=True)
class FrontMatter:
    """A file's text, and where in it the parts stand.

    Attributes:
        text: The whole.
        start: Where the YAML begins, after the opening line.
        end: Where it ends, at the closing line.
        body_start: Where the body begins, after the closing line.
    """

    text: str
    start: int
    end: int
    body_start: int

    @property
    def yaml(self) -> str:
        """The YAML between the two lines."""
        return self.text[self.start : self.end]

    @property
    def body(self) -> str:
        """The body as it stands in the file."""
        return self.text[self.body_start :]

    @property
    def body_line(self) -> int:
        """The line, from 1, that the body's text begins in."""
        lead = len(self.body) - len(self.body.lstrip("\r\n"))
        return self.text.count("\n", 0, self.body_start + lead) + 1


def split_front_matter(text: str) -> FrontMatter:
    """Tell front matter and body apart.

    Raises:
        InvalidError: The text has no front matter, or it is not closed, or there is a NUL;
            with line and column.
    """
    nul = text.find("\0")
    if nul >= 0:
        raise _refusal(
            "text without NUL characters",
            "a NUL character",
            text,
            nul,
            nul - text.rfind("\n", 0, nul),
        )
    opening = _OPENING.match(text)
    if opening is None:
        raise _refusal(
            f"front matter, between two lines {FENCE}",
            f"no front matter; expected {FENCE} as the first line",
        )
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise _refusal(
            f"front matter, between two lines {FENCE}",
            f"the front matter is not closed; expected a second line {FENCE}",
        )
    if closing[1]:
        raise _refusal(
            f"front matter that is closed by {FENCE}",
            f"... does not close front matter; expected a line {FENCE}",
            text,
            closing.start(),
        )
    return FrontMatter(
        text=text, start=opening.end(), end=closing.start(), body_start=closing.end()
    )


def join_front_matter(yaml: str, body: str) -> str:
    """A file's text from its YAML, which ends with its last line's end, and the body's text."""
    return f"{FENCE}\n{yaml}{FENCE}\n{body}\n" if body else f"{FENCE}\n{yaml}{FENCE}\n"


def text_of_body(body: str) -> str:
    r"""The text that a body holds.

    >>> text_of_body("\r\nReview it.\r\n\r\n")
    'Review it.'
    """
    return body.replace("\r\n", "\n").strip("\n")


def fits_body(text: str) -> bool:
    """Whether a text, written as a body, is read back as it is."""
    return "\r" not in text and text == text.strip("\n")


def _refusal(
    expected: str, message: str, text: str = "", offset: int = 0, column: int = 1
) -> InvalidError:
    line = text.count("\n", 0, offset) + 1
    return InvalidError(
        [Problem(path="", expected=expected, message=message, line=line, column=column)]
    )
