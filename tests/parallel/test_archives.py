"""A replay by many workers gives the bytes of one process."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from models.strategies import Case, gate_cases
from wakeful.model.outputs import Match
from wakeful.replay import Replay, decision_record, json_line, match_record
from wakeful.replay.parallel import ParallelReplay, Workers
from wakeful.replay.player import DEFAULTS
from whole_cases import often_off, whole_cases

few = settings(max_examples=15)


def threads(count: int = 2) -> Workers:
    return Workers(lambda: ThreadPoolExecutor(count), count=count)


def text_of(replay: Replay, inputs: Iterable[Any]) -> str:
    """All that a replay gives and comes to."""
    lines = [
        json_line(match_record(each) if isinstance(each, Match) else decision_record(each))
        for each in replay.outputs(inputs)
    ]
    return "".join(lines) + json_line(replay.summary().to_dict())


def assert_same(case: Case, parts: int, **settings_: Any) -> None:
    chosen = attrs.evolve(DEFAULTS, **settings_)
    for until in (None, case.until):
        one = Replay(case.automations, settings=chosen, until=until)
        with threads() as workers:
            many = ParallelReplay(
                case.automations, settings=chosen, until=until, workers=workers, parts=parts
            )
            assert text_of(one, case.inputs) == text_of(many, case.inputs)


@few
@given(
    case=st.one_of(gate_cases(), whole_cases(), whole_cases().map(often_off)),
    run_time=st.sampled_from(("log", "none", 1_000)),
    parts=st.sampled_from((1, 2, 7)),
)
def test_outputs_and_summary_are_those_of_one_process(case: Case, run_time: Any, parts: int):
    assert_same(case, parts, run_time=run_time)
