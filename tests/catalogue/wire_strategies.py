"""Wire data of every record, made from the records' own fields, with members nobody knows."""

import string
from types import UnionType
from typing import Literal, Union, get_args, get_origin

import attrs
from hypothesis import strategies as st

from wakeful.catalogue.actions import ACTION_CLASSES, Action
from wakeful.catalogue.converting import member_of
from wakeful.catalogue.definitions import Plain
from wakeful.catalogue.states import RunState

TEXTS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
MAPS = st.dictionaries(TEXTS, VALUES, max_size=2)
NAMES = st.sampled_from(["x-new", "unknown", "extra", *string.ascii_uppercase[:3]])


def data_of(cls):
    """Plain data that reads as ``cls``: optional members come and go, unknown ones are added."""
    required, optional = {}, {}
    for field in attrs.fields(cls):
        if field.name == "unknown":
            continue
        member = member_of(field.name)
        if not field.init:
            required[member] = st.just(field.default)
        elif field.default is attrs.NOTHING:
            required[member] = of(field.type)
        else:
            optional[member] = of(field.type)
    if cls.__name__ == "UnknownAction":
        required["type"] = TEXTS.filter(lambda text: text not in ACTION_CLASSES)
    known = st.fixed_dictionaries(required, optional=optional)
    unknown = st.dictionaries(NAMES, VALUES, max_size=1)
    taken = {*required, *optional}
    return st.builds(
        lambda one, other: {**one, **{k: v for k, v in other.items() if k not in taken}},
        known,
        unknown,
    )


def of(declared):
    """Data of a declared type."""
    if declared == Plain:
        return MAPS
    if declared == Action:
        return st.deferred(actions)
    origin, args = get_origin(declared), get_args(declared)
    if origin is tuple:
        return st.lists(of(args[0]), max_size=2)
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of(*(of(each) for each in args if each is not type(None)))
    if attrs.has(declared):
        return data_of(declared)
    return {str: TEXTS, bool: st.booleans(), int: st.integers(0, 99)}[declared]


def actions():
    return st.one_of(*(data_of(cls) for cls in ACTION_CLASSES.values()))


RUN_STATES = data_of(RunState)
