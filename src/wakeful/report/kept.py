"""What a report keeps while a replay passes by.

Theory
------
A picture shows a few thousand things, a log holds a million. What is worth its place is known
only at the end: the inputs near a match are, the quiet hours are not. So every input is kept,
in a dozen bytes (its instant, its kind, its tool, its queue, in arrays), and thinned when the
picture is drawn (:mod:`wakeful.report.thinning`). Outputs are counted exactly and kept up to a
bound.
"""

from array import array
from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from wakeful.model.events import (
    EVENT_KINDS,
    NO_FACTS,
    Activity,
    Facts,
    SessionEnded,
    SessionEvent,
    TurnStarted,
)
from wakeful.model.time import Instant

Item = TypeVar("Item")

KINDS: Final = (*EVENT_KINDS, "turnStarted", "activity", "sessionEnded")
"""The kinds of inputs a lane holds; their places here are their codes."""

CODES: Final[dict[str, int]] = {kind: code for code, kind in enumerate(KINDS)}
TURN_STARTED: Final = CODES["turnStarted"]
ACTIVITY: Final = CODES["activity"]
SESSION_ENDED: Final = CODES["sessionEnded"]

UNTOLD: Final = -1
"""The queue of an input that does not say how many messages wait."""

_MOST_QUEUED: Final = 32_767
_MOST_TOOLS: Final = 65_535

LaneInput = SessionEvent | TurnStarted | Activity | SessionEnded


class Tools:
    """The names of tools, each once. The first is that of no tool."""

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self._places: dict[str, int] = {"": 0}

    def place(self, name: str) -> int:
        """The place of a name; past a bound nobody reaches, that of no tool."""
        place = self._places.get(name)
        if place is None:
            if len(self.names) >= _MOST_TOOLS:
                return 0
            place = self._places[name] = len(self.names)
            self.names.append(name)
        return place


class Lane:
    """The inputs of one session.

    Attributes:
        name: The session.
        title: As it was told last.
        facts: As they were told last.
        at: The instant of each input, as the engine took it.
        code: Its kind, a place in :data:`KINDS`.
        queued: How many messages wait by it, or :data:`UNTOLD`.
        tool: The place of its tool's name.
    """

    __slots__ = ("at", "code", "facts", "name", "queued", "title", "tool")

    def __init__(self, name: str) -> None:
        self.name = name
        self.title: str | None = None
        self.facts: Facts = NO_FACTS
        self.at = array("q")
        self.code = array("b")
        self.queued = array("h")
        self.tool = array("H")

    def __len__(self) -> int:
        return len(self.at)

    def take(self, given: LaneInput, at: Instant, tools: Tools) -> None:
        """Keep an input, taken at ``at``. O(1)."""
        queued, tool = UNTOLD, 0
        if type(given) is SessionEvent:
            code = CODES[given.kind]
            if given.queued is not None:
                queued = min(max(given.queued, 0), _MOST_QUEUED)
            if given.tool is not None:
                tool = tools.place(given.tool.name)
        elif isinstance(given, TurnStarted):
            code = TURN_STARTED
        else:
            code = ACTIVITY if isinstance(given, Activity) else SESSION_ENDED
        if isinstance(given, SessionEvent | TurnStarted):
            self.facts = given.facts
            if given.title is not None:
                self.title = given.title
        self.at.append(at)
        self.code.append(code)
        self.queued.append(queued)
        self.tool.append(tool)


class Bounded(Generic[Item]):
    """Keeps at most so many items, evenly spread over all that were offered.

    When it is full every second one goes, and from then on every second one is taken.

    Attributes:
        offered: How many were offered.
    """

    def __init__(self, limit: int) -> None:
        self.offered = 0
        self._limit = limit
        self._items: list[Item] = []
        self._stride = 1

    def add(self, item: Item) -> None:
        """Offer an item. O(1) on average."""
        if self.offered % self._stride == 0:
            self._items.append(item)
            if len(self._items) > self._limit:
                del self._items[1::2]
                self._stride *= 2
        self.offered += 1

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)
