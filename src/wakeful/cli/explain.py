"""``wakeful explain``: why rules fired, and why they did not."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import click
from rich.console import Console
from rich.markup import escape

from wakeful.cli import options
from wakeful.cli.played import Given
from wakeful.cli.status import INTERRUPTED, OK
from wakeful.cli.words import local, short
from wakeful.core.statistics import Pending
from wakeful.cron import Zone
from wakeful.explain.clocks import Tick, ticks
from wakeful.explain.firings import Firing, firings
from wakeful.explain.lacks import Miss
from wakeful.explain.misses import near_misses
from wakeful.explain.records import firing_record, miss_record, pending_record, tick_record
from wakeful.explain.steps import RuleName, What
from wakeful.explain.trace_lines import write_trace
from wakeful.explain.tracer import Tracer
from wakeful.explain.watching import Watch
from wakeful.explain.wording import Wording
from wakeful.model.time import SECOND, Duration, Instant
from wakeful.replay import Replay, json_line

_LIMIT: Final = 5
_FIRED: Final = 20
"""How many matches are told in words; with ``--json`` all are."""


@attrs.frozen(kw_only=True)
class _Told:
    """Everything that is told."""

    fired: list[Firing]
    missed: list[Miss]
    waiting: list[Pending]
    ticked: list[Tick]

    def records(self) -> Iterator[dict[str, Any]]:
        yield from map(firing_record, self.fired)
        yield from map(miss_record, self.missed)
        yield from map(pending_record, self.waiting)
        yield from map(tick_record, self.ticked)


@click.command(
    "explain",
    epilog="Example: wakeful explain session.jsonl --rules rules.yaml --at 2026-10-07T14:04:11Z",
)
@options.logs_and_rules
@click.option("--automation", "automations", multiple=True, metavar="ID", help="Only this one.")
@click.option("--session", "sessions", multiple=True, metavar="S", help="Only this session.")
@click.option("--at", "at_text", metavar="AT", help="Only what was going on at this instant.")
@click.option("--from", "since", metavar="AT", help="Without a log: where time begins.")
@click.option("--until", metavar="AT", help="Feed records up to this instant; time goes on to it.")
@click.option(
    "--run-time",
    callback=options.run_time,
    metavar="DURATION|log",
    help="How long runs last, as of replay.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=_LIMIT,
    show_default=True,
    help="How many near misses are told, the nearest.",
)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every step to this file: a log that can be replayed itself.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def explain_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    rules: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    automations: tuple[str, ...],
    sessions: tuple[str, ...],
    at_text: str | None,
    since: str | None,
    until: str | None,
    run_time: options.RunTimeOption,
    limit: int,
    trace_file: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say why rules fired on recorded LOGs, and why they did not: the nearest misses first.

    On a long log name the --session: what is explained is kept in memory.
    """
    given = Given.read(
        logs=logs,
        rules=rules,
        format_=format_,
        zone=zone,
        reorder=reorder,
        since=since,
        until=until,
        run_time=run_time,
        quiet=quiet,
    )
    at = options.instant(at_text, "--at", None if zone is None else zone.tzinfo())
    ruleset = given.ruleset()
    resources = frozenset(options.resource(each) or each for each in automations)
    known = {each.resource for each in ruleset.automations}
    if unknown := sorted(resources - known):
        named = ", ".join(map(short, sorted(known)))
        raise click.UsageError(f"no automation {short(unknown[0])}; there are {named}")
    replay = Replay(
        ruleset.automations,
        types=ruleset.types,
        settings=given.settings,
        at=given.begins_at,
        until=given.until,
        refused=given.refuse,
    )
    watch = Watch(automations=resources or None, sessions=frozenset(sessions) or None)
    tracer = Tracer(replay, watch)
    status = OK
    try:
        tracer.play(given.inputs())
    except KeyboardInterrupt:
        click.echo("wakeful: interrupted; what was done so far:", err=True)
        status = INTERRUPTED
    told = _tell(tracer, limit, at, given.since)
    if trace_file is not None:
        with trace_file.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in write_trace(tracer))
    if as_json:
        for record in told.records():
            click.echo(json_line(record), nl=False)
    else:
        _print(told, given)
    return status or given.tell_unreadable()


def _tell(tracer: Tracer, limit: int, at: Instant | None, since: Instant | None) -> _Told:
    watch = tracer.watch
    fired = [each for each in firings(tracer) if _is_at(each.match.at, at)]
    if since is not None:
        fired = [each for each in fired if each.match.at >= since]
    waiting = [
        each
        for each in tracer.replay.engine.pending()
        if watch.has_automation(each.automation) and watch.has_session(each.session)
    ]
    return _Told(
        fired=fired,
        missed=near_misses(tracer, limit=limit, at=at) if limit else [],
        waiting=waiting,
        ticked=[each for each in _ticks(tracer) if _is_at(each.at, at)],
    )


def _ticks(tracer: Tracer) -> list[Tick]:
    first, last = tracer.began_at, tracer.replay.engine.now
    if first is None or last is None:
        return []
    decisions = [
        step.decision
        for step in tracer.steps
        if step.what is What.DECIDED and step.decision is not None
    ]
    automations = [
        each for each in tracer.replay.automations if tracer.watch.has_automation(each.resource)
    ]
    return ticks(automations, decisions, since=first, until=last)


def _is_at(instant: Instant, at: Instant | None) -> bool:
    """Whether an instant is the one asked for: the second, where whole seconds were named."""
    if at is None or instant == at:
        return True
    return at % SECOND == 0 and at <= instant < at + SECOND


def _print(told: _Told, given: Given) -> None:
    zone = given.timezone
    wording = Wording(lambda instant: local(instant, zone))
    console = Console(highlight=False, soft_wrap=True)
    name = "UTC" if given.zone is None else given.zone.name
    console.print(f"times in {escape(name)}")
    _head(console, f"Fired ({len(told.fired):,})", told.fired)
    for firing in told.fired[:_FIRED]:
        about = _about(firing.rule, firing.match.session)
        console.print(f"[green]{local(firing.match.at, zone)}[/green]  {escape(about)}")
        _lines(console, wording.firing(firing))
    if len(told.fired) > _FIRED:
        console.print(f"… and {len(told.fired) - _FIRED:,} more; --json tells all")
    _head(console, "Nearest misses", told.missed)
    for miss in told.missed:
        about = _about(miss.rule, miss.session)
        console.print(f"[yellow]{local(miss.at, zone)}[/yellow]  {escape(about)}")
        _lines(console, wording.miss(miss))
    _head(console, "Schedules", told.ticked)
    for tick in told.ticked[:_FIRED]:
        about = _about(RuleName(automation=tick.automation, trigger=tick.trigger), None)
        _lines(console, [f"{about}  {wording.tick(tick)}"])
    if len(told.ticked) > _FIRED:
        console.print(f"… and {len(told.ticked) - _FIRED:,} more; --json tells all")
    _head(console, "Waiting now", told.waiting)
    _lines(console, (wording.pending(each) for each in told.waiting))
    if not (told.fired or told.missed or told.waiting or told.ticked):
        console.print("nothing that the rules are about happened")


def _head(console: Console, text: str, what: Iterable[object]) -> None:
    if what:
        console.print(f"\n[bold]{text}[/bold]")


def _lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(f"  {escape(line)}")


def _about(rule: RuleName, session: str | None) -> str:
    name = f"{short(rule.automation)}  {rule.trigger}"
    if rule.preset is not None:
        name += f"/{rule.preset}"
    return name if session is None else f"{name}  {session}"
