"""The reference of the command, read off the command: what each says of itself, and its options."""

import click
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from wakeful.cli.app import COMMANDS, group


def pages() -> dict[str, str]:
    """Each command's section as Markdown, by its name, in the order of the alphabet."""
    context = click.Context(group, info_name="wakeful")
    return {name: _section(context, name) for name in sorted(COMMANDS)}


def _section(parent: click.Context, name: str) -> str:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"## {name}", "", "```text", usage, "```", "", _plain(command.help or ""), ""]
    lines += ["| option | |", "|---|---|"]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            option, words = record
            lines.append(f"| `{_cell(option)}` | {_cell(_plain(words))} |")
    example = (command.epilog or "").removeprefix("Example: ")
    return "\n".join([*lines, "", "```sh", example, "```", ""])


def _plain(text: str) -> str:
    """Help as running text: its lines are broken for a terminal."""
    paragraphs = click.unstyle(text).replace("\b", "").split("\n\n")
    return "\n\n".join(
        " ".join(each.split()).replace("[default", r"\[default") for each in paragraphs
    )


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("<", r"\<")


class Commands(Directive):
    """All commands, each a section of its own."""

    def run(self) -> list[nodes.Node]:
        """What MyST makes of the sections."""
        lines = "\n".join(pages().values()).splitlines()
        self.state.nested_parse(
            StringList(lines, source="wakeful --help"),
            0,
            holder := nodes.section(),
            match_titles=True,
        )
        return holder.children
