"""A trace beside the engine: it changes nothing, and has the very hits that the engine has."""

import attrs
from hypothesis import given, settings

from models.strategies import gate_cases, matcher_cases
from wakeful.explain.pairs import Pair
from wakeful.explain.tracer import Tracer
from wakeful.replay import DEFAULTS, Replay


class Checked(Tracer):
    """Holds what pairs have against the engine after every input of a session."""

    def _session_input(self, taken):
        super()._session_input(taken)
        look = self.replay.engine.look(taken.session)
        for rule, pair in self._by_session[taken.session].items():
            if isinstance(pair, Pair):
                assert look.hits.get(rule, 0) == pair.held, rule
                assert look.waits.get(rule) == pair.wait, rule


def replay_of(case, run_time="none"):
    settings = attrs.evolve(DEFAULTS, run_time=run_time)
    return Replay(case.automations, settings=settings, until=case.until)


@given(matcher_cases())
@settings(max_examples=40)
def test_after_every_input_the_trace_has_the_hits_and_waits_that_the_engine_has(case):
    Checked(replay_of(case)).play(case.inputs)


@given(gate_cases())
@settings(max_examples=20)
def test_the_same_where_automations_switch_themselves_off(case):
    Checked(replay_of(case, "log")).play(case.inputs)


@given(matcher_cases())
@settings(max_examples=20)
def test_a_replay_that_is_traced_gives_the_same_outputs(case):
    expected = list(replay_of(case).outputs(case.inputs))

    assert list(Tracer(replay_of(case)).outputs(case.inputs)) == expected
