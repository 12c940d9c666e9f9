"""Explaining plain records: shared by the tests of what is explained."""

import attrs

from replay_cases import at, automation, event
from replay_player import inputs
from wakeful.explain.firings import firings
from wakeful.explain.misses import near_misses
from wakeful.explain.tracer import Tracer
from wakeful.explain.wording import Wording
from wakeful.model.time import format_instant, parse_instant
from wakeful.reading import read_automation
from wakeful.replay import DEFAULTS, Replay

RULE = "ahp-automation:/a"


def rule(*events, **config):
    """The automation ``a`` with one rule."""
    return automation("a", *events, **config)


def traced(records, *automations, until=None, run_time="none", watch=None, observer=None):
    """A trace of records, played to the end."""
    replay = Replay(
        [read_automation(each) for each in automations],
        settings=attrs.evolve(DEFAULTS, run_time=run_time),
        until=None if until is None else parse_instant(at(until)),
    )
    tracer = Tracer(replay, watch, observer=observer)
    tracer.play(inputs(*records))
    return tracer


def told(tracer, limit=1):
    """The nearest misses in words, instants as minutes and seconds."""
    wording = Wording(short)
    return [" · ".join(wording.miss(miss)) for miss in near_misses(tracer, limit=limit)]


def fired(tracer):
    """What fired, in words."""
    wording = Wording(short)
    return [" · ".join(wording.firing(firing)) for firing in firings(tracer)]


def steps(tracer):
    """The steps, each as its word, why, and the number of the input that did it."""
    return [
        (
            step.what.value,
            None if step.why is None else step.why.value,
            None if step.by is None else step.by.number,
        )
        for step in tracer.steps
        if step.decision is None
    ]


def short(instant):
    """An instant as minutes and seconds after 14:00."""
    return format_instant(instant)[14:19]


def turn(seconds, session="s1"):
    return event(seconds, "turnStarted", session)
