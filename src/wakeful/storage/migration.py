"""The one file that an earlier version kept all automations in, converted once.

``automations.json`` is ``{"version": 1, "automations": [{resource, definition, owner?,
runCount?, createdAt, modifiedAt, nextRunAt?}]}``. Each automation becomes a file, its run
state goes to the state file, and the original stays beside it as ``automations.json.migrated``.
"""

import os
from pathlib import Path
from typing import Any, Final

import attrs
import msgspec

from wakeful.cron import Schedule
from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import Automation
from wakeful.model.time import Instant, parse_instant
from wakeful.model.triggers import ScheduleTrigger
from wakeful.reading import read_automation
from wakeful.reading.definitions import KeptAutomation
from wakeful.reading.file_names import file_name
from wakeful.reading.json_text import read_json
from wakeful.reading.paths import child
from wakeful.reading.problems import below
from wakeful.storage.automation_text import without_host_notes, write_automation_text
from wakeful.storage.run_state import AutomationRunState, RunProgress

OLD_SUFFIX: Final = ".json"
"""What follows the folder's name in the name of the file."""

MIGRATED_SUFFIX: Final = ".migrated"
OLD_VERSION: Final = 1


@attrs.frozen(kw_only=True)
class ConvertedAutomation:
    """One automation, and what becomes of it."""

    automation: Automation
    state: AutomationRunState
    text: str


@attrs.frozen(kw_only=True)
class Conversion:
    """What an old file becomes.

    Attributes:
        is_refused: Whether it cannot be read at all, and is left where it is.
        problems: What is wrong with it; automations that have some are not converted.
    """

    path: Path
    automations: tuple[ConvertedAutomation, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_refused: bool = False

    def put_aside(self) -> None:
        """Give the original its new name; one that has that name already stays.

        Raises:
            OSError: It cannot be renamed.
        """
        aside = Path(f"{self.path}{MIGRATED_SUFFIX}")
        number = 1
        while os.path.lexists(aside):
            number += 1
            aside = Path(f"{self.path}{MIGRATED_SUFFIX}-{number}")
        os.replace(self.path, aside)  # noqa: PTH105


class _Old(msgspec.Struct, rename="camel"):
    resource: str
    definition: dict[str, Any]
    created_at: str
    modified_at: str
    owner: str | None = None
    run_count: int | None = None
    next_run_at: str | None = None


class _OldFile(msgspec.Struct):
    version: int
    automations: list[Any]


def convert(path: Path) -> Conversion:
    """Read an old file; nothing is written.

    Raises:
        OSError: It cannot be read.
    """
    try:
        written = msgspec.convert(read_json(path.read_bytes().decode("utf-8-sig")), _OldFile)
        if written.version != OLD_VERSION:
            raise InvalidError.single("version", written.version, str(OLD_VERSION))
    except (msgspec.ValidationError, UnicodeError) as error:  # a lone surrogate is no UTF-8 either
        problem = Problem(path="", expected="automations of an earlier version", message=str(error))
        return _refused(path, InvalidError([problem]))
    except InvalidError as error:
        return _refused(path, error)
    converted: dict[str, ConvertedAutomation] = {}
    problems: list[Problem] = []
    for index, item in enumerate(written.automations):
        try:
            made = _convert(item)
            if made.automation.resource in converted:
                raise InvalidError.single(
                    "resource", made.automation.resource, "a resource that no other has"
                )
        except InvalidError as error:
            problems += below(child("automations", index), error.problems)
        else:
            converted[made.automation.resource] = made
    return Conversion(
        path=path,
        automations=tuple(converted.values()),
        problems=tuple(attrs.evolve(problem, file=str(path)) for problem in problems),
    )


def _refused(path: Path, error: InvalidError) -> Conversion:
    problems = tuple(attrs.evolve(problem, file=str(path)) for problem in error.problems)
    return Conversion(path=path, problems=problems, is_refused=True)


def _convert(item: Any) -> ConvertedAutomation:
    try:
        old = msgspec.convert(item, _Old)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise InvalidError(
            [Problem(path="", value=item, expected="an automation", message=str(error))]
        ) from None
    entry = {"resource": old.resource, "definition": old.definition}
    if old.owner is not None:
        entry["owner"] = old.owner
    automation = read_automation(entry)
    file_name(old.resource)  # refused here where no file can have it
    created_at = _instant("createdAt", old.created_at)
    progress = RunProgress(
        run_count=old.run_count,
        occurrences={}
        if old.next_run_at is None
        else _occurrences(automation, _instant("nextRunAt", old.next_run_at)),
    )
    definition = automation.definition
    return ConvertedAutomation(
        automation=automation,
        state=AutomationRunState(
            created_at=created_at,
            modified_at=_instant("modifiedAt", old.modified_at),
            pinned_session=definition.pinned_session,
            progress=progress,
        ),
        text=write_automation_text(
            KeptAutomation(
                definition=without_host_notes(definition),
                owner=automation.owner,
                created_at=created_at,
            )
        ),
    )


def _occurrences(automation: Automation, next_run_at: Instant) -> dict[str, Instant]:
    """What each schedule waited for: the first from the earliest of all on."""
    return {
        trigger.id: Schedule.parse(trigger.expression, trigger.time_zone).next_after(
            next_run_at - 1
        )
        for trigger in automation.definition.triggers
        if isinstance(trigger, ScheduleTrigger)
    }


def _instant(key: str, text: str) -> Instant:
    try:
        return parse_instant(text)
    except InvalidError as error:
        raise InvalidError(below(key, error.problems)) from None
