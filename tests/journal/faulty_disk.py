"""A file system in memory that loses what was not synced, fills up, and fails when told to.

It keeps two pictures: what a process sees, and what is on the disk. Writing and naming
change the first; syncing a file takes its contents to the second, syncing a folder its names.
:meth:`FaultyDisk.lose_power` gives the file system as it might come back: of what was not
synced any part may have reached the disk, in any order.
"""

import errno
from collections.abc import Callable
from pathlib import Path

from wakeful.journal import JournalLockedError

Choose = Callable[[int], int]
"""Gives a number from 0 up to and with the one it is given."""


class Node:
    """A file: its contents as seen, those on the disk, and the writes in between."""

    def __init__(self) -> None:
        self.seen = bytearray()
        self.durable = b""
        self.writes: list[tuple[int, bytes]] = []

    def lost(self, choose: Choose) -> bytes:
        """The contents after a loss of power: of each unsynced write a part, or zeros, or none."""
        data = bytearray(self.durable)
        for at, whole in self.writes:
            written = {
                0: lambda: b"",
                1: lambda: whole[: choose(len(whole))],  # noqa: B023 - called here and now
                2: lambda: bytes(len(whole)),  # noqa: B023
            }.get(choose(4), lambda: whole)()  # noqa: B023
            if at > len(data):
                data += bytes(at - len(data))
            data[at : at + len(written)] = written
        return bytes(data)


class FaultyDisk:
    """One folder of files.

    Attributes:
        room: How many bytes can still be written; ``None`` for any number.
        fail: Is asked before each operation, by its name; what it returns is raised.
        operations: The names of the operations there were.
    """

    def __init__(self) -> None:
        self.names_seen: dict[str, Node] = {}
        self.names_durable: dict[str, Node] = {}
        self.room: int | None = None
        self.fail: Callable[[str], OSError | None] = lambda _name: None
        self.operations: list[str] = []
        self.locked = False

    def lose_power(self, choose: Choose) -> "FaultyDisk":
        """The disk as it comes back: nobody has it open."""
        after = FaultyDisk()
        names = dict(self.names_durable)
        # Of the names that were not synced each may have reached the disk, or not.
        for name in sorted({*self.names_seen, *self.names_durable}):
            if self.names_seen.get(name) is not names.get(name) and choose(1):
                if name in self.names_seen:
                    names[name] = self.names_seen[name]
                else:
                    del names[name]
        for name, node in names.items():
            left = Node()
            left.seen = bytearray(node.lost(choose))
            left.durable = bytes(left.seen)
            after.names_seen[name] = after.names_durable[name] = left
        return after

    def killed(self) -> "FaultyDisk":
        """The disk after the process was killed: what was written is there."""
        return self.lose_nothing()

    def lose_nothing(self) -> "FaultyDisk":
        after = FaultyDisk()
        for name, node in self.names_seen.items():
            left = Node()
            left.seen = bytearray(node.seen)
            left.durable = bytes(node.seen)
            after.names_seen[name] = after.names_durable[name] = left
        return after

    def did(self, operation: str) -> None:
        self.operations.append(operation)
        fault = self.fail(operation)
        if fault is not None:
            raise fault

    # -- the protocol -----------------------------------------------------------------------

    def names(self, folder: Path) -> list[str]:
        return list(self.names_seen)

    def read(self, path: Path, most: int = 1 << 40) -> bytes:
        self.did("read")
        if path.name not in self.names_seen:
            raise FileNotFoundError(errno.ENOENT, "no such file", str(path))
        return bytes(self.names_seen[path.name].seen)

    def create(self, path: Path) -> "FaultyFile":
        self.did("create")
        node = self.names_seen[path.name] = Node()
        return FaultyFile(self, node)

    def append(self, path: Path) -> "FaultyFile":
        self.did("append")
        return FaultyFile(self, self.names_seen[path.name])

    def rename(self, path: Path, to: Path) -> None:
        self.did("rename")
        self.names_seen[to.name] = self.names_seen.pop(path.name)

    def remove(self, path: Path) -> None:
        self.did("remove")
        del self.names_seen[path.name]

    def make_folder(self, folder: Path) -> None:
        self.did("make_folder")

    def sync_folder(self, folder: Path) -> None:
        self.did("sync_folder")
        self.names_durable = dict(self.names_seen)

    def lock(self, path: Path) -> "FaultyLock":
        if self.locked:
            raise JournalLockedError(f"{path} is locked")
        self.locked = True
        return FaultyLock(self)


class FaultyFile:
    """A file that is open."""

    def __init__(self, disk: FaultyDisk, node: Node) -> None:
        self.disk = disk
        self.node = node

    def write(self, data: bytes) -> None:
        self.disk.did("write")
        room = self.disk.room
        written = data if room is None else data[:room]
        self.node.writes.append((len(self.node.seen), written))
        self.node.seen += written
        if room is not None:
            self.disk.room = room - len(written)
        if len(written) < len(data):
            raise OSError(errno.ENOSPC, "no space left on device")

    def sync(self) -> None:
        self.disk.did("sync")
        self.node.durable = bytes(self.node.seen)
        self.node.writes = []

    def truncate(self, size: int) -> None:
        self.disk.did("truncate")
        if self.disk.room is not None:
            self.disk.room += len(self.node.seen) - size
        del self.node.seen[size:]
        # A cut is as little on the disk as a write: what was synced may come back.
        self.node.writes = [
            (at, data[: max(0, size - at)]) for at, data in self.node.writes if at < size
        ]

    def close(self) -> None:
        pass


class FaultyLock:
    """A lock on a folder."""

    def __init__(self, disk: FaultyDisk) -> None:
        self.disk = disk

    def close(self) -> None:
        self.disk.locked = False
