"""What two processes changed about one automation, brought together.

Each knows what it last saw and what it wants; the disk may have moved on since. Only the
difference between the two is applied to what is on the disk, so neither undoes what the
other did. The one thing that only one of them may do is to move a schedule on from the
occurrence it waits for: whoever comes second finds it moved, and does not start its run.
"""

from collections.abc import Mapping
from typing import TypeVar

import attrs

from wakeful.storage.run_state import RunProgress

V = TypeVar("V")


def lost_claims(*, seen: RunProgress, disk: RunProgress, wanted: RunProgress) -> list[str]:
    """The schedules that are to be moved on from an occurrence which another has taken."""
    return [
        trigger
        for trigger, due in wanted.occurrences.items()
        if seen.occurrences.get(trigger) not in (None, due, disk.occurrences.get(trigger))
    ]


def merge_progress(*, seen: RunProgress, disk: RunProgress, wanted: RunProgress) -> RunProgress:
    """What to keep: the disk's, with the change from what was seen to what is wanted.

    A schedule that another has moved on, or armed before, stays where the other put it.
    """
    gone = set(seen.going) - set(wanted.going)
    stays = {*lost_claims(seen=seen, disk=disk, wanted=wanted)} | {
        trigger for trigger in wanted.occurrences if trigger not in seen.occurrences
    }
    return RunProgress(
        run_count=_count(seen.run_count, disk.run_count, wanted.run_count),
        occurrences=_merge(seen.occurrences, disk.occurrences, wanted.occurrences)
        | {trigger: due for trigger, due in disk.occurrences.items() if trigger in stays},
        going=tuple(
            dict.fromkeys(
                (
                    *(run for run in disk.going if run not in gone),
                    *(run for run in wanted.going if run not in seen.going),
                )
            )
        ),
        requests=_merge(seen.requests, disk.requests, wanted.requests),
    )


def pass_over(seen: RunProgress, wanted: RunProgress, lost: list[str]) -> RunProgress:
    """What was seen, once a caller was told that it lost some claims.

    Its schedules have moved on all the same: that is what it compares with from now on, so
    that it takes part again as soon as it has passed what the other took.
    """
    moved = {trigger: wanted.occurrences[trigger] for trigger in lost}
    return attrs.evolve(seen, occurrences={**seen.occurrences, **moved})


def _count(seen: int | None, disk: int | None, wanted: int | None) -> int | None:
    """The allowance used: what both have used of it, unless it began anew or is gone."""
    if seen is None or disk is None or wanted is None or wanted < seen:
        return wanted
    return disk + wanted - seen


def _merge(seen: Mapping[str, V], disk: Mapping[str, V], wanted: Mapping[str, V]) -> dict[str, V]:
    kept = {key: item for key, item in disk.items() if key in wanted or key not in seen}
    changed = {key: item for key, item in wanted.items() if seen.get(key) != item}
    return kept | changed
