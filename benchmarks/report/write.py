"""The page with what was measured in its places."""

import re
from pathlib import Path

from .parts import IMAGES, PARTS, pictures
from .results import Results

CHECKOUT = Path(__file__).parents[2]
PAGE = CHECKOUT / "docs" / "guide" / "performance.md"
PLACE = re.compile(r"(<!-- measured: (\w+) -->\n).*?(\n<!-- /measured -->)", re.DOTALL)


def write(results: Results) -> None:
    """Put tables into their places of the page, and pictures beside it."""
    text = PAGE.read_text(encoding="utf-8")

    def filled(place: re.Match[str]) -> str:
        return place[1] + PARTS[place[2]](results) + place[3]

    PAGE.write_text(PLACE.sub(filled, text), encoding="utf-8")
    for name, drawn in pictures(results).items():
        (PAGE.parent / f"{IMAGES}-{name}.svg").write_text(drawn, encoding="utf-8")
