"""A replay whose log is split by session, matched in parts and decided about once."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from wakeful.core.deciding import Deciding
from wakeful.core.overflow import Overflow
from wakeful.core.settings import Settings
from wakeful.core.statistics import Pending
from wakeful.errors import InputRefusedError
from wakeful.model.automations import Automation
from wakeful.model.events import Input
from wakeful.model.outputs import Output
from wakeful.model.time import Instant
from wakeful.reading import DeclaredType
from wakeful.replay.parallel.matched import Matched
from wakeful.replay.parallel.splitting import Splitter
from wakeful.replay.parallel.task import STOP
from wakeful.replay.parallel.workers import Workers
from wakeful.replay.player import Replay

_PARTS_PER_WORKER: Final = 2
"""So that a part is small against the whole: it is what is done again when a worker dies."""


class ParallelReplay(Replay):
    """A replay by many workers, with the outputs and the summary of one.

    Nothing comes out before the whole log was read and matched. Files lie in a folder of
    :func:`tempfile.gettempdir`, which every worker has to see; it is gone when the outputs are
    at their end, or are closed.

    Args:
        automations: As for a :class:`Replay`, and so are ``types``, ``settings``, ``at``,
            ``until`` and ``refused``.
        workers: Who matches.
        parts: Into how many parts the sessions are dealt; left out, two a worker.
    """

    def __init__(  # noqa: PLR0913 - all but the first are named
        self,
        automations: Iterable[Automation],
        *,
        workers: Workers,
        parts: int | None = None,
        types: Iterable[DeclaredType] = (),
        settings: Settings | None = None,
        at: Instant | None = None,
        until: Instant | None = None,
        refused: Callable[[Input, InputRefusedError], None] | None = None,
    ) -> None:
        super().__init__(
            automations, types=types, settings=settings, at=at, until=until, refused=refused
        )
        self._workers = workers
        self._parts = _PARTS_PER_WORKER * workers.count if parts is None else parts
        self._deciding: Deciding | None = None
        self._waits: tuple[Pending, ...] = ()

    def outputs(self, inputs: Iterable[Input]) -> Iterator[Output]:
        """Split the inputs, have them matched, and give the outputs in order.

        Raises:
            WorkersError: Workers died again and again.
            BeyondBoundsError: One engine would not keep so many sessions.
            OSError: The files cannot be written.
        """
        with TemporaryDirectory(prefix="wakeful-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            splitter = self._split(inputs, folder)
            first_at = splitter.first_at
            if first_at is None:
                return
            try:
                at = first_at if self.begins_at is None else self.begins_at
                for output in self._decide(splitter, at):
                    self._tally.output(output)
                    yield output
            finally:
                # Whoever is still at a part, after an interrupt, need not go on.
                (folder / STOP).touch()
                self._workers.wait()

    def _split(self, inputs: Iterable[Input], folder: Path) -> Splitter:
        settings = self.engine.settings
        with Splitter(folder, self._parts, settings, self.automations) as splitter:
            for piece in self._fed(inputs):
                for item in piece:
                    try:
                        splitter.take(item)
                    except InputRefusedError as error:
                        self._refused(error)
            splitter.finish()
        self._count()
        if self._until is not None:
            self._tally.advanced(self._until)
        return splitter

    def _decide(self, splitter: Splitter, at: Instant) -> Iterator[Output]:
        automations, settings = self.automations, self.engine.settings
        deciding = self._deciding = Deciding(automations, at=at, settings=settings)
        matched = Matched(splitter, self._workers, automations, settings, at)
        yield from deciding.decide(matched.placed(deciding))
        self._waits = tuple(matched.pending(deciding))

    def _pending(self) -> Iterable[Pending]:
        return () if self._deciding is None else (*self._deciding.pending(), *self._waits)

    def _overflow(self) -> Overflow:
        return Overflow() if self._deciding is None else self._deciding.overflow
