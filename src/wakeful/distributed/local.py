"""Shards and gates in one process, with the clock in the caller's hand.

What an engine for many machines does between them is done here by hand: lines go to shards,
messages to gates, the watermark to all. It is how the logic is tested, crashes included, and it
shows what an adapter has to do.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from wakeful.core.settings import Settings
from wakeful.distributed.codec import Control, Lines, pack
from wakeful.distributed.controls import ControlLog
from wakeful.distributed.gates import Gate, Heard
from wakeful.distributed.partitions import Dealing
from wakeful.distributed.places import NEVER
from wakeful.distributed.shards import Shard
from wakeful.model.time import Instant


@attrs.define
class Memory:
    """A store that is a dictionary."""

    kept: dict[str, bytes] = attrs.Factory(dict)

    def get(self, name: str, /) -> bytes | None:
        """What is kept under a name."""
        return self.kept.get(name)

    def put(self, name: str, data: bytes, /) -> None:
        """Keep it."""
        self.kept[name] = data

    def remove(self, name: str, /) -> None:
        """Keep it no more."""
        self.kept.pop(name, None)

    def items(self) -> Iterator[tuple[str, bytes]]:
        """All that is kept."""
        return iter(list(self.kept.items()))


class LocalFleet:
    """All shards and gates of a fleet.

    Args:
        dealing: How names are dealt out.
        settings: As for an engine.

    Attributes:
        heard: What gates gave so far.
        stores: The state of each shard and gate; what is alive can be forgotten without loss.
    """

    def __init__(self, dealing: Dealing, settings: Settings) -> None:
        self.heard: list[Heard] = []
        self.stores: dict[tuple[str, Any], Memory] = {}
        self._dealing = dealing
        self._settings = settings
        self._kept_controls: dict[str, bytes] = {}
        self._watermark: Instant = NEVER
        self.forget()

    def forget(self) -> None:
        """Lose all that is only in memory, as a machine that dies does."""
        self._controls = ControlLog()
        self._controls.load(self._kept_controls.get)
        self._shards: dict[str, Shard] = {}
        self._gates: dict[int, Gate] = {}

    def give(self, dealt: Sequence[tuple[str, Lines] | Control]) -> None:
        """Give what a partition dealt out to whom it is for."""
        for one in dealt:
            if isinstance(one, Control):
                self._controls.add(pack(one), self._kept_controls.__setitem__)
            else:
                shard, lines = one
                self._tell(self._shard(shard).receive(pack(lines), self._watermark))

    def advance(self, watermark: Instant, *, ended: bool = False) -> None:
        """Pass the watermark through: shards first, then gates."""
        for kind, name in list(self.stores):
            if kind == "shard":
                self._tell(self._shard(name).advance(watermark, ended=ended))
        self._watermark = max(self._watermark, watermark)
        for kind, name in list(self.stores):
            if kind == "gate":
                self.heard.append(self._gate(name).advance(watermark, ended=ended))

    def _tell(self, messages: dict[int, bytes]) -> None:
        for gate, data in messages.items():
            self._gate(gate).receive(data, self._watermark)

    def _shard(self, name: str) -> Shard:
        shard = self._shards.get(name)
        if shard is None:
            store = self.stores.setdefault(("shard", name), Memory())
            shard = self._shards[name] = Shard(
                name, self._controls, store, dealing=self._dealing, settings=self._settings
            )
        return shard

    def _gate(self, number: int) -> Gate:
        gate = self._gates.get(number)
        if gate is None:
            store = self.stores.setdefault(("gate", number), Memory())
            gate = self._gates[number] = Gate(
                number, self._controls, store, dealing=self._dealing, settings=self._settings
            )
        return gate
