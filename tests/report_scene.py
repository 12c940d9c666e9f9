"""Small days for the tests of reports: records of a native log, gathered as the command does."""

import json
from datetime import UTC

import attrs

from wakeful import open_logs
from wakeful.reading import load_rules
from wakeful.replay import DEFAULTS, Replay
from wakeful.report import Recording, Shown, gather

SECOND = 1_000
MINUTE = 60 * SECOND
BEGIN = 1_790_000_000_000


def record(kind, at, session="s1", **more):
    """A record of a native log, ``at`` seconds after the beginning."""
    return {"at": BEGIN + round(at * SECOND), "kind": kind, "session": session, **more}


def started(at, session="s1", **more):
    return record("turnStarted", at, session, **more)


def failed(at, session="s1", tool="Bash", **more):
    tool = {"name": tool, "inputHash": "h"}
    return record("toolFailed", at, session, running=True, queued=0, tool=tool, **more)


def called(at, session="s1", **more):
    tool = {"name": "Read", "inputHash": "h"}
    return record("toolCalled", at, session, running=True, queued=0, tool=tool, **more)


def ended(at, session="s1", kind="turnCompleted", **more):
    return record(kind, at, session, running=False, queued=0, **more)


def automation(name="failing", *, events=("toolFailed",), title="Failing", **config):
    trigger = {
        "id": "t1",
        "kind": "event",
        "type": "session",
        "events": [{"id": each} for each in events],
        "config": config or {"count": {"n": 3, "consecutive": True}},
    }
    return {
        "id": name,
        "title": title,
        "message": {"text": "{{count}} times in {{sessionTitle}}"},
        "triggers": [trigger],
    }


FAILING_DAY = [
    started(0, title="Mend the tests"),
    failed(10),
    failed(20),
    failed(30),
    ended(40),
    record("idle", 40, running=False, queued=0),
    started(0, "s2", title="A quiet one"),
    called(300, "s2"),
    ended(310, "s2"),
]
FAILING_DAY.sort(key=lambda each: each["at"])


class Scene:
    """A log and rules in files."""

    def __init__(self, folder) -> None:
        self.folder = folder
        self.log = folder / "log.jsonl"
        self.rules = folder / "rules.json"

    def write(self, records, *automations):
        self.log.write_text("".join(json.dumps(each) + "\n" for each in records))
        self.rules.write_text(json.dumps({"automations": list(automations) or [automation()]}))
        return self

    def gathered(self, *, shown=None, zone=UTC, zone_name="UTC", run_time="none", **bounds):
        rules = load_rules([str(self.rules)])

        def make():
            settings = attrs.evolve(DEFAULTS, run_time=run_time)
            return Replay(rules.automations, types=rules.types, settings=settings)

        def again():
            return make(), open_logs([str(self.log)])

        recording = Recording(make(), shown or Shown())
        outputs = list(recording.outputs(open_logs([str(self.log)])))
        gathered = gather(
            recording,
            recording.replay.summary(zone=zone),
            zone=zone,
            zone_name=zone_name,
            again=again,
            **bounds,
        )
        return gathered, outputs
