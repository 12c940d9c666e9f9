"""What these tests share. They run by ``tests/flink/run`` only, which makes their environment."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = "needs Java 17 and the extra `flink`; run by tests/flink/run"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("WAKEFUL_FLINK") == "1":
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=RUN))


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[object]":
    from flink_cluster import Cluster

    started = Cluster(tmp_path_factory.mktemp("flink"))
    try:
        started.start_task_manager()
        yield started
    finally:
        started.stop()
