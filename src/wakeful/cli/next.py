"""``wakeful next``: the coming occurrences of an expression, or of an automation."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from heapq import merge
from itertools import groupby
from typing import Final

import attrs
import click
import msgspec
from rich.console import Console
from rich.table import Table

from wakeful.cli.terminal import escape
from wakeful.cron import Schedule, Zone, load_zone
from wakeful.cron.gregorian import format_minute, weekday_of
from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import SCHEME, Automation
from wakeful.model.time import (
    MAX_INSTANT,
    MINUTE,
    Instant,
    format_instant,
    from_datetime,
    parse_instant,
)
from wakeful.model.triggers import ScheduleTrigger

REFUSED: Final = 3
"""The exit status for expressions, zones and rules that were refused."""

_NO_SCHEDULE: Final = 1
_GAP_ROWS: Final = 3
"""So many skipped minutes of one gap are told one by one; of more, the first and the last."""

_PIPE_WIDTH: Final = 120

_WEEKDAYS: Final = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


@attrs.frozen(kw_only=True)
class _Plan:
    """What is asked about: one schedule, or those of an automation.

    Attributes:
        schedules: With the name of the trigger; none for an expression.
        shown_in: The zone of the times shown; each schedule's own where left out.
    """

    schedules: Sequence[tuple[str, Schedule]]
    shown_in: Zone | None = None

    def zone_of(self, schedule: Schedule) -> Zone:
        return self.shown_in or schedule.zone

    def occurrences(self, after: Instant) -> Iterator[tuple[Instant, str, Schedule]]:
        """In order; at one instant once, as an automation runs once (semantics 10.6)."""
        streams = [_stream(after, place, *named) for place, named in enumerate(self.schedules)]
        for _, same in groupby(merge(*streams), key=lambda item: item[0]):
            instant, place = next(same)
            yield instant, *self.schedules[place]


def _stream(
    after: Instant, place: int, _name: str, schedule: Schedule
) -> Iterator[tuple[Instant, int]]:
    for instant in schedule.occurrences(after):
        if instant > MAX_INSTANT:
            return
        yield instant, place


@click.command(
    "next", epilog='Example: wakeful next "30 9 * * mon-fri" --zone Europe/Berlin --count 3'
)
@click.argument("expression", required=False)
@click.option(
    "--rules", multiple=True, metavar="PATH", help="A file or folder of automations; repeatable."
)
@click.option("--automation", metavar="ID", help="The automation of the rules to ask about.")
@click.option(
    "--zone",
    metavar="ZONE",
    help="The zone of EXPRESSION (UTC where left out); with --rules, the zone to show times in. "
    "Also the zone of a --from that has none.",
)
@click.option("--from", "start", metavar="AT", help="Occurrences after this instant, not now.")
@click.option("--count", default=10, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def next_command(  # noqa: PLR0913 - one for each option of the command
    context: click.Context,
    *,
    expression: str | None,
    rules: tuple[str, ...],
    automation: str | None,
    zone: str | None,
    start: str | None,
    count: int,
    as_json: bool,
) -> None:
    """Show when EXPRESSION, or an automation of some rules, occurs next.

    EXPRESSION is five fields in one argument: "30 9 * * mon-fri". Times that a change of
    clocks repeats are marked; the table also tells those that it skips.
    """
    if (expression is None) == (not rules) or bool(rules) != (automation is not None):
        raise click.UsageError("give an EXPRESSION, or --rules PATH with --automation ID")
    try:
        if expression is not None:
            plan = _Plan(schedules=[("", Schedule.parse(expression, zone or "UTC"))])
            given_zone = plan.schedules[0][1].zone if zone else None
        else:
            given_zone = load_zone(zone) if zone else None
            plan = _Plan(
                schedules=_schedules_of(_find(rules, automation or "")), shown_in=given_zone
            )
    except InvalidError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        context.exit(REFUSED)
    if not plan.schedules:
        click.echo(f"{automation} has no schedule", err=True)
        context.exit(_NO_SCHEDULE)
    after = _read_start(start, given_zone)
    if as_json:
        _print_json(plan, after, count)
    else:
        _print_table(plan, after, count)


def _read_start(text: str | None, zone: Zone | None) -> Instant:
    if text is None:
        return from_datetime(datetime.now(UTC))
    number = int(text) if text.isascii() and text.removeprefix("-").isdigit() else text
    try:
        return parse_instant(number, zone=zone.tzinfo() if zone else None)
    except InvalidError as error:
        raise click.BadParameter(error.problems[0].sentence, param_hint="--from") from None


def _find(rules: Sequence[str], automation: str) -> Automation:
    # Imported here: an expression needs no readers.
    from wakeful.reading import load_rules  # noqa: PLC0415

    resource = automation if automation.startswith(SCHEME) else f"{SCHEME}/{automation}"
    known = load_rules(rules).automations
    for candidate in known:
        if candidate.resource == resource:
            return candidate
    names = ", ".join(candidate.resource.removeprefix(f"{SCHEME}/") for candidate in known)
    raise click.UsageError(f"the rules have no automation {automation!r}; they have: {names}")


def _schedules_of(automation: Automation) -> Sequence[tuple[str, Schedule]]:
    schedules: list[tuple[str, Schedule]] = []
    problems: list[Problem] = []
    for index, trigger in enumerate(automation.definition.triggers):
        if isinstance(trigger, ScheduleTrigger):
            try:
                schedule = Schedule.parse(trigger.expression, trigger.time_zone)
            except InvalidError as error:
                problems.extend(
                    attrs.evolve(problem, path=f"triggers[{index}].schedule: {problem.path}")
                    for problem in error.problems
                )
            else:
                schedules.append((trigger.title or trigger.id, schedule))
    if problems:
        raise InvalidError(problems)
    return schedules


def _print_json(plan: _Plan, after: Instant, count: int) -> None:
    for _, (instant, _, schedule) in zip(range(count), plan.occurrences(after), strict=False):
        line: dict[str, object] = {
            "at": format_instant(instant),
            "local": plan.zone_of(schedule).format_local(instant),
        }
        if schedule.zone.repeats(instant):
            line["repeated"] = True
        click.echo(msgspec.json.encode(line).decode())


def _print_table(plan: _Plan, after: Instant, count: int) -> None:
    several = len(plan.schedules) > 1
    table = Table(title=escape("\n".join(str(schedule) for _, schedule in plan.schedules)))
    headings = ["local time", "offset", "instant", *(["schedule"] if several else []), "note"]
    for heading in headings:
        table.add_column(heading, no_wrap=heading != "note")
    rows: list[tuple[Instant, list[str]]] = []
    last = after
    for _, (instant, name, schedule) in zip(range(count), plan.occurrences(after), strict=False):
        last = instant
        zone = plan.zone_of(schedule)
        offset = zone.offset_at(instant) // MINUTE
        note = "repeated: the clocks went back" if schedule.zone.repeats(instant) else ""
        rows.append(
            (
                instant,
                [
                    _show_minute(instant // MINUTE + offset),
                    zone.format_local(instant)[-6:],
                    format_instant(instant),
                    *([name] if several else []),
                    note,
                ],
            )
        )
    for name, schedule in plan.schedules:
        for change, gap in groupby(schedule.skipped(after, last), key=lambda item: item[0]):
            rows.extend(
                (change, [shown, "", "", *([name] if several else []), note])
                for shown, note in _show_gap([minute for _, minute in gap])
            )
    # What a change skips comes before what occurs at that very instant.
    rows.sort(key=lambda row: (row[0], row[1][2] != ""))
    for _, cells in rows:
        table.add_row(*map(escape, cells), style=None if cells[2] else "dim")
    console = Console()
    if not console.is_terminal:
        # A pipe or a file has no width of its own to wrap at.
        console.width = max(console.width, console.measure(table).maximum, _PIPE_WIDTH)
    console.print(table)


def _show_gap(minutes: Sequence[int]) -> Iterator[tuple[str, str]]:
    note = "skipped: the clocks went forward"
    if len(minutes) <= _GAP_ROWS:
        yield from ((_show_minute(minute), note) for minute in minutes)
        return
    yield _show_minute(minutes[0]), f"{note}, {len(minutes)} times"
    yield _show_minute(minutes[-1]), "skipped, the last of them"


def _show_minute(minute: int) -> str:
    return f"{_WEEKDAYS[weekday_of(minute)]} {format_minute(minute).replace('T', ' ')}"
