"""What an engine tells about itself."""

from collections.abc import Iterator
from typing import Literal

from wakeful.core.census import Waiting
from wakeful.core.gate import Gate
from wakeful.core.schedules import Schedules
from wakeful.model._records import record
from wakeful.model.time import Instant


@record(kw_only=True)
class Statistics:
    """What an engine holds at an instant, and what it has counted since it was made.

    Attributes:
        automations: Definitions, those switched off among them.
        rules: Rules that are watched: one a trigger, one a preset of a ``watch`` trigger.
        sessions: Sessions that are known.
        turns: Turns that run, of those whose start was seen.
        hits: Hits that still count.
        waits: Follow-ups that are waited for.
        timers: Deadlines that could match: absences, quiets and silences.
        inputs: Inputs taken.
        late: Inputs from before the engine's instant, taken at it.
        forgotten: Sessions forgotten at a bound: too many, or silent for too long.
        counts_let_go: Pairs of rule and session whose hits were forgotten at a bound.
        waits_let_go: Follow-ups that are waited for no more, at a bound.
        runs_given_up: Runs that nobody settled, taken for failed at a bound.
        evicted: Calls of ``sameInput`` let go at the bound of 1 024 (semantics 4.4).
    """

    automations: int
    rules: int
    sessions: int
    turns: int
    hits: int
    waits: int
    timers: int
    inputs: int
    late: int
    evicted: int
    forgotten: int = 0
    counts_let_go: int = 0
    waits_let_go: int = 0
    runs_given_up: int = 0


@record(kw_only=True)
class Pending:
    """Something that waits.

    Attributes:
        kind: ``wait`` for a follow-up, ``silence`` for a turn's quiet, ``wake`` for one held
            behind a run, ``occurrence`` for a schedule's next.
        what: Of a wait ``event``, ``absent`` or ``idle``; of a silence ``silence``.
        deadline: When it completes; the last instant in time of an ``event`` wait; ``None``
            where nothing but an input can end it.
        event: The kind that satisfied the count.
        awaited: The kind that ends it.
        count: How many events were counted.
    """

    kind: Literal["wait", "silence", "wake", "occurrence"]
    automation: str
    trigger: str | None
    deadline: Instant | None
    preset: str | None = None
    session: str | None = None
    what: Literal["event", "absent", "idle", "silence"] | None = None
    event: str | None = None
    awaited: str | None = None
    count: int | None = None


def pending_wait(waiting: Waiting) -> Pending:
    """A wait or silence of the matcher, as it is listed."""
    return Pending(
        kind="silence" if waiting.what == "silence" else "wait",
        automation=waiting.automation,
        trigger=waiting.trigger,
        preset=waiting.preset,
        session=waiting.session,
        what=waiting.what,
        deadline=waiting.deadline,
        event=waiting.event,
        awaited=waiting.awaited,
        count=waiting.count,
    )


def pending_occurrences(schedules: Schedules) -> Iterator[Pending]:
    """The occurrences that schedules wait for, as they are listed. O(schedules)."""
    for (automation, trigger), due in schedules.occurrences().items():
        yield Pending(kind="occurrence", automation=automation, trigger=trigger, deadline=due)


def pending_wakes(gate: Gate) -> Iterator[Pending]:
    """The wakes that are held behind runs, as they are listed, in definition order."""
    for wake in gate.waiting():
        yield Pending(
            kind="wake",
            automation=wake.automation,
            trigger=wake.trigger,
            deadline=None,
            session=wake.session,
            event=wake.event,
            count=wake.count,
        )
