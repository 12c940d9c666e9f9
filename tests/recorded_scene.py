"""A recorded log, its rules, and the lines they were once replayed to.

Run as a program it prints the lines of a live run, so that a test can run it under any
hash seed.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from wakeful import Decision, Engine, Input, Output, Settings, load_rules, open_logs
from wakeful.replay import decision_record, json_line

HERE = Path(__file__).parent / "faults" / "recorded"
LOG, RULES = HERE / "log.jsonl", HERE / "rules.yaml"
SETTINGS = Settings(run_time="log", unmet="every")


def recorded() -> str:
    """The lines that were recorded."""
    return (HERE / "outputs.jsonl").read_text(encoding="utf-8")


def lines(outputs: list[Output]) -> str:
    """Decisions as a replay writes them."""
    return "".join(
        json_line(decision_record(each)) for each in outputs if isinstance(each, Decision)
    )


def live(engine: Engine, inputs: Iterator[Input]) -> list[Output]:
    """Feed as a live host does: wake up at each deadline, and now and then for no reason."""
    outputs: list[Output] = []
    for number, each in enumerate(inputs):
        while (due := engine.next_deadline) is not None and due < each.at:
            outputs += engine.advance(due)
        if number % 3 == 0:
            outputs += engine.advance(each.at)
        outputs += engine.feed(each)
    return outputs


def live_lines() -> str:
    """The recorded log, lived through."""
    rules = load_rules([str(RULES)])
    with open_logs([str(LOG)]) as inputs:
        return lines(live(Engine(rules.automations, settings=SETTINGS), inputs))


if __name__ == "__main__":
    sys.stdout.write(live_lines())
