"""Following a folder: which of its files to look at, as soon as something happened to them.

What is watched is the folder and the one around it, so that a folder that is removed and comes
back is followed again. The kernel's word is only ever a reason to look, and what is there is
then found by :meth:`~wakeful.storage.AutomationFolder.refresh`; so ten edits in a second are
one look or a few, and what the kernel failed to tell is found by the look at everything that
comes every now and then.

A file that is missing gets a moment to come back before it is told: some editors save by
renaming the old file away first.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import attrs
from watchfiles import Change, awatch, watch

from wakeful.storage.folder_files import is_file_name

Touched: TypeAlias = frozenset[str] | None
"""The names of the files to look at; ``None``: all of them."""

_DEBOUNCE: Final = 200
_STEP: Final = 20
_TIMEOUT: Final = 200
"""In milliseconds: how long a burst may go on, what ends it, how often to look for the folder."""

_GRACE: Final = 0.1


def _absolute(path: str | Path) -> Path:
    return Path(path).absolute()


@attrs.define(eq=False)
class FolderWatcher:
    """What happens in a folder of automations.

    Attributes:
        path: The folder; it need not be there yet.
        look_every: After how many seconds everything is looked at, whatever was told.
    """

    path: Path = attrs.field(converter=_absolute)
    look_every: float = attrs.field(default=30.0, kw_only=True)

    def touched(self, stop: threading.Event) -> Iterator[Touched]:
        """Wait for something to happen, again and again, until ``stop`` is set.

        The first is ``None``, as soon as nothing that happens can be missed any more.
        """
        while not stop.is_set():
            armed = self._arm()
            for changes in watch(
                *armed.paths,
                watch_filter=armed.concerns,
                debounce=_DEBOUNCE,
                step=_STEP,
                stop_event=stop,
                rust_timeout=_TIMEOUT,
                yield_on_timeout=True,
                raise_interrupt=False,
                recursive=False,
            ):
                names = armed.names(changes)
                if self._is_missing(names):
                    stop.wait(_GRACE)
                if names is None or names:
                    yield names
                if armed.is_over():
                    break

    async def touched_async(self, stop: asyncio.Event) -> AsyncIterator[Touched]:
        """The same as :meth:`touched`, for who has an event loop."""
        while not stop.is_set():
            armed = self._arm()
            async for changes in awatch(
                *armed.paths,
                watch_filter=armed.concerns,
                debounce=_DEBOUNCE,
                step=_STEP,
                stop_event=stop,
                rust_timeout=_TIMEOUT,
                yield_on_timeout=True,
                recursive=False,
            ):
                names = armed.names(changes)
                if self._is_missing(names):
                    await asyncio.sleep(_GRACE)
                if names is None or names:
                    yield names
                if armed.is_over():
                    break

    def _arm(self) -> "_Armed":
        around = self.path.parent
        while not around.is_dir():
            around = around.parent
        return _Armed(self.path, around, _identity(self.path), self.look_every)

    def _is_missing(self, names: Touched) -> bool:
        if names is None:
            return not self.path.is_dir()
        return any(not (self.path / name).exists() for name in names)


@attrs.define(eq=False)
class _Armed:
    """One watch, which lasts as long as the folder is the same one."""

    folder: Path
    around: Path
    identity: tuple[int, int] | None
    look_every: float
    looked_at: float | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.around,) if self.identity is None else (self.around, self.folder)

    def concerns(self, _change: Change, path: str) -> bool:
        """Whether what happened to a path is news: of an automation's file, or the folder."""
        where = Path(path)
        return where == self.folder or (where.parent == self.folder and is_file_name(where.name))

    def names(self, changes: set[tuple[Change, str]]) -> Touched:
        """The files to look at after some changes, none of which is a time that passed."""
        now = time.monotonic()
        is_due = self.looked_at is None or now - self.looked_at >= self.look_every
        if is_due or self.is_over():
            self.looked_at = now
            return None
        paths = [Path(path) for _, path in changes]
        return frozenset(path.name for path in paths if path != self.folder)

    def is_over(self) -> bool:
        """Whether the folder is another than when this began, or is there now, or gone."""
        return _identity(self.folder) != self.identity or (
            self.identity is None
            and self.around != self.folder.parent
            and self.folder.parent.is_dir()
        )


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
