"""Automations in files: a folder of them, what runs change beside it, moving them in and out."""

from wakeful.storage.faults import (
    OccurrenceTakenError,
    StorageError,
    StorageUnavailableError,
)
from wakeful.storage.folder import (
    AutomationFolder,
    FileRefused,
    FileRemoved,
    FileSaved,
    FolderChange,
    StoredAutomation,
)
from wakeful.storage.run_state import RunProgress

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
