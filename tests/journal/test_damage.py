"""A journal whose files are not as they were written: a torn end is cut, the rest refused."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import fail
from journal.faulty_disk import FaultyDisk
from journal.journal_scenes import FOLDER, RULES, day, expected_ids, ids, opened
from wakeful import Engine
from wakeful.core.sealed import seal, unseal
from wakeful.journal import Journal, JournalError, Torn
from wakeful.journal.records import Kind, frame, scan

FIXTURE = Path(__file__).parents[1] / "fixtures" / "journal-v1"
INPUTS = day(3)


def written() -> dict[str, bytes]:
    """The files of a journal after some inputs, by name."""
    disk = FaultyDisk()
    opened(disk).feed_many(INPUTS)
    return {name: bytes(node.seen) for name, node in disk.names_seen.items()}


FILES = written()
SNAPSHOT_NAME, JOURNAL_NAME = sorted(FILES, reverse=True)
JOURNAL = FILES[JOURNAL_NAME]
RECORDS = scan(JOURNAL)[0]


def disk_of(**files: bytes) -> FaultyDisk:
    disk = FaultyDisk()
    for name, data in files.items():
        disk.create(Path(name)).write(data)
    return disk.killed()


def with_journal(data: bytes) -> FaultyDisk:
    return disk_of(**{SNAPSHOT_NAME: FILES[SNAPSHOT_NAME], JOURNAL_NAME: data})


def engine_after(inputs: int) -> bytes:
    engine = Engine(RULES, at=0)
    engine.feed_many(INPUTS[:inputs])
    return engine.snapshot()


@pytest.mark.parametrize("cut", range(1, 120))
def test_a_torn_end_is_cut_at_the_last_whole_record_and_reported(cut: int):
    journal = opened(with_journal(JOURNAL[:-cut]))
    whole = [record for record in RECORDS if record.end <= len(JOURNAL) - cut]
    size = len(JOURNAL) - cut - whole[-1].end
    torn = Torn(at=whole[-1].end, size=size, whole_after=0) if size else None
    assert torn == journal.recovery.torn
    assert engine_after(len(whole) - 1) == journal.snapshot()


@pytest.mark.parametrize("tail", [b"\0" * 100, b"garbage", b"\n", JOURNAL[:40], b"0" * 20])
def test_bytes_that_are_no_record_at_the_end_are_cut_off(tail: bytes):
    journal = opened(with_journal(JOURNAL + tail))
    assert Torn(at=len(JOURNAL), size=len(tail), whole_after=0) == journal.recovery.torn
    assert engine_after(len(INPUTS)) == journal.snapshot()


def test_what_is_fed_after_a_cut_is_recovered():
    disk = with_journal(JOURNAL[:-5])
    journal = opened(disk, snapshot_every=10_000)
    journal.feed(INPUTS[-1])
    again = opened(disk.killed())
    assert again.recovery.torn is None
    assert engine_after(len(INPUTS)) == again.snapshot()


def test_damage_in_the_middle_is_cut_there_told_and_kept_aside():
    at = RECORDS[4].end
    damaged = JOURNAL[: at + 25] + b"X" + JOURNAL[at + 26 :]
    disk = with_journal(damaged)
    journal = opened(disk)
    assert len(RECORDS) - 6 == journal.recovery.torn.whole_after
    assert damaged[at:] == disk.read(FOLDER / f"{JOURNAL_NAME}.torn")
    assert engine_after(4) == journal.snapshot()


@settings(max_examples=60)
@given(at=st.integers(0, len(JOURNAL) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_in_a_journal_cuts_it_there(at: int, bit: int):
    flipped = bytearray(JOURNAL)
    flipped[at] ^= 1 << bit
    whole = sum(record.end <= at for record in RECORDS)
    journal = opened(with_journal(bytes(flipped)))
    assert engine_after(max(0, whole - 1)) == journal.snapshot()
    assert journal.recovery.torn is not None


@settings(max_examples=40)
@given(at=st.integers(0, len(FILES[SNAPSHOT_NAME]) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_in_a_snapshot_is_refused_or_changes_nothing(at: int, bit: int):
    flipped = bytearray(FILES[SNAPSHOT_NAME])
    flipped[at] ^= 1 << bit
    disk = disk_of(**{SNAPSHOT_NAME: bytes(flipped), JOURNAL_NAME: JOURNAL})
    try:
        journal = opened(disk)
    except JournalError:
        assert not disk.locked
        return
    assert engine_after(len(INPUTS)) == journal.snapshot()


@pytest.mark.parametrize("length", range(0, len(FILES[SNAPSHOT_NAME]), 211))
def test_a_snapshot_that_was_cut_short_is_refused(length: int):
    with pytest.raises(JournalError, match=SNAPSHOT_NAME):
        opened(disk_of(**{SNAPSHOT_NAME: FILES[SNAPSHOT_NAME][:length]}))


def changed_state(**members) -> bytes:
    state = unseal(FILES[SNAPSHOT_NAME], "wakeful-journal", 1)
    return seal("wakeful-journal", 1, {**state, **members})


@pytest.mark.parametrize(
    "state",
    [
        changed_state(engine=None),
        changed_state(engine="{}"),
        changed_state(settings={"cap": -1}),
        changed_state(settings={"unheard": 1}),
        changed_state(settings=None),
        changed_state(automations=None),
        changed_state(automations=[{"resource": "x"}]),
        changed_state(outstanding=[{}]),
        changed_state(outstanding=[{"more": 1}]),
        changed_state(outstanding=None),
        changed_state(forgotten=None),
        seal("wakeful-journal", 1, None),
        seal("wakeful-journal", 1, []),
        seal("wakeful-journal", 2, {}),
        seal("wakeful-engine", 1, {}),
    ],
    ids=range(15),
)
def test_a_snapshot_of_nonsense_is_refused(state: bytes):
    with pytest.raises(JournalError):
        opened(disk_of(**{SNAPSHOT_NAME: state}))


HEADER = RECORDS[0].text


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([(Kind.INPUT, b"{}")], "no journal of wakeful"),
        ([(Kind.HEADER, b"{}")], "no journal of wakeful"),
        ([(Kind.HEADER, b"no JSON")], "no journal of wakeful"),
        ([(Kind.HEADER, HEADER.replace(b'"version":1', b'"version":2'))], "of version 2; this"),
        ([(Kind.HEADER, HEADER.replace(b'"generation":1', b'"generation":7'))], "generation 7"),
        ([(Kind.HEADER, HEADER), (Kind.HEADER, HEADER)], "a second header"),
        ([(Kind.HEADER, HEADER), (Kind.INPUT, b"{}")], "a record cannot be read"),
        ([(Kind.HEADER, HEADER), (Kind.INPUT, b'{"at":1,"kind":"x"}')], "a record cannot be read"),
        ([(Kind.HEADER, HEADER), (Kind.ADVANCED, b"soon")], "a record cannot be read"),
        ([(Kind.HEADER, HEADER), (Kind.ACKNOWLEDGED, b"1")], "a record cannot be read"),
        ([(Kind.HEADER, HEADER), (Kind.ACKNOWLEDGED, b"[[]]")], "a record cannot be read"),
    ],
    ids=range(11),
)
def test_whole_records_that_say_nothing_are_refused(records, says):
    data = b"".join(frame(kind, text) for kind, text in records)
    with pytest.raises(JournalError, match=says):
        opened(with_journal(data))


@settings(max_examples=60)
@given(data=st.binary(max_size=200))
def test_any_bytes_in_place_of_a_journal_are_cut_or_refused(data: bytes):
    try:
        assert engine_after(0) == opened(with_journal(data)).snapshot()
    except JournalError:
        return


@settings(max_examples=60)
@given(
    kind=st.sampled_from([Kind.INPUT, Kind.ADVANCED, Kind.ACKNOWLEDGED]),
    text=st.one_of(
        st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"")),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=9),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
            max_leaves=6,
        ).map(lambda value: json.dumps(value).encode()),
    ),
)
def test_any_text_in_a_whole_record_is_taken_or_refused(kind: Kind, text: bytes):
    data = frame(Kind.HEADER, HEADER) + frame(kind, text)
    # Whatever else came out would be no documented error, and fail the test.
    with contextlib.suppress(JournalError):
        opened(with_journal(data))


def test_a_journal_of_version_1_goes_on():
    disk = disk_of(**{path.name: path.read_bytes() for path in FIXTURE.iterdir()})
    journal = Journal.open(FOLDER, at=0, disk=disk)
    assert journal.recovery.inputs == 5
    assert len(journal.outstanding) == 2
    assert engine_after(len(INPUTS)) == journal.snapshot()


def test_what_is_written_is_what_version_1_has():
    (name,) = (path.name for path in FIXTURE.glob("snapshot-*"))
    kept = json.loads((FIXTURE / name).read_bytes())["state"]
    assert kept.keys() == unseal(FILES[SNAPSHOT_NAME], "wakeful-journal", 1).keys()


def test_a_record_holds_no_newline():
    with pytest.raises(ValueError, match="one line"):
        frame(Kind.INPUT, b"a\nb")


def test_decisions_of_a_torn_journal_are_those_of_its_whole_records():
    journal = opened(with_journal(JOURNAL[:-5]))
    expected = expected_ids(INPUTS[:-1])
    assert expected == ids(journal.outstanding)
    journal.feed(fail(999))
