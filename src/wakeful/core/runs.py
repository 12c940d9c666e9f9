"""The ledger of one automation's runs: which are going, who claimed which start, whose sessions.

A run is made by a start of the engine's, under a name of the engine's own, or by a record of
a run that was started elsewhere. The first record of a name that nobody knows claims the
oldest start that no record has claimed, and the run goes by that name from then on; its own
name still finds it, so a host may use either.

Invariants: ``going`` holds the unsettled runs, oldest first. Every run that is kept is in
``known`` under each of its names. A run is forgotten when it has settled, nobody can claim
it any more, and ``kept`` newer such runs are there. Of starts that have settled and that no
record has claimed, ``kept`` can be claimed, the newest. ``sessions`` is never forgotten: a session
that belonged to a run never wakes its automation again (semantics 9.3).
"""

from collections import OrderedDict, deque
from collections.abc import Mapping, MutableMapping
from typing import Any, Self, get_args

import attrs

from wakeful.core.overflow import Overflow
from wakeful.core.plain import flag, optional_text, text, whole
from wakeful.core.wakes import Told, restore_told, save_told
from wakeful.model.automations import SCHEME
from wakeful.model.events import RunOutcome
from wakeful.model.time import Instant

RUN_SCHEME = "wakeful-run:"
"""The scheme of the engine's own names, which no host uses for its runs."""


@attrs.define(eq=False)
class Run:
    """One run.

    Attributes:
        automation: Its automation's resource.
        number: Which run of that automation it is, from 1.
        name: The engine's own name, and after a claim the record's.
        started_at: The instant of its start.
        claimed: Whether a record has named it, or nobody may claim it.
        outcome: How it ended; ``None`` while it is going.
        sessions: Its sessions, in the order they were linked.
        chat_busy: Whether a press made it and it failed since somebody's own turn ran.
        requests: The request ids of the presses that were answered with it.
        steers: What was steered into it and not told as failed, oldest first.
    """

    automation: str
    number: int
    name: str
    started_at: Instant
    claimed: bool = False
    outcome: RunOutcome | None = None
    sessions: tuple[str, ...] = ()
    chat_busy: bool = False
    requests: tuple[str, ...] = ()
    steers: deque[Told] | None = None

    def state(self) -> dict[str, Any]:
        """The run as plain data."""
        return {
            "number": self.number,
            "name": self.name,
            "startedAt": self.started_at,
            "claimed": self.claimed,
            "outcome": self.outcome,
            "sessions": list(self.sessions),
            "chatBusy": self.chat_busy,
            "requests": list(self.requests),
            "steers": [save_told(told) for told in self.steers or ()],
        }

    @classmethod
    def restore(cls, automation: str, saved: Mapping[str, Any]) -> Self:
        """The run that :meth:`state` wrote."""
        outcome = saved["outcome"]
        if outcome is not None and outcome not in get_args(RunOutcome):
            raise ValueError(f"{outcome!r} is no outcome of a run")
        steers = deque(restore_told(told) for told in saved["steers"])
        return cls(
            automation,
            whole(saved["number"]),
            text(saved["name"]),
            whole(saved["startedAt"]),
            claimed=flag(saved["claimed"]),
            outcome=outcome,
            sessions=tuple(text(session) for session in saved["sessions"]),
            chat_busy=flag(saved["chatBusy"]),
            requests=tuple(text(request_id) for request_id in saved["requests"]),
            steers=steers or None,
        )


