"""``wakeful shrink``: a match in a log as a small rule test."""

import os
from pathlib import Path
from typing import Final

import attrs
import click

from wakeful.cli import options
from wakeful.cli.played import Given
from wakeful.cli.status import BAD_NEWS
from wakeful.cli.words import short
from wakeful.cron import Zone
from wakeful.explain.firings import Firing, firings
from wakeful.explain.shrinking import Shrinker
from wakeful.explain.test_files import write_test
from wakeful.explain.tracer import Tracer
from wakeful.explain.watching import Watch
from wakeful.model.outputs import Match
from wakeful.model.time import Duration, Instant, format_instant
from wakeful.reading import Ruleset
from wakeful.reading.rulesets import SHIPPED, TEST_SUFFIX
from wakeful.replay import Replay

_FIRST: Final = "1"


@click.command(
    "shrink",
    epilog="Example: wakeful shrink session.jsonl --rules rules.yaml --match 3 "
    "--out loop.test.yaml",
)
@options.logs_and_rules
@click.option(
    "--match",
    "which",
    default=_FIRST,
    show_default=True,
    metavar="N|AT",
    help="Which match: its number, in order, or its instant.",
)
@click.option("--automation", metavar="ID", help="Of this automation's matches.")
@click.option("--session", metavar="S", help="Of this session's matches.")
@click.option("--until", metavar="AT", help="Feed records up to this instant; time goes on to it.")
@click.option("--keep-names", is_flag=True, help="Leave names and texts as they are.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.test.yaml",
    help="Write the test to this file; standard output where left out.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def shrink_command(  # noqa: PLR0913 - one for each option of the command
    *,
    logs: tuple[str, ...],
    rules: tuple[str, ...],
    format_: str,
    zone: Zone | None,
    reorder: Duration | None,
    which: str,
    automation: str | None,
    session: str | None,
    until: str | None,
    keep_names: bool,
    out: Path | None,
    quiet: bool,
) -> int:
    """Make a rule test of one match in recorded LOGs: no input of it can be left out."""
    if out is not None and not out.name.endswith(TEST_SUFFIX):
        raise click.BadParameter(f"a rule test's name ends in {TEST_SUFFIX}", param_hint="'--out'")
    given = Given.read(
        logs=logs,
        rules=rules,
        format_=format_,
        zone=zone,
        reorder=reorder,
        until=until,
        quiet=quiet,
    )
    at = (
        None
        if which.isdecimal() and len(which) < 10
        else options.instant(which, "--match", None if zone is None else zone.tzinfo())
    )
    ruleset = given.ruleset()
    resource = options.resource(automation)
    tracer = Tracer(
        Replay(
            ruleset.automations,
            types=ruleset.types,
            settings=given.settings,
            until=given.until,
            refused=given.refuse,
        ),
        Watch(
            automations=None if resource is None else frozenset({resource}),
            sessions=None if session is None else frozenset({session}),
        ),
    )
    tracer.play(given.inputs())
    found = [each for each in firings(tracer) if session is None or each.match.session == session]
    firing = _chosen(found, which, at)
    if firing is None:
        click.echo(f"wakeful: no such match; there are {len(found):,}", err=True)
        return given.tell_unreadable() or BAD_NEWS
    text = _test(firing, ruleset, given, out, redact=not keep_names)
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
    return given.tell_unreadable()


def _chosen(found: list[Firing], which: str, at: Instant | None) -> Firing | None:
    if at is not None:
        return next((each for each in found if each.match.at == at), None)
    number = int(which)
    return found[number - 1] if 0 < number <= len(found) else None


def _test(firing: Firing, ruleset: Ruleset, given: Given, out: Path | None, *, redact: bool) -> str:
    shrinker = Shrinker(firing, types=ruleset.types, settings=given.settings)
    slice_ = shrinker.slice(redact=redact)
    # The rules of the test are all there are: what others of them make of it is expected too.
    replay = Replay(
        ruleset.automations,
        types=ruleset.types,
        settings=attrs.evolve(given.settings, messages=False),
        until=slice_.until,
    )
    matches = [each for each in replay.outputs(slice_.inputs) if isinstance(each, Match)]
    match = firing.match
    trigger = match.trigger if match.preset is None else f"{match.trigger}/{match.preset}"
    name = f"{short(match.automation)} {trigger} matches, as on {format_instant(match.at)}"
    folder = Path.cwd() if out is None else out.resolve().parent
    paths = [
        path if path.startswith(SHIPPED) else os.path.relpath(Path(path).resolve(), folder)
        for path in given.rules
    ]
    return write_test(slice_, matches, name=name, rules=paths, run_time=given.settings.run_time)
