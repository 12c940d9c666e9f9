"""Trigger types of plugins: registration, config schemas, connectors, matchers, discovery.

Importing this room imports attrs and the standard library alone; jsonschema comes with
the first type that has a config schema.
"""

from wakeful.plugins.bound import BoundTrigger, RegisteredType
from wakeful.plugins.connectors import (
    Connector,
    Connectors,
    NoConnectors,
    UncheckedConnectors,
    completions,
)
from wakeful.plugins.discovery import list_trigger_definitions
from wakeful.plugins.frozen import freeze, is_within, plain
from wakeful.plugins.matchers import Answer, Matcher, Verdict
from wakeful.plugins.registry import FireReason, FireRefusal, TypeRegistry

__all__ = [
    "Answer",
    "BoundTrigger",
    "Connector",
    "Connectors",
    "FireReason",
    "FireRefusal",
    "Matcher",
    "NoConnectors",
    "RegisteredType",
    "TypeRegistry",
    "UncheckedConnectors",
    "Verdict",
    "completions",
    "freeze",
    "is_within",
    "list_trigger_definitions",
    "plain",
]
