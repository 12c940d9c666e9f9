"""The state of ``wakeful watch`` between two runs: engine, files and what is owed.

One JSON file, written whole: whoever reads it finds the old one or the new one. What a state of
another version, or an edited one, holds is not guessed at.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from wakeful.errors import SnapshotError
from wakeful.journal.decisions import Outstanding
from wakeful.model.outputs import Decision
from wakeful.storage.whole_files import write_file

_VERSION: Final = 1
_KIND: Final = "wakeful watch"
_OWED: Final = 10_000


@attrs.frozen(kw_only=True)
class WatchState:
    """What a watch goes on from.

    Attributes:
        snapshot: The engine's.
        logs: Where the files that are followed stand.
        owed: Wakes that were decided and not acted upon.
    """

    snapshot: bytes
    logs: Mapping[str, Any]
    owed: tuple[Decision, ...] = ()


def read_watch_state(path: Path) -> WatchState | None:
    """What was written there; ``None`` where there is no file yet.

    Raises:
        SnapshotError: It is no such state, or of another version.
        OSError: It cannot be read.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        data = json.loads(text)
        if data["kind"] != _KIND or data["version"] != _VERSION:
            raise SnapshotError(f"{path}: is no state of this version of wakeful watch")
        logs = data["logs"]
        _check(logs)
        owed = Outstanding(_OWED)
        owed.restore(data["owed"])
        return WatchState(snapshot=data["engine"].encode(), logs=logs, owed=tuple(owed))
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        if isinstance(problem, SnapshotError):
            raise
        raise SnapshotError(f"{path}: is no state of wakeful watch") from problem


def write_watch_state(path: Path, state: WatchState) -> None:
    """Write it, whole.

    Raises:
        OSError: It could not be written; what was there is there still.
    """
    owed = Outstanding(_OWED)
    owed.give(state.owed)
    data = {
        "kind": _KIND,
        "version": _VERSION,
        "engine": state.snapshot.decode(),
        "logs": state.logs,
        "owed": owed.state(),
    }
    write_file(path, json.dumps(data).encode(), prefix=f".{path.name}-")


def _check(logs: Mapping[str, Any]) -> None:
    """Raise whatever comes where a member is missing or of another type."""
    int(logs["passed"])
    for place in logs["files"].values():
        for member in ("offset", "device", "inode", "latest"):
            if type(place[member]) is not int:
                raise TypeError(member)
        bytes.fromhex(place["guard"])
        list(place["given"])
    for known in logs["known"].values():
        if len(known) != 4:
            raise ValueError("known")
