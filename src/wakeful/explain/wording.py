"""What is explained, in words: one sentence a fact, numbers and instants in each."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wakeful.core.statistics import Pending
from wakeful.explain.clocks import Fate, Tick
from wakeful.explain.firings import Firing
from wakeful.explain.lacks import Lack, Miss
from wakeful.explain.standing import Standing
from wakeful.explain.steps import Taken, plain_value
from wakeful.model.automations import SCHEME
from wakeful.model.events import SessionEvent
from wakeful.model.outputs import Decision, DecisionKind, Reason
from wakeful.model.time import DAY, HOUR, MINUTE, SECOND, Duration, Instant

ShowInstant = Callable[[Instant], str]

_SHOWN = 8
"""How many inputs one sentence names."""

_LENGTHS = ("within", "for", "turnLongerThan")


class Wording:
    """Words for what is explained.

    Args:
        show: How an instant is written.
    """

    def __init__(self, show: ShowInstant) -> None:
        self._show = show

    # -- what fired -------------------------------------------------------------------------

    def firing(self, firing: Firing) -> Iterator[str]:
        """Why a rule fired, and what became of it."""
        match, step = firing.match, firing.step
        if step.quiet is not None:
            yield (
                f"the turn was quiet for {length(step.quiet)}, since {self._show(step.since or 0)}"
            )
        elif step.events:
            yield f"{match.count} counted: {self._inputs(step.events)}"
        elif match.session is None:
            yield f"the plugin's event {match.event} came"
        if step.wait is not None:
            if step.by is not None:
                yield f"then {self._input(step.by)} came, in time until {self._show(step.wait.due)}"
            else:
                yield f"then nothing broke the wait until {self._show(step.wait.due)}"
        if firing.decision is not None:
            yield self.decision(firing.decision, firing.standing)

    def decision(self, decision: Decision, standing: Standing) -> str:
        """What was decided, and what stood before it."""
        reason = decision.reason
        kind = decision.kind.value
        run = "" if standing.run is None else f" {standing.run}"
        began = "" if standing.run_at is None else f", begun at {self._show(standing.run_at)}"
        match reason:
            case Reason.RATE_LIMITED:
                oldest = standing.charged_since
                told = "" if oldest is None else f", {standing.charged} since {self._show(oldest)}"
                return f"dropped: the cap{told}"
            case Reason.OWN_RUN:
                return f"dropped: the session belongs to its own run{run}"
            case Reason.SKIPPED:
                return f"dropped: skipped, the run{run} was going{began}"
            case Reason.DISABLED:
                return "dropped: the automation was off by then"
            case Reason.MISSED:
                return f"dropped: missed, {decision.count} while the host was away"
            case Reason.OWNER_UNKNOWN:
                return "dropped: the host has not met its owner"
            case _:
                pass
        match decision.kind:
            case DecisionKind.START:
                late = ", caught up" if decision.catch_up else ""
                return f"started{late}: nothing of the automation was in its way"
            case DecisionKind.HOLD:
                return f"held: the run{run} was going{began}"
            case DecisionKind.FOLD:
                waiting = standing.waiting_since
                since = "" if waiting is None else f" since {self._show(waiting)}"
                return f"folded into the wake that waited{since}"
            case DecisionKind.STEER:
                return f"steered into the run{run}{began}"
            case _:
                return kind

    # -- what did not -------------------------------------------------------------------

    def miss(self, miss: Miss) -> Iterator[str]:
        """Why a rule did not fire, part by part."""
        if miss.stage == "count" and miss.of > 1:
            yield f"{miss.counted} of {miss.of}: {self._inputs(miss.events)}"
        elif miss.stage == "then":
            yield f"the count was satisfied by {self._inputs(miss.events)}"
        elif miss.stage == "count":
            yield self._inputs(miss.events)
        for lack in miss.lacks:
            yield from self.lack(lack, miss)
        if miss.remedy is not None:
            yield f"it would have matched {in_words(miss.remedy.told)}"

    def lack(self, lack: Lack, miss: Miss) -> Iterator[str]:
        """One part that failed."""
        wanted, had = lack.wanted, lack.had
        match lack.path:
            case "count.n":
                yield f"count.n: {wanted - had} short of {wanted}"
            case "count.within":
                yield (
                    f"count.within: the last came {length(had - wanted)} after the "
                    f"{length(wanted)}, {length(had)} after the first"
                )
            case "count.consecutive":
                first = lack.by[0]
                yield f"count.consecutive: the run was broken by {self._input(first)}"
                if len(lack.by) > 1:
                    yield f"between them came {self._inputs(lack.by)}"
            case "then.within" if had is None:
                yield f"then.within: nothing came in the {length(wanted)} after it, nor later"
            case "then.within":
                yield (
                    f"then.within: {self._inputs(lack.by)} came {length(had - wanted)} "
                    f"after the {length(wanted)}"
                )
            case "then.event" | "then.for":
                yield (
                    f"{lack.path}: the wait of {length(wanted)} was broken after "
                    f"{length(had)} by {self._inputs(lack.by)}"
                )
            case "then":
                yield "then: had the count been satisfied, what has to follow did not"
            case "when.turnLongerThan" if miss.stage == "silence":
                by = f", until {self._inputs(lack.by)}" if lack.by else ""
                yield (
                    f"when.turnLongerThan: quiet for {length(had)} of {length(wanted)}, "
                    f"from {self._show(miss.since)}{by}"
                )
            case "owner":
                yield "owner: the automation's owner does not see the session"
            case path:
                at = f" at {self._instants(lack.by)}" if lack.by else ""
                yield f"{path}: was {_value(path, had)}{at}, the rule asks {_value(path, wanted)}"

    # -- clocks ---------------------------------------------------------------------------

    def tick(self, tick: Tick) -> str:
        """What became of an occurrence."""
        at = self._show(tick.at)
        if tick.fate is Fate.DECIDED and tick.decision is not None:
            return f"{at}: {self.decision(tick.decision, Standing())}"
        if tick.fate is Fate.SKIPPED_BY_CLOCK:
            minute = ((tick.local or 0) // MINUTE) % (24 * 60)
            return f"{at}: {minute // 60:02}:{minute % 60:02} does not exist, the clocks go forward"
        return f"{at}: not run; the automation was off, or its schedule was another"

    # -- what waits -------------------------------------------------------------------------

    def pending(self, pending: Pending) -> str:
        """What waits, until when, and what would end it."""
        name = pending.automation.removeprefix(f"{SCHEME}/")
        about = f"{name}  {pending.trigger}" if pending.trigger else name
        if pending.preset is not None:
            about += f"/{pending.preset}"
        if pending.session is not None:
            about += f"  {pending.session}"
        due = "" if pending.deadline is None else self._show(pending.deadline)
        match pending.kind, pending.what:
            case "wake", _:
                return f"{about}  a wake of {pending.count}, until nothing of it is going"
            case "occurrence", _:
                return f"{about}  runs at {due}"
            case "silence", _:
                return f"{about}  matches at {due}, unless the session does something before"
            case _, "event":
                return f"{about}  matches when {pending.awaited} comes, until {due}"
            case _, "absent":
                return f"{about}  matches at {due}, unless {pending.awaited} comes before"
            case _:
                return f"{about}  matches at {due}, unless the session does something before"

    # -- inputs ---------------------------------------------------------------------------

    def _inputs(self, taken: Sequence[Taken]) -> str:
        named = [self._input(each) for each in taken[:_SHOWN]]
        more = len(taken) - len(named)
        return ", ".join(named) + (f" and {more:,} more" if more else "")

    def _input(self, taken: Taken) -> str:
        return f"{name_of(taken)} at {self._show(taken.at)}"

    def _instants(self, taken: Sequence[Taken]) -> str:
        named = [self._show(each.at) for each in taken[:_SHOWN]]
        more = len(taken) - len(named)
        return ", ".join(named) + (f" and {more:,} more" if more else "")


def name_of(taken: Taken) -> str:
    """What an input is called: its kind, and the call it is about."""
    given = taken.input
    if isinstance(given, SessionEvent):
        if given.tool is None:
            return given.kind
        digest = given.tool.input_hash.removeprefix("sha256:")[:8]
        return f"{given.kind} {given.tool.name}:{digest}"
    word = type(given).__name__
    return word[0].lower() + word[1:]


def length(duration: Duration) -> str:
    """A length of time to the millisecond: ``5m12s``, ``1d2h``, ``0s``."""
    parts, rest = [], abs(duration)
    for unit, size in (("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1)):
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts) or "0s"


def in_words(told: str) -> str:
    """What a remedy tells, its milliseconds as lengths of time."""
    words = told.split(" ")
    if words[-1] == "ms" and words[-2].isdecimal():
        return " ".join([*words[:-2], length(int(words[-2]))])
    return told


def _value(path: str, value: Any) -> str:
    if value is None:
        return "not told"
    if isinstance(value, bool):
        return "true" if value else "false"
    if path.rpartition(".")[2] in _LENGTHS and isinstance(value, int):
        return length(value)
    plain = plain_value(value)
    if isinstance(plain, list):
        return ", ".join(map(str, plain)) or "none"
    return str(plain)
