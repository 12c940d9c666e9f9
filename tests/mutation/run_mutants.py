"""Mutation testing of the core and of cron: a sample, nearly the same for nearly the same sources.

    python tests/mutation/run_mutants.py [--sample 300] [--seed 13] [--out mutants.jsonl]

One process a mutant, forked from one that has imported what tests import and nothing of
wakeful. A mutant is killed by the first test that fails, or by taking too long, which is
measured in processor time, so that a busy machine kills none. What was tried before and stands
in the file is not tried again.
"""

import argparse
import importlib.abc
import importlib.util
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "wakeful"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from mutation.mutants import Mutant, mutants_of, mutated  # noqa: E402 - the path comes first

ROOMS = ("core", "cron")
MEMORY = 2 << 30
"""How many bytes of addresses a mutant may have."""

PATIENCE = 20
"""How many times as long by the clock, for a mutant that waits instead of working."""

NOTHING_LEFT = -1
"""The number of a mutant that everything notices: it shows that mutants are imported at all."""

CRON_TESTS = (
    "tests/cron/test_expression.py",
    "tests/cron/test_schedule.py",
    "tests/cron",
    "tests/faults/test_schedule_faults.py",
)
STATE_TESTS = ("tests/snapshots",)
HALVES_TESTS = ("tests/parallel/test_halves.py", "tests/parallel/test_moving_halves.py")
CORE_TESTS = (
    "tests/core/test_semantics_time_and_inputs.py",
    "tests/core/test_semantics_rules.py",
    "tests/core/test_semantics_follow_ups.py",
    "tests/core/test_asking_an_engine.py",
    "tests/core/test_sight_of_facts.py",
    "tests/core/test_edges_of_counts.py",
    "tests/core/test_engine.py",
    "tests/gate",
    "tests/faults",
    "tests/plugins/test_fires.py",
    "tests/core",
    "tests/snapshots",
    "tests/limits",
)
"""The tests that are asked, those first that are quick and likely to notice."""

STATE = frozenset({"invariants", "snapshot", "session_state", "sealed", "plain", "room"})
"""The modules of the core that are about what is kept."""

HALVES = frozenset({"deciding", "matching", "numbering"})
"""Those that take an engine apart, to run it in several places."""

QUIET = (
    "-p",
    "_hypothesis_pytestplugin",
    "--hypothesis-profile=mutants",
    "-Wignore::pytest.PytestAssertRewriteWarning",
)

LEFT_OUT = ("tests/cron/test_speed.py", "tests/cron/test_next_command.py")
"""Speed is no behaviour, and what runs in a process of its own has no mutant in it."""


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with its mutant in it."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.path = path_of(mutant.module)

    def find_spec(self, name, path=None, target=None):
        if name != self.mutant.module:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(self.path))

    def exec_module(self, module) -> None:
        module.__file__ = str(self.path)
        if self.mutant.number == NOTHING_LEFT:
            raise ImportError("nothing is left of the module")
        tree = mutated(self.path, self.mutant.number)
        exec(compile(tree, str(self.path), "exec"), module.__dict__)


def path_of(module: str) -> Path:
    return (SOURCES.parent / module.replace(".", "/")).with_suffix(".py")


def all_mutants() -> list[Mutant]:
    """Every mutant of the rooms, in a fixed order."""
    found: list[Mutant] = []
    for room in ROOMS:
        for path in sorted((SOURCES / room).rglob("*.py")):
            if path.name == "__init__.py":
                continue
            module = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
            found += mutants_of(module, path)
    return found


def tests_for(mutant: Mutant | None) -> tuple[str, ...]:
    """The tests that may notice a mutant, in the order in which they are asked."""
    if mutant is None:
        return (*CORE_TESTS, *CRON_TESTS)
    room, module = mutant.module.split(".")[1:3]
    if room == "cron":
        return CRON_TESTS
    first = STATE_TESTS if module in STATE else HALVES_TESTS if module in HALVES else ()
    return (*first, *CORE_TESTS)


def judge(mutant: Mutant | None, most: float) -> tuple[str, float]:
    """What became of a mutant: ``killed``, ``too long`` or ``survived``; and the seconds of
    processor time."""
    began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)

    def seconds() -> float:
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        return now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime

    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        # A loop that ends no more may fill memory faster than time runs out.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(most), int(most) + 5))
        os._exit(run_tests(mutant))
    while time.monotonic() - began < most * PATIENCE:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            if code in {-signal.SIGXCPU, -signal.SIGKILL}:
                return "too long", seconds()
            return "survived" if code == 0 else "killed", seconds()
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too long", seconds()


def run_tests(mutant: Mutant | None) -> int:
    """Run the tests in this process, with the mutant."""
    import hypothesis
    import pytest

    os.chdir(ROOT)
    # A plugin that pytest finds by itself is rewritten for its assertions, and so is the whole of
    # its distribution: ours, by a finder that would stand before the mutant's.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    nothing = os.open(os.devnull, os.O_WRONLY)
    if mutant is not None:
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        sys.meta_path.insert(0, Finder(mutant))
    # The same examples for every mutant; one that fails is enough, however large it is, and none
    # fails for a machine that has much to do.
    hypothesis.settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        suppress_health_check=(hypothesis.HealthCheck.too_slow,),
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    )
    ignored = [f"--ignore={path}" for path in LEFT_OUT]
    return int(
        pytest.main(["-x", "-q", "-p", "no:cacheprovider", *QUIET, *ignored, *tests_for(mutant)])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--most", type=float, default=240, help="seconds for one mutant")
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--shard", default="0/1", help="which of how many parts of the sample")
    parser.add_argument("--out", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--again", action="store_true", help="try the survivors again")
    options = parser.parse_args()

    # Imported before forking: each child would spend a second on it.
    import pytest  # noqa: F401

    everything = sorted(all_mutants(), key=lambda one: one.rank(options.seed))
    sample = everything[: options.sample]
    shard, shards = map(int, options.shard.split("/"))
    sample = sample[shard::shards]
    before = {}
    if options.out.exists():
        for line in options.out.read_text().splitlines():
            told = json.loads(line)
            before[told["name"]] = told["became"]
    if judge(None, options.most * 2)[0] != "survived":
        sys.exit("the tests fail without any mutant")
    if judge(Mutant("wakeful.core.plain", NOTHING_LEFT, 0, ""), options.most)[0] != "killed":
        sys.exit("a mutant that nobody could survive was not noticed")
    until = time.monotonic() + options.hours * 3_600
    for mutant in sample:
        became = before.get(mutant.name)
        if became is not None and not (options.again and became == "survived"):
            continue
        if time.monotonic() > until:
            break
        became, seconds = judge(mutant, options.most)
        with options.out.open("a") as out:
            told = {
                "name": mutant.name,
                "line": mutant.line,
                "became": became,
                "seconds": round(seconds, 1),
            }
            out.write(json.dumps(told) + "\n")
            before[mutant.name] = became
    counted = Counter(before[one.name] for one in sample if one.name in before)
    print(  # noqa: T201 - it is a command
        f"{len(everything)} mutants, {sum(counted.values())} tried: {dict(counted)}"
    )


if __name__ == "__main__":
    main()
