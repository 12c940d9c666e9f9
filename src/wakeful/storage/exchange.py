"""Moving an automation out of a host and into another, each a function from text to text.

What goes out is the file as its host keeps it, without what belongs to that host: the owner,
the time it was made, the chat that a pinned one keeps. What comes in is new and switched off,
whatever its file says. Both also in VS Code's format, which holds less.
"""

import os.path
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import attrs

from wakeful.cron import load_zone
from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import AutomationDefinition, Message
from wakeful.model.time import Instant
from wakeful.model.triggers import ScheduleTrigger
from wakeful.reading.definitions import KeptAutomation
from wakeful.reading.markdown import read_automation_file
from wakeful.storage.automation_text import (
    edit_automation_text,
    forget_host,
    write_automation_text,
)
from wakeful.storage.vscode import (
    Blueprint,
    exported_name,
    is_blueprint,
    read_blueprint,
    write_blueprint,
)

ONLY_A_SCHEDULE: Final = "The file holds only a schedule"
ONLY_ONE: Final = "The file holds one schedule"
ALWAYS_CATCHES_UP: Final = "VS Code always catches a missed run up"
NEEDS_A_PROMPT: Final = "VS Code refuses a file without a prompt"
ADD_VSCODE: Final = "This is a VS Code automation file. Add --vscode."
NEEDS_A_FOLDER: Final = "A VS Code automation file names no folder: --folder is required"

_TRIGGER_ID: Final = "schedule"
_DIRECTORIES: Final = "workingDirectories"

Serves = Callable[[Path], bool]
"""Whether an automation may run in a folder."""


@attrs.frozen(kw_only=True)
class Exported:
    """A file to hand out.

    Attributes:
        file_name: Made from the title, as VS Code makes it.
    """

    file_name: str
    text: str


def serves(folders: Iterable[str | Path]) -> Serves:
    """Whether a folder is one of those that a host serves, or under one.

    >>> serves(["/srv"])(Path("/srv/api")), serves(["/srv"])(Path("/srv/../etc"))
    (True, False)
    """
    served = [Path(os.path.normpath(folder)) for folder in folders]

    def is_served(folder: Path) -> bool:
        return any(Path(os.path.normpath(folder)).is_relative_to(one) for one in served)

    return is_served


def export_automation(text: str) -> Exported:
    """An automation's file, to be imported by another host as it is.

    Args:
        text: The file as it is kept.

    Raises:
        InvalidError: It cannot be read.
    """
    kept = read_automation_file(text)
    return Exported(file_name=exported_name(kept.definition.title), text=forget_host(text))


def export_to_vscode(text: str) -> Exported:
    """An automation in VS Code's format: its title, its message, its schedule, no zone.

    Raises:
        InvalidError: It cannot be read, or that format cannot hold it; every reason is told.
    """
    definition = read_automation_file(text).definition
    problems: list[Problem] = []
    schedules = 0
    for index, trigger in enumerate(definition.triggers):
        path = f"triggers[{index}]"
        if not isinstance(trigger, ScheduleTrigger):
            problems.append(_refusal(path, trigger.id, ONLY_A_SCHEDULE))
            continue
        schedules += 1
        if schedules > 1:
            problems.append(_refusal(path, trigger.id, ONLY_ONE))
        if trigger.misfire_policy == "skip":
            problems.append(_refusal(f"{path}.misfirePolicy", "skip", ALWAYS_CATCHES_UP))
    if not definition.message.text.strip():
        problems.append(_refusal("message.text", definition.message.text, NEEDS_A_PROMPT))
    if problems:
        raise InvalidError(problems)
    expressions = [
        " ".join(trigger.expression.split())
        for trigger in definition.triggers
        if isinstance(trigger, ScheduleTrigger)
    ]
    blueprint = Blueprint(
        name=definition.title,
        prompt=definition.message.text,
        expression=expressions[0] if expressions else None,
    )
    return Exported(file_name=exported_name(definition.title), text=write_blueprint(blueprint))


