"""What a replay comes to: a frozen record, and the same as plain data."""

from collections.abc import Mapping
from typing import Any

import attrs

from wakeful.model.time import Duration, Instant, format_instant


@attrs.frozen(kw_only=True)
class Silence:
    """The longest time a turn of one session went without event or activity.

    Attributes:
        length: In milliseconds.
        since: The sign of life before it.
        open: Whether the log ended before the next one.
    """

    session: str
    length: Duration
    since: Instant
    open: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The silence as plain data; its length in milliseconds."""
        return {
            "session": self.session,
            "milliseconds": self.length,
            "since": format_instant(self.since),
            **({"open": True} if self.open else {}),
        }


@attrs.frozen(kw_only=True)
class Waiting:
    """Something that still waited when the replay ended.

    Attributes:
        what: ``event``, ``absent`` or ``idle`` for a rule's wait, ``silence`` for one being
            timed, ``wake`` for one held behind a run, ``occurrence`` for a schedule's next.
        deadline: When it is due; of an ``event`` wait the last instant in time; ``None`` where
            no instant decides.
        event: The event that satisfied the count.
        awaited: The event that ends the wait.
    """

    what: str
    automation: str
    trigger: str | None = None
    preset: str | None = None
    session: str | None = None
    deadline: Instant | None = None
    count: int | None = None
    event: str | None = None
    awaited: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """What waits as plain data, without the members that say nothing."""
        record = attrs.asdict(self)
        if self.deadline is not None:
            record["deadline"] = format_instant(self.deadline)
        return {name: value for name, value in record.items() if value is not None}


@attrs.frozen(kw_only=True)
class AutomationSummary:
    """What became of the wakes of one automation.

    Attributes:
        matches: Matches by rule: the trigger's id, with the preset behind a slash.
        decisions: Decisions by word, then by reason; no reason is the empty text.
        delivered: Wakes that reached an agent: started, released, steered and not told as
            undelivered.
        capped_hours: Hours in which the cap was hit, by their beginning, with how often.
    """

    automation: str
    matches: Mapping[str, int]
    decisions: Mapping[str, Mapping[str, int]]
    delivered: int
    capped_hours: Mapping[Instant, int]

    @property
    def folded(self) -> int:
        """Wakes that folded into one that waited."""
        return sum(self.decisions.get("fold", {}).values())

    @property
    def dropped(self) -> Mapping[str, int]:
        """Wakes that were dropped, by reason."""
        return self.decisions.get("drop", {})

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        return {
            "automation": self.automation,
            "matches": dict(self.matches),
            "decisions": {word: dict(reasons) for word, reasons in self.decisions.items()},
            "delivered": self.delivered,
            "folded": self.folded,
            "dropped": dict(self.dropped),
            "cappedHours": {format_instant(at): n for at, n in self.capped_hours.items()},
        }


@attrs.frozen(kw_only=True)
class Summary:
    """What a replay read, what came of it, and what still waited.

    Attributes:
        inputs: Inputs that were fed, by kind of the native log.
        skipped: Records that are no input, by what they were.
        late: Inputs taken at the engine's instant because theirs lay before it.
        faults: How often code of a plugin's raised when it was asked about an event.
        refused: Why inputs were refused by the engine, one sentence each.
        let_go: What the engine let go at its bounds: how many of what.
        duplicates: Records that were told a second time and dropped.
        unreadable: Lines and files that could not be read.
        first_at: The instant of the first input.
        ended_at: The instant the replay ended at.
        automations: Those with a match or decision, by resource.
        waiting: In order of deadline; what no instant decides comes last.
        silences: The longest first.
    """

    inputs: Mapping[str, int]
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    late: int = 0
    faults: int = 0
    refused: tuple[str, ...] = ()
    let_go: Mapping[str, int] = attrs.field(factory=dict)
    duplicates: int = 0
    unreadable: int = 0
    first_at: Instant | None = None
    ended_at: Instant | None = None
    automations: tuple[AutomationSummary, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    silences: tuple[Silence, ...] = ()

    @property
    def matches(self) -> int:
        """All matches."""
        return sum(sum(each.matches.values()) for each in self.automations)

    @property
    def decisions(self) -> Mapping[str, int]:
        """Decisions by word, over all automations."""
        words: dict[str, int] = {}
        for each in self.automations:
            for word, reasons in each.decisions.items():
                words[word] = words.get(word, 0) + sum(reasons.values())
        return words

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data, instants as text."""
        return {
            "inputs": dict(self.inputs),
            "skipped": dict(self.skipped),
            "late": self.late,
            "faults": self.faults,
            "refused": list(self.refused),
            **({"letGo": dict(self.let_go)} if self.let_go else {}),
            "duplicates": self.duplicates,
            "unreadable": self.unreadable,
            "from": None if self.first_at is None else format_instant(self.first_at),
            "until": None if self.ended_at is None else format_instant(self.ended_at),
            "matches": self.matches,
            "decisions": dict(self.decisions),
            "automations": [each.to_dict() for each in self.automations],
            "waiting": [each.to_dict() for each in self.waiting],
            "silences": [each.to_dict() for each in self.silences],
        }
