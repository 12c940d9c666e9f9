"""A host with a journal: it feeds inputs, acts on decisions, remembers the ids it acted upon."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from engine_scenes import automation, event, fail, idle, ms, on, schedule, settled, started, turn
from wakeful import Automation, DefinitionSaved, Engine, Input, Press, Settings
from wakeful.errors import InputRefusedError
from wakeful.journal import Journal, decision_id
from wakeful.model.outputs import Decision, Output

FOLDER = Path("/journal")

RULES: tuple[Automation, ...] = (
    automation(on("toolFailed", count={"n": 2})),
    automation(on("toolFailed", then=idle("30s")), id="b", overlap="skip"),
    automation(schedule("* * * * *"), id="c", overlap="parallel"),
)


def day(minutes: int = 12) -> list[Input]:
    """A log with something of everything, over some minutes."""
    inputs: list[Input] = []
    for minute in range(minutes):
        at = minute * 60
        inputs += [
            turn(at, "s"),
            fail(at + 1),
            fail(at + 2, "other"),
            fail(at + 3),
            started(at + 3, f"run-{minute}", f"own-{minute}"),
            Press(automation="ahp-automation:/a", request_id=f"p{minute}", at=ms(at + 4)),
            event("turnCompleted", at + 40),
            settled(at + 41, f"run-{minute}"),
        ]
        if minute % 5 == 3:
            edited = automation(on("toolFailed", count={"n": 2 + minute % 2}))
            inputs.append(DefinitionSaved(automation=edited, at=ms(at + 50)))
    return inputs


def ids(outputs: Iterable[Output]) -> list[str]:
    """The ids of the decisions among outputs."""
    return [decision_id(one) for one in outputs if isinstance(one, Decision)]


def expected_ids(inputs: Sequence[Input], settings: Settings | None = None) -> list[str]:
    """The ids of what an engine without a journal decides."""
    engine = Engine(RULES, at=0, settings=settings)
    found: list[str] = []
    for item in inputs:
        try:
            found += ids(engine.feed(item))
        except InputRefusedError:
            continue
    return found


def opened(disk: Any, **more: Any) -> Journal:
    """The journal of a disk; its definitions at first are :data:`RULES`."""
    is_new = not any(name.startswith("snapshot-") for name in disk.names(FOLDER))
    return Journal.open(FOLDER, at=0, automations=RULES if is_new else None, disk=disk, **more)


class Acting:
    """A host that acts on each decision once, by the ids it remembers, and then acknowledges.

    Attributes:
        acted: The ids in the order they were acted upon; survives every crash.
    """

    def __init__(self) -> None:
        self.acted: dict[str, None] = {}
        self.twice: list[str] = []

    def act(self, journal: Journal, decisions: Iterable[Decision]) -> None:
        for decision in decisions:
            id_ = decision_id(decision)
            self.acted.setdefault(id_)
            journal.acknowledge(decision)

    def catch_up(self, journal: Journal) -> None:
        self.act(journal, journal.outstanding)
