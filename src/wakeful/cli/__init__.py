"""The ``wakeful`` command: one module a subcommand, imported when it is called."""

from wakeful.cli.app import main

__all__ = ["main"]
