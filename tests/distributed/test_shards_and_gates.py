"""Shards and gates one by one: what is late, what is kept, what is refused."""

from itertools import combinations, permutations
from random import Random

import pytest

from engine_scenes import automation, on, schedule
from fleet_logs import generated
from fleet_scenes import DEALING, lines_of, of_fleet, of_one_engine, told
from wakeful import (
    Decision,
    DefinitionSaved,
    Input,
    Press,
    Resumed,
    RunStarted,
    SessionEvent,
    Settings,
    SnapshotError,
    Tick,
)
from wakeful.distributed.codec import Control, Lines, pack, pack_json, unpack, unpack_json
from wakeful.distributed.controls import ControlLog
from wakeful.distributed.local import LocalFleet, Memory
from wakeful.distributed.partitions import Dealing, Partition
from wakeful.distributed.places import Place
from wakeful.distributed.shards import Shard

LONE = Dealing(shards=1, gates=1)
ANY = Settings(unmet="every")


def failed(at: int, session: str = "s") -> SessionEvent:
    return SessionEvent("toolFailed", session, at)


def saved(*triggers, id: str = "a", at: int = 0, **more) -> DefinitionSaved:  # noqa: A002
    return DefinitionSaved(automation=automation(*triggers, id=id, **more), at=at)


def decisions(partitions, **how):
    outputs = of_fleet(partitions, ANY, dealing=LONE, **how)
    return [(o.at, str(o.kind)) for o in outputs if isinstance(o, Decision)]


def test_bytes_that_are_not_utf8_reach_the_gate_as_they_reach_an_engine():
    """A run's name with such a byte, and another that differs from it in that byte alone."""
    when = '"at": "1970-01-01T00:00:0'
    started, settled = (
        f'{{"kind": "run{word}", "automation": "ahp-automation:/a", "run": "r%", {when}'
        for word in ("Started", "Settled")
    )
    lines = [
        f'{started}1Z"}}'.encode().replace(b"%", b"\xe1"),
        f'{started}2Z"}}'.encode().replace(b"%", b"\xe2"),
        f'{settled}3Z", "outcome": "completed"}}'.encode().replace(b"%", b"\xe1"),
        f'{settled}4Z", "outcome": "completed"}}'.encode().replace(b"%", b"\xe2"),
    ]
    first = lines_of([saved(on("toolFailed")), failed(2_500)])
    fleet, partition = LocalFleet(LONE, ANY), Partition(0, LONE)
    fleet.give(list(partition.deal([first[0], *enumerate(lines[:2], 1)])))
    fleet.give(list(partition.deal([(3, first[1][1]), *enumerate(lines[2:], 4)])))
    fleet.give([partition.end()])
    fleet.advance(4_000, ended=True)
    outputs = [o for heard in fleet.heard for o in heard.outputs if isinstance(o, Decision)]

    expected = [(2_500, "hold"), (4_000, "release")]
    assert expected == [(output.at, str(output.kind)) for output in outputs]


# -- partitions ---------------------------------------------------------------------------


def dealt(*inputs, partition=None):
    partition = partition or Partition(0, LONE)
    return [one for one in partition.deal(lines_of(inputs)) if isinstance(one, tuple)]


def test_an_instant_of_a_partition_never_falls():
    batches = [batch for _, batch in dealt(failed(5_000), failed(4_000), failed(6_000))]

    assert [at for batch in batches for at, _, _ in batch.lines] == [5_000, 5_000, 6_000]


def test_a_line_that_cannot_be_read_is_counted_and_moves_no_clock():
    partition = Partition(0, LONE)
    list(partition.deal([(0, b'{"at": 9000, "kind": "toolFailed"}'), (9, b"{"), (10, b"")]))

    assert (partition.progress.unread, partition.progress.offset) == (2, -1)


def test_what_concerns_everybody_is_numbered_in_its_partition():
    partition = Partition(3, LONE)
    controls = [
        one
        for one in partition.deal(lines_of([saved(on("idle")), failed(1), saved(on("idle"), at=2)]))
        if isinstance(one, Control)
    ]

    assert [(c.partition, c.ordinal, c.offset) for c in controls] == [(3, 0, 0), (3, 1, 2)]


# -- time ---------------------------------------------------------------------------------


