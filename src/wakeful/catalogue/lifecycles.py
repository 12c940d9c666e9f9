r"""A run's lifecycle: five statuses, of which the last three are the end of it.

::

    pending --> running --> completed | failed | cancelled
       \------------------> failed | cancelled

A run that ended is never opened again. One that failed or was cancelled before it ran has
no ``started_at``. Instants are ISO 8601 text, as the wire has them.
"""

from typing import Final, Literal, TypeAlias

import attrs

from wakeful.catalogue.definitions import NOTHING, Plain


@attrs.frozen(kw_only=True)
class ErrorInfo:
    """Why a run failed: the chat's own error, or one of this library's."""

    error_type: str
    message: str
    stack: str | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Pending:
    """Recorded; nothing has been asked of anybody yet."""

    status: Literal["pending"] = attrs.field(default="pending", init=False)
    created_at: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Running:
    """Its session was asked for. It stays so while that waits for somebody."""

    status: Literal["running"] = attrs.field(default="running", init=False)
    created_at: str
    started_at: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Completed:
    """The turn ended well."""

    status: Literal["completed"] = attrs.field(default="completed", init=False)
    created_at: str
    started_at: str
    completed_at: str
    usage: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Failed:
    """The turn ended with an error, or the run could not begin."""

    status: Literal["failed"] = attrs.field(default="failed", init=False)
    created_at: str
    completed_at: str
    error: ErrorInfo
    started_at: str | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Cancelled:
    """Somebody stopped it."""

    status: Literal["cancelled"] = attrs.field(default="cancelled", init=False)
    created_at: str
    completed_at: str
    started_at: str | None = None
    unknown: Plain = NOTHING


Lifecycle: TypeAlias = Pending | Running | Completed | Failed | Cancelled

OVER: Final = (Completed, Failed, Cancelled)
"""The classes of lifecycles that have ended."""
