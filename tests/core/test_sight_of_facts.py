"""Sight that comes and goes: by grants, by a host's own word about facts, by another owner.

Semantics 9.2: what an owner loses sight of is forgotten; regained sight is adding the rules.
"""

import pytest

from engine_scenes import (
    automation,
    event_within,
    fail,
    idle,
    matched_at,
    ms,
    ok,
    on,
    saved,
    turn,
)
from wakeful import Engine, GrantsChanged, Settings

ANN = "user:ann"
LONG_TURN = automation(on("turnCompleted", when={"turnLongerThan": "60s"}), owner=ANN)
PARALLEL = {"owner": ANN, "overlap": "parallel"}


class ByProject:
    """Ann sees the sessions of one project; everybody else sees every session."""

    def sees(self, owner, session, facts):
        return owner != ANN or facts.project == "web"

    def met(self, owner):
        return True


def grants(at, *held, to=ANN):
    return GrantsChanged(principal=to, grants=held, at=ms(at))


@pytest.mark.parametrize(("granted", "due"), [(20, 60), (60, 60), (100, 100)])
def test_a_silence_is_timed_though_nothing_happens_after_the_grant(granted, due):
    engine = Engine([LONG_TURN], at=0)
    engine.feed(turn(0))
    engine.feed(grants(granted, "session:read"))
    assert matched_at(engine.advance(ms(300))) == [due]


def test_a_silence_whose_sight_is_lost_never_matches():
    engine = Engine([LONG_TURN], at=0)
    engine.feed_many([grants(0, "session:read"), turn(0), grants(20)])
    assert matched_at(engine.advance(ms(300))) == []
    assert engine.next_deadline is None


def test_hits_are_forgotten_where_a_change_of_facts_hides_the_session():
    engine = Engine([automation(on("toolFailed", count={"n": 2}), **PARALLEL)], sight=ByProject())
    web, other = {"project": "web"}, {"project": "other"}
    outputs = engine.feed_many(
        [fail(1, facts=web), ok(2, facts=other), fail(3, facts=web), fail(4, facts=web)]
    )
    assert matched_at(outputs) == [4]


@pytest.mark.parametrize("then", [idle("30s"), event_within("idle", "30s")])
def test_waits_are_forgotten_where_a_change_of_facts_hides_the_session(then):
    engine = Engine([automation(on("toolFailed", then=then), **PARALLEL)], sight=ByProject())
    engine.feed(fail(1, facts={"project": "web"}))
    engine.feed(turn(1, project="other"))
    engine.feed(turn(1, project="web"))
    assert matched_at(engine.advance(ms(300))) == []
    assert engine.statistics().waits == 0
    engine.check()


def test_a_change_of_facts_that_hides_nothing_keeps_hits():
    engine = Engine([automation(on("toolFailed", count={"n": 2}), **PARALLEL)], sight=ByProject())
    first = {"project": "web", "folders": ("file:///a",)}
    outputs = engine.feed_many([fail(1, facts=first), fail(2, facts={"project": "web"})])
    assert matched_at(outputs) == [2]


def grant_in_a_turn():
    """Ann sees the session from the middle of its turn on."""
    return [LONG_TURN], [turn(0), grants(100, "session:read")], LONG_TURN


def owner_in_a_turn():
    """The automation is given to Ann, who sees it, by Ben, who did not."""
    of_ben = automation(on("turnCompleted", when={"turnLongerThan": "60s"}), owner="user:ben")
    return [of_ben], [grants(0, "session:read"), turn(0), saved(100, LONG_TURN)], LONG_TURN


@pytest.mark.parametrize("scene", [grant_in_a_turn, owner_in_a_turn])
def test_since_when_a_session_is_seen_outlives_a_restart(scene):
    first, inputs, now = scene()
    engine = Engine(first, at=0)
    engine.feed_many(inputs)
    restored = Engine.restore(engine.snapshot(), [now]).engine
    assert matched_at(engine.advance(ms(300))) == [100]
    assert matched_at(restored.advance(ms(300))) == [100]


@pytest.mark.parametrize("scene", [grant_in_a_turn, owner_in_a_turn])
def test_since_when_a_session_is_seen_moves_with_the_session(scene):
    first, inputs, now = scene()
    engine = Engine(first, at=0)
    engine.feed_many(inputs)
    there = Engine([now], at=0, settings=Settings(unmet="every"))
    there.advance(ms(100))
    assert there.import_session(engine.export_session("s")) == ()
    assert matched_at(there.advance(ms(300))) == [100]
