"""The host of the documentation: it wakes, it survives, and nothing is lost or done twice."""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from wakeful import Settings
from wakeful.journal import Journal

HERE = Path(__file__).parent
HOST = HERE.parents[1] / "docs" / "examples" / "host.py"
AGENT = HERE / "scripted_agent.py"
KILLED = HERE / "killed_example_host.py"

REPAIR = """---
title: Repair
triggers:
  - id: t1
    kind: event
    type: session
    events: [{ id: turnFailed }]
    config: { filter: { automated: false } }
---
call call
"""
TWICE = REPAIR.replace("Repair", "Told twice").replace("config: {", "config: { count: { n: 2 },")


SPEC = importlib.util.spec_from_file_location("example_host", HOST)
HOST_MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(HOST_MODULE)


class World:
    def __init__(self, home):
        self.home = home
        self.ran_file = home / "ran"
        (home / "automations").mkdir(parents=True)

    def automation(self, name, text):
        (self.home / "automations" / f"{name}.md").write_text(text, encoding="utf-8")

    def ask(self, name, text):
        HOST_MODULE.ask(self.home, name, {"text": text})

    def start(self, *command):
        return subprocess.Popen(
            [*(command or (sys.executable, HOST)), self.home, "run", sys.executable, AGENT],
            env={**os.environ, "RAN": str(self.ran_file)},
        )

    @contextmanager
    def running(self):
        process = self.start()
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            # By the signal itself where all was done before the host had begun to listen for it.
            assert process.wait(20) in (0, -signal.SIGTERM)

    @property
    def ran(self):
        return self.ran_file.read_text().splitlines() if self.ran_file.exists() else []

    def sessions(self, file="asked.json"):
        return sorted(path.parent.name for path in self.home.glob(f"sessions/*/{file}"))

    def of(self, automation):
        return [name for name in self.sessions() if f"%2F{automation}@" in name]

    def said(self, name, file):
        return json.loads((self.home / "sessions" / name / file).read_bytes())

    def is_done(self, sessions):
        return len(self.sessions()) == len(self.sessions("told")) == sessions

    def outstanding(self):
        with Journal.open(self.home / "journal", at=0, settings=Settings(unmet="every")) as journal:
            return journal.outstanding


def until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "home")
    world.automation("repair", REPAIR)
    world.automation("twice", TWICE)
    return world


def test_the_page_does_what_it_says(tmp_path):
    text = (HERE.parents[1] / "docs" / "example-host.md").read_text(encoding="utf-8")
    (tmp_path / "home" / "automations").mkdir(parents=True)
    shutil.copy(HOST, tmp_path)
    for name, block in re.findall(
        r"`([\w./]+)`:\n\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    ):
        (tmp_path / name).write_text(block, encoding="utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    # Five seconds are enough on a machine that has nothing else to do.
    commands = re.findall(r"^\$ (.*)", shown.replace("timeout 5", "timeout 15"), re.MULTILINE)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = [
        subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        for command in commands
    ]

    assert "".join(printed).splitlines() == re.findall(r"^[^$\n].*", shown, re.MULTILINE)


def test_a_failing_session_wakes_a_repair_run(world):
    asking = [sys.executable, HOST, world.home, "ask", "one", "talk failing-call fail"]
    subprocess.run(asking, check=True)
    with world.running():
        until(lambda: world.is_done(2))
    (repair,) = world.of("repair")
    assert world.said(repair, "ended.json")["outcome"] == "completed"
    assert world.said(repair, "asked.json")["text"].startswith(
        "call call\n\nWhat woke this run: A turn failed\nSession: one (one)\n"
    )
    assert world.ran == ["talk failing-call fail", "call call"]


def test_a_host_killed_in_a_turn_tells_that_it_failed_and_repairs_it(world):
    world.ask("one", "call kill-host")
    assert world.start().wait(20) == -signal.SIGKILL

    with world.running():
        until(lambda: world.is_done(2))
    assert world.said("one", "ended.json")["outcome"] == "failed"
    assert world.ran == ["call kill-host", "call call"]


def test_a_run_that_a_kill_interrupted_is_not_run_again(world):
    world.automation("repair", REPAIR.replace("call call", "kill-host"))
    world.ask("one", "fail")
    assert world.start().wait(20) == -signal.SIGKILL

    with world.running():
        until(lambda: world.is_done(2))
    (repair,) = world.of("repair")
    assert world.said(repair, "ended.json")["outcome"] == "failed"
    assert world.ran == ["fail", "kill-host"]


def test_a_wake_is_steered_into_the_turn_that_is_running(world):
    world.automation(
        "repair",
        REPAIR.replace("title: Repair", "title: Repair\noverlap: steer").replace(
            "call call", "listen"
        ),
    )
    world.ask("one", "fail")
    with world.running():
        until(lambda: len(world.sessions("began")) == 2)
        world.ask("two", "fail")
        until(lambda: world.is_done(3))
    assert world.ran.count("listen") == 1
    assert "heard listen" in world.ran


def test_a_rule_that_is_edited_while_the_host_runs_is_taken(world):
    with world.running():
        time.sleep(1)
        world.automation("repair", REPAIR.replace("call call", "talk"))
        time.sleep(1)
        world.ask("one", "fail")
        until(lambda: world.is_done(2))
    assert world.ran == ["fail", "talk"]


def killed_at(world, step):
    """Kill the host at a step, restart it, and let everything be done; whether it was killed."""
    world.ask("one", "failing-call fail")
    process = world.start(sys.executable, KILLED, str(step))
    until(lambda: process.poll() is not None or world.is_done(2))
    process.send_signal(signal.SIGTERM)
    was_killed = process.wait(20) == -signal.SIGKILL
    assert was_killed or process.returncode == 0
    with world.running():
        until(lambda: world.is_done(2))
    return was_killed


def check(world):
    """One repair of one failure, told once, and each agent started once or left half done."""
    assert len(world.of("repair")) == 1
    assert world.of("twice") == []
    assert world.outstanding() == ()
    for name in world.sessions():
        text = world.said(name, "asked.json")["text"].splitlines()[0]
        is_cut = world.said(name, "ended.json")["outcome"] == "failed" and text == "call call"
        assert world.ran.count(text) == 1 or (
            world.ran.count(text) == 0 and (is_cut or name == "one")
        )


@pytest.mark.parametrize("step", [9, 23, 31])
def test_nothing_is_lost_and_nothing_runs_twice_wherever_it_is_killed(world, step):
    assert killed_at(world, step)
    check(world)


@pytest.mark.deep
def test_nothing_is_lost_and_nothing_runs_twice_at_any_step(tmp_path):
    step = 0
    was_killed = True
    while was_killed:
        step += 1
        world = World(tmp_path / str(step))
        world.automation("repair", REPAIR)
        world.automation("twice", TWICE)
        was_killed = killed_at(world, step)
        check(world)
    assert step > 40
