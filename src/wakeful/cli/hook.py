"""``wakeful hook``, as an agent runs it: hand on what standard input says, and be gone.

An agent waits for its hooks, at every tool call. So this module imports next to nothing, gives
up on anything that takes long, says nothing and always succeeds: a hook's output and status
mean something to the agent. ``_socket`` is what ``socket`` is made of; the rest of that
module takes longer to import than all of this to run.
"""

import os
import sys

# The whole of it, reading and writing, takes no longer than this, in seconds.
PATIENCE = 1.0

# What a listener takes at the most, in bytes.
_LONGEST = 16 * 1024 * 1024


def default_socket() -> str:
    """Where ``wakeful watch`` listens when it is not told: a place that is its user's alone."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return os.path.join(runtime, "wakeful.sock")  # noqa: PTH118 - pathlib is slow to import
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return os.path.join(cache, "wakeful", "wakeful.sock")  # noqa: PTH118


def deliver(socket: str | None = None) -> int:
    """Hand standard input to whoever listens; if nobody does, that is no fault.

    Returns:
        0, whatever happens.
    """
    try:  # noqa: SIM105 - contextlib is slow to import
        _deliver(socket or default_socket())
    except Exception:  # noqa: BLE001, S110 - an agent has no use for our faults
        pass
    return 0


def _deliver(path: str) -> None:
    import _socket  # noqa: PLC0415 - only where it is needed: the module's docstring says why

    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        listener.settimeout(PATIENCE / 2)
        try:
            listener.connect(path)
        except OSError:
            return
        payload = _standard_input()
        if payload:
            listener.sendall(payload)
    finally:
        listener.close()


def _standard_input() -> bytes:
    """All of it, or nothing where it does not end in time."""
    import select  # noqa: PLC0415 - as above
    import time  # noqa: PLC0415

    until = time.monotonic() + PATIENCE / 2
    parts: list[bytes] = []
    size = 0
    while size <= _LONGEST:
        left = until - time.monotonic()
        if left <= 0 or not select.select([0], [], [], left)[0]:
            return b""
        part = os.read(0, 1 << 16)
        if not part:
            return b"".join(parts)
        size += len(part)
        parts.append(part)
    return b""


def is_plain(arguments: list[str]) -> bool:
    """Whether a command line is an agent's call of this, and nothing that wants explaining."""
    return arguments == ["hook"] or (len(arguments) == 3 and arguments[:2] == ["hook", "--socket"])


def main(arguments: list[str]) -> int:
    """Run a plain command line."""
    if os.isatty(0):
        sys.stderr.write("wakeful hook: reads a hook's payload on standard input; see --help\n")
        return 0
    return deliver(arguments[2] if len(arguments) == 3 else None)
