"""The floor of CPython: a loop that somebody wrote by hand for the rules at hand.

Closures in nested dictionaries, by kind and project, each with its own dictionary by session,
and a first-in-first-out lane for each length of an absence. :class:`Counting` counts matches
and does nothing else; :class:`Recording` also keeps events in order and makes a record of each
match. Rules come and go with a restart; nothing is saved, explained or decided.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from peers.four_kinds import Found
from peers.meanings import AS_MEANT, Meaning
from wakeful import AbsentFor, Automation, EventWithin, SessionEvent, SessionRule
from wakeful.model.events import EVENT_KINDS

Ask = Callable[[str, int], bool]
"""Takes an event's session and instant; whether the rule has matched."""

FAR: Final = 1 << 62


class Record:
    """A match."""

    __slots__ = ("at", "automation", "count", "event", "number", "session", "trigger")

    def __init__(  # noqa: PLR0917 - made by place, which is fastest
        self, automation: str, trigger: str, session: str, event: str, count: int, at: int,
        number: int,
    ) -> None:  # fmt: skip
        self.automation = automation
        self.trigger = trigger
        self.session = session
        self.event = event
        self.count = count
        self.at = at
        self.number = number


class Asked:
    """A closure of a rule, and what a record of its matches says."""

    __slots__ = ("ask", "automation", "count", "event", "trigger")

    def __init__(self, ask: Ask, automation: str, trigger: str, event: str, count: int) -> None:
        self.ask = ask
        self.automation = automation
        self.trigger = trigger
        self.event = event
        self.count = count


class Lane:
    """The absences of one length: they come due in the order in which they began."""

    __slots__ = ("entries", "length")

    def __init__(self, length: int) -> None:
        self.length = length
        self.entries: deque[tuple[int, str, dict[str, int], Asked]] = deque()


class _Loop:
    """The rules, as closures."""

    MEANS: Final[dict[str, Meaning]] = AS_MEANT

    def __init__(self, automations: Iterable[Automation]) -> None:
        self.lanes: dict[int, Lane] = {}
        made: dict[str, dict[str | None, list[Asked]]] = {kind: {} for kind in EVENT_KINDS}
        for automation in automations:
            for trigger in automation.definition.triggers:
                for kind, asked in self._asked(automation.resource, trigger.id, trigger.rule):
                    for project in trigger.rule.filter.projects:
                        made[kind].setdefault(project, []).append(asked)
        self.table = {
            kind: {project: tuple(asked) for project, asked in by.items()}
            for kind, by in made.items()
        }

    @staticmethod
    def prepare(events: Sequence[SessionEvent]) -> Sequence[SessionEvent]:
        """They are as they are."""
        return events

    def _asked(
        self, automation: str, trigger: str, rule: SessionRule
    ) -> Iterator[tuple[str, Asked]]:
        """A rule's closures, by the kind of event that each is asked about."""
        (event,) = rule.events
        count = rule.count.n if rule.count else 1

        def asked(ask: Ask) -> Asked:
            return Asked(ask, automation, trigger, event, count)

        if rule.count is not None:
            hit, broken = in_a_row(rule.count.n, rule.count.within)
            yield event, asked(hit)
            for other in EVENT_KINDS:
                if other not in (event, "idle"):
                    yield other, asked(broken)
        elif isinstance(rule.then, EventWithin):
            first, second = followed(rule.then.within)
            yield event, asked(first)
            yield rule.then.event, asked(second)
        elif isinstance(rule.then, AbsentFor):
            lane = self.lanes.setdefault(rule.then.for_, Lane(rule.then.for_))
            armed: dict[str, int] = {}
            wait = asked(_always)
            wait.ask = absence(lane, armed, wait)
            yield event, wait
            yield rule.then.event, asked(broken_by(armed))
        else:
            yield event, asked(_always)


