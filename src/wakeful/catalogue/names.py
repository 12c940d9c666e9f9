"""The names of the wire, in one place: channels, schemes, action types, methods, members.

The shape that is served is the seeds'. A newer draft renames some of it (the catalogue's
``automations`` becomes ``entries``, for one); following it is a change of this module.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from wakeful.model.automations import SCHEME as AUTOMATION_SCHEME

RUN_SCHEME: Final = "ahp-automation-run:"
ROOT: Final = "ahp-root://"
CATALOGUE: Final = "ahp-automations://"
OWN_CATALOGUE: Final = f"{CATALOGUE}?owner=me"
CATALOGUE_TEMPLATE: Final = f"{CATALOGUE}{{?owner}}"
"""The RFC 6570 template that ``initialize`` advertises."""

TEMPLATE_NOTE: Final = "ahpd.automations"
"""The member of the result's ``_meta`` that carries :data:`CATALOGUE_TEMPLATE`."""
DROPPED_NOTE: Final = "ahpd.dropped"
"""The member of a run's ``_meta`` that counts the events ``skip`` dropped while it ran."""

# Actions
CREATE_REQUESTED: Final = "automation/createRequested"
UPDATE_REQUESTED: Final = "automation/updateRequested"
SET: Final = "automation/set"
REMOVED: Final = "automation/removed"
LIFECYCLE_CHANGED: Final = "automationRun/lifecycleChanged"
SESSION_SET: Final = "automationRun/sessionSet"
SESSION_REMOVED: Final = "automationRun/sessionRemoved"
PRIMARY_SESSION_CHANGED: Final = "automationRun/primarySessionChanged"
CANCEL_REQUESTED: Final = "automationRun/cancelRequested"

# Methods
INITIALIZE: Final = "initialize"
SUBSCRIBE: Final = "subscribe"
UNSUBSCRIBE: Final = "unsubscribe"
RECONNECT: Final = "reconnect"
DISPATCH: Final = "dispatchAction"
ACTION: Final = "action"
LIST_TRIGGER_DEFINITIONS: Final = "listAutomationTriggerDefinitions"
RUN_AUTOMATION: Final = "runAutomation"
FETCH_RUNS: Final = "fetchAutomationRuns"
COMPLETIONS: Final = "x-ahpd/completions"

OPERATIONS: Final = ("update", "remove", "run")
"""What every entry permits: ``enabled`` governs its triggers only."""

MEMBERS: Final[Mapping[str, str]] = MappingProxyType({"meta": "_meta"})
"""Members that are not written like the attribute in camel case."""

__all__ = [
    "ACTION",
    "AUTOMATION_SCHEME",
    "CANCEL_REQUESTED",
    "CATALOGUE",
    "CATALOGUE_TEMPLATE",
    "COMPLETIONS",
    "CREATE_REQUESTED",
    "DISPATCH",
    "DROPPED_NOTE",
    "FETCH_RUNS",
    "INITIALIZE",
    "LIFECYCLE_CHANGED",
    "LIST_TRIGGER_DEFINITIONS",
    "MEMBERS",
    "OPERATIONS",
    "OWN_CATALOGUE",
    "PRIMARY_SESSION_CHANGED",
    "RECONNECT",
    "REMOVED",
    "ROOT",
    "RUN_AUTOMATION",
    "RUN_SCHEME",
    "SESSION_REMOVED",
    "SESSION_SET",
    "SET",
    "SUBSCRIBE",
    "TEMPLATE_NOTE",
    "UNSUBSCRIBE",
    "UPDATE_REQUESTED",
]
