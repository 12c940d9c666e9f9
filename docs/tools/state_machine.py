"""The state diagram of a rule in a session, drawn from the table that the engine follows.

``counting`` stands on the left and the three waits on the right, each with the arrows there and
back; what leaves a state as it is stands in its box.
"""

from collections.abc import Iterable, Iterator
from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive

from wakeful.core.machine import TRANSITIONS, State, Transition

WIDTH = 960
LINE = 19
LEFT, RIGHT = (16, 210), (700, 944)
"""Where the boxes of the left and the right column begin and end."""


def svg(transitions: Iterable[Transition] = TRANSITIONS) -> str:
    """The diagram, as one SVG element without a fixed colour."""
    table = tuple(transitions)
    waits = [state for state in State if state is not State.COUNTING]
    heights = [_height(table, state) for state in waits]
    height = sum(heights) + 20 * (len(waits) + 1)
    parts = list(_box(table, State.COUNTING, LEFT, 20, height - 40))
    top = 20
    for state, tall in zip(waits, heights, strict=True):
        parts += _box(table, state, RIGHT, top, tall)
        parts += _arrows(table, state, top)
        top += tall + 20
    return (
        f'<svg class="state-machine" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="The states of a rule in a session" xmlns="http://www.w3.org/2000/svg" '
        'fill="none" stroke="currentColor" font-family="inherit" font-size="13">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor" '
        f'stroke="none"/></marker></defs>{"".join(parts)}</svg>'
    )


def _between(table: tuple[Transition, ...], state: State, to: State) -> list[str]:
    return [row.on for row in table if row.state is state and row.to is to]


def _height(table: tuple[Transition, ...], state: State) -> int:
    there = _between(table, State.COUNTING, state)
    back = _between(table, state, State.COUNTING)
    inside = _between(table, state, state)
    return max((len(there) + len(back)) * LINE + 56, (len(inside) + 1) * LINE + 28)


def _box(
    table: tuple[Transition, ...], state: State, span: tuple[int, int], top: int, tall: int
) -> Iterator[str]:
    left, right = span
    yield f'<rect x="{left}" y="{top}" width="{right - left}" height="{tall}" rx="8"/>'
    yield _text(left + 12, top + 24, state.value, bold=True)
    for index, on in enumerate(_between(table, state, state)):
        yield _text(left + 12, top + 24 + LINE * (index + 1), f"↻ {on}")


def _arrows(table: tuple[Transition, ...], state: State, top: int) -> Iterator[str]:
    y = top + 10
    for words, (start, end) in (
        (_between(table, State.COUNTING, state), (LEFT[1], RIGHT[0])),
        (_between(table, state, State.COUNTING), (RIGHT[0], LEFT[1])),
    ):
        for word in words:
            y += LINE
            yield _text((LEFT[1] + RIGHT[0]) // 2, y - 4, word, middle=True)
        yield f'<path d="M{start} {y + 3}H{end}" marker-end="url(#tip)"/>'
        y += 12


def _text(x: int, y: int, words: str, *, bold: bool = False, middle: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    anchor = ' text-anchor="middle"' if middle else ""
    return (
        f'<text x="{x}" y="{y}" fill="currentColor" stroke="none"{weight}{anchor}>'
        f"{escape(words)}</text>"
    )


class StateMachine(Directive):
    """The diagram, and below it the table with the sentence that each row follows."""

    def run(self) -> list[nodes.Node]:
        """The picture and the rows."""
        picture = nodes.raw("", f'<figure style="margin:0">{svg()}</figure>', format="html")
        return [picture, self._table()]

    def _table(self) -> nodes.table:
        group = nodes.tgroup(cols=5)
        group += [nodes.colspec(colwidth=width) for width in (18, 30, 18, 28, 6)]
        head, body = nodes.thead(), nodes.tbody()
        head += _row(("in", "on", "to", "does", "rule"))
        body += [
            _row((row.state.value, row.on, row.to.value, row.does, row.source))
            for row in TRANSITIONS
        ]
        group += [head, body]
        table = nodes.table()
        table += group
        return table


def _row(words: Iterable[str]) -> nodes.row:
    row = nodes.row()
    for word in words:
        entry = nodes.entry()
        entry += nodes.paragraph(text=word)
        row += entry
    return row
