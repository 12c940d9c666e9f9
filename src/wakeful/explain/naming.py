"""Other names in place of those of a log: the same ones alike, different ones apart.

What the automation itself names stays, in its filters above all: without it nothing would
match, and whoever has the rules has it already.
"""

from collections.abc import Iterator
from typing import Any

import attrs

from wakeful.logs import REDACTED
from wakeful.model.automations import Automation
from wakeful.model.events import (
    NO_FACTS,
    Activity,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    Input,
    SessionEnded,
    SessionEvent,
    Tool,
    TurnStarted,
)
from wakeful.model.rules import Filter, SessionRule
from wakeful.model.triggers import SessionTrigger, WatchTrigger


class Names:
    """Gives names: ``s1`` to the first session, ``T1:h1`` to the first call, and so on.

    Args:
        automation: What it names itself stays.
    """

    def __init__(self, automation: Automation) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._kept = {automation.owner, *_named(automation)}

    def replaced(self, given: Input) -> Input:
        """An input with other names."""
        match given:
            case SessionEvent():
                tool = given.tool
                return attrs.evolve(
                    given,
                    session=self.session(given.session),
                    facts=self._facts(given.facts),
                    title=None,
                    child=self._name("child", "c", given.child),
                    tool=None
                    if tool is None
                    else Tool(
                        self._name("tool", "T", tool.name) or "",
                        self._name("hash", "h", tool.input_hash) or "",
                    ),
                )
            case TurnStarted():
                return attrs.evolve(
                    given,
                    session=self.session(given.session),
                    facts=self._facts(given.facts),
                    title=None,
                )
            case Activity() | SessionEnded():
                return attrs.evolve(given, session=self.session(given.session))
            case GrantsChanged():
                return attrs.evolve(given, principal=self._owner(given.principal))
            case DefinitionSaved():
                return attrs.evolve(given, automation=_untold(given.automation))
            case _:
                return given

    def session(self, name: Any) -> Any:
        """A session's other name."""
        return self._name("session", "s", name)

    def _facts(self, facts: Facts) -> Facts:
        if facts is NO_FACTS:
            return facts
        return attrs.evolve(
            facts,
            owner=None if facts.owner is None else self._owner(facts.owner),
            provider=self._name("provider", "p", facts.provider),
            project=self._name("project", "project", facts.project),
            folders=tuple(
                self._name("folder", "file:///folder", each) or "" for each in facts.folders
            ),
        )

    def _owner(self, owner: str) -> str:
        kind, colon, _ = owner.partition(":")
        return self._name("owner", f"{kind}{colon}" if colon else "user:", owner) or owner

    def _name(self, what: str, prefix: str, name: str | None) -> str | None:
        if name is None or name in self._kept:
            return name
        key = (what, name)
        if key not in self._given:
            number = sum(each[0] == what for each in self._given) + 1
            while (fresh := f"{prefix}{number}") in self._kept:
                number += 1
            self._given[key] = fresh
        return self._given[key]


def _named(automation: Automation) -> Iterator[str]:
    """What the filters of an automation list."""
    for rule in _rules(automation):
        by = rule.filter or Filter()
        for listed in (by.sessions, by.providers, by.owners, by.projects, by.folders):
            yield from listed or ()


def _rules(automation: Automation) -> Iterator[SessionRule]:
    for trigger in automation.definition.triggers:
        match trigger:
            case SessionTrigger():
                yield trigger.rule
            case WatchTrigger():
                yield from (rule for _, rule in trigger.rules)
            case _:
                pass


def _untold(automation: Automation) -> Automation:
    """An automation without the texts that people wrote in it."""
    definition = automation.definition
    message = attrs.evolve(definition.message, text=REDACTED, extra={})
    return attrs.evolve(
        automation,
        definition=attrs.evolve(definition, title=REDACTED, message=message, meta={}, session={}),
    )
