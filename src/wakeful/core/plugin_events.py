"""From a plugin's event to matches (semantics, section 11).

Triggers are filed by the type and event they name, so an event costs what its watchers
cost. A trigger whose type is not registered, or whose config does not pass, is filed all
the same and sleeps; it is asked about again when the type is registered.
"""

from typing import TypeVar

from wakeful.core.sight import Sight
from wakeful.model.automations import Automation
from wakeful.model.events import NO_FACTS, PluginEvent
from wakeful.model.outputs import Fault, Match, OrderKey
from wakeful.model.time import Instant
from wakeful.model.triggers import PluginTrigger
from wakeful.plugins import BoundTrigger, TypeRegistry, Verdict, freeze

_Key = TypeVar("_Key", str, tuple[str, str])


class _Watcher:
    """One plugin trigger of one automation."""

    __slots__ = ("automation", "bound", "order", "owner", "trigger")

    def __init__(self, automation: Automation, trigger: PluginTrigger, place: int, at: int) -> None:
        self.automation = automation.resource
        self.owner = automation.owner
        self.trigger = trigger
        self.order = (place, at, 0)
        self.bound: BoundTrigger | None = None


class PluginEvents:
    """The plugin triggers of every automation that is on.

    Args:
        types: The types that are registered; changed by inputs only.
        sight: Whose answer a plugin's event is held to (semantics 11 and 9.2).
    """

    def __init__(self, types: TypeRegistry, sight: Sight) -> None:
        self._types = types
        self._sight = sight
        self._watchers: dict[str, list[_Watcher]] = {}
        self._by_event: dict[tuple[str, str], dict[_Watcher, None]] = {}
        self._by_type: dict[str, dict[_Watcher, None]] = {}

    def save(self, automation: Automation, place: int) -> None:
        """Watch an automation's plugin triggers. O(its triggers)."""
        self.remove(automation.resource)
        watchers = [
            _Watcher(automation, trigger, place, index)
            for index, trigger in enumerate(automation.definition.triggers)
            if isinstance(trigger, PluginTrigger)
        ]
        for watcher in watchers:
            self._bind(watcher)
            trigger = watcher.trigger
            self._by_type.setdefault(trigger.type, {})[watcher] = None
            for event in dict.fromkeys(trigger.events):
                self._by_event.setdefault((trigger.type, event), {})[watcher] = None
        if watchers:
            self._watchers[automation.resource] = watchers

    def remove(self, resource: str) -> None:
        """Stop watching an automation's plugin triggers. O(its triggers)."""
        for watcher in self._watchers.pop(resource, ()):
            trigger = watcher.trigger
            _unfile(self._by_type, trigger.type, watcher)
            for event in dict.fromkeys(trigger.events):
                _unfile(self._by_event, (trigger.type, event), watcher)

    def type_changed(self, type_: str) -> None:
        """A type was registered or removed. O(its watchers)."""
        for watcher in self._by_type.get(type_, ()):
            self._bind(watcher)

    def fire(self, event: PluginEvent, at: Instant, seq: int) -> list[Match | Fault]:
        """The triggers that an event wakes, and what broke in being asked, in definition order.

        O(watchers of the type and event).
        """
        found: list[Match | Fault] = []
        watchers = self._by_event.get((event.type, event.event))
        if not watchers:
            return found
        data = freeze(event.data)
        for watcher in sorted(watchers, key=_order):
            bound = watcher.bound
            if bound is None or not self._sight.sees(watcher.owner, None, NO_FACTS):
                continue
            answer = bound.ask(data)
            key = OrderKey(at, 1, 0, seq, watcher.order)
            if answer.verdict is Verdict.FAULT:
                found.append(
                    Fault(
                        at=at,
                        automation=watcher.automation,
                        trigger=watcher.trigger.id,
                        key=key,
                        message="; ".join(problem.sentence for problem in answer.problems),
                    )
                )
            elif answer.wakes:
                found.append(
                    Match(
                        automation=watcher.automation,
                        trigger=watcher.trigger.id,
                        session=None,
                        event=event.event,
                        count=1,
                        at=at,
                        key=key,
                        data=data,
                    )
                )
        return found

    def _bind(self, watcher: _Watcher) -> None:
        watcher.bound = self._types.bind(watcher.trigger, owner=watcher.owner)


def _unfile(filed: dict[_Key, dict[_Watcher, None]], key: _Key, watcher: _Watcher) -> None:
    kept = filed[key]
    del kept[watcher]
    if not kept:
        del filed[key]


def _order(watcher: _Watcher) -> tuple[int, int, int]:
    return watcher.order
