"""The matching of one part: from a file to a file, by whoever has time."""

from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

import attrs

from wakeful._version import __version__
from wakeful.core.deciding import is_brought_at, place_of_input
from wakeful.core.matching import OF_SESSIONS, Matching
from wakeful.core.settings import Settings
from wakeful.model.automations import Automation
from wakeful.model.events import ENDINGS, Activity, Input, SessionEvent
from wakeful.model.time import Instant
from wakeful.replay.parallel.frames import (
    FrameReader,
    FrameWriter,
    input_of_row,
    row_of_input,
    row_of_match,
)

STOP: Final = "stop"
"""A file of that name beside the parts says that nobody wants the results any more."""


@attrs.frozen(kw_only=True)
class MatchTask:
    """A part to match.

    Attributes:
        part: The file with its inputs.
        into: The file that its matches are put into; there whole, or not at all.
        automations: Those of the whole replay.
        settings: Those of the whole replay.
        at: The first instant of the whole replay.
        watched: Sessions whose turns the gate has to know of: these are told beside matches.
        only: The one automation to match; ``None`` for all.
        since: Its definition, from which it begins from nothing.
        version: That of wakeful where the task was made; another would match otherwise.
    """

    part: Path
    into: Path
    automations: tuple[Automation, ...]
    settings: Settings
    at: Instant
    watched: frozenset[str] = frozenset()
    only: str | None = None
    since: int = 0
    version: str = __version__

    def run(self) -> None:
        """Match the part, unless somebody has done it.

        Whoever dies on the way leaves a file of a name of its own, and does no harm.

        Raises:
            OSError: A file cannot be read or written.
            RuntimeError: The worker has another version of wakeful.
        """
        if self.version != __version__:
            raise RuntimeError(
                f"this worker has wakeful {__version__}, and the replay is of {self.version}"
            )
        if self.into.exists():
            return
        if not self.part.parent.exists():
            raise FileNotFoundError(
                f"this worker does not see {self.part.parent}, where the parts lie; "
                "let TMPDIR name a folder that every worker sees"
            )
        draft = self.into.with_name(f"{self.into.name}.{uuid4().hex}")
        try:
            with FrameWriter(draft) as writer:
                self._match(writer)
            draft.rename(self.into)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise

    def _match(self, writer: FrameWriter) -> None:
        matching = Matching(
            self.automations,
            at=self.at,
            settings=self.settings,
            only=None if self.only is None else {self.only},
            since=self.since,
        )
        stop = self.part.with_name(STOP)
        look_at, most = matching.looks_every, (0, 0)
        for frame in FrameReader(self.part).frames():
            if stop.exists():
                raise InterruptedError("nobody wants the result any more")
            for row in frame:
                number, item = row[0], input_of_row(row)
                if number > look_at:
                    hits, waits = matching.held()
                    most = max(most[0], hits), max(most[1], waits)
                    look_at += matching.looks_every
                found = matching.take(item, number)
                told = self._is_told(item)
                if not found and not told:
                    continue
                for match in found:
                    if told and is_brought_at(match.key) and match.key.sequence == number:
                        writer.add(row_of_input(tuple(place_of_input(item.at, number)), item))
                        told = False
                    writer.add(row_of_match(match))
                if told:
                    writer.add(row_of_input(tuple(place_of_input(item.at, number)), item))
        writer.finish((most, *matching.pending()))

    def _is_told(self, item: Input) -> bool:
        """Whether the gate has to know of it: it may begin or end a turn."""
        if type(item) is SessionEvent:
            return item.kind in ENDINGS and item.session in self.watched
        return (
            type(item) in OF_SESSIONS
            and type(item) is not Activity
            and getattr(item, "session", None) in self.watched
        )


def run_task(task: MatchTask) -> None:
    """Run a task; a function of a module, which any executor can send."""
    task.run()
