"""A task manager may die at any moment, and a job go on elsewhere: nothing is lost, none twice."""

import time
from pathlib import Path
from random import Random

import pytest

from fleet_logs import generated
from fleet_scenes import rules_first
from wakeful import DefinitionSaved, SessionEvent, Tick, read_automation

SLOW = {"chunk": 1_024, "pace": 80}


@pytest.fixture
def own_cluster(tmp_path: Path):
    """A cluster whose task managers may be killed."""
    from flink_cluster import Cluster

    started = Cluster(tmp_path / "cluster")
    try:
        yield started
    finally:
        started.stop()


def test_a_task_manager_killed_at_five_moments_loses_nothing_and_doubles_nothing(
    own_cluster, tmp_path: Path
):
    from flink_cluster import until
    from flink_jobs import decided, expected, files, submit

    order = Random(20_261_201)
    partitions = generated(11, 12_000)
    manager = own_cluster.start_task_manager()
    job = submit(own_cluster, files(tmp_path, partitions), tmp_path / "out", **SLOW)
    sizes = []
    for kill in range(5):
        until(lambda: own_cluster.is_running(job), "the job to run")
        if kill % 2 == 0:
            before = own_cluster.checkpoints(job)
            until(lambda least=before: own_cluster.checkpoints(job) > least + 1, "checkpoints")
        time.sleep(order.uniform(0, 1.5))
        own_cluster.kill(manager)
        until(lambda: own_cluster.get("/overview")["slots-total"] == 0, "the death to be seen")
        manager = own_cluster.start_task_manager()
        until(lambda: own_cluster.is_running(job), "the job to run again")
        sizes.append(own_cluster.restored_state(job))
    own_cluster.wait(job)

    assert [size > 0 for size in sorted(sizes)[-3:]] == [True] * 3
    assert expected(partitions) == decided(tmp_path / "out")


def test_a_job_goes_on_from_a_savepoint_with_another_parallelism(cluster, tmp_path: Path):
    from flink_cluster import until, written
    from flink_jobs import decided, expected, files, submit

    partitions = generated(12, 5_000)
    paths = files(tmp_path, partitions)
    job = submit(cluster, paths, tmp_path / "out", parallelism=2, **SLOW)
    until(lambda: any(written(tmp_path / "out")), "a decision")
    savepoint = cluster.stop_with_savepoint(job)
    early = len(list(written(tmp_path / "out")))
    job = submit(cluster, paths, tmp_path / "out", parallelism=4, savepoint=savepoint, **SLOW)
    cluster.wait(job)

    assert 0 < early < len(decided(tmp_path / "out"))
    assert expected(partitions) == decided(tmp_path / "out")


def test_a_rule_changed_over_a_savepoint_keeps_what_means_the_same(cluster, tmp_path: Path):
    from flink_cluster import until, written
    from flink_jobs import decided, expected, files, submit

    kept = {"count": {"n": 3, "within": "5m"}}
    before = [_automation("kept", kept), _automation("changed", {"count": {"n": 3}})]
    said_otherwise = {"count": {"n": 3, "within": "300s"}}
    after = [_automation("kept", said_otherwise), _automation("changed", {"count": {"n": 2}})]
    first = rules_first(before, [[_failure(at) for at in (1_000, 2_000)] + [Tick(10_000)]])
    then = [
        [DefinitionSaved(automation=each, at=10_000) for each in after],
        [_failure(20_000), Tick(30_000)],
    ]
    first[0].append(Tick(10_000))
    then[0].append(Tick(30_000))

    paths = files(tmp_path, first)
    job = submit(cluster, paths, tmp_path / "out", follow=True)
    until(lambda: cluster.checkpoints(job) > 2, "checkpoints")
    savepoint = cluster.stop_with_savepoint(job)
    for path, more in zip(paths, files(tmp_path / "more", then), strict=True):
        path.write_bytes(path.read_bytes() + more.read_bytes())
    job = submit(cluster, paths, tmp_path / "out", follow=True, parallelism=4, savepoint=savepoint)
    until(lambda: any(written(tmp_path / "out")), "a decision")
    cluster.cancel(job)

    whole = [[*early, *late] for early, late in zip(first, then, strict=True)]
    decisions = decided(tmp_path / "out")
    assert expected(whole) == decisions
    assert [decision["automation"] for decision in decisions] == ["ahp-automation:/kept"]


def test_state_of_an_unknown_version_is_refused(own_cluster, tmp_path: Path):
    from flink_cluster import until
    from flink_jobs import files, submit

    paths = files(tmp_path, generated(13, 300))
    manager = own_cluster.start_task_manager()
    job = submit(own_cluster, paths, tmp_path / "out", follow=True)
    until(lambda: own_cluster.checkpoints(job) > 2, "checkpoints")
    savepoint = own_cluster.stop_with_savepoint(job)
    own_cluster.kill(manager)
    until(lambda: own_cluster.get("/overview")["slots-total"] == 0, "the death to be seen")
    # A release to come, which reads another version.
    later = tmp_path / "later"
    later.mkdir()
    patch = "import wakeful.distributed.codec as codec\ncodec.VERSION = 2\n"
    (later / "sitecustomize.py").write_text(patch)
    own_cluster.start_task_manager(later)
    job = submit(own_cluster, paths, tmp_path / "out", follow=True, savepoint=savepoint)

    until(lambda: "SnapshotError" in own_cluster.failures(job), "a refusal")
    assert "of version 1; this release reads 2" in own_cluster.failures(job)


def _automation(name: str, config: dict[str, object]):
    trigger = {"id": "t", "kind": "event", "type": "session", "title": "t", "config": config}
    return read_automation(
        {
            "id": name,
            "title": name,
            "message": {"text": "{{count}}"},
            "triggers": [{**trigger, "events": [{"id": "toolFailed"}]}],
        }
    )


def _failure(at: int) -> SessionEvent:
    return SessionEvent("toolFailed", "s", at)
