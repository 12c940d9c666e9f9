"""The records of a journal file, as bytes and back.

A record is one line: its length and its checksum in eight hexadecimal digits each, a letter
for what it is, and the text, which holds no newline::

    0000004f 1c291ca3 i {"at":"2026-10-07T14:22:05.118Z","kind":"idle","session":"s1"}

The length counts the text, the checksum (CRC-32) covers letter and text. So a record that
was cut short, or is of bytes that never reached the disk, is told from a whole one. The
checksum is there to find damage, not to keep anyone out.
"""

import re
import zlib
from enum import StrEnum
from typing import Final

import attrs

_FRAME: Final = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8}) ([a-z]) ")
_FRAME_SIZE: Final = 20


class Kind(StrEnum):
    """What a record is, by its letter."""

    HEADER = "h"
    """The file's format, version and generation; the first record, and no other."""
    INPUT = "i"
    """An input, as a line of the native log."""
    ADVANCED = "t"
    """The instant that time was advanced to, as whole milliseconds."""
    ACKNOWLEDGED = "a"
    """The ids of decisions that were acknowledged, as a JSON list."""


@attrs.frozen
class Record:
    """A record that was read whole, and where it ends in its file."""

    kind: Kind
    text: bytes
    end: int


@attrs.frozen(kw_only=True)
class Torn:
    """The end of a file that is no whole record, and was cut off.

    Attributes:
        at: Where it begins, in bytes: the end of the last whole record.
        size: How many bytes it has.
        whole_after: How many whole records are found in it all the same. More than none is
            damage in the middle: what was not synced was lost before what was written later.
    """

    at: int
    size: int
    whole_after: int


def frame(kind: Kind, text: bytes) -> bytes:
    """A record as bytes.

    Raises:
        ValueError: The text has a newline.
    """
    if b"\n" in text:
        raise ValueError("the text of a record is one line")
    checksum = zlib.crc32(text, zlib.crc32(kind.encode()))
    return b"%08x %08x %b %b\n" % (len(text), checksum, kind.encode(), text)


def scan(data: bytes) -> tuple[list[Record], Torn | None]:
    """The whole records of a file from its beginning, and what follows the last. O(size)."""
    found: list[Record] = []
    end = 0
    while (record := _record(data, end)) is not None:
        found.append(record)
        end = record.end
    if end == len(data):
        return found, None
    return found, Torn(at=end, size=len(data) - end, whole_after=_whole_after(data, end))


def _record(data: bytes, start: int) -> Record | None:
    head = _FRAME.match(data, start)
    if head is None:
        return None
    begin = start + _FRAME_SIZE
    # The text is one line, so that a length that lies is found without walking to where it points.
    end = data.find(b"\n", begin)
    if end != begin + int(head[1], 16):
        return None
    text, letter = data[begin:end], head[3]
    if int(head[2], 16) != zlib.crc32(text, zlib.crc32(letter)):
        return None
    try:
        return Record(Kind(letter.decode()), text, end + 1)
    except ValueError:  # a letter that this version does not know
        return None


def _whole_after(data: bytes, start: int) -> int:
    found = 0
    at = data.find(b"\n", start)
    while at >= 0:
        record = _record(data, at + 1)
        if record is None:
            at = data.find(b"\n", at + 1)
        else:
            found += 1
            at = record.end - 1
    return found
