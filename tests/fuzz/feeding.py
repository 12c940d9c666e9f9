"""Hostile texts: valid ones that were changed, pieces put together, and noise.

A text that is almost right gets further into a parser than noise does, so most begin as
something valid: bytes are flipped, cut, doubled, swapped for ones that mean something.
"""

import json
from typing import Any

from hypothesis import strategies as st

BITS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r\n", b"\n", b" " * 40, b"\t",
    b"{", b"}", b"[" * 70, b"]", b'"', b"\\u", b"\\ud800", b":", b",", b"NaN", b"1e999", b"-0",
    b"9" * 40, b"9" * 5_000, b"null", b"true", b"&a", b"*a", b"!!python/object:os.system", b"<<: *a",
    b"---\n", b"...\n", b"%YAML 1.1\n", b"? ", b"- ", b"|", b">", b"#", b"{{", b"}}",
    b"2026-02-30T25:61:61Z", b"0001-01-01T00:00:00+23:59", b"9999-12-31T23:59:59.999Z",
)  # fmt: skip
"""What means something to one parser or another."""


@st.composite
def spoilt(draw: st.DrawFn, valid: bytes) -> bytes:
    """A valid text after some changes."""
    data = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.sampled_from((0, 1, 1, 2, 8, 40))))
        what = draw(st.integers(0, 5))
        if what == 0:
            data[at:end] = b""
        elif what == 1:
            data[at:end] = draw(st.sampled_from(BITS))
        elif what == 2:
            data[at:at] = data[at:end]
        elif what == 3:
            data[at:end] = draw(st.binary(max_size=6))
        elif what == 4:
            del data[at:]
        elif data and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


def texts(*valid: bytes) -> st.SearchStrategy[bytes]:
    """Spoilt texts, pieces and noise."""
    return st.one_of(
        st.sampled_from(valid).flatmap(spoilt),
        st.sampled_from(valid).flatmap(spoilt),
        st.lists(st.sampled_from((*BITS, *(one[:60] for one in valid))), max_size=12).map(b"".join),
        st.binary(max_size=80),
    )


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from((2**63, -(2**70), 10**400, 0.5, float("nan"), float("inf"), 3.0)),
    st.text(max_size=6),
    st.sampled_from(
        ("5m", "0s", "idle", "toolFailed", "session", "\ud800", "", "ahp-automation:/a")
    ),
)
plain = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
"""Plain data of no meaning."""


@st.composite
def misshapen(draw: st.DrawFn, valid: Any) -> Any:
    """Valid plain data with some of its values replaced, left out, or put under other keys."""
    data = json.loads(json.dumps(valid))
    for _ in range(draw(st.integers(1, 3))):
        holder, key = data, None
        while isinstance(holder, dict | list) and holder:
            keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
            key = draw(st.sampled_from(keys))
            if not isinstance(holder[key], dict | list) or draw(st.integers(0, 3)) == 0:
                break
            holder = holder[key]
        if key is None or not isinstance(holder, dict | list) or not holder:
            return draw(plain)
        what = draw(st.integers(0, 3))
        if what == 0:
            del holder[key]
        elif what == 1 and isinstance(holder, dict):
            holder[draw(st.text(max_size=6))] = holder[key]
        else:
            holder[key] = draw(plain)
    return data
