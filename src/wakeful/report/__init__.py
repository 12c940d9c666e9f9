"""The picture of a replay: one page, or a static picture of a session or a rule.

recording = Recording(replay)
for output in recording.outputs(inputs):
    ...
write(path, gather(recording, replay.summary(), zone=UTC, zone_name="UTC", again=again))
"""

from wakeful.report.gathering import Gathered, gather
from wakeful.report.recording import Recording, Shown
from wakeful.report.writing import SUFFIXES, write

__all__ = ["SUFFIXES", "Gathered", "Recording", "Shown", "gather", "write"]
