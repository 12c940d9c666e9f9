"""What logs name and show, gathered in one pass."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import attrs

from wakeful.logs import LogReport, open_logs
from wakeful.model.events import Facts, Input, PluginEvent, SessionEvent, TurnStarted


@attrs.define(kw_only=True)
class Census:
    """What some logs name and show.

    Attributes:
        sessions: The facts that each session was said to have.
        plugin_events: Type and event of each plugin's event.
        report: What reading came to; says what the formats cannot show.
    """

    sessions: dict[str, set[Facts]] = attrs.field(factory=dict)
    plugin_events: set[tuple[str, str]] = attrs.field(factory=set)
    report: LogReport = attrs.field(factory=LogReport)

    def take(self, inputs: Iterable[Input]) -> None:
        """Count inputs in."""
        for given in inputs:
            if isinstance(given, SessionEvent | TurnStarted):
                self.sessions.setdefault(given.session, set()).add(given.facts)
            elif isinstance(given, PluginEvent):
                self.plugin_events.add((given.type, given.event))

    @property
    def cannot_show(self) -> Mapping[str, Mapping[str, str]]:
        """For each format that was read, what its logs cannot show, and why."""
        return self.report.cannot_show

    def named(self, key: str) -> set[str]:
        """What a key of a filter can find here."""
        if key == "sessions":
            return set(self.sessions)
        if key == "folders":
            return {folder for facts in self._facts() for folder in facts.folders}
        fact = key.removesuffix("s")
        return {value for facts in self._facts() if (value := getattr(facts, fact)) is not None}

    def _facts(self) -> set[Facts]:
        return set[Facts]().union(*self.sessions.values())


def read_census(logs: Sequence[str | PathLike[str]], **options: Any) -> Census:
    """What logs name and show. Reads all of them.

    Args:
        logs: As :func:`wakeful.logs.open_logs` takes them.
        options: Its options.

    Raises:
        LogError: Nothing at all can be read.
    """
    with open_logs(logs, **options) as stream:
        census = Census(report=stream.report)
        census.take(stream)
    return census
