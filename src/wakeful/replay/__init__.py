"""Replays: a recorded log and rules in; matches, decisions and a summary out.

As short as it gets::

    from wakeful.replay import Replay

    replay = Replay(automations, run_time=5 * MINUTE)
    for output in replay.outputs(inputs):
        ...
    replay.summary()
"""

from wakeful.replay.lines import decision_record, json_line, match_record
from wakeful.replay.player import DEFAULTS, Replay, replay
from wakeful.replay.summary import AutomationSummary, Silence, Summary, Waiting
from wakeful.replay.tally import Tally

__all__ = [
    "DEFAULTS",
    "AutomationSummary",
    "Replay",
    "Silence",
    "Summary",
    "Tally",
    "Waiting",
    "decision_record",
    "json_line",
    "match_record",
    "replay",
]
