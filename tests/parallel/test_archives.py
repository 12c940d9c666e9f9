"""A replay by many workers gives the bytes of one process."""

import os
import signal
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archive_logs import (
    LOG,
    PARTS,
    assert_same_in_parts,
    automations,
    generated,
    joined_vectors,
    text_of,
)
from models.strategies import Case, gate_cases
from wakeful import load_rules, open_logs
from wakeful.data import log_path
from wakeful.replay import Replay
from wakeful.replay.parallel import (
    BeyondBoundsError,
    ParallelReplay,
    Workers,
    WorkersError,
)
from wakeful.replay.parallel.task import MatchTask
from wakeful.replay.player import DEFAULTS
from whole_cases import often_off, whole_cases

few = settings(max_examples=6)


def threads() -> Workers:
    return Workers(lambda: ThreadPoolExecutor(2), count=2)


@few
@given(
    case=st.one_of(gate_cases(), whole_cases(), whole_cases().map(often_off)),
    run_time=st.sampled_from(("log", "none", 1_000)),
    parts=st.sampled_from(PARTS),
)
def test_outputs_and_summary_are_those_of_one_process(case: Case, run_time: Any, parts: int):
    chosen = attrs.evolve(DEFAULTS, run_time=run_time)
    for until in (None, case.until):
        expected = text_of(Replay(case.automations, settings=chosen, until=until), case.inputs)
        with threads() as workers:
            many = ParallelReplay(
                case.automations, settings=chosen, until=until, workers=workers, parts=parts
            )
            assert expected == text_of(many, case.inputs)


def test_the_shipped_day_is_the_same_in_a_pool(pool: Workers):
    inputs = list(open_logs([str(log_path())]))
    assert_same_in_parts(inputs, load_rules(["@"]).automations, LOG, pool)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_generated_log_is_the_same_in_a_pool(seed: int, pool: Workers):
    assert_same_in_parts(generated(seed, 800), automations(), LOG, pool)


def test_the_decision_vectors_as_one_log_are_the_same_in_a_pool(pool: Workers):
    rules, inputs = joined_vectors()
    if not rules:
        pytest.skip("the vectors are not beside this checkout")
    assert_same_in_parts(inputs, rules, LOG, pool)


class Killer(Thread):
    """Kills one of a pool's processes as soon as one has begun to write matches."""

    def __init__(self, folder: Path, workers: Workers) -> None:
        super().__init__(daemon=True)
        self.folder, self.workers, self.killed = folder, workers, 0

    def run(self) -> None:
        while not self.killed:
            drafts = list(self.folder.glob("wakeful-*/part-*.matched-*.*"))
            executor = self.workers._executor
            if drafts and executor is not None:
                self.killed = next(iter(executor._processes))
                os.kill(self.killed, signal.SIGKILL)
            sleep(0.001)


def test_a_killed_worker_changes_nothing_and_leaves_nothing(tmp_path, monkeypatch, pool):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    inputs = generated(4, 2_000)
    expected = text_of(Replay(automations(), settings=LOG), inputs)
    killer = Killer(tmp_path, pool)
    killer.start()
    many = ParallelReplay(automations(), settings=LOG, workers=pool, parts=2)
    assert expected == text_of(many, inputs)
    assert killer.killed
    assert list(tmp_path.iterdir()) == []


class Failing(Executor):
    """Raises whatever it is asked to do."""

    def submit(self, function, /, *arguments, **named):
        raise_ = ThreadPoolExecutor(1)
        try:
            return raise_.submit(self.fail)
        finally:
            raise_.shutdown()

    def fail(self) -> None:
        raise MemoryError("no room")


def test_workers_that_get_nothing_done_are_given_up():
    workers = Workers(Failing, count=1)
    replay = ParallelReplay(automations(), settings=LOG, workers=workers)
    with pytest.raises(WorkersError, match="in 4 tries: MemoryError"):
        list(replay.outputs(generated(1, 10)))


def test_outputs_that_are_not_taken_to_the_end_leave_no_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with threads() as workers:
        outputs = ParallelReplay(automations(), settings=LOG, workers=workers).outputs(
            generated(1, 500)
        )
        assert next(outputs) is not None
        assert list(tmp_path.iterdir()) != []
        outputs.close()
    assert list(tmp_path.iterdir()) == []


def test_a_log_of_more_sessions_than_one_engine_keeps_is_refused():
    chosen = attrs.evolve(LOG, sessions_kept=20)
    replay = ParallelReplay(automations(), settings=chosen, workers=threads())
    with pytest.raises(BeyondBoundsError, match="20 sessions"):
        list(replay.outputs(generated(1, 500)))


def test_a_log_with_nothing_in_it_gives_nothing():
    replay = ParallelReplay(automations(), workers=threads())
    assert list(replay.outputs([])) == []
    assert replay.summary().to_dict() == Replay(automations()).summary().to_dict()


@pytest.mark.parametrize(("bound", "what"), [("counts_kept", "hits"), ("waits_kept", "waits")])
def test_a_log_of_more_hits_or_waits_than_one_engine_keeps_is_told(bound: str, what: str):
    chosen = attrs.evolve(LOG, **{bound: 8})
    replay = ParallelReplay(automations(), settings=chosen, workers=threads())
    with pytest.raises(BeyondBoundsError, match=f"{what} were kept at once"):
        list(replay.outputs(generated(1, 800)))


def task(tmp_path, **more) -> MatchTask:
    part = tmp_path / "parts" / "part-0000"
    return MatchTask(
        part=part,
        into=part.with_name("out"),
        automations=(),
        settings=DEFAULTS,
        at=0,
        **more,
    )


def test_a_worker_of_another_version_matches_nothing(tmp_path):
    with pytest.raises(RuntimeError, match="the replay is of"):
        task(tmp_path, version="0.0.1").run()


def test_a_worker_that_does_not_see_the_parts_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="let TMPDIR name a folder"):
        task(tmp_path).run()
