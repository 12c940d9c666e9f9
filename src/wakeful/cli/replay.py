"""``wakeful replay``: recorded logs against rules."""

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import click
from rich.console import Console

from wakeful.cli import options
from wakeful.cli.picture import Picture, picture_path
from wakeful.cli.progress import ReadingProgress
from wakeful.cli.sought import Sought
from wakeful.cli.status import INTERRUPTED, OK
from wakeful.cli.summary import print_summary
from wakeful.cli.unreadable import tell_unreadable
from wakeful.cli.wakes import WakesTable
from wakeful.cli.words import timezone
from wakeful.cli.written_file import WrittenFile, written_file
from wakeful.cron import Zone
from wakeful.data import log_path
from wakeful.logs.report import LogReport
from wakeful.logs.stream import LogStream, open_logs
from wakeful.model.outputs import Decision, Fault, Match
from wakeful.model.time import Duration, Instant
from wakeful.reading import load_rules
from wakeful.replay import DEFAULTS, Replay, decision_record, json_line, match_record
from wakeful.report import Shown

_STANDARD_INPUT: Final = "-"


@attrs.frozen(kw_only=True)
class _Shown:
    """Which outputs are shown, and how."""

    as_json: bool
    matches: bool
    quiet: bool
    since: Instant | None
    session: str | None
    automation: str | None
    zone: Zone | None

    @property
    def zone_name(self) -> str:
        return "UTC" if self.zone is None else self.zone.name

    def is_shown(self, output: Match | Decision) -> bool:
        return (
            isinstance(output, Match if self.matches else Decision)
            and (self.since is None or output.at >= self.since)
            and (self.session is None or output.session == self.session)
            and (self.automation is None or output.automation == self.automation)
        )


@click.command(
    "replay",
    epilog="Example: wakeful replay session.jsonl --rules rules.yaml --run-time 5m",
)
@options.logs_and_rules
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line on standard output.")
@click.option("--matches", is_flag=True, help="Show matches in place of decisions.")
@click.option("--from", "since", metavar="AT", help="Hide what came out before this instant.")
@click.option("--until", metavar="AT", help="Feed records up to this instant; time goes on to it.")
@click.option(
    "--run-time",
    callback=options.run_time,
    metavar="DURATION|log",
    help="How long runs last; log: until a record settles them. By default a run is over before "
    "the next match is decided.",
)
@click.option("--session", metavar="S", help="Show the outputs of this session only.")
@click.option("--automation", metavar="ID", help="Show the outputs of this automation only.")
@click.option(
    "--summary",
    "summary_file",
    callback=written_file,
    metavar="FILE",
    help="Write the summary to this file, as JSON.",
)
@click.option(
    "--report",
    "picture_file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=picture_path,
    metavar="FILE.html|.svg|.png",
    help="Draw it: a page of the whole, or a static picture of one --session or --automation.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Match by N processes; what comes out is the same. For logs of some hundred megabytes.",
)
@click.option(
    "--dask",
    "scheduler",
    metavar="ADDRESS",
    help="Match by the workers of a Dask cluster, which see this machine's temporary folder.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor summary.")
def replay_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    rules: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    as_json: bool,
    matches: bool,
    since: str | None,
    until: str | None,
    run_time: options.RunTimeOption,
    session: str | None,
    automation: str | None,
    summary_file: WrittenFile | None,
    picture_file: Path | None,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
) -> int:
    """Replay recorded LOGs against rules: what would have woken, when, and what came of it.

    LOG is a file, a folder, or - for standard input. Without LOG and --rules the recorded day
    that comes with the package is replayed with the rules that come with it.
    """
    if logs and not rules:
        raise click.UsageError("a log needs rules: --rules PATH, or --rules @ for the shipped ones")
    _verify_workers(workers, scheduler, picture_file)
    named_zone = None if zone is None else zone.tzinfo()
    since_at, until_at = options.span(since, until, named_zone)
    if rules and not logs and (since_at is None or until_at is None):
        raise click.UsageError("rules without a log need --from and --until")
    if not rules:
        logs, rules, format_ = (str(log_path()),), ("@",), "wakeful"
        run_time = "log" if run_time is None else run_time
    _verify(summary_file, picture_file, (*logs, *rules))
    ruleset = load_rules(rules)
    named = options.resource(automation)
    if named is not None:
        options.known_automation(named, ruleset)
    open_ = partial(
        open_logs, logs, format=format_, zone=named_zone, reorder=reorder, until=until_at
    )
    make = partial(
        Replay,
        ruleset.automations,
        types=ruleset.types,
        settings=attrs.evolve(DEFAULTS, run_time="none" if run_time is None else run_time),
        at=None if logs else since_at,
        until=until_at,
    )
    shown = _Shown(
        as_json=as_json,
        matches=matches,
        quiet=quiet,
        since=since_at,
        session=session,
        automation=named,
        zone=zone,
    )
    picture = None
    if picture_file is not None:
        again = None if _STANDARD_INPUT in logs else open_ if logs else tuple
        hidden = Shown(since=shown.since, session=shown.session, automation=shown.automation)
        picture = Picture(picture_file, make, reopen=again, shown=hidden)
    with ExitStack() as stack:
        one = workers is None and scheduler is None
        made = make if one else _by_workers(make, workers, scheduler, stack)
        stream = open_() if logs else None
        replay = made(refused=None if stream is None else stream.refuse)
        return _play(replay, stream, shown, summary_file, picture)


