"""Sweeps: numbers against what comes of them, on logs that are read once."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from wakeful.core.settings import Settings
from wakeful.explain.playing import side_by_side
from wakeful.explain.varying import Variant
from wakeful.model.events import Input
from wakeful.model.outputs import Match
from wakeful.model.time import HOUR
from wakeful.reading import DeclaredType
from wakeful.replay import DEFAULTS, Replay

_DAY = 24 * HOUR


@attrs.frozen(kw_only=True)
class Row:
    """What one choice of values comes to.

    Attributes:
        values: The values, in the order of the variations.
        matches: How often a rule matched.
        wakes: How many wakes reached an agent.
        wakes_a_day: That over the days of the logs; ``None`` where they span no time.
        sessions: How many sessions a rule matched in.
        capped_hours: In how many hours an automation was over its cap.
    """

    values: tuple[Any, ...]
    matches: int
    wakes: int
    wakes_a_day: float | None
    sessions: int
    capped_hours: int

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """The row as plain data, its values by their names."""
        return {
            "values": dict(zip(names, self.values, strict=True)),
            "matches": self.matches,
            "wakes": self.wakes,
            "wakesPerDay": self.wakes_a_day,
            "sessions": self.sessions,
            "cappedHours": self.capped_hours,
        }


def sweep(
    inputs: Iterable[Input],
    variants: Sequence[Variant],
    *,
    types: Iterable[DeclaredType] = (),
    settings: Settings = DEFAULTS,
) -> list[Row]:
    """Play every variant on the inputs; a row for each, as a replay of it alone would have it.

    O(variants times inputs); the inputs are read once.
    """
    quiet = attrs.evolve(settings, messages=False)
    declared = tuple(types)
    replays = [Replay(each.automations, types=declared, settings=quiet) for each in variants]
    sessions: list[set[str | None]] = [set() for _ in replays]
    for number, output in side_by_side(replays, inputs):
        if isinstance(output, Match):
            sessions[number].add(output.session)
    return [
        _row(variant.values, replay, touched)
        for variant, replay, touched in zip(variants, replays, sessions, strict=True)
    ]


def _row(values: tuple[Any, ...], replay: Replay, touched: set[str | None]) -> Row:
    summary = replay.summary()
    wakes = sum(each.delivered for each in summary.automations)
    first, last = summary.first_at, summary.ended_at
    span = 0 if first is None or last is None else last - first
    return Row(
        values=values,
        matches=summary.matches,
        wakes=wakes,
        wakes_a_day=round(wakes * _DAY / span, 2) if span else None,
        sessions=len(touched - {None}),
        capped_hours=sum(len(each.capped_hours) for each in summary.automations),
    )
