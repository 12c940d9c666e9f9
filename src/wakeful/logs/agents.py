"""What the readers of agents' logs share: sessions, ids that were seen, plain members.

Agents write more than is known of them, and write it differently from version to version.
So records are read as plain data, and a member of another type than expected counts as one
that is not there; what makes a line unreadable is that it is no object, or has an instant
that is none.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

import attrs
import msgspec

from wakeful.logs.instants import InstantReader
from wakeful.logs.reader import Origin, Reader
from wakeful.logs.sessions import Sessions
from wakeful.logs.values import LineError, decode, load
from wakeful.model.events import Input
from wakeful.model.time import Instant


@attrs.define
class Entry:
    """One record of an agent's log, with where it stands."""

    at: Instant | None
    line: Mapping[str, Any]
    origin: Origin


class SeenIds:
    """Ids of records, each kept as long as the file it was first seen in is read."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}
        self._of_file: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return len(self._notes)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._notes

    def note(self, id_: str) -> str:
        """What was noted with an id; empty where it was not seen."""
        return self._notes.get(id_, "")

    def add(self, id_: str, origin: Origin, note: str = "") -> None:
        """Keep an id."""
        self._notes[id_] = note
        self._of_file.setdefault(origin.index, []).append(id_)

    def forget(self, origin: Origin) -> None:
        """Forget the ids of a file."""
        for id_ in self._of_file.pop(origin.index, ()):
            self._notes.pop(id_, None)


class AgentReader(Reader):
    """A reader that keeps sessions, and infers from quiet what has no record."""

    provider: str | None = None

    def __init__(self, *, zone: tzinfo | None = None) -> None:
        super().__init__(zone=zone)
        self.instants = InstantReader(zone)
        self.sessions = Sessions(self.provider)
        self.seen = SeenIds()
        self._line: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])

    @property
    def next_deadline(self) -> Instant | None:
        """When the next turn will have ended, if nothing follows."""
        return self.sessions.next_deadline

    def advance(self, instant: Instant) -> Sequence[Input]:
        """The endings that are inferred by ``instant``."""
        return self.sessions.due(instant)

    def close(self, origin: Origin) -> None:
        """Forget the ids of a file that was read to its end."""
        self.seen.forget(origin)

    def is_copy(self, id_: str | None, origin: Origin) -> bool:
        """Whether a record of this id was seen before; it is counted, or kept."""
        if id_ is None:
            return False
        if id_ in self.seen:
            self.duplicates += 1
            return True
        self.seen.add(id_, origin)
        return False

    def read_line(self, line: bytes) -> dict[str, Any]:
        """A line that is an object.

        Raises:
            LineError: It is none.
        """
        return decode(self._line, line)

    def read_at(self, value: object) -> Instant | None:
        """An instant, or ``None`` where there is nothing.

        Raises:
            InvalidError: It is something else.
        """
        return None if value is None else self.instants.read(value)


def text_in(members: Mapping[str, Any], key: str) -> str | None:
    """A member that is text."""
    value = members.get(key)
    return value if isinstance(value, str) else None


def map_in(members: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A member that is an object; empty where it is not."""
    value = members.get(key)
    return value if isinstance(value, dict) else {}


def maps_in(members: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects of a member that is a list."""
    value = members.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def parsed(text: Any) -> Any:
    """What a text holds that is JSON; anything else as it stands."""
    if not isinstance(text, str):
        return text
    try:
        return load(text.encode("utf-8", "surrogatepass"))
    except LineError:
        return text


def text_of(content: object) -> str:
    """The text of a message's content: itself, or its parts that are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "\n".join(part for part in parts if isinstance(part, str))
