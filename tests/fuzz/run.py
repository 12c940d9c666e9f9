"""Fuzzing for as long as one likes: every surface in turn, what is found kept.

    python tests/fuzz/run.py --minutes 60 [--only "log codex"] [--seed 1] [--out fuzz.json]

Texts are hypothesis's (see ``feeding``), a new seed each round, and
what fails is made small. It is kept in ``tests/fuzz/found``, which the tests feed again, so that
what was found once stays mended. What takes longer than ten seconds is found too; all time is
processor time, so that a busy machine finds nothing that is not there.
"""

import argparse
import hashlib
import json
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

import hypothesis  # noqa: E402 - the path comes first

from fuzz.surfaces import SURFACES, Surface  # noqa: E402

FOUND = Path(__file__).parent / "found"
PER_ROUND = 250
LONGEST = 10
"""How many seconds of processor time a text may take."""
ENOUGH = 3
"""After so many findings a surface is left alone: they tend to be one."""


class TooLong(BaseException):
    """A text took longer than :data:`LONGEST`; no handler of the library's catches it."""


def too_long(_signal, _frame):
    raise TooLong


def fuzz(surface: Surface, seed: int, folder: Path) -> tuple[int, bytes | None, str]:
    """A round; how many texts were fed, the smallest that failed, and what came out."""
    fed = 0
    last: list[bytes] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=PER_ROUND,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        report_multiple_bugs=False,
    )
    @hypothesis.given(surface.texts)
    def feed(data: bytes) -> None:
        nonlocal fed
        fed += 1
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            surface.feed(data, folder)
        except BaseException:
            last[:] = [data]
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    try:
        feed()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever comes out is what is looked for
        return fed, last[0] if last else b"", traceback.format_exc()
    return fed, None, ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--only", choices=sorted(SURFACES), action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where to write how far it is, as JSON")
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, too_long)
    names = options.only or list(SURFACES)
    texts = dict.fromkeys(names, 0)
    seconds = dict.fromkeys(names, 0.0)
    findings: dict[str, list[str]] = {}
    began = time.process_time()
    seed = options.seed
    with tempfile.TemporaryDirectory() as folder:
        while (spent := time.process_time() - began) < options.minutes * 60:
            there = [name for name in names if len(findings.get(name, ())) < ENOUGH]
            if not there:
                break
            # Each gets as much time as the others, however slow it is.
            name = min(there, key=seconds.__getitem__)
            before = time.process_time()
            fed, failed, said = fuzz(SURFACES[name], seed, Path(folder))
            seed += 1
            texts[name] += fed
            seconds[name] += time.process_time() - before
            if failed is not None:
                digest = hashlib.sha256(failed).hexdigest()[:12]
                path = FOUND / name.replace(" ", "-") / digest
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(failed)
                findings.setdefault(name, []).append(str(path))
                print(f"{name}: {path}\n{said}", flush=True)  # noqa: T201 - it is a command
            if options.out is not None:
                told = {"minutes": round(spent / 60, 1), "texts": texts, "found": findings}
                options.out.write_text(json.dumps(told, indent=1))
    total = sum(texts.values())
    found = sum(map(len, findings.values()))
    print(  # noqa: T201
        f"{total} texts to {len(names)} surfaces in"
        f" {(time.process_time() - began) / 60:.1f} minutes of processor time: {found} findings"
    )
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
