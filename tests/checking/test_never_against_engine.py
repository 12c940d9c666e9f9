"""No generated log makes a rule match that is said to never match, in the engine itself."""

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from models.strategies import SESSIONS, START, all_kinds, matcher_cases, rules
from wakeful.checking.never import LISTS, never_matches, never_wakes
from wakeful.checking.watched import Checked
from wakeful.core.engine import Engine, Settings
from wakeful.model.automations import AfterDate, Automation, AutomationDefinition, Message
from wakeful.model.events import (
    ENDINGS,
    Activity,
    SessionEnded,
    SessionEvent,
    TurnStarted,
)
from wakeful.model.outputs import Decision, Match, Reason
from wakeful.model.rules import Count, Filter, SessionRule, When
from wakeful.model.triggers import SessionTrigger

fewer = settings(max_examples=30)
SEEN = Settings(run_time="none", unmet="every")


def automation(rule, **definition):
    trigger = SessionTrigger(id="t1", events=tuple(sorted(rule.events)), rule=rule)
    return Automation(
        resource="ahp-automation:/a",
        definition=AutomationDefinition(
            title="A", message=Message(text="m"), triggers=(trigger,), **definition
        ),
    )


def checked(one):
    return Checked(automation=one, path="", file="rules.yaml")


def codes(one):
    (watched,) = checked(one).rules()
    return {found.code for found in never_matches(watched)}


def outputs(one, inputs, until):
    engine = Engine([one], settings=SEEN, at=START)
    found = engine.feed_many(inputs)
    return [*found, *engine.advance(until)]


def matches(one, inputs, until):
    return [output for output in outputs(one, inputs, until) if isinstance(output, Match)]


@st.composite
def emptied(draw):
    """Any rule, one list of its filter empty."""
    rule = draw(rules(all_kinds))
    key = draw(st.sampled_from(LISTS))
    where = attrs.evolve(rule.filter or Filter(), **{key: frozenset()})
    return attrs.evolve(rule, filter=where)


@given(rule=emptied(), case=matcher_cases(changes=False, most=20))
def test_a_rule_with_an_empty_list_never_matches(rule, case):
    one = automation(rule)

    assert "never-empty-filter" in codes(one)
    assert matches(one, case.inputs, case.until) == []


lengths = st.sampled_from((1_000, 2_000, 3_000, 5_000))


@st.composite
def turns(draw):
    """Long turns, one after another, some with calls and other sessions in between; some late."""
    inputs, at = [], START
    for _ in range(draw(st.integers(4, 30))):
        at += draw(st.sampled_from((0, 1_000, 1_000, 2_000, 2_000, 3_000, 5_000, -1_000)))
        session = draw(st.sampled_from(SESSIONS[:2]))
        which = draw(st.integers(0, 9))
        if which < 4:
            inputs.append(TurnStarted(session, at))
        elif which < 8:
            kind = draw(st.sampled_from(sorted(ENDINGS)))
            inputs.append(SessionEvent(kind, session, at))
        elif which == 8:
            inputs.append(Activity(session, at))
        else:
            inputs.append(SessionEnded(session, at))
    return inputs


@st.composite
def windows(draw, *, fits):
    """Rules about so many long turns within a window that they do not fit into, or just fit."""
    longer, n = draw(lengths), draw(st.integers(2, 3))
    least = (n - 1) * longer
    within = least if fits else draw(st.integers(0, least - 1))
    count = Count(
        n=n, within=within, consecutive=draw(st.booleans()), same_input=draw(st.booleans())
    )
    events = draw(st.frozensets(st.sampled_from(sorted(ENDINGS)), min_size=1))
    return SessionRule(events=events, count=count, when=When(turn_longer_than=longer))


@given(rule=windows(fits=False), inputs=turns())
def test_turns_that_do_not_fit_into_the_window_never_match(rule, inputs):
    one = automation(rule)

    assert codes(one) == {"never-window-too-short"}
    assert matches(one, inputs, START + 10**6) == []


@given(rule=windows(fits=True))
def test_turns_that_just_fit_into_the_window_do(rule):
    one = automation(rule)
    longer, n = rule.when.turn_longer_than, rule.count.n
    kind = min(rule.events)
    log = [
        given_
        for turn in range(n)
        for given_ in (
            TurnStarted("s0", START + turn * longer),
            SessionEvent(kind, "s0", START + (turn + 1) * longer),
        )
    ]

    assert codes(one) == set()
    assert len(matches(one, log, START + 10**6)) == 1


@fewer
@given(case=matcher_cases(changes=False, most=25), rule=rules(all_kinds))
def test_a_rule_about_its_own_chat_alone_wakes_nothing(case, rule):
    where = attrs.evolve(rule.filter or Filter(), sessions=frozenset({"s0"}))
    one = automation(attrs.evolve(rule, filter=where), pinned=True, pinned_session="s0")

    assert "never-own-chat" in codes(one)
    decisions = [
        (output.kind.value, output.reason)
        for output in outputs(one, case.inputs, case.until)
        if isinstance(output, Decision)
    ]
    assert set(decisions) <= {("drop", Reason.OWN_RUN)}


@fewer
@given(
    case=matcher_cases(changes=False, most=25),
    rule=rules(all_kinds),
    before=st.integers(0, 10_000),
)
def test_an_automation_whose_date_has_passed_never_matches(case, rule, before):
    one = automation(rule, disable_conditions=(AfterDate(date=START - before),))

    assert [found.code for found in never_wakes(checked(one), (), START)] == ["never-date-past"]
    assert matches(one, case.inputs, case.until) == []


@fewer
@given(case=matcher_cases(changes=False), rule=rules(all_kinds))
def test_what_is_said_of_any_rule_holds(case, rule):
    one = automation(rule)

    if codes(one):
        assert matches(one, case.inputs, case.until) == []
