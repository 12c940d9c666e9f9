"""Logs through an engine that is cut after every few inputs; run as a program it prints what came
out and a digest of every snapshot, so that a test can run it under any hash seed.

    python restored_scene.py SCENE [INPUTS BETWEEN TWO CUTS …]
"""

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import attrs

import recorded_scene as scene
from engine_scenes import automation, on, plugin, schedule
from snapshots.cutting import CI
from soak.test_soak import inputs as worked
from soak.test_soak import rule
from wakeful import (
    Automation,
    Engine,
    GrantsChanged,
    Input,
    Output,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunStarted,
    Settings,
    Tick,
    TypeRegistered,
    load_rules,
    open_logs,
)

SLOWER = 50
"""How much longer than a soak's the mixed scene takes: some twenty minutes."""

MIXED = Settings(runs_kept=3, unmet="none", cap=5)


def mixed_rules() -> list[Automation]:
    """Rules of every shape and owner, schedules in zones, a plugin's type, dates, pinned chats."""
    dice = random.Random(5)
    owners = (None, "user:0", "user:1", "team:x", "project:p1")
    return [
        *(attrs.evolve(rule(number, dice), owner=owners[number % 5]) for number in range(60)),
        *(automation(schedule(f"*/{n} * * * *", zone), id=f"c{n}", overlap=overlap)
          for n, zone, overlap in ((1, "UTC", "skip"), (3, "Asia/Kolkata", "queue"))),
        automation(plugin("ci", "red"), id="ci", owner="user:0", overlap="parallel"),
        automation(
            on("toolFailed"),
            id="last",
            disableConditions=[{"kind": "afterRuns", "max": 3}],
            overlap="steer",
        ),
        automation(
            on("turnFailed"),
            id="pinned",
            _meta={"ahpd": {"session": "pinned", "pinnedSession": "s3"}},
        ),
    ]  # fmt: skip


def mixed_inputs(count: int) -> Iterator[Input]:
    """Sessions at work, rules that come and go, and among them everything else there is."""
    dice = random.Random(6)
    first = 0
    for number, item in enumerate(worked(count, random.Random(7))):
        first = first or item.at
        at = first + (item.at - first) * SLOWER
        yield attrs.evolve(item, at=at)
        if number == 0:
            yield TypeRegistered(definition=CI, at=at)
        which = f"ahp-automation:/r{dice.randrange(60)}"
        match number % 23:
            case 3:
                held = ("session:read",) if dice.random() < 0.7 else ()
                yield GrantsChanged(principal=f"user:{dice.randrange(2)}", grants=held, at=at)
            case 7:
                yield PluginEvent(type="ci", event="red", at=at, data={"b": [1, {"c": None}]})
            case 11:
                yield Press(automation=which, request_id=f"p{number}", at=at)
            case 13:
                yield RunStarted(automation=which, run=f"run{number}", at=at)
            case 14:
                yield RunLinked(
                    automation=which, run=f"run{number - 1}", session=f"own{number}", at=at
                )
            case 17:
                yield Tick(at + 30_000)
            case 19 if number % 5 == 0:
                yield Resumed(at=at, live=(f"run{number - 6}",))


def recorded_inputs() -> Iterator[Input]:
    with open_logs([str(scene.LOG)]) as inputs:
        yield from inputs


def of(name: str) -> tuple[list[Automation], Settings, Iterator[Input]]:
    """A scene: its rules, its settings and its inputs."""
    if name == "recorded":
        return list(load_rules([str(scene.RULES)]).automations), scene.SETTINGS, recorded_inputs()
    return mixed_rules(), MIXED, mixed_inputs(1_200)


def lived(name: str, every: int) -> tuple[list[Output], list[str]]:
    """The outputs, and the digests of the snapshots at the cuts."""
    rules, settings, inputs = of(name)
    engine = Engine(rules, settings=settings)
    known = {one.resource: one for one in rules}
    outputs: list[Output] = []
    digests = []
    for number, item in enumerate(inputs, 1):
        outputs += engine.feed(item)
        saved = getattr(item, "automation", None)
        if isinstance(saved, Automation):
            known[saved.resource] = saved
        elif type(item).__name__ == "DefinitionRemoved":
            known.pop(item.automation, None)
        if number % every == 0:
            snapshot = engine.snapshot()
            digests.append(hashlib.sha256(snapshot).hexdigest())
            engine = Engine.restore(snapshot, known.values(), settings=settings).engine
    engine.check()
    return outputs, digests


def told(outputs: list[Output]) -> str:
    """Every output, to the last member."""
    return "".join(f"{output!r}\n" for output in outputs)


if __name__ == "__main__":
    for cut in map(int, sys.argv[2:]):
        found, all_digests = lived(sys.argv[1], cut)
        sys.stdout.write(scene.lines(found))
        sys.stdout.write(told(found))
        sys.stdout.write("\n".join(all_digests) + "\n")
