"""One writer at a time, across processes.

A lock is a file of its own, never written and never removed: were it removed, two could hold
it. The kernel lets go of it when its process ends, however that ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wakeful.storage.whole_files import FILE_MODE


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Hold a lock; who comes second waits. Threads of one process exclude each other too.

    Not reentrant: whoever holds it and asks again waits for ever.

    Raises:
        OSError: The lock's file cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing alone would leave it with a child that was forked meanwhile.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)
