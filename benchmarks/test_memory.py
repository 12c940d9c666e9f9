"""What a long replay holds: a million native events against a thousand rules.

Run with ``pytest benchmarks/test_memory.py -m deep``; it takes a minute or two. The replay is
the command's, in a process of its own, so that the peak is its own too.
"""

import json
import subprocess
import sys

import pytest
from test_engine import native_lines
from workloads import LIVE_PROJECTS

EVENTS = 1_000_000
MOST = 200 * 2**20

REPLAY = """
import sys
from wakeful.cli import main
status = main(sys.argv[1:])
# Not ru_maxrss: that is inherited from whoever started this process.
held = open("/proc/self/status").read()
peak = int(held.partition("VmHWM:")[2].split()[0]) * 1024
print(peak, file=sys.stderr)
sys.exit(status)
"""


def rules():
    """A thousand automations, ten for each of fifty projects and the rest for none."""
    configs = [
        {"count": {"n": 3, "consecutive": True}},
        {"count": {"n": 3, "within": "5m"}},
        {"count": {"n": 3, "sameInput": True, "within": "10m"}},
        {"then": {"kind": "event", "event": "turnFailed", "within": "5m"}},
        {"then": {"kind": "absent", "event": "toolCalled", "for": "20m"}},
    ]
    for number in range(1_000):
        live = number < 10 * LIVE_PROJECTS
        project = f"live-{number // 10}" if live else f"dead-{number}"
        yield {
            "id": f"a{number}",
            "title": f"a{number}",
            "message": {"text": "{{event}} {{count}}"},
            "triggers": [
                {
                    "id": "t1",
                    "kind": "event",
                    "type": "session",
                    "events": [{"id": "toolFailed"}],
                    "config": {
                        **configs[number % len(configs)],
                        "filter": {"projects": [project]},
                    },
                }
            ],
        }


@pytest.mark.deep
def test_a_million_events_replay_in_flat_memory(tmp_path):
    log, ruleset = tmp_path / "log.jsonl", tmp_path / "rules.json"
    with log.open("w", encoding="utf-8") as file:
        file.writelines(native_lines(EVENTS))
    ruleset.write_text(json.dumps({"automations": list(rules())}), encoding="utf-8")
    with (tmp_path / "out.jsonl").open("w") as out:
        ran = subprocess.run(
            [sys.executable, "-c", REPLAY, "replay", log, "--rules", ruleset, "--json", "--quiet"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
    with (tmp_path / "out.jsonl").open() as out:
        assert sum(1 for _ in out) > 1_000
    assert int(ran.stderr.split()[-1]) < MOST
