"""Telling of trouble: to the observers, and to whoever the host has for it."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

from wakeful.hosting.clock import Clock
from wakeful.hosting.observing import Observer
from wakeful.hosting.troubles import Trouble
from wakeful.model.outputs import Decision, Output

LOG: Final = logging.getLogger("wakeful.hosting")

Listener = Callable[[Output], None]
"""Is told every output, as it is given; it is quick."""


class Teller:
    """Tells of what goes wrong; whoever is told may raise, and stops nothing by it.

    Args:
        clock: Stamps what is told.
        observers: Those who count and trace.
        trouble: The host's own; left out, trouble is logged to ``wakeful.hosting``.
    """

    def __init__(
        self,
        clock: Clock,
        observers: Iterable[Observer],
        trouble: Callable[[Trouble], None] | None,
    ) -> None:
        self._clock = clock
        self._observers: Sequence[Observer] = tuple(observers)
        self._trouble = _log if trouble is None else trouble

    def tell(self, trouble: Trouble) -> None:
        """Tell of it."""
        for observer in self._observers:
            observer.troubled(trouble)
        try:
            self._trouble(trouble)
        except Exception:
            LOG.exception("whoever is told of trouble raised")

    def handler_raised(self, problem: BaseException, decision: Decision) -> None:
        """A handler raised."""
        self._of_handler("raised", _words(problem), decision)

    def handler_hangs(self, seconds: float | None, decision: Decision) -> None:
        """A handler takes longer than it may."""
        self._of_handler("timedOut", f"took over {seconds} s", decision)

    def listen(self, listener: Listener | None, outputs: Iterable[Output]) -> None:
        """Give outputs to a listener, which may raise."""
        if listener is None:
            return
        for output in outputs:
            try:
                listener(output)
            except Exception as problem:  # noqa: BLE001 - it is somebody else's
                message = f"a listener: {_words(problem)}"
                self.tell(Trouble(kind="listener", message=message, at=self._clock.now()))

    def _of_handler(
        self, kind: Literal["raised", "timedOut"], words: str, decision: Decision
    ) -> None:
        message = f"the handler of {decision.automation}: {words}"
        self.tell(Trouble(kind=kind, message=message, at=self._clock.now(), decision=decision))


def _words(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"


def _log(trouble: Trouble) -> None:
    LOG.warning("%s: %s", trouble.kind, trouble.message)
