"""What an engine keeps of a session.

Little, and nothing per rule that is not in the middle of something: four counters and the
instant last touched say of every rule whether its run of events or its quiet was broken,
so no event has to be told to rules that do not count it.

=============  ==========================================================================
``active``     events but ``idle``
``idles``      ``idle`` events
``stirs``      turn starts and activities, which are no events
``endings``    turn endings, also counted in ``active``
=============  ==========================================================================

Events are ``active + idles``; what breaks a quiet is ``active + stirs``.
"""

from typing import TYPE_CHECKING, Any

from wakeful.model.events import NO_FACTS, EventKind, Facts
from wakeful.model.time import Instant

if TYPE_CHECKING:
    from wakeful.core.compile import Rule
    from wakeful.core.deadlines import Entry
    from wakeful.core.index import Reach

__all__ = ["Session", "Wait"]


class Wait:
    """A follow-up that is being waited for, of one rule in one session.

    It keeps no event: the kind that satisfied the count is all that a match tells of it.
    It is live while its session's ``waits`` hold this very object.
    """

    __slots__ = ("due", "kind", "mark", "rule", "seq", "session")

    def __init__(  # noqa: PLR0913, PLR0917 - armed on the way of an event: plain and fast
        self, rule: "Rule", session: "Session", kind: EventKind, due: Instant, seq: int, mark: int
    ) -> None:
        self.rule = rule
        self.session = session
        self.kind = kind
        self.due = due
        """The deadline; for an ``event`` wait the last instant in time."""
        self.seq = seq
        """The input that armed it."""
        self.mark = mark
        """What had broken quiets in the session when it was armed (for an ``idle`` wait)."""


class Session:
    """One session: its facts, its turn, its state last told, and what its rules are at."""

    __slots__ = (
        "active",
        "awaited",
        "calls",
        "endings",
        "facts",
        "floors",
        "hits",
        "idles",
        "mark",
        "name",
        "queued",
        "quiet",
        "reach",
        "running",
        "stirs",
        "swept",
        "title",
        "touched_at",
        "touched_seq",
        "turn_at",
        "waits",
    )

    def __init__(self, name: str, reach: "Reach") -> None:
        self.name = name
        self.reach = reach
        self.facts: Facts = NO_FACTS
        self.title: str | None = None
        self.active = 0
        self.idles = 0
        self.stirs = 0
        self.endings = 0
        self.running: bool | None = None
        self.queued: int | None = None
        self.calls: int | None = None
        self.turn_at: Instant | None = None
        """When the running turn started; ``None`` where none is known to run."""
        self.touched_at: Instant = 0
        """When the session last did anything, and by which input."""
        self.touched_seq = 0
        self.hits: dict[Rule, Any] | None = None
        """What rules have counted; the shape of a value is its rule's (see ``machine``)."""
        self.waits: dict[Rule, Wait] | None = None
        self.awaited = 0
        """The kinds that ``waits`` wait for, as bits; more may be set, never fewer."""
        self.quiet: Entry | None = None
        """The one entry that times silences here; it may stand early, never late."""
        self.mark: tuple[Instant, int, tuple[int, ...]] | None = None
        """The silence last matched or passed over: what sorts before it is done with."""
        self.floors: dict[str | Rule | None, tuple[Instant, int]] | None = None
        """Since when an owner that regained sight, or a rule given to one, watches here."""
        self.swept = 0
        """Up to which removal of rules its state was cleaned."""

    def forget(self, rule: "Rule") -> None:
        """Drop the hits of a rule."""
        hits = self.hits
        if hits is not None and hits.pop(rule, None) is not None and not hits:
            self.hits = None

    def see_from(self, who: "str | Rule | None", at: Instant, seq: int) -> None:
        """Say that an owner, or a rule, watches the session only since then."""
        floors = self.floors
        if floors is None:
            floors = self.floors = {}
        floors[who] = (at, seq)

    def drop_wait(self, rule: "Rule") -> None:
        """Drop the wait of a rule, which has one."""
        waits = self.waits
        if waits is not None:
            waits.pop(rule, None)
            if not waits:
                self.waits = None
                self.awaited = 0
