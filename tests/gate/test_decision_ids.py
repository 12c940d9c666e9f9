"""The ids of decisions, written out for each kind of step that decides.

A host remembers the ids it acted upon, and a journal gives decisions again after an upgrade: an id
that a release changed would be acted upon twice. So what they are is held here, and with it the
place of each decision among all outputs (semantics 1.6).
"""

import pytest

from engine_scenes import (
    automation,
    ended,
    event,
    fail,
    idle,
    ms,
    on,
    saved,
    schedule,
    settled,
    started,
    turn,
)
from wakeful import (
    Decision,
    DefinitionRemoved,
    Engine,
    Press,
    Resumed,
    RunLinked,
    Settings,
    SteerFailed,
)
from wakeful.core.decisions import AFTER_MATCHES
from wakeful.journal import decision_id

FAILING = on("toolFailed")
PINNED = {"_meta": {"ahpd": {"session": "pinned", "pinnedSession": "chat"}}}
STEER = {"_meta": {"ahpd": {"overlap": "steer"}}}
MINUTE_PAST = {"kind": "afterDate", "date": "1970-01-01T00:01:00Z"}
SETTINGS = Settings(unmet="every", run_time=40_000)
STEERED = [fail(1), started(2, "r", "own"), turn(3, "own"), fail(4)]


def at_most(runs):
    return {"disableConditions": [{"kind": "afterRuns", "max": runs}]}


def undelivered(at):
    return SteerFailed(automation="ahp-automation:/a", run="r", at=ms(at))


def linked(at, run, session):
    return RunLinked(automation="ahp-automation:/a", run=run, session=session, at=ms(at))


def pressed(at, request):
    return Press(automation="ahp-automation:/a", request_id=request, at=ms(at))


def _short(id_):
    return id_.removeprefix("ahp-automation:/").replace(str(AFTER_MATCHES), "after")


def told(definition, *inputs, until=None):
    """The decisions of the last input, or of the time up to ``until``: word, id, whether late.

    ``after`` stands for the place after an input's matches.
    """
    engine = Engine([automation(id="first"), definition], settings=SETTINGS, at=0)
    outputs = []
    for item in inputs:
        outputs = engine.feed(item)
    if until is not None:
        outputs = engine.advance(ms(until))
    return [
        f"{each.kind} {_short(decision_id(each))}{' late' if each.late else ''}"
        for each in outputs
        if isinstance(each, Decision)
    ]


STEPS = [
    ("an event's match", ["start a@1000.1.0.1.1.0.0"], automation(FAILING), [fail(1)]),
    (
        "a second trigger",
        ["start a@1000.1.0.1.1.0.0", "hold a@1000.1.0.1.1.1.0"],
        automation(FAILING, on("toolFailed", id="t2")),
        [fail(1)],
    ),
    (
        "a run that settles",
        ["release a@3000.1.0.3.after.1.0"],
        automation(FAILING),
        [fail(1), fail(2), settled(3, "wakeful-run:/a/1")],
    ),
    (
        "a link to another chat",
        ["release a@4000.1.0.4.after.1.0"],
        automation(FAILING, **PINNED),
        [turn(1, "chat"), pressed(2, "p"), fail(3), linked(4, "wakeful-run:/a/1", "next")],
    ),
    (
        "a turn that is over",
        ["release a@3000.1.0.3.after.1.0"],
        automation(FAILING, **PINNED),
        [turn(1, "chat"), fail(2), event("turnCompleted", 3, "chat")],
    ),
    (
        "a chat that ends",
        ["release a@3000.1.0.3.after.1.0"],
        automation(FAILING, **PINNED),
        [turn(1, "chat"), fail(2), ended(3, "chat")],
    ),
    (
        "a definition switched off",
        ["drop a@3000.1.0.3.after.1.0"],
        automation(FAILING),
        [fail(1), fail(2), saved(3, automation(FAILING, enabled=False))],
    ),
    (
        "a definition removed",
        ["drop a@3000.1.0.3.after.1.0"],
        automation(FAILING),
        [fail(1), fail(2), DefinitionRemoved(automation="ahp-automation:/a", at=ms(3))],
    ),
    (
        "a steer that was not delivered",
        ["hold a@5000.1.0.5.after.1.0"],
        automation(FAILING, **STEER),
        [*STEERED, undelivered(5)],
    ),
    (
        "a steer into a run that is over",
        ["hold a@6000.1.0.6.after.1.0", "release a@6000.1.0.6.after.1.1"],
        automation(FAILING, **STEER),
        [*STEERED, settled(5, "r"), undelivered(6)],
    ),
    ("a press", ["start a@1000.1.0.1.after.1.0"], automation(FAILING), [pressed(1, "p")]),
    (
        "a press of an unknown automation",
        ["refuse a@1000.1.0.1.after.after"],
        automation(id="b"),
        [pressed(1, "p")],
    ),
    (
        "runs that were interrupted",
        ["release a@3000.1.0.3.after.1.0"],
        automation(FAILING),
        [fail(1), fail(2), Resumed(at=ms(3), live=())],
    ),
    (
        "the last run that is allowed",
        ["start a@1000.1.0.1.1.0.0", "drop a@1000.1.0.1.1.1.0"],
        automation(FAILING, on("toolFailed", id="t2"), **at_most(1)),
        [fail(1)],
    ),
    (
        "a released run that is the last allowed",
        ["release a@3000.1.0.3.after.1.0"],
        automation(FAILING, **at_most(2)),
        [fail(1), fail(2), settled(3, "wakeful-run:/a/1")],
    ),
    (
        "what was due while nobody was there",
        ["start a@31000.0.0.1.1.0.0 late"],
        automation(on("toolFailed", then=idle("30s"))),
        [fail(1), Resumed(at=ms(90))],
    ),
    (
        "occurrences that were missed",
        ["drop a@9000000.0.2.0.1.0 late"],
        automation(schedule("0 * * * *", misfirePolicy="skip")),
        [Resumed(at=ms(9_000))],
    ),
    (
        "an occurrence caught up",
        ["start a@9000000.0.2.0.1.0 late"],
        automation(schedule("0 * * * *")),
        [Resumed(at=ms(9_000))],
    ),
]
DUE = [
    ("an occurrence", ["start a@60000.0.2.0.1.0"], automation(schedule("* * * * *")), []),
    (
        "a wait that held",
        ["start a@31000.0.0.1.1.0.0"],
        automation(on("toolFailed", then=idle("30s"))),
        [fail(1)],
    ),
    (
        "a date that passes",
        ["drop a@60000.0.-1.0.1.0"],
        automation(FAILING, disableConditions=[MINUTE_PAST]),
        [fail(21), fail(22)],
    ),
    (
        "a run that settles by itself",
        ["release a@41000.0.1.1.1.1"],
        automation(FAILING),
        [fail(1), fail(2)],
    ),
]


@pytest.mark.parametrize(
    ("expected", "definition", "inputs"),
    [step[1:] for step in STEPS],
    ids=[step[0] for step in STEPS],
)
def test_the_ids_of_what_an_input_decides_stay_as_they_are(expected, definition, inputs):
    assert told(definition, *inputs) == expected


@pytest.mark.parametrize(
    ("expected", "definition", "inputs"),
    [step[1:] for step in DUE],
    ids=[step[0] for step in DUE],
)
def test_the_ids_of_what_falls_due_stay_as_they_are(expected, definition, inputs):
    assert told(definition, *inputs, until=60) == expected
