"""A folder of automations: one Markdown file each, and what runs change beside it.

What is where, for a folder ``automations``:

- ``automations/<name>.md``: what a person wrote (:mod:`wakeful.reading.file_names`);
- ``automations-state.json``: what runs change (:mod:`wakeful.storage.run_state`);
- ``automations.lock``: held while something is written, so that one process writes at a time;
- ``automations.json``: what an earlier version wrote, converted once.

Several processes may have one folder open. Each write holds the lock, reads what is there
again, and puts into it what the caller changed since it last looked: a definition by keys,
progress by what moved (:mod:`wakeful.storage.merging`). Every write is of whole files and
reaches the disk before a method returns; where it raises, the disk holds what it held.

The run state is written before the file that it belongs to: a crash between the two leaves
state that nobody asks for, and never an automation whose allowance was forgotten.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.time import Instant, from_datetime
from wakeful.reading.definitions import KeptAutomation
from wakeful.reading.file_names import file_name
from wakeful.storage.automation_text import (
    edit_automation_text,
    merge_kept,
    with_pinned_session,
    without_host_notes,
    write_automation_text,
)
from wakeful.storage.faults import (
    FILE_TAKEN,
    OccurrenceTakenError,
    StorageError,
)
from wakeful.storage.folder_files import (
    TEMPORARY_PREFIX,
    FoundFile,
    Signature,
    file_names,
    is_file_name,
    read_file,
    resource_of,
    settled,
    signature_of,
)
from wakeful.storage.locking import holding
from wakeful.storage.merging import lost_claims, merge_progress, pass_over
from wakeful.storage.migration import OLD_SUFFIX, convert
from wakeful.storage.run_state import (
    AutomationRunState,
    RunProgress,
)
from wakeful.storage.state_file import StateFile
from wakeful.storage.stored import (
    FileRefused,
    FileRemoved,
    FileSaved,
    FolderChange,
    StoredAutomation,
)
from wakeful.storage.whole_files import make_folder, remove_file, sweep, write_file

_NOTHING: Final = RunProgress()


@attrs.define
class _Known:
    """What this process last saw of an automation, and has told its caller."""

    kept: KeptAutomation
    signature: Signature | None
    progress: RunProgress


def now() -> Instant:
    """The system's clock, for what a file does not tell."""
    return from_datetime(datetime.now(UTC))


