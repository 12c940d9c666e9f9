"""What a runner counts and measures, as a plain record, whoever shows it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import attrs

from wakeful.core.statistics import Statistics
from wakeful.hosting.observing import Handled, Observer
from wakeful.hosting.troubles import Trouble
from wakeful.logs.words import input_kind
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Fault, Match, Output
from wakeful.model.time import SECOND, Instant

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the buckets of all distributions, in seconds."""


class RuleName(NamedTuple):
    """A rule: a trigger, or one preset of it."""

    automation: str
    trigger: str
    preset: str | None


class DecisionName(NamedTuple):
    """A sort of decision of one trigger; a press has no trigger, and most have no reason."""

    automation: str
    trigger: str | None
    decision: str
    reason: str | None


@attrs.frozen(kw_only=True)
class Distribution:
    """How often a length of time fell into which bucket.

    Attributes:
        counts: One for each of :data:`BOUNDS`, and one for what is longer than all.
        total: All of it together, in seconds.
        longest: The longest, in seconds.
    """

    counts: tuple[int, ...]
    total: float
    longest: float

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self.counts)

    def quantile(self, share: float) -> float:
        """The upper bound of the bucket in which that share of all is reached, in seconds.

        >>> Distribution(counts=(98, 0, 2) + (0,) * 12, total=0.1, longest=0.004).quantile(0.99)
        0.004
        """
        wanted = share * self.count
        reached = 0
        for bound, count in zip(BOUNDS, self.counts, strict=False):
            reached += count
            if reached >= wanted:
                return min(bound, self.longest)
        return self.longest


@attrs.frozen(kw_only=True)
class Metrics:
    """What happened since a runner was made, and what it holds now.

    Attributes:
        inputs: Inputs taken, by the native log's word.
        matches: Matches by rule.
        decisions: Decisions by trigger, word and reason.
        faults: How often code of a plugin's raised.
        handled: Wakes handed over, by what became of it.
        troubles: What went wrong, by kind.
        looks: How often the clock was looked at.
        sleeps: How often nobody had been running before a look.
        lag: From an input's instant to when it was taken.
        lateness: From an output's instant to when it was given.
        waited: From a wake's decision to its handler's beginning.
        took: How long handlers took.
        backlog: Wakes that wait for a handler.
        held: Wakes that are held while all are paused.
        engine: What the engine holds: sessions, waits, timers.
    """

    inputs: Mapping[str, int]
    matches: Mapping[RuleName, int]
    decisions: Mapping[DecisionName, int]
    faults: int
    handled: Mapping[str, int]
    troubles: Mapping[str, int]
    looks: int
    sleeps: int
    lag: Distribution
    lateness: Distribution
    waited: Distribution
    took: Distribution
    backlog: int
    held: int
    engine: Statistics

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data; names become lists of records."""
        plain = attrs.asdict(self, recurse=False)
        for name in ("lag", "lateness", "waited", "took", "engine"):
            plain[name] = attrs.asdict(plain[name])
        plain["matches"] = [
            {**name._asdict(), "count": count} for name, count in self.matches.items()
        ]
        plain["decisions"] = [
            {**name._asdict(), "count": count} for name, count in self.decisions.items()
        ]
        return plain


class _Buckets:
    """A distribution while it grows."""

    __slots__ = ("counts", "longest", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0
        self.longest = 0.0

    def add(self, seconds: float) -> None:
        """Count one; what is below nothing, as after a clock that stepped back, is nothing."""
        seconds = max(seconds, 0.0)
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)

    def told(self) -> Distribution:
        """As it is now."""
        return Distribution(counts=tuple(self.counts), total=self.total, longest=self.longest)


class Meter(Observer):
    """Counts and measures. O(1) for whatever happens."""

    def __init__(self) -> None:
        self._inputs: Counter[str] = Counter()
        self._matches: Counter[RuleName] = Counter()
        self._decisions: Counter[DecisionName] = Counter()
        self._faults = 0
        self._handled: Counter[str] = Counter()
        self._troubles: Counter[str] = Counter()
        self._looks = self._sleeps = 0
        self._lag, self._lateness, self._waited, self._took = (_Buckets() for _ in range(4))

    def took(self, item: Input, *, now: Instant) -> None:
        """Count an input, and how long it was on its way."""
        self._inputs[input_kind(item)] += 1
        self._lag.add((now - item.at) / SECOND)

    def gave(self, output: Output, *, now: Instant) -> None:
        """Count an output, and how late it is."""
        if isinstance(output, Match):
            self._matches[RuleName(output.automation, output.trigger, output.preset)] += 1
        elif isinstance(output, Fault):
            self._faults += 1
        else:
            self._decisions[decision_name(output)] += 1
            self._lateness.add((now - output.at) / SECOND)

    def looked(self, now: Instant, *, slept: bool) -> None:  # noqa: ARG002 - the observer's
        """Count a look."""
        self._looks += 1
        self._sleeps += slept

    def handled(self, handled: Handled) -> None:
        """Count and measure a handler's work."""
        self._handled[handled.outcome] += 1
        self._waited.add(handled.waited)
        self._took.add(handled.took)

    def troubled(self, trouble: Trouble) -> None:
        """Count what went wrong."""
        self._troubles[trouble.kind] += 1

    def metrics(self, *, backlog: int, held: int, engine: Statistics) -> Metrics:
        """All of it now."""
        return Metrics(
            inputs=dict(self._inputs),
            matches=dict(self._matches),
            decisions=dict(self._decisions),
            faults=self._faults,
            handled=dict(self._handled),
            troubles=dict(self._troubles),
            looks=self._looks,
            sleeps=self._sleeps,
            lag=self._lag.told(),
            lateness=self._lateness.told(),
            waited=self._waited.told(),
            took=self._took.told(),
            backlog=backlog,
            held=held,
            engine=engine,
        )


def decision_name(decision: Decision) -> DecisionName:
    """The sort of a decision."""
    return DecisionName(
        decision.automation,
        decision.trigger,
        decision.kind.value,
        None if decision.reason is None else decision.reason.value,
    )
