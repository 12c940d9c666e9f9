"""The gate: from matches, occurrences and presses to decisions (semantics, section 9).

One :class:`~wakeful.core.door.Door` per automation does the deciding; this is what lies across
automations: dates, runs that settle by themselves, request ids, the chats of pinned
automations, and the order of what one input lets go.

The engine owns order, time and matching. It hands in matches and inputs with their place
(:class:`~wakeful.model.outputs.OrderKey`) and gets decisions back; the gate calls nothing but
the two questions it was made with: does a turn run in a session, and is an owner met. It can be
used without an engine. A step is one input with its matches, or one thing that fell due.

A removed automation leaves its runs, their sessions and the hour behind: whoever saves
it again cannot make it wake itself, nor wake more often.
"""

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from sortedcontainers import SortedSet

from wakeful.core.admission import admit
from wakeful.core.decisions import AFTER_MATCHES, after_matches, refuse
from wakeful.core.door import Door, Surroundings
from wakeful.core.overflow import Overflow
from wakeful.core.plain import restore_key, whole
from wakeful.core.settings import Settings
from wakeful.core.sight import Sight
from wakeful.core.wakes import Occurrence, WaitingWake
from wakeful.messages import FindType, no_types
from wakeful.model.automations import Automation
from wakeful.model.events import Press, RunLinked, RunSettled, RunStarted, SteerFailed
from wakeful.model.outputs import Decision, Match, OrderKey, Reason
from wakeful.model.time import Instant

__all__ = ["AFTER_MATCHES", "Gate", "GateStatistics"]


@attrs.frozen(kw_only=True)
class GateStatistics:
    """What a gate holds, and what it could not use.

    Attributes:
        runs_going: Runs that have not settled.
        runs_kept: All runs that are kept.
        waiting: Wakes that wait.
        request_ids: Request ids that are known.
        own_sessions: Sessions that belong to runs, over all automations.
        unknown_records: Records of runs or automations that nobody knows.
    """

    runs_going: int
    runs_kept: int
    waiting: int
    request_ids: int
    own_sessions: int
    unknown_records: int


