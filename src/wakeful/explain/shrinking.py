"""Shrinking a log to what one match needs.

The inputs that explain a match are already few. What is left of them after leaving out one
by one all that it still matches without is a slice of which nothing can be left out. Then
what its inputs say is taken away where it does not matter, and names are replaced; each
time a replay says whether it still matches, at the same instant and by the same count.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import attrs

from wakeful.core.settings import Settings
from wakeful.explain.firings import Firing
from wakeful.explain.naming import Names
from wakeful.model.automations import Automation
from wakeful.model.events import NO_FACTS, Input, PluginEvent, SessionEvent, TurnStarted
from wakeful.model.outputs import Match
from wakeful.model.time import Instant
from wakeful.reading import DeclaredType
from wakeful.replay import DEFAULTS, Replay

Item = TypeVar("Item")


@attrs.frozen(kw_only=True)
class Slice:
    """Inputs by which a rule matches, and what they were replayed with.

    Attributes:
        inputs: None can be left out.
        match: The match they come to.
        until: How far time has to go on.
    """

    inputs: tuple[Input, ...]
    match: Match
    until: Instant


class Shrinker:
    """Shrinks what explains a match.

    Args:
        firing: The match, explained.
        types: The plugin types that are declared.
        settings: Those of the replay.
    """

    def __init__(
        self,
        firing: Firing,
        *,
        types: Iterable[DeclaredType] = (),
        settings: Settings = DEFAULTS,
    ) -> None:
        self._firing = firing
        self._types = tuple(types)
        self._settings = attrs.evolve(settings, messages=False)
        self._session = firing.match.session

    def slice(self, *, redact: bool = True) -> Slice:
        """The slice.

        Args:
            redact: Take away what does not matter, and replace names.

        Raises:
            LookupError: The inputs that explain it do not come to it; a fault of this library.
        """
        inputs = self._firing.inputs
        if self._match(inputs) is None:
            raise LookupError("the events of a match alone do not match")
        kept = minimal(inputs, lambda some: self._match(some) is not None)
        if redact:
            kept = self._plainer(kept)
            names = Names(self._firing.automation)
            renamed = tuple(names.replaced(each) for each in kept)
            self._session = names.session(self._firing.match.session)
            # Taking facts away may have made more of it superfluous.
            kept = minimal(renamed, lambda some: self._match(some) is not None)
        match = self._match(kept)
        if match is None:
            raise LookupError("the slice of a match does not match")
        return Slice(inputs=kept, match=match, until=match.at)

    @property
    def automations(self) -> tuple[Automation, ...]:
        """What the slice is replayed with."""
        return self._firing.automations

    def _match(self, inputs: Sequence[Input]) -> Match | None:
        """The match that the inputs come to, where it is the one."""
        wanted = self._firing.match
        replay = Replay(
            self._firing.automations,
            types=self._types,
            settings=self._settings,
            until=self._firing.until,
        )
        for output in replay.outputs(inputs):
            if (
                isinstance(output, Match)
                and (output.at, output.event, output.count)
                == (wanted.at, wanted.event, wanted.count)
                and (output.automation, output.trigger, output.preset)
                == (wanted.automation, wanted.trigger, wanted.preset)
                and output.session == self._session
            ):
                return output
        return None

    def _plainer(self, inputs: tuple[Input, ...]) -> tuple[Input, ...]:
        """The inputs without what they say that does not matter."""
        found = list(inputs)
        for index in range(len(found)):
            for change in _changes(found[index]):
                before = found[index]
                found[index] = change(before)
                if found[index] != before and self._match(found) is None:
                    found[index] = before
        return tuple(found)


def minimal(items: Sequence[Item], still: Callable[[tuple[Item, ...]], bool]) -> tuple[Item, ...]:
    """Items of which none can be left out, found by leaving out one after another.

    Args:
        items: They hold as they are.
        still: Whether some of them still hold.
    """
    kept = tuple(items)
    again = True
    while again:
        again = False
        for index in range(len(kept) - 1, -1, -1):
            fewer = kept[:index] + kept[index + 1 :]
            if still(fewer):
                kept, again = fewer, True
    return kept


def _changes(given: Input) -> Iterator[Callable[[Any], Input]]:
    """Ways to say less, the most first."""
    if isinstance(given, SessionEvent | TurnStarted):
        yield lambda one: attrs.evolve(one, title=None)
        yield lambda one: attrs.evolve(one, facts=NO_FACTS)
        for name in ("owner", "provider", "project", "folders", "automated"):
            yield lambda one, name=name: _without_fact(one, name)  # type: ignore[misc]
    if isinstance(given, SessionEvent):
        for name in ("child", "tool", "running", "queued", "turn_tool_calls"):
            yield lambda one, name=name: attrs.evolve(one, **{name: None})  # type: ignore[misc]
    if isinstance(given, PluginEvent):
        for key in given.data:
            yield lambda one, key=key: attrs.evolve(  # type: ignore[misc]
                one, data={name: value for name, value in one.data.items() if name != key}
            )


def _without_fact(one: Any, name: str) -> Any:
    return attrs.evolve(one, facts=attrs.evolve(one.facts, **{name: getattr(NO_FACTS, name)}))
