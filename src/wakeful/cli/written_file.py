"""A file that an option names to be written: looked at before the work, written whole after it."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs
import click

from wakeful.logs.sources import STANDARD_INPUT
from wakeful.reading.rulesets import SHIPPED

_SPECIAL: Final = ("/dev/", "/proc/")
"""Where names stand for what is open already: written as it is, never replaced."""


@attrs.frozen
class WrittenFile:
    """A file to write.

    Attributes:
        path: As it was named.
        option: The option that named it.
    """

    path: Path
    option: str

    def verify(self, read: Iterable[str]) -> None:
        """See to it, before the work is done, that it can be written and is nothing that is read.

        Args:
            read: The logs and rules, as they were named.

        Raises:
            click.UsageError: It is one of them, or lies in one that is a folder.
            OSError: It cannot be written.
        """
        for name in read:
            if self._is_read_as(name):
                raise click.UsageError(
                    f"{self.option} would write over what is read: {self.path} is of {name}"
                )
        if self.path.is_dir():
            raise self._error(errno.EISDIR)
        if self.path.exists():
            if not os.access(self.path, os.W_OK):
                raise self._error(errno.EACCES)
            return
        folder = self.path.resolve().parent
        if self._is_special:
            return
        if not folder.is_dir():
            raise self._error(errno.ENOENT)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise self._error(errno.EACCES)

    def write(self, text: str) -> None:
        """Write all of it; the old file, if there is one, stays until then.

        Raises:
            OSError: It cannot be written; it names the file.
        """
        try:
            if self._is_special or (self.path.exists() and not self.path.is_file()):
                # Standard output may be a file that rows are in already.
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(text)
                return
            self._replace(self.path.resolve(), text)
        except OSError as error:
            raise self._error(error.errno or errno.EIO) from error

    def _replace(self, path: Path, text: str) -> None:
        temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with temporary.open("x", encoding="utf-8") as file:
                file.write(text)
            if path.exists():
                shutil.copymode(path, temporary)
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise

    @property
    def _is_special(self) -> bool:
        return os.path.abspath(self.path).startswith(_SPECIAL)  # noqa: PTH100 - links stay

    def _is_read_as(self, name: str) -> bool:
        if name == STANDARD_INPUT or name.startswith(SHIPPED) or not self.path.is_file():
            return False
        read = Path(name)
        if read.is_dir():
            return self.path.resolve().is_relative_to(read.resolve())
        return read.exists() and self.path.samefile(read)

    def _error(self, number: int) -> OSError:
        return OSError(number, os.strerror(number), str(self.path))


def written_file(
    _context: click.Context, parameter: click.Parameter, given: Any
) -> WrittenFile | None:
    """Read an option that names a file to write.

    Raises:
        click.BadParameter: It is an empty name.
    """
    if given is None:
        return None
    if not given:
        raise click.BadParameter("an empty name is no file")
    return WrittenFile(Path(given), parameter.opts[0])
