"""The files of a journal, and how one generation of them follows another.

A generation is a snapshot and the records that came after it::

    snapshot-00000012.json   engine, definitions, settings, decisions not acknowledged
    journal-00000012.log     what was taken since
    lock                     held by whoever has the journal open

The next generation begins with its snapshot, written under another name, synced and then
renamed; only when that name is on the disk is the older generation removed. So whatever
moment a crash takes, the newest snapshot that is there is whole, and its journal is there
or has nothing in it yet.
"""

import errno
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs

from wakeful.core.sealed import seal, unseal
from wakeful.errors import SnapshotError
from wakeful.journal.disk import Disk, File
from wakeful.journal.faults import JournalError
from wakeful.journal.records import Kind, Record, Torn, frame, scan

FORMAT: Final = "wakeful-journal"
VERSION: Final = 1

_NAME: Final = re.compile(r"(snapshot|journal)-(\d{8,})\.(?:json|log)")
_TEMPORARY: Final = "snapshot.tmp"
_PUT_ASIDE: Final = ".torn"
LOCK: Final = "lock"


@attrs.frozen(kw_only=True)
class Found:
    """What a folder holds.

    Attributes:
        generation: The newest generation.
        state: What its snapshot says.
        records: What was taken since, in order.
        torn: What was cut off the end, if anything was.
    """

    generation: int
    state: Any
    records: list[Record]
    torn: Torn | None


class Generations:
    """The files of one journal in a folder.

    Args:
        disk: The file system.
        folder: Where they lie.
        most: How many bytes a file may have.

    Attributes:
        current: The generation that is written on; 0 where there is none yet.
        size: How many bytes its journal has.
    """

    def __init__(self, disk: Disk, folder: Path, most: int) -> None:
        self._disk = disk
        self._folder = folder
        self._most = most
        self._file: File | None = None
        self.current = 0
        self.size = 0

    def find(self) -> Found | None:
        """Read the newest generation and open it for writing; ``None`` where there is none.

        A torn tail is cut off its file. Where whole records follow the damage, all of it is
        kept beside the journal, in a file that ends in ``.torn``.

        Raises:
            JournalError: The snapshot cannot be read, or is of a version not known; or a file
                is too large.
            OSError: The files cannot be read or written.
        """
        generations = self._generations("snapshot")
        if not generations:
            return None
        generation = max(generations)
        path = self._path("snapshot", generation)
        try:
            state = unseal(self._read(path), FORMAT, VERSION, most=self._most)
        except SnapshotError as error:
            raise JournalError(f"{path}: {error}") from None
        self.current = generation
        records, torn = self._read_journal(generation)
        self._remove_others(generation)
        return Found(generation=generation, state=state, records=records, torn=torn)

    def begin(self, state: Any) -> None:
        """Begin the next generation with this snapshot, and remove the one before.

        Raises:
            OSError: It could not be written, or is too large. The generation before goes on.
            JournalError: Nobody knows which of the two a crash would leave.
        """
        generation = self.current + 1
        data = seal(FORMAT, VERSION, state)
        self._hold_to_limit(len(data))
        self._write_snapshot(generation, data)
        try:
            self._disk.sync_folder(self._folder)
        except OSError as error:
            raise JournalError(f"a snapshot was named in part: {error}") from error
        # From here on the new snapshot is what counts, also after a crash.
        before, self._file = self._file, None
        self.current = generation
        if before is not None:
            with suppress(OSError):
                before.close()
        with suppress(OSError):  # else the first record makes it
            self._create_journal(generation)
        self._remove_others(generation)

    def append(self, data: bytes) -> None:
        """Write framed records at the end; all of them, or none.

        Raises:
            OSError: They could not be written, and the file is as it was.
            JournalError: Nor could the file be made as it was.
        """
        file = self._open()
        self._hold_to_limit(self.size + len(data))
        try:
            file.write(data)
        except OSError:
            try:
                file.truncate(self.size)
            except OSError as error:
                raise JournalError(f"a record was written in part: {error}") from error
            raise
        self.size += len(data)

    def sync(self) -> None:
        """Wait until all records are on the disk.

        Raises:
            OSError: Nobody knows which are.
        """
        self._open().sync()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    # -- reading ------------------------------------------------------------------------

    def _read_journal(self, generation: int) -> tuple[list[Record], Torn | None]:
        path = self._path("journal", generation)
        try:
            data = self._read(path)
        except FileNotFoundError:
            self._create_journal(generation)
            return [], None
        records, torn = scan(data)
        if records:
            _check_header(records[0], path, generation)
        if any(record.kind is Kind.HEADER for record in records[1:]):
            raise JournalError(f"{path}: a second header")
        if torn is not None and torn.whole_after:
            self._put_aside(path, data[torn.at :])
        if not records:
            # Nothing was written after the snapshot that reached the disk.
            self._create_journal(generation)
            return [], torn
        self._file = self._disk.append(path)
        self.size = records[-1].end
        if torn is not None:
            self._file.truncate(self.size)
            self._file.sync()
        return records[1:], torn

    def _read(self, path: Path) -> bytes:
        data = self._disk.read(path, self._most + 1)
        if len(data) > self._most:
            raise JournalError(f"{path}: more than {self._most} bytes")
        return data

    def _put_aside(self, path: Path, data: bytes) -> None:
        aside = self._disk.create(path.with_name(path.name + _PUT_ASIDE))
        try:
            aside.write(data)
            aside.sync()
        finally:
            aside.close()

    # -- writing ------------------------------------------------------------------------

    def _hold_to_limit(self, size: int) -> None:
        """Write no file that would not be read back."""
        if size > self._most:
            raise OSError(errno.EFBIG, f"a file of more than {self._most} bytes")

    def _open(self) -> File:
        return self._create_journal(self.current) if self._file is None else self._file

    def _write_snapshot(self, generation: int, data: bytes) -> None:
        temporary = self._folder / _TEMPORARY
        file = self._disk.create(temporary)
        try:
            file.write(data)
            file.sync()
        finally:
            file.close()
        self._disk.rename(temporary, self._path("snapshot", generation))

    def _create_journal(self, generation: int) -> File:
        head = {"format": FORMAT, "version": VERSION, "generation": generation}
        data = frame(Kind.HEADER, json.dumps(head, separators=(",", ":")).encode())
        file = self._disk.create(self._path("journal", generation))
        try:
            file.write(data)
            file.sync()
            self._disk.sync_folder(self._folder)
        except BaseException:
            file.close()
            raise
        self._file = file
        self.size = len(data)
        return file

    def _remove_others(self, generation: int) -> None:
        """Remove what older generations left; what cannot be removed is left to the next."""
        with suppress(OSError):
            for what in ("journal", "snapshot"):
                for other in self._generations(what):
                    if other < generation:
                        self._disk.remove(self._path(what, other))

    def _generations(self, what: str) -> list[int]:
        found = (_NAME.fullmatch(name) for name in self._disk.names(self._folder))
        return [int(name[2]) for name in found if name is not None and name[1] == what]

    def _path(self, what: str, generation: int) -> Path:
        ending = "json" if what == "snapshot" else "log"
        return self._folder / f"{what}-{generation:08}.{ending}"


def _check_header(record: Record, path: Path, generation: int) -> None:
    try:
        head = json.loads(record.text) if record.kind is Kind.HEADER else None
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise JournalError(f"{path}: no journal of wakeful")
    if head.get("version") != VERSION:
        raise JournalError(
            f"{path}: of version {head.get('version')!r}; this release reads {VERSION}"
        )
    if head.get("generation") != generation:
        raise JournalError(f"{path}: of generation {head.get('generation')!r}")
