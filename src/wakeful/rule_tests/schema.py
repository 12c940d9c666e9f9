"""JSON Schema of files of rule tests."""

from typing import Any, Final

import msgspec

from wakeful.reading.schema import Schema, SchemaMaker
from wakeful.rule_tests.moments import MOMENT
from wakeful.rule_tests.notation import INPUT, LINES, TestInput
from wakeful.rule_tests.shapes import CONVERTER, FileShape

_DEFS: Final = "#/$defs/{name}"


def rule_test_schema() -> Schema:
    """The schema of a ``*.test.yaml`` file."""
    maker = SchemaMaker(CONVERTER, leaves={TestInput: _input()})
    schema = maker.document(FileShape, "Rule tests of wakeful.")
    schema["properties"]["tests"]["minItems"] = 1
    finished = maker.finish(schema)
    finished["$defs"]["Expectation"]["anyOf"] = [
        {"required": ["matches"]},
        {"required": ["decisions"]},
    ]
    finished["$defs"].update(_lines())
    return finished


def _input() -> Schema:
    """An input: a line of the notation, or one of the native log as a map."""
    chosen: Any = False
    for kind, shape in LINES.items():
        chosen = {
            "if": {"properties": {"kind": {"const": kind}}},
            "then": {"$ref": _DEFS.format(name=_name(shape))},
            "else": chosen,
        }
    return {
        "anyOf": [
            {"type": "string", "description": INPUT.expected},
            {
                "type": "object",
                "properties": {"kind": {"enum": list(LINES)}, "at": dict(MOMENT.schema)},
                "required": ["at", "kind"],
                **chosen,
            },
        ]
    }


def _lines() -> dict[str, Schema]:
    """What the lines of the native log hold, made of the records that they are read into."""
    shapes = tuple(dict.fromkeys(LINES.values()))
    references, definitions = msgspec.json.schema_components(shapes, ref_template=_DEFS)
    found: dict[str, Schema] = {}
    for shape, reference in zip(shapes, references, strict=True):
        line = definitions.pop(reference["$ref"].rpartition("/")[2])
        line["properties"] |= {"kind": {}, "at": {}}
        found[_name(shape)] = {**line, "additionalProperties": False}
    return found | definitions


def _name(shape: type[msgspec.Struct]) -> str:
    return f"Line{shape.__name__.strip('_').removesuffix('Line')}"
