"""A child process that is killed at random moments acts on every decision once."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from journal.journal_scenes import RULES, expected_ids
from journal.killed_host import INPUTS
from wakeful.journal import Journal, JournalLockedError

HOST = Path(__file__).with_name("killed_host.py")
EXPECTED = expected_ids(INPUTS)


def start(folder: Path, policy: str, every: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(HOST), str(folder), policy, str(every)])


def kill_at_random(folder: Path, policy: str, every: int, *, kills: int, seed: int) -> int:
    """Run the host to its end over kills; how many of them hit it at work."""
    moments = random.Random(seed)
    hit = 0
    for _ in range(kills):
        host = start(folder, policy, every)
        journal = folder / "lock"
        deadline = time.monotonic() + 30
        # What is to be hit is the work, not the start of the interpreter.
        while not journal.exists() and host.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.5))
        if host.poll() is None:
            hit += 1
            os.kill(host.pid, signal.SIGKILL)
        host.wait()
        if host.returncode == 0:
            break
    assert start(folder, policy, every).wait() == 0
    return hit


def acted(folder: Path) -> list[str]:
    return (folder.parent / "acted").read_text().splitlines()


@pytest.mark.parametrize(("policy", "every"), [("each", 20), ("never", 7)])
def test_over_kills_every_decision_is_acted_upon_once(tmp_path, policy, every):
    folder = tmp_path / "journal"
    kill_at_random(folder, policy, every, kills=3, seed=1)
    assert acted(folder) == EXPECTED


@pytest.mark.deep
@pytest.mark.parametrize("policy", ["each", "never", "50"])
def test_over_hundreds_of_kills_every_decision_is_acted_upon_once(tmp_path, policy):
    wanted = int(os.environ.get("WAKEFUL_KILLS", "100"))
    hit = seed = 0
    while hit < wanted:
        seed += 1
        folder = tmp_path / str(seed) / "journal"
        folder.parent.mkdir()
        hit += kill_at_random(folder, policy, 5 + seed % 40, kills=20, seed=seed)
        assert [count for count in Counter(acted(folder)).values() if count > 1] == []
        assert acted(folder) == EXPECTED


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
