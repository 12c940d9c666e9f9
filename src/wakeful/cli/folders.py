"""What the commands over a folder of automation files have in common."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from wakeful.model.automations import SCHEME
from wakeful.storage import AutomationFolder, StorageUnavailableError

Command = TypeVar("Command", bound=Callable[..., Any])

_FOLDER: Final = click.Path(path_type=Path, file_okay=False, exists=True)
_NEW_FOLDER: Final = click.Path(path_type=Path, file_okay=False)


def in_folder(*, exists: bool = True) -> Callable[[Command], Command]:
    """``--in FOLDER``, which has to be there unless something is written into it."""
    return click.option(
        "--in",
        "folder",
        required=True,
        type=_FOLDER if exists else _NEW_FOLDER,
        metavar="FOLDER",
        help="The folder of automation files.",
    )


def open_folder(path: Path) -> AutomationFolder:
    """The automations of a folder.

    Raises:
        StorageUnavailableError: Its run state has to be recovered first; which file, is told.
    """
    folder = AutomationFolder(path)
    if folder.fault is not None:
        click.echo(f"automations unavailable until {folder.fault} is recovered", err=True)
        raise StorageUnavailableError(folder.fault)
    return folder


def id_of(resource: str) -> str:
    """What ``list`` shows and ``export`` takes: what follows the scheme and a slash, or all."""
    return resource.removeprefix(f"{SCHEME}/")