def test_two_inputs_and_a_deadline_at_one_instant_give_one_output_in_any_order_of_arrival():
    silence = on("turnCompleted", id="t2", then={"kind": "absent", "event": "idle", "for": "1m"})
    partitions = [
        [saved(on("toolFailed"), silence), Tick(60_001)],
        [failed(60_000, "x"), Tick(60_001)],
        [SessionEvent("turnCompleted", "y", 0), Tick(60_001)],
        [failed(60_000, "z"), Tick(60_001)],
    ]
    found = []
    for order in permutations(range(4)):
        fleet = LocalFleet(LONE, ANY)
        readers = [Partition(number, LONE) for number in range(4)]
        for number in order:
            fleet.give(list(readers[number].deal(lines_of(partitions[number]))))
            fleet.give([readers[number].end()])
        fleet.advance(60_000)
        fleet.advance(60_001, ended=True)
        outputs = [o for heard in fleet.heard for o in heard.outputs]
        found.append([(o.session, str(o.kind)) for o in outputs if isinstance(o, Decision)])

    assert found == [[("y", "start"), ("x", "hold"), ("z", "fold")]] * 24


@pytest.mark.parametrize(("until", "fired"), [(59_999, []), (60_000, [(60_000, "start")])])
def test_a_log_that_ends_is_not_time_that_passed(until: int, fired: list):
    silence = on("turnCompleted", then={"kind": "absent", "event": "idle", "for": "1m"})
    partitions = [[saved(silence), SessionEvent("turnCompleted", "s", 0)], [Tick(until)]]

    assert fired == decisions(partitions)


def test_a_line_after_the_watermark_is_counted_and_taken_at_the_first_open_instant():
    fleet = LocalFleet(LONE, ANY)
    first, second = Partition(0, LONE), Partition(1, LONE)
    fleet.give(list(first.deal(lines_of([saved(on("toolFailed")), Tick(5_000)]))))
    fleet.advance(4_999)
    fleet.give(list(second.deal(lines_of([failed(1_000)]))))
    fleet.advance(5_000)
    late = sum(shard.late for shard in fleet._shards.values())
    outputs = [o for heard in fleet.heard for o in heard.outputs if isinstance(o, Decision)]

    assert (late, [o.at for o in outputs]) == (1, [5_000])


@pytest.mark.parametrize(
    "inputs",
    [
        [Tick(30_000), Resumed(at=90_000), Tick(90_000), Resumed(at=90_500), Tick(91_000)],
        [Tick(30_000), Resumed(at=90_000), Resumed(at=150_000), Tick(150_000)],
        [Tick(30_000), Tick(90_000), Resumed(at=90_000), Tick(150_000), Resumed(at=150_000)],
        [Resumed(at=90_000), Tick(100_000), Resumed(at=150_000)],
    ],
    ids=["soon again", "at once again", "after an input", "at the end"],
)
def test_what_is_late_is_so_wherever_watermarks_come(inputs: list[Input]):
    every_minute = schedule("* * * * *", id="s")
    partitions = [[saved(every_minute, on("toolFailed"), overlap="parallel")], inputs]
    expected = [(o.at, o.late) for o in of_one_engine(partitions, ANY)]
    last = inputs[-1].at
    instants = [at for at in (29_999, 60_000, 89_999, 90_000, 90_499, 149_999) if at < last]
    for count in range(len(instants) + 1):
        for watermarks in combinations(instants, count):
            fleet = LocalFleet(LONE, ANY)
            for number, part in enumerate(partitions):
                reader = Partition(number, LONE)
                fleet.give([*reader.deal(lines_of(part)), reader.end()])
            for watermark in watermarks:
                fleet.advance(watermark)
            fleet.advance(last, ended=True)
            outputs = [o for heard in fleet.heard for o in heard.outputs]

            assert expected == [(o.at, o.late) for o in outputs], watermarks


# -- what only all shards know --------------------------------------------------------------


def test_a_request_id_that_was_pressed_elsewhere_is_refused_at_another_gate():
    apart = Dealing(shards=3, gates=64)
    assert apart.gate("ahp-automation:/a") != apart.gate("ahp-automation:/b")
    presses = [Press(automation=f"ahp-automation:/{id_}", request_id="r", at=1) for id_ in "ab"]
    outputs = of_fleet([[saved(id="a"), saved(id="b"), *presses]], ANY, dealing=apart)

    assert [str(o.kind) for o in outputs] == ["start", "refuse"]


