"""Measure, and write what was measured into the docs' page on performance.

``python -m benchmarks.report`` in the checkout runs what the page shows and writes the page;
``--from FILE`` writes it from results that were saved before with ``--benchmark-json``.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from .results import Results
from .write import CHECKOUT, write

MEASURED = (
    "peers", "growth", "engine", "load", "replay", "memory", "readers", "schedules", "gate", "cron",
)  # fmt: skip
"""The benchmarks that the page shows; the others are run by their files."""
SIZES = {"WAKEFUL_BENCH_EVENTS": "200000", "WAKEFUL_BENCH_LOG": "100000"}
"""How large they are, where the environment does not say."""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--from", dest="saved", type=Path, help="results saved before")
    parser.add_argument("--save", type=Path, help="keep the results of this run in a file")
    options = parser.parse_args()
    if options.saved is not None:
        write(Results(options.saved))
        return 0
    with TemporaryDirectory() as folder:
        saved = (options.save or Path(folder) / "results.json").resolve()
        status = measure(saved)
        if saved.exists():
            write(Results(saved))
    return status


def measure(saved: Path) -> int:
    """Run the benchmarks of the page, and save what they tell."""
    files = [f"benchmarks/test_{name}.py" for name in MEASURED]
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--benchmark-only",
        "--benchmark-timer=time.process_time", "--benchmark-columns=median",
        f"--benchmark-json={saved}", *files,
    ]  # fmt: skip
    return subprocess.run(
        command, cwd=CHECKOUT, env={**SIZES, **os.environ}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
