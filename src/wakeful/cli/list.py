"""``wakeful list``: the automations of a folder, one row each."""

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wakeful.cli.folders import id_of, in_folder, open_folder
from wakeful.cli.status import BAD_NEWS, OK
from wakeful.model.triggers import ScheduleTrigger
from wakeful.storage import StoredAutomation
from wakeful.storage.exchange import path_of

_NO_LIMIT = 2**15


@click.command("list")
@in_folder()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_command(*, folder: Path, as_json: bool) -> int:
    """List the automations of a folder: id, title, folders, schedule, on or off.

    The id is the one that `wakeful export` takes. Files that cannot be read are told on
    standard error, and end the command with status 1.
    """
    automations = open_folder(folder)
    rows = [_row(stored) for stored in automations.peek()]
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
    elif rows:
        _print(rows)
    for problem in automations.problems:
        click.echo(str(problem), err=True)
    return BAD_NEWS if automations.problems else OK


def _row(stored: StoredAutomation) -> dict[str, Any]:
    definition = stored.definition
    schedules = [
        f"{trigger.expression} {trigger.time_zone}"
        for trigger in definition.triggers
        if isinstance(trigger, ScheduleTrigger)
    ]
    return {
        "id": id_of(stored.resource),
        "title": definition.title,
        "folders": [
            str(path_of(uri) or uri) for uri in definition.session.get("workingDirectories", ())
        ],
        "schedule": ", ".join(schedules) or None,
        "enabled": definition.enabled,
    }


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(5):
        table.add_column(no_wrap=True)
    for row in rows:
        cells = (
            row["id"],
            row["title"],
            ", ".join(row["folders"]) or "-",
            row["schedule"] or "-",
            "on" if row["enabled"] else "off",
        )
        table.add_row(*(Text(_one_line(cell)) for cell in cells))
    # A row is one line, however long: whoever reads it may be a program.
    console = Console(width=_NO_LIMIT, highlight=False)
    console.print(table)


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
