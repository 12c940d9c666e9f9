"""A folder of automation files as the catalogue's store, and what others change in it.

The folder keeps what definitions mean; the catalogue holds them as the wire carries them. Here
the one becomes the other.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from wakeful.catalogue import Catalogue, Kept, Progress, RefusedError, StoreError, read, write
from wakeful.catalogue.definitions import Definition
from wakeful.cron import Schedule
from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import AfterRuns
from wakeful.model.time import Instant
from wakeful.model.triggers import ScheduleTrigger
from wakeful.plugins import TypeRegistry, list_trigger_definitions
from wakeful.reading import read_definition, write_definition
from wakeful.reading.checks import OWNER_NOTE
from wakeful.storage import (
    AutomationFolder,
    FileRefused,
    FileRemoved,
    FileSaved,
    RunProgress,
    StorageError,
    StoredAutomation,
)

_OWN_TITLES: Final = {
    each["type"]: each["title"] for each in list_trigger_definitions(TypeRegistry())
}


class FolderStore:
    """Keeps a catalogue's automations in a folder; their schedules fire.

    Args:
        folder: A path, or a folder that is opened already.
    """

    fires_schedules = True

    def __init__(self, folder: AutomationFolder | str | Path) -> None:
        self.folder = folder if isinstance(folder, AutomationFolder) else AutomationFolder(folder)

    @property
    def fault(self) -> str | None:
        """Which file has to be recovered before anything is read or written."""
        return self.folder.fault

    def load(self) -> Iterable[Kept]:
        """Everything that is kept; schedules that wait for nothing yet are armed from now.

        Raises:
            StoreError: The folder cannot be read.
        """
        with _told():
            stored = self.folder.load()
            with self.folder.together():
                return tuple(_kept(self._armed(each)) for each in stored)

    def _armed(self, stored: StoredAutomation) -> StoredAutomation:
        """With what the engine is going to wait for: one write for all, and not one each."""
        definition, progress = stored.definition, stored.progress
        if not definition.enabled:
            return stored
        conditions = definition.disable_conditions
        armed = attrs.evolve(
            progress,
            occurrences={
                trigger.id: self._waits_for(trigger, progress.occurrences.get(trigger.id))
                for trigger in definition.triggers
                if isinstance(trigger, ScheduleTrigger)
            },
            run_count=(progress.run_count or 0)
            if any(isinstance(condition, AfterRuns) for condition in conditions)
            else progress.run_count,
        )
        if armed != progress:
            self.folder.move(stored.resource, armed)
        return attrs.evolve(stored, progress=armed)

    def _waits_for(self, trigger: ScheduleTrigger, kept: Instant | None) -> Instant:
        """What was kept, where it is of this schedule still: a file may be edited meanwhile."""
        schedule = Schedule.parse(trigger.expression, trigger.time_zone)
        if kept is not None and schedule.next_after(kept - 1) == kept:
            return kept
        return schedule.next_after(self.folder.now())

    def save(self, kept: Kept) -> None:
        """Keep an automation, new or in place of what was kept.

        Raises:
            StoreError: It could not be kept.
        """
        with _told():
            self.folder.save(_stored(kept))

    def remove(self, resource: str) -> None:
        """Keep an automation no longer.

        Raises:
            StoreError: It could not be removed.
        """
        with _told():
            self.folder.remove(resource)

    def move(self, resource: str, progress: Progress) -> None:
        """Keep what a run changed; an occurrence that another host has taken is not kept.

        Raises:
            StoreError: It could not be kept: start nothing.
        """
        with _told():
            self.folder.move(resource, _run_progress(progress))

    def follow(
        self, catalogue: Catalogue, names: Iterable[str] | None = None, *, at: Instant
    ) -> tuple[FileRefused, ...]:
        """Bring to a catalogue what others have changed in the folder.

        Args:
            catalogue: The one that this store was given to.
            names: The files to look at, as a watcher tells; all of them where left out.
            at: Now.

        Returns:
            The files that are not run, for a log; what they said before goes on.

        Raises:
            StoreError: The folder cannot be read.
        """
        with _told():
            changes = self.folder.refresh(names)
        refused: list[FileRefused] = []
        for change in changes:
            match change:
                case FileSaved():
                    stored = change.stored
                    try:
                        catalogue.save_definition(stored.resource, _wire(stored), at=at)
                    except (InvalidError, RefusedError) as error:
                        refused.append(self._refuse(stored.resource, error))
                case FileRemoved():
                    catalogue.remove_definition(change.resource, at=at)
                case FileRefused():
                    refused.append(change)
        return tuple(refused)

    def _refuse(self, resource: str, error: InvalidError | RefusedError) -> FileRefused:
        path = self.folder.path_of(resource)
        problems = (
            error.problems
            if isinstance(error, InvalidError)
            else (Problem(path="", expected="what this host runs", message=error.reason),)
        )
        told = tuple(attrs.evolve(problem, file=str(path)) for problem in problems)
        self.folder.refuse(resource, told)
        return FileRefused(name=path.name, resource=resource, problems=told)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except StorageError as error:
        raise StoreError(str(error)) from error
    except InvalidError as error:
        raise StoreError("; ".join(str(problem) for problem in error.problems)) from error


def _kept(stored: StoredAutomation) -> Kept:
    progress = stored.progress
    return Kept(
        resource=stored.resource,
        definition=read(Definition, _wire(stored)),
        created_at=stored.created_at,
        modified_at=stored.modified_at,
        progress=Progress(
            run_count=progress.run_count,
            occurrences=progress.occurrences,
            going=progress.going,
            requests=progress.requests,
        ),
    )


def _wire(stored: StoredAutomation) -> dict[str, Any]:
    """A definition as clients see it: its owner in the notes, titles where none are written."""
    data = write_definition(stored.definition)
    if stored.owner is not None:
        data["_meta"] = {**data.get("_meta", {}), OWNER_NOTE: stored.owner}
    data["triggers"] = [_labelled(trigger) for trigger in data["triggers"]]
    return data


def _labelled(trigger: dict[str, Any]) -> dict[str, Any]:
    if trigger["kind"] == "schedule":
        return trigger
    type_ = trigger["type"]
    events = [{"title": event["id"], **event} for event in trigger["events"]]
    return {"title": _OWN_TITLES.get(type_, type_), **trigger, "events": events}


def _stored(kept: Kept) -> StoredAutomation:
    definition = read_definition(write(kept.definition))
    return StoredAutomation(
        resource=kept.resource,
        definition=definition,
        owner=definition.meta.get(OWNER_NOTE),
        created_at=kept.created_at,
        modified_at=kept.modified_at,
        progress=_run_progress(kept.progress),
    )


def _run_progress(progress: Progress) -> RunProgress:
    return RunProgress(
        run_count=progress.run_count,
        occurrences=progress.occurrences,
        going=progress.going,
        requests=progress.requests,
    )
