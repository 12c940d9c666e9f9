"""The group of all subcommands, and what every one of them ends with.

A subcommand is a click command in a module of its own; it returns its exit status or raises,
and :func:`main` makes of either what a shell sees: a message and a status, never a traceback.
"""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final, NamedTuple

import click

from wakeful._version import __version__
from wakeful.cli import interrupts
from wakeful.cli.status import BAD_NEWS, INTERRUPTED, OK, REFUSED, USAGE
from wakeful.errors import InvalidError, LogError, WakefulError


class Entry(NamedTuple):
    """A subcommand: where it is, and its line of help, known without importing it."""

    module: str
    name: str
    help: str


COMMANDS: Final[Mapping[str, Entry]] = MappingProxyType(
    {
        "check": Entry("check", "check_command", "Tell what is wrong with rules, or never meant."),
        "compare": Entry("compare", "compare_command", "Tell two versions of rules apart by logs."),
        "convert": Entry("convert", "convert_command", "Write any readable log as a native one."),
        "explain": Entry("explain", "explain_command", "Say why rules fired, and why not."),
        "export": Entry("export", "export_command", "Export an automation of a folder as a file."),
        "hook": Entry("hook_command", "hook_command", "Hand a hook's payload to a running watch."),
        "import": Entry("import_", "import_command", "Make a new automation of an exported file."),
        "list": Entry("list", "list_command", "List the automations of a folder."),
        "logs": Entry("logs", "logs_command", "List what logs hold, and what cannot be read."),
        "next": Entry("next", "next_command", "Show when an expression or a schedule occurs next."),
        "replay": Entry("replay", "replay_command", "Replay recorded logs against rules."),
        "schema": Entry("schema", "schema_command", "Print the JSON Schema of what people write."),
        "shrink": Entry("shrink", "shrink_command", "Make a small rule test of a match in a log."),
        "sweep": Entry("sweep", "sweep_command", "Try numbers in rules, and count what comes."),
        "test": Entry("test", "test_command", "Run rule tests."),
        "watch": Entry("watch", "watch_command", "Follow the agents of this machine as they work."),
    }
)
"""The subcommands, by the name they are called with."""

_COMPLETE: Final = "_WAKEFUL_COMPLETE"
_TRACEBACK: Final = "WAKEFUL_TRACEBACK"

_CLOSE: Final = 0.5
"""How alike a word and a command have to be (difflib's ratio) for it to be meant."""


class LazyGroup(click.Group):
    """A group that imports a subcommand's module when the subcommand is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all subcommands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The subcommand of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(
            importlib.import_module(f"wakeful.cli.{entry.module}"), entry.name
        )
        interrupts.raise_again()
        _take_quiet(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the arguments begin with.

        Raises:
            click.UsageError: There is none of that name; it says which may have been meant.
        """
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            meant = get_close_matches(name, COMMANDS, n=1, cutoff=_CLOSE)
            hint = f" Did you mean {meant[0]!r}?" if meant else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])


def _take_quiet(command: click.Command) -> None:
    """Let a command take ``--quiet`` that says nothing but its result anyway, as all do."""
    if all(parameter.name != "quiet" for parameter in command.params):
        command.params.append(
            click.Option(
                ["-q", "--quiet"],
                is_flag=True,
                expose_value=False,
                help="Say nothing but the result, which is all this command says.",
            )
        )


def _version(ctx: click.Context, _parameter: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click's signature
    if given:
        from wakeful.cron import tzdata_version  # noqa: PLC0415 - zones are slow to import

        click.echo(f"wakeful {__version__} (tz database {tzdata_version()})")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: wakeful replay session.jsonl --rules rules.yaml",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and that of the time zone data, and exit.",
)
def group() -> None:
    """Decides when an automation should wake."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: Those of the command line where left out.

    Returns:
        The exit status: 0; 1 for bad news, 2 for usage, 3 for rules that were refused, 130
        after an interrupt.
    """
    if sys.stderr is None:
        # Python has no stream where a descriptor is closed; whoever closed it wants no messages.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    if sys.stdout is None:
        click.echo("wakeful: standard output is closed", err=True)
        return BAD_NEWS
    for stream in (sys.stdout, sys.stderr):
        # What a log holds is shown as it can be: no text of somebody else's ends the command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if _COMPLETE in os.environ:
        group.main(prog_name="wakeful")
    try:
        status = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python flushes once more at the end.
        _silence(sys.stdout)
        return OK
    return status


def _invoke(arguments: list[str]) -> int:
    try:
        with group.make_context("wakeful", arguments) as context:
            returned: Any = group.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("wakeful: interrupted", err=True)
        return INTERRUPTED
    except InvalidError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        return REFUSED
    except (LogError, WakefulError) as error:
        click.echo(f"wakeful: {error}", err=True)
        return BAD_NEWS
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "" if error.filename is None else f"{error.filename}: "
        click.echo(f"wakeful: {name}{error.strerror or error}", err=True)
        return BAD_NEWS
    except Exception as error:
        # A fault of this program. Whoever runs it has no use for a traceback; whoever mends
        # it asks for one.
        if _TRACEBACK in os.environ:
            raise
        click.echo(
            f"wakeful: a fault of wakeful itself: {type(error).__name__}: {error} "
            f"(with {_TRACEBACK}=1 it shows where)",
            err=True,
        )
        return BAD_NEWS
    return returned if isinstance(returned, int) else OK


def _silence(stream: IO[str]) -> None:
    """Point a stream that nobody reads at nothing."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
