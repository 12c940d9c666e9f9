"""The table of wakes: one row an output, written as it comes.

A long log has more rows than memory or a table that measures its columns should hold, so
the widths are settled beforehand: on a terminal by its width, elsewhere by nothing but what
is usual, and a longer text moves what follows it.
"""

from datetime import tzinfo
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from wakeful.cli.words import INSTANT_WIDTH, local, short
from wakeful.errors import visible
from wakeful.model.outputs import Decision, DecisionKind, Match

_STYLES: Final = {
    DecisionKind.START: "green",
    DecisionKind.RELEASE: "green",
    DecisionKind.STEER: "cyan",
    DecisionKind.ANSWER: "cyan",
    DecisionKind.HOLD: "yellow",
    DecisionKind.FOLD: "yellow",
    DecisionKind.DROP: "red",
    DecisionKind.REFUSE: "red",
}
_GAP: Final = 2
_DECISION: Final = 8
_EVENT: Final = 13
_RULE: Final = 20
_COUNT: Final = 6
_NOTE: Final = 20
"""What the note at the end has at the least; the session has what is left."""
_LEAST: Final = 12
_ELSEWHERE: Final = 40


class WakesTable:
    """Writes rows of decisions, or of matches, to a console.

    Args:
        console: Where the rows go.
        zone: The zone of the instants.
        zone_name: How the heading calls it.
        matches: Rows are matches.
    """

    def __init__(self, console: Console, *, zone: tzinfo, zone_name: str, matches: bool) -> None:
        self.console = console
        self._zone = zone
        self._matches = matches
        self._cut = console.is_terminal
        fixed = (INSTANT_WIDTH, _EVENT if matches else _DECISION, _RULE, _COUNT)
        left = console.width - sum(fixed) - _GAP * (len(fixed) + 1) - _NOTE
        self._widths = (*fixed, max(left, _LEAST) if self._cut else _ELSEWHERE, 0)
        word = "Event" if matches else "Decision"
        note = "Trigger" if matches else "Note"
        self._row((f"Instant ({zone_name})", word, "Rule", "Count", "Session", note), "bold")
        self.rows = 0

    def write(self, output: Match | Decision) -> None:
        """Write the row of one output."""
        self.rows += 1
        if isinstance(output, Match):
            trigger = output.trigger
            cells = (
                local(output.at, self._zone),
                output.event,
                short(output.automation),
                str(output.count),
                output.session or "",
                trigger if output.preset is None else f"{trigger}/{output.preset}",
            )
            self._row(cells, None)
            return
        cells = (
            local(output.at, self._zone),
            output.kind.value,
            short(output.automation),
            "" if output.count is None else str(output.count),
            output.session or "",
            _note(output),
        )
        self._row(cells, _STYLES[output.kind])

    def _row(self, cells: tuple[str, ...], style: str | None) -> None:
        padded = []
        for place, (cell, width) in enumerate(zip(cells, self._widths, strict=True)):
            text = visible(cell.replace("\n", " ").replace("\t", " "))
            if self._cut and 0 < width < cell_len(text):
                # The end of a URI is what tells two sessions apart.
                text = f"…{text[-(width - 1) :]}" if place == 4 else text
                text = set_cell_size(text, width)
            room = max(width - cell_len(text), 0)
            padded.append(" " * room + text if place == 3 else text + " " * room)
        if self._cut:
            line = Text((" " * _GAP).join(padded).rstrip())
            if style == "bold":
                line.stylize(style)
            elif style:
                begin = self._widths[0] + _GAP
                line.stylize(style, begin, begin + self._widths[1])
            self.console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            self.console.file.write((" " * _GAP).join(padded).rstrip() + "\n")


def _note(decision: Decision) -> str:
    parts = []
    if decision.reason is not None:
        parts.append(decision.reason.value)
    if decision.request_id is not None:
        parts.append(f"press {decision.request_id}")
    if decision.catch_up:
        parts.append("catch-up")
    if decision.late:
        parts.append("late")
    return ", ".join(parts)
