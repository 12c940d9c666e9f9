"""The socket that hooks of agents talk to: one connection a payload, nothing is answered.

``wakeful hook`` writes what it was given and goes; so whoever listens reads until the other
side is done, within bounds, and never writes. The socket is its owner's alone.
"""

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from wakeful.errors import WakefulError

MAX_PAYLOAD: Final = 16 * 1024 * 1024
"""How long a payload may be, in bytes."""

SECONDS: Final = 5.0
"""How long a connection may take to say what it has to."""

_AT_ONCE: Final = 64


class SocketTakenError(WakefulError):
    """Somebody listens at that path, or it is no socket."""


class HookSocket:
    """Listens for payloads at a path.

    Args:
        path: Where; what is left there of a listener that died is taken away.
        payload: Is told each payload, as it came.
        refuse: Is told why one was not taken.
    """

    def __init__(
        self, path: Path, payload: Callable[[bytes], None], refuse: Callable[[str], None]
    ) -> None:
        self.path = path
        self._payload = payload
        self._refuse = refuse
        self._server: asyncio.Server | None = None
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def __aenter__(self) -> Self:
        """Begin to listen.

        Raises:
            SocketTakenError: Somebody does already, or there is something else.
            OSError: There can be no socket there.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear(self.path)
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._take, self.path)
        finally:
            os.umask(before)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.close()
            with suppress(OSError):
                self.path.unlink()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with self._room, asyncio.timeout(SECONDS):
                parts: list[bytes] = []
                size = 0
                while part := await reader.read(1 << 16):
                    size += len(part)
                    if size > MAX_PAYLOAD:
                        self._refuse(f"a payload of over {MAX_PAYLOAD} bytes")
                        return
                    parts.append(part)
            if size:
                self._payload(b"".join(parts))
        except TimeoutError:
            self._refuse(f"a payload that did not come in {SECONDS:g} s")
        except OSError as problem:
            self._refuse(f"a payload that did not come: {problem}")
        finally:
            writer.close()


def _clear(path: Path) -> None:
    """Take away a socket that nobody listens at."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketTakenError(f"{path}: is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        code = probe.connect_ex(str(path))
    if code not in (errno.ECONNREFUSED, errno.ENOENT):
        raise SocketTakenError(f"{path}: somebody listens there already")
    with suppress(FileNotFoundError):
        path.unlink()
