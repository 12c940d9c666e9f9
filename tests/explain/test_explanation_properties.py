"""What is explained agrees with the engine: matches by their events alone, misses by remedies."""

from collections import Counter

import attrs
from hypothesis import given, settings

from models.strategies import gate_cases, matcher_cases
from wakeful.explain.firings import firings
from wakeful.explain.misses import near_misses
from wakeful.explain.remedies import Trial
from wakeful.explain.shrinking import Shrinker
from wakeful.explain.trace_lines import write_trace
from wakeful.explain.tracer import Tracer
from wakeful.logs import Origin
from wakeful.logs.native import NativeFormat
from wakeful.model.outputs import Match
from wakeful.replay import DEFAULTS, Replay


def traced(case, **options):
    tracer = Tracer(Replay(case.automations, settings=DEFAULTS, until=case.until), **options)
    matches = [each for each in tracer.outputs(case.inputs) if isinstance(each, Match)]
    return tracer, matches


def told(match):
    """What a match says, but its place in the log it is from."""
    fields = (match.automation, match.trigger, match.preset, match.session, match.event)
    return (*fields, match.count, match.at)


@given(matcher_cases())
@settings(max_examples=25)
def test_every_match_has_an_explanation(case):
    tracer, matches = traced(case)

    assert [each.match for each in firings(tracer)] == matches


@given(gate_cases())
@settings(max_examples=25)
def test_the_same_where_automations_switch_themselves_off(case):
    tracer, matches = traced(case)

    assert [each.match for each in firings(tracer)] == matches


@given(matcher_cases(changes=False))
@settings(max_examples=25)
def test_the_events_that_explain_a_match_alone_still_match(case):
    tracer, _ = traced(case)
    for firing in firings(tracer):
        assert told(firing.match) in alone(firing)


@given(matcher_cases())
@settings(max_examples=25)
def test_the_same_where_definitions_change_and_sight_does_not(case):
    case = attrs.evolve(
        case, inputs=[each for each in case.inputs if type(each).__name__ != "GrantsChanged"]
    )
    tracer, _ = traced(case)
    for firing in firings(tracer):
        assert told(firing.match) in alone(firing)


def alone(firing):
    replay = Replay(firing.automations, settings=DEFAULTS, until=firing.until)
    return [told(each) for each in replay.outputs(firing.inputs) if isinstance(each, Match)]


@given(matcher_cases(changes=False))
@settings(max_examples=20)
def test_every_remedy_makes_the_rule_match_where_it_did_not(case):
    tracer, matches = traced(case)
    for miss in near_misses(tracer, limit=5):
        if miss.remedy is None:
            continue
        trial = Trial(tracer, miss.rule, miss.session)
        before = Counter(told(each) for each in matches if told(each)[1:4] == key(miss))
        after = Counter(told(each) for each in trial.matches(miss.remedy))
        assert after - before


def key(miss):
    return (miss.rule.trigger, miss.rule.preset, miss.session)


@given(matcher_cases(changes=False))
@settings(max_examples=20)
def test_every_miss_with_one_failing_part_that_an_input_or_a_number_could_mend_has_a_remedy(case):
    tracer, _ = traced(case)
    for miss in near_misses(tracer, limit=8):
        if len(miss.lacks) == 1 and miss.lacks[0].path != "owner":
            assert miss.remedy is not None, miss


@given(matcher_cases(changes=False, most=25))
@settings(max_examples=20)
def test_of_the_slice_of_a_match_no_input_can_be_left_out(case):
    tracer, _ = traced(case)
    for firing in firings(tracer)[:3]:
        shrinker = Shrinker(firing)
        found = shrinker.slice()
        assert shrinks_to(shrinker, found, found.inputs)
        for index in range(len(found.inputs)):
            fewer = found.inputs[:index] + found.inputs[index + 1 :]
            assert not shrinks_to(shrinker, found, fewer), fewer


def shrinks_to(shrinker, found, inputs):
    replay = Replay(shrinker.automations, settings=DEFAULTS, until=found.until)
    return told(found.match) in [
        told(each) for each in replay.outputs(inputs) if isinstance(each, Match)
    ]


@given(gate_cases(most=25))
@settings(max_examples=20)
def test_a_trace_written_as_a_log_gives_the_same_outputs(case):
    log_settings = attrs.evolve(DEFAULTS, run_time="log")
    tracer = Tracer(Replay(case.automations, settings=log_settings))
    expected = [said(each) for each in tracer.outputs(case.inputs)]
    reader = NativeFormat().reader()
    lines = list(write_trace(tracer))
    again = [one for line in lines for one in reader.feed(line.encode(), Origin("trace"))]

    replay = Replay(case.automations, settings=log_settings)
    assert [said(each) for each in replay.outputs(again)] == expected


def said(output):
    """An output but its place in the log, which ticks between inputs change."""
    return attrs.evolve(output, key=None)
