"""What clients of a catalogue send is held to limits, and refused in words."""

import json

import pytest

from catalogue.catalogue_world import ALL, World, definition
from wakeful import Engine, InputRefusedError, Press, Settings
from wakeful.catalogue.jsonrpc import receive
from wakeful.model.limits import Limits

A = "ahp-automation:/a"


def world(**limits):
    made = World(settings=Settings(limits=Limits(**limits)))
    made.create()
    return made


def press(there, request):
    return there.ask("ann", "runAutomation", channel=ALL, automation=A, requestId=request)


@pytest.mark.parametrize("kind", [str, str.encode])
def test_a_message_beyond_the_limit_is_refused_before_it_is_read(kind):
    there = world(message=2_000)
    text = json.dumps({"id": 1, "method": "initialize", "params": {"more": "x" * 2_000}})
    answer = json.loads(receive(there.catalogue, "ann", kind(text), at=there.host.at))
    assert answer["id"] is None
    assert answer["error"]["code"] == -32600
    said = f"This message is {len(text)} bytes long; expected at most 2000."
    assert said == answer["error"]["message"]


def test_a_message_at_the_limit_is_answered():
    text = json.dumps({"id": 1, "method": "initialize", "params": {}})
    there = world(message=max(len(text), 600))
    answer = json.loads(receive(there.catalogue, "ann", text.ljust(600), at=there.host.at))
    assert "result" in answer


def test_a_definition_beyond_the_limits_is_refused_by_path():
    there = world(text=60)
    there.dispatch(
        "ann",
        "automation/createRequested",
        resource="ahp-automation:/b",
        definition=definition(title="t" * 61),
    )
    (said,) = there.reasons("ann")
    assert "title: text of 61 characters; expected at most 60" in said
    assert list(there.entries()) == ["a"]


def test_a_request_id_at_the_limit_is_one_and_beyond_it_is_refused():
    there = world(request=8)
    assert "result" in press(there, "12345678")
    error = press(there, "123456789")["error"]
    assert error["code"] == -32602
    said = "Automation run requestId is 9 characters long; expected at most 8."
    assert said == error["message"]


def test_an_engine_holds_request_ids_to_the_limit_by_itself():
    engine = Engine(at=0, settings=Settings(limits=Limits(request=8)))
    assert len(engine.feed(Press(automation=A, request_id="12345678", at=1))) == 1
    with pytest.raises(InputRefusedError, match="request_id: 9 characters; expected at most 8"):
        engine.feed(Press(automation=A, request_id="123456789", at=2))
    assert engine.inputs == 1
