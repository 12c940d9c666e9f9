"""What an engine is made of, and how a definition comes to all of it.

The matcher, the gate, the schedules and the plugin triggers know nothing of each other. A
definition is saved in the gate first, which says whether it is on; while it is on the other
three watch it. What the gate switches off by itself is taken out of them after the step.
"""

from collections.abc import Mapping
from typing import ClassVar

from wakeful.core.gate import Gate
from wakeful.core.guarded_sight import GuardedSight
from wakeful.core.index import FAR
from wakeful.core.matcher import Matcher
from wakeful.core.plugin_events import PluginEvents
from wakeful.core.schedules import Schedules, TriggerName
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight, Sight
from wakeful.model.automations import Automation
from wakeful.model.outputs import Decision, OrderKey
from wakeful.model.time import Instant
from wakeful.model.triggers import TriggerType
from wakeful.plugins import TypeRegistry


class Parts:
    """The parts of one engine.

    Attributes:
        places: Each automation's place in definition order; kept when it is saved again.
        next_place: The place of the next new one.
        guard: Asks a host's sight, which may raise; ``None`` where grants decide.
        next: When a part other than the matcher has something due; :data:`FAR` where none has.
    """

    _matches_by: ClassVar[type[Matcher]] = Matcher

    def __init__(
        self,
        *,
        settings: Settings,
        sight: Sight,
        types: TypeRegistry,
        occurrences: Mapping[TriggerName, Instant] | None,
    ) -> None:
        self.settings = settings
        self.sight = sight
        self.types = types
        self.guard = None if isinstance(sight, GrantSight) else GuardedSight(sight)
        asked: Sight = sight if self.guard is None else self.guard
        self.matcher = self._matches_by(asked, settings)
        self.gate = Gate(
            settings=settings,
            turn_running=self.matcher.turn_running,
            sight=asked,
            find_type=self._find_type,
            overflow=self.matcher.room.overflow,
        )
        self.plugin_events = PluginEvents(types, asked)
        self.schedules = Schedules(occurrences)
        self.places: dict[str, int] = {}
        self.next_place = 0
        self.next: Instant = FAR
        self._times_runs = settings.run_time not in ("log", "none")

    def save(self, automation: Automation, key: OrderKey) -> list[Decision]:
        """Save a definition, new or again; what it lets go."""
        resource = automation.resource
        place = self.places.get(resource)
        if place is None:
            place = self.places[resource] = self.next_place
            self.next_place += 1
        decisions = self.gate.save(automation, place, key)
        if self.gate.is_on(resource):
            self.watch_sessions(automation, place, key.at, key.sequence)
            self.schedules.save(automation, place, key.at)
            self.plugin_events.save(automation, place)
        else:
            self.unwatch(resource)
        self.after_gate()
        return decisions

    def remove(self, resource: str, key: OrderKey) -> list[Decision]:
        """Take a definition out; what it lets go. An unknown one is nothing to remove."""
        if self.places.pop(resource, None) is None:
            return []
        self.unwatch(resource)
        decisions = self.gate.remove(resource, key)
        self.after_gate()
        return decisions

    def watch_sessions(self, automation: Automation, place: int, at: Instant, seq: int) -> None:
        """Watch an automation's rules of sessions, which was saved by that input."""
        self.matcher.upkeep.save(automation, place, at, seq)

    def unwatch(self, resource: str) -> None:
        """Stop watching what an automation's triggers watch; their state is gone."""
        self.matcher.upkeep.remove(resource)
        self.schedules.remove(resource)
        self.plugin_events.remove(resource)

    def after_gate(self) -> None:
        """Take over what the gate changed: the switches it made, and what is due next."""
        gate = self.gate
        if gate.switched:
            for resource in gate.switched:
                self.unwatch(resource)
            gate.switched.clear()
        self.next = min(
            or_far(gate.next_date), or_far(gate.next_settle), or_far(self.schedules.next)
        )

    def after_decisions(self) -> None:
        """The same where only matches were decided: they switch off, and start what is timed."""
        if self.gate.switched or self._times_runs:
            self.after_gate()

    def _find_type(self, name: str) -> TriggerType | None:
        registered = self.types.get(name)
        return None if registered is None else registered.definition


def or_far(instant: Instant | None) -> Instant:
    """An instant, or one later than every other where there is none."""
    return FAR if instant is None else instant
