"""A registered type, and a trigger of it that is ready to be asked."""

from collections.abc import Mapping
from typing import Any

import attrs

from wakeful.errors import Problem
from wakeful.model.triggers import PluginTrigger, TriggerEvent, TriggerType
from wakeful.plugins.connectors import Connectors, connector_problems
from wakeful.plugins.matchers import WAKES, Answer, Matcher, Verdict, ask, fault
from wakeful.plugins.values import ConfigCheck


@attrs.frozen(kw_only=True)
class RegisteredType:
    """A type, the plugin that owns it, and its matcher.

    Attributes:
        definition: As registered; its schema is the registry's own copy.
        by: The plugin that owns it. ``None``: anyone may fire it.
        matcher: ``None`` where every event of the type concerns every trigger of it.
        check: Its compiled schema; ``None`` where it takes any config.
    """

    definition: TriggerType
    by: str | None
    matcher: Matcher | None = None
    check: ConfigCheck | None = None

    def event(self, event: str) -> TriggerEvent | None:
        """The offered event of that id, with its title and description."""
        return next((each for each in self.definition.events if each.id == event), None)


@attrs.frozen(kw_only=True)
class BoundTrigger:
    """A trigger whose type is registered and whose config passes: what a fire asks.

    It holds for as long as the type stays registered.

    Attributes:
        config: Frozen, with defaults filled in: what the matcher is handed.
        connectors: Path, adapter and id of each connector that the config names.
    """

    registered: RegisteredType
    trigger: PluginTrigger
    owner: str | None
    config: Mapping[str, Any]
    connectors: tuple[tuple[str, str, str], ...]
    host: Connectors

    def ask(self, data: Mapping[str, Any]) -> Answer:
        """Whether an event of one of the trigger's events, with this data, wakes it.

        Never raises: a matcher or a host that does is a
        :attr:`~wakeful.plugins.Verdict.FAULT`, which counts as no match.

        Args:
            data: The event's data, frozen by :func:`~wakeful.plugins.freeze` once for all
                who are asked.
        """
        problems = self._connector_problems()
        if isinstance(problems, Answer):
            return problems
        if problems:
            return Answer(verdict=Verdict.CONNECTOR, problems=tuple(problems))
        matcher = self.registered.matcher
        if matcher is None:
            return WAKES
        return ask(matcher, self.config, data, type_=self.trigger.type)

    def _connector_problems(self) -> list[Problem] | Answer:
        if not self.connectors:
            return []
        try:
            return connector_problems(self.host, self.connectors, owner=self.owner)
        except Exception as error:  # noqa: BLE001 - the host's code stops nobody else either
            return fault(f"the connectors of {self.trigger.type} could not be asked", error)
