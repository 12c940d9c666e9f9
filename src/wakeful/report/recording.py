"""A replay that is watched for a report: outputs pass through, and what a picture needs is kept."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from wakeful.model.events import Activity, Input, SessionEnded, SessionEvent, TurnStarted
from wakeful.model.outputs import Decision, DecisionKind, Match, Output, Reason
from wakeful.model.time import MINUTE, Instant
from wakeful.replay import Replay
from wakeful.report.kept import Bounded, Lane, Tools

WAKES: Final = (DecisionKind.START, DecisionKind.RELEASE, DecisionKind.STEER)
"""The decisions that reach an agent."""

_QUARTER: Final = 15 * MINUTE
"""Every zone's hours begin at a quarter of an hour, UTC."""

_MOST: Final = 12_000
"""How many wakes, how many other decisions and how many matches are listed at most."""


@attrs.frozen(kw_only=True)
class Shown:
    """Which outputs are shown. What is left out hides nothing; no input is cut by it.

    Attributes:
        since: Those from this instant on.
        session: Those of this session.
        automation: Those of this automation, a resource.
    """

    since: Instant | None = None
    session: str | None = None
    automation: str | None = None

    def has(self, output: Match | Decision) -> bool:
        """Whether an output is shown."""
        return (
            (self.since is None or output.at >= self.since)
            and (self.session is None or output.session == self.session)
            and (self.automation is None or output.automation == self.automation)
        )


class Recording:
    """Watches a replay.

    Memory: about a dozen bytes for each input of a session, and a bounded number of outputs.

    Args:
        replay: The replay, not yet begun.
        shown: Which outputs are shown.

    Attributes:
        lanes: The sessions, by name, in the order they came.
        tools: The names of their tools.
        wakes: The decisions that reach an agent, up to a bound; ``others`` and ``matches`` too.
        decided: How many decisions were shown, by automation, word and reason (or nothing).
        matched: How many matches were shown, by session; no session is the empty text.
        woken: How many wakes were shown, by session.
        quarters: How many wakes there were, by the quarter of an hour and automation.
        capped: How often the cap was hit, by the same.
    """

    def __init__(self, replay: Replay, shown: Shown | None = None) -> None:
        self.replay = replay
        self.shown = shown or Shown()
        self.lanes: dict[str, Lane] = {}
        self.tools = Tools()
        self.wakes: Bounded[Decision] = Bounded(_MOST)
        self.others: Bounded[Decision] = Bounded(_MOST)
        self.matches: Bounded[Match] = Bounded(_MOST)
        self.decided: Counter[tuple[str, str, str]] = Counter()
        self.matched: Counter[str] = Counter()
        self.woken: Counter[str] = Counter()
        self.quarters: Counter[tuple[Instant, str]] = Counter()
        self.capped: Counter[tuple[Instant, str]] = Counter()

    def outputs(self, inputs: Iterable[Input]) -> Iterator[Output]:
        """Play the inputs and give the outputs, as :meth:`Replay.outputs` does."""
        for output in self.replay.outputs(self._watched(inputs)):
            if isinstance(output, Match | Decision) and self.shown.has(output):
                self._keep(output)
            yield output

    @property
    def inputs(self) -> int:
        """How many inputs the sessions had."""
        return sum(map(len, self.lanes.values()))

    @property
    def decisions(self) -> list[Decision]:
        """The decisions that are kept, in order."""
        return sorted([*self.wakes, *self.others], key=lambda each: each.key)

    def _watched(self, inputs: Iterable[Input]) -> Iterator[Input]:
        engine, lanes, tools = self.replay.engine, self.lanes, self.tools
        for given in inputs:
            # Asked for the next one, the engine has taken this one; the input after the end of
            # a replay is looked at and not taken, and then nothing more is asked for.
            yield given
            if isinstance(given, SessionEvent | TurnStarted | Activity | SessionEnded):
                lane = lanes.get(given.session)
                if lane is None:
                    lane = lanes[given.session] = Lane(given.session)
                lane.take(given, given.at if engine.now is None else engine.now, tools)

    def _keep(self, output: Match | Decision) -> None:
        session = output.session or ""
        if isinstance(output, Match):
            self.matches.add(output)
            self.matched[session] += 1
            return
        reason = "" if output.reason is None else output.reason.value
        self.decided[output.automation, output.kind.value, reason] += 1
        quarter = (output.at - output.at % _QUARTER, output.automation)
        if output.kind in WAKES:
            self.wakes.add(output)
            self.woken[session] += 1
            self.quarters[quarter] += 1
        else:
            self.others.add(output)
            if output.reason is Reason.RATE_LIMITED:
                self.capped[quarter] += 1
