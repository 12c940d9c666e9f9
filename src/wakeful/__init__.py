"""Wakeful decides when an automation should wake.

Rules over what coding-agent sessions do are compiled to state machines; fed a session's
events and a virtual clock they give back decisions: start, wait, fold into what waits,
steer into the running turn, or drop, and why.

The names below are resolved on first use: importing the package costs nothing, and using
the engine brings in attrs, sortedcontainers and tzdata alone.
"""

from importlib import import_module

# A name that checkers know; to import `typing` for it would cost more than all else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wakeful._version import __version__ as __version__
    from wakeful.core.engine import Engine as Engine
    from wakeful.core.settings import Settings as Settings
    from wakeful.core.sight import GrantSight as GrantSight
    from wakeful.core.sight import Sight as Sight
    from wakeful.core.statistics import Pending as Pending
    from wakeful.core.statistics import Statistics as Statistics
    from wakeful.cron import CronExpression as CronExpression
    from wakeful.cron import Schedule as Schedule
    from wakeful.cron import load_zone as load_zone
    from wakeful.errors import InputRefusedError as InputRefusedError
    from wakeful.errors import InvalidError as InvalidError
    from wakeful.errors import LogError as LogError
    from wakeful.errors import Problem as Problem
    from wakeful.errors import SnapshotError as SnapshotError
    from wakeful.errors import WakefulError as WakefulError
    from wakeful.logs import open_logs as open_logs
    from wakeful.model.automations import AfterDate as AfterDate
    from wakeful.model.automations import AfterRuns as AfterRuns
    from wakeful.model.automations import Automation as Automation
    from wakeful.model.automations import AutomationDefinition as AutomationDefinition
    from wakeful.model.automations import Message as Message
    from wakeful.model.events import Activity as Activity
    from wakeful.model.events import DefinitionRemoved as DefinitionRemoved
    from wakeful.model.events import DefinitionSaved as DefinitionSaved
    from wakeful.model.events import Facts as Facts
    from wakeful.model.events import GrantsChanged as GrantsChanged
    from wakeful.model.events import Input as Input
    from wakeful.model.events import PluginEvent as PluginEvent
    from wakeful.model.events import Press as Press
    from wakeful.model.events import Resumed as Resumed
    from wakeful.model.events import RunLinked as RunLinked
    from wakeful.model.events import RunSettled as RunSettled
    from wakeful.model.events import RunStarted as RunStarted
    from wakeful.model.events import SessionEnded as SessionEnded
    from wakeful.model.events import SessionEvent as SessionEvent
    from wakeful.model.events import SteerFailed as SteerFailed
    from wakeful.model.events import Tick as Tick
    from wakeful.model.events import Tool as Tool
    from wakeful.model.events import TurnStarted as TurnStarted
    from wakeful.model.events import TypeRegistered as TypeRegistered
    from wakeful.model.events import TypeRemoved as TypeRemoved
    from wakeful.model.outputs import Decision as Decision
    from wakeful.model.outputs import DecisionKind as DecisionKind
    from wakeful.model.outputs import Fault as Fault
    from wakeful.model.outputs import Match as Match
    from wakeful.model.outputs import OrderKey as OrderKey
    from wakeful.model.outputs import Output as Output
    from wakeful.model.outputs import Reason as Reason
    from wakeful.model.rules import AbsentFor as AbsentFor
    from wakeful.model.rules import Count as Count
    from wakeful.model.rules import EventWithin as EventWithin
    from wakeful.model.rules import Filter as Filter
    from wakeful.model.rules import IdleFor as IdleFor
    from wakeful.model.rules import SessionRule as SessionRule
    from wakeful.model.rules import When as When
    from wakeful.model.time import format_duration as format_duration
    from wakeful.model.time import format_instant as format_instant
    from wakeful.model.time import from_datetime as from_datetime
    from wakeful.model.time import parse_duration as parse_duration
    from wakeful.model.time import parse_instant as parse_instant
    from wakeful.model.time import to_datetime as to_datetime
    from wakeful.model.triggers import PluginTrigger as PluginTrigger
    from wakeful.model.triggers import ScheduleTrigger as ScheduleTrigger
    from wakeful.model.triggers import SessionTrigger as SessionTrigger
    from wakeful.model.triggers import TriggerEvent as TriggerEvent
    from wakeful.model.triggers import TriggerType as TriggerType
    from wakeful.model.triggers import WatchTrigger as WatchTrigger
    from wakeful.reading import load_rules as load_rules
    from wakeful.reading import read_automation as read_automation
    from wakeful.reading import read_definition as read_definition
    from wakeful.reading import write_definition as write_definition
    from wakeful.replay import replay as replay

_HOMES = {
    "_version": ("__version__",),
    "core.engine": ("Engine",),
    "core.settings": ("Settings",),
    "core.sight": ("GrantSight", "Sight"),
    "core.statistics": ("Pending", "Statistics"),
    "cron": ("CronExpression", "Schedule", "load_zone"),
    "errors": (
        "InputRefusedError",
        "InvalidError",
        "LogError",
        "Problem",
        "SnapshotError",
        "WakefulError",
    ),
    "logs": ("open_logs",),
    "model.automations": (
        "AfterDate",
        "AfterRuns",
        "Automation",
        "AutomationDefinition",
        "Message",
    ),
    "model.events": (
        "Activity",
        "DefinitionRemoved",
        "DefinitionSaved",
        "Facts",
        "GrantsChanged",
        "Input",
        "PluginEvent",
        "Press",
        "Resumed",
        "RunLinked",
        "RunSettled",
        "RunStarted",
        "SessionEnded",
        "SessionEvent",
        "SteerFailed",
        "Tick",
        "Tool",
        "TurnStarted",
        "TypeRegistered",
        "TypeRemoved",
    ),
    "model.outputs": ("Decision", "DecisionKind", "Fault", "Match", "OrderKey", "Output", "Reason"),
    "model.rules": (
        "AbsentFor",
        "Count",
        "EventWithin",
        "Filter",
        "IdleFor",
        "SessionRule",
        "When",
    ),
    "model.time": (
        "format_duration",
        "format_instant",
        "from_datetime",
        "parse_duration",
        "parse_instant",
        "to_datetime",
    ),
    "model.triggers": (
        "PluginTrigger",
        "ScheduleTrigger",
        "SessionTrigger",
        "TriggerEvent",
        "TriggerType",
        "WatchTrigger",
    ),
    "reading": ("load_rules", "read_automation", "read_definition", "write_definition"),
    "replay": ("replay",),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 - a list of the names above


def __getattr__(name: str) -> "Any":
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