class Gate:
    """Everything from a match to a decision, for any number of automations.

    Args:
        settings: The cap, how long runs last, whether messages are filled.
        turn_running: Whether a turn runs in a session. As an ending's match is decided, the
            ended turn runs no more (semantics 9.4).
        sight: Asked whether a ``user:`` owner is met.
        find_type: Looks up registered plugin types, for the titles in messages.
        overflow: Counts what is let go at bounds.

    Attributes:
        switched: Automations that a disable condition switched off, until somebody drains it.
        chats: Sessions that a pinned automation keeps to. When a turn ends in one of them,
            :meth:`turn_over` has to be told.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        turn_running: Callable[[str], bool],
        sight: Sight,
        find_type: FindType = no_types,
        overflow: Overflow | None = None,
    ) -> None:
        self._around = Surroundings(
            settings=settings,
            turn_running=turn_running,
            sight=sight,
            find_type=find_type,
            overflow=Overflow() if overflow is None else overflow,
        )
        self._doors: dict[str, Door] = {}
        self._dates = SortedSet()
        self._kept_chats: dict[str, str] = {}
        self._chats: dict[str, set[str]] = {}
        self._unknown_records = 0
        self.switched: list[str] = self._around.switched
        self.chats: Mapping[str, object] = self._chats

    # Definitions

    def save(self, automation: Automation, order: int, key: OrderKey) -> list[Decision]:
        """Take a definition, new or again; ``order`` is its place among all automations.

        Saving an enabled definition of an automation that is off, by whatever means it went
        off, switches it on: ``afterRuns`` counts from nothing.

        Raises:
            InvalidError: It cannot be meant; nothing has changed.
        """
        admit(automation)
        resource = automation.resource
        door = self._doors.get(resource)
        if door is None:
            door = self._doors[resource] = Door(resource, self._around)
        self._unlist(door)
        decisions = door.save(automation, order, key)
        if door.on and door.date is not None:
            self._dates.add((door.date, order, resource))
        self._watch_chat(door)
        return decisions

    def remove(self, resource: str, key: OrderKey) -> list[Decision]:
        """Take an automation out; what waits is dropped. An unknown one is nothing to remove."""
        door = self._doors.get(resource)
        if door is None or door.automation is None:
            return []
        self._unlist(door)
        decisions = door.remove(key)
        self._watch_chat(door)
        if door.is_blank:
            del self._doors[resource]
        return decisions

    def is_on(self, resource: str) -> bool:
        """Whether its triggers are to be watched: enabled, and no disable condition met."""
        door = self._doors.get(resource)
        return door is not None and door.on

    def owned_by(self, owner: str | None) -> list[str]:
        """The automations of an owner that are on, in definition order. O(automations)."""
        return [
            door.resource
            for door in self._in_order()
            if door.on and door.automation is not None and door.automation.owner == owner
        ]

    def run_count(self, resource: str) -> int | None:
        """The runs that ``afterRuns`` has counted; ``None`` without such a condition."""
        door = self._doors.get(resource)
        return None if door is None else door.allowance_used

    # Wakes

    def decide(self, match: Match) -> list[Decision]:
        """The first decision of a match, and what follows from it in the same step.

        Raises:
            KeyError: No such automation was saved.
        """
        return self._doors[match.automation].decide(match)

    def occurrence(self, occurrence: Occurrence) -> list[Decision]:
        """A schedule's occurrence is reached (semantics 9.10). A key without order is filled.

        Raises:
            KeyError: No such automation was saved, or it has no such trigger.
        """
        door = self._doors[occurrence.automation]
        return door.occurrence(_placed(occurrence, door))

    def missed(self, occurrence: Occurrence) -> list[Decision]:
        """Occurrences that ``skip`` gives up, as one with their count: a drop (semantics 10.5)."""
        door = self._doors[occurrence.automation]
        return [door.missed(_placed(occurrence, door))]

    # Records of runs

    def run_started(self, record: RunStarted, key: OrderKey) -> list[Decision]:
        """A run began: it claims the oldest start nobody claimed, or was started elsewhere.

        Nothing is started elsewhere of an automation that is not there.
        """
        door = self._doors.get(record.automation)
        if door is None or (door.automation is None and door.runs.claim(record.run) is None):
            return self._unknown()
        decisions = door.run_started(record.run, record.session, key)
        self._watch_chat(door)
        return decisions

    def run_linked(self, record: RunLinked, key: OrderKey) -> list[Decision]:
        """A session belongs to a run that is known."""
        door = self._doors.get(record.automation)
        run = None if door is None else door.runs.find(record.run)
        if door is None or run is None:
            return self._unknown()
        decisions = door.link(run, record.session, key)
        self._watch_chat(door)
        return decisions

    def run_settled(self, record: RunSettled, key: OrderKey) -> list[Decision]:
        """A run is over. One that could not start may be a start that nobody has named yet."""
        door = self._doors.get(record.automation)
        if door is None:
            return self._unknown()
        named = door.runs.claim if record.outcome == "notStarted" else door.runs.find
        run = named(record.run)
        if run is None:
            return self._unknown()
        return door.settle(run, record.outcome, after_matches(key, door.order, 0))

    def steer_failed(self, record: SteerFailed, key: OrderKey) -> list[Decision]:
        """The oldest steer into that run, not yet told as failed, was not delivered."""
        door = self._doors.get(record.automation)
        run = None if door is None else door.runs.find(record.run)
        if door is None or run is None or not run.steers:
            return self._unknown()
        return door.steer_failed(run, key)

    def press(self, press: Press, key: OrderKey) -> list[Decision]:
        """Somebody pressed Run: started, answered or refused, always at once."""
        door = self._doors.get(press.automation)
        if door is None or door.automation is None:
            place = after_matches(key, AFTER_MATCHES)
            reason = Reason.UNKNOWN_AUTOMATION
            return [refuse(press.automation, press.request_id, reason, place)]
        return [door.press(press.request_id, key)]

    def interrupted(self, live: tuple[str, ...] | None, key: OrderKey) -> list[Decision]:
        """The host resumed: runs that do not live settle as failed (semantics 7.4)."""
        if live is None:
            return []
        living = frozenset(live)
        decisions = []
        for door in self._in_order():
            for run in tuple(door.runs.going.values()):
                if living.isdisjoint(door.runs.names_of(run)):
                    place = after_matches(key, door.order, 0)
                    decisions += door.settle(run, "failed", place)
        return decisions

    def turn_over(self, session: str, key: OrderKey) -> list[Decision]:
        """A turn ended in a session of :attr:`chats`, and its matches are decided."""
        doors = [self._doors[resource] for resource in self._chats.get(session, ())]
        doors.sort(key=_order)
        return [
            decision
            for door in doors
            for decision in door.release(after_matches(key, door.order, 0))
        ]

    # What falls due

    @property
    def next_date(self) -> Instant | None:
        """The next ``afterDate``; early where something else switched its automation off."""
        return self._dates[0][0] if self._dates else None

    def pass_dates(self, at: Instant, key: OrderKey, *, late: bool = False) -> list[Decision]:
        """Dates up to ``at`` pass, before anything that is due at them (semantics 9.13)."""
        decisions: list[Decision] = []
        while self._dates and self._dates[0][0] <= at:
            date, order, resource = self._dates.pop(0)
            door = self._doors[resource]
            if door.on:
                place = key._replace(at=date, order=(order, 0))
                decisions += door.switch_off(place, late=late)
        return decisions

    @property
    def next_settle(self) -> Instant | None:
        """When the next run settles by itself; ``None`` where runs last as the log says."""
        return self._around.settling.next

    def settles_after(self, place: OrderKey) -> bool:
        """Whether the next run settles by itself at that place's instant, and after it."""
        first = self._around.settling.next_place
        return first is not None and first.at == place.at and first > place

    def settle_due(self, at: Instant, *, late: bool = False) -> list[Decision]:
        """Runs due by ``at`` settle, each at its own deadline, and what waited is released."""
        decisions: list[Decision] = []
        while (due := self._around.settling.pop(at)) is not None:
            place, run = due
            decisions += self._doors[run.automation].settle(run, "completed", place, late=late)
        return decisions

    # What a restart must not lose

    def state(self, now: Instant) -> dict[str, Any]:
        """Every door's state and the deadlines of runs, as plain data. O(runs kept)."""
        return {
            "doors": {resource: door.state(now) for resource, door in sorted(self._doors.items())},
            "settling": self._around.settling.state(),
            "unknownRecords": self._unknown_records,
        }

    def state_of(self, resource: str, now: Instant) -> dict[str, Any] | None:
        """The same of one automation, its door alone; ``None`` where there is none."""
        door = self._doors.get(resource)
        if door is None:
            return None
        settling = self._around.settling.state()
        return {
            "doors": {resource: door.state(now)},
            "settling": [one for one in settling if one[1] == resource],
            "unknownRecords": 0,
        }

    def sessions_of(self, resource: str) -> frozenset[str]:
        """The sessions in which a turn matters to an automation: its runs', and its chat."""
        door = self._doors.get(resource)
        if door is None:
            return frozenset()
        return frozenset(door.runs.sessions) | ({door.chat} if door.chat is not None else set())

    def forget(self, resource: str) -> None:
        """Forget all of an automation, its runs too: it is decided about elsewhere from now on."""
        door = self._doors.pop(resource, None)
        if door is None:
            return
        self._unlist(door)
        door.automation = door.chat = None
        self._watch_chat(door)
        self._around.settling.forget(resource)
        requests = self._around.requests
        for request_id in [one for one, run in requests.items() if run.automation == resource]:
            del requests[request_id]

    def take_over(
        self, saved: Mapping[str, Any], automations: Mapping[str, Automation], key: OrderKey
    ) -> list[Decision]:
        """Go on from a state that :meth:`state` wrote, in a gate without those automations.

        Args:
            saved: The state.
            automations: The definitions as they are now; others that were saved are removed.
            key: The place of what follows from definitions that changed meanwhile.

        Raises:
            KeyError, TypeError, ValueError: It is no such state.
        """
        decisions: list[Decision] = []
        self._unknown_records += whole(saved["unknownRecords"])
        for resource, one in saved["doors"].items():
            automation = automations.get(resource)
            door = self._doors[resource] = Door(resource, self._around)
            decisions += door.take_over(one, automation, key)
            if door.on and door.date is not None:
                self._dates.add((door.date, door.order, resource))
            self._watch_chat(door)
        for place, resource, number in saved["settling"]:
            run = self._doors[resource].runs.going[whole(number)]
            self._around.settling.restore(restore_key(place), run)
        return sorted(decisions, key=_key)

    # What there is

    def waiting(self) -> tuple[WaitingWake, ...]:
        """The wakes that wait, in definition order."""
        return tuple(
            WaitingWake(
                automation=door.resource,
                trigger=door.waiting.told.trigger,
                count=door.waiting.count,
                since=door.waiting.since,
                session=door.waiting.told.session,
                event=door.waiting.told.event,
            )
            for door in self._in_order()
            if door.waiting is not None
        )

    def statistics(self) -> GateStatistics:
        """Counts of what is held; O(automations)."""
        doors = self._doors.values()
        return GateStatistics(
            runs_going=sum(len(door.runs.going) for door in doors),
            runs_kept=sum(len(door.runs) for door in doors),
            waiting=sum(door.waiting is not None for door in doors),
            request_ids=len(self._around.requests),
            own_sessions=sum(len(door.runs.sessions) for door in doors),
            unknown_records=self._unknown_records,
        )

    def _in_order(self) -> list[Door]:
        return sorted(self._doors.values(), key=_order)

    def _unknown(self) -> list[Decision]:
        self._unknown_records += 1
        return []

    def _unlist(self, door: Door) -> None:
        if door.date is not None:
            self._dates.discard((door.date, door.order, door.resource))

    def _watch_chat(self, door: Door) -> None:
        """Keep :attr:`chats` in step with the door's chat."""
        kept = self._kept_chats.get(door.resource)
        if kept == door.chat:
            return
        if kept is not None:
            doors = self._chats[kept]
            doors.discard(door.resource)
            if not doors:
                del self._chats[kept]
        if door.chat is None:
            self._kept_chats.pop(door.resource, None)
        else:
            self._kept_chats[door.resource] = door.chat
            self._chats.setdefault(door.chat, set()).add(door.resource)


def _order(door: Door) -> int:
    return door.order


def _key(decision: Decision) -> OrderKey:
    return decision.key


def _placed(occurrence: Occurrence, door: Door) -> Occurrence:
    if occurrence.key.order:
        return occurrence
    order = (door.order, door.place_of(occurrence.trigger))
    return attrs.evolve(occurrence, key=occurrence.key._replace(order=order))
