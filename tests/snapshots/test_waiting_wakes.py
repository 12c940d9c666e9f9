"""What waits behind a run as the host stops still waits as it comes back, told by what it was."""

import pytest

from engine_scenes import automation, decisions, fail, ms, on, plugin, schedule, settled
from snapshots.cutting import CI
from wakeful import Engine, InvalidError, PluginEvent, Tick, TriggerType, TypeRegistered

STRICT = TriggerType(
    type="ci",
    title="CI",
    events=CI.events,
    config_schema={"type": "object", "properties": {}, "additionalProperties": False},
)


def restored(engine: Engine, *automations) -> Engine:
    return Engine.restore(engine.snapshot(), automations).engine


def red(at: float, **data) -> PluginEvent:
    return PluginEvent(type="ci", event="red", at=ms(at), data=data)


@pytest.mark.parametrize("data", [{}, {"branch": "main", "of": [1, None, {"a": 0.5}]}])
def test_a_plugin_event_that_waits_is_released_with_its_data(data):
    rule = automation(plugin("ci", "red"), message={"text": "{{event.of}}"})
    engine = Engine([rule])
    engine.feed_many([TypeRegistered(definition=CI, at=0), red(1), red(2, **data)])
    again = restored(engine, rule)
    expected = engine.feed(settled(3, "wakeful-run:/a/1"))
    assert decisions(expected) == ["3 a release 1"]
    assert expected == again.feed(settled(3, "wakeful-run:/a/1"))


def test_an_occurrence_that_waits_is_released_as_one():
    rule = automation(schedule("* * * * *"))
    engine = Engine([rule])
    engine.feed_many([Tick(ms(0)), Tick(ms(60)), Tick(ms(120))])
    again = restored(engine, rule)
    expected = engine.feed(settled(121, "wakeful-run:/a/1"))
    assert expected[0].scheduled_for == ms(120)
    assert expected == again.feed(settled(121, "wakeful-run:/a/1"))


def test_a_wake_whose_trigger_is_gone_is_still_told_by_its_title():
    before = automation(on("toolFailed", id="t9"), message={"text": "{{trigger}}"})
    after = automation(on("idle"), message={"text": "{{trigger}}"})
    engine = Engine([before])
    engine.feed_many([fail(1), fail(2)])
    again = Engine.restore(engine.snapshot(), [after]).engine
    released = again.feed(settled(3, "wakeful-run:/a/1"))
    assert decisions(released) == ["3 a release 1"]


def test_a_trigger_that_sleeps_since_its_config_does_not_pass_does_not_stop_a_restart():
    rule = automation(plugin("ci", "red", branch="main"))
    engine = Engine([rule], at=0)
    engine.feed(TypeRegistered(definition=STRICT, at=0))
    again = restored(engine, rule)
    assert engine.feed(red(1)) == []
    assert again.feed(red(1)) == []


def test_a_new_definition_is_held_to_the_types_that_were_restored():
    engine = Engine(at=0)
    engine.feed(TypeRegistered(definition=STRICT, at=0))
    with pytest.raises(InvalidError, match="branch"):
        restored(engine, automation(plugin("ci", "red", branch="main")))
