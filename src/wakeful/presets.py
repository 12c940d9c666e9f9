"""The five watch presets as session rules, and the titles that events are told by.

A preset is a pattern somebody already thought about, with one number left to the author
(semantics 6.5). It means exactly the session rule it builds, so nothing downstream knows
presets apart from their title. The number two presets share by name (``times``,
``minutes``) is given once in a trigger and goes to each of them.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import attrs

from wakeful.model.events import ENDINGS, EventKind
from wakeful.model.rules import MAX_COUNT, Count, Filter, IdleFor, SessionRule, When
from wakeful.model.time import MAX_DURATION, MINUTE

EVENT_TITLES: Final[Mapping[EventKind, str]] = MappingProxyType(
    {
        "turnCompleted": "A turn finished",
        "turnFailed": "A turn failed",
        "turnCancelled": "A turn was cancelled",
        "toolCalled": "A tool call finished",
        "toolFailed": "A tool call failed",
        "messageQueued": "A message was queued",
        "idle": "The session went idle",
        "childFinished": "A session it started finished",
    }
)
"""What each kind of event is called in a message (semantics 8.4)."""

SILENCE_TITLE: Final = "A turn fell silent"
"""What a silence of a ``session`` rule is called in a message (semantics 8.4)."""

STUCK_WINDOW: Final = 10 * MINUTE
"""How old a call may be that ``looks-stuck`` still counts."""


@attrs.frozen(kw_only=True)
class Preset:
    """A session rule with one number left open.

    Attributes:
        id: What a ``watch`` trigger names it by.
        title: What it is called in a message.
        number: The key of its number in a trigger's ``config``.
        default: That number where it is left out.
        largest: The largest number that is accepted; the least is always 1.
    """

    id: str
    title: str
    number: str
    default: int
    largest: int | None
    _build: Callable[[int, Filter | None], SessionRule]
    _read: Callable[[SessionRule], int | None]

    def rule(self, number: int | None = None, *, filter: Filter | None = None) -> SessionRule:  # noqa: A002 - the rule's own word
        """The session rule that this preset means.

        Args:
            number: ``times``, ``minutes`` or ``toolCalls``; ``None`` is the default.
            filter: Which sessions it looks at; ``None`` is every session.

        >>> PRESETS["failing-tools"].rule(5).count.n
        5
        """
        return self._build(self.default if number is None else number, filter)

    def number_of(self, rule: SessionRule) -> int | None:
        """The number that this preset means ``rule`` by, or ``None`` if it never does."""
        number = self._read(rule)
        if number is None or self.rule(number, filter=rule.filter) != rule:
            return None
        return number


def _looks_stuck(times: int, where: Filter | None) -> SessionRule:
    # Failures count too, and the run need not be unbroken: a call that fails again and
    # again is the likeliest loop of all, and edits lie between its tries.
    return SessionRule(
        events=frozenset({"toolCalled", "toolFailed"}),
        filter=where,
        count=Count(n=times, same_input=True, within=STUCK_WINDOW),
    )


def _failing_tools(times: int, where: Filter | None) -> SessionRule:
    return SessionRule(
        events=frozenset({"toolFailed"}),
        filter=where,
        count=Count(n=times, consecutive=True),
    )


def _long_silent_turn(minutes: int, where: Filter | None) -> SessionRule:
    return SessionRule(
        events=frozenset(ENDINGS),
        filter=where,
        when=When(turn_longer_than=minutes * MINUTE),
    )


def _idle_after_failure(minutes: int, where: Filter | None) -> SessionRule:
    return SessionRule(
        events=frozenset({"turnFailed"}), filter=where, then=IdleFor(minutes * MINUTE)
    )


def _waiting_while_busy(tool_calls: int, where: Filter | None) -> SessionRule:
    return SessionRule(
        events=frozenset({"messageQueued"}),
        filter=where,
        when=When(running=True, tool_calls_at_least=tool_calls),
    )


def _count_of(rule: SessionRule) -> int | None:
    return rule.count.n if rule.count else None


def _silent_minutes_of(rule: SessionRule) -> int | None:
    length = rule.silence
    return None if length is None else length // MINUTE


def _idle_minutes_of(rule: SessionRule) -> int | None:
    return rule.then.for_ // MINUTE if isinstance(rule.then, IdleFor) else None


def _calls_of(rule: SessionRule) -> int | None:
    return rule.when.tool_calls_at_least if rule.when else None


PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        preset.id: preset
        for preset in (
            Preset(
                id="looks-stuck",
                title="Looks stuck",
                number="times",
                default=3,
                largest=MAX_COUNT,
                build=_looks_stuck,
                read=_count_of,
            ),
            Preset(
                id="failing-tools",
                title="Failing tools",
                number="times",
                default=3,
                largest=MAX_COUNT,
                build=_failing_tools,
                read=_count_of,
            ),
            Preset(
                id="long-silent-turn",
                title="Long silent turn",
                number="minutes",
                default=10,
                largest=MAX_DURATION // MINUTE,
                build=_long_silent_turn,
                read=_silent_minutes_of,
            ),
            Preset(
                id="idle-after-failure",
                title="Idle after failure",
                number="minutes",
                default=3,
                largest=MAX_DURATION // MINUTE,
                build=_idle_after_failure,
                read=_idle_minutes_of,
            ),
            Preset(
                id="waiting-while-busy",
                title="Waiting while busy",
                number="toolCalls",
                default=3,
                largest=None,
                build=_waiting_while_busy,
                read=_calls_of,
            ),
        )
    }
)
"""The five presets by id, in the order of the seed's table."""
