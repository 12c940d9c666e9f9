"""``wakeful convert``: any readable log as a native one."""

import sys

import click
from rich.console import Console

from wakeful.cli import options
from wakeful.cli.progress import ReadingProgress
from wakeful.cli.unreadable import tell_unreadable
from wakeful.cron import Zone
from wakeful.logs import open_logs, write_native
from wakeful.model.time import Duration


@click.command("convert", epilog="Example: wakeful convert session.jsonl --redact > native.jsonl")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@options.log_options
@click.option("--redact", is_flag=True, help="Replace titles and what plugins' events say.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def convert_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    redact: bool,
    quiet: bool,
) -> int:
    """Write LOGs, of whatever agent, as native log lines on standard output.

    Several are merged by instant. A replay of what comes out gives what a replay of the logs
    gives.
    """
    named_zone = None if zone is None else zone.tzinfo()
    stream = open_logs(logs, format=format_, zone=named_zone, reorder=reorder)
    out = sys.stdout
    with ReadingProgress(Console(stderr=True), quiet=quiet) as progress:
        for given in progress.follow(stream):
            out.write(write_native(given, redact=redact) + "\n")
    out.flush()
    return tell_unreadable(stream.report)
