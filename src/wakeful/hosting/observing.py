"""What happens around an engine, told to whoever counts or traces it."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import attrs

from wakeful.hosting.troubles import Trouble
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Output
from wakeful.model.time import Instant


@attrs.frozen(kw_only=True)
class Handled:
    """What became of handing one wake to its handler.

    Attributes:
        decision: The wake.
        outcome: ``done``; ``raised`` or ``timedOut``; ``abandoned`` when the runner was closed.
        waited: Seconds from the engine's decision to the handler's beginning.
        took: Seconds that the handler took.
    """

    decision: Decision
    outcome: Literal["done", "raised", "timedOut", "abandoned"]
    waited: float
    took: float


class Observer:
    """Told of everything that happens around an engine; a subclass says what it wants to hear.

    It is called by the runner itself, so it is quick and does not raise.
    """

    def took(self, item: Input, *, now: Instant) -> None:
        """An engine took an input, at the clock's instant ``now``."""

    def gave(self, output: Output, *, now: Instant) -> None:
        """An engine gave an output."""

    def looked(self, now: Instant, *, slept: bool) -> None:
        """A runner looked at the clock."""

    def handling(self, decision: Decision) -> AbstractContextManager[object]:  # noqa: ARG002
        """What is entered around a handler's work; for traces."""
        return nullcontext()

    def handled(self, handled: Handled) -> None:
        """A handler is done with a wake, or was given up."""

    def troubled(self, trouble: Trouble) -> None:
        """Something went wrong."""
