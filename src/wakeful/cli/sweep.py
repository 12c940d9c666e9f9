"""``wakeful sweep``: numbers in rules against what comes of them."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wakeful.cli import options
from wakeful.cli.played import Given
from wakeful.cron import Zone
from wakeful.errors import InvalidError
from wakeful.explain.playing import bounded
from wakeful.explain.sweeping import Row, sweep
from wakeful.explain.varying import Variation, parse_variation, variants
from wakeful.model.time import Duration
from wakeful.replay import json_line

_PIPE_WIDTH = 200


def _variations(
    _context: click.Context, _parameter: click.Parameter, texts: Sequence[str]
) -> list[Variation]:
    try:
        return [parse_variation(text) for text in texts]
    except InvalidError as error:
        raise click.BadParameter(error.problems[0].sentence) from None


@click.command(
    "sweep",
    epilog="Example: wakeful sweep logs/ --rules rules.yaml --vary count.n=2..5 "
    "--vary count.within=5m,10m",
)
@options.logs_and_rules
@click.option(
    "--vary",
    "variations",
    multiple=True,
    required=True,
    callback=_variations,
    metavar="PATH=VALUES",
    help="A value of the rules by its path, or by the end of it, and what to try: 2,3,5 or 2..5; "
    "ID: before the path names the automation. More than one make a grid.",
)
@click.option("--from", "since", metavar="AT", help="Without a log: where time begins.")
@click.option("--until", metavar="AT", help="Feed records up to this instant; time goes on to it.")
@click.option(
    "--run-time",
    callback=options.run_time,
    metavar="DURATION|log",
    help="How long runs last, as of replay.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def sweep_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    rules: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    variations: list[Variation],
    since: str | None,
    until: str | None,
    run_time: options.RunTimeOption,
    as_json: bool,
    quiet: bool,
) -> int:
    """Try values in rules on recorded LOGs, which are read once: matches, wakes, sessions, cap."""
    given = Given.read(
        logs=logs,
        rules=rules,
        format_=format_,
        zone=zone,
        reorder=reorder,
        since=since,
        until=until,
        run_time=run_time,
        quiet=quiet,
    )
    ruleset = given.ruleset()
    rows = sweep(
        bounded(given.inputs(), since=given.begins_at, until=given.until),
        variants(ruleset, variations),
        types=ruleset.types,
        settings=given.settings,
    )
    names = [each.text for each in variations]
    if as_json:
        for row in rows:
            click.echo(json_line(row.to_dict(names)), nl=False)
    else:
        _print(rows, names)
    return given.tell_unreadable()


def _print(rows: list[Row], names: list[str]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _PIPE_WIDTH)
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(escape(name), justify="right", no_wrap=True)
    for name in ("Matches", "Wakes", "Wakes a day", "Sessions", "Hours capped"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        a_day = "" if row.wakes_a_day is None else f"{row.wakes_a_day:,.2f}"
        table.add_row(
            *(escape(str(value)) for value in row.values),
            f"{row.matches:,}",
            f"{row.wakes:,}",
            a_day,
            f"{row.sessions:,}",
            f"{row.capped_hours:,}",
        )
    console.print(table)
