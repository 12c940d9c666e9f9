"""Writing inputs as native lines: what is read back is equal, and what is taken out is gone."""

import json

import pytest
from hypothesis import given

from logs.input_strategies import inputs
from logs.kit import at
from wakeful.errors import InvalidError
from wakeful.logs import REDACTED, Origin, write_native
from wakeful.logs.native import NativeReader
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import (
    DefinitionSaved,
    Facts,
    PluginEvent,
    SessionEvent,
    Tick,
    Tool,
    TurnStarted,
    TypeRegistered,
)
from wakeful.model.triggers import ScheduleTrigger, TriggerEvent, TriggerType

T = at("10:00:00.000")


def read_back(line):
    return list(NativeReader().feed(line.encode(), Origin("a.jsonl")))


@given(inputs)
def test_every_input_is_read_back_equal(one):
    assert read_back(write_native(one)) == [one]


@given(inputs)
def test_a_redacted_line_is_a_line_of_the_same_kind_and_instant(one):
    (found,) = read_back(write_native(one, redact=True))
    assert (type(found), found.at) == (type(one), one.at)


def test_a_line_is_short_and_in_the_words_of_the_interface():
    event = SessionEvent(
        "toolCalled",
        "s",
        T,
        Facts(owner="user:ann", folders=("file:///web",)),
        running=True,
        queued=0,
        turn_tool_calls=2,
        tool=Tool("Bash", "sha256:1"),
    )
    assert json.loads(write_native(event)) == {
        "at": "2026-03-02T10:00:00.000Z",
        "kind": "toolCalled",
        "session": "s",
        "owner": "user:ann",
        "folders": ["file:///web"],
        "running": True,
        "queued": 0,
        "turnToolCalls": 2,
        "tool": {"name": "Bash", "inputHash": "sha256:1"},
    }


def test_redacting_takes_out_titles_and_the_values_of_a_plugins_data():
    secret = "the secret plan"
    definition = AutomationDefinition(
        title=secret,
        message=Message(text="hello"),
        triggers=(ScheduleTrigger(id="t", expression="0 9 * * *", title=secret),),
    )
    lines = [
        write_native(one, redact=True)
        for one in (
            SessionEvent("idle", "s", T, title=secret),
            TurnStarted("s", T, title=secret),
            PluginEvent(type="ci", event="red", at=T, data={"branch": secret}),
            DefinitionSaved(
                automation=Automation(resource="ahp-automation:/a", definition=definition), at=T
            ),
            TypeRegistered(
                definition=TriggerType(
                    type="ci", title=secret, events=(TriggerEvent(id="red", title=secret),)
                ),
                at=T,
            ),
        )
    ]
    assert [line.count(REDACTED) for line in lines] == [1, 1, 1, 2, 2]
    assert [secret in line for line in lines] == [False] * 5
    assert '"branch"' in lines[2]


def test_a_title_that_no_json_can_hold_is_written_as_it_would_have_been_read():
    line = write_native(SessionEvent("idle", "s", T, title="a\ud800"))
    assert read_back(line) == [SessionEvent("idle", "s", T, title="a\\ud800")]


@pytest.mark.parametrize(("number", "text"), [(float("nan"), "NaN"), (float("inf"), "Infinity")])
def test_a_number_that_no_json_can_hold_is_written_as_its_name(number, text):
    line = write_native(PluginEvent(type="a", event="b", at=T, data={"n": [number]}))
    assert json.loads(line)["data"] == {"n": [text]}


def test_data_that_is_not_plain_is_refused():
    with pytest.raises(InvalidError, match="plain JSON data"):
        write_native(PluginEvent(type="a", event="b", at=T, data={"n": object()}))


def test_an_instant_that_has_no_text_is_refused():
    with pytest.raises(InvalidError):
        write_native(Tick(10**18))
