"""A job decides what one process decides, in both forms and at any parallelism."""

from functools import cache
from pathlib import Path

import pytest

from fleet_logs import VECTORS, generated, shipped, vectors

LOGS = ("shipped", "vectors", "generated-1", "generated-2", "generated-3")


@cache
def partitions_of(name: str):
    if name == "shipped":
        return shipped()
    if name == "vectors":
        return vectors()[0]
    return generated(int(name[-1]), 2_500)


@pytest.mark.parametrize("parallelism", [1, 2, 4])
@pytest.mark.parametrize("form", ["shards", "sessions"])
@pytest.mark.parametrize("name", LOGS)
def test_a_job_decides_what_one_process_decides(
    cluster, tmp_path: Path, name: str, form: str, parallelism: int
):
    from flink_jobs import SESSIONS, SHARDS, decided, expected, files, submit

    if name == "vectors" and not VECTORS.is_file():
        pytest.skip("the vectors are not here")
    partitions = partitions_of(name)
    paths = files(tmp_path, partitions)
    dealing = SHARDS if form == "shards" else SESSIONS
    job = submit(cluster, paths, tmp_path / "out", dealing=dealing, parallelism=parallelism)
    cluster.wait(job)

    assert expected(partitions) == decided(tmp_path / "out")
