"""What of the logs could not be read, told at the end of every command that reads them."""

from typing import Final

import click

from wakeful.cli.status import BAD_NEWS, OK, USAGE
from wakeful.errors import visible
from wakeful.logs.report import LogReport

_NO_ZONE: Final = "has no zone"

_TOLD: Final = 20
"""How many places are named; all are counted."""


def tell_unreadable(report: LogReport) -> int:
    """Name the first places that could not be read; the status that it makes."""
    for path in report.no_files:
        click.echo(f"{visible(path)}: no file, but a pipe or the like; left out", err=True)
    for path, line in report.half_written:
        click.echo(f"{visible(path)}:{line}: the last line is cut short; left out", err=True)
    for problem in report.problems[:_TOLD]:
        click.echo(str(problem), err=True)
    untold = report.unreadable - len(report.problems[:_TOLD])
    if untold > 0:
        click.echo(f"… and {untold:,} more that could not be read", err=True)
    if any(_NO_ZONE in problem.sentence for problem in report.problems):
        click.echo("wakeful: instants without a zone: name theirs with --zone", err=True)
        return USAGE
    return BAD_NEWS if report.unreadable else OK
