"""``wakeful watch``: the agents of this machine, followed as they work."""

import asyncio
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from wakeful.cli import options
from wakeful.cli.hook import default_socket
from wakeful.cli.watch_output import JsonOutput, Output, ScreenOutput, TableOutput
from wakeful.cli.watching import Plan, RunTimeOption, watch
from wakeful.cli.words import timezone
from wakeful.errors import InvalidError
from wakeful.hosting.agent_folders import agent_folders
from wakeful.model.time import SECOND, parse_duration


def _run_time(_context: click.Context, _parameter: click.Parameter, text: str) -> RunTimeOption:
    match text:
        case "log" | "none" | "exec":
            return text
    try:
        return parse_duration(text)
    except InvalidError as error:
        raise click.BadParameter(f"{error.problems[0].sentence}, none, log or exec") from None


@click.command("watch", epilog="Example: wakeful watch --rules @ --exec ./notify")
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option(
    "--rules",
    multiple=True,
    required=True,
    metavar="PATH|@ID",
    help="A ruleset, a folder of them, or rules that come with the package: @id, @ for all.",
)
@click.option(
    "--exec", "command", metavar="COMMAND", help="Run this for each wake; never by a shell."
)
@click.option(
    "--exec-time",
    callback=options.duration,
    default="60s",
    show_default=True,
    metavar="DURATION",
    help="How long a command may take.",
)
@click.option(
    "--exec-at-once",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="How many commands may run at the same time.",
)
@click.option("--json", "as_json", is_flag=True, help="One decision a line on standard output.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Go on from this file, and save to it.",
)
@click.option(
    "--socket",
    type=click.Path(path_type=Path),
    help="Where `wakeful hook` finds this watch; by default in $XDG_RUNTIME_DIR.",
)
@click.option("--no-socket", is_flag=True, help="Listen to no hooks.")
@click.option(
    "--lag",
    callback=options.duration,
    default="2s",
    show_default=True,
    metavar="DURATION",
    help="Live this long behind the time, so that what is written late is still in order.",
)
@click.option(
    "--run-time",
    callback=_run_time,
    default="none",
    show_default=True,
    metavar="DURATION|none|log|exec",
    help="How long runs last; exec: as long as their command.",
)
@click.option(
    "--format",
    "format_",
    callback=options.log_format,
    default="auto",
    show_default=True,
    metavar="NAME",
    help="The format of the logs; auto recognises it.",
)
@click.option(
    "--zone",
    callback=options.zone,
    metavar="ZONE",
    help="The zone of instants that name none, and of the times that are shown.",
)
@click.option("--origin", hidden=True, metavar="AT", help="What the clock shows at first.")
@click.option("--speed", hidden=True, type=float, default=1.0, help="How fast the clock runs.")
def watch_command(**given: Any) -> int:
    """Follow the agents of this machine as they work, and show what wakes as it happens.

    FOLDER is where agents write their logs; left out, the folders of all agents that are known.
    It starts at the end of the logs, or with --state where it was left.
    """
    zone = given["zone"]
    try:
        command = tuple(shlex.split(given["command"] or ""))
    except ValueError as problem:
        raise click.BadParameter(str(problem), param_hint="'--exec'") from None
    if given["run_time"] == "exec" and not command:
        raise click.UsageError("--run-time exec needs --exec COMMAND")
    if given["speed"] <= 0:
        raise click.BadParameter("is not above 0", param_hint="'--speed'")
    socket = None if given["no_socket"] else given["socket"] or Path(default_socket())
    plan = Plan(
        folders=given["folders"] or tuple(each.path for each in agent_folders()),
        rules=given["rules"],
        command=command,
        command_seconds=given["exec_time"] / SECOND,
        command_at_once=given["exec_at_once"],
        state=given["state"],
        socket=socket,
        socket_is_asked=given["socket"] is not None,
        lag=given["lag"],
        run_time=given["run_time"],
        format=given["format_"],
        zone=zone,
        origin=options.instant(
            given["origin"], "--origin", None if zone is None else zone.tzinfo()
        ),
        speed=given["speed"],
    )
    if sys.stdout.isatty():
        # What a shell exported once is not what the terminal is after somebody resized it.
        os.environ.pop("COLUMNS", None)
        os.environ.pop("LINES", None)
    console = Console(highlight=False)
    errors = Console(stderr=True, highlight=False)
    output: Output
    if given["as_json"]:
        output = JsonOutput()
    elif console.is_terminal:
        output = ScreenOutput(console, timezone(zone))
    else:
        output = TableOutput(console, timezone(zone), "UTC" if zone is None else zone.name)
    return asyncio.run(watch(plan, output, errors))
