"""What a type's definition has to be before it is registered."""

from collections.abc import Iterator

from wakeful.errors import MISSING, Problem
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.plugins._words import at
from wakeful.plugins.schema import faults
from wakeful.plugins.values import limit_faults


def is_name(value: object) -> bool:
    """Whether it is text that says something."""
    return isinstance(value, str) and bool(value.strip())


def definition_problems(definition: TriggerType) -> Iterator[Problem]:
    """What is wrong with a definition, by the protocol's paths; plugins write them by hand."""
    yield from _title_problems(definition, "")
    events = definition.events
    if not events:
        yield Problem(path="events", value=list(events), expected="at least one event")
    seen: set[str] = set()
    for index, event in enumerate(events):
        where = at("events", index)
        if not is_name(event.id):
            yield Problem(path=at(where, "id"), value=event.id, expected="an id")
        elif event.id in seen:
            yield Problem(
                path=at(where, "id"),
                value=event.id,
                expected="an id that no other event of the type has",
                message=f"two events have the id {event.id!r}",
            )
        else:
            seen.add(event.id)
        yield from _title_problems(event, where)
    schema = definition.config_schema
    if schema is not None:
        found = faults(schema)
        yield from found or limit_faults(schema)


def _title_problems(named: TriggerType | TriggerEvent, path: str) -> Iterator[Problem]:
    title: object = named.title
    if not is_name(title):
        value = MISSING if title is None else title
        yield Problem(path=at(path, "title"), value=value, expected="a title")
    description: object = named.description
    if not isinstance(description, str | None):
        yield Problem(path=at(path, "description"), value=description, expected="text")
