"""eql: the Event Query Language, in Python.

A rule is a query. A sequence has no reset at a match: three failures and a fourth are two
matches. Its time only passes with events, and it has no absence.
"""

import re
from collections.abc import Sequence
from typing import Final

import eql

from peers import four_kinds as rules
from peers.four_kinds import Found
from peers.meanings import Meaning, filtered, followed, overlapping
from wakeful import Automation, SessionEvent
from wakeful.model.events import EVENT_KINDS
from wakeful.model.time import MINUTE

_TICKS: Final = 10_000
"""Its time goes by tenths of microseconds."""


class Eql:
    """One engine, a query a rule."""

    name: Final = "eql"
    MEANS: Final[dict[str, Meaning]] = {
        "filter": filtered,
        "count": overlapping,
        "then": followed,
    }
    DIFFERS: Final = (
        "a match of the count does not begin it anew, so that matches overlap; no absence"
    )

    def __init__(self, automations: Sequence[Automation]) -> None:
        self._found: list[Found] = []
        self._engine = eql.PythonEngine()
        self._engine.add_output_hook(self._take)
        self._names: dict[str, tuple[str, str]] = {}
        for automation in automations:
            for trigger in automation.definition.triggers:
                (project,) = trigger.rule.filter.projects
                kind = trigger.id.partition("-")[0]
                if kind in self.MEANS:
                    self._add(project, kind)

    def _add(self, project: str, kind: str) -> None:
        name = f"{project}/{kind}"
        self._names[name] = project, kind
        query = eql.parse_query(query_of(kind, project))
        self._engine.add_analytic(
            eql.ast.EqlAnalytic(query=query, metadata={"id": name, "name": name})
        )

    def _take(self, output: eql.events.AnalyticOutput) -> None:
        last = output.events[-1].data
        self._found.append(Found(last["at"], *self._names[output.analytic_id], last["session"]))

    @staticmethod
    def prepare(events: Sequence[SessionEvent]) -> list[eql.Event]:
        """Each as one of its events."""
        types = {kind: type_of(kind) for kind in EVENT_KINDS}
        return [
            eql.Event(
                types[event.kind],
                event.at * _TICKS,
                {
                    "kind": event.kind,
                    "session": event.session,
                    "project": event.facts.project,
                    "at": event.at,
                },
            )
            for event in events
        ]

    def feed(self, events: Sequence[eql.Event]) -> list[Found]:
        """Take events."""
        self._engine.stream_events(events, finalize=False)
        found, self._found = self._found, []
        return found

    @staticmethod
    def found(given: list[Found]) -> list[Found]:
        """They are as they are."""
        return given


def query_of(kind: str, project: str) -> str:
    """A rule as a query. Events have types: it asks only the queries that name theirs."""

    def event(which: str) -> str:
        return f'[{type_of(which)} where project == "{project}"]'

    if kind == "filter":
        return event(rules.FILTERED)[1:-1]
    if kind == "count":
        others = f'kind != "{rules.COUNTED}" and kind != "idle"'
        return (
            f"sequence by session with maxspan={rules.WITHIN // MINUTE}m "
            f"{' '.join([event(rules.COUNTED)] * rules.TIMES)} "
            f'until [any where project == "{project}" and {others}]'
        )
    return (
        f"sequence by session with maxspan={rules.BETWEEN // MINUTE}m "
        f"{event(rules.FIRST)} {event(rules.SECOND)}"
    )


def type_of(kind: str) -> str:
    """A kind of event as a type: in small letters, as all of its are."""
    return re.sub("(?=[A-Z])", "_", kind).lower()
