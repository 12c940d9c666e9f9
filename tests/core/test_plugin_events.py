"""Section 11 of the semantics through the engine: a plugin's events wake, and stop nobody."""

import attrs
import pytest

from engine_scenes import automation, decisions, matches, on, plugin, saved
from wakeful import (
    Engine,
    GrantsChanged,
    InputRefusedError,
    Match,
    PluginEvent,
    Settings,
    TriggerEvent,
    TriggerType,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.outputs import Fault
from wakeful.plugins import TypeRegistry

SETTINGS = Settings(run_time="none")
BUILD = TriggerType(
    type="build",
    title="Builds",
    events=(
        TriggerEvent(id="failed", title="A build failed"),
        TriggerEvent(id="fixed", title="Fixed"),
    ),
    config_schema={
        "type": "object",
        "properties": {"branch": {"type": "string"}},
        "required": ["branch"],
    },
)
OPEN = attrs.evolve(BUILD, config_schema=None)
WATCHER = automation(plugin("build", "failed", branch="main"))


def registered(type_=BUILD, at=0, by="ci"):
    return TypeRegistered(definition=type_, at=at, by=by)


def fired(at, event="failed", by="ci", type_="build", **data):
    return PluginEvent(type=type_, event=event, at=at, data=data, by=by)


def engine_of(*automations, **given):
    return Engine(automations, settings=SETTINGS, **given)


def test_11_a_plugins_event_wakes_and_names_no_session():
    engine = engine_of(WATCHER)
    (match, decision) = engine.feed_many([registered(), fired(5, number=7)])
    assert (match.session, match.event, match.count, match.at) == (None, "failed", 1, 5)
    assert dict(match.data) == {"number": 7}
    assert (decision.session, str(decision.kind)) == (None, "start")


def test_11_1_the_names_of_this_library_are_taken():
    for name in ("session", "watch"):
        with pytest.raises(InputRefusedError, match=name):
            engine_of().feed(registered(attrs.evolve(OPEN, type=name)))


def test_11_1_a_second_registration_is_refused_and_the_first_stays():
    engine = engine_of(WATCHER)
    engine.feed(registered())
    with pytest.raises(InputRefusedError, match="build"):
        engine.feed(registered(attrs.evolve(OPEN, events=()), by="other"))
    assert matches(engine.feed(fired(1))) == ["0.001 a/t1 None failed x1"]


def test_11_2_a_definition_whose_config_fails_the_schema_is_refused_by_path():
    engine = engine_of()
    engine.feed(registered())
    bad = automation(plugin("build", "failed", "exploded", brunch="main"))
    with pytest.raises(InputRefusedError) as raised:
        engine.feed(saved(1, bad))
    paths = {problem.path for problem in raised.value.problems}
    assert {"triggers[0].config.brunch", "triggers[0].events[1].id"} <= paths
    assert engine.statistics().automations == 0


def test_11_2_a_trigger_of_an_unregistered_type_is_saved_and_never_wakes():
    engine = engine_of(WATCHER, automation(on("toolFailed"), id="b"))
    assert engine.statistics().automations == 2
    with pytest.raises(InputRefusedError, match="build"):
        engine.feed(fired(1))


def test_11_2_it_starts_to_work_when_the_type_is_registered():
    engine = engine_of(WATCHER)
    engine.feed(registered(at=10))
    assert matches(engine.feed(fired(20))) == ["0.02 a/t1 None failed x1"]


def test_11_2_a_saved_config_that_does_not_pass_then_goes_on_sleeping():
    engine = engine_of(
        automation(plugin("build", "failed", brunch="main")),
        automation(plugin("build", "failed", branch="main"), id="b"),
    )
    engine.feed(registered())
    assert matches(engine.feed(fired(1))) == ["0.001 b/t1 None failed x1"]


def test_11_2_a_type_that_was_removed_puts_its_triggers_to_sleep_until_it_is_back():
    engine = engine_of(WATCHER)
    engine.feed_many([registered(), TypeRemoved(type="build", at=1)])
    with pytest.raises(InputRefusedError):
        engine.feed(fired(2))
    engine.feed(registered(at=3))
    assert matches(engine.feed(fired(4))) == ["0.004 a/t1 None failed x1"]


@pytest.mark.parametrize(
    ("event", "by", "says"),
    [("failed", "other", "ci"), ("exploded", "ci", "exploded")],
    ids=["another plugin", "an event it does not offer"],
)
def test_11_3_what_a_plugin_may_not_fire_is_refused_and_leaves_no_trace(event, by, says):
    engine = engine_of(WATCHER)
    engine.feed(registered())
    with pytest.raises(InputRefusedError, match=says):
        engine.feed(fired(50, event, by))
    assert (engine.now, engine.statistics().inputs) == (0, 1)


def test_11_data_that_is_no_map_of_plain_data_is_refused():
    engine = engine_of(WATCHER)
    engine.feed(registered())
    with pytest.raises(InputRefusedError, match="data"):
        engine.feed(fired(1, thing=object()))


def test_an_event_wakes_only_those_who_selected_it():
    engine = engine_of(
        automation(plugin("build", "failed"), id="a"),
        automation(plugin("build", "fixed"), id="b"),
        automation(plugin("build", "fixed", "failed"), id="c"),
        automation(plugin("deploy", "failed"), id="d"),
    )
    engine.feed(registered(OPEN))
    assert [line.split()[1] for line in matches(engine.feed(fired(1)))] == ["a/t1", "c/t1"]
    assert [line.split()[1] for line in matches(engine.feed(fired(2, "fixed")))] == ["b/t1", "c/t1"]


def test_an_event_selected_twice_wakes_once():
    engine = engine_of(automation(plugin("build", "failed", "fixed")))
    engine.feed(registered(OPEN))
    assert len(matches(engine.feed(fired(1)))) == 1


def branch_of(config, data):
    return config["branch"] == data["branch"]


def with_matcher(*automations, matcher=branch_of):
    engine = engine_of(*automations, types=TypeRegistry(matchers={"build": matcher}))
    engine.feed(registered())
    return engine


def on_branch(name, branch):
    return automation(plugin("build", "failed", branch=branch), id=name)


def test_a_plugins_matcher_says_whom_an_event_concerns():
    engine = with_matcher(on_branch("a", "main"), on_branch("b", "dev"))
    assert matches(engine.feed(fired(1, branch="dev"))) == ["0.001 b/t1 None failed x1"]


def test_a_matcher_that_raises_is_a_fault_and_stops_nobody():
    def touchy(config, data):
        if config["branch"] == "dev":
            raise LookupError("no such branch")
        return True

    engine = with_matcher(
        on_branch("a", "main"), on_branch("b", "dev"), on_branch("c", "main"), matcher=touchy
    )
    outputs = engine.feed(fired(1))
    assert [line.split()[1] for line in matches(outputs)] == ["a/t1", "c/t1"]
    (fault,) = [each for each in outputs if isinstance(each, Fault)]
    assert (fault.automation, fault.trigger, fault.at) == ("ahp-automation:/b", "t1", 1)
    assert fault.message == "the matcher of build raised LookupError: no such branch"
    assert [each.key for each in outputs] == sorted(each.key for each in outputs)


def test_a_matcher_that_answers_neither_yes_nor_no_is_a_fault_too():
    engine = with_matcher(on_branch("a", "main"), matcher=lambda config, data: None)
    assert [type(each) for each in engine.feed(fired(1))] == [Fault]


def test_a_matcher_that_raises_takes_no_slot_of_the_cap():
    def raises(config, data):
        raise ValueError

    engine = with_matcher(on_branch("a", "main"), matcher=raises)
    outputs = engine.feed_many(fired(at) for at in range(30))
    assert decisions(outputs) == []


def test_a_plugins_event_is_held_to_what_the_owner_may_see():
    owned = automation(plugin("build", "failed"), id="owned", owner="user:ann")
    engine = engine_of(owned, automation(plugin("build", "failed"), id="unowned"))
    engine.feed(registered(OPEN))
    assert [line.split()[1] for line in matches(engine.feed(fired(1)))] == ["unowned/t1"]
    engine.feed(GrantsChanged(principal="user:ann", grants=("session:read",), at=2))
    assert [line.split()[1] for line in matches(engine.feed(fired(3)))] == [
        "owned/t1",
        "unowned/t1",
    ]


def test_a_plugins_event_takes_the_road_of_overlap_and_cap():
    engine = Engine([automation(plugin("build", "failed"))])
    engine.feed(registered(OPEN))
    outputs = engine.feed_many(fired(at) for at in range(3))
    assert decisions(outputs) == ["0 a start 1", "0.001 a hold 1", "0.002 a fold 1"]


def test_an_automation_that_is_off_is_not_asked():
    asked = []
    engine = with_matcher(
        automation(plugin("build", "failed", branch="x"), enabled=False),
        matcher=lambda config, data: bool(asked.append(data)),
    )
    assert engine.feed(fired(1)) == []
    assert asked == []


def test_what_a_plugin_does_with_its_data_afterwards_changes_nothing():
    engine = engine_of(automation(plugin("build", "failed")))
    engine.feed(registered(OPEN))
    data = {"list": [1]}
    (match, _) = engine.feed(PluginEvent(type="build", event="failed", at=1, data=data, by="ci"))
    data["list"].append(2)
    assert isinstance(match, Match)
    assert list(match.data["list"]) == [1]
