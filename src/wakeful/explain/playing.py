"""Playing several replays on inputs that are read once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from wakeful.model.events import Input, Tick
from wakeful.model.outputs import Output
from wakeful.model.time import Instant
from wakeful.replay import Replay

_BATCH: Final = 4_096
"""How many inputs go to one replay before the next one gets them."""


def side_by_side(
    replays: Sequence[Replay], inputs: Iterable[Input]
) -> Iterator[tuple[int, Output]]:
    """Play replays on the same inputs: each output, with its replay's number.

    The outputs of each replay are in order; those of different ones come in batches. The
    replays have no instants of their own, to begin at or to go on to: put ticks among the
    inputs (:func:`bounded`).
    """
    iterator = iter(inputs)
    while batch := list(islice(iterator, _BATCH)):
        for number, replay in enumerate(replays):
            for output in replay.outputs(batch):
                yield number, output


def bounded(
    inputs: Iterable[Input], *, since: Instant | None = None, until: Instant | None = None
) -> Iterator[Input]:
    """Inputs up to an instant, with time going on from one instant and to another."""
    if since is not None:
        yield Tick(since)
    for given in inputs:
        if until is not None and given.at > until:
            break
        yield given
    if until is not None:
        yield Tick(until)
