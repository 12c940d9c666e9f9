"""Where inputs stand in the one order of all partitions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet_logs import generated
from fleet_scenes import lines_of, merged
from wakeful import open_logs
from wakeful.distributed.codec import key_text
from wakeful.distributed.places import Place, shard_of
from wakeful.model.outputs import OrderKey
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT

places = st.builds(
    Place,
    st.integers(MIN_INSTANT, MAX_INSTANT),
    st.integers(0, (1 << 16) - 1),
    st.integers(0, (1 << 48) - 1),
)
keys = st.builds(
    OrderKey,
    at=st.sampled_from((MIN_INSTANT, -1, 0, 1_791_382_925_118)),
    fed=st.integers(0, 1),
    rank=st.integers(-1, 2),
    sequence=st.sampled_from((0, 1, 1 << 100)),
    order=st.sampled_from(((), (0, 1), (0, 1, 0), (2, 0, 0), (2**31, 4), (2**32, 0, 0, 0))),
)


@given(places, places)
def test_numbers_compare_as_places_do(one: Place, other: Place):
    assert (one < other) == (one.number < other.number)


@given(places)
def test_a_number_tells_its_place(place: Place):
    assert place == Place.of(place.number)
    assert place.number > 0


@given(keys, keys)
def test_the_text_of_a_key_sorts_as_the_key_does(one: OrderKey, other: OrderKey):
    assert (one < other) == (key_text(one) < key_text(other))


def test_the_order_is_that_of_a_replay_of_the_partitions(tmp_path: Path):
    partitions = generated(5, 300)
    paths = []
    for number, inputs in enumerate(partitions):
        path = tmp_path / f"p{number}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for _, line in lines_of(inputs)))
        paths.append(path)
    with open_logs(paths) as log:
        read = [(type(item), getattr(item, "session", None)) for item in log]

    assert read == [(type(item), getattr(item, "session", None)) for item in merged(partitions)]


@pytest.mark.parametrize(
    ("name", "shard"), [("session:s1", 16), ("session:s2", 50), ("automation:a", 19)]
)
# The numbers are those of b2sum -l 64, modulo 64.
def test_a_name_falls_to_the_same_shard_in_every_release(name: str, shard: int):
    assert shard == shard_of(name, 64)
