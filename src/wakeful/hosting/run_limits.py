"""How long runs may go: each that goes on for longer is settled as failed, as an input.

The engine has a limit of its own (``Settings.run_time``), which is for replays of logs that
say nothing of runs and settles silently. This one makes a record, so that the log of a host
tells why a run was over. It follows the engine's ledger of names: the first record of a name
that nobody knows claims the automation's oldest start that is unclaimed.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import attrs
from sortedcontainers import SortedKeyList

from wakeful.model.events import Input, RunLinked, RunSettled, RunStarted
from wakeful.model.outputs import Decision, DecisionKind, Output
from wakeful.model.time import Duration, Instant

_STARTS: Final = frozenset({DecisionKind.START, DecisionKind.RELEASE})


@attrs.frozen(kw_only=True)
class GoingRun:
    """A run that has not settled, as far as a runner knows.

    Attributes:
        names: What it goes by, the newest first: a record's name, and the engine's own.
        claimed: Whether a record has named it.
    """

    automation: str
    names: tuple[str, ...]
    started_at: Instant
    claimed: bool = False


class RunLimits:
    """Follows runs and says which have gone on for too long.

    Args:
        limit: How long a run may go; ``None`` for as long as it likes.
        going: Runs that go already.
    """

    def __init__(self, limit: Duration | None, going: Iterable[GoingRun] = ()) -> None:
        self._limit = limit
        self._named: dict[tuple[str, str], GoingRun] = {}
        self._by_start: SortedKeyList = SortedKeyList(key=_began)
        for run in going:
            self._add(run)

    @property
    def going(self) -> tuple[GoingRun, ...]:
        """The runs that go, the oldest first."""
        return tuple(self._by_start)

    @property
    def next_deadline(self) -> Instant | None:
        """When the next run will have gone on for too long."""
        if self._limit is None or not self._by_start:
            return None
        oldest: GoingRun = self._by_start[0]
        return oldest.started_at + self._limit

    def took(self, item: Input) -> None:
        """Follow what an input says of runs. O(runs that go) for one that claims."""
        if isinstance(item, RunStarted | RunLinked):
            if not self._claim(item.automation, item.run) and isinstance(item, RunStarted):
                self._add(
                    GoingRun(
                        automation=item.automation,
                        names=(item.run,),
                        started_at=item.at,
                        claimed=True,
                    )
                )
        elif isinstance(item, RunSettled):
            if item.outcome == "notStarted":
                self._claim(item.automation, item.run)
            settled = self._named.get((item.automation, item.run))
            if settled is not None:
                self._remove(settled)

    def gave(self, output: Output) -> None:
        """Follow what a decision starts. O(log n)."""
        if isinstance(output, Decision) and output.kind in _STARTS and output.run is not None:
            self._add(
                GoingRun(automation=output.automation, names=(output.run,), started_at=output.at)
            )

    def due(self, instant: Instant) -> Iterator[RunSettled]:
        """Records that settle the runs which have gone on for too long by an instant."""
        while (deadline := self.next_deadline) is not None and deadline <= instant:
            run: GoingRun = self._by_start[0]
            self._remove(run)
            yield RunSettled(
                automation=run.automation, run=run.names[0], outcome="failed", at=deadline
            )

    def _claim(self, automation: str, name: str) -> bool:
        """Give a run its name; whether there is a run of that name now."""
        run = self._named.get((automation, name))
        if run is None:
            run = next(
                (one for one in self._by_start if one.automation == automation and not one.claimed),
                None,
            )
        if run is None:
            return False
        if not run.claimed:
            self._remove(run)
            names = run.names if name in run.names else (name, *run.names)
            self._add(attrs.evolve(run, names=names, claimed=True))
        return True

    def _add(self, run: GoingRun) -> None:
        for name in run.names:
            self._named[run.automation, name] = run
        self._by_start.add(run)

    def _remove(self, run: GoingRun) -> None:
        for name in run.names:
            del self._named[run.automation, name]
        self._by_start.remove(run)


def _began(run: GoingRun) -> Instant:
    return run.started_at
