"""The inputs of an engine (semantics, section 2).

Everything that can change a decision is one of these, in one ordered log: the same inputs
give the same outputs. Every input carries ``at``, the instant it happened.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from wakeful.model._records import record
from wakeful.model.automations import Automation
from wakeful.model.time import Instant
from wakeful.model.triggers import TriggerType

EventKind: TypeAlias = Literal[
    "turnCompleted",
    "turnFailed",
    "turnCancelled",
    "toolCalled",
    "toolFailed",
    "messageQueued",
    "idle",
    "childFinished",
]
"""One of the eight things a session does."""

EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)
"""The eight kinds, in the order of the seed's table."""

ENDINGS: Final[frozenset[EventKind]] = frozenset({"turnCompleted", "turnFailed", "turnCancelled"})
"""The kinds that end a turn."""

TOOL_KINDS: Final[frozenset[EventKind]] = frozenset({"toolCalled", "toolFailed"})
"""The kinds that carry a tool."""

RunOutcome: TypeAlias = Literal["completed", "failed", "cancelled", "notStarted"]
"""How a run ended; ``notStarted`` is one that could not begin."""


@record(kw_only=True)
class Facts:
    """What is known of a session: the parts a rule's filter names (semantics 2.6).

    Equal facts are shared by whoever makes them, so that comparing them is comparing
    pointers; an engine keeps one of each.
    """

    owner: str | None = None
    provider: str | None = None
    project: str | None = None
    folders: tuple[str, ...] = ()
    automated: bool = False


NO_FACTS: Final = Facts()
"""The facts of a session that was never said anything about."""


@record
class Tool:
    """A tool call's identity: its name and the hash of its input."""

    name: str
    input_hash: str


@record
class SessionEvent:
    """Something a session did.

    Attributes:
        running: Whether a turn runs, as the host says; ``None`` where it does not say.
        queued: How many messages wait; ``None`` where it does not say.
        turn_tool_calls: Finished calls of the running turn, this one included.
        tool: The tool and its input, on the two tool kinds.
        child: The child that went quiet, on ``childFinished``.
        title: The session's title, where the host tells it; kept until the next one.
    """

    kind: EventKind
    session: str
    at: Instant
    facts: Facts = NO_FACTS
    running: bool | None = None
    queued: int | None = None
    turn_tool_calls: int | None = None
    tool: Tool | None = None
    child: str | None = None
    title: str | None = None


@record
class TurnStarted:
    """A turn of the session began. It replaces a turn that was running."""

    session: str
    at: Instant
    facts: Facts = NO_FACTS
    title: str | None = None


@record
class Activity:
    """The session said something or began a call. Not an event, and says no facts."""

    session: str
    at: Instant


@record
class SessionEnded:
    """The session is over: everything about it is forgotten (semantics 7.2)."""

    session: str
    at: Instant


@record(kw_only=True)
class PluginEvent:
    """An event of a plugin's type.

    Attributes:
        data: The event's data, a map with text keys.
        by: The plugin that fires it. ``None`` stands for the type's owner.
    """

    type: str
    event: str
    at: Instant
    data: Mapping[str, Any] = {}
    by: str | None = None


@record(kw_only=True)
class RunStarted:
    """A run began. It claims the automation's oldest start that no record has claimed."""

    automation: str
    run: str
    at: Instant
    session: str | None = None


@record(kw_only=True)
class RunLinked:
    """A session was linked to a run, before the session did anything."""

    automation: str
    run: str
    session: str
    at: Instant


@record(kw_only=True)
class RunSettled:
    """A run ended, with its outcome."""

    automation: str
    run: str
    outcome: RunOutcome
    at: Instant


@record(kw_only=True)
class SteerFailed:
    """The oldest steer into that run that was not yet told as failed was not delivered."""

    automation: str
    run: str
    at: Instant


@record(kw_only=True)
class Press:
    """Somebody pressed Run. ``request_id`` is the press's identity (semantics 9.11)."""

    automation: str
    request_id: str
    at: Instant


@record(kw_only=True)
class DefinitionSaved:
    """An automation was written: new, or replacing the one of the same resource."""

    automation: Automation
    at: Instant


@record(kw_only=True)
class DefinitionRemoved:
    """An automation was taken out."""

    automation: str
    at: Instant


@record(kw_only=True)
class TypeRegistered:
    """A plugin's trigger type was registered by the plugin ``by``."""

    definition: TriggerType
    at: Instant
    by: str | None = None


@record(kw_only=True)
class TypeRemoved:
    """A plugin's trigger type was removed."""

    type: str
    at: Instant


@record(kw_only=True)
class GrantsChanged:
    """A principal's grants, whole: ``session:read`` and the like (semantics 9.2)."""

    principal: str
    grants: tuple[str, ...]
    at: Instant


@record(kw_only=True)
class Resumed:
    """The host was not running until now.

    Attributes:
        live: The runs that still live. ``None``: the host does not say, and all do.
    """

    at: Instant
    live: tuple[str, ...] | None = None


@record
class Tick:
    """Nothing happened; time has passed."""

    at: Instant


Input: TypeAlias = (
    SessionEvent
    | TurnStarted
    | Activity
    | SessionEnded
    | PluginEvent
    | RunStarted
    | RunLinked
    | RunSettled
    | SteerFailed
    | Press
    | DefinitionSaved
    | DefinitionRemoved
    | TypeRegistered
    | TypeRemoved
    | GrantsChanged
    | Resumed
    | Tick
)
"""What :meth:`wakeful.Engine.feed` takes."""