def test_a_foreign_press_loses_nothing_that_falls_due_as_it_is_taken():
    hourly = {"id": "t", "kind": "schedule", "schedule": {"expression": "0 * * * *"}}
    apart = Dealing(shards=3, gates=64)
    press = [
        Press(automation=f"ahp-automation:/{id_}", request_id="r", at=at)
        for id_, at in (("b", 1), ("a", 3_600_001))
    ]
    partitions = [[saved(hourly, id="a"), saved(id="b"), *press]]
    outputs = of_fleet(partitions, ANY, dealing=apart)

    assert list(told(of_one_engine(partitions, ANY))) == list(told(outputs))
    assert 3_600_000 in [o.at for o in outputs]


def test_a_gate_hears_of_a_turn_that_ran_when_its_session_was_linked():
    from wakeful import TurnStarted

    partitions = [
        [saved(on("toolFailed"), overlap="steer")],
        [TurnStarted("own", 1_000), failed(3_000, "other")],
        [RunStarted(automation="ahp-automation:/a", run="r", session="own", at=2_000)],
    ]

    assert decisions(partitions) == [(3_000, "steer")]


# -- what is kept ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_long_logs_with_machines_that_die_are_one_engines(seed: int):
    partitions = generated(seed, 700)
    outputs = of_fleet(partitions, ANY, dealing=DEALING, order=Random(seed), crashes=0.05, most=60)

    assert list(told(of_one_engine(partitions, ANY))) == list(told(outputs))


def test_only_what_was_touched_is_written():
    written = []

    class Watched(Memory):
        def put(self, name, data, /):
            written.append(name)
            super().put(name, data)

    shard = Shard("0", ControlLog(), Watched(), dealing=LONE, settings=ANY)
    batch = [(at, at, line) for at, line in lines_of([failed(0, "x"), failed(0, "y")])]
    shard.receive(pack(Lines(0, batch)))
    shard.advance(10)
    written.clear()
    shard.receive(pack(Lines(0, [(20, 9, lines_of([failed(20, "x")])[0][1])])))
    shard.advance(20)

    assert written == ["lines/1", "session/x", "meta"]


def test_the_control_log_is_what_it_was_when_it_is_loaded():
    partition = Partition(0, LONE)
    kept: dict[str, bytes] = {}
    log, again = ControlLog(), ControlLog()
    for one in partition.deal(lines_of([saved(on("idle")), saved(on("toolFailed"), id="b")])):
        if isinstance(one, Control):
            log.add(pack(one), kept.__setitem__)
            log.add(pack(one), kept.__setitem__)
    log.add(pack(partition.end()), kept.__setitem__)
    again.load(kept.get)

    assert (2, Place(0, 0, 1).number) == (log.version, log.end)
    assert (log.entries, log.end) == (again.entries, again.end)


@pytest.mark.parametrize("damage", [b"", b"\x00", b"[]", b"{", pack_json(1)[:-1]])
def test_what_is_no_record_is_refused(damage: bytes):
    for read in (lambda data: unpack_json(data, int), lambda data: unpack(data, Lines)):
        with pytest.raises(SnapshotError):
            read(damage)


@pytest.mark.parametrize(
    "message",
    [
        [],
        {"last": 1},
        {"last": "1", "items": []},
        {"last": 1, "items": {}},
        {"last": 1, "items": [{}]},
        {"last": 1, "items": [{"match": {"key": [1, 1, 0, 1, [0]]}}]},
        {"last": 1, "items": [{"line": "{}"}]},
        {"last": 1, "items": [{"number": 1, "turn": "s"}]},
    ],
)
def test_a_message_of_another_shape_is_refused(message: object):
    fleet = LocalFleet(LONE, ANY)

    with pytest.raises(SnapshotError, match="message"):
        fleet._gate(0).receive(pack_json(message))


def test_a_version_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch):
    from wakeful.distributed import codec

    monkeypatch.setattr(codec, "VERSION", 2)
    later = {Lines: (pack(Lines(0)), unpack), int: (pack_json(1), unpack_json)}
    monkeypatch.undo()

    for form, (data, read) in later.items():
        with pytest.raises(SnapshotError, match="version 2; this release reads 1"):
            read(data, form)
