"""Reported faults 17 and 48: the same inputs give the same bytes, whatever else differs."""

import json
import os
import random
import subprocess
import sys

import pytest
from ruamel.yaml import YAML

import recorded_scene as scene
from engine_scenes import automation, event_within, fail, idle, matched_at, ok, on, run, words
from wakeful import Engine, load_rules, open_logs
from wakeful.cli import main
from wakeful.replay import Replay


def test_fault_17_a_call_and_its_result_at_one_millisecond_are_taken_in_input_order():
    quiet = automation(on("toolFailed", then=idle("10s")))
    assert matched_at(run(quiet, words(0), fail(0), until=60)) == [10]
    assert matched_at(run(quiet, fail(0), words(0), until=60)) == []


def test_fault_17_two_results_at_one_millisecond_are_taken_in_input_order():
    followed = automation(on("toolFailed", then=event_within("toolCalled", "10s")))
    assert matched_at(run(followed, fail(0), ok(0))) == [0]
    assert matched_at(run(followed, ok(0), fail(0))) == []


def shuffled(value, dice):
    """The same JSON with the members of every object in another order."""
    if isinstance(value, dict):
        members = [(key, shuffled(each, dice)) for key, each in value.items()]
        dice.shuffle(members)
        return dict(members)
    return [shuffled(each, dice) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("shuffles", [8, pytest.param(1_000, marks=pytest.mark.deep)])
def test_fault_17_the_order_of_members_in_rules_and_log_changes_no_byte(shuffles, tmp_path):
    definitions = YAML(typ="safe").load(scene.RULES.read_text(encoding="utf-8"))["automations"]
    records = [json.loads(line) for line in scene.LOG.read_text(encoding="utf-8").splitlines()]
    dice = random.Random(17)
    for _ in range(shuffles):
        rules, log = tmp_path / "rules.json", tmp_path / "log.jsonl"
        rules.write_text(json.dumps({"automations": shuffled(definitions, dice)}))
        log.write_text("".join(json.dumps(shuffled(each, dice)) + "\n" for each in records))
        engine = Engine(load_rules([str(rules)]).automations, settings=scene.SETTINGS)
        with open_logs([str(log)]) as inputs:
            assert scene.lines(engine.feed_many(inputs)) == scene.recorded()


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(1_000), marks=pytest.mark.deep)])
def test_fault_17_no_hash_seed_changes_a_byte(seeds):
    for seed in seeds:
        printed = subprocess.run(
            [sys.executable, scene.__file__],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        assert printed.decode() == scene.recorded(), f"hash seed {seed}"


def test_fault_48_lived_through_with_waits_it_gives_the_recorded_bytes():
    assert scene.live_lines() == scene.recorded()


def test_fault_48_fed_in_one_go_it_gives_the_recorded_bytes():
    engine = Engine(load_rules([str(scene.RULES)]).automations, settings=scene.SETTINGS)
    with open_logs([str(scene.LOG)]) as inputs:
        assert scene.lines(engine.feed_many(inputs)) == scene.recorded()


def test_fault_48_replayed_twice_it_gives_the_recorded_bytes():
    for _ in range(2):
        replay = Replay(load_rules([str(scene.RULES)]).automations, settings=scene.SETTINGS)
        with open_logs([str(scene.LOG)]) as inputs:
            assert scene.lines(list(replay.outputs(inputs))) == scene.recorded()


def test_fault_48_the_command_prints_the_recorded_bytes(capfd):
    arguments = [str(scene.LOG), "--rules", str(scene.RULES), "--run-time", "log"]
    assert main(["replay", *arguments, "--json", "--quiet"]) == 0
    assert capfd.readouterr().out == scene.recorded()


def test_fault_48_the_recorded_lines_show_what_a_day_can_bring():
    # Recorded values are worth something where they hold more than one kind of thing.
    said = [json.loads(line) for line in scene.recorded().splitlines()]
    assert {each["decision"] for each in said} == {
        "start", "hold", "fold", "release", "drop", "answer",
    }  # fmt: skip
    assert len({each["automation"] for each in said}) == 5
