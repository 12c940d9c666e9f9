"""What of the environment is kept with the results of a run."""

from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "wakeful",
    "apscheduler",
    "clipspy",
    "croniter",
    "cronsim",
    "durable_rules",
    "eql",
    "msgspec",
    "rule-engine",
    "ruamel.yaml",
)


def pytest_benchmark_update_machine_info(config, machine_info):
    """The versions of what is measured."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    machine_info["packages"] = versions
