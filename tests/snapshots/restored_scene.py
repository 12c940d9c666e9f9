"""The recorded log through an engine that is cut after every few inputs; run as a program it
prints the lines and a digest of every snapshot, so that a test can run it under any hash seed.

    python restored_scene.py [INPUTS BETWEEN TWO CUTS …]
"""

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import recorded_scene as scene
from wakeful import Engine, Output, load_rules, open_logs


def lived(every: int) -> tuple[list[Output], list[str]]:
    """The outputs, and the digests of the snapshots at the cuts."""
    rules = load_rules([str(scene.RULES)]).automations
    engine = Engine(rules, settings=scene.SETTINGS)
    outputs: list[Output] = []
    digests = []
    with open_logs([str(scene.LOG)]) as inputs:
        for number, item in enumerate(inputs, 1):
            outputs += engine.feed(item)
            if number % every == 0:
                snapshot = engine.snapshot()
                digests.append(hashlib.sha256(snapshot).hexdigest())
                engine = Engine.restore(snapshot, rules, settings=scene.SETTINGS).engine
    return outputs, digests


if __name__ == "__main__":
    for every in map(int, sys.argv[1:] or ["7"]):
        found, all_digests = lived(every)
        sys.stdout.write(scene.lines(found))
        sys.stdout.write("\n".join(all_digests) + "\n")
