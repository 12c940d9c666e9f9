"""What wakes an automation and what of it waits: occurrences beside matches, and the one place."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Self, TypeAlias

import attrs

from wakeful.core.plain import flag, restore_key, save_key, text, whole
from wakeful.model._records import record
from wakeful.model.outputs import Match, OrderKey
from wakeful.model.rules import SessionRule
from wakeful.model.time import Instant
from wakeful.model.triggers import (
    PluginTrigger,
    ScheduleTrigger,
    SessionTrigger,
    Trigger,
    WatchTrigger,
)
from wakeful.plugins import freeze, plain


@record(kw_only=True)
class Occurrence:
    """A schedule's occurrence on its way through the gate (semantics 9.10).

    Attributes:
        key: Its place among all outputs.
        scheduled_for: The instant it was due; for a catch-up the oldest that was missed.
        session: None, ever: it is about no session, and no event.
    """

    automation: str
    trigger: str
    at: Instant
    key: OrderKey
    scheduled_for: Instant
    catch_up: bool = False
    late: bool = False
    count: int = 1
    session: None = None
    event: None = None


Told: TypeAlias = Match | Occurrence
"""What a run is told of: an event's match, or a schedule's occurrence."""


def save_told(told: Told) -> dict[str, Any]:
    """A wake as plain data, without what is not there."""
    saved = attrs.asdict(told, recurse=False, filter=_is_there)
    saved["key"] = save_key(told.key)
    if isinstance(told, Match) and told.data is not None:
        saved["data"] = plain(told.data)
    return {"match" if isinstance(told, Match) else "occurrence": saved}


def restore_told(saved: Mapping[str, Any]) -> Told:
    """The wake that :func:`save_told` wrote.

    Raises:
        KeyError, TypeError, ValueError: It is no such data.
    """
    ((what, fields),) = saved.items()
    kind: type[Match | Occurrence] = {"match": Match, "occurrence": Occurrence}[what]
    read = {name: _TOLD_FIELDS[name](value) for name, value in fields.items()}
    # What is about no session says so by leaving it out (a plugin's event, an occurrence).
    told: Told = kind(**{"session": None, **read})
    return told


def _plain_map(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is no map")
    frozen: Mapping[str, Any] = freeze(value)
    return frozen


_TOLD_FIELDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "automation": text,
    "trigger": text,
    "session": text,
    "event": text,
    "count": whole,
    "at": whole,
    "key": restore_key,
    "preset": text,
    "title": text,
    "late": flag,
    "data": _plain_map,
    "scheduled_for": whole,
    "catch_up": flag,
}
"""How each field of a match or an occurrence is read."""


def _is_there(_field: "attrs.Attribute[Any]", value: Any) -> bool:
    return value is not None


@attrs.define(eq=False)
class Waiting:
    """The wake that waits; an automation has at most one (semantics 9.8).

    Attributes:
        told: What the run will be told of.
        count: The sum of what was folded together.
        since: The instant it began to wait.
        trigger: The trigger as it last was, for a definition that no longer has it.
    """

    told: Told
    count: int
    since: Instant
    trigger: Trigger | None = None

    def state(self) -> dict[str, Any]:
        """What waits, as plain data. Of a trigger that is gone, what a message tells of it."""
        return {
            "told": save_told(self.told),
            "count": self.count,
            "since": self.since,
            "gone": None if self.trigger is None else _save_gone(self.trigger),
        }

    @classmethod
    def restore(cls, saved: Mapping[str, Any]) -> Self:
        """What waited, as :meth:`state` wrote it."""
        gone = saved["gone"]
        return cls(
            told=restore_told(saved["told"]),
            count=whole(saved["count"]),
            since=whole(saved["since"]),
            trigger=None if gone is None else _restore_gone(gone),
        )

    def fold(self, told: Told) -> None:
        """Add another wake. The newest event is told; an occurrence never displaces an event."""
        self.count += told.count
        held = self.told
        if isinstance(told, Match) == isinstance(held, Match):
            # A steer that was not delivered may be older than what already waits.
            newer = told.key >= held.key
        else:
            newer = isinstance(told, Match)
        if newer:
            self.told = told


@attrs.frozen(kw_only=True)
class WaitingWake:
    """A wake that waits, as it is reported."""

    automation: str
    trigger: str
    count: int
    since: Instant
    session: str | None = None
    event: str | None = None


def _save_gone(trigger: Trigger) -> list[str | None]:
    type_ = trigger.type if isinstance(trigger, PluginTrigger) else None
    return [type(trigger).__name__, trigger.id, trigger.title, type_]


def _restore_gone(saved: Any) -> Trigger:
    kind, id_, title, type_ = saved
    match kind:
        case "ScheduleTrigger":
            return ScheduleTrigger(id=id_, title=title, expression="* * * * *")
        case "SessionTrigger":
            rule = SessionRule(events=frozenset())
            return SessionTrigger(id=id_, title=title, events=(), rule=rule)
        case "WatchTrigger":
            return WatchTrigger(id=id_, title=title, rules=())
        case "PluginTrigger":
            return PluginTrigger(id=id_, title=title, type=text(type_), events=())
    raise ValueError(f"{kind!r} is no kind of trigger")
