"""``wakeful test``: rule tests, run and reported."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import attrs
import click
from rich.console import Console

from wakeful.cli.status import BAD_NEWS, INTERRUPTED, OK, REFUSED
from wakeful.cli.terminal import escape
from wakeful.errors import InvalidError, Problem
from wakeful.rule_tests import Case, Outcome, find_tests, read_tests, run_case, write_junit


@attrs.define(kw_only=True)
class _Ran:
    """What was run so far, and what could not be."""

    outcomes: list[tuple[Outcome, float]] = attrs.field(factory=list)
    problems: list[Problem] = attrs.field(factory=list)

    @property
    def failed(self) -> int:
        """How many tests did not come as expected."""
        return sum(not outcome.passed for outcome, _ in self.outcomes)

    @property
    def status(self) -> int:
        """The exit status that this makes."""
        if self.problems:
            return REFUSED
        return BAD_NEWS if self.failed or not self.outcomes else OK


@click.command("test", epilog="Example: wakeful test rulesets -k silent")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-k",
    "--name",
    "names",
    multiple=True,
    metavar="TEXT",
    help="Only tests whose file or name holds this text, in any case; repeatable.",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report as JUnit XML.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show only what failed.")
def test_command(
    *, paths: tuple[str, ...], names: tuple[str, ...], junit: Path | None, quiet: bool
) -> int:
    """Run the rule tests in PATH: *.test.yaml files, folders with all below, or @ for the shipped.

    A test feeds inputs to rules and expects all that comes of it, in order. Nothing ever
    rewrites what is expected.
    """
    files = find_tests(paths)
    console = Console(highlight=False, soft_wrap=True)
    ran = _Ran()
    status: int | None = None
    try:
        for file in files:
            _run_file(file, names, ran, console, quiet=quiet)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if junit is not None:
        write_junit(junit, ran.outcomes, ran.problems)
    for problem in ran.problems:
        click.echo(str(problem), err=True)
    if status == INTERRUPTED:
        click.echo("wakeful: interrupted; what was done so far is told", err=True)
    if not ran.outcomes and not ran.problems:
        click.echo("wakeful: no rule tests" + (" of that name" if names else ""), err=True)
    if not quiet or ran.failed:
        console.print(_total(ran))
    return ran.status if status is None else status


def _run_file(
    file: Path, names: tuple[str, ...], ran: _Ran, console: Console, *, quiet: bool
) -> None:
    before = len(ran.outcomes), ran.failed
    try:
        for case in _named(read_tests(file), names):
            started = perf_counter()
            outcome = run_case(case)
            ran.outcomes.append((outcome, perf_counter() - started))
            if not outcome.passed:
                _tell(outcome, console)
    except InvalidError as error:
        ran.problems.extend(error.problems)
        return
    tests, failed = len(ran.outcomes) - before[0], ran.failed - before[1]
    if tests and not failed and not quiet:
        console.print(f"[green]ok[/green]      {escape(str(file))} ({tests})")


def _named(cases: tuple[Case, ...], names: tuple[str, ...]) -> Iterator[Case]:
    wanted = [name.casefold() for name in names]
    for case in cases:
        text = f"{Path(case.file).name} {case.name}".casefold()
        if not wanted or any(name in text for name in wanted):
            yield case


def _tell(outcome: Outcome, console: Console) -> None:
    case = outcome.case
    console.print(f"[red]failed[/red]  {escape(case.file)}:{case.line}: {escape(case.name)}")
    colours = {"-": "red", "+": "green"}
    for line in outcome.text().splitlines():
        colour = colours.get(line.strip()[:1])
        text = escape(line)
        console.print(f"    [{colour}]{text}[/{colour}]" if colour else f"    {text}")


def _total(ran: _Ran) -> str:
    parts = [f"{len(ran.outcomes) - ran.failed} passed"]
    if ran.failed:
        parts.append(f"[red]{ran.failed} failed[/red]")
    if ran.problems:
        parts.append(f"[red]{len(ran.problems)} refused[/red]")
    return ", ".join(parts)
