"""``wakeful export``: an automation as a file that another host imports."""

from pathlib import Path

import click

from wakeful.cli import options
from wakeful.cli.folders import in_folder, open_folder
from wakeful.cli.status import BAD_NEWS, OK
from wakeful.errors import InvalidError, WakefulError
from wakeful.reading.file_names import file_name
from wakeful.storage.exchange import export_automation, export_to_vscode
from wakeful.storage.folder_files import read_file


@click.command(
    "export", epilog="Example: wakeful export nightly-review --in automations --out nightly.md"
)
@click.argument("automation", metavar="ID")
@in_folder()
@click.option("--vscode", is_flag=True, help="In VS Code's format.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it there, and not to standard output.",
)
def export_command(*, automation: str, folder: Path, vscode: bool, out: Path | None) -> int:
    """Export an automation of a folder, by the ID that `wakeful list` shows, or its URI.

    The owner, the time it was made and the id are left out. VS Code's format holds the
    title, the message and one schedule; what it cannot hold is refused.
    """
    open_folder(folder)
    resource = options.resource(automation) or ""
    path = folder / file_name(resource)
    found = read_file(path)
    if found is None:
        raise WakefulError(f"Automation not found: {resource}")
    if found.problems:
        raise InvalidError(found.problems)
    exported = (export_to_vscode if vscode else export_automation)(found.text)
    if out is None:
        click.echo(exported.text, nl=False)
        return OK
    try:
        out.write_bytes(exported.text.encode())
    except OSError as error:
        click.echo(f"wakeful: {out}: {error.strerror or error}", err=True)
        return BAD_NEWS
    return OK
