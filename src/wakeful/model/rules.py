"""A rule around session events, as data (the seed's "The rule around the event").

Two rules that mean the same are equal: events and listed values are sets, durations are
milliseconds. That is what "the same rule" rests on when a definition is saved again
(semantics 7.1).
"""

from typing import Final, TypeAlias

import attrs

from wakeful.model.time import Duration

MAX_COUNT: Final = 1_000_000
"""The largest ``n`` that is accepted (semantics, section 12)."""


@attrs.frozen(kw_only=True)
class Filter:
    """Which sessions a rule looks at. Every key given must hold; an empty list matches none.

    ``None`` is a key that was left out.
    """

    sessions: frozenset[str] | None = None
    providers: frozenset[str] | None = None
    owners: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    folders: frozenset[str] | None = None
    automated: bool | None = None


@attrs.frozen(kw_only=True)
class Count:
    """How often the event has to happen (semantics, section 4).

    Attributes:
        n: How many hits satisfy it, 1 to :data:`MAX_COUNT`.
        consecutive: Whether an event that is not counted forgets the hits.
        same_input: Whether hits are counted per tool name and input hash.
        within: How old a hit may be, in milliseconds; ``None`` for ever.
    """

    n: int = 1
    consecutive: bool = False
    same_input: bool = False
    within: Duration | None = None


@attrs.frozen
class EventWithin:
    """``then``: the event comes at most ``within`` after the count was satisfied."""

    event: str
    within: Duration


@attrs.frozen
class AbsentFor:
    """``then``: the event does not come for ``for_``."""

    event: str
    for_: Duration


@attrs.frozen
class IdleFor:
    """``then``: the session does nothing for ``for_``."""

    for_: Duration


FollowUp: TypeAlias = EventWithin | AbsentFor | IdleFor


@attrs.frozen(kw_only=True)
class When:
    """What the session has to look like as the event arrives (semantics 3.3)."""

    running: bool | None = None
    queued_at_least: int | None = None
    tool_calls_at_least: int | None = None
    turn_longer_than: Duration | None = None


@attrs.frozen(kw_only=True)
class SessionRule:
    """One rule: the kinds it counts and the four optional parts around them.

    ``None`` is a part that was left out; it is not the same as one without keys, since a
    rule on endings with neither ``count`` nor ``then`` is timed (semantics 6.1).
    """

    events: frozenset[str]
    filter: Filter | None = None
    count: Count | None = None
    then: FollowUp | None = None
    when: When | None = None

    @property
    def silence(self) -> Duration | None:
        """The length of the silence this rule is timed by, or ``None`` for an ordinary rule."""
        from wakeful.model.events import ENDINGS  # noqa: PLC0415 - events name automations

        if (
            self.when is not None
            and self.when.turn_longer_than is not None
            and self.count is None
            and self.then is None
            and self.events <= ENDINGS
        ):
            return self.when.turn_longer_than
        return None
