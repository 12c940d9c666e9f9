"""``wakeful hook`` for people: its help, and the settings that make an agent call it."""

import json
import shlex
import shutil
import sys
from typing import Any, Final

import click

from wakeful.cli.hook import deliver
from wakeful.cli.status import OK

_EVENTS: Final = (
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionDenied",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
)
_WITH_TOOLS: Final = frozenset(
    {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"}
)
_SECONDS: Final = 5


@click.command("hook", epilog="Example: wakeful hook --install")
@click.option("--install", is_flag=True, help="Show the settings that make Claude Code call this.")
@click.option("--socket", metavar="PATH", help="Where `wakeful watch` listens.")
def hook_command(*, install: bool, socket: str | None) -> int:
    """Hand a Claude Code hook's payload, from standard input, to a running `wakeful watch`.

    It says nothing and succeeds, also when nobody listens. --install edits nothing.
    """
    if not install:
        return deliver(socket)
    click.echo(json.dumps(settings(socket), indent=2))
    click.echo(
        "Add this to ~/.claude/settings.json, or to .claude/settings.json of a project; "
        "nothing was changed.",
        err=True,
    )
    return OK


def settings(socket: str | None) -> dict[str, Any]:
    """What is to be added to Claude Code's settings."""
    command = shutil.which("wakeful") or f"{shlex.quote(sys.executable)} -m wakeful.cli"
    words = [command, "hook"]
    if socket is not None:
        words += ["--socket", shlex.quote(socket)]
    call = {"type": "command", "command": " ".join(words), "timeout": _SECONDS}
    return {
        "hooks": {
            event: [{**({"matcher": "*"} if event in _WITH_TOOLS else {}), "hooks": [call]}]
            for event in _EVENTS
        }
    }
