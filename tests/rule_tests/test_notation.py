"""The compact notation: what a line of input stands for, and what is refused of it."""

import pytest

from wakeful.errors import InvalidError
from wakeful.model.events import (
    EVENT_KINDS,
    Activity,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    Tool,
    TurnStarted,
    TypeRemoved,
)
from wakeful.rule_tests.moments import MOMENT, Moment, format_offset
from wakeful.rule_tests.notation import INPUT, LINES

START = 1_000_000
A = "ahp-automation:/a"


def read(value, facts=None):
    return INPUT(value).read(START, facts or {})


def refusals(value):
    with pytest.raises(InvalidError) as caught:
        INPUT(value)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (240_000, "+4m"),
        (0, "+0s"),
        (5_400_000, "+90m"),
        (5_400_000, "+1h30m"),
        (90_001, "+1m30s1ms"),
        (1, "+1ms"),
        (3_600_000 * 600, "+600h"),
        (60_000, " +1m "),
    ],
)
def test_an_offset(length, text):
    assert MOMENT(text).resolve(START) == START + length


@pytest.mark.parametrize(
    "text",
    ["", "+", "4m", "+4", "+m", "-4m", "+1.5m", "+4M", "+30s1m", "+4m 3s", "noon", None, True],
)
def test_no_offset(text):
    with pytest.raises(InvalidError):
        MOMENT(text)


def test_an_offset_beyond_ten_thousand_years_is_refused():
    with pytest.raises(InvalidError):
        MOMENT("+99999999999h")
    with pytest.raises(InvalidError):
        MOMENT("+" + "9" * 5_000 + "s")


def test_an_instant_stands_whatever_the_start():
    assert MOMENT("2026-10-07T14:00:00Z") == Moment(instant=1_791_381_600_000)
    assert MOMENT(1_791_381_600_000).resolve(START) == 1_791_381_600_000


@pytest.mark.parametrize("length", [0, 1, 999, 60_000, 3_599_999, 3_600_000, 90_061_001])
def test_an_offset_that_is_written_reads_back(length):
    assert MOMENT(format_offset(length)) == Moment(offset=length)


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        (
            SessionEvent("toolFailed", "s1", START + 240_000, tool=Tool("Bash", "h1")),
            "+4m toolFailed s1 Bash:h1",
        ),
        (
            SessionEvent("toolCalled", "s1", START, tool=Tool("Bash", "sha256:0af3")),
            "+0s toolCalled s1 Bash:sha256:0af3",
        ),
        (SessionEvent("toolCalled", "s1", START), "+0s toolCalled s1"),
        (
            SessionEvent(
                "turnFailed",
                "s1",
                START,
                Facts(
                    owner="user:ann",
                    provider="claude",
                    project="api",
                    folders=("file:///w/a", "file:///w/b"),
                    automated=True,
                ),
                running=False,
                queued=2,
                turn_tool_calls=3,
                title="Fix the parser",
            ),
            (
                "+0s turnFailed s1 owner=user:ann provider=claude project=api automated=true "
                "folders=file:///w/a,file:///w/b running=false queued=2 turnToolCalls=3 "
                "title='Fix the parser'"
            ),
        ),
        (SessionEvent("childFinished", "s1", START, child="c1"), "+0s childFinished s1 c1"),
        (SessionEvent("childFinished", "s1", START, child="c1"), "+0s childFinished s1 child=c1"),
        (TurnStarted("s1", START, Facts(project="api")), "+0s turnStarted s1 project=api"),
        (Activity("s1", START), "+0s activity s1"),
        (SessionEnded("s 1", START), "+0s sessionEnded 's 1'"),
        (
            PluginEvent(type="git", event="push", at=START, data={"branch": "main", "commits": 3}),
            "+0s plugin git push branch=main commits=3",
        ),
        (RunStarted(automation=A, run="r1", at=START), "+0s runStarted a r1"),
        (RunStarted(automation=A, run="r1", session="s2", at=START), "+0s runStarted a r1 s2"),
        (RunLinked(automation=A, run="r1", session="s2", at=START), "+0s runLinked a r1 s2"),
        (
            RunSettled(automation=A, run="r1", outcome="failed", at=START),
            "+0s runSettled a r1 failed",
        ),
        (SteerFailed(automation=A, run="r1", at=START), "+0s steerFailed a r1"),
        (Press(automation=A, request_id="q1", at=START), "+0s press a q1"),
        (TypeRemoved(type="git", at=START), "+0s typeRemoved git"),
        (
            GrantsChanged(principal="user:ann", grants=("session:read", "a:b"), at=START),
            "+0s grantsChanged user:ann session:read a:b",
        ),
        (GrantsChanged(principal="user:ann", grants=(), at=START), "+0s grantsChanged user:ann"),
        (Resumed(at=START), "+0s resumed"),
        (Resumed(at=START, live=("r1", "r2")), "+0s resumed live=r1,r2"),
        (Resumed(at=START, live=()), "+0s resumed live="),
        (Tick(START), "+0s tick"),
    ],
)
def test_a_line(expected, line):
    assert read(line) == expected


