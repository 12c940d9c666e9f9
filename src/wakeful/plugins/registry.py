"""The registered trigger types, and what is asked of them.

Three moments, each with its question:

- a definition is saved: :meth:`TypeRegistry.check` names everything that refuses it;
- a definition or a type comes or goes: :meth:`TypeRegistry.bind` gives what is to be asked
  at a fire, or nothing while the trigger sleeps;
- a plugin fires: :meth:`TypeRegistry.check_fire` refuses what it may not, and
  :meth:`BoundTrigger.ask` answers for one trigger.

Definitions are not kept here: removing a type puts its triggers to sleep, and registering
it again wakes them, with nothing lost in between (semantics, section 11).
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.triggers import RESERVED_TYPES, PluginTrigger, TriggerType
from wakeful.plugins._words import at, one_of, unknown
from wakeful.plugins.bound import BoundTrigger, RegisteredType
from wakeful.plugins.connectors import (
    Connectors,
    NoConnectors,
    connector_problems,
    connectors_named,
)
from wakeful.plugins.definitions import definition_problems, is_name
from wakeful.plugins.frozen import freeze, is_bounded, plain, problems_of_plain
from wakeful.plugins.matchers import Matcher
from wakeful.plugins.values import ConfigCheck, with_defaults


class FireReason(StrEnum):
    """Why a fire is refused to the plugin."""

    UNKNOWN_TYPE = "unknownType"
    NOT_ITS_OWNER = "notItsOwner"
    UNKNOWN_EVENT = "unknownEvent"
    BAD_DATA = "badData"


@attrs.frozen
class FireRefusal:
    """One thing a plugin may not fire: a reason, and the problem that names it."""

    reason: FireReason
    problem: Problem


class TypeRegistry:
    """The trigger types that plugins registered, in order of registration.

    Args:
        connectors: The host's connectors; without them every connector is refused.
        matchers: Matchers by type, for types that are registered without one, as by an
            input of a log: a log carries definitions and no code.
    """

    def __init__(
        self,
        *,
        connectors: Connectors | None = None,
        matchers: Mapping[str, Matcher] | None = None,
    ) -> None:
        self._connectors: Connectors = NoConnectors() if connectors is None else connectors
        self._matchers = dict(matchers or {})
        self._types: dict[str, RegisteredType] = {}

    @property
    def connectors(self) -> Connectors:
        """The host's connectors."""
        return self._connectors

    def __iter__(self) -> Iterator[RegisteredType]:
        return iter(self._types.values())

    def __len__(self) -> int:
        return len(self._types)

    def __contains__(self, type_: object) -> bool:
        return type_ in self._types

    def get(self, type_: str) -> RegisteredType | None:
        """The type of that name, where one is registered."""
        return self._types.get(type_)

    def register(
        self, definition: TriggerType, by: str | None = None, matcher: Matcher | None = None
    ) -> RegisteredType:
        """Register a type (semantics 11.1).

        Args:
            definition: The type.
            by: The plugin's name. ``None``: the type has no owner, and anyone may fire it.
            matcher: The plugin's own word on which events concern a trigger.

        Raises:
            InvalidError: The name is taken or reserved, or the definition cannot be meant.
                The registry is as it was.
        """
        problems = self.problems_of(definition, by)
        if problems:
            raise InvalidError(problems)
        schema = definition.config_schema
        made = RegisteredType(
            definition=attrs.evolve(
                definition, config_schema=None if schema is None else freeze(schema)
            ),
            by=by,
            matcher=self._matchers.get(definition.type) if matcher is None else matcher,
            check=None if schema is None else ConfigCheck(plain(schema)),
        )
        self._types[definition.type] = made
        return made

    def problems_of(self, definition: TriggerType, by: str | None = None) -> list[Problem]:
        """What :meth:`register` would refuse the type for; nothing is changed."""
        return [*self._name_problems(definition.type, by), *definition_problems(definition)]

    def remove(self, type_: str, *, by: str | None = None) -> bool:
        """Remove a type; its triggers sleep until it is registered again.

        Args:
            type_: Its name.
            by: The plugin that removes it. ``None`` stands for the type's owner.

        Returns:
            Whether there was one.

        Raises:
            InvalidError: The type is another plugin's.
        """
        registered = self._types.get(type_)
        if registered is None:
            return False
        if not _may_speak_for(registered, by):
            raise InvalidError([_not_its_owner(registered, by)])
        del self._types[type_]
        return True

    def check(
        self, trigger: PluginTrigger, *, owner: str | None = None, path: str = ""
    ) -> tuple[Problem, ...]:
        """What refuses a trigger when its definition is saved (semantics 11.2).

        Events first, then the config in the order of its text, then its connectors. A
        trigger of a type that is not registered is refused nothing: it is saved, and
        sleeps.

        Args:
            trigger: The trigger.
            owner: The automation's.
            path: Where the trigger stands, as ``triggers[0]``.
        """
        registered = self._types.get(trigger.type)
        if registered is None:
            return ()
        problems = [
            _unknown_event(registered.definition, event, at(at(at(path, "events"), index), "id"))
            for index, event in enumerate(trigger.events)
            if registered.event(event) is None
        ]
        where = at(path, "config")
        problems += self._config_problems(registered, trigger, where)
        config: object = trigger.config
        if isinstance(config, Mapping) and is_bounded(config):
            problems += connector_problems(
                self._connectors, _named(registered, trigger, where), owner=owner
            )
        return tuple(problems)

    def admits(self, trigger: PluginTrigger, *, owner: str | None = None) -> bool:
        """Whether a fire could wake the trigger now.

        Its type is registered, its config passes, and the connectors it names may be
        used. An event that the type does not offer (any more) stands in the way of no
        other: it is one that nobody can fire.
        """
        bound = self.bind(trigger, owner=owner)
        return bound is not None and not connector_problems(
            self._connectors, bound.connectors, owner=owner
        )

    def bind(self, trigger: PluginTrigger, *, owner: str | None = None) -> BoundTrigger | None:
        """What to ask when an event of the trigger's type is fired; ``None`` while it sleeps.

        Connectors are left out of the question: they are compared at each fire. To be
        made anew when the definition is saved and when the type is registered.
        """
        registered = self._types.get(trigger.type)
        if registered is None or self._config_problems(registered, trigger, "config"):
            return None
        return BoundTrigger(
            registered=registered,
            trigger=trigger,
            owner=owner,
            config=freeze(_effective(registered, trigger)),
            connectors=tuple(_named(registered, trigger, "config")),
            host=self._connectors,
        )

    def check_fire(
        self, type_: str, event: str, data: object, by: str | None = None
    ) -> tuple[FireRefusal, ...]:
        """Why a plugin may not fire this event; empty where it may (semantics 11.3).

        Args:
            type_: The event's type.
            event: Its id.
            data: Its data, which has to be a map of plain data.
            by: The plugin that fires. ``None`` stands for the type's owner.
        """
        return tuple(
            FireRefusal(reason, problem)
            for reason, problem in self._fire_problems(type_, event, data, by)
        )

    def _fire_problems(
        self, type_: str, event: str, data: object, by: str | None
    ) -> Iterator[tuple[FireReason, Problem]]:
        registered = self._types.get(type_)
        if registered is None:
            message = unknown(type_, self._types, thing="type")
            yield (
                FireReason.UNKNOWN_TYPE,
                Problem(path="type", value=type_, expected="a registered type", message=message),
            )
        else:
            if not _may_speak_for(registered, by):
                yield FireReason.NOT_ITS_OWNER, _not_its_owner(registered, by)
            if registered.event(event) is None:
                yield (
                    FireReason.UNKNOWN_EVENT,
                    _unknown_event(registered.definition, event, "event"),
                )
        for problem in _data_problems(data):
            yield FireReason.BAD_DATA, problem

    def _name_problems(self, type_: object, by: object) -> Iterator[Problem]:
        if not is_name(type_):
            yield Problem(path="type", value=type_, expected="a name for the type")
        elif type_ in RESERVED_TYPES:
            yield Problem(
                path="type",
                value=type_,
                expected="a name that is free",
                message=f"{type_!r} is a type of the host's own",
            )
        elif type_ in self._types:
            yield Problem(
                path="type",
                value=type_,
                expected="a name that is free",
                message=f"{type_!r} is registered already",
            )
        if by is not None and not is_name(by):
            yield Problem(path="by", value=by, expected="a plugin's name")

    def _config_problems(
        self, registered: RegisteredType, trigger: PluginTrigger, path: str
    ) -> list[Problem]:
        if registered.check is not None:
            return registered.check.problems(trigger.config, path)
        config: object = trigger.config
        if not isinstance(config, Mapping):
            return [Problem(path=path, value=config, expected="a map")]
        return problems_of_plain(config, path)


