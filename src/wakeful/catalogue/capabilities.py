"""What a host can do with automations, as ``initialize`` tells it."""

from typing import Final

import attrs

from wakeful.catalogue.definitions import NOTHING, Plain
from wakeful.errors import InvalidError, Problem


@attrs.frozen(kw_only=True)
class ScheduleCapability:
    """Definitions may hold schedules; those that come closer than the interval are refused."""

    min_interval_minutes: int | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class Capabilities:
    """Capabilities; one that is ``None`` is not there.

    Attributes:
        create: Whether clients may create automations; an empty map, room for options.
        schedules: Whether definitions may hold schedules.
        run_cancellation: Whether runs can be cancelled; an empty map.
        run_history_limit: How many runs that are over are kept of an automation.

    Raises:
        InvalidError: A number is not whole or too small.
    """

    create: Plain | None = None
    schedules: ScheduleCapability | None = None
    run_cancellation: Plain | None = None
    run_history_limit: int | None = None
    unknown: Plain = NOTHING

    def __attrs_post_init__(self) -> None:
        """Refuse numbers that are not whole, every problem at once."""
        interval = None if self.schedules is None else self.schedules.min_interval_minutes
        problems = [
            Problem(path=path, value=value, expected=f"a whole number, at least {least}")
            for path, value, least in (
                ("schedules.minIntervalMinutes", interval, 1),
                ("runHistoryLimit", self.run_history_limit, 0),
            )
            if value is not None and (type(value) is not int or value < least)
        ]
        if problems:
            raise InvalidError(problems)


EVERYTHING: Final = Capabilities(create={}, schedules=ScheduleCapability(), run_cancellation={})
"""What this library can do, without limits."""
