"""The state of the channels: one automation, the catalogue of them, one run."""

import attrs

from wakeful.catalogue.definitions import NOTHING, Definition, Plain
from wakeful.catalogue.lifecycles import Lifecycle
from wakeful.catalogue.origins import RunOrigin


@attrs.frozen(kw_only=True)
class RunSummary:
    """A run as its automation's entry shows it."""

    resource: str
    automation: str
    origin: RunOrigin
    lifecycle: Lifecycle
    session_count: int
    primary_session: str | None = None
    meta: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class RunState:
    """A run as its own channel shows it.

    Attributes:
        sessions: In the order they were linked, each once.
        primary_session: Should be one of them.
    """

    resource: str
    automation: str
    origin: RunOrigin
    lifecycle: Lifecycle
    sessions: tuple[str, ...]
    primary_session: str | None = None
    meta: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class AutomationState:
    """One automation in the catalogue.

    Attributes:
        runs: The newest first; a window of those that are kept.
        operations: What is permitted now. Every one is asked again when it arrives.
        next_run_at: The earliest occurrence of a schedule that is waited for.
        run_count: What is used of the current ``afterRuns`` allowance.
        runs_next_cursor: There when older runs can be fetched.
    """

    resource: str
    definition: Definition
    runs: tuple[RunSummary, ...]
    operations: tuple[str, ...]
    created_at: str
    modified_at: str
    next_run_at: str | None = None
    run_count: int | None = None
    runs_next_cursor: str | None = None
    meta: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class CatalogState:
    """Every automation that a client sees, by resource, in the host's order."""

    automations: tuple[AutomationState, ...]
    meta: Plain | None = None
    unknown: Plain = NOTHING
