"""JSON as logs hold it: what strict readers refuse, and the hash of a call's input.

The fast decoder takes strict JSON. What agents really write also has lone surrogates,
numbers past a double and bytes that are not UTF-8; such a line is read again, slowly and
leniently, and comes to what can be written as JSON again: a lone surrogate becomes its own
escape, six characters, and so does each byte that is not UTF-8, as the surrogate that Python
keeps it as, so that two names never become one; a number past a double becomes the text
``Infinity``. Whole numbers of any length stay what they are. The words ``NaN`` and
``Infinity`` are not JSON, as everywhere else.
"""

import hashlib
import json
import re
from math import isfinite, isnan
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from wakeful.errors import LogError

T = TypeVar("T")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class LineError(LogError):
    """One line, or one record, that cannot be read; reported with its file and line."""


def decode(decoder: "msgspec.json.Decoder[T]", line: bytes) -> T:
    """Decode one line, leniently where it is not strict JSON.

    Raises:
        LineError: It is not JSON at all, or a member has the wrong type.
    """
    try:
        value: T = decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError) as problem:
        return _decode_again(decoder, line, problem)
    return value


def _decode_again(decoder: "msgspec.json.Decoder[T]", line: bytes, problem: Exception) -> T:
    try:
        value = load(line)
    except LineError:
        if isinstance(problem, msgspec.ValidationError):
            raise LineError(str(problem)) from None
        raise
    try:
        again: T = decoder.decode(json.dumps(value).encode())
    except (msgspec.MsgspecError, RecursionError) as refused:
        raise LineError(str(refused)) from None
    return again


def load(line: bytes) -> Any:
    """Any JSON value as plain data, read leniently.

    Raises:
        LineError: It is not JSON, or nested deeper than Python can follow.
    """
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        text = line.decode("utf-8", "surrogateescape")
        return writable(json.loads(text, parse_constant=_no_constant))
    except RecursionError:
        raise LineError("nested too deeply") from None
    except ValueError as problem:
        raise LineError(f"not JSON: {problem}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def writable(value: Any) -> Any:
    """The value without what no JSON text can hold."""
    if isinstance(value, str):
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list):
        return [writable(item) for item in value]
    if isinstance(value, dict):
        return {writable(key): writable(item) for key, item in value.items()}
    return value


_canonical: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False
).encode


def input_hash(value: Any) -> str:
    """The hash that makes two calls the same call, whatever the order of their keys.

    ``sha256:`` and the hex digest of the value as JSON with sorted keys, no blanks, UTF-8.
    Numbers are written as Python writes them: ``3`` and ``3.0`` are two inputs.

    >>> input_hash({"b": 2, "a": 1}) == input_hash({"a": 1, "b": 2})
    True

    Raises:
        LineError: The value is nested deeper than Python can follow.
    """
    try:
        text = _canonical(value)
    except RecursionError:
        raise LineError("the input of a call is nested too deeply") from None
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
