"""Two versions of rules: what differs, and nothing where nothing does."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from explaining import rule
from models.strategies import automations as any_automation
from models.strategies import matcher_cases, worlds
from replay_cases import event, failure
from replay_player import inputs
from wakeful.explain.comparing import Change, Comparison
from wakeful.explain.playing import bounded
from wakeful.model.outputs import Match
from wakeful.reading import read_automation
from wakeful.replay import DEFAULTS, Replay


def differences(records, old, new, **options):
    comparison = Comparison(
        Replay([read_automation(old)]), Replay([read_automation(new)]), **options
    )
    return [
        (each.change, each.old and each.old.at, each.new and each.new.at)
        for each in comparison.differences(inputs(*records))
    ]


def at(seconds):
    return inputs(failure(seconds))[0].at


RECORDS = [failure(0), failure(1), failure(2)]


def test_a_lower_count_changes_the_wake_in_place_and_gains_two():
    old, new = (rule("toolFailed", count={"n": n}) for n in (2, 1))

    assert differences(RECORDS, old, new) == [
        (Change.GAINED, None, at(0)),
        (Change.CHANGED, at(1), at(1)),
        (Change.GAINED, None, at(2)),
    ]


def test_a_longer_wait_moves_a_wake():
    old, new = (
        rule("turnFailed", then={"kind": "idle", "for": length}) for length in ("10s", "20s")
    )
    records = [event(0, "turnFailed"), event(60, "activity")]

    assert differences(records, old, new) == [(Change.MOVED, at(10), at(20))]


def test_a_filter_that_matches_nothing_loses_every_wake():
    new = rule("toolFailed", filter={"owners": []})

    assert differences(RECORDS[:2], rule("toolFailed"), new) == [
        (Change.LOST, at(0), None),
        (Change.LOST, at(1), None),
    ]


def test_matches_are_compared_where_asked_for():
    old, new = rule("toolFailed"), rule("toolFailed", overlap="skip")
    silent = {**new, "title": "another"}

    assert differences(RECORDS, old, silent, matches=True) == []


def test_time_goes_on_to_the_end_for_both():
    wait = rule("turnFailed", then={"kind": "idle", "for": "10s"})
    comparison = Comparison(Replay([]), Replay([read_automation(wait)]))
    given = bounded(inputs(event(0, "turnFailed")), until=at(30))

    assert [each.change for each in comparison.differences(given)] == [Change.GAINED]


@given(matcher_cases())
@settings(max_examples=10)
def test_rules_compared_with_themselves_do_not_differ(case):
    old, new = (Replay(case.automations, settings=DEFAULTS) for _ in range(2))

    assert Comparison(old, new).differences(case.inputs) == []


@given(st.data(), matcher_cases(changes=False))
@settings(max_examples=10)
def test_what_differs_is_exactly_what_two_replays_differ_in(data, case):
    changed = data.draw(any_automation(data.draw(worlds()), 0))
    new = [changed, *case.automations[1:]]
    found = Comparison(
        Replay(case.automations, settings=DEFAULTS), Replay(new, settings=DEFAULTS), matches=True
    ).differences(case.inputs)
    old_matches, new_matches = (matches(rules, case.inputs) for rules in (case.automations, new))

    assert Counter(place(each.old) for each in found if each.old) == old_matches - new_matches
    assert Counter(place(each.new) for each in found if each.new) == new_matches - old_matches


def matches(rules, given_inputs):
    return Counter(
        place(each)
        for each in Replay(rules, settings=DEFAULTS).outputs(given_inputs)
        if isinstance(each, Match)
    )


def place(wake):
    trigger = wake.trigger
    preset = getattr(wake, "preset", None)
    if preset is not None:
        trigger = f"{trigger}/{preset}"
    return (wake.at, wake.automation, trigger, wake.session or "", wake.event, wake.count)
