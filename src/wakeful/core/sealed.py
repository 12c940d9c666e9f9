"""Saved state as bytes: plain data with a name, a version and a digest.

JSON with sorted keys and no blanks, ASCII only: the same state is the same bytes. The
digest is there to tell a file that was cut short or edited, not to keep anyone out.
"""

import hashlib
import json
from math import isfinite
from typing import Any, Final, NoReturn

from wakeful.errors import SnapshotError
from wakeful.model.limits import LIMITS

_DIGEST: Final = "sha256:"


def seal(name: str, version: int, state: Any) -> bytes:
    """Write plain data down. O(size)."""
    text = _text(state)
    digest = _DIGEST + hashlib.sha256(text).hexdigest()
    # The envelope around a text that is there already: its members stand in order.
    before = _text({"digest": digest, "format": name})[:-1]
    return b'%b,"state":%b,"version":%d}' % (before, text, version)


def unseal(data: bytes, name: str, version: int, *, most: int = LIMITS.saved) -> Any:
    """Read back what :func:`seal` wrote.

    Args:
        data: The bytes.
        name: Of what kind it has to be.
        version: The version that is written now; those before it are read too.
        most: How many bytes it may have.

    Raises:
        SnapshotError: It is not such data: cut short, edited, of another kind, or of a version
            that this release does not know; or it is too large.
    """
    if len(data) > most:
        raise SnapshotError(f"saved state of {len(data)} bytes; expected at most {most}")
    try:
        found = json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"saved state is cut short or no JSON: {error}") from None
    if not isinstance(found, dict) or not {"digest", "format", "state", "version"} == found.keys():
        raise SnapshotError("saved state lacks its envelope: digest, format, state, version")
    if found["format"] != name:
        raise SnapshotError(f"saved state is of {found['format']!r}, expected {name!r}")
    if type(found["version"]) is not int or not 1 <= found["version"] <= version:
        known = f"1 to {version}" if version > 1 else "1"
        raise SnapshotError(
            f"saved state is of version {found['version']!r}; this release reads {known}"
        )
    try:
        digest = _DIGEST + hashlib.sha256(_text(found["state"])).hexdigest()
    except RecursionError as error:
        raise SnapshotError(f"saved state is nested too deeply: {error}") from None
    if found["digest"] != digest:
        raise SnapshotError("saved state was edited or damaged: its digest does not fit")
    return found["state"]


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _no_number(text)


def _text(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
