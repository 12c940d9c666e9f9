"""Where automations are kept.

What a store is given is on its way to be told: it is written first, and where that fails
nothing is published and nobody is started.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

import attrs

from wakeful.catalogue.definitions import Definition
from wakeful.errors import WakefulError
from wakeful.model.time import Instant


class StoreError(WakefulError):
    """Something could not be kept; its text is told to the client that asked."""


@attrs.frozen(kw_only=True)
class Progress:
    """What runs change about an automation, kept apart from what a person wrote.

    Attributes:
        run_count: What is used of the ``afterRuns`` allowance.
        occurrences: What its schedules wait for, by trigger.
        going: Its runs that are not over.
        requests: The request ids of presses, with the run that each stands for.
    """

    run_count: int | None = None
    occurrences: Mapping[str, Instant] = attrs.field(factory=dict)
    going: tuple[str, ...] = ()
    requests: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Kept:
    """An automation as it is kept. The owner stands in the definition's ``_meta``."""

    resource: str
    definition: Definition
    created_at: Instant
    modified_at: Instant
    progress: Progress = Progress()


class Store(Protocol):
    """Keeps automations. Every method may raise :class:`StoreError`."""

    @property
    def fires_schedules(self) -> bool:
        """Whether what it keeps outlives the process, so that schedules mean something."""
        ...

    @property
    def fault(self) -> str | None:
        """Why nothing may be read or written until somebody repairs it."""
        ...

    def load(self) -> Iterable[Kept]:
        """Everything that is kept, in the order of definition."""
        ...

    def save(self, kept: Kept) -> None:
        """Keep an automation, new or in place of what was kept."""
        ...

    def remove(self, resource: str) -> None:
        """Keep an automation no longer."""
        ...

    def move(self, resource: str, progress: Progress) -> None:
        """Keep what a run changed, before that is told or acted upon."""
        ...


class MemoryStore:
    """Keeps automations until the process ends, and fires no schedule.

    Args:
        kept: What is there to begin with.
    """

    fires_schedules = False
    fault: str | None = None

    def __init__(self, kept: Iterable[Kept] = ()) -> None:
        self._kept = {each.resource: each for each in kept}

    def load(self) -> Iterable[Kept]:
        """Everything that is kept."""
        return tuple(self._kept.values())

    def save(self, kept: Kept) -> None:
        """Keep an automation."""
        self._kept[kept.resource] = kept

    def remove(self, resource: str) -> None:
        """Keep an automation no longer; one that is not there is no fault."""
        self._kept.pop(resource, None)

    def move(self, resource: str, progress: Progress) -> None:
        """Keep what a run changed."""
        self._kept[resource] = attrs.evolve(self._kept[resource], progress=progress)
