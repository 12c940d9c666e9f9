"""What the tests of replays by workers share."""

from collections.abc import Iterator

import pytest

from wakeful.replay.parallel import Workers, processes


@pytest.fixture(scope="session")
def pool() -> Iterator[Workers]:
    """Two processes for all tests: beginning them is what costs."""
    with processes(2) as workers:
        yield workers
