"""Wakeful, and the plain engine, as peers."""

from collections.abc import Sequence
from typing import Final

from plain_engine import PlainEngine
from workloads import MATCHING

from peers import four_kinds
from peers.four_kinds import Found
from peers.meanings import AS_MEANT, Meaning
from wakeful import Automation, Engine, SessionEvent
from wakeful.model.outputs import Output


class Wakeful:
    """This library: every match is decided upon, too."""

    name: Final = "wakeful"
    MEANS: Final = AS_MEANT

    def __init__(self, automations: Sequence[Automation]) -> None:
        self._engine = Engine(automations, settings=MATCHING)

    @staticmethod
    def prepare(events: Sequence[SessionEvent]) -> Sequence[SessionEvent]:
        """They are as they are."""
        return events

    def feed(self, events: Sequence[SessionEvent]) -> list[Output]:
        """Take events."""
        return self._engine.feed_many(events)

    @staticmethod
    def found(given: Sequence[object]) -> list[Found]:
        """The matches among what :meth:`feed` gave."""
        return four_kinds.found_in(given)


class Plain:
    """The plain engine, which asks every rule about every event."""

    name: Final = "plain engine"
    MEANS: Final[dict[str, Meaning]] = AS_MEANT

    def __init__(self, automations: Sequence[Automation]) -> None:
        self._engine = PlainEngine(automations)

    prepare = staticmethod(Wakeful.prepare)

    def feed(self, events: Sequence[SessionEvent]) -> list[tuple[int, str, str, str, str, int]]:
        """Take events."""
        return self._engine.feed_many(events)

    @staticmethod
    def found(given: Sequence[tuple[int, str, str, str, str, int]]) -> list[Found]:
        """The matches among what :meth:`feed` gave."""
        return [
            Found(at, automation.rpartition("/")[2], trigger, session)
            for at, automation, trigger, session, *_ in given
        ]
