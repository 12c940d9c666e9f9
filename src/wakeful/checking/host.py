"""Findings by section 2 of the semantics: no log of a host that keeps it makes the rule match.

What such a host says: an event tells the session's state as it is after it, so an ending does
not say ``running``, and what happens in a turn does; after an ending with nothing queued comes
``idle``, at the same instant, and at no other time. A rule may select several events, so most
findings are about the events that never count; where those are all of them, the rule never
matches. Each claim is held against generated logs of such hosts in the tests.
"""

from collections.abc import Iterator

import attrs

from wakeful.checking.findings import Finding, finding
from wakeful.checking.watched import Watched
from wakeful.model.events import ENDINGS, EVENT_KINDS, TOOL_KINDS
from wakeful.model.rules import AbsentFor
from wakeful.reading.problems import listing

IN_TURN = TOOL_KINDS | {"messageQueued"}
"""What happens while a turn runs: calls that finish in it, messages that wait behind it."""

AFTER_TURN = ENDINGS | {"idle"}
"""What says that no turn runs any more."""


@attrs.frozen(kw_only=True)
class NeverCounted:
    """Events of a rule that never satisfy its count, in a log of a host that keeps section 2.

    Attributes:
        part: The part of the rule that rules them out.
    """

    code: str
    kinds: frozenset[str]
    part: str
    because: str
    do: str


def never_counted(watched: Watched) -> Iterator[NeverCounted]:
    """What of a rule's events never satisfies its count, and why."""
    rule = watched.rule
    when, count = rule.when, rule.count
    if rule.silence is not None:
        return
    if when is not None and when.running is True:
        yield NeverCounted(
            code="host-running-ending",
            kinds=rule.events & AFTER_TURN,
            part="when.running",
            because="no turn runs any more",
            do="running: false, or no running; for an ending that follows another turn at once, "
            "ask for queuedAtLeast",
        )
    if when is not None and when.running is False:
        yield NeverCounted(
            code="host-not-running-call",
            kinds=rule.events & IN_TURN,
            part="when.running",
            because="a turn runs",
            do="running: true, or no running",
        )
    if when is not None and when.turn_longer_than is not None:
        yield NeverCounted(
            code="host-idle-turn",
            kinds=rule.events & {"idle"},
            part="when.turnLongerThan",
            because="there is no turn to measure",
            do="select the endings: the turn that they end is measured",
        )
    if when is not None and when.running is False and when.turn_longer_than is not None:
        yield NeverCounted(
            code="host-turn-not-running",
            kinds=rule.events & {"childFinished"},
            part="when.turnLongerThan",
            because="with running: false there is no turn to measure",
            do="leave one of the two out",
        )
    if when is not None and when.queued_at_least:
        yield NeverCounted(
            code="host-idle-queued",
            kinds=rule.events & {"idle"},
            part="when.queuedAtLeast",
            because="nothing is queued: otherwise the host does not say idle",
            do="select the endings, which say how much is queued",
        )
    if count is not None and count.consecutive and count.n > 1 and not rule.events & ENDINGS:
        yield NeverCounted(
            code="host-consecutive-idle",
            kinds=rule.events & {"idle"},
            part="count.consecutive",
            because="the ending before it, which is not selected, has just begun the run anew; "
            "no run of events goes past the end of a turn",
            do="select the endings in place of idle, or leave consecutive out",
        )


def never_from_host(watched: Watched) -> Iterator[Finding]:
    """What of one rule no log of a host that keeps section 2 makes match."""
    for found in never_counted(watched):
        if found.kinds:
            whole = found.kinds == watched.rule.events
            yield finding(
                found.code,
                watched.at(found.part),
                f"at {_kinds(found.kinds)} {found.because}: "
                + ("the rule never matches" if whole else "it never counts there"),
                found.do,
            )
    yield from _silence_not_running(watched)
    yield from _absent_idle(watched)


def _silence_not_running(watched: Watched) -> Iterator[Finding]:
    rule = watched.rule
    if rule.silence is not None and rule.when is not None and rule.when.running is False:
        yield finding(
            "host-silence-not-running",
            watched.at("when.running"),
            "the rule is timed: it matches while a turn runs, and then running is true",
            "leave running out; for a turn that took long and has ended, add count: {}",
            False,
        )


def _absent_idle(watched: Watched) -> Iterator[Finding]:
    """At the same instant is before any instant after it; at ``0s`` the deadline comes first."""
    rule = watched.rule
    then, when = rule.then, rule.when
    if not isinstance(then, AbsentFor) or then.event != "idle" or not then.for_:
        return
    if not rule.events & ENDINGS or (when is not None and when.queued_at_least):
        return
    endings = rule.events & ENDINGS
    yield finding(
        "host-absent-idle",
        watched.at("then"),
        f"after {_kinds(endings)} with nothing queued idle follows at the same instant: "
        "it is never absent there",
        "kind: idle, which waits for quiet; or queuedAtLeast: 1, for what is queued and not begun",
    )


def _kinds(kinds: frozenset[str]) -> str:
    return listing([kind for kind in EVENT_KINDS if kind in kinds])
