"""``wakeful import``: a new automation from a file that was exported."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import attrs
import click

from wakeful.cli.folders import id_of, in_folder, open_folder
from wakeful.errors import InvalidError, WakefulError
from wakeful.model.automations import SCHEME
from wakeful.model.time import from_datetime
from wakeful.reading.bounded import read_bounded
from wakeful.reading.markdown import read_automation_file
from wakeful.storage import StoredAutomation
from wakeful.storage.exchange import NEEDS_A_FOLDER, import_automation, import_from_vscode
from wakeful.storage.local_zone import local_zone


@click.command("import", epilog="Example: wakeful import nightly.md --in automations")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@in_folder(exists=False)
@click.option("--vscode", is_flag=True, help="FILE is in VS Code's format.")
@click.option(
    "--folder",
    "runs_in",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The folder that the automation runs in, absolute; those of FILE where left out.",
)
def import_command(*, file: Path, folder: Path, vscode: bool, runs_in: Path | None) -> None:
    """Make a new automation of FILE in a folder; it is switched off. Prints its id.

    With --vscode the schedule is read in the zone of TZ, else of the system, else UTC, and
    --folder is required: such a file names none.
    """
    if vscode and runs_in is None:
        raise click.UsageError(NEEDS_A_FOLDER)
    if runs_in is not None and not (runs_in.is_absolute() and runs_in.is_dir()):
        raise click.BadParameter(
            f"{str(runs_in)!r} is not an absolute folder that is there", param_hint="'--folder'"
        )
    automations = open_folder(folder)
    now = from_datetime(datetime.now(UTC))
    try:
        text = _read(file)
        if vscode:
            made = import_from_vscode(text, created_at=now, folder=runs_in, zone=local_zone())
        else:
            made = import_automation(
                text, created_at=now, folder=runs_in, is_served=lambda path: path.is_dir()
            )
    except InvalidError as error:
        raise InvalidError(
            attrs.evolve(problem, file=str(file)) for problem in error.problems
        ) from None
    kept = read_automation_file(made)
    resource = f"{SCHEME}/{uuid4()}"
    automations.save(
        StoredAutomation(
            resource=resource,
            definition=kept.definition,
            owner=kept.owner,
            created_at=now,
            modified_at=now,
        ),
        text=made,
    )
    click.echo(id_of(resource))


def _read(file: Path) -> str:
    if str(file) != "-":
        with file.open("rb") as opened:
            data = read_bounded(opened)
    elif sys.stdin is None:
        raise WakefulError("-: standard input is closed")
    else:
        data = read_bounded(sys.stdin.buffer)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidError.single("", str(file), "UTF-8 text", "not UTF-8 text") from None
