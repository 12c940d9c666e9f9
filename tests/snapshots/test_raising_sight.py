"""A host's sight that raises is an output, and sees nothing; other owners' rules go on."""

import pytest

from engine_scenes import automation, decisions, fail, ms, on, plugin, schedule
from snapshots.cutting import CI
from wakeful import Engine, PluginEvent, Press, TypeRegistered
from wakeful.model.outputs import Fault


class Moody:
    """Raises when asked about Ann, until she is well."""

    def __init__(self) -> None:
        self.is_well = False

    def sees(self, owner, session, facts):
        return self.ask(owner)

    def met(self, owner):
        return self.ask(owner)

    def ask(self, owner):
        if owner == "user:ann" and not self.is_well:
            raise RuntimeError("no directory")
        return True


ANN = automation(on("toolFailed"), id="a", owner="user:ann", overlap="parallel")
BEN = automation(on("toolFailed"), id="b", owner="user:ben", overlap="parallel")


def faults(outputs):
    return [
        (fault.at, fault.automation, fault.message) for fault in outputs if isinstance(fault, Fault)
    ]


SAID = "asked whether user:ann sees session s: RuntimeError('no directory')"


def test_it_is_an_output_and_the_rules_of_others_go_on():
    outputs = Engine([ANN, BEN], sight=Moody()).feed(fail(1))
    assert decisions(outputs) == ["1 b start 1"]
    assert faults(outputs) == [(ms(1), "ahp-automation:/a", SAID)]


@pytest.mark.parametrize("way", ["feed", "feed_many", "stream"])
def test_each_way_of_feeding_tells_it_last(way):
    engine = Engine([ANN, BEN], sight=Moody())
    outputs = {
        "feed": lambda: engine.feed(fail(1)),
        "feed_many": lambda: engine.feed_many([fail(1)]),
        "stream": lambda: list(engine.stream([fail(1)])),
    }[way]()
    assert isinstance(outputs[-1], Fault)
    keys = [output.key for output in outputs]
    assert keys == sorted(keys)


def test_an_automation_without_an_owner_that_cannot_be_asked_about_is_told():
    class Broken:
        def sees(self, owner, session, facts):
            raise ValueError

        met = sees

    outputs = Engine([automation(on("toolFailed"))], sight=Broken()).feed(fail(1))
    assert [fault.automation for fault in outputs] == ["ahp-automation:/a"]


def test_it_is_asked_again_about_another_session():
    sight = Moody()
    engine = Engine([ANN], sight=sight)
    assert len(engine.feed(fail(1))) == 1
    sight.is_well = True
    assert decisions(engine.feed(fail(2, "other"))) == ["2 a start 1"]


def test_a_plugin_event_that_nobody_can_be_asked_about_matches_nothing():
    engine = Engine([automation(plugin("ci", "red"), owner="user:ann")], sight=Moody())
    engine.feed(TypeRegistered(definition=CI, at=0))
    (fault,) = engine.feed(PluginEvent(type="ci", event="red", at=5))
    assert "sees a plugin's event" in fault.message


def test_an_occurrence_of_an_owner_who_cannot_be_asked_about_is_dropped():
    engine = Engine([automation(schedule("* * * * *"), owner="user:ann")], at=0, sight=Moody())
    outputs = engine.advance(ms(60))
    assert decisions(outputs) == ["60 a drop ownerUnknown 1"]
    assert "is met" in outputs[-1].message


def test_a_press_of_an_owner_who_cannot_be_asked_about_is_refused():
    engine = Engine([ANN], at=0, sight=Moody())
    outputs = engine.feed(Press(automation="ahp-automation:/a", request_id="p", at=1))
    assert decisions(outputs) == ["0.001 a refuse ownerUnknown"]
    assert isinstance(outputs[-1], Fault)
