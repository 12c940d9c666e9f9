"""A host that is killed: feeds a log through a journal, acting on each decision by its id.

    python killed_host.py FOLDER POLICY SNAPSHOT_EVERY

What it acted upon stands in ``FOLDER/../acted``, an id a line. A line is the act itself: one
write, which a kill leaves whole or not at all. It ends with status 0 when all is done.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from journal.journal_scenes import RULES, day
from wakeful.journal import Journal, decision_id

INPUTS = day(60)


def live(folder: Path, policy: str, every: int) -> None:
    path = folder.with_name("acted")
    path.touch()
    acted = set(path.read_text().splitlines())
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    with Journal.open(
        folder,
        at=0,
        automations=None if any(folder.glob("snapshot-*")) else RULES,
        sync=int(policy) if policy.isdigit() else policy,
        snapshot_every=every,
    ) as journal:
        rest = INPUTS[journal.statistics().inputs :]
        for item in (None, *rest):
            if item is not None:
                journal.feed(item)
            for decision in journal.outstanding:
                id_ = decision_id(decision)
                if id_ not in acted:
                    os.write(descriptor, f"{id_}\n".encode())
                    acted.add(id_)
                journal.acknowledge(decision)


if __name__ == "__main__":
    live(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
