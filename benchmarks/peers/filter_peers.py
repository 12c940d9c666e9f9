"""rule-engine and clipspy: rules that are filters alone."""

from collections.abc import Sequence
from typing import Any, Final

import clips
import rule_engine

from peers.four_kinds import Found
from wakeful import Automation, SessionEvent


def _rules(automations: Sequence[Automation]) -> list[tuple[str, str, str]]:
    """Each rule's project, name and kind of event."""
    return [
        (project, trigger.id, event)
        for automation in automations
        for trigger in automation.definition.triggers
        for project in trigger.rule.filter.projects
        for event in trigger.rule.events
    ]


class RuleEngine:
    """rule-engine: a rule is an expression, and each is asked about each event."""

    name: Final = "rule-engine"

    def __init__(self, automations: Sequence[Automation]) -> None:
        context = rule_engine.Context(resolver=rule_engine.resolve_item)
        self._rules = [
            (
                project,
                name,
                rule_engine.Rule(f'kind == "{event}" and project == "{project}"', context=context),
            )
            for project, name, event in _rules(automations)
        ]

    @staticmethod
    def prepare(events: Sequence[SessionEvent]) -> list[dict[str, Any]]:
        """Each as a map."""
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
        return [
            Found(event["at"], project, name, event["session"])
            for event in events
            for project, name, rule in self._rules
            if rule.matches(event)
        ]

    @staticmethod
    def found(given: list[Found]) -> list[Found]:
        """They are as they are."""
        return given


class Clips:
    """clipspy: CLIPS, a Rete in C; an event is a fact that is asserted, run and retracted."""

    name: Final = "clipspy"

    def __init__(self, automations: Sequence[Automation]) -> None:
        self._found: list[Found] = []
        environment = clips.Environment()
        environment.define_function(self._take, name="take")
        environment.build("(deftemplate event (slot kind) (slot project) (slot session) (slot at))")
        for project, name, event in _rules(automations):
            environment.build(
                f'(defrule {project}-{name} (event (kind "{event}") (project "{project}") '
                f'(session ?session) (at ?at)) => (take ?at "{project}" "{name}" ?session))'
            )
        self._environment = environment
        self._template = environment.find_template("event")

    def _take(self, at: int, project: str, name: str, session: str) -> None:
        self._found.append(Found(at, project, name, session))

    prepare = staticmethod(RuleEngine.prepare)

    def feed(self, events: Sequence[dict[str, Any]]) -> list[Found]:
        """Take events."""
        assert_fact, run = self._template.assert_fact, self._environment.run
        for event in events:
            fact = assert_fact(**event)
            run()
            fact.retract()
        found, self._found = self._found, []
        return found

    @staticmethod
    def found(given: list[Found]) -> list[Found]:
        """They are as they are."""
        return given
