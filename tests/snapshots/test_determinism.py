"""The same inputs give the same bytes, under any hash seed, however often it is restored."""

import os
import subprocess
import sys

import pytest

import recorded_scene as scene
from snapshots import restored_scene


def printed(seed: int, *every: int) -> str:
    return subprocess.run(
        [sys.executable, restored_scene.__file__, *map(str, every)],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        check=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("every", [1, 2, 5, 13])
def test_an_engine_restored_over_and_over_gives_the_recorded_bytes(every):
    outputs, _digests = restored_scene.lived(every)
    assert scene.lines(outputs) == scene.recorded()


@pytest.mark.parametrize("seeds", [range(1, 3), pytest.param(range(20), marks=pytest.mark.deep)])
def test_no_hash_seed_changes_a_byte_of_outputs_or_snapshots(seeds):
    expected = printed(0, 3)
    assert expected.startswith(scene.recorded())
    for seed in seeds:
        assert expected == printed(seed, 3), f"hash seed {seed}"


def test_in_one_process_and_in_several_the_bytes_are_the_same():
    together = printed(5, 3, 7)
    assert together == printed(6, 3) + printed(7, 7)
