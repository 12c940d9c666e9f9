"""Occurrences: when schedules wake, and what becomes of those that were missed.

Theory
------
Every schedule trigger that is watched waits for exactly one occurrence, and all of them
stand in one ordered set by ``(due, automation, trigger)``; so a minute costs what is due in
it. An occurrence that time reaches is taken out and the trigger waits for the next one
after it. What a host gave back and had fallen due by then stands in another set: it is
reached when the host resumes, and not by time that passes.

What fell due while the host was not running is reached when it resumes, by the oldest
occurrence each trigger waits for (semantics 10.5): less than a minute late, it is an
ordinary one; later, it is caught up once (``runOnce``) or counted as missed (``skip``). Either
way the trigger goes on to the next occurrence after that instant.

An automation is woken at most once at one instant, by the first of its triggers that is due
and not skipped; the others go on with it (10.6, 10.7).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sortedcontainers import SortedSet

from wakeful.core.plain import flag, whole
from wakeful.core.wakes import Occurrence
from wakeful.cron import Schedule
from wakeful.model.automations import Automation
from wakeful.model.outputs import OrderKey
from wakeful.model.time import MINUTE, Instant
from wakeful.model.triggers import ScheduleTrigger

CATCH_UP_AFTER: Final = MINUTE
"""How late an occurrence has to be reached to be a catch-up, in milliseconds (10.5)."""

TriggerName = tuple[str, str]
"""An automation's resource and a trigger's id."""


class _Waiting:
    """One schedule trigger and the occurrence it waits for."""

    __slots__ = ("automation", "due", "place", "schedule", "skips", "trigger")

    def __init__(
        self, name: TriggerName, schedule: Schedule, place: tuple[int, int], *, skips: bool
    ) -> None:
        self.automation, self.trigger = name
        self.schedule = schedule
        self.skips = skips
        self.place = place
        self.due: Instant = 0

    @property
    def entry(self) -> tuple[Instant, tuple[int, int], TriggerName]:
        return (self.due, self.place, (self.automation, self.trigger))


class Schedules:
    """The schedule triggers of every automation that is on."""

    def __init__(self, occurrences: Mapping[TriggerName, Instant] | None = None) -> None:
        self._given: dict[str, dict[str, Instant]] = {}
        for (resource, trigger), due in (occurrences or {}).items():
            self._given.setdefault(resource, {})[trigger] = due
        self._waiting: dict[str, dict[str, _Waiting]] = {}
        self._queue: SortedSet[tuple[Instant, tuple[int, int], TriggerName]] = SortedSet()
        self._behind: SortedSet[tuple[Instant, tuple[int, int], TriggerName]] = SortedSet()
        """What was given and had fallen due: reached when the host resumes, not before."""

    def save(self, automation: Automation, place: int, at: Instant) -> None:
        """Watch an automation's schedules. O(its triggers), each O(log n).

        A trigger whose expression, zone and policy mean what they meant keeps the
        occurrence it waits for; one that is new or changed waits for the next one after
        ``at``, or for the one that was given for it. What was given is for the first
        definition that is saved, and for nothing that is written later.
        """
        resource = automation.resource
        given = self._given.pop(resource, {})
        old = self._waiting.pop(resource, {})
        new: dict[str, _Waiting] = {}
        for index, trigger in enumerate(automation.definition.triggers):
            if not isinstance(trigger, ScheduleTrigger):
                continue
            schedule = Schedule.parse(trigger.expression, trigger.time_zone)
            waiting = _Waiting(
                (resource, trigger.id),
                schedule,
                (place, index),
                skips=trigger.misfire_policy == "skip",
            )
            kept = old.get(trigger.id)
            if kept is not None and (kept.schedule, kept.skips) == (schedule, waiting.skips):
                waiting.due = kept.due
            else:
                due = given.get(trigger.id)
                waiting.due = schedule.next_after(at) if due is None else due
            new[trigger.id] = waiting
        for waiting in old.values():
            self._discard(waiting)
        for waiting in new.values():
            (self._behind if waiting.due <= at else self._queue).add(waiting.entry)
        if new:
            self._waiting[resource] = new

    def remove(self, resource: str) -> None:
        """Stop watching an automation's schedules; what they wait for is forgotten."""
        self._given.pop(resource, None)
        for waiting in self._waiting.pop(resource, {}).values():
            self._discard(waiting)

    @property
    def next(self) -> Instant | None:
        """The next occurrence of all. O(1)."""
        return self._queue[0][0] if self._queue else None

    def pop(self, until: Instant) -> Occurrence | None:
        """Reach the first occurrence that is due by ``until``, at its own instant. O(log n)."""
        if not self._queue or self._queue[0][0] > until:
            return None
        due, _place, (resource, trigger) = self._queue[0]
        reached = self._waiting[resource][trigger]
        for waiting in self._waiting[resource].values():
            if waiting.due == due:
                self._go_on(waiting, due)
        return _occurrence(reached, at=due, scheduled_for=due)

    def resume(self, at: Instant) -> Iterator[tuple[Occurrence, bool]]:
        """Reach, at ``at``, what fell due by then, in definition order.

        O(schedules that are due); how many occurrences went by does not matter.

        Yields:
            The occurrence, and whether it stands for those that ``skip`` gives up, its
            count saying how many. A trigger taken out meanwhile is passed over.
        """
        due: list[_Waiting] = []
        for when, _place, (resource, trigger) in (*self._behind, *self._queue):
            if when > at:
                break
            due.append(self._waiting[resource][trigger])
        due.sort(key=_place_of)
        woken: set[str] = set()
        for waiting in due:
            if waiting.entry not in self._queue and waiting.entry not in self._behind:
                continue
            oldest = waiting.due
            self._go_on(waiting, at)
            catch_up = at - oldest >= CATCH_UP_AFTER
            if catch_up and waiting.skips:
                missed = waiting.schedule.count(oldest - 1, at)
                yield _occurrence(waiting, at=at, scheduled_for=oldest, count=missed), True
            elif waiting.automation not in woken:
                woken.add(waiting.automation)
                yield _occurrence(waiting, at=at, scheduled_for=oldest, catch_up=catch_up), False

    def next_of(self, resource: str) -> Instant | None:
        """The earliest occurrence that an automation waits for (semantics 10.8)."""
        waiting = self._waiting.get(resource)
        return min(one.due for one in waiting.values()) if waiting else None

    def occurrences_of(self, resource: str) -> dict[str, Instant]:
        """What one automation's triggers wait for, by id. O(its schedules)."""
        waiting = self._waiting.get(resource, {})
        return {trigger: one.due for trigger, one in waiting.items()}

    def occurrences(self) -> dict[TriggerName, Instant]:
        """What every trigger waits for, to be stored and given back. O(schedules)."""
        return {name: due for due, _place, name in (*self._behind, *self._queue)}

    def state(self) -> list[list[Any]]:
        """What every trigger waits for and by which schedule, as plain data. O(schedules)."""
        return [
            [
                resource,
                trigger,
                waiting.schedule.expression.text,
                waiting.schedule.zone.name,
                waiting.skips,
                waiting.due,
            ]
            for resource, triggers in sorted(self._waiting.items())
            for trigger, waiting in sorted(triggers.items())
        ]

    def give(self, automation: Automation, saved: Mapping[TriggerName, Any]) -> list[TriggerName]:
        """Before an automation is saved: what its triggers waited for, as :meth:`state` told it.

        Returns:
            The triggers whose schedule is another by now; they wait from now on.
        """
        changed: list[TriggerName] = []
        for trigger in automation.definition.triggers:
            name = (automation.resource, trigger.id)
            if not isinstance(trigger, ScheduleTrigger) or name not in saved:
                continue
            expression, zone, skips, due = saved[name]
            same = Schedule.parse(expression, zone) == Schedule.parse(
                trigger.expression, trigger.time_zone
            )
            if same and flag(skips) is (trigger.misfire_policy == "skip"):
                self._given.setdefault(automation.resource, {})[trigger.id] = whole(due)
            else:
                changed.append(name)
        return changed

    def _discard(self, waiting: _Waiting) -> None:
        self._queue.discard(waiting.entry)
        self._behind.discard(waiting.entry)

    def _go_on(self, waiting: _Waiting, after: Instant) -> None:
        self._discard(waiting)
        waiting.due = waiting.schedule.next_after(after)
        self._queue.add(waiting.entry)


def _occurrence(
    waiting: _Waiting,
    *,
    at: Instant,
    scheduled_for: Instant,
    catch_up: bool = False,
    count: int = 1,
) -> Occurrence:
    return Occurrence(
        automation=waiting.automation,
        trigger=waiting.trigger,
        at=at,
        key=OrderKey(at, 0, 2, 0, waiting.place),
        scheduled_for=scheduled_for,
        catch_up=catch_up,
        late=scheduled_for < at,
        count=count,
    )


def _place_of(waiting: _Waiting) -> tuple[int, int]:
    return waiting.place
