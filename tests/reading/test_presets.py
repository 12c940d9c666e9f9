"""The presets, as the rules they mean (semantics 6.5), and the titles of events (8.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.definition_strategies import filters
from wakeful.model.events import ENDINGS, EVENT_KINDS
from wakeful.model.rules import Count, Filter, IdleFor, SessionRule, When
from wakeful.model.time import MINUTE
from wakeful.presets import EVENT_TITLES, PRESETS, SILENCE_TITLE

API = Filter(projects=frozenset({"api"}))

MEANINGS = {
    "looks-stuck": lambda n, where: SessionRule(
        events=frozenset({"toolCalled", "toolFailed"}),
        filter=where,
        count=Count(n=n, same_input=True, within=10 * MINUTE),
    ),
    "failing-tools": lambda n, where: SessionRule(
        events=frozenset({"toolFailed"}), filter=where, count=Count(n=n, consecutive=True)
    ),
    "long-silent-turn": lambda n, where: SessionRule(
        events=ENDINGS, filter=where, when=When(turn_longer_than=n * MINUTE)
    ),
    "idle-after-failure": lambda n, where: SessionRule(
        events=frozenset({"turnFailed"}), filter=where, then=IdleFor(n * MINUTE)
    ),
    "waiting-while-busy": lambda n, where: SessionRule(
        events=frozenset({"messageQueued"}),
        filter=where,
        when=When(running=True, tool_calls_at_least=n),
    ),
}


@pytest.mark.parametrize("id_", MEANINGS)
def test_a_preset_means_its_rule(id_):
    assert MEANINGS[id_](7, API) == PRESETS[id_].rule(7, filter=API)


@pytest.mark.parametrize(
    ("id_", "title", "number", "default"),
    [
        ("looks-stuck", "Looks stuck", "times", 3),
        ("failing-tools", "Failing tools", "times", 3),
        ("long-silent-turn", "Long silent turn", "minutes", 10),
        ("idle-after-failure", "Idle after failure", "minutes", 3),
        ("waiting-while-busy", "Waiting while busy", "toolCalls", 3),
    ],
)
def test_a_preset_has_its_title_number_and_default(id_, title, number, default):
    preset = PRESETS[id_]
    assert (title, number, default) == (preset.title, preset.number, preset.default)
    assert MEANINGS[id_](default, None) == preset.rule()


def test_there_are_these_five():
    assert list(MEANINGS) == list(PRESETS)


def test_only_the_long_silent_turn_is_timed():
    assert [id_ for id_, p in PRESETS.items() if p.rule().silence] == ["long-silent-turn"]


@given(st.sampled_from(sorted(PRESETS)), st.integers(1, 10**6), st.none() | filters)
def test_the_number_of_a_rule_is_the_one_it_was_made_with(id_, number, where):
    assert number == PRESETS[id_].number_of(PRESETS[id_].rule(number, filter=where))


def test_a_rule_of_another_kind_has_no_number():
    rules = {id_: preset.rule() for id_, preset in PRESETS.items()}
    assert sorted(PRESETS) == sorted(
        id_ for id_, preset in PRESETS.items() for rule in rules.values() if preset.number_of(rule)
    )


def test_the_titles_of_events():
    assert dict(EVENT_TITLES) == {
        "turnCompleted": "A turn finished",
        "turnFailed": "A turn failed",
        "turnCancelled": "A turn was cancelled",
        "toolCalled": "A tool call finished",
        "toolFailed": "A tool call failed",
        "messageQueued": "A message was queued",
        "idle": "The session went idle",
        "childFinished": "A session it started finished",
    }
    assert list(EVENT_KINDS) == list(EVENT_TITLES)
    assert SILENCE_TITLE == "A turn fell silent"
