"""Hosts that want to lose nothing: an engine whose inputs are written down as they are taken."""

from wakeful.journal.decisions import decision_id
from wakeful.journal.disk import Disk, File, RealDisk
from wakeful.journal.faults import JournalError, JournalLockedError
from wakeful.journal.journal import Journal, Sync
from wakeful.journal.records import Torn
from wakeful.journal.recovery import Recovery

__all__ = [
    "Disk",
    "File",
    "Journal",
    "JournalError",
    "JournalLockedError",
    "RealDisk",
    "Recovery",
    "Sync",
    "Torn",
    "decision_id",
]
