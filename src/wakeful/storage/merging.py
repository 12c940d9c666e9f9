"""What two processes changed about one automation, brought together.

Each knows what it last saw and what it wants; the disk may have moved on since. Only the
difference between the two is applied to what is on the disk, so neither undoes what the
other did. The one thing that only one of them may do is to move a schedule on from the
occurrence it waits for: whoever comes second finds it moved, and does not start its run.
"""

from collections.abc import Mapping
from typing import TypeVar

import attrs

from wakeful.storage.faults import OccurrenceTakenError
from wakeful.storage.run_state import RunProgress

V = TypeVar("V")


def merge_progress(*, seen: RunProgress, disk: RunProgress, wanted: RunProgress) -> RunProgress:
    """What to keep: the disk's, with the change from what was seen to what is wanted.

    Raises:
        OccurrenceTakenError: It moves a schedule on that the other has moved already.
    """
    for trigger, due in wanted.occurrences.items():
        before = seen.occurrences.get(trigger)
        if before not in (None, due, disk.occurrences.get(trigger)):
            raise OccurrenceTakenError(
                f"The occurrence that {trigger!r} waited for was taken by another process"
            )
    gone = set(seen.going) - set(wanted.going)
    return RunProgress(
        run_count=_count(seen.run_count, disk.run_count, wanted.run_count),
        occurrences=_merge(seen.occurrences, disk.occurrences, wanted.occurrences)
        # A schedule that one arms and another has armed, and maybe moved on, before it.
        | {
            trigger: due
            for trigger, due in disk.occurrences.items()
            if trigger in wanted.occurrences and trigger not in seen.occurrences
        },
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


def follow_occurrences(seen: RunProgress, disk: RunProgress) -> RunProgress:
    """What was seen, once it is known that schedules were moved on by another."""
    return attrs.evolve(
        seen,
        occurrences={
            trigger: disk.occurrences.get(trigger, due) for trigger, due in seen.occurrences.items()
        },
    )


def _count(seen: int | None, disk: int | None, wanted: int | None) -> int | None:
    """The allowance used: what both have used of it, unless it began anew or is gone."""
    if seen is None or disk is None or wanted is None or wanted < seen:
        return wanted
    return disk + wanted - seen


def _merge(seen: Mapping[str, V], disk: Mapping[str, V], wanted: Mapping[str, V]) -> dict[str, V]:
    kept = {key: item for key, item in disk.items() if key in wanted or key not in seen}
    changed = {key: item for key, item in wanted.items() if seen.get(key) != item}
    return kept | changed
