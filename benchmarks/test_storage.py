"""Ten thousand automation files: a cold load, beside parsing their YAML alone, and an edit.

Run with ``pytest benchmarks/test_storage.py``. What is told is the time per file of each, and
how long it takes from an edit to its effect while ten thousand files are watched.
"""

import queue
import threading
import time
from statistics import median

import pytest
from measuring import once, seconds, smaller, tell

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
def many(request):
    """How many files there are."""
    return 50 if request.config.getoption("benchmark_disable") else MANY


@pytest.fixture(scope="module")
def folder(tmp_path_factory, many):
    path = tmp_path_factory.mktemp("storage") / "automations"
    path.mkdir()
    for number in range(many):
        text = FILE.format(number=number, minute=number % 60)
        (path / f"review-{number}.md").write_text(text)
    return path


@pytest.fixture(scope="module")
def loaded(folder, many):
    """The folder, loaded cold once, and how long that took."""
    automations = AutomationFolder(folder)
    took = seconds(automations.load)
    return automations, took


def test_a_cold_load_beside_its_yaml_alone(benchmark, capsys, folder, loaded, many):
    benchmark.group = "storage"

    def parse():
        for file in folder.iterdir():
            read_yaml(split_front_matter(file.read_text()).yaml)

    alone = once(benchmark, lambda: seconds(parse))
    figures = {
        "files": many,
        "microseconds each": loaded[1] / many * 1e6,
        "to its YAML": loaded[1] / alone,
    }
    tell(benchmark, capsys, "a cold load", figures)


def test_a_look_at_everything_where_nothing_changed(loaded, benchmark):
    automations, _ = loaded
    assert benchmark.pedantic(automations.refresh, rounds=5) == ()


def test_a_move_among_all(loaded, benchmark):
    automations, _ = loaded
    counts = iter(range(1, 1_000))

    def move():
        automations.move("ahp-automation:/review-7", RunProgress(run_count=next(counts)))

    benchmark.pedantic(move, rounds=10)


def test_from_an_edit_to_its_effect(benchmark, capsys, folder, loaded):
    benchmark.group = "storage"
    automations, _ = loaded
    edits = smaller(benchmark, EDITS, 2)
    taken = once(benchmark, lambda: edit_all(folder, automations, edits))
    figures = {"middle, ms": median(taken) * 1e3, "longest, ms": max(taken) * 1e3}
    tell(benchmark, capsys, "from an edit to its effect", figures)


def edit_all(folder, automations, edits):
    """Edit file after file under a watcher: the seconds from each edit to its effect."""
    touched, stop = queue.Queue(), threading.Event()

    def watch():
        for names in FolderWatcher(folder).touched(stop):
            touched.put(names)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        assert touched.get(timeout=30) is None
        taken = []
        for number in range(edits):
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
    return taken
