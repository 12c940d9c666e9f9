"""Lines on two logarithmic axes, as SVG: drawn here, since nothing that draws is needed for it.

The pictures are small, stand in the docs as files and look the same everywhere.
"""

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

Line = Sequence[tuple[float, float]]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Told apart by all eyes (Okabe and Ito)."""

WIDTH, HEIGHT = 820, 400
LEFT, RIGHT, TOP, BOTTOM = 80, 230, 44, 52


def chart(title: str, across: str, up: str, lines: Mapping[str, Line]) -> str:
    """A picture of some lines.

    Args:
        title: What stands above it.
        across: What the axis from left to right is.
        up: What the axis upwards is.
        lines: By what stands beside them.
    """
    points = [point for line in lines.values() for point in line]
    low_x, high_x = _decades([x for x, _ in points])
    low_y, high_y = _decades([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        across_ = (log10(x) - low_x) / (high_x - low_x)
        upwards = (log10(y) - low_y) / (high_y - low_y)
        return (
            round(LEFT + across_ * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - upwards * (HEIGHT - TOP - BOTTOM), 1),
        )

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{escape(title)}" font-family="sans-serif" font-size="13">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="16" fill="#1f2328">{escape(title)}</text>',
    ]
    for power in range(low_x, high_x + 1):
        x, y = at(10**power, 10**low_y)
        parts.append(f'<path d="M{x} {TOP}V{y}" stroke="#d0d7de"/>')
        parts.append(_text(x, y + 18, short(10**power), "middle"))
    for power in range(low_y, high_y + 1):
        x, y = at(10**low_x, 10**power)
        parts.append(f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="#d0d7de"/>')
        parts.append(_text(x - 8, y + 4, short(10**power), "end"))
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - 12, across, "middle"))
    parts.append(_text(WIDTH - RIGHT, TOP - 6, up, "end"))
    named = _apart([at(*line[-1])[1] + 4 for line in lines.values()])
    for place, ((name, line), y) in enumerate(zip(lines.items(), named, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        drawn = [at(x, y_) for x, y_ in line]
        path = "M" + "L".join(f"{x} {y_}" for x, y_ in drawn)
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.extend(f'<circle cx="{x}" cy="{y_}" r="3.5" fill="{colour}"/>' for x, y_ in drawn)
        parts.append(_text(WIDTH - RIGHT + 12, y, name, "start", colour))
    return "\n".join([*parts, "</svg>", ""])


def short(number: float) -> str:
    """A number as it is read: 1 500 is 1.5 k."""
    for size, name in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{name}"
    return f"{number:.3g}"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return low, max(high, low + 1)


def _apart(heights: Sequence[float], least: float = 16) -> list[float]:
    """Heights of names, moved down where they would stand on one another."""
    moved = list(heights)
    taken = float("-inf")
    for place in sorted(range(len(moved)), key=moved.__getitem__):
        moved[place] = taken = max(moved[place], taken + least)
    over = max(0.0, taken - (HEIGHT - 8))
    return [height - over for height in moved]


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#57606a") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
