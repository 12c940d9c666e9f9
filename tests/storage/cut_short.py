"""Every call that a write makes of the system, cut short: by a kill, or by a full disk."""

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CALLS = ("open", "write", "fsync", "link", "replace", "unlink", "mkdir", "close")


@contextmanager
def counted(act: Callable[[int, str, Callable[[], Any], tuple], Any]) -> Iterator[list[str]]:
    """Put ``act`` in the place of each call: it is given its number, name, and how to do it."""
    real = {name: getattr(os, name) for name in CALLS}
    made: list[str] = []

    def wrapped(name):
        def call(*arguments, **named):
            made.append(name)
            return act(len(made) - 1, name, lambda: real[name](*arguments, **named), arguments)

        return call

    for name in CALLS:
        setattr(os, name, wrapped(name))
    try:
        yield made
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def calls_of(work: Callable[[], None]) -> list[str]:
    """The calls that some work makes."""
    with counted(lambda _number, _name, do, _arguments: do()) as made:
        work()
    return made


def killed_at(step: int, when: str, work: Callable[[], None]) -> bool:
    """Do some work in a process of its own that is killed at a step: before, in or after it.

    Returns:
        Whether it was killed, and not done before.
    """
    real_write, real_kill, me = os.write, os.kill, os.getpid

    def act(number, name, do, arguments):
        if number != step:
            return do()
        if when == "in" and name == "write":
            real_write(arguments[0], bytes(arguments[1])[: max(len(arguments[1]) // 2, 1)])
        if when == "after":
            do()
        real_kill(me(), signal.SIGKILL)
        return None

    child = os.fork()
    if child == 0:
        status = 1
        try:
            with counted(act):
                work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@contextmanager
def disk_full_at(step: int) -> Iterator[list[str]]:
    """Have the disk full at one call: a write is cut in half first, all else not done."""
    real_write = os.write

    def act(number, name, do, arguments):
        if number != step:
            return do()
        if name == "close":
            do()
        if name == "write":
            real_write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with counted(act) as made:
        yield made
