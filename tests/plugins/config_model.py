"""A plain model of what a config schema refuses, and strategies for schemas and values.

The model shares nothing with the product: no table, no jsonschema, one function that reads
top to bottom. It says where and what kind of refusal, not in which words.
"""

from typing import Any

from hypothesis import strategies as st

NAMES = ("branch", "tries", "a.b", "on")

BOUNDS = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "minLength": lambda value, limit: len(value) >= limit,
    "maxLength": lambda value, limit: len(value) <= limit,
    "minItems": lambda value, limit: len(value) >= limit,
    "maxItems": lambda value, limit: len(value) <= limit,
}


def is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int):
        return kind in ("integer", "number")
    if isinstance(value, float):
        return kind == "number"
    return kind == {str: "string", list: "array", dict: "object", type(None): "null"}[type(value)]


def alike(one: Any, other: Any) -> bool:
    """Equal as JSON: a truth value is no number, 1 and 1.0 are one number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    return bool(one == other)


def refusals(schema: dict[str, Any], config: Any) -> set[tuple[tuple[Any, ...], str]]:
    """Steps and kind of everything that is refused: kind, choice, bound, unknown, missing, readOnly."""
    found: set[tuple[tuple[Any, ...], str]] = set()
    _members(schema, config, (), found)
    return found


def _members(schema: Any, value: dict[str, Any], steps: tuple[Any, ...], found: set[Any]) -> None:
    properties = schema.get("properties", {})
    for key, member in value.items():
        if key in properties:
            _value(properties[key], member, (*steps, key), found)
        else:
            found.add(((*steps, key), "unknown"))
    for key in schema.get("required", []):
        if key not in value:
            found.add(((*steps, key), "missing"))


def _value(schema: Any, value: Any, steps: tuple[Any, ...], found: set[Any]) -> None:
    kind = schema.get("type")
    if kind is not None and not is_kind(value, kind):
        found.add((steps, "kind"))
        return
    if schema.get("readOnly") and not (
        "default" in schema and repr(value) == repr(schema["default"])
    ):
        found.add((steps, "readOnly"))
    choices = [] if schema.get("enumDynamic") else schema.get("enum", [])
    if choices and not any(alike(value, choice) for choice in choices):
        found.add((steps, "choice"))
    for bound, holds in BOUNDS.items():
        if bound in schema and not holds(value, schema[bound]):
            found.add((steps, bound))
    if kind == "object" and "properties" in schema:
        _members(schema, value, steps, found)
    if kind == "array" and "items" in schema:
        for index, entry in enumerate(value):
            _value(schema["items"], entry, (*steps, index), found)


small = st.integers(-3, 3)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    small,
    st.sampled_from([0.0, 1.0, 2.5]),
    st.sampled_from(["", "a", "bc", "main"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
"""Any plain value, small enough to meet what a schema says."""


@st.composite
def bounded(draw: Any, low: str, high: str, least: int) -> dict[str, int]:
    bottom = draw(st.integers(least, least + 3))
    chosen = {low: bottom, high: draw(st.integers(bottom + 1, bottom + 3))}
    return {key: chosen[key] for key in draw(st.sets(st.sampled_from([low, high])))}


flags = st.fixed_dictionaries({}, optional={"title": st.just("T"), "x-mine": st.just([1])})

strings = st.one_of(
    bounded("minLength", "maxLength", 0),
    st.fixed_dictionaries(
        {"enum": st.lists(st.sampled_from(["", "a", "main"]), min_size=1, max_size=2)},
        optional={"enumDynamic": st.booleans()},
    ),
    st.sampled_from([{}, {"readOnly": True}, {"readOnly": True, "default": "a"}]),
).map(lambda rest: {"type": "string", **rest})

numbers = st.builds(
    lambda kind, rest: {"type": kind, **rest},
    st.sampled_from(["integer", "number"]),
    st.one_of(
        bounded("minimum", "maximum", -2),
        bounded("exclusiveMinimum", "exclusiveMaximum", -2),
        st.fixed_dictionaries({"enum": st.lists(small, min_size=1, max_size=2)}),
        st.sampled_from([{"readOnly": True, "default": 1}]),
    ),
)

anything = st.sampled_from([{}, {"type": "boolean"}, {"type": "object"}, {"type": "array"}])


def objects(inner: st.SearchStrategy[Any], *, least: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    named = st.dictionaries(st.sampled_from(NAMES), inner, min_size=least, max_size=3)
    return named.flatmap(_with_required)


def _with_required(properties: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    can_be = [
        name
        for name, described in properties.items()
        if not described.get("readOnly") or "default" in described
    ]
    required = st.sets(st.sampled_from(can_be)).map(sorted) if can_be else st.just([])
    return st.builds(
        lambda chosen: {"type": "object", "properties": properties, "required": chosen}, required
    )


def _arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda items, rest: {"type": "array", "items": items, **rest},
        inner,
        bounded("minItems", "maxItems", 0),
    )


properties = st.recursive(
    st.builds(lambda one, other: {**one, **other}, st.one_of(strings, numbers, anything), flags),
    lambda inner: st.one_of(objects(inner), _arrays(inner)),
    max_leaves=4,
)

schemas = objects(properties, least=1)
"""Config schemas without faults."""


def near(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Configs that mostly have the keys of the schema, and mostly values of their kind."""
    return _near_object(schema)


@st.composite
def _near_object(draw: Any, schema: dict[str, Any]) -> dict[str, Any]:
    # Dice with thumbs on them: left to itself, hypothesis leaves out most keys and gives
    # most values the wrong kind, and then no bound is ever reached.
    config = {
        name: draw(_near_value(described))
        for name, described in schema.get("properties", {}).items()
        if draw(st.sampled_from([True, True, True, False]))
    }
    if draw(st.sampled_from([True, False, False, False])):
        config.setdefault(draw(st.sampled_from(["brnach", "on", "x"])), draw(scalars))
    return config


@st.composite
def _near_value(draw: Any, schema: dict[str, Any]) -> Any:
    if draw(st.integers(0, 9)) == 9:
        return draw(values)
    if "enum" in schema and draw(st.booleans()):
        return draw(st.sampled_from(schema["enum"]))
    match schema.get("type"):
        case "object":
            return draw(_near_object(schema))
        case "array" if "items" in schema:
            return draw(st.lists(_near_value(schema["items"]), max_size=4))
        case "string":
            return draw(st.sampled_from(["", "a", "bc", "main", "abcdef"]))
        case "integer" | "number":
            return draw(small)
        case "boolean":
            return draw(st.booleans())
    return draw(values)


cases = schemas.flatmap(lambda schema: st.tuples(st.just(schema), near(schema)))
"""A schema, and a config that is near to what it takes."""
