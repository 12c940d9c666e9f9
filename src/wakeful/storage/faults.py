"""What storage raises besides problems of what was written."""

from typing import Final

from wakeful.errors import WakefulError

UNAVAILABLE: Final = (
    "Automation storage is unavailable and must be recovered before automations can run"
)
"""What everything is refused with while the run state cannot be read."""

FILE_TAKEN: Final = "Automation file already exists"
"""What a new automation is refused with whose file is there."""


class StorageError(WakefulError):
    """Something could not be kept; what was kept before is as it was."""


class StorageUnavailableError(StorageError):
    """The run state cannot be read, so nothing is read, written or fired.

    Attributes:
        fault: Which file has to be recovered, and what is wrong with it.
    """

    def __init__(self, fault: str) -> None:
        super().__init__(UNAVAILABLE)
        self.fault = fault


class OccurrenceTakenError(StorageError):
    """Another process has claimed the occurrence, and starts its run."""