class AutomationFolder:
    """Automations kept as files; the module tells how.

    Not for several threads at once; several processes are fine.

    Args:
        path: The folder; it is made, for its owner alone, when something is written.
        clock: What time it is, for automations whose files do not tell when they were made.
        limits: How large a file may be, and what it defines.
    """

    def __init__(
        self, path: str | Path, *, clock: Callable[[], Instant] = now, limits: Limits = LIMITS
    ) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - links in it stay as they are
        self._state = StateFile(self.path.with_name(f"{self.path.name}-state.json"))
        self.lock_path = self.path.with_name(f"{self.path.name}.lock")
        self.now = clock
        self._limits = limits
        self._known: dict[str, _Known] = {}
        self._before: dict[str, _Known | None] = {}
        self._refused: dict[str, tuple[Signature | None, tuple[Problem, ...]]] = {}
        self._conversion: tuple[Problem, ...] = ()

    @property
    def fault(self) -> str | None:
        """Which file has to be recovered before anything is read or written; ``None``: none.

        Once there is one it stays until the folder is opened again.
        """
        return self._state.fault

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why files are passed over, and what of an older version could not be converted."""
        return (
            *self._conversion,
            *(problem for _, problems in self._refused.values() for problem in problems),
        )

    def path_of(self, resource: str) -> Path:
        """The file that an automation is kept in, or would be.

        Raises:
            InvalidError: No file can have this resource.
        """
        return self.path / file_name(resource)

    # -- reading ----------------------------------------------------------------------------

    def load(self) -> tuple[StoredAutomation, ...]:
        """Everything that is kept, by file name; files that cannot be meant are passed over.

        What a writer left behind that was killed is cleared away, and what an earlier version
        wrote is converted.

        Raises:
            StorageUnavailableError: The run state has to be recovered first.
            StorageError: The folder cannot be read, or the conversion not be written.
        """
        with self._writing():
            sweep(self.path, TEMPORARY_PREFIX)
            self._state.sweep()
            self._convert()
            self._known.clear()
            self._before.clear()
            self._refused.clear()
            changes = self._look(file_names(self.path))
            loaded = tuple(change.stored for change in changes if isinstance(change, FileSaved))
            self._note_new(loaded)
            return loaded

    def _note_new(self, loaded: Iterable[StoredAutomation]) -> None:
        """Note when files that do not tell were first seen."""
        state = self._state.read()
        new = {
            each.resource: AutomationRunState(
                created_at=each.created_at, modified_at=each.modified_at
            )
            for each in loaded
            if each.resource not in state.resources
        }
        if new:
            self._state.write(state.having_all(new))

    def peek(self) -> tuple[StoredAutomation, ...]:
        """What :meth:`load` would give, without writing anything; for who only looks.

        Raises:
            StorageUnavailableError: The run state has to be recovered first.
            StorageError: The folder cannot be read.
        """
        self._state.refuse_fault()
        with _told():
            self._state.read()
            changes = self._look(file_names(self.path))
        return tuple(change.stored for change in changes if isinstance(change, FileSaved))

    def refresh(self, names: Iterable[str] | None = None) -> tuple[FolderChange, ...]:
        """What others have changed since this process last looked, by file name.

        What it wrote itself is no change. A file that cannot be meant is told once.

        Args:
            names: The files to look at; all of them where left out.

        Raises:
            StorageUnavailableError: The run state has to be recovered first.
            StorageError: The folder cannot be read.
        """
        self._state.refuse_fault()
        with _told():
            self._state.read()
            if names is None:
                known = {file_name(resource) for resource in self._known}
                found = {*file_names(self.path), *known, *self._refused}
            else:
                found = {name for name in names if is_file_name(name)}
            return tuple(self._look(sorted(found), read=names is not None))

    def refuse(self, resource: str, problems: tuple[Problem, ...]) -> None:
        """The caller will not run what a file says that was just told; what it had goes on.

        The file is then one that cannot be meant, until somebody changes it: nothing is
        written over it but what it does not say otherwise.

        Args:
            resource: The automation that :class:`FileSaved` told of.
            problems: Why not.
        """
        name = file_name(resource)
        if self._known.pop(resource, None) is None:
            return
        self._refused[name] = signature_of(self.path / name), problems
        before = self._before.get(resource)
        if before is not None:
            self._known[resource] = before

    def _look(self, names: Iterable[str], *, read: bool = False) -> Iterator[FolderChange]:
        """What became of some files; ``read`` is to read them whatever their signatures say."""
        for name in names:
            change = self._look_at(name, read=read)
            if change is not None:
                yield change

    def _look_at(self, name: str, *, read: bool) -> FolderChange | None:
        path = self.path / name
        signature = signature_of(path)
        resource = resource_of(self.path, name)
        if isinstance(resource, InvalidError):
            return self._refuse(name, None, signature, tuple(resource.problems))
        known = self._known.get(resource)
        if signature is None:
            self._refused.pop(name, None)
            return (
                None if self._known.pop(resource, None) is None else FileRemoved(resource=resource)
            )
        refused = self._refused.get(name)
        if refused is not None:
            if refused[0] == signature:
                return None
        elif known is not None and known.signature == signature and not read:
            return None
        found = read_file(path, self._limits)
        if found is None:
            return None  # gone since: the next look tells
        if found.kept is None:
            return self._refuse(name, resource, found.signature, found.problems)
        self._refused.pop(name, None)
        kept = _as_file_says(found.kept)
        if known is not None and known.kept == kept:
            known.signature = settled(found.signature)
            return None
        stored = self._stored(resource, kept, found)
        # What the caller has seen of the progress stays what it was: that is its to compare with.
        progress = stored.progress if known is None else known.progress
        self._before[resource] = known
        self._known[resource] = _Known(kept, settled(found.signature), progress)
        return FileSaved(stored=stored)

    def _refuse(
        self,
        name: str,
        resource: str | None,
        signature: Signature | None,
        problems: tuple[Problem, ...],
    ) -> FileRefused | None:
        if signature is None:
            self._refused.pop(name, None)
            return None
        told = self._refused.get(name)
        self._refused[name] = settled(signature), problems
        if told is not None and told[1] == problems:
            return None
        return FileRefused(name=name, resource=resource, problems=problems)

    def _stored(self, resource: str, kept: KeptAutomation, found: FoundFile) -> StoredAutomation:
        state = self._state.last.of(resource)
        made_at = found.made_at if state is None else state.created_at
        chat = state.pinned_session if state is not None and kept.definition.pinned else None
        return StoredAutomation(
            resource=resource,
            definition=with_pinned_session(kept.definition, chat),
            owner=kept.owner,
            created_at=made_at if kept.created_at is None else kept.created_at,
            modified_at=found.made_at if state is None else state.modified_at,
            progress=_NOTHING if state is None else state.progress,
        )

    # -- writing ----------------------------------------------------------------------------

    def save(self, stored: StoredAutomation, *, text: str | None = None) -> None:
        """Keep an automation, new or in place of what was kept.

        The chat of a pinned one goes to the run state; where the file already means the
        definition it is not touched.

        Args:
            stored: As it is to be from now on.
            text: What to write in the file of a new one, where it was made elsewhere and
                means the same.

        Raises:
            InvalidError: The resource is in another scheme or too long for a file's name, or
                the definition cannot be written (a NUL in it, for one).
            StorageUnavailableError: The run state has to be recovered first.
            StorageError: A new automation's file is there; a file was edited so that it
                cannot be read; the disk is full. Nothing has changed.
        """
        name = file_name(stored.resource)
        path = self.path / name
        known = self._known.get(stored.resource)
        kept = KeptAutomation(
            definition=without_host_notes(stored.definition),
            owner=stored.owner,
            created_at=stored.created_at,
        )
        with self._writing():
            found = None
            if known is None:
                if os.path.lexists(path):
                    raise StorageError(f"{FILE_TAKEN}: {name}")
            else:
                # When it was made does not change, and what a person left out stays out.
                kept = attrs.evolve(kept, created_at=known.kept.created_at)
                found = read_file(path, self._limits)
                if found is not None and found.kept is None:
                    raise StorageError(
                        f"Automation file cannot be read and is left alone: {found.problems[0]}"
                    )
            if text is None or known is not None:
                text = self._text(kept, known, found)
            progress = self._save_state(stored, known)
            if found is None:
                make_folder(self.path)
                self._write(path, text, is_new=True)
            elif text != found.text:
                self._write(path, text, is_new=False)
            merged = found is not None and known is not None and found.kept != known.kept
            # What another edited meanwhile is told by the next look.
            self._known[stored.resource] = _Known(
                kept, None if merged else settled(signature_of(path)), progress
            )
            self._refused.pop(name, None)

    def _text(self, kept: KeptAutomation, known: _Known | None, found: FoundFile | None) -> str:
        if known is None or found is None or found.kept is None:
            return write_automation_text(kept)
        theirs = _as_file_says(found.kept)
        if theirs != known.kept:
            kept = merge_kept(seen=known.kept, theirs=theirs, mine=kept)
        return found.text if theirs == kept else edit_automation_text(found.text, kept)

    def _save_state(self, stored: StoredAutomation, known: _Known | None) -> RunProgress:
        state = self._state.read()
        old = state.of(stored.resource)
        progress = stored.progress
        if old is not None and known is not None:
            progress = merge_progress(seen=known.progress, disk=old.progress, wanted=progress)
        is_edit = old is not None and known is not None
        part = AutomationRunState(
            created_at=old.created_at if old is not None and is_edit else stored.created_at,
            modified_at=stored.modified_at,
            pinned_session=stored.definition.pinned_session,
            progress=progress,
        )
        if part != old:
            self._state.write(state.having(stored.resource, part))
        return stored.progress

    def remove(self, resource: str) -> None:
        """Keep an automation no longer; one that is not there is no fault.

        What runs changed about it goes too, unless the whole folder is gone: that may come
        back as it was.

        Raises:
            InvalidError: No file can have this resource.
            StorageError: It could not be removed.
        """
        path = self.path_of(resource)
        with self._writing():
            remove_file(path)
            self._known.pop(resource, None)
            self._refused.pop(path.name, None)
            state = self._state.read()
            if resource in state.resources and self.path.is_dir():
                self._state.write(state.without(resource))

    def move(self, resource: str, progress: RunProgress) -> None:
        """Keep what a run changed, before it is told or acted upon.

        A schedule that moves on claims the occurrence it waited for, for this process alone.

        Args:
            resource: Which automation.
            progress: As it is to be from now on, as far as this process knows.

        Raises:
            OccurrenceTakenError: Another process has claimed the occurrence; do not start.
            StorageError: It could not be kept, or there is no such automation.
        """
        with self._writing():
            known = self._known.get(resource)
            if known is None:
                raise StorageError(f"Automation not found: {resource}")
            state = self._state.read()
            old = state.of(resource)
            if old is None:
                at = self.now()
                made_at = known.kept.created_at
                old = AutomationRunState(
                    created_at=at if made_at is None else made_at, modified_at=at
                )
                known.progress = _NOTHING
            sides = {"seen": known.progress, "disk": old.progress, "wanted": progress}
            lost = lost_claims(**sides)
            if lost:
                known.progress = pass_over(known.progress, progress, lost)
                raise OccurrenceTakenError(
                    f"Another process has taken the occurrence of {', '.join(lost)}"
                )
            merged = merge_progress(**sides)
            if merged != old.progress:
                self._state.write(state.having(resource, attrs.evolve(old, progress=merged)))
            known.progress = progress

    # -- the disk ---------------------------------------------------------------------------

    @contextmanager
    def together(self) -> Iterator[None]:
        """Hold the lock, and write the run state once, at the end: for many moves at once.

        Until then none of them is on the disk: act on nothing of it before.

        Raises:
            StorageError: The run state could not be written; none of the moves is kept.
        """
        with self._writing(), self._state.together():
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock, and tell what the disk refuses as an error of storage."""
        self._state.refuse_fault()
        if self._state.in_batch:
            yield
            return
        with _told():
            make_folder(self.path.parent)
            with holding(self.lock_path):
                yield

    def _write(self, path: Path, text: str, *, is_new: bool) -> None:
        try:
            write_file(path, text.encode(), prefix=TEMPORARY_PREFIX, is_new=is_new)
        except FileExistsError:
            raise StorageError(f"{FILE_TAKEN}: {path.name}") from None

    def _convert(self) -> None:
        """Convert what an earlier version wrote, where nothing is here yet or it was begun."""
        state = self._state.read()
        old = self.path.with_name(f"{self.path.name}{OLD_SUFFIX}")
        if not os.path.lexists(old):
            if state.converting:
                self._state.write(state.while_converting(converting=False))
            return
        if file_names(self.path) and not state.converting:
            return
        conversion = convert(old)
        self._conversion = conversion.problems
        if conversion.is_refused:
            return
        state = state.having_all(
            {each.automation.resource: each.state for each in conversion.automations}
        )
        self._state.write(state.while_converting(converting=True))
        make_folder(self.path)
        for each in conversion.automations:
            path = self.path / file_name(each.automation.resource)
            if not os.path.lexists(path):
                self._write(path, each.text, is_new=True)
        conversion.put_aside()
        self._state.write(state.while_converting(converting=False))


def _as_file_says(kept: KeptAutomation) -> KeptAutomation:
    """Without the chat, which is the host's to note and nobody's to write."""
    return attrs.evolve(kept, definition=without_host_notes(kept.definition))


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = "" if error.filename is None else f": {error.filename}"
        raise StorageError(f"{error.strerror or error}{name}") from error
