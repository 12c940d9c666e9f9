"""What a wake does while a run is going (semantics 9.4 to 9.9)."""

import pytest

from gate.gate_world import World, automation, words


def test_a_wake_starts_where_nothing_is_going():
    world = World()

    assert words(world.match()) == ["start 1"]