def _effective(registered: RegisteredType, trigger: PluginTrigger) -> Mapping[str, Any]:
    schema = registered.definition.config_schema
    return trigger.config if schema is None else with_defaults(schema, trigger.config)


def _named(
    registered: RegisteredType, trigger: PluginTrigger, path: str
) -> Iterator[tuple[str, str, str]]:
    schema = registered.definition.config_schema
    if schema is None:
        return iter(())
    return connectors_named(schema, _effective(registered, trigger), path)


def _may_speak_for(registered: RegisteredType, by: str | None) -> bool:
    return by is None or registered.by is None or registered.by == by


def _not_its_owner(registered: RegisteredType, by: str | None) -> Problem:
    message = f"the type {registered.definition.type!r} is the plugin {registered.by!r}'s"
    return Problem(path="by", value=by, expected=repr(registered.by), message=message)


def _unknown_event(definition: TriggerType, event: str, path: str) -> Problem:
    offered = [each.id for each in definition.events]
    message = unknown(event, offered, thing=f"{definition.type} event")
    return Problem(path=path, value=event, expected=one_of(offered), message=message)


def _data_problems(data: object) -> list[Problem]:
    if not isinstance(data, Mapping):
        shown = data if is_bounded(data) else "…"
        return [Problem(path="data", value=shown, expected="a map")]
    return problems_of_plain(data, "data")
