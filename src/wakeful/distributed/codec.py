"""What goes over the wire and into state: records that say which version wrote them.

A version that this release does not know is refused rather than guessed at: a job that is
started from a savepoint of another release stops before it decides anything. Lines of logs are
packed as MessagePack, since there are many; what passes between shards and gates is JSON, since
there is little of it and numbers of inputs are longer than 64 bits.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, NotRequired, TypedDict, TypeVar

import msgspec

from wakeful.errors import SnapshotError
from wakeful.model.outputs import Match, OrderKey
from wakeful.model.time import MIN_INSTANT, Instant

VERSION: Final = 1
"""Of everything here; each record begins with it."""

T = TypeVar("T")


class Lines(msgspec.Struct, frozen=True, array_like=True):
    """Lines of one partition that belong to one shard, in their order.

    Attributes:
        partition: Which one they are of.
        lines: Of each the instant it stands at, its offset, and itself.
        greets: The gates that are to be told that there is a shard which greets them.
    """

    partition: int
    lines: Sequence[tuple[Instant, int, bytes]] = ()
    greets: Sequence[int] = ()


class Control(msgspec.Struct, frozen=True, array_like=True):
    """A line that concerns everybody.

    Attributes:
        partition: Which partition it is of.
        ordinal: How many of that partition came before it.
        at: The instant it stands at.
        offset: Where in the partition it stands.
        line: The line. Empty for the end of a partition, which stands where its last input does.
    """

    partition: int
    ordinal: int
    at: Instant
    offset: int
    line: bytes


class MatchData(TypedDict):
    """A match of a session, as a shard tells it."""

    automation: str
    trigger: str
    session: str
    event: str
    count: int
    key: tuple[int, int, int, int, tuple[int, ...]]
    preset: NotRequired[str]
    title: NotRequired[str]
    since: NotRequired[int]
    """The number of the definition from which the automation was watched anew."""


Item = TypedDict(
    "Item",
    {"match": MatchData, "number": int, "line": str, "of": str, "turn": str, "first": str,
     "after": int, "from": int},
    total=False,
)  # fmt: skip
"""One thing that a gate is told: a match; or by its number an input's line, a turn that runs
in a session, or which input came before a ``resumed``. ``of`` is the automation that it is for,
``first`` the one on which a request id was pressed first, ``from`` where it stands instead,
having come too late."""


class Message(TypedDict):
    """What a shard tells a gate.

    ``last`` is the number of the last input that the shard took.
    """

    last: int
    items: list[Item]


_pack = msgspec.msgpack.Encoder().encode
_unpack: Final = msgspec.msgpack.Decoder(tuple[int, Any]).decode


def pack(record: Lines | Control) -> bytes:
    """A record as bytes."""
    return _pack((VERSION, record))


def unpack(data: bytes, form: type[T]) -> T:
    """Read back what :func:`pack` wrote.

    Raises:
        SnapshotError: It is no such record, or of another version.
    """
    try:
        version, record = _unpack(data)
        _check(version)
        return msgspec.convert(record, form)
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError(f"state or a message cannot be read: {error}") from None


def pack_json(record: Any) -> bytes:
    """Plain data as bytes, the same for the same data."""
    return json.dumps([VERSION, record], sort_keys=True, separators=(",", ":")).encode()


def unpack_json(data: bytes, form: type[T]) -> T:
    """Read back what :func:`pack_json` wrote.

    Args:
        data: The bytes.
        form: What is in them, as a type that msgspec can convert to.

    Raises:
        SnapshotError: It is no such data, or of another version.
    """
    try:
        version, record = json.loads(data)
        _check(version)
        return msgspec.convert(record, form)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError(f"state or a message cannot be read: {error}") from None


def message_of(data: bytes) -> Message:
    """What a shard told a gate.

    Raises:
        SnapshotError: It is no such message, or of another version.
    """
    message = unpack_json(data, Message)
    for item in message["items"]:
        if "match" not in item and "number" not in item:
            raise SnapshotError("a message tells of something that has no place")
        if "turn" in item and "of" not in item:
            raise SnapshotError("a message tells of a turn that is nobody's")
    return message


def text_of(line: bytes) -> str:
    """A line as text, whatever is in it; :func:`line_of` gives the very line back."""
    return line.decode("utf-8", "surrogateescape")


def line_of(text: str) -> bytes:
    """The line that :func:`text_of` made the text of."""
    return text.encode("utf-8", "surrogateescape")


def match_data(match: Match) -> MatchData:
    """A match of a session as plain data.

    Raises:
        ValueError: It is of no session.
    """
    if match.session is None:
        raise ValueError(f"{match!r} is of no session")
    data: MatchData = {
        "automation": match.automation,
        "trigger": match.trigger,
        "session": match.session,
        "event": match.event,
        "count": match.count,
        "key": match.key,
    }
    if match.preset is not None:
        data["preset"] = match.preset
    if match.title is not None:
        data["title"] = match.title
    return data


def match_of(data: MatchData, *, late: bool = False) -> Match:
    """The match that :func:`match_data` wrote."""
    key = OrderKey(*data["key"])
    return Match(
        automation=data["automation"],
        trigger=data["trigger"],
        session=data["session"],
        event=data["event"],
        count=data["count"],
        at=key.at,
        key=key,
        preset=data.get("preset"),
        title=data.get("title"),
        late=late,
    )


def _check(version: object) -> None:
    if version != VERSION:
        raise SnapshotError(
            f"state or a message is of version {version!r}; this release reads {VERSION}"
        )


def key_text(key: OrderKey) -> str:
    """An order key as text: with the automation, the identity of a decision.

    Texts sort as keys do, and hold no number that another language could not read.
    """
    at, fed, rank, sequence, order = key
    parts = "-".join(f"{part:09x}" if part < _SHORT else f"{part:032x}" for part in order)
    return f"{at - MIN_INSTANT:015d}.{fed}.{rank + 1}.{sequence:032x}.{parts}"


_SHORT: Final = 1 << 36
"""What a part of a place is below, if it is not the number of an input."""
