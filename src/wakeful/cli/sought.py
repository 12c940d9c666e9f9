"""A session that an option names, looked for among the inputs as they pass."""

from collections.abc import Iterable, Iterator

import click

from wakeful.errors import visible
from wakeful.model.events import Input


class Sought:
    """Notes whether any input is about a session.

    Args:
        session: Its name; ``None`` where none was named.
    """

    def __init__(self, session: str | None) -> None:
        self._session = session
        self._found = session is None

    def among(self, inputs: Iterable[Input]) -> Iterable[Input]:
        """The inputs, looked at until one is about the session."""
        return inputs if self._found else self._looking(inputs)

    def tell(self) -> None:
        """Say on standard error where it never occurred."""
        if not self._found:
            click.echo(f"wakeful: no session {visible(self._session or '')} in the logs", err=True)

    def _looking(self, inputs: Iterable[Input]) -> Iterator[Input]:
        iterator = iter(inputs)
        for given in iterator:
            if getattr(given, "session", None) == self._session:
                self._found = True
                yield given
                break
            yield given
        yield from iterator
