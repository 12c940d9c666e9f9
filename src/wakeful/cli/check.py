"""``wakeful check``: what is wrong with rules, and what cannot be meant."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from wakeful.checking import Finding, Result, check_rules, read_census, sarif
from wakeful.checking.schedules import RUN_TIME
from wakeful.cli import options
from wakeful.cli.status import BAD_NEWS, OK, REFUSED
from wakeful.cli.terminal import escape
from wakeful.cli.unreadable import tell_unreadable
from wakeful.cron import Zone
from wakeful.model.time import Duration, format_duration, from_datetime
from wakeful.replay import json_line

_COLOURS: Final = {"error": "red", "warning": "yellow"}


@click.command("check", epilog="Example: wakeful check rules.yaml --logs session.jsonl --strict")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--logs",
    multiple=True,
    metavar="LOG",
    help="Hold the rules against a log, or a folder of them: what they name and cannot show.",
)
@click.option(
    "--format",
    "format_",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="The format of the logs; auto recognises it.",
)
@click.option(
    "--zone", callback=options.zone, metavar="ZONE", help="The zone of instants that name none."
)
@click.option(
    "--run-time",
    callback=options.duration,
    default=format_duration(RUN_TIME),
    show_default=True,
    metavar="DURATION",
    help="How long a run is taken to last.",
)
@click.option("--strict", is_flag=True, help="Warnings make the status 1.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line on standard output.")
@click.option(
    "--sarif",
    "sarif_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the findings as SARIF too, for code hosts to show.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing where nothing is found.")
def check_command(  # noqa: PLR0913 - one for each option of the command
    *,
    paths: tuple[str, ...],
    logs: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    run_time: Duration,
    strict: bool,
    as_json: bool,
    sarif_file: Path | None,
    quiet: bool,
) -> int:
    """Tell what is wrong with the rules in PATH, and what works but cannot be meant.

    PATH is a ruleset, a folder of them, or @id for rules that come with the package. What is
    refused is told first; then rules that never match, that do nothing or too much, and, with
    --logs, what those logs do not name or cannot show.
    """
    census = None
    if logs:
        census = read_census(logs, format=format_, zone=None if zone is None else zone.tzinfo())
    now = from_datetime(datetime.now(UTC))
    result = check_rules(paths, census=census, run_time=run_time, now=now)
    if sarif_file is not None:
        sarif_file.write_text(json.dumps(sarif(result.findings), indent=2) + "\n", encoding="utf-8")
    if as_json:
        for each in result.findings:
            click.echo(json_line(each.to_dict()), nl=False)
    else:
        _tell(result, quiet=quiet)
    unreadable = OK if census is None else tell_unreadable(census.report)
    if result.refused:
        return REFUSED
    return unreadable or (BAD_NEWS if strict and result.findings else OK)


def _tell(result: Result, *, quiet: bool) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for each in result.findings:
        console.print(_line(each))
        if each.problem.expected and each.severity == "warning":
            console.print(f"    to do: {escape(each.problem.expected)}")
    if result.findings:
        console.print(_total(result))
    elif not quiet:
        console.print(f"nothing to say about {_number(result.automations, 'automation')}")


def _line(found: Finding) -> str:
    problem = found.problem
    where = ":".join(
        str(part) for part in (problem.file, problem.line, problem.column) if part is not None
    )
    colour = _COLOURS[found.severity]
    parts = [
        escape(where),
        f"[{colour}]{found.finding_class.words}[/{colour}]",
        escape(problem.path),
        f"{escape(problem.sentence)} [dim]({found.code})[/dim]",
    ]
    return ": ".join(part for part in parts if part)


def _total(result: Result) -> str:
    severities = Counter(each.severity for each in result.findings)
    parts = [_number(severities[word], word) for word in ("error", "warning") if severities[word]]
    return f"{' and '.join(parts)} in {_number(result.automations, 'automation')}"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
