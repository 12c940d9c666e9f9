"""Where a run comes from, and what its sessions say of it."""

from typing import Literal, TypeAlias

import attrs

from wakeful.catalogue.definitions import NOTHING, Plain


@attrs.frozen(kw_only=True)
class ManualOrigin:
    """Somebody pressed Run."""

    kind: Literal["manual"] = attrs.field(default="manual", init=False)
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class TriggerOrigin:
    """A trigger woke it.

    Attributes:
        scheduled_for: The occurrence of a schedule, as ISO 8601 text.
        catch_up: Whether that occurrence was missed and is caught up.
        event: What happened, for people to see; it holds nothing secret.
    """

    kind: Literal["trigger"] = attrs.field(default="trigger", init=False)
    trigger_id: str
    scheduled_for: str | None = None
    catch_up: bool | None = None
    event: Plain | None = None
    unknown: Plain = NOTHING


RunOrigin: TypeAlias = ManualOrigin | TriggerOrigin


@attrs.frozen(kw_only=True)
class SessionOrigin:
    """What a session that a run started says of where it comes from, for as long as it lives."""

    kind: Literal["automation"] = attrs.field(default="automation", init=False)
    automation: str
    run: str
    unknown: Plain = NOTHING
