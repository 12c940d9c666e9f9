"""From plain data and files to records, with every problem named."""

from wakeful.reading.definitions import (
    read_automation,
    read_declared_type,
    read_definition,
    read_trigger_type,
)
from wakeful.reading.rulesets import DeclaredType, Ruleset, load_rules
from wakeful.reading.shipped import shipped_rules_folder
from wakeful.reading.writing import write_automation, write_definition, write_trigger_type

__all__ = [
    "DeclaredType",
    "Ruleset",
    "load_rules",
    "read_automation",
    "read_declared_type",
    "read_definition",
    "read_trigger_type",
    "shipped_rules_folder",
    "write_automation",
    "write_definition",
    "write_trigger_type",
]