def test_a_map_is_a_line_of_the_native_log():
    tool = {"name": "Bash", "input": {"command": "ls"}}

    found = read({"at": "+4m", "kind": "toolFailed", "session": "s1", "tool": tool})

    assert (found.at, found.tool.name) == (START + 240_000, "Bash")
    assert found.tool.input_hash.startswith("sha256:")


def test_what_does_not_fit_in_a_line_is_a_map():
    definition = {"title": "A", "message": {"text": "m"}}

    found = read(
        {"at": "+1s", "kind": "definitionSaved", "automation": "a", "definition": definition}
    )

    assert isinstance(found, DefinitionSaved)
    assert found.automation.resource == A


def test_facts_that_are_said_once_are_those_of_each_event():
    facts = {"s1": {"project": "api", "title": "Fix"}}

    assert read("+0s turnStarted s1", facts).facts.project == "api"
    assert read("+0s idle s1 project=web", facts).facts.project == "web"
    assert read("+0s idle s2", facts).facts.project is None
    assert read("+0s activity s1", facts) == Activity("s1", START)


def test_every_kind_can_be_written():
    assert set(LINES) >= {*EVENT_KINDS, "turnStarted", "activity", "tick", "definitionSaved"}
    assert len(LINES) == 24


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("an input such as", 3),
        ("an input such as", "+4m"),
        ("an input such as", ""),
        ("did you mean 'toolFailed'?", "+4m toolFialed s1"),
        ("an offset", "4m idle s1"),
        ("lacks its session", "+4m idle"),
        ("lacks its outcome", "+4m runSettled a r1"),
        ("'s2' has no place", "+4m idle s1 s2"),
        ("such as Bash:h1", "+4m toolFailed s1 Bash"),
        ("such as Bash:h1", "+4m toolFailed s1 :h1"),
        ("did you mean 'running'?", "+4m idle s1 runing=true"),
        ("unknown key 'queued'", "+4m turnStarted s1 queued=1"),
        ("running: 'yes' is not true or false", "+4m idle s1 running=yes"),
        ("queued: '-1' is not a whole number", "+4m idle s1 queued=-1"),
        ("each key once", "+4m idle s1 queued=1 queued=2"),
        ("No closing quotation", "+4m idle 's1"),
        ("a map: definitionSaved does not fit in a line", "+4m definitionSaved a"),
        ("Invalid enum value", "+4m runSettled a r1 lost"),
        ("at: missing", {"kind": "idle", "session": "s1"}),
        ("kind: missing", {"at": "+4m"}),
        ("an offset", {"at": "4m", "kind": "idle", "session": "s1"}),
        ("did you mean 'session'?", {"at": "+4m", "kind": "idle", "sesion": "s1"}),
        ("Expected `str`", {"at": "+4m", "kind": "idle", "session": 1}),
        ("missing required field `session`", {"at": "+4m", "kind": "idle"}),
        (
            "definition",
            {"at": "+4m", "kind": "definitionSaved", "automation": "a", "definition": {"titel": 1}},
        ),
    ],
)
def test_what_is_refused_and_how(said, value):
    assert said in "\n".join(refusals(value))


def test_all_that_is_wrong_with_a_map_is_told():
    assert len(refusals({"at": "noon", "kind": "idle", "sesion": "s1", "quued": 1})) == 3
