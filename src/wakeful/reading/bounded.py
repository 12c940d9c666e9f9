"""Files and texts of others, taken up to a limit and not a byte further."""

from typing import BinaryIO

from wakeful.errors import InvalidError, Problem
from wakeful.model.limits import LIMITS, Limits


def read_bounded(file: BinaryIO, limits: Limits = LIMITS) -> bytes:
    """The whole of a file that is open; of one that is too large no more than the limit is read.

    Raises:
        InvalidError: It is larger than ``limits.file``.
        OSError: It cannot be read.
    """
    data = file.read(limits.file + 1)
    if len(data) > limits.file:
        raise _too_large(limits)
    return data


def refuse_beyond(text: str, limits: Limits = LIMITS) -> None:
    """Refuse the text of a file that is longer than the limit on files, a character a byte.

    Raises:
        InvalidError: It is.
    """
    if len(text) > limits.file:
        raise _too_large(limits)


def _too_large(limits: Limits) -> InvalidError:
    expected = f"a file of at most {limits.file} bytes"
    message = f"too large; expected {expected}"
    return InvalidError([Problem(path="", expected=expected, message=message)])
