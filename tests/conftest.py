"""What every test shares: hypothesis profiles, and the long tests kept out of a plain run."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# `dev` explores anew each time; `ci` is the same run for everybody; `deep` is for a night.
settings.register_profile("dev", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.register_profile(
    "deep",
    deadline=None,
    max_examples=4_000,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# What a shell starts in the background ignores interrupts, and so would every command that the
# tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked ``deep`` unless ``-m`` asks for something."""
    if config.option.markexpr:
        return
    deep = [item for item in items if item.get_closest_marker("deep") is not None]
    if deep:
        config.hook.pytest_deselected(items=deep)
        items[:] = [item for item in items if item not in set(deep)]
