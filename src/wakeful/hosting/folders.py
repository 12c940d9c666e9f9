"""Automations kept in a folder, followed: what a person edits is an input a moment later."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator

from wakeful.hosting.clock import Clock
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionRemoved, DefinitionSaved, Input
from wakeful.model.time import Instant
from wakeful.storage import (
    AutomationFolder,
    FileRefused,
    FileRemoved,
    FileSaved,
    FolderChange,
    StoredAutomation,
)
from wakeful.storage.watching import FolderWatcher


class FollowedFolder:
    """Feeds a runner with what changes in a folder of automations.

    Args:
        folder: The folder.
        refused: Is told of each file that cannot be meant; what it said before goes on.
    """

    def __init__(self, folder: AutomationFolder, *, refused: Callable[[FileRefused], None]) -> None:
        self._folder = folder
        self._refused = refused
        self._stored: tuple[StoredAutomation, ...] = folder.load()

    @property
    def automations(self) -> tuple[Automation, ...]:
        """Those that were there at first, for the engine to begin with."""
        return tuple(stored.automation for stored in self._stored)

    @property
    def occurrences(self) -> dict[tuple[str, str], Instant]:
        """What their schedules were waiting for, for the engine to begin with."""
        return {
            (stored.resource, trigger): at
            for stored in self._stored
            for trigger, at in stored.progress.occurrences.items()
        }

    async def follow(
        self, feed: Callable[[Input], Awaitable[object]], clock: Clock, stop: asyncio.Event
    ) -> None:
        """Feed what changes until ``stop`` is set.

        Raises:
            StorageError: The folder cannot be read any more.
        """
        async for names in FolderWatcher(self._folder.path).touched_async(stop):
            for item in self._inputs(self._folder.refresh(names), clock.now()):
                await feed(item)

    def _inputs(self, changes: Iterable[FolderChange], at: Instant) -> Iterator[Input]:
        for change in changes:
            match change:
                case FileSaved():
                    yield DefinitionSaved(automation=change.stored.automation, at=at)
                case FileRemoved():
                    yield DefinitionRemoved(automation=change.resource, at=at)
                case FileRefused():
                    self._refused(change)