class Counting(_Loop):
    """Counts matches."""

    name: Final = "hand-written loop, counting"

    def __init__(self, automations: Iterable[Automation]) -> None:
        super().__init__(automations)
        self._asks = {
            kind: {project: tuple(each.ask for each in asked) for project, asked in by.items()}
            for kind, by in self.table.items()
        }

    def feed(self, events: Iterable[SessionEvent]) -> int:
        """Take events."""
        asks, lanes, none = self._asks, tuple(self.lanes.values()), ()
        matches = 0
        for event in events:
            at = event.at
            for lane in lanes:
                entries = lane.entries
                while entries and entries[0][0] <= at:
                    due, session, armed, _ = entries.popleft()
                    if armed.get(session) == due:
                        del armed[session]
                        matches += 1
            session = event.session
            for ask in asks[event.kind].get(event.facts.project, none):
                if ask(session, at):
                    matches += 1
        return matches


class Recording(_Loop):
    """Keeps events in order, and makes a record of each match."""

    name: Final = "hand-written loop, with records"

    def __init__(self, automations: Iterable[Automation]) -> None:
        super().__init__(automations)
        self._now = -FAR
        self._number = 0
        self.late = 0

    def feed(self, events: Iterable[SessionEvent]) -> list[Record]:
        """Take events."""
        table, lanes, none = self.table, tuple(self.lanes.values()), ()
        records: list[Record] = []
        now, number = self._now, self._number
        for event in events:
            at = event.at
            if at < now:
                at = now
                self.late += 1
            now = at
            number += 1
            # Of several lanes, what is due first comes first.
            while True:
                first, next_lane = at + 1, None
                for lane in lanes:
                    if lane.entries and lane.entries[0][0] < first:
                        first, next_lane = lane.entries[0][0], lane
                if next_lane is None:
                    break
                due, session, armed, rule = next_lane.entries.popleft()
                if armed.get(session) == due:
                    del armed[session]
                    records.append(
                        Record(rule.automation, rule.trigger, session, rule.event, 1, due, number)
                    )
            session = event.session
            for rule in table[event.kind].get(event.facts.project, none):
                if rule.ask(session, at):
                    record = Record(
                        rule.automation, rule.trigger, session, rule.event, rule.count, at, number
                    )
                    records.append(record)
        self._now, self._number = now, number
        return records

    @staticmethod
    def found(given: Sequence[Record]) -> list[Found]:
        """The matches, as every peer says them."""
        return [
            Found(each.at, each.automation.rpartition("/")[2], each.trigger, each.session)
            for each in given
        ]


def _always(_session: str, _at: int) -> bool:
    return True


def in_a_row(n: int, within: int | None) -> tuple[Ask, Ask]:
    """``n`` in a row within a time: what counts, and what breaks."""
    runs: dict[str, list[int]] = {}

    def hit(session: str, at: int) -> bool:
        run = runs.get(session)
        if run is None:
            if n == 1:
                return True
            runs[session] = [at]
            return False
        run.append(at)
        if len(run) < n:
            return False
        if within is not None and at - run[0] > within:
            del run[0]
            return False
        del runs[session]
        return True

    def broken(session: str, _at: int) -> bool:
        runs.pop(session, None)
        return False

    return hit, broken


def followed(within: int) -> tuple[Ask, Ask]:
    """One, then another within a time."""
    firsts: dict[str, int] = {}

    def first(session: str, at: int) -> bool:
        firsts[session] = at
        return False

    def second(session: str, at: int) -> bool:
        began = firsts.pop(session, None)
        return began is not None and at - began <= within

    return first, second


def absence(lane: Lane, armed: dict[str, int], rule: Asked) -> Ask:
    """One after which another is to stay absent: what begins to wait."""
    entries, length = lane.entries, lane.length

    def seen(session: str, at: int) -> bool:
        if session not in armed:
            armed[session] = due = at + length
            entries.append((due, session, armed, rule))
        return False

    return seen


def broken_by(armed: dict[str, int]) -> Ask:
    """What breaks an absence."""

    def came(session: str, _at: int) -> bool:
        armed.pop(session, None)
        return False

    return came
