"""What an engine gives back: matches, and the decisions made of them (semantics 8 and 9)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from wakeful.model._records import record
from wakeful.model.time import Instant


class OrderKey(NamedTuple):
    """Where an output stands among all outputs; sorting by it gives the order of semantics 1.6.

    Attributes:
        at: The instant the output is stamped with.
        fed: 0 for what fell due, 1 for what an input brought: due comes first.
        rank: Among what is due at one instant: 0 waits and silences, 1 runs that settle by
            themselves, 2 occurrences. 0 for what an input brought.
        sequence: The number of the input, or of the input that armed what fell due.
        order: The place among what one input brings: automation, trigger, preset.
    """

    at: Instant
    fed: int
    rank: int
    sequence: int
    order: tuple[int, ...]


@record(kw_only=True)
class Match:
    """A rule matched.

    Attributes:
        automation: The automation's resource.
        trigger: The trigger's id.
        preset: The preset's id, for a ``watch`` trigger.
        session: The session; ``None`` for a plugin's event.
        event: The kind that satisfied the count, or a plugin's event id; ``turnStarted`` for
            a silence.
        count: How many events the rule counted.
        at: The instant it matched, which for a wait that held is its deadline.
        key: Its place among all outputs.
        title: The session's title last told.
        late: Whether it fell due before a ``resumed``.
        data: A plugin event's data.
    """

    automation: str
    trigger: str
    session: str | None
    event: str
    count: int
    at: Instant
    key: OrderKey
    preset: str | None = None
    title: str | None = None
    late: bool = False
    data: Mapping[str, Any] | None = None


class DecisionKind(StrEnum):
    """The eight decision words of the replay's output."""

    START = "start"
    HOLD = "hold"
    FOLD = "fold"
    STEER = "steer"
    RELEASE = "release"
    DROP = "drop"
    ANSWER = "answer"
    REFUSE = "refuse"


class Reason(StrEnum):
    """Why a wake was dropped or held, a press refused or answered with a failed run."""

    DISABLED = "disabled"
    OWN_RUN = "ownRun"
    SKIPPED = "skipped"
    RATE_LIMITED = "rateLimited"
    MISSED = "missed"
    NOT_DELIVERED = "notDelivered"
    REQUEST_ID_USED = "requestIdUsed"
    REQUEST_ID_EMPTY = "requestIdEmpty"
    CHAT_BUSY = "chatBusy"
    OWNER_UNKNOWN = "ownerUnknown"
    UNKNOWN_AUTOMATION = "unknownAutomation"


@record(kw_only=True)
class Decision:
    """What is to be done about a wake, a press, or a wake that waited.

    Attributes:
        at: The instant it is stamped with.
        automation: The automation's resource.
        kind: Start, hold, fold, steer, release, drop; answer and refuse for presses.
        key: Its place among all outputs; with the automation, its identity.
        trigger: The trigger's id; ``None`` for a press.
        reason: Why, where there is something to say.
        count: How many events, of this match for ``hold`` and ``fold``, in sum for
            ``release`` and what a wait lost; ``None`` for a press.
        session: The session the event happened in; for a steer too.
        event: The kind or plugin event id of the match.
        run: The run it starts, steers into, or answers with; the one that a ``skipped`` wake is
            to be noted on.
        message: The filled message of a start, release or steer.
        request_id: Of a press.
        scheduled_for: The instant of the occurrence, for a schedule's wake.
        catch_up: Whether the occurrence is caught up.
        late: Whether it fell due before a ``resumed``.
        into: The session that is steered into.
    """

    at: Instant
    automation: str
    kind: DecisionKind
    key: OrderKey
    trigger: str | None = None
    reason: Reason | None = None
    count: int | None = None
    session: str | None = None
    event: str | None = None
    run: str | None = None
    message: str | None = None
    request_id: str | None = None
    scheduled_for: Instant | None = None
    catch_up: bool = False
    late: bool = False
    into: str | None = None


@record(kw_only=True)
class Fault:
    """Code of the host's or a plugin's raised. It counted as no match and stopped nobody else.

    Attributes:
        at: The instant of the input that it was asked about.
        automation: The automation whose trigger was asked about.
        trigger: The trigger's id; empty where a host's sight was asked, for all of them.
        key: Its place among all outputs.
        message: What was asked, and what it raised.
    """

    at: Instant
    automation: str
    trigger: str
    key: OrderKey
    message: str


Output: TypeAlias = Match | Decision | Fault
