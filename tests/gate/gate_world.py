"""A gate alone, with hand-made matches: what the tests of this room drive."""

from typing import Any

from wakeful.core.gate import Gate
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight
from wakeful.core.wakes import Occurrence
from wakeful.messages import no_types
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import Press, RunLinked, RunSettled, RunStarted, SteerFailed
from wakeful.model.outputs import Decision, Match, OrderKey
from wakeful.model.rules import SessionRule
from wakeful.model.triggers import ScheduleTrigger, SessionTrigger

RULE = SessionTrigger(
    id="t",
    title="Failing",
    events=("toolFailed",),
    rule=SessionRule(events=frozenset({"toolFailed"})),
)
NIGHTLY = ScheduleTrigger(id="nightly", title="Every night", expression="0 0 * * *")


def automation(name: str = "a", **changes: Any) -> Automation:
    """An automation with an event trigger ``t`` and a schedule ``nightly``."""
    owner = changes.pop("owner", None)
    text = changes.pop("text", "{{event}} {{count}}")
    definition = AutomationDefinition(
        title=name,
        message=Message(text=text),
        triggers=changes.pop("triggers", (RULE, NIGHTLY)),
        **changes,
    )
    return Automation(resource=f"ahp-automation:/{name}", definition=definition, owner=owner)


def words(decisions: list[Decision]) -> list[str]:
    """Decisions as ``start``, ``hold 2``, ``drop skipped 1``: word, reason, count."""
    return [
        " ".join(str(part) for part in (each.kind, each.reason, each.count) if part is not None)
        for each in decisions
    ]


class World:
    """A gate and its surroundings: instants, input numbers, turns, and all decisions made.

    A test sets ``now``; every call is one input at that instant.
    """

    def __init__(self, *automations: Automation, sight: GrantSight | None = None, **settings: Any):
        self.now = 0
        self.turns: set[str] = set()
        self.sequence = 0
        self.places: dict[str, int] = {}
        self.made: list[Decision] = []
        self.settings = Settings(**settings)
        self.types: dict[str, Any] = {}
        self.sight = sight or GrantSight(unowned=self.settings.unowned, unmet=self.settings.unmet)
        self.gate = Gate(
            settings=self.settings,
            turn_running=self.turns.__contains__,
            sight=self.sight,
            find_type=lambda name: self.types.get(name) or no_types(name),
        )
        for each in automations or (automation(),):
            self.save(each)

    def key(self, *order: int) -> OrderKey:
        return OrderKey(self.now, 1, 0, self.sequence, order)

    def note(self, decisions: list[Decision]) -> list[Decision]:
        self.made += decisions
        self.gate.switched.clear()
        return decisions

    def save(self, saved: Automation) -> list[Decision]:
        self.sequence += 1
        place = self.places.setdefault(saved.resource, len(self.places))
        return self.note(self.gate.save(saved, place, self.key()))

    def remove(self, name: str = "a") -> list[Decision]:
        self.sequence += 1
        return self.note(self.gate.remove(f"ahp-automation:/{name}", self.key()))

    def matches(self, *names: str, **changes: Any) -> list[Decision]:
        """Matches of one input, one for each automation named."""
        self.sequence += 1
        decisions: list[Decision] = []
        for number, name in enumerate(names):
            resource = f"ahp-automation:/{name}"
            match = Match(
                **{
                    "automation": resource,
                    "trigger": "t",
                    "session": "s",
                    "event": "toolFailed",
                    "count": 1,
                    "at": self.now,
                    "key": self.key(self.places[resource], number, 0),
                    **changes,
                }
            )
            decisions += self.gate.decide(match)
        return self.note(decisions)

    def match(self, name: str = "a", **changes: Any) -> list[Decision]:
        return self.matches(name, **changes)

    def occurrence(self, name: str = "a", **changes: Any) -> list[Decision]:
        self.sequence += 1
        return self.note(
            self.gate.occurrence(
                Occurrence(
                    **{
                        "automation": f"ahp-automation:/{name}",
                        "trigger": "nightly",
                        "at": self.now,
                        "key": OrderKey(self.now, 0, 2, self.sequence, ()),
                        "scheduled_for": self.now,
                        **changes,
                    }
                )
            )
        )

    def started(self, run: str, session: str | None = None, name: str = "a") -> list[Decision]:
        self.sequence += 1
        record = RunStarted(
            automation=f"ahp-automation:/{name}", run=run, session=session, at=self.now
        )
        return self.note(self.gate.run_started(record, self.key()))

    def linked(self, run: str, session: str, name: str = "a") -> list[Decision]:
        self.sequence += 1
        record = RunLinked(
            automation=f"ahp-automation:/{name}", run=run, session=session, at=self.now
        )
        return self.note(self.gate.run_linked(record, self.key()))

    def settled(self, run: str, outcome: Any = "completed", name: str = "a") -> list[Decision]:
        self.sequence += 1
        record = RunSettled(
            automation=f"ahp-automation:/{name}", run=run, outcome=outcome, at=self.now
        )
        return self.note(self.gate.run_settled(record, self.key()))

    def steer_failed(self, run: str, name: str = "a") -> list[Decision]:
        self.sequence += 1
        record = SteerFailed(automation=f"ahp-automation:/{name}", run=run, at=self.now)
        return self.note(self.gate.steer_failed(record, self.key()))

    def press(self, request: str, name: str = "a") -> list[Decision]:
        self.sequence += 1
        record = Press(automation=f"ahp-automation:/{name}", request_id=request, at=self.now)
        return self.note(self.gate.press(record, self.key()))

    def interrupted(self, *live: str) -> list[Decision]:
        self.sequence += 1
        return self.note(self.gate.interrupted(live, self.key()))

    def turn(self, session: str) -> None:
        """A turn begins in a session."""
        self.turns.add(session)

    def turn_over(self, session: str) -> list[Decision]:
        """A turn ends in a session, and wakes nobody."""
        self.sequence += 1
        self.turns.discard(session)
        if session not in self.gate.chats:
            return []
        return self.note(self.gate.turn_over(session, self.key()))

    def dates(self, at: int) -> list[Decision]:
        """Dates up to an instant pass."""
        self.now = at
        return self.note(self.gate.pass_dates(at, OrderKey(at, 0, -1, self.sequence, ())))

    def settle_due(self, at: int) -> list[Decision]:
        self.now = at
        return self.note(self.gate.settle_due(at))
