"""Logs and rules as the commands that explain take them."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from functools import partial
from typing import Final

import attrs
import click
from rich.console import Console

from wakeful.cli import options
from wakeful.cli.progress import ReadingProgress
from wakeful.cli.unreadable import tell_unreadable
from wakeful.cli.words import timezone
from wakeful.core.settings import Settings
from wakeful.cron import Zone
from wakeful.data import log_path
from wakeful.errors import InputRefusedError
from wakeful.logs.stream import LogStream, open_logs
from wakeful.model.events import Input
from wakeful.model.time import Duration, Instant
from wakeful.reading import Ruleset, load_rules
from wakeful.replay import DEFAULTS

_RULES_NEEDED: Final = "a log needs rules: --rules PATH, or --rules @ for the shipped ones"


@attrs.define(kw_only=True)
class Given:
    """What a command line says of logs and rules.

    Attributes:
        rules: Paths of rules; the package's own where neither logs nor rules were given.
        reading: How the logs are opened, once the rules were read and everything else
            was found in order; ``None`` where there are none, only time.
        stream: The logs, opened.
        since: Where time begins, of rules without a log; else from when on is shown.
        until: Up to which instant inputs are fed, and time goes on.
    """

    rules: tuple[str, ...]
    reading: Callable[[], LogStream] | None
    stream: LogStream | None = None
    settings: Settings
    zone: Zone | None
    since: Instant | None
    until: Instant | None
    quiet: bool

    @classmethod
    def read(  # noqa: PLR0913 - the options that the commands share
        cls,
        *,
        logs: tuple[str, ...],
        rules: tuple[str, ...],
        format_: str,
        zone: Zone | None,
        reorder: Duration | None,
        since: str | None = None,
        until: str | None = None,
        run_time: options.RunTimeOption = None,
        quiet: bool = False,
    ) -> "Given":
        """Read the options. Without logs and rules it is the recorded day and the shipped rules.

        Raises:
            click.UsageError: Logs without rules; rules with neither logs nor instants.
        """
        if logs and not rules:
            raise click.UsageError(_RULES_NEEDED)
        named = None if zone is None else zone.tzinfo()
        since_at, until_at = options.span(since, until, named)
        if rules and not logs and (since_at is None or until_at is None):
            raise click.UsageError("rules without a log need --from and --until")
        if not rules:
            logs, rules, format_ = (str(log_path()),), ("@",), "wakeful"
            run_time = "log" if run_time is None else run_time
        return cls(
            rules=rules,
            reading=partial(
                open_logs, logs, format=format_, zone=named, reorder=reorder, until=until_at
            )
            if logs
            else None,
            settings=attrs.evolve(DEFAULTS, run_time="none" if run_time is None else run_time),
            zone=zone,
            since=since_at,
            until=until_at,
            quiet=quiet,
        )

    def ruleset(self) -> Ruleset:
        """The rules, read."""
        return load_rules(self.rules)

    @property
    def begins_at(self) -> Instant | None:
        """Where time begins, where no log says it."""
        return self.since if self.reading is None else None

    @property
    def timezone(self) -> tzinfo:
        """The zone that times are shown in."""
        return timezone(self.zone)

    def inputs(self) -> Iterator[Input]:
        """The inputs of the logs, with a bar on a terminal while they are read."""
        if self.reading is None:
            return
        self.stream = self.reading()
        console = Console(stderr=True, highlight=False)
        with ReadingProgress(console, quiet=self.quiet) as progress:
            yield from progress.follow(self.stream)

    def refuse(self, given: Input, error: InputRefusedError) -> None:
        """Keep that an engine refused an input of the logs, to be told with its line."""
        if self.stream is not None:
            self.stream.refuse(given, error)

    def tell_unreadable(self) -> int:
        """Name what could not be read; the status that it makes."""
        return 0 if self.stream is None else tell_unreadable(self.stream.report)
