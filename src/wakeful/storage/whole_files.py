"""Files that are written whole or not at all.

A write goes to a temporary file beside the target, reaches the disk (fsync), takes the
target's name, and then the folder's entry reaches the disk. Whoever reads, and whoever
comes back after a crash at any step, finds the old file or the new one. What a crash leaves
behind is a temporary file, which the next writer clears away (:func:`sweep`).
"""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

_TEMPORARY: Final = ".tmp"
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""How file systems say that they have no hard links."""


def write_file(path: Path, data: bytes, *, prefix: str, is_new: bool = False) -> None:
    """Write a file whole, readable by its owner alone.

    Args:
        path: The file; its folder has to be there.
        data: All of it.
        prefix: How the name of the temporary file begins; :func:`sweep` takes the same.
        is_new: Whether a file of that name is to stay as it is.

    Raises:
        FileExistsError: ``is_new``, and there is something of that name.
        OSError: It could not be written; the old file, or none, is there as before.
    """
    temporary = path.with_name(f"{prefix}{secrets.token_hex(8)}{_TEMPORARY}")
    try:
        _write_through(temporary, data)
        if is_new:
            _take_free_name(temporary, path)
        else:
            os.replace(temporary, path)  # noqa: PTH105 - os throughout: the steps are the point
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise
    try:
        sync_folder(path.parent)
    except OSError:
        if is_new:  # told as failed, so a second try is to find the name free
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108
        raise


def remove_file(path: Path) -> None:
    """Remove a file for good; one that is not there is no fault.

    Raises:
        OSError: It could not be removed.
    """
    try:
        os.unlink(path)  # noqa: PTH108
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder that only its owner enters, with those around it; one that is there stays.

    Raises:
        OSError: It could not be made.
    """
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        os.mkdir(path, FOLDER_MODE)  # noqa: PTH102
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """See to it that the names in a folder are on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path, prefix: str) -> None:
    """Clear away what writers left behind that were killed; no writer may be at work."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208
            if name.startswith(prefix) and name.endswith(_TEMPORARY):
                with suppress(OSError):
                    os.unlink(folder / name)  # noqa: PTH108


def _write_through(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(path, flags, FILE_MODE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take_free_name(temporary: Path, path: Path) -> None:
    """Give a file a name that nothing has: a link is refused where a rename would replace."""
    try:
        os.link(temporary, path, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        os.replace(temporary, path)  # noqa: PTH105
        return
    with suppress(OSError):  # the file is there, whole; its second name is swept away later
        os.unlink(temporary)  # noqa: PTH108
