"""One order for inputs that many take: each checked, at its instant, with its number."""

from typing import Any

import attrs

from wakeful.core.compile import BITS
from wakeful.core.handlers import Handlers
from wakeful.core.parts import Parts
from wakeful.core.refusals import refuse
from wakeful.core.settings import Settings
from wakeful.core.sight import GrantSight
from wakeful.model.events import Facts, Input, SessionEvent, TypeRegistered, TypeRemoved
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT, Instant
from wakeful.plugins import TypeRegistry


class Numbering:
    """Refuses, times and numbers the inputs of a log as one engine would, and no more.

    Whether an input is refused depends on the plugin types that are registered; those are
    kept in step here.

    Args:
        settings: As for an engine.

    Attributes:
        now: The instant of the last input that was taken; ``None`` before the first.
        number: The number of that input; 0 before the first.
        late: How many came from before the instant they are taken at (semantics 1.4).
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._types = TypeRegistry()
        parts = Parts(
            settings=Settings() if settings is None else settings,
            sight=GrantSight(),
            types=self._types,
            occurrences=None,
        )
        self._handlers = Handlers(parts)
        self.now: Instant | None = None
        self.number = 0
        self.late = 0

    def take(self, item: Input) -> Input:
        """Number an input; it is :attr:`number` then.

        Returns:
            The input; where it was late, one like it at the instant it is taken at.

        Raises:
            InputRefusedError: It is no input, or may not be taken. It has no number, and no
                time has passed.
        """
        given: Any = item
        # Nearly all are events, which no table of checks knows.
        form = type(given)
        if form is not SessionEvent:
            self._handlers.check(given)
            self._note_type(given)
        elif (
            type(given.kind) is not str
            or given.kind not in BITS
            or type(given.at) is not int
            or not MIN_INSTANT <= given.at <= MAX_INSTANT
            or type(given.session) is not str
            or type(given.facts) is not Facts
        ):
            raise refuse(given)
        now, at = self.now, given.at
        if now is not None and at < now:
            given = attrs.evolve(given, at=now)
            self.late += 1
        else:
            self.now = at
        self.number += 1
        taken: Input = given
        return taken

    def _note_type(self, given: Input) -> None:
        """What registers a plugin type, or removes it, does so here."""
        if isinstance(given, TypeRegistered):
            self._types.register(given.definition, given.by)
        elif isinstance(given, TypeRemoved):
            self._types.remove(given.type)
