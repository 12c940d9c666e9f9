"""The files of a folder of automations, as they are on the disk."""

import os
import stat
import time
from pathlib import Path
from typing import Final, NamedTuple

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.limits import LIMITS, Limits
from wakeful.reading.definitions import KeptAutomation
from wakeful.reading.file_names import FILE_SUFFIX, resource_of_file
from wakeful.reading.markdown import read_automation_file

TEMPORARY_PREFIX: Final = ".wakeful-"
"""How the names of half-written files begin."""

_TICK: Final = 100_000_000
"""More nanoseconds than the clock of any file system takes for a tick."""


class Signature(NamedTuple):
    """What tells whether a file is still the one that was read."""

    inode: int
    size: int
    modified: int
    changed: int


@attrs.frozen(kw_only=True)
class FoundFile:
    """A file that was read.

    Attributes:
        text: As it stands, byte-order mark included.
        kept: What it says; ``None`` where it cannot be meant.
        problems: Why not.
        made_at: When the file was last written, in milliseconds.
    """

    signature: Signature
    text: str = ""
    kept: KeptAutomation | None = None
    problems: tuple[Problem, ...] = ()
    made_at: int = 0


def file_names(folder: Path) -> list[str]:
    """The automation files of a folder by name; what is hidden or of another suffix is none.

    A folder that is not there has none.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208 - ten thousand of them
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in names if is_file_name(name))


def is_file_name(name: str) -> bool:
    """Whether a file of this name is an automation's, or is meant to be."""
    return name.endswith(FILE_SUFFIX) and not name.startswith(".")


def signature_of(path: Path) -> Signature | None:
    """A file's signature; ``None`` where there is none. A link is not followed."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _signature(found)


def settled(signature: Signature | None) -> Signature | None:
    """A signature that tells edits apart; ``None`` of a file that was written just now.

    Two edits in one tick of the clock have one signature where they are of one size.
    """
    if signature is None or time.time_ns() - signature.modified < _TICK:
        return None
    return signature


def read_file(path: Path, limits: Limits = LIMITS) -> FoundFile | None:
    """Read an automation's file; ``None`` where there is none.

    A symbolic link is refused and not followed: what it names lies elsewhere, and an edit
    would put a file in the link's place.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        there = signature_of(path)
        if there is None:
            return None
        link = path.is_symlink()
        said = "a symbolic link, which is not followed" if link else error.strerror or str(error)
        return _refused(path, there, "a file of its own", said)
    try:
        found = os.fstat(descriptor)
        signature = _signature(found)
        try:
            text = _text(descriptor, found, limits)
        except OSError as error:
            said = error.strerror or str(error)
            return _refused(path, signature, "a file that can be read", said)
        except UnicodeDecodeError:
            return _refused(path, signature, "UTF-8 text", "not UTF-8 text")
    finally:
        os.close(descriptor)
    try:
        kept = read_automation_file(text, str(path), limits=limits)
    except InvalidError as error:
        return FoundFile(signature=signature, text=text, problems=tuple(error.problems))
    return FoundFile(
        signature=signature, text=text, kept=kept, made_at=found.st_mtime_ns // 1_000_000
    )


def _text(descriptor: int, found: os.stat_result, limits: Limits) -> str:
    if not stat.S_ISREG(found.st_mode):
        raise OSError("not a file")
    if found.st_size > limits.file:
        raise OSError(f"larger than {limits.file} bytes")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(limits.file).decode()


def resource_of(folder: Path, name: str) -> str | InvalidError:
    """The resource that a file of a folder stands for, or why it stands for none."""
    try:
        return resource_of_file(name)
    except InvalidError as error:
        return InvalidError(
            attrs.evolve(problem, file=str(folder / name)) for problem in error.problems
        )


def _refused(path: Path, signature: Signature, expected: str, message: str) -> FoundFile:
    problem = Problem(path="", expected=expected, message=message, file=str(path))
    return FoundFile(signature=signature, problems=(problem,))


def _signature(found: os.stat_result) -> Signature:
    return Signature(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
