"""What of the logs could not be read, told at the end of every command that reads them."""

from typing import Final

import click

from wakeful.cli.status import BAD_NEWS, OK, USAGE
from wakeful.logs.report import LogReport

_NO_ZONE: Final = "has no zone"


def tell_unreadable(report: LogReport) -> int:
    """Name every place that could not be read; the status that it makes."""
    for path, line in report.half_written:
        click.echo(f"{path}:{line}: the last line is cut short; left out", err=True)
    for problem in report.problems:
        click.echo(str(problem), err=True)
    untold = report.unreadable - len(report.problems)
    if untold > 0:
        click.echo(f"… and {untold:,} more that could not be read", err=True)
    if any(_NO_ZONE in problem.sentence for problem in report.problems):
        click.echo("wakeful: instants without a zone: name theirs with --zone", err=True)
        return USAGE
    return BAD_NEWS if report.unreadable else OK
