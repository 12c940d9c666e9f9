"""``wakeful list``: the automations of a folder, one row each."""

import json
from pathlib import Path
from typing import Any

import click
from rich.cells import cell_len, set_cell_size

from wakeful.cli.folders import id_of, in_folder, open_folder
from wakeful.cli.status import BAD_NEWS, OK
from wakeful.model.triggers import ScheduleTrigger
from wakeful.storage import StoredAutomation
from wakeful.storage.exchange import path_of


@click.command("list", epilog="Example: wakeful list --in automations")
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
    """One line a row, however long, in columns: whoever reads it may be a program."""
    table = [
        [
            _one_line(cell)
            for cell in (
                row["id"],
                row["title"],
                ", ".join(row["folders"]) or "-",
                row["schedule"] or "-",
                "on" if row["enabled"] else "off",
            )
        ]
        for row in rows
    ]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        padded = map(set_cell_size, cells, widths)
        click.echo("  ".join(padded).rstrip())


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
