"""The summary of a replay, for people."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Final

from rich.console import Console
from rich.table import Table

from wakeful.cli.terminal import escape
from wakeful.cli.words import length, listed, local, short
from wakeful.logs.report import LogReport
from wakeful.replay import AutomationSummary, Summary

_ROWS: Final = 20
_SILENCES: Final = 10
"""How many rows of a table are shown; ``--summary`` has them all."""

_PIPE_WIDTH: Final = 140
_WORDS: Final = ("start", "hold", "fold", "steer", "release", "drop", "answer", "refuse")


def print_summary(
    console: Console, summary: Summary, *, zone: tzinfo, zone_name: str, report: LogReport
) -> None:
    """Print what was read, what came of it, and what still waits."""
    if not console.is_terminal:
        # A pipe or a file has no width of its own to wrap at.
        console.width = max(console.width, _PIPE_WIDTH)
    for line in _read(summary, zone, zone_name, report):
        console.print(line, highlight=False, soft_wrap=True)
    if summary.automations:
        _print_rows(console, _automations(), [_row(each) for each in summary.automations])
    for each in summary.automations:
        if each.capped_hours:
            hours = ", ".join(
                f"{local(at, zone)[:16]} ({number:,})" for at, number in each.capped_hours.items()
            )
            console.print(
                f"cap hit by {escape(short(each.automation))} in the hours {hours}",
                highlight=False,
                soft_wrap=True,
            )
    if summary.waiting:
        table = Table(title="Still waiting", title_justify="left", box=None, pad_edge=False)
        for name in ("Due", "What", "Rule", "Session", "Count"):
            table.add_column(name, justify="right" if name == "Count" else "left", no_wrap=True)
        rows = [
            (
                "" if each.deadline is None else local(each.deadline, zone),
                each.what if each.awaited is None else f"{each.what} {each.awaited}",
                short(each.automation),
                each.session or "",
                "" if each.count is None else f"{each.count:,}",
            )
            for each in summary.waiting
        ]
        _print_rows(console, table, rows)
    if summary.silences:
        table = Table(
            title="Longest silence of a turn", title_justify="left", box=None, pad_edge=False
        )
        table.add_column("Length", justify="right", no_wrap=True)
        for name in ("Since", "Session", ""):
            table.add_column(name, no_wrap=True)
        rows_ = [
            (
                length(each.length),
                local(each.since, zone),
                each.session,
                "still silent" if each.open else "",
            )
            for each in summary.silences
        ]
        _print_rows(console, table, rows_, limit=_SILENCES)


def _read(summary: Summary, zone: tzinfo, zone_name: str, report: LogReport) -> Iterator[str]:
    yield ""
    total = sum(summary.inputs.values())
    span = ""
    if summary.first_at is not None and summary.ended_at is not None:
        first, last = local(summary.first_at, zone), local(summary.ended_at, zone)
        span = f", {first} to {last} {zone_name}"
    yield f"[bold]{total:,} input{_s(total)}[/bold]{escape(span)}"
    if summary.inputs:
        yield f"  {escape(listed(dict(summary.inputs)))}"
    odd = [f"late {summary.late:,}", f"duplicates {summary.duplicates:,}"]
    odd.append(f"skipped {sum(summary.skipped.values()):,}{_in_brackets(summary.skipped)}")
    odd.append(f"unreadable {summary.unreadable:,}")
    if summary.refused:
        odd.append(f"refused {len(summary.refused):,}")
    yield f"  {escape(', '.join(odd))}"
    if summary.let_go:
        yield f"  let go at a bound: {escape(listed(dict(summary.let_go)))}"
    for name, limits in report.cannot_show.items():
        if limits:
            yield f"  {escape(name)} logs: {escape('; '.join(limits.values()))}"
    decided = ", ".join(
        f"{word} {summary.decisions[word]:,}" for word in _WORDS if word in summary.decisions
    )
    yield f"[bold]{summary.matches:,} match{_s(summary.matches, 'es')}[/bold]" + (
        f": {decided}" if decided else ""
    )


def _s(number: int, ending: str = "s") -> str:
    """The ending of a noun that there are so many of."""
    return "" if number == 1 else ending


def _in_brackets(counts: Mapping[str, int]) -> str:
    return f" ({listed(dict(counts))})" if counts else ""


def _automations() -> Table:
    table = Table(title="Automations", title_justify="left", box=None, pad_edge=False)
    table.add_column("Automation", no_wrap=True)
    for name in ("Matches", "Delivered", "Folded", "Dropped"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Decisions")
    return table


def _row(each: AutomationSummary) -> tuple[str, ...]:
    decisions = []
    for word in _WORDS:
        for reason, number in each.decisions.get(word, {}).items():
            decisions.append(f"{word} {reason} {number:,}" if reason else f"{word} {number:,}")
    return (
        short(each.automation),
        f"{sum(each.matches.values()):,}",
        f"{each.delivered:,}",
        f"{each.folded:,}",
        f"{sum(each.dropped.values()):,}",
        ", ".join(decisions),
    )


def _print_rows(
    console: Console, table: Table, rows: Sequence[tuple[str, ...]], *, limit: int = _ROWS
) -> None:
    for row in rows[:limit]:
        table.add_row(*map(escape, row))
    console.print()
    console.print(table, highlight=False)
    if len(rows) > limit:
        console.print(f"… and {len(rows) - limit:,} more", highlight=False)
