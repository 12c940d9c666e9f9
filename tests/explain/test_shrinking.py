"""Slices of logs: what a match needs and no more, as tests that pass."""

from pathlib import Path

import attrs
import pytest

from explaining import rule, traced, turn
from replay_cases import event, failure, success
from wakeful.cli import main
from wakeful.data import log_path
from wakeful.explain.firings import firings
from wakeful.explain.shrinking import Shrinker, minimal
from wakeful.explain.test_files import write_test
from wakeful.explain.tracer import Tracer
from wakeful.logs import open_logs
from wakeful.model.events import NO_FACTS
from wakeful.model.outputs import Match
from wakeful.reading import load_rules
from wakeful.replay import DEFAULTS, Replay
from wakeful.rule_tests import read_tests, run_case


def shrunk(trace, **options):
    return Shrinker(firings(trace)[0]).slice(**options)


def test_of_what_is_left_nothing_can_be_left_out():
    assert minimal([4, 3, 2, 1], lambda some: sum(some) >= 6) == (4, 3)


def test_only_what_counted_is_left():
    records = [failure(0, "s2"), failure(1), success(2), event(3, "idle"), failure(4)]
    found = shrunk(traced(records, rule("toolFailed", count={"n": 2})))

    assert [(each.kind, each.session) for each in found.inputs] == [("toolFailed", "s1")] * 2


def test_the_start_of_a_turn_that_is_measured_is_left():
    records = [turn(0), event(30, "toolCalled"), event(90, "messageQueued")]
    found = shrunk(traced(records, rule("messageQueued", when={"turnLongerThan": "1m"})))

    assert [type(each).__name__ for each in found.inputs] == ["TurnStarted", "SessionEvent"]


def test_facts_and_states_that_do_not_matter_are_taken_away():
    record = {**failure(0), "owner": "user:ann", "project": "secret", "running": True}
    found = shrunk(traced([{**record, "title": "secret"}], rule("toolFailed")))
    [one] = found.inputs

    assert (one.facts, one.title, one.running, one.tool) == (NO_FACTS, None, None, None)


def test_a_fact_that_the_filter_asks_for_stays():
    record = {**failure(0), "owner": "user:ann", "project": "web"}
    found = shrunk(traced([record], rule("toolFailed", filter={"projects": ["web"]})))
    [one] = found.inputs

    assert (one.facts.project, one.facts.owner) == ("web", None)


def test_names_are_replaced_the_same_alike_and_others_apart():
    records = [
        failure(0, "the secret one", "9"),
        failure(1, "the secret one", "8"),
        failure(2, "the secret one", "9"),
    ]
    rules = rule("toolFailed", count={"n": 2, "sameInput": True, "consecutive": True})
    found = shrunk(traced([*records, failure(3, "the secret one", "9")], rules))
    names = [(each.session, each.tool.name, each.tool.input_hash) for each in found.inputs]

    assert names == [("s1", "T1", "h1"), ("s1", "T1", "h1")]


def test_names_stay_where_asked_for():
    found = shrunk(traced([failure(0, "mine")], rule("toolFailed")), redact=False)
    [one] = found.inputs

    assert (one.session, one.tool.name) == ("mine", "Bash")


def day():
    rules = load_rules(["@"])
    settings = attrs.evolve(DEFAULTS, run_time="log")
    tracer = Tracer(Replay(rules.automations, types=rules.types, settings=settings))
    tracer.play(open_logs([str(log_path())]))
    return rules, settings, firings(tracer)


def test_of_every_match_of_the_recorded_day_a_slice_matches_of_which_nothing_can_be_left_out():
    rules, settings, found = day()
    assert found
    for firing in found:
        shrinker = Shrinker(firing, types=rules.types, settings=settings)
        slice_ = shrinker.slice()
        whole = slice_.inputs
        fewer = [whole[:index] + whole[index + 1 :] for index in range(len(whole))]
        assert matches(shrinker, slice_, whole)
        assert not any(matches(shrinker, slice_, each) for each in fewer)


def matches(shrinker, slice_, inputs):
    replay = Replay(shrinker.automations, settings=DEFAULTS, until=slice_.until)
    wanted = slice_.match
    return any(
        isinstance(each, Match)
        and (each.trigger, each.preset, each.at, each.event, each.count)
        == (wanted.trigger, wanted.preset, wanted.at, wanted.event, wanted.count)
        for each in replay.outputs(inputs)
    )


@pytest.mark.parametrize("number", [1, 4, 8])
def test_a_match_of_the_recorded_day_as_a_file_is_a_test_that_passes(tmp_path, number):
    out = tmp_path / "day.test.yaml"

    assert main(["shrink", "--match", str(number), "--out", str(out), "--quiet"]) == 0
    assert [run_case(case).text() for case in read_tests(out)] == [""]


def test_what_does_not_fit_in_a_line_is_written_as_a_map(tmp_path):
    records = [{**failure(0), "folders": ["file:///a,b"]}]
    trace = traced(records, rule("toolFailed", filter={"folders": ["file:///a,b"]}))
    found = shrunk(trace)
    text = write_test(found, [found.match], name="n", rules=["rules.json"], run_time="none")
    file = Path(tmp_path / "x.test.yaml")
    file.write_text(text, encoding="utf-8")
    [case] = read_tests(file)

    assert case.inputs[0].record["folders"] == ["file:///a,b"]
