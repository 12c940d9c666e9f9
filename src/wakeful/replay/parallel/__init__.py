"""Replays of archives: split by session once, matched in parts, merged into one gate.

Theory
------
A log is read once, here. Each input is checked, timed and numbered as one engine would, and what
sessions do is dealt out by a stable hash of the session to files, one a part; what concerns
rules goes to every part, and what decides something to a file of its own. Each part is then
matched by itself (:class:`~wakeful.core.matching.Matching`), which is a pure function from a
file to a file that is there whole or not at all: whoever runs it may die and have it run again.
The matches, sorted by their places, are merged with what decides, and decided about once
(:class:`~wakeful.core.deciding.Deciding`). So the outputs are those of one process, byte for
byte, however many parts there are and wherever they are matched.

Where an automation that its own condition switched off is saved again, its matches from there
on are made once more: it begins from nothing, which the parts could not know.

Memory holds one part's sessions in each worker, and here what a replay keeps of sessions and the
gate; all else is in files.
"""

from wakeful.replay.parallel.player import ParallelReplay
from wakeful.replay.parallel.splitting import BeyondBoundsError
from wakeful.replay.parallel.workers import Workers, WorkersError, dask, processes

__all__ = [
    "BeyondBoundsError",
    "ParallelReplay",
    "Workers",
    "WorkersError",
    "dask",
    "processes",
]
