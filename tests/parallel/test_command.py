"""``wakeful replay --workers`` and ``--dask``: the bytes of one process, or a clear message."""

import gzip
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from time import monotonic, sleep

import pytest

from archive_logs import generated
from wakeful.cli import main
from wakeful.logs.native_writer import write_native
from wakeful.model.events import DefinitionSaved
from wakeful.replay.parallel import Workers

RULES = """
automations:
  - id: failing
    title: Failing
    message: { text: "{{event}} {{count}}" }
    triggers:
      - { id: t1, kind: event, type: session, events: [{ id: toolFailed }], config: { count: { n: 2 } } }
      - { id: t2, kind: event, type: session, events: [{ id: turnCompleted }], config: { then: { kind: idle, for: 1m } } }
  - id: clock
    title: Clock
    message: { text: "{{at}}" }
    triggers: [{ id: t1, kind: schedule, schedule: { expression: "*/5 * * * *" } }]
"""


@pytest.fixture
def log(tmp_path) -> Path:
    """A generated log, with lines that cannot be read or are refused."""
    first = [*map(write_native, generated(5, 300)), "{", '{"at": 5, "kind": "coffee"}']
    first.append('{"at":"2026-10-07T20:00:00Z","kind":"plugin","type":"deploy","event":"nothing"}')
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(first) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def rules(tmp_path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def by_threads(monkeypatch):
    """Workers that are at hand at once; that they are processes is tested beside this."""
    monkeypatch.setattr(
        "wakeful.replay.parallel.processes",
        lambda count: Workers(lambda: ThreadPoolExecutor(count), count=count),
    )


def ran(capsys, *arguments: object) -> tuple[int, str, str]:
    status = main([str(each) for each in arguments])
    return status, *capsys.readouterr()


def test_two_processes_give_the_bytes_of_one(capsys, monkeypatch, log, rules, pool):
    monkeypatch.setattr("wakeful.replay.parallel.processes", lambda _count: nullcontext(pool))
    command = ("replay", log, "--rules", rules, "--json", "--run-time", "log")
    expected = ran(capsys, *command)
    assert expected[1].count("\n") > 20
    assert expected == ran(capsys, *command, "--workers", 2)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--matches",),
        ("--json", "--matches"),
        ("--session", "s1"),
        ("--automation", "failing", "--json"),
        ("--from", "2026-10-07T14:10:00Z", "--json"),
        ("--until", "2026-10-07T18:30:00Z", "--json"),
        ("--until", "2026-10-07T14:30:00Z"),
        ("--run-time", "2m"),
        ("--zone", "Europe/Berlin"),
        ("--reorder", "10s", "--json"),
        ("--format", "wakeful", "-q"),
    ],
    ids=" ".join,
)
def test_every_option_works_with_workers(by_threads, capsys, log, rules, options):
    command = ("replay", log, "--rules", rules, *options)
    assert ran(capsys, *command) == ran(capsys, *command, "--workers", 3)


def test_several_and_compressed_logs_work_with_workers(by_threads, capsys, log, rules, tmp_path):
    other = tmp_path / "other.jsonl.gz"
    other.write_bytes(gzip.compress("\n".join(map(write_native, generated(6, 200))).encode()))
    command = ("replay", log, other, "--rules", rules, "--rules", "@", "--json")
    assert ran(capsys, *command) == ran(capsys, *command, "--workers", 2)


def test_the_summary_file_is_the_same(by_threads, capsys, log, rules, tmp_path):
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    ran(capsys, "replay", log, "--rules", rules, "--summary", one)
    ran(capsys, "replay", log, "--rules", rules, "--summary", many, "--workers", 2)
    assert one.read_bytes() == many.read_bytes()


def test_rules_without_a_log_work_with_workers(by_threads, capsys, rules):
    span = ("--from", "2026-10-07T14:00:00Z", "--until", "2026-10-07T16:00:00Z")
    command = ("replay", "--rules", rules, *span, "--json")
    assert ran(capsys, *command) == ran(capsys, *command, "--workers", 2)


def test_the_recorded_day_works_with_workers(by_threads, capsys):
    assert ran(capsys, "replay") == ran(capsys, "replay", "--workers", 2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--workers", "0"), "0 is not in the range"),
        (("--workers", "two"), "'two' is not a valid integer"),
        (("--workers", "2", "--dask", "tcp://a:1"), "give one of them"),
        (("--workers", "2", "--report", "out.html"), "--report looks at every step"),
        (("--dask", "tcp://a:1", "--report", "out.svg", "--session", "s"), "--report looks"),
    ],
)
def test_what_cannot_be_is_a_usage_error(capsys, options, says):
    status, out, err = ran(capsys, "replay", *options)
    assert (status, out) == (2, "")
    assert says in err


def test_without_the_extra_dask_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, out, err = ran(capsys, "replay", "--dask", "tcp://127.0.0.1:8786")
    assert (status, out) == (1, "")
    assert err.count("\n") == 1
    assert "pip install 'wakeful[dask]'" in err


def test_an_interrupt_ends_it_and_leaves_no_files(tmp_path):
    inputs = [each for each in generated(7, 6_000) if not isinstance(each, DefinitionSaved)]
    log, folder = tmp_path / "log.jsonl", tmp_path / "tmp"
    log.write_text("\n".join(map(write_native, inputs)), encoding="utf-8")
    folder.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "wakeful.cli", "replay", log, "--rules", "@", "--workers", "2"],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    give_up_at = monotonic() + 60
    while not list(folder.glob("wakeful-*/*.matched-*")) and running.poll() is None:
        assert monotonic() < give_up_at
        sleep(0.005)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    assert list(folder.iterdir()) == []
