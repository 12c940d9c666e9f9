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
        handlers = Handlers(parts)
        self._known, self._checks = handlers.handlers.keys() | {SessionEvent}, handlers.checks
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
        self._check(item)
        now = self.now
        if now is not None and item.at < now:
            item = attrs.evolve(item, at=now)
            self.late += 1
        self.now = item.at
        self.number += 1
        if isinstance(item, TypeRegistered):
            self._types.register(item.definition, item.by)
        elif isinstance(item, TypeRemoved):
            self._types.remove(item.type)
        return item

    def _check(self, given: Any) -> None:
        form = type(given)
        if (
            form not in self._known
            or type(given.at) is not int
            or not MIN_INSTANT <= given.at <= MAX_INSTANT
        ):
            raise refuse(given)
        if form is SessionEvent:
            if (
                type(given.kind) is not str
                or given.kind not in BITS
                or type(given.session) is not str
                or type(given.facts) is not Facts
            ):
                raise refuse(given)
            return
        check = self._checks.get(form)
        problems = () if check is None else tuple(check(given))
        if problems:
            raise refuse(given, problems)
