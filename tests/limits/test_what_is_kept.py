"""Saved state and journals are held to limits, when they are written and when they are read."""

import pytest

from engine_scenes import automation, fail, on
from journal.faulty_disk import FaultyDisk
from journal.journal_scenes import FOLDER, RULES, day
from wakeful import Engine, InvalidError, Settings, SnapshotError
from wakeful.journal import Journal, JournalError, RealDisk
from wakeful.model.limits import Limits

RULE = automation(on("toolFailed", count={"n": 2}))


def with_limits(**limits):
    return Settings(limits=Limits(**limits))


def opened(disk, **limits):
    is_new = not any(name.startswith("snapshot-") for name in disk.names(FOLDER))
    return Journal.open(
        FOLDER,
        at=0,
        automations=RULES if is_new else None,
        disk=disk,
        settings=with_limits(**limits),
    )


def test_a_snapshot_at_the_limit_is_restored_and_one_beyond_it_refused():
    engine = Engine([RULE], at=0)
    engine.feed(fail(1))
    saved = engine.snapshot()
    there = with_limits(saved=len(saved))
    assert Engine.restore(saved, [RULE], settings=there).engine.snapshot() == saved
    with pytest.raises(SnapshotError, match=f"{len(saved)} bytes; expected at most 100"):
        Engine.restore(saved, [RULE], settings=with_limits(saved=100))


def test_a_record_beyond_the_limit_on_lines_is_refused_and_not_written():
    disk = FaultyDisk()
    journal = opened(disk, line=200)
    journal.feed(fail(1))
    before = journal.snapshot()
    with pytest.raises(InvalidError, match="expected an input of at most 200 bytes"):
        journal.feed(fail(2, "s" * 200))
    assert before == journal.snapshot()
    assert before == opened(disk.killed(), line=200).snapshot()


def test_a_journal_whose_files_are_larger_than_the_limit_is_not_read():
    disk = FaultyDisk()
    opened(disk).feed_many(day(3))
    for most in (1_000, 3_000):
        with pytest.raises(JournalError, match=f"more than {most} bytes"):
            opened(disk.killed(), saved=most)


def test_a_journal_is_compacted_before_it_outgrows_what_is_read_back():
    disk = FaultyDisk()
    journal = opened(disk, saved=40_000)
    for item in day(100):
        journal.feed(item)
        journal.acknowledge(*journal.outstanding)
    assert journal.snapshot_fault is None
    sizes = [len(node.seen) for node in disk.names_seen.values()]
    assert max(sizes) <= 40_000
    assert opened(disk.killed(), saved=40_000).statistics() == journal.statistics()


def test_what_no_snapshot_has_room_for_refuses_inputs_before_the_journal_cannot_be_read():
    disk = FaultyDisk()
    journal = opened(disk, saved=3_000)
    with pytest.raises(JournalError, match="nothing was written"):
        journal.feed_many(day(300))
    assert journal.snapshot_fault is not None
    taken = journal.statistics()
    assert taken.inputs > 5
    assert opened(disk.killed(), saved=3_000).statistics() == taken


def test_no_more_of_a_file_is_read_than_asked_for(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert [RealDisk().read(path, most) for most in (4, 10, 11)] == [
        b"0123",
        b"0123456789",
        b"0123456789",
    ]
