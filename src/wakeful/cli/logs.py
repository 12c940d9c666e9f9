"""``wakeful logs``: the logs there are, of which agents, and what could not be read of them."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import click
from rich.console import Console
from rich.table import Table

from wakeful.cli import options
from wakeful.cli.progress import ReadingProgress
from wakeful.cli.status import OK
from wakeful.cli.terminal import escape
from wakeful.cli.unreadable import tell_unreadable
from wakeful.cli.words import local, timezone
from wakeful.cron import Zone
from wakeful.errors import LogError
from wakeful.hosting.agent_folders import agent_folders
from wakeful.logs import LogReport, open_logs
from wakeful.model.time import Duration, Instant, format_instant


@attrs.frozen(kw_only=True)
class _Place:
    """What lies at one place.

    Attributes:
        sessions: How many sessions there are.
        first_at: The instant of the first input, ``last_at`` of the last; ``None`` without any.
    """

    path: str
    report: LogReport
    sessions: int
    first_at: Instant | None
    last_at: Instant | None

    @property
    def formats(self) -> Sequence[str]:
        return sorted({file.format for file in self.report.files if file.format})

    def record(self) -> dict[str, Any]:
        """The place as ``--json`` tells it."""
        report = self.report
        return {
            "path": self.path,
            "formats": self.formats,
            "files": len(report.files),
            "sessions": self.sessions,
            "inputs": sum(report.inputs.values()),
            "first": None if self.first_at is None else format_instant(self.first_at),
            "last": None if self.last_at is None else format_instant(self.last_at),
            "skipped": dict(sorted(report.skipped.items())),
            "duplicates": report.duplicates,
            "unreadable": report.unreadable,
            "cannotShow": {name: dict(what) for name, what in report.cannot_show.items()},
            "endingsInferred": sorted(report.endings_inferred),
        }


@click.command("logs", epilog="Example: wakeful logs session.jsonl --zone Europe/Berlin")
@click.argument("logs", nargs=-1, metavar="[LOG]...")
@options.log_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a place.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def logs_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """List what LOGs hold: which agent, how many sessions, from when to when.

    Without LOG, the folders are looked at that the known agents write their logs to.
    """
    paths = logs or tuple(str(folder.path) for folder in agent_folders() if folder.path.is_dir())
    places: list[_Place] = []
    status = OK
    with ReadingProgress(Console(stderr=True), quiet=quiet) as progress:
        for path in paths:
            try:
                places.append(_look(path, progress, format_, zone, reorder))
            except LogError as error:
                status = max(status, 1)
                click.echo(f"wakeful: {error}", err=True)
    if as_json:
        for place in places:
            click.echo(json.dumps(place.record(), ensure_ascii=False))
    elif places:
        _print(places, zone)
    elif not paths:
        click.echo("no agent's folder of logs is there; name a LOG", err=True)
    return max([status, *(tell_unreadable(place.report) for place in places)])


def _look(
    path: str,
    progress: ReadingProgress,
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
) -> _Place:
    stream = open_logs(
        (path,), format=format_, zone=None if zone is None else zone.tzinfo(), reorder=reorder
    )
    sessions: set[str] = set()
    first = last = None
    for given in progress.follow(stream):
        if first is None:
            first = given.at
        last = given.at if last is None else max(last, given.at)
        session = getattr(given, "session", None)
        if session is not None:
            sessions.add(session)
    return _Place(
        path=path, report=stream.report, sessions=len(sessions), first_at=first, last_at=last
    )


def _print(places: Sequence[_Place], zone: Zone | None) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("Place", overflow="fold")
    table.add_column("Format")
    for name in ("Files", "Sessions", "Inputs"):
        table.add_column(name, justify="right")
    table.add_column(f"First ({'UTC' if zone is None else zone.name})")
    table.add_column("Last")
    table.add_column("Unreadable", justify="right")
    clock = timezone(zone)
    for place in places:
        report = place.report
        table.add_row(
            escape(place.path),
            ", ".join(place.formats) or "none",
            f"{len(report.files):,}",
            f"{place.sessions:,}",
            f"{sum(report.inputs.values()):,}",
            "" if place.first_at is None else local(place.first_at, clock)[:19],
            "" if place.last_at is None else local(place.last_at, clock)[:19],
            f"{report.unreadable:,}",
        )
    console = Console(highlight=False)
    console.print(table)
    for line in _cannot_show(places):
        console.print(line, markup=False)


def _cannot_show(places: Sequence[_Place]) -> Iterator[str]:
    """Once a format, what its logs cannot show."""
    told: set[str] = set()
    for place in places:
        for name, what in place.report.cannot_show.items():
            if name in told or not what:
                continue
            told.add(name)
            yield ""
            yield f"{name} logs cannot show:"
            yield from (f"  {each}: {why}" for each, why in what.items())
