"""Saved state of every format version there was can be read by this release.

``tests/fixtures/`` keeps a file of each version as the release of that time wrote it. A
fixture is never written again: a change of format takes the next version and adds one.
"""

import json
from pathlib import Path

import pytest

from engine_scenes import decisions, fail, matched_at, ms, settled
from snapshots.test_refusals import RULES, busy_engine
from wakeful import Engine, Resumed
from wakeful.core.sealed import unseal

FIXTURES = Path(__file__).parents[1] / "fixtures"
VERSION_1 = (FIXTURES / "engine-snapshot-v1.json").read_bytes()
VERSION_2 = (FIXTURES / "engine-snapshot-v2.json").read_bytes()
SESSION_1 = (FIXTURES / "session-v1.json").read_bytes()


@pytest.fixture(params=[VERSION_1, VERSION_2], ids=["version 1", "version 2"])
def saved(request):
    return request.param


def test_a_version_restores_with_everything_it_held(saved):
    restored = Engine.restore(saved, RULES)
    assert restored.let_go == ()
    assert restored.outputs == ()
    restored.engine.check()
    assert busy_engine().pending() == restored.engine.pending()


def test_a_version_goes_on_as_an_engine_that_never_stopped(saved):
    inputs = [fail(131, "s"), settled(132, "r1", of="b"), Resumed(at=ms(2_000)), fail(2_001)]
    assert busy_engine().feed_many(inputs) == Engine.restore(saved, RULES).engine.feed_many(inputs)


def test_a_wait_of_a_version_matches_at_its_deadline(saved):
    engine = Engine.restore(saved, RULES).engine
    assert 602 in matched_at(engine.advance(ms(700)))
    assert "132 b release 2" in decisions(
        Engine.restore(saved, RULES).engine.feed(settled(132, "r1", of="b"))
    )


def test_a_session_of_version_1_is_imported():
    engine = Engine(RULES, at=0)
    assert engine.import_session(SESSION_1) == ()
    assert engine.export_session("s") == SESSION_1


def test_the_format_that_is_written_is_the_newest_that_is_kept():
    """A change of what is written needs a new version, and a fixture of it."""
    written, kept = json.loads(busy_engine().snapshot()), json.loads(VERSION_2)
    assert kept["version"] == written["version"]
    assert shape(kept["state"]) == shape(written["state"])
    assert unseal(busy_engine().snapshot(), "wakeful-engine", 2) == kept["state"]


def shape(value):
    """Which members there are, at every depth."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else type(value).__name__
