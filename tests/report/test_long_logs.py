"""A log of a million inputs makes a page that a browser opens."""

import random
from datetime import UTC

import pytest

from report_scene import automation
from wakeful import read_automation
from wakeful.model.events import Activity, SessionEvent, Tool, TurnStarted
from wakeful.replay import Replay
from wakeful.report import Recording, gather
from wakeful.report.page import page

WEEK = 7 * 86_400_000
SESSIONS = 200


def inputs(number):
    """A week of busy sessions, the same each time."""
    chance = random.Random(11)
    at = 0
    turns = dict.fromkeys(range(SESSIONS), 0)
    for _ in range(number):
        at += chance.randrange(0, 2 * WEEK // number)
        session = chance.randrange(SESSIONS)
        name = f"s{session}"
        turns[session] += 1
        if turns[session] == 1:
            yield TurnStarted(name, at)
        elif turns[session] > 50:
            turns[session] = 0
            yield SessionEvent("turnCompleted", name, at, running=False, queued=0)
        elif turns[session] % 2:
            yield Activity(name, at)
        else:
            kind = "toolFailed" if chance.random() < 0.05 else "toolCalled"
            tool = Tool(chance.choice(("Bash", "Read", "Edit")), "h")
            yield SessionEvent(kind, name, at, running=True, queued=0, tool=tool)


def page_of(number):
    rules = [read_automation(automation(count={"n": 3, "consecutive": True}))]
    recording = Recording(Replay(rules))
    for _ in recording.outputs(inputs(number)):
        pass
    summary = recording.replay.summary()
    gathered = gather(
        recording,
        summary,
        zone=UTC,
        zone_name="UTC",
        again=lambda: (Replay(rules), inputs(number)),
    )
    return gathered, page(gathered)


def test_a_hundred_thousand_inputs_are_whole_near_matches_and_small():
    gathered, text = page_of(100_000)

    assert len(text) < 12_000_000
    assert len([note for note in gathered.notes if "told of" in note]) == 1
    assert gathered.summary.matches > 0


@pytest.mark.deep
def test_a_million_inputs_make_a_page_under_twenty_megabytes_that_says_it_is_thinned():
    gathered, text = page_of(1_000_000)

    assert len(text) < 20_000_000
    assert len([note for note in gathered.notes if note.startswith("Thinned")]) == 1
    near = {
        (part.lane.name, mark.at)
        for part in gathered.sessions
        for mark in part.drawn.marks
        if mark.n == 1
    }
    assert {(each.session, each.at) for each in gathered.matches} <= near
