"""A CI system's plugin and a host's connectors, for the tests of this room."""

from collections.abc import Iterable, Mapping
from typing import Any

from wakeful.errors import Problem
from wakeful.model.triggers import PluginTrigger, TriggerEvent, TriggerType
from wakeful.plugins import Connector, TypeRegistry

EVENTS = (
    TriggerEvent(id="failed", title="A build failed"),
    TriggerEvent(id="fixed", title="A build was fixed", description="It had failed before"),
)


def build_type(
    properties: Mapping[str, Any] | None = None,
    *,
    type: str = "build",  # noqa: A002 - the protocol's word
    title: Any = "Builds",
    events: Any = EVENTS,
    required: Iterable[str] = (),
    **given: Any,
) -> TriggerType:
    if properties is not None:
        given["config_schema"] = {
            "type": "object",
            "properties": dict(properties),
            "required": list(required),
        }
    return TriggerType(type=type, title=title, events=events, **given)


def trigger(
    config: Any = None,
    *,
    type: str = "build",  # noqa: A002 - the protocol's word
    events: tuple[str, ...] = ("failed",),
) -> PluginTrigger:
    return PluginTrigger(id="t1", type=type, events=events, config={} if config is None else config)


def registry_of(*types: TriggerType, **given: Any) -> TypeRegistry:
    registry = TypeRegistry(**given)
    for each in types:
        registry.register(each, "ci")
    return registry


def refused(
    properties: Mapping[str, Any], config: Any, required: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Path and sentence of everything that a schema of these properties refuses."""
    registry = registry_of(build_type(properties, required=required))
    return told(registry.check(trigger(config)))


def told(problems: Iterable[Problem]) -> list[tuple[str, str]]:
    return [(problem.path, problem.sentence) for problem in problems]


class StoredConnectors:
    """A host's connectors, in memory."""

    def __init__(self, *stored: tuple[str, Connector]) -> None:
        self.stored = list(stored)

    def find(self, adapter: str, connector: str) -> Connector | None:
        return next(
            (each for of, each in self.stored if of == adapter and each.id == connector), None
        )

    def owned_by(self, adapter: str, owner: str | None) -> list[Connector]:
        return [each for of, each in self.stored if of == adapter and each.owner == owner]
