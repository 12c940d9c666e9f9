"""A fleet in one process, fed partitions in any order of arrival, and what one engine gives."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

import attrs

from wakeful import (
    Automation,
    DefinitionSaved,
    Engine,
    Input,
    InputRefusedError,
    Output,
    Settings,
    Tick,
)
from wakeful.distributed.local import LocalFleet
from wakeful.distributed.partitions import Dealing, Partition, name_of
from wakeful.distributed.places import NEVER, shard_of
from wakeful.logs import write_native

DEALING = Dealing(shards=3, gates=2)
BY_NAME = Dealing(shards=None, gates=2)


def partitioned(inputs: Iterable[Input], partitions: int) -> list[list[Input]]:
    """Deal inputs out to partitions, those of a session to one."""
    dealt: list[list[Input]] = [[] for _ in range(partitions)]
    for number, item in enumerate(inputs):
        name = name_of(item, 0)
        if name is not None and name.startswith("session:"):
            dealt[shard_of(name, partitions)].append(item)
        else:
            dealt[number % partitions].append(item)
    return dealt


def rules_first(
    automations: Sequence[Automation], partitions: Sequence[Sequence[Input]]
) -> list[list[Input]]:
    """The same with a partition before them that defines the automations."""
    at = min((part[0].at for part in partitions if part), default=0)
    return [
        [DefinitionSaved(automation=each, at=at) for each in automations],
        *map(list, partitions),
    ]


def merged(partitions: Sequence[Sequence[Input]]) -> list[Input]:
    """The one order of all partitions, each clamped to its running maximum."""
    placed = []
    for partition, inputs in enumerate(partitions):
        at = NEVER
        for offset, item in enumerate(inputs):
            at = max(at, item.at)
            placed.append((at, partition, offset, item))
    return [
        item if item.at == at else attrs.evolve(item, at=at)
        for at, _, _, item in sorted(placed, key=lambda one: one[:3])
    ]


def of_one_engine(partitions: Sequence[Sequence[Input]], settings: Settings) -> list[Output]:
    """What one engine gives. An input that it refuses is time that passes, as in a fleet."""
    engine = Engine(settings=settings)
    out = []
    for item in merged(partitions):
        try:
            out += engine.feed(item)
        except InputRefusedError:
            out += engine.feed(Tick(item.at))
    return out


def of_fleet(
    partitions: Sequence[Sequence[Input]],
    settings: Settings,
    *,
    dealing: Dealing = DEALING,
    order: Random | None = None,
    crashes: float = 0,
    most: int = 5,
) -> list[Output]:
    """What a fleet gives, sorted: partitions arrive in some order, machines die now and then."""
    order = order or Random(0)
    fleet = LocalFleet(dealing, settings)
    readers = [Partition(number, dealing) for number in range(len(partitions))]
    rest = [lines_of(part) for part in partitions]
    ended = [False] * len(partitions)
    while not all(ended):
        number = order.choice([one for one, over in enumerate(ended) if not over])
        size = order.randint(1, most)
        lines, rest[number] = rest[number][:size], rest[number][size:]
        fleet.give(list(readers[number].deal(lines)))
        if not rest[number]:
            fleet.give([readers[number].end()])
            ended[number] = True
        going = [one.progress.at for one, over in zip(readers, ended, strict=True) if not over]
        if going and min(going) > NEVER:
            fleet.advance(min(going) - 1)
        if order.random() < crashes:
            fleet.forget()
    fleet.advance(max(reader.progress.at for reader in readers), ended=True)
    outputs = [output for heard in fleet.heard for output in heard.outputs]
    return sorted(outputs, key=lambda output: output.key)


def lines_of(inputs: Sequence[Input]) -> list[tuple[int, bytes]]:
    return [(offset, write_native(item).encode()) for offset, item in enumerate(inputs)]


def told(outputs: Iterable[Output]) -> Iterator[Output]:
    """Outputs without the numbers of inputs in their places, which differ by who counts."""
    for output in outputs:
        yield attrs.evolve(output, key=output.key[:3])
