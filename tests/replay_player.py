"""Playing plain records as a library: shared by the tests of replays."""

import json
from datetime import UTC

import attrs

from replay_cases import at
from wakeful.logs.native import NativeFormat
from wakeful.logs.reader import Origin
from wakeful.model.time import parse_instant
from wakeful.reading import read_automation
from wakeful.replay import DEFAULTS, Replay

ZERO = parse_instant(at(0))


def inputs(*records):
    """The inputs of native records."""
    reader = NativeFormat().reader()
    return [
        one for record in records for one in reader.feed(json.dumps(record).encode(), Origin("log"))
    ]


def player(*automations, run_time="none", sessions_kept=None, **options):
    """A replay of automations that are plain data."""
    settings = attrs.evolve(DEFAULTS, run_time=run_time)
    if sessions_kept is not None:
        settings = attrs.evolve(settings, sessions_kept=sessions_kept)
    return Replay([read_automation(each) for each in automations], settings=settings, **options)


def play(automations, records, *, zone=UTC, **options):
    """The summary of playing records to the end."""
    playing = player(*automations, **options)
    for _ in playing.outputs(inputs(*records)):
        pass
    return playing.summary(zone=zone)
