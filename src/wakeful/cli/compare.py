"""``wakeful compare``: two versions of rules on the same logs."""

from collections import Counter
from typing import Final

import click
from rich.console import Console
from rich.markup import escape

from wakeful.cli import options
from wakeful.cli.played import Given
from wakeful.cli.status import BAD_NEWS, OK
from wakeful.cli.words import local, short
from wakeful.cron import Zone
from wakeful.explain.comparing import Change, Comparison, Difference, Wake
from wakeful.explain.playing import bounded
from wakeful.model.time import Duration
from wakeful.reading import Ruleset, load_rules
from wakeful.replay import Replay, json_line

_STYLES: Final = {
    Change.GAINED: "green",
    Change.LOST: "red",
    Change.MOVED: "yellow",
    Change.CHANGED: "yellow",
}


@click.command(
    "compare",
    epilog="Example: wakeful compare logs/ --old rules.yaml --new edited.yaml --fail-on-change",
)
@click.argument("logs", nargs=-1, metavar="[LOG]...")
@click.option("--old", multiple=True, required=True, metavar="PATH|@ID", help="The rules before.")
@click.option("--new", multiple=True, required=True, metavar="PATH|@ID", help="The rules after.")
@options.log_options
@click.option("--from", "since", metavar="AT", help="Without a log: where time begins.")
@click.option("--until", metavar="AT", help="Feed records up to this instant; time goes on to it.")
@click.option(
    "--run-time",
    callback=options.run_time,
    metavar="DURATION|log",
    help="How long runs last, as of replay.",
)
@click.option("--matches", is_flag=True, help="Compare matches in place of decisions.")
@click.option("--fail-on-change", is_flag=True, help="Exit with 1 where anything differs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def compare_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    old: tuple[str, ...],
    new: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    since: str | None,
    until: str | None,
    run_time: options.RunTimeOption,
    matches: bool,
    fail_on_change: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say which wakes the new rules gain, lose and move on recorded LOGs, read once for both."""
    given = Given.read(
        logs=logs,
        rules=old,
        format_=format_,
        zone=zone,
        reorder=reorder,
        since=since,
        until=until,
        run_time=run_time,
        quiet=quiet,
    )
    comparison = Comparison(
        _replay(load_rules(old), given),
        _replay(load_rules(new), given),
        matches=matches,
    )
    inputs = bounded(given.inputs(), since=given.begins_at, until=given.until)
    differences = comparison.differences(inputs)
    if as_json:
        for each in differences:
            click.echo(json_line(each.to_dict()), nl=False)
    else:
        _print(differences, comparison.same, given)
    changed = BAD_NEWS if fail_on_change and differences else OK
    return given.tell_unreadable() or changed


def _replay(ruleset: Ruleset, given: Given) -> Replay:
    return Replay(ruleset.automations, types=ruleset.types, settings=given.settings)


def _print(differences: list[Difference], same: int, given: Given) -> None:
    console = Console(highlight=False, soft_wrap=True)
    zone = given.timezone

    def told(wake: Wake | None) -> str:
        if wake is None:
            return ""
        words = [local(wake.at, zone), wake.decision, wake.reason, wake.event]
        count = None if wake.count is None else f"count {wake.count}"
        return " ".join(word for word in (*words, count) if word)

    for each in differences:
        wake = each.new or each.old
        if wake is None:
            continue
        style = _STYLES[each.change]
        about = "  ".join(
            part for part in (short(wake.automation), wake.trigger, wake.session) if part
        )
        both = each.old is not None and each.new is not None
        what = f"{told(each.old)} → {told(each.new)}" if both else told(wake)
        console.print(f"[{style}]{each.change.value:<8}[/{style}] {escape(about)}  {escape(what)}")
    counts = Counter(each.change for each in differences)
    summary = ", ".join(f"{change.value} {counts[change]:,}" for change in Change)
    console.print(f"same {same:,}, {summary}")
