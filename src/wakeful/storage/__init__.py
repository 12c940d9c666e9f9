"""Automations in files: a folder of them, what runs change beside it, moving them in and out."""

from wakeful.storage.faults import (
    OccurrenceTakenError,
    StorageError,
    StorageUnavailableError,
)
from wakeful.storage.folder import AutomationFolder
from wakeful.storage.run_state import RunProgress
from wakeful.storage.stored import (
    FileRefused,
    FileRemoved,
    FileSaved,
    FolderChange,
    StoredAutomation,
)

__all__ = [
    "AutomationFolder",
    "FileRefused",
    "FileRemoved",
    "FileSaved",
    "FolderChange",
    "OccurrenceTakenError",
    "RunProgress",
    "StorageError",
    "StorageUnavailableError",
    "StoredAutomation",
]
