"""No generated log of a host that keeps section 2 makes match what is said to never match there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checking.host_logs import host_logs
from models.strategies import START, durations, follow_ups
from wakeful.checking.host import never_counted, never_from_host
from wakeful.checking.watched import Checked
from wakeful.core.engine import Engine, Settings
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import ENDINGS, EVENT_KINDS, SessionEvent
from wakeful.model.outputs import Match
from wakeful.model.rules import AbsentFor, Count, SessionRule, When
from wakeful.model.triggers import SessionTrigger

END = START + 10**6
deep = settings(settings.get_profile("deep"), max_examples=2_000)

kinds = st.sampled_from(EVENT_KINDS)
whens = st.builds(
    When,
    running=st.sampled_from((None, True, False)),
    queued_at_least=st.sampled_from((None, None, 0, 1)),
    tool_calls_at_least=st.sampled_from((None, None, 1)),
    turn_longer_than=st.sampled_from((None, None, 0, 1_000, 2_000)),
)
counts = st.none() | st.builds(
    Count, n=st.integers(1, 3), consecutive=st.booleans(), within=st.none() | durations
)
rules = st.builds(
    SessionRule,
    events=st.frozensets(kinds, min_size=1, max_size=3),
    count=counts,
    then=st.none() | follow_ups(kinds),
    when=st.none() | whens,
)
silences = st.builds(
    SessionRule,
    events=st.frozensets(st.sampled_from(sorted(ENDINGS)), min_size=1),
    when=st.builds(When, running=st.just(False), turn_longer_than=durations),
)
absent_idles = st.builds(
    SessionRule,
    events=st.frozensets(st.sampled_from((*sorted(ENDINGS), "toolFailed")), min_size=1),
    count=st.none() | st.builds(Count, n=st.integers(1, 2)),
    then=st.builds(AbsentFor, st.just("idle"), st.sampled_from((1, 1_000, 2_000))),
)


def watched(rule):
    trigger = SessionTrigger(id="t1", events=tuple(sorted(rule.events)), rule=rule)
    automation = Automation(
        resource="ahp-automation:/a",
        definition=AutomationDefinition(title="A", message=Message(text="m"), triggers=(trigger,)),
    )
    (one,) = Checked(automation=automation, path="", file="rules.yaml").rules()
    return one


def matches(one, log):
    engine = Engine(
        [one.checked.automation], settings=Settings(run_time="none", unmet="every"), at=START
    )
    outputs = [*engine.feed_many(log.inputs), *engine.advance(END)]
    return [output for output in outputs if isinstance(output, Match)]


def assert_never_counted(rule, log):
    one = watched(rule)
    never = frozenset[str]().union(*(found.kinds for found in never_counted(one)))

    assert [match for match in matches(one, log) if match.event in never] == []


def assert_idle_is_absent_behind_a_message_only(rule, log):
    one = watched(rule)
    waited = {
        (given_.session, given_.kind, given_.at)
        for given_, queued in zip(log.inputs, log.queued, strict=True)
        if isinstance(given_, SessionEvent) and given_.kind in ENDINGS and queued
    }

    found = [found.code for found in never_from_host(one)]
    assert found == (["host-absent-idle"] if rule.events & ENDINGS else [])
    for match in matches(one, log):
        if match.event in ENDINGS:
            assert (match.session, match.event, match.at - rule.then.for_) in waited


@given(rule=rules, log=host_logs())
def test_an_event_that_is_said_to_never_count_satisfies_no_count(rule, log):
    assert_never_counted(rule, log)


@pytest.mark.deep
@deep
@given(rule=rules, log=host_logs(most=60))
def test_an_event_that_is_said_to_never_count_satisfies_no_count_in_many_long_logs(rule, log):
    assert_never_counted(rule, log)


@given(rule=silences, log=host_logs(most=20))
def test_a_silence_in_a_turn_that_does_not_run_never_matches(rule, log):
    one = watched(rule)

    assert [found.code for found in never_from_host(one)] == ["host-silence-not-running"]
    assert matches(one, log) == []


@given(rule=absent_idles, log=host_logs())
def test_idle_is_absent_after_an_ending_only_where_a_message_waited(rule, log):
    assert_idle_is_absent_behind_a_message_only(rule, log)


@pytest.mark.deep
@deep
@given(rule=absent_idles, log=host_logs(most=60))
def test_idle_is_absent_only_where_a_message_waited_in_many_long_logs(rule, log):
    assert_idle_is_absent_behind_a_message_only(rule, log)
