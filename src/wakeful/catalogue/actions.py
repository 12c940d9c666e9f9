"""The actions of the two channels, and the envelope they travel in."""

from typing import Final, TypeAlias

import attrs

from wakeful.catalogue import names
from wakeful.catalogue.definitions import NOTHING, Definition, DefinitionPatch, Plain
from wakeful.catalogue.lifecycles import Lifecycle
from wakeful.catalogue.states import AutomationState


@attrs.frozen(kw_only=True)
class CreateRequested:
    """A client asks for an automation under a resource of its choice."""

    type: str = attrs.field(default=names.CREATE_REQUESTED, init=False)
    resource: str
    definition: Definition
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class UpdateRequested:
    """A client asks for members of a definition to be replaced."""

    type: str = attrs.field(default=names.UPDATE_REQUESTED, init=False)
    resource: str
    changes: DefinitionPatch
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class AutomationSet:
    """The host tells one automation's full state, new or in place of what was there."""

    type: str = attrs.field(default=names.SET, init=False)
    automation: AutomationState
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class AutomationRemoved:
    """An automation is taken out: a client asks for it, or the host tells it."""

    type: str = attrs.field(default=names.REMOVED, init=False)
    resource: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class LifecycleChanged:
    """The host tells a run's lifecycle.

    ``meta`` is this host's own: the run's notes, which no action of the protocol's carries
    to those who watch the run alone.
    """

    type: str = attrs.field(default=names.LIFECYCLE_CHANGED, init=False)
    lifecycle: Lifecycle
    meta: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class SessionSet:
    """A session was linked to the run."""

    type: str = attrs.field(default=names.SESSION_SET, init=False)
    session: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class SessionRemoved:
    """A session of the run is no more."""

    type: str = attrs.field(default=names.SESSION_REMOVED, init=False)
    session: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class PrimarySessionChanged:
    """Another session is the run's first to look at, or none is."""

    type: str = attrs.field(default=names.PRIMARY_SESSION_CHANGED, init=False)
    primary_session: str | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class CancelRequested:
    """A client asks for a run to be stopped."""

    type: str = attrs.field(default=names.CANCEL_REQUESTED, init=False)
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class UnknownAction:
    """An action of a newer protocol; reducers leave the state as it is."""

    type: str
    unknown: Plain = NOTHING


CatalogueAction: TypeAlias = CreateRequested | UpdateRequested | AutomationSet | AutomationRemoved
RunAction: TypeAlias = (
    LifecycleChanged | SessionSet | SessionRemoved | PrimarySessionChanged | CancelRequested
)
Action: TypeAlias = CatalogueAction | RunAction | UnknownAction

ACTION_CLASSES: Final = {
    names.CREATE_REQUESTED: CreateRequested,
    names.UPDATE_REQUESTED: UpdateRequested,
    names.SET: AutomationSet,
    names.REMOVED: AutomationRemoved,
    names.LIFECYCLE_CHANGED: LifecycleChanged,
    names.SESSION_SET: SessionSet,
    names.SESSION_REMOVED: SessionRemoved,
    names.PRIMARY_SESSION_CHANGED: PrimarySessionChanged,
    names.CANCEL_REQUESTED: CancelRequested,
}
"""Every action by its type."""

_DISPATCHABLE: Final = frozenset(
    {names.CREATE_REQUESTED, names.UPDATE_REQUESTED, names.REMOVED, names.CANCEL_REQUESTED}
)


def is_client_dispatchable(type_: str) -> bool:
    """Whether clients may dispatch actions of that type; the host alone tells the others.

    >>> is_client_dispatchable("automation/removed"), is_client_dispatchable("automation/set")
    (True, False)
    """
    return type_ in _DISPATCHABLE


@attrs.frozen(kw_only=True)
class ActionOrigin:
    """Which client dispatched an action, and under which number of its own."""

    client_id: str
    client_seq: int
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Envelope:
    """An action as it is sent to a client.

    Attributes:
        channel: The channel as the client subscribed to it.
        server_seq: Its place among all that the host sends; it grows, not always by one.
        origin: Left out where the host itself acts.
        rejection_reason: There where the action was refused, and changed nothing.
    """

    channel: str
    action: Action
    server_seq: int
    origin: ActionOrigin | None = None
    rejection_reason: str | None = None
    unknown: Plain = NOTHING
