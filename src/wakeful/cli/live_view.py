"""The screen of ``wakeful watch``: sessions, what waits, the last decisions.

It is drawn anew as a whole, to the size that the terminal has then. Every row is one line; what
is too long is cut, what does not fit is counted. Texts of logs are shown without what a
terminal would obey.
"""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final, Literal

import attrs
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from wakeful.cli.words import length, local, short
from wakeful.core.statistics import Pending
from wakeful.hosting.live_state import LiveSession
from wakeful.model.outputs import Decision, DecisionKind
from wakeful.model.time import Instant

_WIDE: Final = 110
"""From this width on there is room for what is nice to have."""

_FRAME: Final = 2
"""The lines of a part that are not rows: its title and its heading."""

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


@attrs.frozen(kw_only=True)
class Shown:
    """What is shown, at one instant.

    Attributes:
        now: The instant.
        sessions: The one that did something last first.
        waiting: In order of deadline.
        decisions: The newest first.
        notes: Short words for the first line, such as ``paused``.
    """

    now: Instant
    sessions: Sequence[LiveSession]
    waiting: Sequence[Pending]
    decisions: Sequence[Decision]
    notes: Sequence[str] = ()


@attrs.frozen
class LiveView:
    """The screen, for rich to draw."""

    shown: Shown
    zone: tzinfo

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """All parts, in the height there is."""
        height = options.height or console.height
        wide = options.max_width >= _WIDE
        shown = self.shown
        rows = _share(
            height - 2 - 3 * (_FRAME + 1),
            (len(shown.sessions), len(shown.waiting), len(shown.decisions)),
        )
        parts: list[RenderableType] = [self._head(), Text()]
        parts += self._part(
            "Sessions",
            len(shown.sessions),
            self._sessions(shown.sessions[: rows[0]], wide=wide),
            "no session has done anything yet",
        )
        parts += self._part(
            "Waiting",
            len(shown.waiting),
            self._waiting(shown.waiting[: rows[1]], wide=wide),
            "nothing waits",
        )
        parts += self._part(
            "Decisions",
            len(shown.decisions),
            self._decisions(shown.decisions[: rows[2]], wide=wide),
            "nothing has woken yet",
        )
        yield Group(*parts[:-1])

    def _head(self) -> Text:
        shown = self.shown
        running = sum(session.is_running for session in shown.sessions)
        words = [
            f"{local(shown.now, self.zone)[:19]}",
            f"{len(shown.sessions)} session{'s' * (len(shown.sessions) != 1)}, {running} running",
            *shown.notes,
        ]
        return Text.assemble(("wakeful watch", "bold"), "  ", " · ".join(words), no_wrap=True)

    @staticmethod
    def _part(title: str, count: int, table: Table, nothing: str) -> Sequence[RenderableType]:
        more = count - table.row_count
        head = f"{title} ({count})" if not more else f"{title} ({count}, {more} not shown)"
        body: RenderableType = table if count else Text(nothing, style="dim", no_wrap=True)
        return (Text(head, style="bold", no_wrap=True), body, Text())

    def _sessions(self, sessions: Sequence[LiveSession], *, wide: bool) -> Table:
        table = _table()
        table.add_column("Agent", width=8, no_wrap=True)
        table.add_column("Session", ratio=3, no_wrap=True, overflow="ellipsis")
        if wide:
            table.add_column("Project", ratio=1, no_wrap=True, overflow="ellipsis")
        for heading, width in (
            ("Turn", 8),
            ("Silence", 8),
            ("Calls", 5),
            ("Failed", 6),
            ("Queue", 5),
        ):
            table.add_column(heading, width=width, justify="right", no_wrap=True)
        for one in sessions:
            cells = [
                plain(one.facts.provider or ""),
                _session(one.session, one.title),
                *((plain(one.facts.project or ""),) if wide else ()),
                self._turn(one),
                length(max(self.shown.now - one.last_at, 0)),
                str(one.calls),
                str(one.failures),
                str(one.queued),
            ]
            table.add_row(*map(Text, cells), style="" if one.is_running else "dim")
        return table

    def _turn(self, session: LiveSession) -> str:
        if not session.is_running:
            return "-"
        return (
            "runs" if session.turn_at is None else length(max(self.shown.now - session.turn_at, 0))
        )

    def _waiting(self, waiting: Sequence[Pending], *, wide: bool) -> Table:
        table = _table()
        table.add_column("Rule", ratio=2, no_wrap=True, overflow="ellipsis")
        table.add_column("For", width=12, no_wrap=True)
        table.add_column("Session", ratio=3, no_wrap=True, overflow="ellipsis")
        if wide:
            table.add_column("At", width=19, no_wrap=True)
        table.add_column("Due in", width=9, justify="right", no_wrap=True)
        for one in waiting:
            due = one.deadline
            at = ("" if due is None else local(due, self.zone)[:19],) if wide else ()
            cells = [
                _rule(one.automation, one.preset),
                _awaited(one),
                _session(one.session or "", None),
                *at,
                "" if due is None else length(max(due - self.shown.now, 0)),
            ]
            table.add_row(*map(Text, cells))
        return table

    def _decisions(self, decisions: Sequence[Decision], *, wide: bool) -> Table:
        table = _table()
        table.add_column("At", width=19 if wide else 8, no_wrap=True)
        table.add_column("Decision", width=8, no_wrap=True)
        table.add_column("Rule", ratio=2, no_wrap=True, overflow="ellipsis")
        table.add_column("Count", width=5, justify="right", no_wrap=True)
        table.add_column("Session", ratio=3, no_wrap=True, overflow="ellipsis")
        table.add_column("Note", width=16 if wide else 11, no_wrap=True, overflow="ellipsis")
        for one in decisions:
            at = local(one.at, self.zone)[:19]
            cells = [
                Text(at if wide else at[11:]),
                Text(one.kind.value, style=_STYLES[one.kind]),
                Text(_rule(one.automation, None)),
                Text("" if one.count is None else str(one.count)),
                Text(_session(one.session or "", None)),
                Text(_note(one)),
            ]
            table.add_row(*cells)
        return table


def plain(text: str) -> str:
    r"""A text of somebody else's as one line that a terminal only shows.

    >>> plain("a\x1b[31mb\nc")
    'a [31mb c'
    """
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _table() -> Table:
    return Table(box=None, expand=True, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")


def _session(session: str, title: str | None) -> str:
    return plain(title or session)


def _rule(automation: str, preset: str | None) -> str:
    return plain(short(automation) if preset is None else f"{short(automation)}/{preset}")


def _awaited(one: Pending) -> str:
    if one.kind != "wait":
        return one.kind
    return plain((one.awaited if one.what == "event" else one.what) or one.kind)


def _note(decision: Decision) -> str:
    words = [decision.reason.value] if decision.reason is not None else []
    words += [
        word for word, holds in (("catch-up", decision.catch_up), ("late", decision.late)) if holds
    ]
    return ", ".join(words)


def _share(height: int, wanted: tuple[int, int, int]) -> tuple[int, int, int]:
    """How many rows each part gets: what is left over by one goes to the others."""
    rows = [0, 0, 0]
    left = max(height, 3)
    order: list[Literal[0, 1, 2]] = [0, 1, 2]
    for place in sorted(order, key=lambda part: wanted[part]):
        parts = sum(1 for part in order if rows[part] == 0 and wanted[part] >= wanted[place])
        rows[place] = min(max(wanted[place], 1), left // max(parts, 1))
        left -= rows[place]
    return rows[0], rows[1], rows[2]
