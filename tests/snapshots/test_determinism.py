"""The same inputs give the same bytes, under any hash seed, however often it is restored."""

import os
import subprocess
import sys

import pytest

import recorded_scene as scene
from snapshots import restored_scene

DEEP = pytest.mark.deep


def printed(name: str, seed: int, *every: int) -> str:
    return subprocess.run(
        [sys.executable, restored_scene.__file__, name, *map(str, every)],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        check=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("every", [1, 2, 5, 13])
def test_an_engine_restored_over_and_over_gives_the_recorded_bytes(every):
    outputs, _digests = restored_scene.lived("recorded", every)
    assert scene.lines(outputs) == scene.recorded()


@pytest.mark.parametrize("every", [97, pytest.param(10, marks=DEEP), pytest.param(1, marks=DEEP)])
def test_an_engine_restored_over_and_over_gives_what_one_does_that_never_stopped(every):
    expected, _none = restored_scene.lived("mixed", 1_000_000)
    outputs, digests = restored_scene.lived("mixed", every)
    assert restored_scene.told(expected) == restored_scene.told(outputs)
    assert len(digests) > 1_200 // every


def test_the_mixed_scene_shows_every_kind_of_decision_and_reason_that_rules_come_to():
    outputs, _digests = restored_scene.lived("mixed", 1_000_000)
    kinds = {str(getattr(each, "kind", "match")) for each in outputs}
    assert kinds >= {"match", "start", "hold", "fold", "release", "drop", "answer"}
    reasons = {str(each.reason) for each in outputs if getattr(each, "reason", None)}
    assert reasons >= {"rateLimited", "skipped", "ownerUnknown"}


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        ("mixed", range(1, 3)),
        pytest.param("mixed", range(20), marks=DEEP),
        pytest.param("recorded", range(20), marks=DEEP),
    ],
)
def test_no_hash_seed_changes_a_byte_of_outputs_or_snapshots(name, seeds):
    expected = printed(name, 0, 50)
    assert expected
    for seed in seeds:
        assert expected == printed(name, seed, 50), f"hash seed {seed}"


def test_in_one_process_and_in_several_the_bytes_are_the_same():
    together = printed("recorded", 5, 3, 7)
    assert together.startswith(scene.recorded())
    assert together == printed("recorded", 6, 3) + printed("recorded", 7, 7)
