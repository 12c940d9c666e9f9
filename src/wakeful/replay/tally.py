"""Counts what goes into an engine and what comes out, while it passes by.

Its memory is one small record a session and one an automation, however long the log.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Final

from wakeful.logs.report import LogReport
from wakeful.logs.words import KIND_WORDS
from wakeful.model.events import (
    ENDINGS,
    Activity,
    Input,
    SessionEnded,
    SessionEvent,
    TurnStarted,
)
from wakeful.model.outputs import DecisionKind, Fault, Match, Output, Reason
from wakeful.model.time import MINUTE, Instant, from_datetime, to_datetime
from wakeful.replay.summary import AutomationSummary, Silence, Summary, Waiting

_QUARTER: Final = 15 * MINUTE
"""Every zone's hours begin at a quarter of an hour, UTC: what is counted by the quarter can be
told by the hour of any of them."""


class _Quiet:
    """The silences of one session's turns."""

    __slots__ = ("last", "length", "running", "since")

    def __init__(self) -> None:
        self.running = False
        self.last: Instant = 0
        self.length = -1
        self.since: Instant = 0

    def sign(self, at: Instant, *, running: bool) -> None:
        if self.running and at - self.last > self.length:
            self.length, self.since = at - self.last, self.last
        self.last, self.running = at, running


class _Wakes:
    """What became of one automation's wakes."""

    __slots__ = ("_quarters", "_times", "decisions", "matches")

    def __init__(self) -> None:
        self.matches: Counter[str] = Counter()
        self.decisions: dict[str, Counter[str]] = defaultdict(Counter)
        # The quarters of an hour in which the cap dropped any, by number, and how many in
        # each: four bytes, since a log of years has very many.
        self._quarters = array("i")
        self._times = array("I")

    def capped(self, at: Instant) -> None:
        """The cap dropped one. They come in order."""
        quarter = at // _QUARTER
        if self._quarters and self._quarters[-1] == quarter:
            self._times[-1] += 1
        else:
            self._quarters.append(quarter)
            self._times.append(1)

    def summary(self, automation: str, zone: tzinfo) -> AutomationSummary:
        hours: Counter[Instant] = Counter()
        for quarter, times in zip(self._quarters, self._times, strict=True):
            local = to_datetime(quarter * _QUARTER, zone)
            hours[from_datetime(local.replace(minute=0, second=0, microsecond=0))] += times
        told = {word: sum(reasons.values()) for word, reasons in self.decisions.items()}
        undelivered = sum(
            self.decisions[word][Reason.NOT_DELIVERED]
            for word in (DecisionKind.HOLD, DecisionKind.FOLD)
            if word in self.decisions
        )
        return AutomationSummary(
            automation=automation,
            matches=dict(self.matches),
            decisions={word: dict(reasons) for word, reasons in self.decisions.items()},
            delivered=sum(
                told.get(word, 0)
                for word in (DecisionKind.START, DecisionKind.RELEASE, DecisionKind.STEER)
            )
            - undelivered,
            capped_hours=dict(hours),
        )


class Tally:
    """Watches a replay: told every input and every output, it gives the summary at any time."""

    def __init__(self) -> None:
        self._inputs: Counter[str] = Counter()
        self._late = 0
        self._faults = 0
        self._refused: list[str] = []
        self._first: Instant | None = None
        self._now: Instant | None = None
        self._quiet: dict[str, _Quiet] = {}
        self._wakes: dict[str, _Wakes] = {}

    def inputs(self, inputs: Sequence[Input]) -> None:
        """Count inputs that an engine was given, in their order. O(1) each."""
        if not inputs:
            return
        now = self._now
        if now is None:
            self._first = now = inputs[0].at
        sessions = self._quiet
        words: list[str] = []
        for given in inputs:
            at = given.at
            if at < now:
                # Taken at the engine's instant, which is where it breaks a silence too.
                self._late += 1
                at = now
            now = at
            if type(given) is SessionEvent:
                kind = given.kind
                words.append(kind)
                quiet = sessions.get(given.session)
                if quiet is not None and quiet.running:
                    if at - quiet.last > quiet.length:
                        quiet.length, quiet.since = at - quiet.last, quiet.last
                    quiet.last = at
                    if kind in ENDINGS:
                        quiet.running = False
            else:
                words.append(KIND_WORDS[type(given)])
                self._mind_turn(given, at)
        self._now = now
        self._inputs.update(words)

    def _mind_turn(self, given: Input, at: Instant) -> None:
        if isinstance(given, Activity | SessionEnded):
            quiet = self._quiet.get(given.session)
            if quiet is not None:
                quiet.sign(at, running=quiet.running and isinstance(given, Activity))
        elif isinstance(given, TurnStarted):
            quiet = self._quiet.get(given.session)
            if quiet is None:
                quiet = self._quiet[given.session] = _Quiet()
            quiet.sign(at, running=True)

    def advanced(self, at: Instant) -> None:
        """Time went on to ``at`` without an input."""
        if self._now is None:
            self._first = self._now = at
        self._now = max(self._now, at)

    def refused(self, why: str) -> None:
        """The engine refused the input that was counted last."""
        self._refused.append(why)

    def output(self, given: Output) -> None:
        """Count one match, decision or fault. O(1)."""
        if isinstance(given, Fault):
            self._faults += 1
            return
        wakes = self._wakes.get(given.automation)
        if wakes is None:
            wakes = self._wakes[given.automation] = _Wakes()
        if isinstance(given, Match):
            rule = given.trigger if given.preset is None else f"{given.trigger}/{given.preset}"
            wakes.matches[rule] += 1
            return
        reason = "" if given.reason is None else given.reason.value
        wakes.decisions[given.kind.value][reason] += 1
        if given.reason is Reason.RATE_LIMITED:
            wakes.capped(given.at)

    def summary(
        self,
        *,
        waiting: Iterable[Waiting] = (),
        let_go: Mapping[str, int] | None = None,
        read: LogReport | None = None,
        zone: tzinfo = UTC,
    ) -> Summary:
        """All of it so far. O(sessions and automations).

        Args:
            waiting: What still waits.
            let_go: What the engine let go at its bounds.
            read: What reading the log came to.
            zone: The zone whose hours the cap is told in.
        """
        read = read or LogReport()
        return Summary(
            inputs=dict(sorted(self._inputs.items(), key=lambda item: (-item[1], item[0]))),
            skipped=dict(sorted(read.skipped.items())),
            late=self._late,
            faults=self._faults,
            refused=tuple(self._refused),
            let_go=let_go or {},
            duplicates=read.duplicates,
            unreadable=read.unreadable,
            first_at=self._first,
            ended_at=self._now,
            automations=tuple(
                self._wakes[automation].summary(automation, zone)
                for automation in sorted(self._wakes)
            ),
            waiting=tuple(
                sorted(
                    waiting,
                    key=lambda each: (
                        each.deadline is None,
                        each.deadline or 0,
                        each.automation,
                        each.session or "",
                    ),
                )
            ),
            silences=self._silences(),
        )

    def _silences(self) -> tuple[Silence, ...]:
        found = []
        for session, quiet in self._quiet.items():
            length, since, is_open = quiet.length, quiet.since, False
            if quiet.running and self._now is not None and self._now - quiet.last > length:
                # The log's end says nothing of when the silence ends: it is open.
                length, since, is_open = self._now - quiet.last, quiet.last, True
            if length >= 0:
                found.append(Silence(session=session, length=length, since=since, open=is_open))
        return tuple(sorted(found, key=lambda each: (-each.length, each.session)))
