"""What runs change, in a file of its own: never in the file that a person edits.

``<folder>-state.json`` holds, by automation, what is used of an ``afterRuns`` allowance, the
occurrence that each schedule waits for, when the definition last changed, the chat that a
pinned automation keeps, the runs that are not settled and the request ids that are used. It
holds no history.

It is the only record of what was paid for and what is waited for. So a file that is there and
cannot be read, or holds anything that this version does not know, is never written over: it is
reported, and whoever keeps automations keeps still until somebody has repaired it.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import msgspec

from wakeful.errors import InvalidError
from wakeful.model.time import Instant, format_instant, parse_instant
from wakeful.storage.faults import StorageUnavailableError

VERSION: Final = 1


@attrs.frozen(kw_only=True)
class RunProgress:
    """What runs have changed about one automation.

    Attributes:
        run_count: What is used of the current ``afterRuns`` allowance; ``None`` without one.
        occurrences: What its schedules wait for, by trigger id.
        going: Its runs that have not settled, by URI.
        requests: The request ids of presses, with the run that each stands for.
    """

    run_count: int | None = None
    occurrences: Mapping[str, Instant] = attrs.field(factory=dict)
    going: tuple[str, ...] = ()
    requests: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class AutomationRunState:
    """All that is kept of an automation outside of its file.

    Attributes:
        created_at: When it was first seen; asked where its file does not tell.
        modified_at: When its definition last changed.
        pinned_session: The chat that it keeps, where it is pinned.
    """

    created_at: Instant
    modified_at: Instant
    progress: RunProgress = RunProgress()
    pinned_session: str | None = None


class _Part(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """An automation as it stands in the file."""

    created_at: str
    modified_at: str
    run_count: msgspec.UnsetType | int = msgspec.UNSET
    pinned_session: msgspec.UnsetType | str = msgspec.UNSET
    occurrences: dict[str, str] = msgspec.field(default_factory=dict)
    going: list[str] = msgspec.field(default_factory=list)
    requests: dict[str, str] = msgspec.field(default_factory=dict)


class _File(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    version: int
    automations: dict[str, _Part]
    converting: bool = False


class _Version(msgspec.Struct):
    version: int


_DECODER: Final = msgspec.json.Decoder(_File)
_VERSION_DECODER: Final = msgspec.json.Decoder(_Version)


class RunState:
    """The whole file, as it was read or is to be written; never changed.

    The parts stay in the form of the file, for a write of one of ten thousand is to cost no
    reading of all the others.
    """

    __slots__ = ("_file",)

    def __init__(self, file: _File | None = None) -> None:
        self._file = _File(version=VERSION, automations={}) if file is None else file

    @property
    def resources(self) -> Collection[str]:
        """The automations that something is kept of."""
        return self._file.automations.keys()

    @property
    def converting(self) -> bool:
        """Whether a conversion from an older version was begun, and is to be gone on with."""
        return self._file.converting

    def of(self, resource: str) -> AutomationRunState | None:
        """An automation's part."""
        part = self._file.automations.get(resource)
        return None if part is None else _read_part(part)

    def having(self, resource: str, state: AutomationRunState) -> "RunState":
        """With an automation's part in place of what was there."""
        return self.having_all({resource: state})

    def having_all(self, states: Mapping[str, AutomationRunState]) -> "RunState":
        """With the parts of many automations in place of what was there."""
        parts = {resource: _write_part(state) for resource, state in states.items()}
        return self._with(self._file.automations | parts)

    def without(self, resource: str) -> "RunState":
        """Without an automation's part."""
        return self._with(
            {key: part for key, part in self._file.automations.items() if key != resource}
        )

    def while_converting(self, *, converting: bool) -> "RunState":
        """With the mark of a conversion that was begun, or without it."""
        return RunState(msgspec.structs.replace(self._file, converting=converting))

    def encode(self) -> bytes:
        """The file's content."""
        return msgspec.json.format(msgspec.json.encode(self._file), indent=2) + b"\n"

    def _with(self, automations: dict[str, _Part]) -> "RunState":
        return RunState(msgspec.structs.replace(self._file, automations=automations))


def read_run_state(path: Path) -> RunState:
    """Read the file; where there is none, nothing has run yet.

    Raises:
        StorageUnavailableError: It is there, and cannot be read or not be understood.
    """
    data = read_bytes(path)
    return RunState() if data is None else decode_run_state(data, path)


def read_bytes(path: Path) -> bytes | None:
    """The file's content; ``None`` where there is none.

    Raises:
        StorageUnavailableError: It is there, and cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageUnavailableError(f"{path}: {error.strerror or error}") from None


def decode_run_state(data: bytes, path: Path) -> RunState:
    """What a file's content says.

    Raises:
        StorageUnavailableError: It cannot be understood; ``path`` is what is to be recovered.
    """
    try:
        version = _VERSION_DECODER.decode(data).version
        if version != VERSION:
            raise StorageUnavailableError(f"{path}: version {version} is not known")
        file = _DECODER.decode(data)
        for part in file.automations.values():
            _read_part(part)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise StorageUnavailableError(f"{path}: {error}") from None
    except InvalidError as error:
        raise StorageUnavailableError(f"{path}: {error.problems[0].sentence}") from None
    return RunState(file)


def _read_part(part: _Part) -> AutomationRunState:
    return AutomationRunState(
        created_at=parse_instant(part.created_at),
        modified_at=parse_instant(part.modified_at),
        pinned_session=_or_none(part.pinned_session),
        progress=RunProgress(
            run_count=_or_none(part.run_count),
            occurrences={key: parse_instant(at) for key, at in part.occurrences.items()},
            going=tuple(part.going),
            requests=part.requests,
        ),
    )


def _write_part(part: AutomationRunState) -> _Part:
    progress = part.progress
    return _Part(
        created_at=format_instant(part.created_at),
        modified_at=format_instant(part.modified_at),
        run_count=_or_unset(progress.run_count),
        pinned_session=_or_unset(part.pinned_session),
        occurrences={key: format_instant(at) for key, at in progress.occurrences.items()},
        going=list(progress.going),
        requests=dict(progress.requests),
    )


def _or_none(value: Any) -> Any:
    return None if value is msgspec.UNSET else value


def _or_unset(value: Any) -> Any:
    return msgspec.UNSET if value is None else value
