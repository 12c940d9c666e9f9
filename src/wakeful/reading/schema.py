"""JSON Schema of what people write, made from the definitions that read it.

A converter remembers the records and unions it was taught; each kind of value carries the
schema of what it takes. So the schema is walked out of what reads, and a key that is added
there is in it. JSON Schema says less than the reader does: that two triggers have one id, that
an expression never occurs, that ``3.0`` is no whole number. It never refuses what is read.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType, UnionType
from typing import Any, Final, Union, get_args, get_origin

import attrs

from wakeful.model.automations import Automation, AutomationDefinition
from wakeful.model.triggers import Trigger
from wakeful.reading.converter import ReadingConverter, Written, key_of
from wakeful.reading.definitions import CONVERTER, REFERENCE_TO_TEMPLATE
from wakeful.reading.kinds import FLAG, TEXT, Kind
from wakeful.reading.shapes import (
    AutomationShape,
    DefinitionShape,
    EntryShape,
    FileShape,
    PluginTriggerShape,
    RulesetShape,
    ScheduleTriggerShape,
    SessionTemplate,
    SessionTriggerShape,
    TypeShape,
    WatchTriggerShape,
)

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def ruleset_schema() -> Schema:
    """The schema of a ruleset, in YAML or JSON."""
    maker = SchemaMaker(CONVERTER)
    schema = maker.document(RulesetShape, "A ruleset of wakeful: automations, and plugin types.")
    schema["properties"]["automations"] = _list_of(maker.of(Automation))
    schema["properties"]["types"] = _list_of(maker.of(TypeShape))
    schema["anyOf"] = [{"required": ["automations"]}, {"required": ["types"]}]
    return maker.finish(schema)


def automation_file_schema() -> Schema:
    """The schema of an automation file's front matter; its body is the text of the message."""
    maker = SchemaMaker(CONVERTER)
    schema = maker.document(FileShape, "The front matter of an automation file of wakeful.")
    schema["required"].remove("message")
    message = dict(schema["properties"]["message"])
    del message["required"]
    schema["properties"]["message"] = message
    return maker.finish(schema)


class SchemaMaker:
    """Makes schemas of the records that a converter reads; each is one of ``$defs``.

    Args:
        converter: What was taught the records.
        leaves: The schemas of types that are read by hooks of their own.
    """

    def __init__(
        self, converter: ReadingConverter, *, leaves: Mapping[Any, Schema] = MappingProxyType({})
    ) -> None:
        self._converter = converter
        self._leaves = leaves
        self._definitions: dict[str, Schema] = {}

    def document(self, cls: type[Any], description: str) -> Schema:
        """The schema of a whole document that is the record ``cls``."""
        return {"$schema": DIALECT, "description": description, **self._record(cls)}

    def finish(self, schema: Schema) -> Schema:
        """The document's schema, with the definitions that it refers to."""
        return {**schema, "$defs": dict(sorted(self._definitions.items()))}

    def of(self, declared: Any) -> Schema:
        """The schema of a type, as attributes declare it."""
        if declared in self._leaves:
            return dict(self._leaves[declared])
        if declared is str:
            return dict(TEXT.schema)
        if declared is bool:
            return dict(FLAG.schema)
        if declared in self._converter.unions:
            return self._union(declared)
        origin = get_origin(declared)
        if origin in (Union, UnionType):
            if declared == Trigger:
                return self._trigger()
            rest = tuple(part for part in get_args(declared) if part is not type(None))
            return self.of(Union[rest])  # noqa: UP007 - put together from what is left
        if origin in (tuple, frozenset):
            return _list_of(self.of(get_args(declared)[0]))
        if declared is Automation:
            return self._named("EitherAutomation", self._automation)
        if declared is AutomationDefinition:
            return self.of(DefinitionShape)
        if declared in self._converter.records:
            record = self._named(_name(declared), partial(self._record, declared))
            text = self._converter.records[declared].text
            return record if text is None else {"anyOf": [dict(text.schema), record]}
        return {"type": "object"} if origin is not None else {}

    def _named(self, name: str, make: Callable[[], Schema]) -> Schema:
        if name not in self._definitions:
            self._definitions[name] = {}  # a record that holds its own kind finds it begun
            self._definitions[name] = make()
        return {"$ref": f"#/$defs/{name}"}

    def _record(self, cls: type[Any], **given: Schema) -> Schema:
        written = self._converter.records[cls]
        properties: Schema = {key: given.get(key, {"type": "string"}) for key in written.given}
        required = list(written.given)
        for field in attrs.fields(cls):
            key = key_of(field.name)
            properties[key] = self._value(field, written) | given.get(key, {})
            if field.default is attrs.NOTHING:
                required.append(key)
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def _value(self, field: "attrs.Attribute[Any]", written: Written) -> Schema:
        kind = written.kinds.get(field.name)
        if not isinstance(kind, Kind):
            found = self.of(field.type)
            # What has to have an item is asked of every list of events, by a check.
            return {**found, "minItems": 1} if field.name == "events" else found
        if kind.schema == REFERENCE_TO_TEMPLATE:
            return self.of(SessionTemplate)
        return dict(kind.schema)

    def _union(self, declared: Any) -> Schema:
        key, table = self._converter.unions[declared]
        return {
            "type": "object",
            "properties": {key: {"enum": list(table)}},
            "required": [key],
            "allOf": [
                {
                    "if": {"properties": {key: {"const": word}}, "required": [key]},
                    "then": self._named(
                        _name(cls),
                        partial(self._record, cls, **{key: {"const": word}}),
                    ),
                }
                for word, cls in table.items()
            ],
        }

    def _automation(self) -> Schema:
        """The protocol's shape where a key says so, and a ruleset's otherwise."""
        return {
            "if": {"anyOf": [{"required": ["resource"]}, {"required": ["definition"]}]},
            "then": self.of(EntryShape),
            "else": self.of(AutomationShape),
        }

    def _trigger(self) -> Schema:
        def make() -> Schema:
            event = _choice(
                "type",
                [("session", self.of(SessionTriggerShape)), ("watch", self.of(WatchTriggerShape))],
                self.of(PluginTriggerShape),
            )
            return {
                "type": "object",
                "properties": {"kind": {"enum": ["schedule", "event"]}},
                "required": ["kind"],
                **_choice("kind", [("schedule", self.of(ScheduleTriggerShape))], event),
            }

        return self._named("AnyTrigger", make)


def _choice(key: str, cases: list[tuple[str, Schema]], other: Schema) -> Schema:
    chosen = other
    for word, schema in reversed(cases):
        chosen = {
            "if": {"properties": {key: {"const": word}}, "required": [key]},
            "then": schema,
            "else": chosen,
        }
    return chosen


def _list_of(items: Mapping[str, Any]) -> Schema:
    return {"type": "array", "items": dict(items)}


def _name(cls: type[Any]) -> str:
    return cls.__name__.removesuffix("Shape")
