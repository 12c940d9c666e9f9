"""What is larger than the limits is refused, by path and with the limit; what is not, is taken."""

import json

import pytest

from engine_scenes import automation, on, plugin
from snapshots.cutting import CI
from wakeful import (
    Engine,
    InputRefusedError,
    InvalidError,
    PluginEvent,
    Settings,
    TypeRegistered,
    load_rules,
    read_automation,
    read_definition,
)
from wakeful.model.limits import Limits
from wakeful.reading.limits import beyond


def rule(**more):
    return {
        "id": "a",
        "title": "A",
        "message": {"text": "m"},
        "triggers": [on("toolFailed")],
        **more,
    }


def refused(data, limits=None):
    with pytest.raises(InvalidError) as caught:
        read_automation(data) if limits is None else read_automation(data, limits=limits)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("limits", "data", "says"),
    [
        (
            Limits(triggers=2),
            rule(triggers=[on("idle", id=f"t{n}") for n in range(3)]),
            "triggers: 3 triggers; expected at most 2",
        ),
        (Limits(text=5), rule(title="A title"), "title: text of 7 characters; expected at most 5"),
        (
            Limits(listed=2),
            rule(triggers=[on("idle", filter={"sessions": ["a", "b", "c"]})]),
            "4 keys; expected at most 2",
        ),
        (
            Limits(depth=3),
            rule(triggers=[on("idle", filter={"sessions": ["a"]})]),
            "triggers[0].events: expected data nested at most 3 deep",
        ),
        (
            Limits(values=20),
            rule(_meta={"more": list(range(30))}),
            "_meta.more: more values in all; expected at most 20",
        ),
    ],
    ids=["triggers", "text", "list", "depth", "values"],
)
def test_a_definition_beyond_a_limit_is_refused_with_it(limits, data, says):
    assert says in refused(data, limits)


def test_every_limit_that_is_broken_is_told():
    data = {"title": "A long title", "message": {"text": "A message"}}
    problems = beyond(data, Limits(text=7))
    assert [problem.path for problem in problems] == ["title", "message.text"]


def test_a_long_key_is_refused_without_being_shown():
    (problem,) = beyond({"_meta": {"k" * 100: 1}}, Limits(text=50))
    assert problem.path == "_meta"
    assert problem.message == "a key of 100 characters; expected at most 50"


def test_a_definition_at_the_limits_is_read():
    data = rule(title="A", triggers=[on("idle", id=f"t{n}") for n in range(3)])
    limits = Limits(triggers=3, text=10, listed=7, depth=5, values=60)
    assert len(read_automation(data, limits=limits).definition.triggers) == 3


@pytest.mark.parametrize(
    "data",
    [
        rule(title="x" * 1_000_001),
        rule(triggers=[on("idle", id=f"t{n}") for n in range(201)]),
        rule(_meta={"x": ["y"] * 10_001}),
        rule(_meta={"x": [["y"] * 10_000] * 11}),
    ],
    ids=["text", "triggers", "list", "values"],
)
def test_the_defaults_refuse_what_nobody_means(data):
    assert len(refused(data)) == 1


def test_data_that_is_shared_over_and_over_is_refused_at_once():
    shared = ["x"] * 100
    for _ in range(20):
        shared = [shared] * 100
    assert len(refused(rule(_meta={"x": shared}))) == 1


def test_a_definition_alone_is_held_to_the_limits():
    with pytest.raises(InvalidError):
        read_definition({"title": "A title"}, limits=Limits(text=5))


def test_a_file_beyond_the_limit_is_refused_and_not_read_whole(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"automations": [rule()]}) + " " * 2_000)
    with pytest.raises(InvalidError, match="at most 1000 bytes"):
        load_rules([path], limits=Limits(file=1_000))
    assert len(load_rules([path]).automations) == 1


@pytest.mark.parametrize(
    "data",
    [{"x": "y" * 100}, {"k" * 100: 1}, {"x": [0] * 100}, {"x": {"y": [["z"] * 50] * 2}}],
    ids=["text", "key", "list", "deep"],
)
def test_a_plugin_event_with_too_much_data_is_refused(data):
    engine = Engine([automation(plugin("ci", "red"))], settings=Settings(limits=Limits(data=99)))
    engine.feed(TypeRegistered(definition=CI, at=0))
    before = engine.snapshot()
    with pytest.raises(InputRefusedError, match="at most 99 values and characters"):
        engine.feed(PluginEvent(type="ci", event="red", at=1, data=data))
    assert before == engine.snapshot()


def test_a_plugin_event_at_the_limit_is_taken():
    engine = Engine([automation(plugin("ci", "red"))], settings=Settings(limits=Limits(data=12)))
    engine.feed(TypeRegistered(definition=CI, at=0))
    # The map, its key, its value of ten characters.
    assert len(engine.feed(PluginEvent(type="ci", event="red", at=1, data={"": "y" * 10}))) == 2


@pytest.mark.parametrize(
    "name",
    ["file", "triggers", "listed", "values", "text", "data", "line", "message", "request", "saved"],
)
@pytest.mark.parametrize("value", [0, -1, True, 1.5, None])
def test_a_limit_that_limits_nothing_is_refused(name, value):
    with pytest.raises(InvalidError) as caught:
        Limits(**{name: value})
    assert [name] == [problem.path for problem in caught.value.problems]


def test_a_depth_beyond_what_readers_hold_is_refused():
    with pytest.raises(InvalidError, match="at most 64"):
        Limits(depth=65)
