"""Writes a picture to a file, by what its name ends with."""

import re
from pathlib import Path
from typing import Final

from wakeful.errors import WakefulError
from wakeful.report.gathering import Gathered

SUFFIXES: Final = (".html", ".svg", ".png")
"""What a picture's name may end with: a page of the whole, or a picture of one session or rule."""

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, however it is escaped."""

_ZOOM: Final = 2


def write(path: Path, gathered: Gathered) -> None:
    """Write a picture: ``.html``, ``.svg`` or ``.png``.

    Raises:
        WakefulError: It is to be a PNG, and what makes one is not installed.
        OSError: The file cannot be written.
        ValueError: The name ends with something else.
    """
    suffix = path.suffix.lower()
    if suffix == ".html":
        from wakeful.report.page import page  # noqa: PLC0415 - plotly is slow to import

        path.write_text(page(gathered), encoding="utf-8")
        return
    if suffix not in SUFFIXES:
        raise ValueError(f"a picture's name ends with {', '.join(SUFFIXES)}: {path}")
    from wakeful.report.still import still  # noqa: PLC0415

    # Characters that no XML can hold are shown as what stands for the unknown.
    text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", still(gathered))
    if suffix == ".svg":
        path.write_text(text, encoding="utf-8")
        return
    path.write_bytes(_png(text))


def _png(text: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - of the extra
    except ImportError:
        raise WakefulError(
            "a PNG needs the extra: pip install 'wakeful[png]' (an .svg needs nothing)"
        ) from None
    # Fonts are the system's; where it has none, as in small containers, texts are missing.
    return bytes(svg_to_bytes(svg_string=text, zoom=_ZOOM))
