"""What shards and gates keep and tell each other, as somebody may have changed it.

All of it is put in place of what a fleet kept that has held things back, first as it is, then
under the digest that fits where there is one; the fleet goes on from there to the end of its log.
"""

import contextlib
import json
from typing import Any

import attrs

from fleet_logs import generated
from fleet_scenes import DEALING, lines_of
from wakeful import DefinitionSaved, Input, ScheduleTrigger, Settings, SnapshotError
from wakeful.core.sealed import seal
from wakeful.distributed.codec import pack, pack_json
from wakeful.distributed.local import LocalFleet
from wakeful.distributed.partitions import Partition

SETTINGS = Settings(unmet="every")


def without_schedules(item: Input) -> Input:
    """Time may leap over ages where a number is changed, and each minute would be reached."""
    if not isinstance(item, DefinitionSaved):
        return item
    definition = item.automation.definition
    kept = tuple(one for one in definition.triggers if not isinstance(one, ScheduleTrigger))
    definition = attrs.evolve(definition, triggers=kept)
    return attrs.evolve(item, automation=attrs.evolve(item.automation, definition=definition))


LOG = [[without_schedules(item) for item in part] for part in generated(7, 240)]
END = max(item.at for part in LOG for item in part)


def halfway() -> LocalFleet:
    """A fleet that has taken a part of its log, and holds back both lines and messages."""
    fleet = LocalFleet(DEALING, SETTINGS)
    took = []
    for number, part in enumerate(LOG):
        partition, lines = Partition(number, DEALING), lines_of(part)
        third = len(lines) // 3
        fleet.give(list(partition.deal(lines[:third])))
        took.append(partition.progress.at)
        fleet.give(list(partition.deal(lines[third : 2 * third])))
    fleet.advance(min(took[1:]) - 1)
    for kind, name in list(fleet.stores):
        if kind == "shard":
            fleet._tell(fleet._shard(name).advance(max(took)))
    return fleet


def kind_of(name: str) -> str:
    return name.partition("/")[0]


KEPT = {store: dict(memory.kept) for store, memory in halfway().stores.items()}
SEEDS = {
    f"{store[0]} {kind_of(name)}": data
    for store, kept in KEPT.items()
    for name, data in kept.items()
}
"""One of each kind of what is kept."""


def go_on(kind: str, data: bytes) -> None:
    """Go on with the text in place of one of its kind that was kept."""
    fleet = halfway()
    store, name = next(
        (store, name)
        for store, kept in KEPT.items()
        for name in kept
        if f"{store[0]} {kind_of(name)}" == kind
    )
    fleet.stores[store].put(name, data)
    with contextlib.suppress(SnapshotError):
        fleet.forget()
        fleet.advance(END)


def resealed(kind: str, data: bytes) -> bytes | None:
    """Nonsense as it may have been kept: with its version, and under the digest that fits it."""
    like = SEEDS[kind]
    try:
        changed = json.loads(data)
        if like.startswith(b"{"):
            envelope = json.loads(like)
            return seal(envelope["format"], envelope["version"], changed)
        return pack_json(changed) if like.startswith(b"[") else pack(changed)
    except (ValueError, RecursionError, OverflowError):
        return None  # NaN, which no JSON has, or a number that MessagePack cannot say


def seed(kind: str) -> Any:
    """The state of that kind as plain data, without what :func:`resealed` puts around it."""
    like = SEEDS[kind]
    if like.startswith(b"{"):
        return json.loads(like)["state"]
    if like.startswith(b"["):
        return json.loads(like)[1]
    return [0, [[0, 0, ""]], [0]]
