"""The automation channels: the catalogue, its runs, and whoever watches them.

The seeds' channels as a library without transport. :class:`Catalogue` is the host's side:
requests and dispatched actions in, answers and envelopes out, as plain protocol data; the
engine decides in it, and a :class:`Host` carries out. :class:`Mirror` and the reducers are
a client's side. The records of the wire are read and written by :func:`read` and
:func:`write`.
"""

from wakeful.catalogue.actions import (
    Action,
    ActionOrigin,
    AutomationRemoved,
    AutomationSet,
    CancelRequested,
    CreateRequested,
    Envelope,
    LifecycleChanged,
    PrimarySessionChanged,
    SessionRemoved,
    SessionSet,
    UnknownAction,
    UpdateRequested,
    is_client_dispatchable,
)
from wakeful.catalogue.capabilities import EVERYTHING, Capabilities, ScheduleCapability
from wakeful.catalogue.catalogue import Catalogue, HostInput
from wakeful.catalogue.converting import read, read_action, write
from wakeful.catalogue.grants import Access, GrantAccess
from wakeful.catalogue.host import EverythingGoes, Host, Knowledge, KnownSession, Start, Steer
from wakeful.catalogue.lifecycles import (
    Cancelled,
    Completed,
    ErrorInfo,
    Failed,
    Lifecycle,
    Pending,
    Running,
)
from wakeful.catalogue.mirror import Mirror
from wakeful.catalogue.options import Options
from wakeful.catalogue.reducers import (
    distinct,
    receive_catalogue,
    receive_run,
    reduce_catalogue,
    reduce_run,
)
from wakeful.catalogue.refusals import RefusedError
from wakeful.catalogue.states import AutomationState, CatalogState, RunState, RunSummary
from wakeful.catalogue.store import Kept, MemoryStore, Progress, Store, StoreError

__all__ = [
    "EVERYTHING",
    "Access",
    "Action",
    "ActionOrigin",
    "AutomationRemoved",
    "AutomationSet",
    "AutomationState",
    "CancelRequested",
    "Cancelled",
    "Capabilities",
    "CatalogState",
    "Catalogue",
    "Completed",
    "CreateRequested",
    "Envelope",
    "ErrorInfo",
    "EverythingGoes",
    "Failed",
    "GrantAccess",
    "Host",
    "HostInput",
    "Kept",
    "Knowledge",
    "KnownSession",
    "Lifecycle",
    "LifecycleChanged",
    "MemoryStore",
    "Mirror",
    "Options",
    "Pending",
    "PrimarySessionChanged",
    "Progress",
    "RefusedError",
    "RunState",
    "RunSummary",
    "Running",
    "ScheduleCapability",
    "SessionRemoved",
    "SessionSet",
    "Start",
    "Steer",
    "Store",
    "StoreError",
    "UnknownAction",
    "UpdateRequested",
    "distinct",
    "is_client_dispatchable",
    "read",
    "read_action",
    "receive_catalogue",
    "receive_run",
    "reduce_catalogue",
    "reduce_run",
    "write",
]
