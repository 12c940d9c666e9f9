"""The quick look at data that is within its limits finds what the walk with paths would find."""

from hypothesis import given
from hypothesis import strategies as st

from wakeful.model.limits import Limits
from wakeful.reading.limits import _is_within, _Walk

DATA = st.recursive(
    st.none() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["triggers", "a", "long key"]), inner, max_size=3)
    ),
    max_leaves=12,
)
LIMITS = st.builds(
    Limits,
    text=st.integers(1, 7),
    depth=st.integers(1, 4),
    triggers=st.integers(1, 4),
    listed=st.integers(1, 4),
    values=st.integers(1, 12),
)


@given(DATA, LIMITS)
def test_what_is_found_within_has_no_problem(data, limits):
    if _is_within(data, limits):
        assert list(_Walk(limits).beyond(data, "", limits.depth)) == []


@given(DATA, st.integers(1, 4))
def test_what_has_no_problem_is_found_within_where_lists_have_one_limit(data, depth):
    limits = Limits(text=5, depth=depth, triggers=3, listed=3, values=10)
    walked = list(_Walk(limits).beyond(data, "", limits.depth))
    if isinstance(data, dict | list):
        assert _is_within(data, limits) is (walked == [])
