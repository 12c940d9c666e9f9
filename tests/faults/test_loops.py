"""Reported faults 38 to 40: what is a loop and what only looks like one.

They begin with a native log, since equal input is what a reader hashes equal.
"""

import json

import pytest

from engine_scenes import automation, matched_at, on, watch
from wakeful import Engine, Settings, open_logs

STUCK = automation(watch("looks-stuck", times=3))


def replayed(tmp_path, rule, *calls):
    """The seconds at which the rule matches in a log of ``(seconds, input, more members)``."""
    path = tmp_path / "log.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "at": round(at * 1_000),
                    "kind": "toolCalled",
                    "session": "s",
                    "tool": {"name": "Edit", "input": input_},
                    **more,
                }
            )
            + "\n"
            for at, input_, more in calls
        )
    )
    engine = Engine([rule], settings=Settings(run_time="none"))
    with open_logs([str(path)]) as inputs:
        return matched_at(engine.feed_many(inputs))


def test_fault_38_twelve_edits_with_different_inputs_are_no_loop(tmp_path):
    edits = [(at, {"file": "a.py", "line": at}, {}) for at in range(12)]
    assert replayed(tmp_path, STUCK, *edits) == []


def test_fault_38_the_order_of_an_inputs_keys_makes_no_other_input(tmp_path):
    calls = [(0, {"a": 1, "b": 2}, {}), (1, {"b": 2, "a": 1}, {}), (2, {"a": 1, "b": 2}, {})]
    assert replayed(tmp_path, STUCK, *calls) == [2]


def test_fault_38_nor_does_the_order_of_keys_deeper_down(tmp_path):
    inner = [{"x": {"a": 1, "b": [{"c": 1, "d": 2}]}}, {"x": {"b": [{"d": 2, "c": 1}], "a": 1}}]
    assert replayed(tmp_path, STUCK, *((at, inner[at % 2], {}) for at in range(3))) == [2]


def test_fault_38_the_order_of_a_list_does_make_another_input(tmp_path):
    inputs = [[1, 2], [2, 1], [1, 2], [2, 1]]
    assert (
        replayed(tmp_path, STUCK, *((at, {"a": each}, {}) for at, each in enumerate(inputs))) == []
    )


@pytest.mark.parametrize(("every", "expected"), [(300, []), (150, [300])])
def test_fault_39_polling_is_a_loop_only_inside_the_window(tmp_path, every, expected):
    rule = automation(on("toolCalled", count={"n": 3, "sameInput": True, "within": "300s"}))
    polls = [(number * every, {"job": 7}, {}) for number in range(3)]
    assert expected == replayed(tmp_path, rule, *polls)


def test_fault_40_differing_thoughts_and_call_ids_do_not_hide_an_identical_call(tmp_path):
    calls = [
        (at, {"job": 7}, {"callId": f"call-{at}", "thought": f"try {at}", "turnToolCalls": at})
        for at in range(3)
    ]
    assert replayed(tmp_path, STUCK, *calls) == [2]


def test_fault_40_other_calls_in_between_do_not_hide_it_either(tmp_path):
    calls = [
        call
        for at in range(0, 30, 10)
        for call in ((at, {"job": 7}, {}), (at + 1, {"note": at}, {}))
    ]
    assert replayed(tmp_path, STUCK, *calls) == [20]
