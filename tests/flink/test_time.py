"""Time in a job: what is due at an instant, in whatever order partitions arrive; and the end."""

from itertools import permutations
from pathlib import Path

import pytest

from fleet_scenes import rules_first
from wakeful import SessionEvent, Settings, Tick, read_automation


def automation():
    """Fires on a failure, and where nothing follows a completed turn for a minute."""

    def trigger(name: str, event: str, config: dict[str, object]) -> dict[str, object]:
        of = {"id": name, "kind": "event", "type": "session", "title": name}
        return {**of, "events": [{"id": event}], "config": config}

    silence = {"then": {"kind": "absent", "event": "toolCalled", "for": "1m"}}
    return read_automation(
        {
            "id": "a",
            "title": "a",
            "message": {"text": "{{session}}"},
            "triggers": [
                trigger("t1", "toolFailed", {}),
                trigger("t2", "turnCompleted", silence),
            ],
        }
    )


def test_two_inputs_and_a_deadline_at_one_instant_give_one_output_in_twenty_orders(
    cluster, tmp_path: Path
):
    from flink_jobs import decided, expected, files, submit

    partitions = rules_first(
        [automation()],
        [
            [Tick(0), SessionEvent("toolFailed", "x", 60_000), Tick(60_001)],
            [SessionEvent("turnCompleted", "y", 0), Tick(60_000), Tick(60_001)],
            [Tick(0), SessionEvent("toolFailed", "z", 60_000), Tick(60_001)],
        ],
    )
    paths = files(tmp_path, partitions)
    outputs = []
    for number, paces in enumerate([*permutations((0, 60, 120, 180), 4)][:20]):
        out = tmp_path / f"out-{number}"
        job = submit(cluster, paths, out, chunk=60, parallelism=2, paces=paces)
        cluster.wait(job)
        outputs.append(decided(out))

    once = expected(partitions)
    assert [decision["decision"] for decision in once] == ["start", "hold", "fold"]
    assert [once] * 20 == outputs


@pytest.mark.parametrize(("until", "fired"), [(59_999, 0), (60_000, 1)])
def test_the_end_of_a_log_is_not_time_that_passed(cluster, tmp_path: Path, until: int, fired: int):
    from flink_jobs import decided, files, submit

    partitions = rules_first(
        [automation()], [[SessionEvent("turnCompleted", "s", 0)], [Tick(until)]]
    )
    job = submit(cluster, files(tmp_path, partitions), tmp_path / "out")
    cluster.wait(job)

    assert fired == len(decided(tmp_path / "out"))


def test_python_in_processes_of_its_own_decides_the_same(tmp_path: Path):
    from fleet_logs import generated
    from flink_cluster import Cluster
    from flink_jobs import decided, expected, files, submit

    partitions = generated(1, 2_500)
    own = Cluster(tmp_path / "cluster", mode="process")
    try:
        own.start_task_manager()
        job = submit(own, files(tmp_path, partitions), tmp_path / "out")
        own.wait(job, seconds=240)
    finally:
        own.stop()

    assert expected(partitions) == decided(tmp_path / "out")


def test_runs_that_settle_by_themselves_do_so_at_gates(cluster, tmp_path: Path):
    from fleet_logs import generated
    from flink_jobs import decided, expected, files, submit

    settings = Settings(unmet="every", run_time=300_000)
    partitions = generated(2, 1_000)
    job = submit(cluster, files(tmp_path, partitions), tmp_path / "out", settings=settings)
    cluster.wait(job)

    assert expected(partitions, settings) == decided(tmp_path / "out")


def test_records_with_partition_and_offset_are_decided_about_as_files_are(cluster, tmp_path: Path):
    from fleet_logs import generated
    from flink_jobs import decided, expected, submit_records

    partitions = generated(3, 1_000)
    job = submit_records(cluster, partitions, tmp_path / "out")
    cluster.wait(job)

    assert expected(partitions) == decided(tmp_path / "out")
