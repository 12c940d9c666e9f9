"""``wakeful schema``: JSON Schema of what people write."""

import json
from typing import Literal

import click

from wakeful.cli.status import OK


@click.command("schema", epilog="Example: wakeful schema ruleset > wakeful.schema.json")
@click.argument("what", type=click.Choice(["ruleset", "automation", "test"]), default="ruleset")
def schema_command(*, what: Literal["ruleset", "automation", "test"]) -> int:
    """Print the JSON Schema of a ruleset, of an automation file's front matter, or of rule tests.

    Editors check and complete with it. It is made of the definitions that read these files.
    """
    click.echo(json.dumps(_schema(what), indent=2))
    return OK


def _schema(what: Literal["ruleset", "automation", "test"]) -> object:
    # Imported for the one that is asked for: readers are slow to import.
    if what == "test":
        from wakeful.rule_tests import rule_test_schema  # noqa: PLC0415

        return rule_test_schema()
    from wakeful.reading.schema import automation_file_schema, ruleset_schema  # noqa: PLC0415

    return ruleset_schema() if what == "ruleset" else automation_file_schema()
