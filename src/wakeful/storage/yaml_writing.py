"""Plain data to YAML that reads back equal, in a layout that people write by hand.

Text stands bare where no reader of YAML, of this version or an older one, can take it for
anything else; otherwise in double quotes on one line. ruamel.yaml's emitter does the rest.
"""

import io
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from ruamel.yaml.tag import Tag

from wakeful.reading.kinds import is_list, is_map

Quote: TypeAlias = Literal['"', "'"]

_TEXT: Final = Tag(suffix="tag:yaml.org,2002:str")
_NO_WRAPPING: Final = 2**31
_BARE: Final = re.compile(r"[A-Za-z0-9_/(\u00c0-\u024f][^\t\r\n\[\]{},\"'`\\\x00-\x1f\x7f-\xa0]*")
_NOT_BARE: Final = re.compile(
    r": |:$| #| $|[\u0300-\u036f\u2000-\u2fff\ud800-\uf8ff\ufe00-\uffff]"
    # What a reader of YAML 1.1 takes for a number, a time or a truth value, this one not.
    r"|^(?ia:[0-9.][0-9a-fxon_.:+-]*|null|true|false|yes|no|on|off|y|n)$"
)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)", re.ASCII)


def to_yaml(data: Any, *, in_line: bool = False) -> str:
    """Write plain data as YAML, with a line end after it.

    Args:
        data: Maps with text keys, lists, text, numbers, truth values, ``None``.
        in_line: Whether maps and lists are written in braces and brackets, on one line.
    """
    yaml = YAML(pure=True)
    yaml.width = _NO_WRAPPING
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.emit(
        [
            StreamStartEvent(),
            DocumentStartEvent(explicit=False),
            *_events(data, in_line=in_line),
            DocumentEndEvent(explicit=False),
            StreamEndEvent(),
        ],
        out,
    )
    # A scalar alone is followed by a mark that ends the document.
    return out.getvalue().removesuffix("...\n")


def scalar(text: str, quote: Quote | None = None) -> str:
    """Write a text on one line, in the quotes asked for where they can hold it."""
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if quote is None and _is_bare(text):
        return text
    # In a list it is one line, and the emitter decides nothing by its being alone.
    return to_yaml([text], in_line=True).strip()[1:-1] if not _is_bare(text) else f'"{text}"'


def _is_bare(text: str) -> bool:
    return bool(_BARE.fullmatch(text)) and (
        not _NOT_BARE.search(text) or bool(_DATE.fullmatch(text))
    )


def _events(value: Any, *, in_line: bool) -> Iterator[Event]:
    if is_map(value):
        yield MappingStartEvent(None, None, True, flow_style=in_line or not value)
        for key, item in value.items():
            yield from _events(key, in_line=in_line)
            yield from _events(item, in_line=in_line)
        yield MappingEndEvent()
    elif is_list(value):
        yield SequenceStartEvent(None, None, True, flow_style=in_line or not value)
        for item in value:
            yield from _events(item, in_line=in_line)
        yield SequenceEndEvent()
    elif isinstance(value, str):
        bare = _is_bare(value)
        yield ScalarEvent(None, _TEXT, (bare, not bare), value, style=None if bare else '"')
    else:
        yield ScalarEvent(None, None, (True, False), _plain_word(value))


def _plain_word(value: object) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)
