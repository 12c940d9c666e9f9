"""durable_rules: a Rete in C, with rules in Python.

All sessions are in one state and joined by session, which is several times as fast as a state
for each. Its time is the machine's, so that windows are comparisons of the events' own
instants; nothing resets a count, and nothing is said about what does not come.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

from durable.engine import Host, MessageNotHandledException
from durable.lang import c, m, ruleset, when_all

from peers import four_kinds as rules
from peers.four_kinds import Found
from peers.meanings import Meaning, filtered, paired, three_in_time
from wakeful import Automation, SessionEvent

_NUMBERS = count()


class DurableRules:
    """One ruleset."""

    name: Final = "durable_rules"
    MEANS: Final[dict[str, Meaning]] = {
        "filter": filtered,
        "count": three_in_time,
        "then": paired,
    }
    DIFFERS: Final = (
        "nothing between three failures resets their count; each of several that came first is "
        "followed by one of its own; no absence"
    )

    def __init__(self, automations: Sequence[Automation]) -> None:
        self._found: list[Found] = []
        made = ruleset(f"four-{next(_NUMBERS)}")
        with made:
            for automation in automations:
                for trigger in automation.definition.triggers:
                    (project,) = trigger.rule.filter.projects
                    kind = trigger.id.partition("-")[0]
                    if kind in self.MEANS:
                        when_all(*_conditions(kind, project))(self._take(kind, project))
        self._name, definition = made.define()
        self._host = Host()
        self._host.register_rulesets({self._name: definition})

    def _take(self, kind: str, project: str) -> Callable[[Any], None]:
        last = {"filter": "m", "count": "third", "then": "second"}[kind]

        def take(told: Any) -> None:
            event = getattr(told, last)
            self._found.append(Found(event.at, project, kind, event.session))

        return take

    @staticmethod
    def prepare(events: Sequence[SessionEvent]) -> list[dict[str, Any]]:
        """Each as a message."""
        return [
            {
                "kind": event.kind,
                "session": event.session,
                "project": event.facts.project,
                "at": event.at,
            }
            for event in events
        ]

    def feed(self, events: Sequence[dict[str, Any]]) -> list[Found]:
        """Take events."""
        post, name = self._host.post, self._name
        for event in events:
            with suppress(MessageNotHandledException):  # it says so where no rule wants one
                post(name, event)
        found, self._found = self._found, []
        return found

    @staticmethod
    def found(given: list[Found]) -> list[Found]:
        """They are as they are."""
        return given


def _conditions(kind: str, project: str) -> list[Any]:
    """A rule's conditions. Each use of a name is made anew: reading a member changes it."""

    def named(name: str, which: str, after: str = "") -> Any:
        # The name goes to the first comparison: a name of a whole conjunction is lost.
        asked = (getattr(c, name) << (m.kind == which)) & (m.project == project)
        if not after:
            return asked
        same, later = getattr(c, after).session, getattr(c, after).at
        return asked & (m.session == same) & (m.at > later)

    if kind == "filter":
        return [(m.kind == rules.FILTERED) & (m.project == project)]
    if kind == "count":
        return [
            named("first", rules.COUNTED),
            named("second", rules.COUNTED, "first"),
            named("third", rules.COUNTED, "second") & (m.at <= c.first.at + rules.WITHIN),
        ]
    return [
        named("first", rules.FIRST),
        named("second", rules.SECOND, "first") & (m.at <= c.first.at + rules.BETWEEN),
    ]
