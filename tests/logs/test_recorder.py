"""The recorder: what a host feeds is a log that replays to what the host got."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs.input_strategies import session_inputs
from logs.kit import at, read, write
from models.strategies import START
from wakeful.core.engine import Engine
from wakeful.errors import InvalidError
from wakeful.logs import Recorder
from wakeful.model.automations import Automation, AutomationDefinition, Message
from wakeful.model.events import PluginEvent, SessionEvent, Tick
from wakeful.model.rules import Count, IdleFor, SessionRule
from wakeful.model.triggers import SessionTrigger

T = at("10:00:00.000")


def an_engine():
    rule = SessionRule(events=frozenset({"toolFailed"}), count=Count(n=2), then=IdleFor(5_000))
    definition = AutomationDefinition(
        title="A",
        message=Message(text="look"),
        triggers=(SessionTrigger(id="t", events=("toolFailed",), rule=rule),),
    )
    return Engine([Automation(resource="ahp-automation:/a", definition=definition)])


def test_what_is_recorded_is_read_back(tmp_path):
    inputs = [SessionEvent("idle", "s", T, title="é"), Tick(T + 1)]
    with Recorder(tmp_path / "log.jsonl") as recorder:
        for one in inputs:
            recorder.record(one)
    assert read(tmp_path / "log.jsonl")[0] == inputs


def test_a_line_is_there_as_soon_as_it_is_recorded(tmp_path):
    with Recorder(tmp_path / "log.jsonl", sync=True) as recorder:
        recorder.tick(T)
        assert read(tmp_path / "log.jsonl")[0] == [Tick(T)]


def test_a_log_is_gone_on_with_after_a_line_that_was_cut_short(tmp_path):
    log = write(tmp_path / "log.jsonl", [{"at": T, "kind": "tick"}])
    with log.open("ab") as file:
        file.write(b'{"at":"2026-03-02T10' + b"x" * 200_000)

    with Recorder(log) as recorder:
        recorder.tick(T + 1)

    inputs, report = read(log)
    assert inputs == [Tick(T), Tick(T + 1)]
    assert report.unreadable == 0


def test_what_cannot_be_recorded_leaves_no_trace(tmp_path):
    with Recorder(tmp_path / "log.jsonl") as recorder:
        recorder.tick(T)
        with pytest.raises(InvalidError):
            recorder.record(PluginEvent(type="a", event="b", at=T, data={"x": object()}))
        recorder.tick(T + 1)
    assert read(tmp_path / "log.jsonl")[0] == [Tick(T), Tick(T + 1)]


steps = st.lists(
    st.tuples(st.integers(-50, 8_000), session_inputs | st.none()), min_size=1, max_size=25
)


@settings(max_examples=30)
@given(steps)
def test_48_a_recorded_host_and_its_replay_give_the_same_outputs(tmp_path_factory, steps):
    log = tmp_path_factory.mktemp("log") / "log.jsonl"
    live, outputs, now = an_engine(), [], START
    with Recorder(log) as recorder:
        for step, one in steps:
            now += step
            if one is None:
                outputs += live.advance(now)
                recorder.tick(now)
            else:
                one.at = now
                outputs += live.feed(one)
                recorder.record(one)

    again = an_engine()
    replayed = [output for one in read(log)[0] for output in again.feed(one)]

    assert [str(output) for output in replayed] == [str(output) for output in outputs]
