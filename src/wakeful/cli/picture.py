"""The picture that a replay leaves: ``--report FILE``."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from wakeful.cli.words import timezone
from wakeful.cron import Zone
from wakeful.model.events import Input
from wakeful.model.outputs import Output
from wakeful.replay import Replay, Summary
from wakeful.report import SUFFIXES, Recording, Shown, gather, write


def picture_path(
    _context: click.Context, _parameter: click.Parameter, path: Path | None
) -> Path | None:
    """Read an option that names a picture.

    Raises:
        click.BadParameter: No picture has such a name.
    """
    if path is not None and path.suffix.lower() not in SUFFIXES:
        raise click.BadParameter(f"a picture's name ends with {', '.join(SUFFIXES)}")
    return path


class Picture:
    """Watches a replay, and draws it when it is over.

    Args:
        path: The file to write.
        make: Makes the replay, not yet begun; it is made once more for the explanations.
        reopen: Opens the log once more; ``None`` where it can be read only once, and is kept.
        shown: Which outputs are shown.
    """

    def __init__(
        self,
        path: Path,
        make: Callable[[], Replay],
        *,
        reopen: Callable[[], Iterable[Input]] | None,
        shown: Shown,
    ) -> None:
        self._path = path
        self._make = make
        self._reopen = reopen
        self._shown = shown
        self._recording: Recording | None = None
        self._kept: list[Input] = []

    def outputs(self, replay: Replay, inputs: Iterable[Input]) -> Iterator[Output]:
        """Play the inputs and give the outputs, as :meth:`Replay.outputs` does."""
        self._recording = recording = Recording(replay, self._shown)
        yield from recording.outputs(inputs if self._reopen else self._keep(inputs))

    def draw(self, summary: Summary, zone: Zone | None) -> None:
        """Write the file.

        Raises:
            WakefulError: It is a PNG, and what makes one is not installed.
        """
        if self._recording is None:
            return
        gathered = gather(
            self._recording,
            summary,
            zone=timezone(zone),
            zone_name="UTC" if zone is None else zone.name,
            again=self._again,
        )
        write(self._path, gathered)

    def _again(self) -> tuple[Replay, Iterable[Input]]:
        return self._make(), self._kept if self._reopen is None else self._reopen()

    def _keep(self, inputs: Iterable[Input]) -> Iterator[Input]:
        for given in inputs:
            self._kept.append(given)
            yield given