class Runs:
    """The runs of one automation.

    Args:
        automation: The automation's resource.
        kept: How many runs that are over are kept.
        most: How many may go at once; where one more begins, the oldest is given up.
        requests: The request ids of all automations; those of a forgotten run go.
        overflow: Counts the runs that were given up.
    """

    __slots__ = (
        "_idle",
        "_most",
        "_over",
        "_overflow",
        "_own_names",
        "_requests",
        "_unclaimed",
        "automation",
        "going",
        "kept",
        "known",
        "last_linked",
        "sessions",
        "started",
    )

    def __init__(
        self,
        automation: str,
        *,
        kept: int,
        most: int,
        requests: MutableMapping[str, Run],
        overflow: Overflow,
    ) -> None:
        self.automation = automation
        self.kept = kept
        self._most = most
        self._overflow = overflow
        self.started = 0
        self.going: dict[int, Run] = {}
        self.known: dict[str, Run] = {}
        self.sessions: set[str] = set()
        self.last_linked: str | None = None
        self._own_names = f"{RUN_SCHEME}{automation.removeprefix(SCHEME)}/"
        self._requests = requests
        self._unclaimed: OrderedDict[int, Run] = OrderedDict()
        self._idle = 0  # how many of those have settled
        self._over: deque[Run] = deque()

    def __len__(self) -> int:
        """How many runs are kept, going or over."""
        return len(self.going) + len(self._over) + self._idle

    @property
    def newest(self) -> Run | None:
        """The newest run that has not settled."""
        return self.going[next(reversed(self.going))] if self.going else None

    def start(self, at: Instant) -> Run:
        """A new run, going, which a record may claim; O(1)."""
        run = self._new(at)
        self._unclaimed[run.number] = run
        return run

    def fail(self, at: Instant, request_id: str) -> Run:
        """A press's run that failed as it was made, its chat being busy; nobody claims it."""
        run = self._new(at)
        run.chat_busy = run.claimed = True
        self.request(run, request_id)
        self.settle(run, "failed")
        return run

    def elsewhere(self, name: str, at: Instant) -> Run:
        """A new run that was started elsewhere, by hand, under the name its record gives."""
        run = self._new(at)
        self._give(run, name)
        return run

    def names_of(self, run: Run) -> tuple[str, str]:
        """The name a run goes by and the engine's own for it, which may be the same."""
        return run.name, f"{self._own_names}{run.number}"

    def claim(self, name: str) -> Run | None:
        """The run of that name; where nobody knows it, the oldest start that is unclaimed."""
        run = self.find(name)
        if run is not None:
            return run
        if not self._unclaimed:
            return None
        run = next(iter(self._unclaimed.values()))
        self._give(run, name)
        return run

    def find(self, name: str) -> Run | None:
        """The run of that name, by now claimed where a record asks by the engine's own."""
        run = self.known.get(name)
        if run is not None and not run.claimed:
            self._give(run, name)
        return run

    def link(self, run: Run, session: str) -> None:
        """A session belongs to a run, from now on and for ever."""
        self.sessions.add(session)
        self.last_linked = session
        # Linking again makes it the run's last: steers go where the run works now.
        run.sessions = (*(each for each in run.sessions if each != session), session)

    def settle(self, run: Run, outcome: RunOutcome) -> None:
        """A run that was going is over. O(1) where starts settle in their order."""
        run.outcome = outcome
        del self.going[run.number]
        if run.claimed:
            self._keep(run)
            return
        self._idle += 1
        self._bound_idle()

    def request(self, run: Run, request_id: str) -> None:
        """A request id stands for a run."""
        run.requests = (*run.requests, request_id)
        self._requests[request_id] = run

    def state(self) -> dict[str, Any]:
        """The ledger as plain data."""
        runs = {run.number: run for run in self.known.values()}
        return {
            "started": self.started,
            "runs": [runs[number].state() for number in sorted(runs)],
            "over": [run.number for run in self._over],
            "sessions": sorted(self.sessions),
            "lastLinked": self.last_linked,
        }

    def take(self, saved: Mapping[str, Any]) -> None:
        """Take over a ledger that :meth:`state` wrote, in an empty one."""
        self.started = whole(saved["started"])
        self.sessions.update(text(session) for session in saved["sessions"])
        self.last_linked = optional_text(saved["lastLinked"])
        runs: dict[int, Run] = {}
        for one in saved["runs"]:
            run = Run.restore(self.automation, one)
            runs[run.number] = run
            for name in self.names_of(run):
                self.known[name] = run
            for request_id in run.requests:
                self._requests[request_id] = run
            if run.outcome is None:
                self.going[run.number] = run
            if not run.claimed:
                self._unclaimed[run.number] = run
                self._idle += run.outcome is not None
        self._over.extend(runs[whole(number)] for number in saved["over"])
        self._let_go()
        self._bound_idle()

    def _new(self, at: Instant) -> Run:
        self.started = number = self.started + 1
        name = f"{self._own_names}{number}"
        run = Run(self.automation, number, name, at)
        self.going[number] = self.known[name] = run
        if len(self.going) > self._most:
            self._give_up(self.going[next(iter(self.going))])
        return run

    def _give_up(self, run: Run) -> None:
        """Take a run that nobody settles for failed; nobody may claim it any more."""
        self._claim_for_nobody(run)
        self.settle(run, "failed")
        self._overflow.runs += 1

    def _give(self, run: Run, name: str) -> None:
        run.name = name
        self.known[name] = run
        self._claim_for_nobody(run)

    def _bound_idle(self) -> None:
        """No record may claim the oldest starts that have settled, beyond those that are kept."""
        while self._idle > self.kept:
            self._claim_for_nobody(
                next(each for each in self._unclaimed.values() if each.outcome is not None)
            )

    def _claim_for_nobody(self, run: Run) -> None:
        """No record may claim a run any more."""
        run.claimed = True
        self._unclaimed.pop(run.number, None)
        if run.outcome is not None:
            self._idle -= 1
            self._keep(run)

    def _keep(self, run: Run) -> None:
        self._over.append(run)
        self._let_go()

    def _let_go(self) -> None:
        """Forget the oldest of the runs that are over, beyond those that are kept."""
        over = self._over
        while len(over) > self.kept:
            old = over.popleft()
            for name in self.names_of(old):
                self.known.pop(name, None)
            for request_id in old.requests:
                self._requests.pop(request_id, None)
