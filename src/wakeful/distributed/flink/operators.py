"""Shards and gates as Flink's operators: thin, since what they do is said elsewhere.

Every key has one timer, at the first instant after the watermark, so that it is called each time
the watermark passes on: it takes what was held back, does what is due, and sets the timer
again. Flink's timers at an instant come after its events, and here nothing is done at an
event but to hold it back, so the order is the shard's own.

A shard or gate lives in the operator's memory as long as the operator does, and writes what
changed to Flink's state before each call returns; so a checkpoint, which Flink takes between two
calls, holds all of it. In thread mode state that is bytes has to be declared as a pickled object,
a broadcast state that is read has no iterator, and what a timer gives to a side output would
come out as an ordinary message: hence the types, the index in the control log, and one output.
"""

from collections.abc import Iterator
from typing import Any, Final

from pyflink.common import Types
from pyflink.datastream import KeyedBroadcastProcessFunction
from pyflink.datastream.state import MapStateDescriptor

from wakeful.core.settings import Settings
from wakeful.distributed.codec import key_text
from wakeful.distributed.controls import ControlLog
from wakeful.distributed.flink.reading import Message
from wakeful.distributed.gates import Gate, Heard
from wakeful.distributed.partitions import Dealing
from wakeful.distributed.places import NEVER
from wakeful.distributed.shards import Shard, Store
from wakeful.model.outputs import Decision, Fault
from wakeful.replay import decision_record, json_line

NO_MORE: Final = (1 << 63) - 1
"""The watermark of a log that has ended."""

CONTROLS: Final = MapStateDescriptor("controls", Types.STRING(), Types.PICKLED_BYTE_ARRAY())


class _KeyedStore:
    """Flink's state of the key that is being called for."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def get(self, name: str, /) -> bytes | None:
        found: bytes | None = self._state.get(name)
        return found

    def put(self, name: str, data: bytes, /) -> None:
        self._state.put(name, data)

    def remove(self, name: str, /) -> None:
        self._state.remove(name)

    def items(self) -> Iterator[tuple[str, bytes]]:
        return iter(list(self._state.items()))


class _Keyed(KeyedBroadcastProcessFunction):  # type: ignore[misc]
    """What shards and gates have in common."""

    def __init__(self, dealing: Dealing, settings: Settings) -> None:
        self._dealing = dealing
        self._settings = settings
        self._loaded = False

    def open(self, runtime_context: Any) -> None:
        """Called by Flink before anything else."""
        kept = MapStateDescriptor("kept", Types.STRING(), Types.PICKLED_BYTE_ARRAY())
        self._store: Store = _KeyedStore(runtime_context.get_map_state(kept))
        self._controls = ControlLog()
        metrics = runtime_context.get_metrics_group()
        self._late = metrics.counter("late")
        self._refused = metrics.counter("refused")

    def process_broadcast_element(self, value: Message, ctx: Any) -> Iterator[Any]:
        """What concerns everybody came."""
        state = ctx.get_broadcast_state(CONTROLS)
        self._load(state)
        self._controls.add(bytes(value[2]), state.put)
        return iter(())

    def _load(self, state: Any) -> None:
        if not self._loaded:
            self._controls.load(state.get)
            self._loaded = True

    def _called(self, ctx: Any) -> int:
        """See that there is a timer; the watermark, as far as instants go."""
        self._load(ctx.get_broadcast_state(CONTROLS))
        timers = ctx.timer_service()
        watermark: int = timers.current_watermark()
        if watermark < NO_MORE:
            timers.register_event_time_timer(max(watermark + 1, NEVER))
        return max(watermark, NEVER)

    def _count_late(self, count: int) -> Iterator[str]:
        for _ in range(count):
            self._late.inc()
        if count:
            yield _line({"notice": "late", "count": count})


class MatchInShards(_Keyed):
    """The shards of one subtask."""

    def open(self, runtime_context: Any) -> None:
        """Called by Flink before anything else."""
        super().open(runtime_context)
        self._shards: dict[str, Shard] = {}

    def process_element(self, value: Message, ctx: Any) -> Iterator[Message]:
        """A batch of lines came."""
        watermark = self._called(ctx)
        shard = self._shard(ctx)
        late = shard.late
        messages = shard.receive(bytes(value[2]), watermark)
        for _ in range(shard.late - late):
            self._late.inc()
        return _to_gates(messages, value[1])

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Message]:
        """The watermark passed on."""
        watermark = self._called(ctx)
        messages = self._shard(ctx).advance(watermark, ended=watermark == NO_MORE)
        return _to_gates(messages, timestamp)

    def _shard(self, ctx: Any) -> Shard:
        key: str = ctx.get_current_key()
        shard = self._shards.get(key)
        if shard is None:
            shard = self._shards[key] = Shard(
                key, self._controls, self._store, dealing=self._dealing, settings=self._settings
            )
        return shard


class DecideAtGates(_Keyed):
    """The gates of one subtask."""

    def open(self, runtime_context: Any) -> None:
        """Called by Flink before anything else."""
        super().open(runtime_context)
        self._gates: dict[str, Gate] = {}

    def process_element(self, value: Message, ctx: Any) -> Iterator[str]:
        """A shard told something."""
        watermark = self._called(ctx)
        gate = self._gate(ctx)
        late = gate.late
        gate.receive(bytes(value[2]), watermark)
        return self._count_late(gate.late - late)

    def on_timer(self, _timestamp: int, ctx: Any) -> Iterator[str]:
        """The watermark passed on."""
        watermark = self._called(ctx)
        heard = self._gate(ctx).advance(watermark, ended=watermark == NO_MORE)
        for _ in heard.refused:
            self._refused.inc()
        return _told(heard)

    def _gate(self, ctx: Any) -> Gate:
        key: str = ctx.get_current_key()
        gate = self._gates.get(key)
        if gate is None:
            gate = self._gates[key] = Gate(
                int(key),
                self._controls,
                self._store,
                dealing=self._dealing,
                settings=self._settings,
            )
        return gate


def _to_gates(messages: dict[int, bytes], at: int) -> Iterator[Message]:
    for gate, data in messages.items():
        yield str(gate), at, data


def _told(heard: Heard) -> Iterator[str]:
    for output in heard.outputs:
        if isinstance(output, Decision):
            record = {"id": key_text(output.key), **decision_record(output)}
            yield _line(record)
        elif isinstance(output, Fault):
            yield _line(
                {"notice": "fault", "automation": output.automation, "message": output.message}
            )
    for automation in heard.went_off:
        yield _line({"notice": "switchedOff", "automation": automation})
    for message in heard.refused:
        yield _line({"notice": "refused", "message": message})


def _line(record: dict[str, Any]) -> str:
    return json_line(record).rstrip("\n")  # the sink ends lines


def is_notice(line: str) -> bool:
    """Whether a line is told beside decisions."""
    return line.startswith('{"notice":')
