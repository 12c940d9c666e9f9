"""The few things a journal asks of a file system, so that tests can put a faulty one there.

What is written is safe from the end of the process at once, and from a loss of power when
:meth:`File.sync` has returned; a name that was made, changed or removed, when
:meth:`Disk.sync_folder` has.
"""

import fcntl
import os
from pathlib import Path
from typing import Protocol

from wakeful.journal.faults import JournalLockedError
from wakeful.storage.whole_files import FILE_MODE, make_folder, sync_folder

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class File(Protocol):
    """A file that is appended to. Every method may raise ``OSError``."""

    def write(self, data: bytes) -> None:
        """Append all of the data. What raises may have written a part."""

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""

    def truncate(self, size: int) -> None:
        """Cut the file to this many bytes."""

    def close(self) -> None:
        """Close it."""


class Lock(Protocol):
    """A lock that is held until it is closed, or its process ends."""

    def close(self) -> None:
        """Let go."""


class Disk(Protocol):
    """A file system. Every method may raise ``OSError``."""

    def names(self, folder: Path) -> list[str]:
        """The names in a folder."""

    def read(self, path: Path, most: int) -> bytes:
        """A file whole, or its first so many bytes."""

    def create(self, path: Path) -> File:
        """An empty file of that name, whatever was there."""

    def append(self, path: Path) -> File:
        """A file that is there, to be written on."""

    def rename(self, path: Path, to: Path) -> None:
        """Give a file another name, in place of whatever has it."""

    def remove(self, path: Path) -> None:
        """Remove a file."""

    def make_folder(self, folder: Path) -> None:
        """Make a folder, with those around it; one that is there stays."""

    def sync_folder(self, folder: Path) -> None:
        """Wait until the folder's names are on the disk."""

    def lock(self, path: Path) -> Lock:
        """Lock a file, made where it is not there.

        Raises:
            JournalLockedError: Somebody else holds it.
        """


class RealFile:
    """A file of the machine."""

    def __init__(self, path: Path, flags: int) -> None:
        self._descriptor = os.open(path, flags, FILE_MODE)

    def write(self, data: bytes) -> None:
        """Append all of the data."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        os.fsync(self._descriptor)

    def truncate(self, size: int) -> None:
        """Cut the file to this many bytes."""
        os.ftruncate(self._descriptor, size)
        os.lseek(self._descriptor, size, os.SEEK_SET)

    def close(self) -> None:
        """Close it."""
        os.close(self._descriptor)


class RealDisk:
    """The machine's file system. Files are readable by their owner alone."""

    def names(self, folder: Path) -> list[str]:
        """The names in a folder."""
        return os.listdir(folder)  # noqa: PTH208 - os throughout: each call is a step

    def read(self, path: Path, most: int) -> bytes:
        """A file whole, or its first so many bytes."""
        with path.open("rb") as file:
            # A read of so many bytes makes room for all of them, however few there are.
            is_small = os.fstat(file.fileno()).st_size <= most
            return file.read() if is_small else file.read(most)

    def create(self, path: Path) -> File:
        """An empty file of that name, whatever was there."""
        return RealFile(path, _CREATE)

    def append(self, path: Path) -> File:
        """A file that is there, to be written on."""
        return RealFile(path, _APPEND)

    def rename(self, path: Path, to: Path) -> None:
        """Give a file another name, in place of whatever has it."""
        os.replace(path, to)  # noqa: PTH105

    def remove(self, path: Path) -> None:
        """Remove a file."""
        os.unlink(path)  # noqa: PTH108

    def make_folder(self, folder: Path) -> None:
        """Make a folder that only its owner enters, with those around it."""
        make_folder(folder)

    def sync_folder(self, folder: Path) -> None:
        """Wait until the folder's names are on the disk."""
        sync_folder(folder)

    def lock(self, path: Path) -> Lock:
        """Lock a file; the kernel lets go of it when the process ends, however that ends."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise JournalLockedError(f"{path} is locked: another process has it open") from None
        except OSError:
            os.close(descriptor)
            raise
        return _RealLock(descriptor)


class _RealLock:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Let go."""
        os.close(self._descriptor)
