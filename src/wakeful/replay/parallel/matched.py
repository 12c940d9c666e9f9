"""The matches of all parts, with what decides something, in one order."""

from collections.abc import Iterator
from pathlib import Path

from wakeful.core.deciding import Deciding, Placed
from wakeful.core.settings import Settings
from wakeful.core.statistics import Pending
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionRemoved, DefinitionSaved
from wakeful.model.time import Instant
from wakeful.replay.parallel.merging import Merging
from wakeful.replay.parallel.splitting import BeyondBoundsError, Splitter
from wakeful.replay.parallel.task import MatchTask, run_task
from wakeful.replay.parallel.workers import Workers


class Matched:
    """Has the parts matched, and an automation again where its state began anew.

    Args:
        splitter: The parts, finished.
        workers: Who matches.
        automations: Those of the whole replay.
        settings: Those of the whole replay.
        at: Its first instant.
    """

    def __init__(
        self,
        splitter: Splitter,
        workers: Workers,
        automations: tuple[Automation, ...],
        settings: Settings,
        at: Instant,
    ) -> None:
        self._splitter = splitter
        self._workers = workers
        self._automations = automations
        self._settings = settings
        self._at = at
        self._merging = Merging([splitter.control])
        self._went_off: set[str] = set()

    def placed(self, deciding: Deciding) -> Iterator[Placed]:
        """Everything in order, to be decided about as it comes; once.

        Args:
            deciding: Who decides: asked, after each definition, whether it is a new beginning.

        Raises:
            WorkersError: Workers died again and again.
            BeyondBoundsError: At the end: one engine would have let go of hits or waits.
        """
        self._merging.add(self._match())
        for key, what in self._merging:
            yield key, what
            if isinstance(what, DefinitionSaved | DefinitionRemoved):
                self._mind(what, key.sequence, deciding)
        bounds = (("hits", self._settings.counts_kept), ("waits", self._settings.waits_kept))
        for held, (what_is_held, most) in zip(self._merging.held(), bounds, strict=True):
            if held > most:
                raise BeyondBoundsError(
                    f"{held:,} {what_is_held} were kept at once, and one engine keeps {most:,}: "
                    "in one process other matches may come out"
                )

    def pending(self, deciding: Deciding) -> Iterator[Pending]:
        """The waits and silences at the end."""
        for pending in self._merging.pending():
            if deciding.is_on(pending.automation):
                yield pending

    def _mind(
        self, change: DefinitionSaved | DefinitionRemoved, number: int, deciding: Deciding
    ) -> None:
        """A definition has just been decided about: match anew what begins from nothing."""
        self._went_off.update(deciding.take_switched_off())
        if isinstance(change, DefinitionRemoved):
            self._went_off.discard(change.automation)
            return
        resource = change.automation.resource
        if resource not in self._went_off:
            return
        if deciding.is_on(resource):
            self._merging.add(self._match(resource, number), automation=resource)
        elif change.automation.definition.enabled:
            # Still off, by a condition that is still met: the parts do not know of it.
            return
        self._went_off.discard(resource)

    def _match(self, only: str | None = None, since: int = 0) -> list[Path]:
        """Have every part matched; the files with the matches."""
        splitter = self._splitter
        tasks = [
            MatchTask(
                part=part,
                into=part.with_name(f"{part.name}.matched-{since}"),
                automations=self._automations,
                settings=self._settings,
                at=self._at,
                watched=frozenset(splitter.watched) if only is None else frozenset(),
                only=only,
                since=since,
            )
            for part in splitter.parts
        ]
        self._workers.run(run_task, tasks)
        return [task.into for task in tasks]
