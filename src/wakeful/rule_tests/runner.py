"""Running a rule test: its inputs through a replay, what came against what was expected."""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Final

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.logs.native_lines import resource
from wakeful.model.events import Input, RunSettled, Tick
from wakeful.model.outputs import Decision, DecisionKind, Fault, Match, Output
from wakeful.model.time import Instant
from wakeful.reading import Ruleset, load_rules
from wakeful.replay import DEFAULTS, Replay
from wakeful.rule_tests.comparing import Row, compare
from wakeful.rule_tests.files import Case

_STARTS: Final = (DecisionKind.START, DecisionKind.RELEASE)


@attrs.frozen(kw_only=True)
class Outcome:
    """What a test came to.

    Attributes:
        differences: For each list that was expected and did not come so, its name and the
            rows of the comparison.
        faults: Inputs that the engine refused, and matchers that raised, in words.
    """

    case: Case
    differences: tuple[tuple[str, tuple[Row, ...]], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything came as it was expected, and nothing else did."""
        return not self.differences and not self.faults

    def text(self) -> str:
        """What differs, as lines: ``-`` did not come, ``+`` came and was not expected."""
        lines: list[str] = list(self.faults)
        for name, rows in self.differences:
            lines += [f"{name}: (- expected and did not come, + came and was not expected)"]
            lines += [f"  {row}" for row in rows]
        return "\n".join(lines)


def run_case(case: Case) -> Outcome:
    """Run one test.

    Raises:
        InvalidError: Its rules are refused.
    """
    ruleset = load_rules(case.rules)
    outputs, faults = _play(case, ruleset)
    differences = []
    for name, expected, kind in (
        ("matches", case.expect.matches, Match),
        ("decisions", case.expect.decisions, Decision),
    ):
        if expected is None:
            continue
        came = [each for each in outputs if isinstance(each, kind)]
        rows = compare(expected, came, case.start)
        if any(row.differs for row in rows):
            differences.append((name, tuple(rows)))
    faults += [each.message for each in outputs if isinstance(each, Fault)]
    return Outcome(case=case, differences=tuple(differences), faults=tuple(faults))


def _play(case: Case, ruleset: Ruleset) -> tuple[list[Output], list[str]]:
    every = case.runs.every
    settings = attrs.evolve(DEFAULTS, run_time=every)
    until = None if case.until is None else case.until.resolve(case.start)
    replay = Replay(
        ruleset.automations, types=ruleset.types, settings=settings, at=case.start, until=until
    )
    inputs = [each.read(case.start, case.sessions) for each in case.inputs]
    _hold_to_rules(case, ruleset)
    if case.runs.each:
        outputs = list(_Settling(case, replay, until).outputs(inputs))
    else:
        outputs = list(replay.outputs(inputs))
    return outputs, [f"refused: {why}" for why in replay.summary().refused]


def _hold_to_rules(case: Case, ruleset: Ruleset) -> None:
    """An automation that a test gives run lengths to has to be there: nothing passes by a typo."""
    known = {automation.resource for automation in ruleset.automations}
    problems = [
        Problem(
            path=f"runs.{name}",
            value=name,
            expected="an automation of the rules",
            message=f"the rules have no automation {name!r} (test {case.name!r})",
            file=case.file,
            line=case.line,
        )
        for name in case.runs.each
        if resource(name) not in known
    ]
    if problems:
        raise InvalidError(problems)


class _Settling:
    """A replay in which each run lasts as long as the test says.

    Between the test's inputs stand those that settle a run which has lasted its length, and
    ticks at what falls due, since that may start a run that is over before the next input.
    """

    def __init__(self, case: Case, replay: Replay, until: Instant | None) -> None:
        self._replay = replay
        self._until = until
        self._lengths = {resource(name): deque(lengths) for name, lengths in case.runs.each.items()}
        self._going: list[tuple[Instant, int, str, str]] = []
        self._started = count()

    def outputs(self, inputs: Sequence[Input]) -> Iterator[Output]:
        """The outputs of the test's inputs, and of the runs that settle in between."""
        for output in self._replay.outputs(self._with_settled(inputs)):
            if isinstance(output, Decision) and output.kind in _STARTS and output.run is not None:
                lengths = self._lengths.get(output.automation)
                if lengths:
                    length = lengths.popleft() if len(lengths) > 1 else lengths[0]
                    run = (output.at + length, next(self._started), output.automation, output.run)
                    heappush(self._going, run)
            yield output

    def _with_settled(self, inputs: Sequence[Input]) -> Iterator[Input]:
        for given in inputs:
            yield from self._before(given.at)
            yield given
        if self._until is not None:
            yield from self._before(self._until)

    def _before(self, at: Instant) -> Iterator[Input]:
        """What comes before an input at that instant: runs that settle by then among it."""
        engine = self._replay.engine
        while True:
            settles = self._going[0][0] if self._going else None
            due = engine.next_deadline
            if due is not None and due < at and (settles is None or due < settles):
                yield Tick(due)
            elif settles is not None and settles <= at:
                _, _, automation, run = heappop(self._going)
                yield RunSettled(automation=automation, run=run, outcome="completed", at=settles)
            else:
                return
