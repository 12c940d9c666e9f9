"""A child process that is killed at random moments acts on every decision once."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from multiprocessing import forkserver
from pathlib import Path

import pytest

from journal.journal_scenes import RULES, expected_ids
from journal.killed_host import INPUTS, live
from wakeful.journal import Journal, JournalLockedError

HOST = Path(__file__).with_name("killed_host.py")
EXPECTED = expected_ids(INPUTS)
FORKS = multiprocessing.get_context("forkserver")
"""Children come from a process that has imported what they need, so that what a kill hits is
their work and not the start of an interpreter."""
FORKS.set_forkserver_preload(["journal.killed_host"])


@pytest.fixture(scope="module", autouse=True)
def imported():
    """The process that forks, which finds what it is to import by the environment alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        forkserver.ensure_running()


ACT_SIZE = len(EXPECTED[0]) + 1
MOST_ACTS = 40
"""Up to so many acts a child may live to do."""


def start(folder: Path, policy: str, every: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(HOST), str(folder), policy, str(every)])


def kill_at_random(folder: Path, policy: str, every: int, *, kills: int, seed: int) -> int:
    """Run the host to its end over kills; how many of them hit it at work.

    A moment is told by how far the child has come, and a little more: machines are slow at
    times, and by the clock alone nearly all kills would hit it before it did anything.
    """
    moments = random.Random(seed)
    hit = 0
    for kill in range(kills + 1):
        begins = size(folder)
        host = FORKS.Process(target=live, args=(folder, policy, every))
        host.start()
        if kill < kills:
            wanted = moments.randrange(MOST_ACTS) * ACT_SIZE
            while host.is_alive() and size(folder) < begins + wanted:
                time.sleep(0.0005)
            time.sleep(moments.expovariate(500))
            host.kill()
        host.join()
        if host.exitcode == 0:
            break
        assert host.exitcode == -signal.SIGKILL
        hit += 1
    assert host.exitcode == 0
    return hit


def size(folder: Path) -> int:
    """How much was acted upon, in bytes."""
    path = folder.with_name("acted")
    return path.stat().st_size if path.exists() else 0


def acted(folder: Path) -> list[str]:
    return (folder.parent / "acted").read_text().splitlines()


@pytest.mark.parametrize(("policy", "every"), [("each", 20), ("never", 7), ("50", 3)])
def test_over_kills_every_decision_is_acted_upon_once(tmp_path, policy, every):
    folder = tmp_path / "journal"
    kill_at_random(folder, policy, every, kills=8, seed=1)
    assert acted(folder) == EXPECTED


@pytest.mark.deep
@pytest.mark.parametrize("policy", ["each", "never", "0", "50"])
def test_over_hundreds_of_kills_every_decision_is_acted_upon_once(tmp_path, policy):
    wanted = int(os.environ.get("WAKEFUL_KILLS", "300"))
    hit = lives = 0
    while hit < wanted:
        lives += 1
        folder = tmp_path / str(lives) / "journal"
        folder.parent.mkdir()
        hit += kill_at_random(folder, policy, 1 + lives % 40, kills=60, seed=lives)
        assert [count for count in Counter(acted(folder)).values() if count > 1] == []
        assert acted(folder) == EXPECTED
    print(f"{policy}: {hit} kills in {lives} lives, each decision once")  # noqa: T201 - by -s


def test_a_journal_is_locked_against_a_second_process(tmp_path):
    folder = tmp_path / "journal"
    with Journal.open(folder, at=0, automations=RULES):
        script = (
            "import sys; from pathlib import Path\n"
            "from wakeful.journal import Journal, JournalLockedError\n"
            "try: Journal.open(Path(sys.argv[1]), at=0)\n"
            "except JournalLockedError: sys.exit(7)\n"
        )
        done = subprocess.run([sys.executable, "-c", script, str(folder)], check=False)
        assert done.returncode == 7
        with pytest.raises(JournalLockedError):
            Journal.open(folder, at=0)


def test_a_lock_goes_with_its_process(tmp_path):
    folder = tmp_path / "journal"
    host = start(folder, "each", 20)
    while not (folder / "lock").exists():
        time.sleep(0.01)
    os.kill(host.pid, signal.SIGKILL)
    host.wait()
    Journal.open(folder, at=0).close()


def test_the_files_are_their_owners_alone(tmp_path):
    folder = tmp_path / "journal"
    Journal.open(folder, at=0, automations=RULES).close()
    assert {oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {"0o600"}
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
