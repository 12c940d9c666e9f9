"""What went wrong around an engine and is told, not raised."""

from typing import Literal

import attrs

from wakeful.errors import WakefulError
from wakeful.model.outputs import Decision
from wakeful.model.time import Instant


@attrs.frozen(kw_only=True)
class Trouble:
    """Something that whoever runs a host wants to hear of, and that stopped nothing else.

    Attributes:
        kind: ``raised``: a handler raised; ``timedOut``: it took longer than it may and was
            given up; ``runTooLong``: a run went on for longer than it may and counts as failed;
            ``listener``: a listener raised; ``source``: what inputs come from had a fault;
            ``refused``: an input was refused by the engine; ``bound``: the engine let something
            go at a bound, told once for each bound.
        message: What happened, in one line.
        at: The clock's instant.
        decision: The wake it is about, where it is about one.
    """

    kind: Literal["raised", "timedOut", "runTooLong", "listener", "source", "refused", "bound"]
    message: str
    at: Instant
    decision: Decision | None = None


class BacklogError(WakefulError):
    """So many wakes wait for their handlers that no input is taken now."""


class StoppedError(WakefulError):
    """A runner that was closed, or could not go on, was asked to take an input."""
