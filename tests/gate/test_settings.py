"""The settings of an engine and what they refuse."""

import pytest

from wakeful.core.settings import Settings
from wakeful.errors import InvalidError


def test_the_defaults_are_those_of_the_semantics():
    settings = Settings()

    assert (settings.cap, settings.cap_window, settings.run_time) == (20, 3_600_000, "log")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cap", -1),
        ("cap", True),
        ("cap", 1.5),
        ("cap_window", 0),
        ("run_time", -1),
        ("run_time", "forever"),
        ("unowned", "some"),
        ("unmet", "some"),
        ("runs_kept", -1),
        ("sessions_kept", 0),
        ("session_silence", 0),
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_name(name, value):
    with pytest.raises(InvalidError) as refused:
        Settings(**{name: value})

    assert [problem.path for problem in refused.value.problems] == [name]


def test_every_problem_is_named_at_once():
    with pytest.raises(InvalidError) as refused:
        Settings(cap=-1, cap_window=-1)

    assert [problem.path for problem in refused.value.problems] == ["cap", "cap_window"]


@pytest.mark.parametrize("value", [0, 1, "log", "none"])
def test_a_length_of_runs_is_a_duration_or_a_word(value):
    assert Settings(run_time=value).run_time == value


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("cap", 0),
        ("cap_window", 1),
        ("run_time", 0),
        ("runs_kept", 0),
        ("sessions_kept", 1),
        ("session_silence", 1),
    ],
)
def test_the_least_that_can_work_is_taken(name, least):
    assert getattr(Settings(**{name: least}), name) == least
