"""A clock's view: what became of every occurrence of a schedule."""

import pytest

from wakeful.explain.clocks import Fate, ticks
from wakeful.explain.steps import What
from wakeful.explain.tracer import Tracer
from wakeful.explain.wording import Wording
from wakeful.model.events import Resumed, Tick
from wakeful.model.time import format_instant, parse_instant
from wakeful.reading import read_automation
from wakeful.replay import Replay


def schedule(expression, **members):
    config = {"id": "t1", "kind": "schedule", "schedule": {"expression": expression, **members}}
    return read_automation(
        {"id": "a", "title": "a", "message": {"text": "m"}, "triggers": [config]}
    )


def fates(automation, since, until, *inputs):
    since, until = parse_instant(since), parse_instant(until)
    tracer = Tracer(Replay([automation], at=since, until=until))
    tracer.play(inputs)
    decisions = [step.decision for step in tracer.steps if step.what is What.DECIDED]
    return ticks([automation], decisions, since=since, until=until)


def test_an_occurrence_that_ran():
    [tick] = fates(schedule("0 9 * * *"), "2026-10-07T08:00:00Z", "2026-10-07T10:00:00Z")

    assert (tick.fate, tick.decision.kind) == (Fate.DECIDED, "start")


def test_a_local_minute_that_does_not_exist():
    automation = schedule("30 2 * * *", timeZone="Europe/Berlin")
    found = fates(automation, "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z")
    [words] = [Wording(format_instant).tick(tick) for tick in found]

    assert words == "2026-03-29T01:00:00.000Z: 02:30 does not exist, the clocks go forward"


def test_what_the_host_slept_through_is_told_by_its_catch_up_alone():
    at = parse_instant("2026-10-07T12:00:00Z")
    found = fates(
        schedule("0 * * * *"), "2026-10-07T08:30:00Z", "2026-10-07T12:30:00Z", Resumed(at=at)
    )

    assert [tick.fate for tick in found] == [Fate.DECIDED]
    assert found[0].decision.catch_up


def test_an_automation_that_is_off_did_not_run():
    automation = read_automation(
        {
            "id": "a",
            "title": "a",
            "enabled": False,
            "message": {"text": "m"},
            "triggers": [{"id": "t1", "kind": "schedule", "schedule": {"expression": "0 9 * * *"}}],
        }
    )
    [tick] = fates(
        automation,
        "2026-10-07T08:00:00Z",
        "2026-10-07T10:00:00Z",
        Tick(parse_instant("2026-10-07T09:30:00Z")),
    )

    assert tick.fate is Fate.NOT_WATCHED
    assert "the automation was off" in Wording(format_instant).tick(tick)


@pytest.mark.parametrize("expression", ["0 9 * * *", "*/20 * * * *"])
def test_every_occurrence_is_told_once(expression):
    found = fates(schedule(expression), "2026-10-07T00:00:00Z", "2026-10-09T00:00:00Z")

    assert len({tick.at for tick in found}) == len(found)
