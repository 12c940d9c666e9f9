"""Sweeps: variants of rules, and rows that agree with replays of each alone."""

import pytest
from hypothesis import given, settings

from explaining import rule
from models.strategies import matcher_cases
from replay_cases import failure
from replay_player import inputs
from wakeful.errors import InvalidError
from wakeful.explain.sweeping import sweep
from wakeful.explain.varying import Variant, parse_variation, variants
from wakeful.model.outputs import Match
from wakeful.reading import Ruleset, read_automation
from wakeful.replay import DEFAULTS, Replay


def ruleset(*automations):
    return Ruleset(automations=tuple(read_automation(each) for each in automations))


def counts(found):
    """The counts that the first rule of each variant asks for."""
    return [each.automations[0].definition.triggers[0].rule.count.n for each in found]


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("count.n=2,3,5", ("count", "n"), (2, 3, 5)),
        ("count.n=2..4", ("count", "n"), (2, 3, 4)),
        ("triggers[0].config.count.n=2", ("triggers", 0, "config", "count", "n"), (2,)),
        ("count.within=5m, 1h", ("count", "within"), ("5m", "1h")),
        ("when.running=true,false", ("when", "running"), (True, False)),
    ],
)
def test_what_is_varied(text, path, values):
    found = parse_variation(text)

    assert (found.path, found.values, found.automation) == (path, values, None)


def test_the_automation_it_is_meant_of():
    assert parse_variation("loop:count.n=2").automation == "ahp-automation:/loop"


@pytest.mark.parametrize("text", ["count.n", "count.n=", "=3", "n=1..99999"])
def test_what_is_no_variation_is_refused(text):
    with pytest.raises(InvalidError):
        parse_variation(text)


def test_a_value_is_set_wherever_its_path_ends_so():
    rules = ruleset(rule("toolFailed", count={"n": 7}))
    found = variants(rules, [parse_variation("count.n=2..3")])

    assert counts(found) == [2, 3]


def test_a_value_that_was_left_out_is_set_by_its_whole_path():
    rules = ruleset(rule("toolFailed"))
    found = variants(rules, [parse_variation("triggers[0].config.count.n=4")])

    assert counts(found) == [4]


def test_several_make_a_grid_the_last_changing_fastest():
    rules = ruleset(rule("toolFailed", count={"n": 2, "within": "5m"}))
    variations = [parse_variation("count.n=2,3"), parse_variation("count.within=1m,2m")]

    assert [each.values for each in variants(rules, variations)] == [
        (2, "1m"),
        (2, "2m"),
        (3, "1m"),
        (3, "2m"),
    ]


def test_a_path_that_is_nowhere_is_refused():
    with pytest.raises(InvalidError, match=r"count\.m"):
        variants(ruleset(rule("toolFailed")), [parse_variation("count.m=2")])


def test_what_a_value_makes_of_a_rule_is_refused_as_rules_are():
    rules = ruleset(rule("toolFailed", count={"n": 2}))

    with pytest.raises(InvalidError, match=r"count\.n"):
        variants(rules, [parse_variation("count.n=0,2")])


def test_a_row_counts_matches_wakes_and_sessions():
    rules = ruleset(rule("toolFailed", count={"n": 2}))
    records = [failure(0), failure(1), failure(2, "s2"), failure(21_600, "s2")]
    rows = sweep(inputs(*records), variants(rules, [parse_variation("count.n=1,2,3")]))

    assert [(row.matches, row.wakes, row.sessions, row.wakes_a_day) for row in rows] == [
        (4, 4, 2, 16.0),
        (2, 2, 2, 8.0),
        (0, 0, 0, 0.0),
    ]


def test_the_hours_capped_are_counted():
    rules = ruleset(rule("toolFailed", count={"n": 1}))
    records = [failure(second) for second in range(25)]
    [row] = sweep(inputs(*records), variants(rules, [parse_variation("count.n=1")]))

    assert (row.matches, row.wakes, row.capped_hours) == (25, 20, 1)


@given(matcher_cases())
@settings(max_examples=10)
def test_a_sweep_agrees_with_a_replay_of_each_variant_alone(case):
    halves = [
        Variant(values=(index,), automations=tuple(case.automations[index:]))
        for index in range(len(case.automations))
    ]
    rows = sweep(iter(case.inputs), halves)
    for row, variant in zip(rows, halves, strict=True):
        replay = Replay(variant.automations, settings=DEFAULTS)
        matches = [each for each in replay.outputs(case.inputs) if isinstance(each, Match)]
        summary = replay.summary()
        assert (row.matches, row.sessions, row.wakes) == (
            len(matches),
            len({each.session for each in matches}),
            sum(each.delivered for each in summary.automations),
        )
