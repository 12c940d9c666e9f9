"""An automation as a folder keeps it, and what others can do to its file."""

from typing import Final

import attrs

from wakeful.errors import Problem
from wakeful.model.automations import Automation, AutomationDefinition
from wakeful.model.time import Instant
from wakeful.storage.run_state import RunProgress

_NOTHING: Final = RunProgress()


@attrs.frozen(kw_only=True)
class StoredAutomation:
    """An automation as it is kept.

    Attributes:
        definition: With the chat that its host noted, where it is pinned.
        created_at: When it was made, or where its file does not tell, first seen.
        modified_at: When its definition last changed.
        progress: What runs have changed.
    """

    resource: str
    definition: AutomationDefinition
    owner: str | None
    created_at: Instant
    modified_at: Instant
    progress: RunProgress = _NOTHING

    @property
    def automation(self) -> Automation:
        """Its definition under its resource, with its owner."""
        return Automation(resource=self.resource, definition=self.definition, owner=self.owner)


@attrs.frozen(kw_only=True)
class FileSaved:
    """A file was added or edited by somebody else: what it says now."""

    stored: StoredAutomation


@attrs.frozen(kw_only=True)
class FileRemoved:
    """A file was removed by somebody else."""

    resource: str


@attrs.frozen(kw_only=True)
class FileRefused:
    """A file was added or edited and cannot be meant; what it said before goes on.

    Attributes:
        resource: What it would be, where its name says so.
    """

    name: str
    resource: str | None
    problems: tuple[Problem, ...]


FolderChange = FileSaved | FileRemoved | FileRefused
