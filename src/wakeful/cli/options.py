"""Kinds of values that command lines take, and the options that commands share."""

import re
from collections.abc import Callable
from datetime import tzinfo
from typing import Any, Final, Literal, TypeAlias, TypeVar

import click

from wakeful.cron import Zone, load_zone
from wakeful.errors import InvalidError, LogError
from wakeful.logs.formats import load_formats
from wakeful.model.automations import SCHEME
from wakeful.model.time import Duration, Instant, parse_duration, parse_instant
from wakeful.reading import Ruleset

RunTimeOption: TypeAlias = Duration | Literal["log"] | None
"""How long runs last, as a command line says it; ``None`` where it does not."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

Command = TypeVar("Command", bound=Callable[..., Any])


def duration(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> Duration | None:
    """Read an option that takes a duration.

    Raises:
        click.BadParameter: It is none.
    """
    if text is None:
        return None
    try:
        return parse_duration(text)
    except InvalidError as error:
        raise click.BadParameter(error.problems[0].sentence) from None


def zone(_context: click.Context, _parameter: click.Parameter, name: str | None) -> Zone | None:
    """Read an option that takes a time zone.

    Raises:
        click.BadParameter: The tz database has no such zone.
    """
    if name is None:
        return None
    try:
        return load_zone(name)
    except InvalidError as error:
        raise click.BadParameter(error.problems[0].sentence) from None


def log_format(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """Check an option that takes the name of a log format.

    Raises:
        click.BadParameter: There is no such format.
    """
    try:
        load_formats(name)
    except LogError as error:
        raise click.BadParameter(str(error)) from None
    return name


def instant(text: str | None, option: str, zone_: tzinfo | None) -> Instant | None:
    """The instant an option was given, read in the zone of ``--zone`` where it names none.

    Raises:
        click.BadParameter: It is no instant, or names no zone and there is none.
    """
    if text is None:
        return None
    if _DAY.fullmatch(text):
        raise click.BadParameter(
            f"{text!r} is a day; its time is missing, as in {text}T00:00", param_hint=f"'{option}'"
        )
    try:
        return parse_instant(int(text) if text.isdecimal() else text, zone=zone_)
    except InvalidError as error:
        raise click.BadParameter(error.problems[0].sentence, param_hint=f"'{option}'") from None


def span(
    since: str | None, until: str | None, zone_: tzinfo | None
) -> tuple[Instant | None, Instant | None]:
    """The instants of ``--from`` and ``--until``.

    Raises:
        click.BadParameter: One is no instant.
        click.UsageError: The end lies before the beginning.
    """
    begin, end = instant(since, "--from", zone_), instant(until, "--until", zone_)
    if begin is not None and end is not None and end < begin:
        raise click.UsageError("--until lies before --from")
    return begin, end


def known_automation(named: str, ruleset: Ruleset) -> None:
    """See to it that an automation is one of some rules.

    Raises:
        click.UsageError: It is none of them.
    """
    known = [each.resource.removeprefix(f"{SCHEME}/") for each in ruleset.automations]
    wanted = named.removeprefix(f"{SCHEME}/")
    if wanted not in known:
        raise click.UsageError(
            f"the rules have no automation {wanted!r}; they have: {', '.join(known)}"
        )


def resource(automation: str | None) -> str | None:
    """The resource of an automation that was named by its id or by its resource."""
    if automation is None or automation.startswith(SCHEME):
        return automation
    return f"{SCHEME}/{automation}"


def run_time(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> RunTimeOption:
    """Read an option that says how long runs last: a duration, or ``log``.

    Raises:
        click.BadParameter: It is neither.
    """
    if text is None or text == "log":
        return "log" if text else None
    try:
        return parse_duration(text)
    except InvalidError as error:
        raise click.BadParameter(f"{error.problems[0].sentence}, or log") from None


def logs_and_rules(command: Command) -> Command:
    """``LOG … --rules PATH|@ID --format NAME --zone ZONE --reorder DURATION``."""
    for decorate in reversed(_LOGS_AND_RULES):
        command = decorate(command)
    return command


def log_options(command: Command) -> Command:
    """``--format NAME --zone ZONE --reorder DURATION``, for logs beside rules of other names."""
    for decorate in reversed(_LOGS_AND_RULES[2:]):
        command = decorate(command)
    return command


_LOGS_AND_RULES: Final[tuple[Callable[[Any], Any], ...]] = (
    click.argument("logs", nargs=-1, metavar="[LOG]..."),
    click.option(
        "--rules",
        multiple=True,
        metavar="PATH|@ID",
        help="A ruleset, a folder of them, or rules that come with the package: @id, @ for all.",
    ),
    click.option(
        "--format",
        "format_",
        callback=log_format,
        default="auto",
        show_default=True,
        metavar="NAME",
        help="The format of the logs; auto recognises it.",
    ),
    click.option(
        "--zone",
        callback=zone,
        metavar="ZONE",
        help="The zone of instants that name none, and of the times that are shown.",
    ),
    click.option(
        "--reorder",
        callback=duration,
        metavar="DURATION",
        help="Put records in order that are late by up to this; by default what the format needs.",
    ),
)
