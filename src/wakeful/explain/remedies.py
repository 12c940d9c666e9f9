"""Remedies: what would have to be otherwise for a near miss to have been a match.

A remedy changes inputs, or one number of the rule, and nothing else. It is data, so that it can
be told, and be tried: :class:`Trial` replays the session with it and sees whether the rule
matches. What is told was tried.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import attrs

from wakeful.explain.steps import RuleName, Taken
from wakeful.explain.tracer import Tracer
from wakeful.model._records import record
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionSaved, Input
from wakeful.model.outputs import Match
from wakeful.model.rules import SessionRule
from wakeful.model.time import Instant
from wakeful.model.triggers import SessionTrigger, Trigger, WatchTrigger
from wakeful.replay import DEFAULTS, Replay


@record(kw_only=True)
class Remedy:
    """What is to be otherwise.

    Attributes:
        told: In words: ``leave out``, ``with count.within 5m12s``.
        without: Numbers of inputs to leave out.
        instead: Inputs in place of others, by number.
        after: Inputs to add, each behind the one of that number.
        rule: The rule in place of the one there is.
        until: How far time has to go on.
        expected_at: When the rule then matches; ``None``: at ``since`` or after.
        since: Not before this instant.
    """

    told: str
    since: Instant
    without: frozenset[int] = frozenset()
    instead: Mapping[int, Input] = attrs.field(factory=dict, hash=False)
    after: tuple[tuple[int, Input], ...] = ()
    rule: SessionRule | None = None
    until: Instant | None = None
    expected_at: Instant | None = None

    def inputs(self, taken: Sequence[Taken]) -> Iterator[Input]:
        """The inputs as they then are."""
        added: dict[int, list[Input]] = {}
        for number, given in self.after:
            added.setdefault(number, []).append(given)
        for each in taken:
            if each.number not in self.without:
                yield self.instead.get(each.number, each.restamped)
            yield from added.get(each.number, ())

    def automation(self, automation: Automation, name: RuleName) -> Automation:
        """The automation as it then is."""
        if self.rule is None:
            return automation
        return with_rule(automation, name, self.rule)


def with_rule(automation: Automation, name: RuleName, rule: SessionRule) -> Automation:
    """An automation with another rule in one of its triggers."""
    triggers: list[Trigger] = []
    for trigger in automation.definition.triggers:
        changed: Trigger = trigger
        if trigger.id == name.trigger:
            match trigger:
                case SessionTrigger():
                    changed = attrs.evolve(trigger, rule=rule)
                case WatchTrigger():
                    rules = tuple(
                        (preset, rule if preset == name.preset else each)
                        for preset, each in trigger.rules
                    )
                    changed = attrs.evolve(trigger, rules=rules)
                case _:
                    pass
        triggers.append(changed)
    definition = attrs.evolve(automation.definition, triggers=tuple(triggers))
    return attrs.evolve(automation, definition=definition)


class Trial:
    """Tries remedies on the inputs that one session's matching depends on.

    Args:
        tracer: The trace of the session; it is over.
        name: The rule.
        session: The session.
    """

    def __init__(self, tracer: Tracer, name: RuleName, session: str) -> None:
        self._name = name
        self._session = session
        settings = tracer.replay.engine.settings
        self._settings = attrs.evolve(
            DEFAULTS, unowned=settings.unowned, unmet=settings.unmet, messages=False
        )
        self._automations = tuple(
            _unconditional(each)
            for each in tracer.replay.automations
            if each.resource == name.automation
        )
        self._taken = sorted([*tracer.tracks[session].inputs, *tracer.changes], key=_number)
        self._end = tracer.replay.engine.now or 0
        self._before: Counter[tuple[Instant, str]] | None = None

    def works(self, remedy: Remedy) -> bool:
        """Whether the rule matches, with the remedy, where it did not. O(the session's inputs)."""
        if self._before is None:
            nothing = Remedy(told="", since=0)
            self._before = Counter(map(_place, self.matches(nothing)))
        fresh = Counter(map(_place, self.matches(remedy))) - self._before
        expected = remedy.expected_at
        return any(
            at == expected if expected is not None else at >= remedy.since for at, _ in fresh
        )

    def matches(self, remedy: Remedy) -> list[Match]:
        """The matches of the rule in the session, with the remedy."""
        until = self._end if remedy.until is None else max(self._end, remedy.until)
        replay = Replay(
            [remedy.automation(each, self._name) for each in self._automations],
            settings=self._settings,
            until=until,
        )
        inputs = self._own(remedy.inputs(self._taken), remedy)
        return [
            output
            for output in replay.outputs(inputs)
            if isinstance(output, Match)
            and output.session == self._session
            and (output.trigger, output.preset) == (self._name.trigger, self._name.preset)
        ]

    def _own(self, inputs: Iterator[Input], remedy: Remedy) -> Iterator[Input]:
        for given in inputs:
            if not isinstance(given, DefinitionSaved):
                yield given
            elif given.automation.resource == self._name.automation:
                changed = remedy.automation(_unconditional(given.automation), self._name)
                yield attrs.evolve(given, automation=changed)


def _unconditional(automation: Automation) -> Automation:
    """Without conditions that switch it off by its runs: of these a slice knows nothing."""
    definition = attrs.evolve(automation.definition, disable_conditions=())
    return attrs.evolve(automation, definition=definition)


def _place(match: Match) -> tuple[Instant, str]:
    return (match.at, match.event)


def _number(taken: Taken) -> int:
    return taken.number
