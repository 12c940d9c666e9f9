"""The same on a Dask cluster: ``pip install -e '.[test,dask]' && pytest -m deep tests/parallel``."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest

from archive_logs import LOG, assert_same_in_parts, automations, generated, joined_vectors, text_of
from wakeful import load_rules, open_logs
from wakeful.cli import main
from wakeful.data import log_path
from wakeful.replay import Replay
from wakeful.replay.parallel import ParallelReplay, Workers, WorkersError, dask

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

pytestmark = [
    pytest.mark.deep,
    # Dask's own, of its dashboard and of sockets it leaves to be collected.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.fixture
def workers(cluster) -> Iterator[Workers]:
    with dask(cluster.scheduler_address) as found:
        yield found


def test_the_shipped_day_is_the_same_on_a_cluster(workers):
    inputs = list(open_logs([str(log_path())]))
    assert_same_in_parts(inputs, load_rules(["@"]).automations, LOG, workers)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_generated_log_is_the_same_on_a_cluster(seed, workers):
    assert_same_in_parts(generated(seed, 800), automations(), LOG, workers)


def test_the_decision_vectors_as_one_log_are_the_same_on_a_cluster(workers):
    rules, inputs = joined_vectors()
    if not rules:
        pytest.skip("the vectors are not beside this checkout")
    assert_same_in_parts(inputs, rules, LOG, workers)


class Killer(Thread):
    """Kills the worker that has begun to write matches, as soon as one has."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.killed = folder, 0

    def run(self) -> None:
        while not self.killed:
            for draft in self.folder.glob("wakeful-*/part-*.matched-*.*"):
                self.killed = next(writers_of(draft), 0)
                if self.killed:
                    os.kill(self.killed, signal.SIGKILL)
                    break
            sleep(0.001)


def writers_of(file: Path) -> Iterator[int]:
    """The processes that have a file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if link.readlink() == file:
                yield int(link.parts[2])
        except OSError:
            continue


def test_a_killed_worker_of_a_cluster_changes_nothing(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    inputs = generated(4, 40_000)
    expected = text_of(Replay(automations(), settings=LOG), inputs)
    killer = Killer(tmp_path)
    with dask(cluster.scheduler_address) as workers:
        killer.start()
        many = ParallelReplay(automations(), settings=LOG, workers=workers, parts=2)
        assert expected == text_of(many, inputs)
    assert killer.killed
    assert list(tmp_path.iterdir()) == []


def test_the_command_is_the_same_on_a_cluster(cluster, capsys):
    assert main(["replay", "--json"]) == 0
    expected = capsys.readouterr()
    assert main(["replay", "--json", "--dask", cluster.scheduler_address]) == 0
    assert capsys.readouterr() == expected


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr("wakeful.replay.parallel.workers._ANSWER_WITHIN", "1s")
    with pytest.raises(WorkersError, match="no Dask scheduler answers at tcp:"):
        dask("tcp://127.0.0.1:9")


def test_an_address_that_is_none_is_told():
    with pytest.raises(WorkersError, match="no Dask scheduler answers at nonsense"):
        dask("nonsense")
