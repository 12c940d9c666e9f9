"""The example host, killing itself at its Nth step: ``killed_example_host.py N HOME run COMMAND…``.

A step is anything that it leaves behind: an input or an acknowledgement in the journal, a file of a
session, an agent that is started. There is a chance to die before and after each.
"""

import asyncio
import importlib.util
import os
import signal
import sys
from pathlib import Path

from wakeful.journal import Journal

HOST = Path(__file__).resolve().parents[2] / "docs" / "examples" / "host.py"
steps = 0
LAST = int(sys.argv[1])


def dangerous(function):
    def step():
        global steps  # noqa: PLW0603 - a count of one process
        steps += 1
        if steps == LAST:
            os.kill(os.getpid(), signal.SIGKILL)

    def called(*args, **kwargs):
        step()
        given = function(*args, **kwargs)
        step()
        return given

    async def awaited(*args, **kwargs):
        step()
        given = await function(*args, **kwargs)
        step()
        return given

    return awaited if asyncio.iscoroutinefunction(function) else called


spec = importlib.util.spec_from_file_location("host", HOST)
host = importlib.util.module_from_spec(spec)
spec.loader.exec_module(host)
host.keep = dangerous(host.keep)
Path.touch = dangerous(Path.touch)
Journal.feed = dangerous(Journal.feed)
Journal.acknowledge = dangerous(Journal.acknowledge)
asyncio.create_subprocess_exec = dangerous(asyncio.create_subprocess_exec)
asyncio.run(host.main(Path(sys.argv[2]), sys.argv[4:]))
