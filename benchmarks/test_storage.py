"""Ten thousand automation files: a cold load, beside parsing their YAML alone, and an edit.

Run with ``pytest benchmarks/test_storage.py``. What is told is the time per file of each, and
how long it takes from an edit to its effect while ten thousand files are watched.
"""

import queue
import threading
import time

import pytest

from wakeful.reading.front_matter import split_front_matter
from wakeful.reading.yaml_text import read_yaml
from wakeful.storage import AutomationFolder, RunProgress
from wakeful.storage.watching import FolderWatcher

MANY = 10_000
EDITS = 20

FILE = """\
---
title: Review number {number}
enabled: true
owner: user:ann
createdAt: 2026-10-07T14:22:05.118Z
session:
  provider: claude
  workingDirectories:
    - file:///home/ann/work/{number}
triggers:
  - id: t1
    kind: schedule
    title: Every morning at nine
    schedule:
      expression: {minute} 9 * * *
      timeZone: Europe/Berlin
  - id: t2
    kind: event
    type: session
    events:
      - id: toolFailed
    config:
      count:
        n: 3
        within: 5m
---
Review what changed in the repository today and open a pull request for anything that needs one.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("storage") / "automations"
    path.mkdir()
    for number in range(MANY):
        text = FILE.format(number=number, minute=number % 60)
        (path / f"review-{number}.md").write_text(text)
    return path


def told(capsys, what, seconds, *, each=MANY):
    with capsys.disabled():
        print(f"\n{what}: {seconds:.2f} s, {seconds / each * 1e6:.0f} us each", end="")


@pytest.fixture(scope="module")
def loaded(folder):
    """The folder, loaded cold once, and how long that took."""
    automations = AutomationFolder(folder)
    begin = time.perf_counter()
    assert len(automations.load()) == MANY
    return automations, time.perf_counter() - begin


def test_a_cold_load_beside_its_yaml_alone(folder, loaded, capsys):
    begin = time.perf_counter()
    for file in folder.iterdir():
        read_yaml(split_front_matter(file.read_text()).yaml)
    yaml = time.perf_counter() - begin
    _, whole = loaded
    told(capsys, f"the YAML of {MANY} files alone", yaml)
    told(capsys, f"a cold load of {MANY} files", whole)


def test_a_look_at_everything_where_nothing_changed(loaded, benchmark):
    automations, _ = loaded
    assert benchmark.pedantic(automations.refresh, rounds=5) == ()


def test_a_move_among_all(loaded, benchmark):
    automations, _ = loaded
    counts = iter(range(1, 1_000))

    def move():
        automations.move("ahp-automation:/review-7", RunProgress(run_count=next(counts)))

    benchmark.pedantic(move, rounds=10)


def test_from_an_edit_to_its_effect(folder, loaded, capsys):
    automations, _ = loaded
    touched, stop = queue.Queue(), threading.Event()

    def watch():
        for names in FolderWatcher(folder).touched(stop):
            touched.put(names)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        assert touched.get(timeout=30) is None
        taken = []
        for number in range(EDITS):
            text = FILE.format(number=f"{number}, edited", minute=1)
            begin = time.perf_counter()
            (folder / f"review-{number}.md").write_text(text)
            changes = ()
            while not changes:
                changes = automations.refresh(touched.get(timeout=30))
            taken.append(time.perf_counter() - begin)
            assert [change.stored.resource for change in changes] == [
                f"ahp-automation:/review-{number}"
            ]
    finally:
        stop.set()
        thread.join()
    middle, most = sorted(taken)[EDITS // 2] * 1e3, max(taken) * 1e3
    with capsys.disabled():
        print(f"\nfrom an edit to its effect: {middle:.0f} ms, at most {most:.0f} ms")
