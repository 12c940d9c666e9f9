"""An engine that writes down what it takes, so that nothing is lost between snapshots.

Theory
------
An input is written before the engine takes it, and what the engine gives is returned when
the input is as safe as the policy promises. Recovery restores the last snapshot and feeds
what was written since: outputs are a function of the inputs, so it makes the same decisions
with the same ids. Decisions are kept until they are acknowledged, and an acknowledgement is
a record too.

=============  ============================  =========================================
``sync``       the process is killed         the power fails
=============  ============================  =========================================
``"each"``     nothing is lost               nothing is lost
milliseconds   nothing is lost               what came in at most that long before, or
                                             since the last call
``"never"``    nothing is lost               what came since the last snapshot
=============  ============================  =========================================

What is lost is the end: what is recovered is what was taken up to some input, whole.

Time that was advanced is written where it gave something, or where the next record could
tell: an input of an earlier instant, or a ``Resumed``. Everything else is implied by the
inputs, so a host that advances each second writes nothing.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

import attrs

from wakeful.core.engine import Engine
from wakeful.core.overflow import Overflow
from wakeful.core.settings import Settings
from wakeful.core.sight import Sight
from wakeful.core.statistics import Pending, Statistics
from wakeful.errors import InvalidError
from wakeful.journal.decisions import Outstanding, decision_id
from wakeful.journal.disk import Disk, Lock, RealDisk
from wakeful.journal.faults import JournalError
from wakeful.journal.generations import LOCK, Generations
from wakeful.journal.records import Kind, frame
from wakeful.journal.recovery import ORIGIN, Recovery, Taken, keep_definition
from wakeful.logs.native import NativeReader
from wakeful.logs.native_writer import write_native
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionRemoved, DefinitionSaved, Input, Resumed
from wakeful.model.outputs import Decision, Output
from wakeful.model.time import Duration, Instant
from wakeful.plugins import TypeRegistry
from wakeful.reading.writing import write_automation

Sync: TypeAlias = Literal["each", "never"] | Duration
"""When what was written is made safe from a loss of power."""


class Journal:
    """An engine with a journal beside it; made by :meth:`open`.

    It has an engine's verbs. What they return may be acted upon; each decision is to be
    acknowledged then, and is among :attr:`outstanding` until it is, also after a restart.

    Attributes:
        recovery: What opening it found.
        snapshot_fault: Why the last automatic snapshot could not be written; ``None`` where it
            was. It is tried again, and meanwhile the journal grows.
    """

    def __init__(  # noqa: PLR0913 - `open` makes it
        self,
        engine: Engine,
        files: Generations,
        lock: Lock,
        *,
        automations: Mapping[str, Any],
        outstanding: Outstanding,
        recovery: Recovery,
        sync: Sync,
        snapshot_every: int,
        clock: Callable[[], float],
    ) -> None:
        self._engine = engine
        self._files = files
        self._lock: Lock | None = lock
        self._automations = dict(automations)
        self._outstanding = outstanding
        self._sync = sync
        self._snapshot_every = snapshot_every
        self._clock = clock
        self._reader = NativeReader()
        self._records = 0
        self._synced_at = clock()
        self._unsynced = False
        self._advanced: Instant | None = None
        self._fault: Exception | None = None
        self.recovery = recovery
        self.snapshot_fault: OSError | None = None

    # -- opening and closing ----------------------------------------------------------------

    @classmethod
    def open(  # noqa: PLR0913 - all but the first are named
        cls,
        folder: Path,
        *,
        at: Instant,
        automations: Iterable[Automation] | None = None,
        settings: Settings | None = None,
        sight: Sight | None = None,
        types: TypeRegistry | None = None,
        sync: Sync = "each",
        snapshot_every: int = 10_000,
        outstanding_kept: int = 100_000,
        disk: Disk | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Self:
        """Open the journal of a folder, or begin one there.

        Feed a :class:`~wakeful.Resumed` next where it was there, and act upon what is
        :attr:`outstanding`.

        Args:
            folder: Made where it is not there; nothing else may be in it.
            at: The engine's first instant, where the journal is new.
            automations: The definitions as they are now, taken as saved or removed where they
                differ from those that the journal knows; left out, those are the ones.
            settings: As for an engine. Inputs since the last snapshot are taken again by the
                settings of that time.
            sight: As for an engine; it has to answer as it did.
            types: As for an engine.
            sync: When to wait for the disk: ``each`` call, ``never``, or when this many
                milliseconds have gone since the last time.
            snapshot_every: After how many records a snapshot takes the place of the journal.
            outstanding_kept: How many decisions are kept unacknowledged; beyond it the oldest
                goes, and is counted.
            disk: The file system; the machine's where left out.
            clock: Seconds that never go back; for ``sync``.

        Raises:
            JournalLockedError: It is open elsewhere.
            JournalError: It cannot be read, or is of a version not known.
            InvalidError: A definition cannot be meant, or a policy is none.
        """
        _check_policy(sync, snapshot_every, outstanding_kept)
        settings = Settings() if settings is None else settings
        disk = RealDisk() if disk is None else disk
        lock: Lock | None = None
        files = Generations(disk, folder, settings.limits.saved)
        given = None if automations is None else tuple(automations)
        outstanding = Outstanding(outstanding_kept)
        try:
            disk.make_folder(folder)
            lock = disk.lock(folder / LOCK)
            found = files.find()
            taken = Taken(settings, sight, types, outstanding)
            recovery = taken.begin(given or (), at) if found is None else taken.recover(found)
            journal = cls(
                taken.engine,
                files,
                lock,
                automations=taken.automations,
                outstanding=outstanding,
                recovery=recovery,
                sync=sync,
                snapshot_every=snapshot_every,
                clock=clock,
            )
            if found is None or taken.is_changed:
                journal.compact()
            elif found.records:
                journal._try_compacting()
            if found is not None and given is not None:
                journal._reconcile(given)
        except BaseException as error:
            files.close()
            if lock is not None:
                lock.close()
            if isinstance(error, OSError):
                raise JournalError(f"{folder}: {error}") from error
            raise
        return journal

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Make everything safe, and let go of the folder. Closing again does nothing.

        Raises:
            JournalError: It could not be made safe. The folder is let go of all the same.
        """
        lock, self._lock = self._lock, None
        if lock is None:
            return
        try:
            if self._unsynced and self._fault is None:
                self._guarded(self._files.sync)
        finally:
            self._files.close()
            lock.close()

    # -- an engine's verbs --------------------------------------------------------------------

    def feed(self, item: Input) -> list[Output]:
        """Take one input, when it is written.

        Raises:
            InputRefusedError: It is no input; the engine is as it was.
            InvalidError: It has no line in a native log, or one that is longer than the limit;
                nothing was written.
            JournalError: It could not be written. The engine is as it was, unless the message
                says that the journal has to be opened again.
        """
        return self.feed_many((item,))

    def feed_many(self, items: Iterable[Input]) -> list[Output]:
        """Take inputs one after another, made safe together; the outputs of all, in order.

        Raises:
            InputRefusedError, InvalidError, JournalError: As :meth:`feed` does. Those before
                it were taken, and their decisions are outstanding.
        """
        self._usable()
        out: list[Output] = []
        try:
            for item in items:
                out += self._take(item)
        finally:
            self._settle()
        return out

    def advance(self, instant: Instant) -> list[Output]:
        """Let time pass until ``instant``, and do what is due by then.

        Raises:
            JournalError: As for :meth:`feed`; what was due is done, and is outstanding.
        """
        self._usable()
        outputs = self._engine.advance(instant)
        if self._engine.now == instant:
            self._advanced = instant
        if outputs:
            self._outstanding.give(outputs)
            self._write_advanced(strictly=True)
            self._settle()
        return outputs

    @property
    def next_deadline(self) -> Instant | None:
        """When :meth:`advance` may next have something to do; it may be early, never late."""
        return self._engine.next_deadline

    @property
    def now(self) -> Instant | None:
        """The engine's instant."""
        return self._engine.now

    def snapshot(self) -> bytes:
        """The engine's state, as :meth:`wakeful.Engine.snapshot` gives it."""
        return self._engine.snapshot()

    def statistics(self) -> Statistics:
        """What the engine holds."""
        return self._engine.statistics()

    @property
    def overflow(self) -> Overflow:
        """What the engine let go at bounds."""
        return self._engine.overflow

    def pending(self) -> tuple[Pending, ...]:
        """What waits now."""
        return self._engine.pending()

    # -- decisions ------------------------------------------------------------------------------

    @property
    def outstanding(self) -> tuple[Decision, ...]:
        """The decisions that were given and not acknowledged, oldest first."""
        return tuple(self._outstanding)

    def acknowledge(self, *decisions: Decision | str) -> None:
        """Say that decisions were acted upon: they are not given again.

        Args:
            decisions: The decisions, or their ids. One that is not outstanding is passed over.

        Raises:
            JournalError: It could not be written; they are outstanding as before.
        """
        self._usable()
        ids = [one if isinstance(one, str) else decision_id(one) for one in decisions]
        ids = [id_ for id_ in dict.fromkeys(ids) if id_ in self._outstanding]
        if not ids:
            return
        self._write(Kind.ACKNOWLEDGED, json.dumps(ids).encode())
        self._outstanding.take_back(ids)
        self._settle()

    # -- upkeep -----------------------------------------------------------------------------------

    def compact(self) -> None:
        """Write a snapshot in place of the records there are.

        Raises:
            JournalError: It could not be written; the journal goes on as it was, unless the
                message says that it has to be opened again.
        """
        self._usable()
        try:
            self._begin_generation()
        except OSError as error:
            raise JournalError(f"no snapshot could be written: {error}") from error

    def tend(self) -> None:
        """Do what is due by the policy while nothing is fed; call it now and then.

        Raises:
            JournalError: What was written could not be made safe.
        """
        self._usable()
        self._settle()

    # -- within -----------------------------------------------------------------------------------

    def _take(self, item: Input) -> list[Output]:
        text = write_native(item).encode()
        most = self._engine.settings.limits.line
        if len(text) > most:
            expected = f"an input of at most {most} bytes as a line"
            raise InvalidError.single("", "…", expected, f"{len(text)} bytes; expected {expected}")
        # What recovery will read is what is taken, to the last surrogate.
        (taken,) = self._reader.decode(text, ORIGIN)
        if isinstance(taken, Resumed) or taken.at < (self._engine.now or taken.at):
            self._write_advanced(strictly=False)
        self._write(Kind.INPUT, text)
        self._advanced = None
        outputs = self._engine.feed(taken)
        keep_definition(self._automations, taken)
        self._outstanding.give(outputs)
        return outputs

    def _write_advanced(self, *, strictly: bool) -> None:
        """Write the instant that time was advanced to, where no record tells it.

        Args:
            strictly: Whether the engine gave something at it, so that it has to be written.
        """
        if self._advanced is None:
            return
        try:
            self._write(Kind.ADVANCED, str(self._advanced).encode())
        except JournalError as error:
            if strictly:
                self._fault = error
                raise JournalError(f"open the journal again: {error}") from error
            raise
        self._advanced = None

    def _write(self, kind: Kind, text: bytes) -> None:
        data = frame(kind, text)
        try:
            self._files.append(data)
        except OSError as error:
            raise JournalError(f"nothing was written: {error}") from error
        except JournalError as error:
            self._fault = error
            raise JournalError(f"open the journal again: {error}") from error
        self._records += 1
        self._unsynced = True

    def _settle(self) -> None:
        """Make what was written as safe as the policy says, and snapshot where it is time."""
        if self._fault is not None:
            return
        if self._unsynced and self._is_time():
            self._guarded(self._files.sync)
            self._unsynced = False
            self._synced_at = self._clock()
        limits = self._engine.settings.limits
        # A journal that outgrew what is read back would be none; half leaves room for a line.
        if self._records >= self._snapshot_every or self._files.size > limits.saved // 2:
            self._try_compacting()

    def _try_compacting(self) -> None:
        try:
            self._begin_generation()
        except OSError as error:
            self.snapshot_fault = error

    def _is_time(self) -> bool:
        if self._sync == "each":
            return True
        if self._sync == "never":
            return False
        return (self._clock() - self._synced_at) * 1_000 >= self._sync

    def _begin_generation(self) -> None:
        state = {
            "engine": self._engine.snapshot().decode(),
            "settings": attrs.asdict(self._engine.settings),
            "automations": list(self._automations.values()),
            "outstanding": self._outstanding.state(),
            "forgotten": self._outstanding.forgotten,
        }
        self._guarded(lambda: self._files.begin(state), but_os_errors=True)
        self._records = 0
        self._unsynced = False
        self._advanced = None
        self.snapshot_fault = None

    def _guarded(self, call: Callable[[], None], *, but_os_errors: bool = False) -> None:
        """Do what leaves nobody knowing what is on the disk if it fails: nothing goes on then."""
        try:
            call()
        except (OSError, JournalError) as error:
            if but_os_errors and isinstance(error, OSError):
                raise
            self._fault = error
            raise JournalError(f"open the journal again: {error}") from error

    def _reconcile(self, given: tuple[Automation, ...]) -> None:
        """Take the definitions as they are now as saved or removed, where they differ."""
        now = self._engine.now or 0
        written = {one.resource: write_automation(one) for one in given}
        changes: list[Input] = [
            DefinitionRemoved(automation=resource, at=now)
            for resource in self._automations
            if resource not in written
        ]
        changes += [
            DefinitionSaved(automation=one, at=now)
            for one in given
            if self._automations.get(one.resource) != written[one.resource]
        ]
        if changes:
            self.feed_many(changes)

    def _usable(self) -> None:
        if self._lock is None:
            raise JournalError("the journal is closed")
        if self._fault is not None:
            raise JournalError(f"open the journal again: {self._fault}") from self._fault


def _check_policy(sync: Sync, snapshot_every: int, outstanding_kept: int) -> None:
    is_sync = sync in ("each", "never") or (type(sync) is int and sync >= 0)
    if not is_sync:
        raise InvalidError.single("sync", sync, "'each', 'never' or whole milliseconds")
    for path, value in (
        ("snapshot_every", snapshot_every),
        ("outstanding_kept", outstanding_kept),
    ):
        if type(value) is not int or value < 1:
            raise InvalidError.single(path, value, "a whole number, at least 1")
