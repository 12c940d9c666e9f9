"""``Engine.stream``: the outputs of feeding, one by one, in memory that does not grow."""

import pytest
from hypothesis import given, settings

from engine_scenes import (
    MATCHES_ONLY,
    automation,
    decisions,
    ended,
    fail,
    matched_at,
    ms,
    on,
    run,
    schedule,
    turn,
    watch,
    words,
)
from models.strategies import Case, gate_cases
from wakeful import Engine, InputRefusedError, Resumed, Settings, Tick
from wakeful.model.time import HOUR

EACH = automation(on("toolFailed"))
NEVER_INPUT = [frozenset(), None, "toolFailed", Tick(1.5), Tick(None)]


@settings(max_examples=15)
@given(case=gate_cases())
def test_streaming_gives_the_outputs_of_feeding(case: Case):
    some = Settings(run_time=1_000, unmet="every")
    fed = Engine(case.automations, settings=some).feed_many(case.inputs)
    assert fed == list(Engine(case.automations, settings=some).stream(case.inputs))


def test_what_falls_due_in_a_gap_comes_before_the_input_that_ends_it():
    engine = Engine([automation(schedule("0 * * * *"))], at=0, settings=MATCHES_ONLY)
    outputs = engine.stream([Tick(3 * HOUR + 1)])
    assert next(outputs).at == HOUR
    assert engine.now == HOUR
    assert [each.at for each in outputs] == [2 * HOUR, 3 * HOUR]


def test_what_fell_due_before_a_resumed_is_due_with_it():
    hourly = automation(schedule("0 * * * *"))
    expected = ["10801 a start 1"]
    inputs = [Tick(0), Resumed(at=3 * HOUR + 1_000)]
    assert decisions(Engine([hourly], settings=MATCHES_ONLY).stream(inputs)) == expected
    assert decisions(run(hourly, *inputs)) == expected


def test_a_silence_that_is_put_off_again_and_again_ends_no_stream():
    silent = automation(watch("long-silent-turn", minutes=1))
    inputs = [turn(0), *(words(at) for at in range(1, 600, 7)), Tick(ms(700)), ended(701)]
    assert matched_at(Engine([silent]).stream(inputs)) == matched_at(run(silent, *inputs)) == [656]


@pytest.mark.parametrize("given_", NEVER_INPUT, ids=repr)
def test_what_is_no_input_is_refused_in_a_stream_too(given_):
    engine = Engine([EACH])
    outputs = engine.stream([fail(0), given_, fail(1)])
    assert len([next(outputs), next(outputs)]) == 2
    with pytest.raises(InputRefusedError):
        next(outputs)


@pytest.mark.parametrize("given_", NEVER_INPUT, ids=repr)
def test_what_is_refused_may_be_passed_over(given_):
    told = []
    outputs = Engine([EACH], settings=MATCHES_ONLY).stream(
        [fail(0), given_, fail(1)], refused=told.append
    )
    assert matched_at(outputs) == [0, 1]
    assert [type(error) for error in told] == [InputRefusedError]


@pytest.mark.parametrize("instant", [1.5, None, "2026-10-07T14:00:00Z", True])
def test_time_advances_to_instants_only(instant):
    engine = Engine([EACH])
    with pytest.raises(InputRefusedError, match="whole milliseconds"):
        engine.advance(instant)
    assert engine.now is None


@pytest.mark.parametrize("instant", [1.5, "2026-10-07T14:00:00Z", True])
def test_an_engine_begins_at_an_instant_only(instant):
    with pytest.raises(InputRefusedError, match="whole milliseconds"):
        Engine([EACH], at=instant)
