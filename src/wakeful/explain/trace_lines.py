"""A trace as JSON Lines that can be replayed: a native log whose lines tell their steps.

Each line is the line of an input with one more member, ``steps``; what time alone did stands in
the line of the input after it, at the end in a ``tick``. Readers of native logs pass over members
they do not know, so the trace of a whole log is a log like any other, and that of one session is
the log of what its matching depends on.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any

from wakeful.explain.clauses import Clause
from wakeful.explain.steps import Step, Taken, What, plain_value
from wakeful.explain.tracer import Tracer
from wakeful.logs import write_native
from wakeful.model.events import Tick
from wakeful.model.time import format_instant


def write_trace(tracer: Tracer) -> Iterator[str]:
    """The lines of a trace that is over, without newlines, in the order of the inputs."""
    taken = tracer.taken()
    numbers = {each.number for each in taken}
    by_input: dict[int, list[Step]] = defaultdict(list)
    by_time: deque[Step] = deque()
    for step in tracer.steps:
        number = _number(step)
        if number in numbers:
            by_input[number].append(step)
        else:
            by_time.append(step)
    for one in taken:
        # No line of their own: a tick before a ``resumed`` would make what was late be in time.
        before = []
        while by_time and by_time[0].at <= one.at:
            before.append(by_time.popleft())
        yield _line(one, [*before, *by_input[one.number]])
    if by_time:
        at = by_time[-1].at
        yield _line(Taken(number=0, at=at, input=Tick(at)), by_time)


def step_record(step: Step) -> dict[str, Any]:
    """A step as plain data, without what says nothing. Events are told by their numbers."""
    record: dict[str, Any] = {
        "step": step.what.value,
        "at": format_instant(step.at),
        "automation": step.rule.automation,
        "trigger": step.rule.trigger or None,
        "preset": step.rule.preset,
        "session": step.session,
        "why": None if step.why is None else step.why.value,
        "by": None if step.by is None else step.by.number,
        "events": [each.number for each in step.events] or None,
        "failed": [clause_record(each) for each in step.clauses] or None,
    }
    if step.what in (What.COUNTED, What.SATISFIED):
        record |= {"hits": step.hits or None, "of": step.of}
    if step.wait is not None:
        record["deadline"] = format_instant(step.wait.due)
    if step.quiet is not None:
        record["quiet"] = step.quiet
    if step.decision is not None:
        decision = step.decision
        record["decision"] = decision.kind.value
        record["reason"] = None if decision.reason is None else decision.reason.value
        record["run"] = decision.run
    return {name: value for name, value in record.items() if value is not None}


def clause_record(clause: Clause) -> dict[str, Any]:
    """A part that failed, as plain data."""
    return {
        "path": clause.path,
        "wanted": plain_value(clause.wanted),
        "had": plain_value(clause.had),
    }


def _line(taken: Taken, steps: Iterable[Step]) -> str:
    record = json.loads(write_native(taken.restamped))
    told = [step_record(step) for step in steps]
    if taken.number:
        record["number"] = taken.number
    if told:
        record["steps"] = told
    return json.dumps(record, separators=(",", ":"))


def _number(step: Step) -> int:
    if step.by is not None:
        return step.by.number
    if step.match is not None and step.events and step.match.at == step.events[-1].at:
        return step.events[-1].number
    return 0