def _verify_workers(workers: int | None, scheduler: str | None, picture_file: Path | None) -> None:
    """See to it that workers are asked for in one way, and for what they can do.

    Raises:
        click.UsageError: They are not.
    """
    if workers is not None and scheduler is not None:
        raise click.UsageError("--workers and --dask are two ways of one thing: give one of them")
    if picture_file is not None and (workers is not None or scheduler is not None):
        raise click.UsageError(
            "--report looks at every step, so it works in one process: leave out --workers, --dask"
        )


def _by_workers(
    make: "partial[Replay]", workers: int | None, scheduler: str | None, stack: ExitStack
) -> Callable[..., Replay]:
    """The same replay by workers, who are let go with the stack."""
    # Not needed by any other replay, and slow to import.
    from wakeful.replay.parallel import ParallelReplay, dask, processes  # noqa: PLC0415

    found = processes(workers or 1) if scheduler is None else dask(scheduler)
    return partial(ParallelReplay, *make.args, workers=stack.enter_context(found), **make.keywords)


def _verify(
    summary_file: WrittenFile | None, picture_file: Path | None, read: tuple[str, ...]
) -> None:
    """See to it, before anything is done, that what comes of it can be written."""
    picture = None if picture_file is None else WrittenFile(picture_file, "--report")
    for file in (summary_file, picture):
        if file is not None:
            file.verify(read)


def _play(
    replay: Replay,
    stream: LogStream | None,
    shown: _Shown,
    summary_file: WrittenFile | None,
    picture: Picture | None,
) -> int:
    errors = Console(stderr=True, highlight=False)
    status = OK
    with ReadingProgress(errors, quiet=shown.quiet) as progress:
        write = _writer(shown, progress, errors)
        sought = Sought(shown.session)
        inputs = sought.among(() if stream is None else progress.follow(stream))
        outputs = replay.outputs(inputs) if picture is None else picture.outputs(replay, inputs)
        try:
            for output in outputs:
                if isinstance(output, Fault):
                    progress.stop()
                    click.echo(f"{output.automation} {output.trigger}: {output.message}", err=True)
                elif shown.is_shown(output):
                    write(output)
        except KeyboardInterrupt:
            status = INTERRUPTED
    sys.stdout.flush()
    report = LogReport() if stream is None else stream.report
    zone = timezone(shown.zone)
    summary = replay.summary(read=report, zone=zone)
    if status == INTERRUPTED:
        errors.print("interrupted; what was done so far:")
    if not shown.quiet:
        console = errors if shown.as_json else Console(highlight=False)
        print_summary(console, summary, zone=zone, zone_name=shown.zone_name, report=report)
    if summary_file is not None:
        summary_file.write(json.dumps(summary.to_dict(), indent=2) + "\n")
    if picture is not None:
        picture.draw(summary, shown.zone)
    sought.tell()
    return status or tell_unreadable(report)


def _writer(
    shown: _Shown, progress: ReadingProgress, errors: Console
) -> Callable[[Match | Decision], None]:
    """What writes one output to where it belongs."""
    if shown.as_json:
        out = sys.stdout

        def write_json(output: Match | Decision) -> None:
            record = match_record(output) if isinstance(output, Match) else decision_record(output)
            out.write(json_line(record))

        return write_json
    console = Console(highlight=False)
    table = WakesTable(
        console, zone=timezone(shown.zone), zone_name=shown.zone_name, matches=shown.matches
    )

    def write_row(output: Match | Decision) -> None:
        # While the bar stands on the terminal, rows go above it, through the same console.
        table.console = errors if progress.shown and console.is_terminal else console
        table.write(output)

    return write_row