def import_automation(
    text: str,
    *,
    created_at: Instant,
    owner: str | None = None,
    folder: str | Path | None = None,
    is_served: Serves | None = None,
) -> str:
    """The file of a new automation, switched off, from one that was exported.

    Args:
        text: What :func:`export_automation` gave.
        created_at: Now.
        owner: Whose it becomes.
        folder: Where it runs, an absolute path; in those that the file names where left out.
        is_served: Where it may run; anywhere where left out.

    Raises:
        InvalidError: The text is VS Code's or cannot be read, or a folder is not served.
    """
    if is_blueprint(text):
        raise InvalidError.single("", "", "an automation file of this host", ADD_VSCODE)
    plain = forget_host(text)
    definition = attrs.evolve(read_automation_file(plain).definition, enabled=False)
    if folder is not None:
        session = {**definition.session, _DIRECTORIES: [_uri(folder, is_served)]}
        definition = attrs.evolve(definition, session=session)
    elif is_served is not None:
        _check_folders(definition, is_served)
    return edit_automation_text(
        plain,
        KeptAutomation(definition=definition, owner=owner, created_at=created_at),
    )


def import_from_vscode(  # noqa: PLR0913 - all but the text are named
    text: str,
    *,
    created_at: Instant,
    folder: str | Path | None,
    zone: str = "UTC",
    owner: str | None = None,
    is_served: Serves | None = None,
) -> str:
    """The file of a new automation, switched off, from one in VS Code's format.

    Args:
        text: What VS Code or :func:`export_to_vscode` wrote.
        created_at: Now.
        folder: Where it runs, an absolute path; required, since the file names none.
        zone: The zone that its schedule is read in.
        owner: Whose it becomes.
        is_served: Where it may run; anywhere where left out.

    Raises:
        InvalidError: VS Code would refuse the file, or the folder is missing or not served.
    """
    if folder is None:
        raise InvalidError.single("folder", None, "an absolute folder", NEEDS_A_FOLDER)
    blueprint = read_blueprint(text)
    session: Mapping[str, Any] = {_DIRECTORIES: [_uri(folder, is_served)]}
    triggers: tuple[ScheduleTrigger, ...] = ()
    if blueprint.expression is not None:
        triggers = (
            ScheduleTrigger(
                id=_TRIGGER_ID, expression=blueprint.expression, time_zone=load_zone(zone).name
            ),
        )
    return write_automation_text(
        KeptAutomation(
            definition=AutomationDefinition(
                title=blueprint.name,
                message=Message(text=blueprint.prompt),
                session=session,
                triggers=triggers,
                enabled=False,
            ),
            owner=owner,
            created_at=created_at,
        )
    )


def path_of(uri: str) -> Path | None:
    """The path that a ``file:`` URI names; ``None`` of any other.

    >>> path_of("file:///home/ann/my%20work")
    PosixPath('/home/ann/my work')
    """
    try:
        parts = urlsplit(uri)
    except ValueError:  # half an IPv6 address, for one
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = Path(unquote(parts.path))
    return path if path.is_absolute() else None


def _check_folders(definition: AutomationDefinition, is_served: Serves) -> None:
    problems: list[Problem] = []
    for index, uri in enumerate(definition.session.get(_DIRECTORIES, ())):
        path = path_of(uri)
        if path is None or not is_served(path):
            where = f"session.{_DIRECTORIES}[{index}]"
            problems.append(_not_served(where, uri, f"{uri} is not a folder"))
    if problems:
        raise InvalidError(problems)


def _uri(folder: str | Path, is_served: Serves | None) -> str:
    path = Path(folder)
    if not path.is_absolute():
        raise InvalidError.single("folder", str(folder), "an absolute folder")
    if is_served is not None and not is_served(path):
        raise InvalidError([_not_served("folder", str(folder), f"{folder} is not a folder")])
    return Path(os.path.normpath(path)).as_uri()


def _not_served(path: str, value: str, said: str) -> Problem:
    expected = "a folder that this host serves, or one under it"
    return Problem(
        path=path, value=value, expected=expected, message=f"{said} that this host serves"
    )


def _refusal(path: str, value: str, message: str) -> Problem:
    return Problem(
        path=path, value=value, expected="what a VS Code automation file holds", message=message
    )
