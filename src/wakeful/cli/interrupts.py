"""Ctrl-C while the command is being imported, and after it has told that it was interrupted.

Python raises an interrupt wherever it is; inside an import's own bookkeeping it is printed as
a traceback and forgotten. So while there is nothing to finish or to tell, an interrupt ends
the process at once, and once one was told, further ones are ignored. This module imports next
to nothing, since what it does comes before every other import.
"""

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_LINE = "wakeful: interrupted\n"
_STATUS = 130


def end_at_once() -> bool:
    """From now on an interrupt ends the process with its line and status, unless it is ignored.

    Returns:
        Whether it does: a process that was started with interrupts ignored goes on to do so,
        and only the main thread may say.
    """
    return _swap(signal.default_int_handler, _end)


def raise_again() -> None:
    """From now on an interrupt is raised, so that a command can tell what was done so far."""
    _swap(_end, signal.default_int_handler)


def ignore() -> None:
    """From now on nothing interrupts what is told."""
    _swap(None, signal.SIG_IGN)


def tell() -> int:
    """Say that the command was interrupted; its status."""
    if sys.stderr is not None:
        sys.stderr.write(_LINE)
        sys.stderr.flush()
    return _STATUS


def _end(_number: int, _frame: "FrameType | None") -> None:
    # Not through sys.stderr: it may be what was interrupted.
    try:  # noqa: SIM105 - contextlib is slow to import
        os.write(2, _LINE.encode())
    except OSError:
        pass
    os._exit(_STATUS)


def _swap(
    expected: "Callable[[int, FrameType | None], None] | None",
    handler: "Callable[[int, FrameType | None], None] | signal.Handlers",
) -> bool:
    if expected is not None and signal.getsignal(signal.SIGINT) is not expected:
        return False
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:  # not the main thread
        return False
    return True
