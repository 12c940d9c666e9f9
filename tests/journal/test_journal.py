"""A journal: what is fed is written, recovery makes the same engine and the same decisions."""

import attrs
import pytest

from engine_scenes import automation, decisions, fail, ms, on, waits
from journal.faulty_disk import FaultyDisk
from journal.journal_scenes import FOLDER, RULES, day, expected_ids, ids, opened
from wakeful import (
    DefinitionRemoved,
    DefinitionSaved,
    Engine,
    InputRefusedError,
    InvalidError,
    PluginEvent,
    Resumed,
    SessionEvent,
    Settings,
    Tick,
)
from wakeful.journal import Journal, JournalError, JournalLockedError, decision_id


def test_a_journal_gives_what_an_engine_gives():
    journal = opened(FaultyDisk())
    assert Engine(RULES, at=0).feed_many(day()) == journal.feed_many(day())


def test_recovery_makes_the_same_engine():
    disk = FaultyDisk()
    opened(disk).feed_many(day())
    engine = Engine(RULES, at=0)
    engine.feed_many(day())
    assert engine.snapshot() == opened(disk.killed()).snapshot()


@pytest.mark.parametrize("every", [1, 2, 7, 1_000])
def test_recovery_goes_on_the_same_however_often_snapshots_are_written(every):
    disk = FaultyDisk()
    inputs = day()
    found = []
    for start in range(0, len(inputs), 10):
        journal = opened(disk, snapshot_every=every)
        found += ids(journal.feed_many(inputs[start : start + 10]))
        disk = disk.killed()
    assert expected_ids(inputs) == found


def test_a_decision_is_given_again_until_it_is_acknowledged_and_never_after():
    disk = FaultyDisk()
    journal = opened(disk)
    (_, first, _, second) = journal.feed_many([fail(1), fail(3), fail(4), fail(5)])[:4]
    disk = disk.killed()
    journal = opened(disk)
    assert [first, second] == list(journal.outstanding)
    journal.acknowledge(first)
    disk = disk.killed()
    journal = opened(disk)
    assert [second] == list(journal.outstanding)
    journal.acknowledge(decision_id(second))
    assert list(journal.outstanding) == []
    assert list(opened(disk.killed()).outstanding) == []


def test_acknowledging_again_or_what_nobody_gave_changes_nothing():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed_many([fail(1), fail(3)])
    journal.acknowledge(*journal.outstanding)
    operations = len(disk.operations)
    journal.acknowledge("ahp-automation:/a@1.1.0.1", "nothing")
    assert operations == len(disk.operations)


def test_ids_are_the_automation_and_the_order_key():
    (_, decision) = opened(FaultyDisk()).feed_many([fail(1), fail(3)])
    assert decision_id(decision) == "ahp-automation:/a@3000.1.0.2.0.0.0"


def test_definitions_are_kept_beside_the_snapshot():
    disk = FaultyDisk()
    journal = opened(disk)
    new = automation(on("idle", then={"kind": "idle", "for": "60s"}), id="z")
    journal.feed(DefinitionSaved(automation=new, at=ms(1)))
    journal.feed(DefinitionRemoved(automation="ahp-automation:/a", at=ms(2)))
    journal.feed(SessionEvent("idle", "s", ms(3)))
    journal = opened(disk.killed())
    assert "63 z/t1 s idle" in waits(journal)
    assert journal.feed_many([fail(4), fail(5)])[:1] == []


def test_definitions_as_they_are_now_are_taken_as_saved_and_removed():
    disk = FaultyDisk()
    opened(disk).feed_many([fail(1)])
    changed = automation(on("toolFailed", count={"n": 3}))
    same = attrs.evolve(RULES[1])
    with Journal.open(FOLDER, at=0, automations=[changed, same], disk=disk.killed()) as journal:
        assert waits(journal) == ["31 b/t1 s idle"]
        assert decisions(journal.feed_many([fail(2), fail(3)])) == []


def test_definitions_that_did_not_change_are_not_saved_again():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed(fail(1))
    inputs = journal.statistics().inputs
    again = Journal.open(FOLDER, at=0, automations=RULES, disk=disk.killed())
    assert inputs == again.statistics().inputs


def test_inputs_are_taken_again_by_the_settings_of_their_time():
    disk = FaultyDisk()
    inputs = [fail(number) for number in range(1, 9)]
    expected = ids(opened(disk, settings=Settings(cap=1)).feed_many(inputs))
    journal = opened(disk.killed(), settings=Settings(cap=20))
    assert expected == ids(journal.outstanding)
    again = opened(disk.killed(), settings=Settings(cap=20))
    assert expected == ids(again.outstanding)


def test_time_that_was_advanced_is_kept_where_it_gave_something():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed(fail(1))
    outputs = journal.advance(ms(65))
    assert len(ids(outputs)) == 2
    journal = opened(disk.killed())
    assert ids(outputs) == ids(journal.outstanding)
    assert ms(65) == journal.now
    assert journal.feed(Resumed(at=ms(66))) == []


def test_time_that_was_advanced_and_gave_nothing_is_not_written():
    disk = FaultyDisk()
    journal = opened(disk)
    operations = len(disk.operations)
    for second in range(1, 60):
        assert journal.advance(ms(second)) == []
    assert operations == len(disk.operations)


def test_an_input_from_before_the_time_that_was_advanced_to_is_late_after_recovery_too():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.advance(ms(40))
    journal.feed(fail(20))
    expected = journal.snapshot()
    assert journal.statistics().late == 1
    assert expected == opened(disk.killed()).snapshot()


def test_a_resumed_after_time_that_was_advanced_marks_the_same_late_after_recovery():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed(fail(1))
    journal.advance(ms(20))
    outputs = journal.feed(Resumed(at=ms(100)))
    assert any(output.late for output in outputs)
    assert [one for one in outputs if hasattr(one, "kind")] == list(
        opened(disk.killed()).outstanding
    )


def test_what_the_engine_refuses_is_refused_again_and_counted():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed(fail(1))
    with pytest.raises(InputRefusedError):
        journal.feed(PluginEvent(type="unknown", event="x", at=ms(2)))
    outputs = journal.feed(fail(3))
    again = opened(disk.killed())
    assert again.recovery.refused == 1
    assert ids(outputs) == ids(again.outstanding)


def test_what_has_no_line_is_refused_and_not_written():
    disk = FaultyDisk()
    journal = opened(disk)
    operations = len(disk.operations)
    with pytest.raises(InvalidError):
        journal.feed(Tick(10**18))
    assert operations == len(disk.operations)
    assert ids(journal.feed_many([fail(1), fail(2)]))


def test_what_is_fed_is_what_recovery_reads():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed(SessionEvent("toolFailed", "s\ud800", ms(1), title="\ud83d lone"))
    expected = journal.snapshot()
    assert expected == opened(disk.killed()).snapshot()


def test_a_second_opening_is_refused():
    disk = FaultyDisk()
    journal = opened(disk)
    with pytest.raises(JournalLockedError):
        opened(disk)
    journal.close()
    opened(disk).close()


def test_a_closed_journal_takes_nothing():
    journal = opened(FaultyDisk())
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.feed(fail(1))


def test_records_give_way_to_a_snapshot():
    disk = FaultyDisk()
    journal = opened(disk, snapshot_every=10)
    journal.feed_many(day())
    assert len(disk.names(FOLDER)) == 2
    for item in day(3):
        journal.feed(item)
    assert sorted(name.split("-")[0] for name in disk.names(FOLDER)) == ["journal", "snapshot"]


def test_compacting_writes_a_snapshot_at_once():
    disk = FaultyDisk()
    journal = opened(disk)
    journal.feed_many(day())
    journal.compact()
    assert opened(disk.killed()).recovery.inputs == 0


def test_beyond_the_bound_the_oldest_decision_goes_and_is_counted():
    disk = FaultyDisk()
    journal = opened(disk, outstanding_kept=3)
    found = ids(journal.feed_many(day()))
    assert found[-3:] == ids(journal.outstanding)
    again = opened(disk.killed(), outstanding_kept=3)
    assert len(found) - 3 == again.recovery.forgotten
    assert found[-3:] == ids(again.outstanding)


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ({"sync": "often"}, "sync"),
        ({"sync": -1}, "sync"),
        ({"sync": True}, "sync"),
        ({"snapshot_every": 0}, "snapshot_every"),
        ({"outstanding_kept": 0}, "outstanding_kept"),
    ],
)
def test_a_policy_that_is_none_is_refused(policy, path):
    with pytest.raises(InvalidError) as caught:
        Journal.open(FOLDER, at=0, disk=FaultyDisk(), **policy)
    assert [path] == [problem.path for problem in caught.value.problems]


@pytest.mark.parametrize(("sync", "syncs"), [("each", 5), ("never", 0), (2_000, 2)])
def test_a_policy_says_how_often_the_disk_is_waited_for(sync, syncs):
    disk = FaultyDisk()
    seconds = iter(range(100))
    journal = opened(disk, sync=sync, clock=lambda: next(seconds))
    before = disk.operations.count("sync")
    for number in range(5):
        journal.feed(fail(number))
    assert syncs == disk.operations.count("sync") - before


def test_inputs_fed_together_wait_for_the_disk_once():
    disk = FaultyDisk()
    journal = opened(disk)
    before = disk.operations.count("sync")
    journal.feed_many([fail(number) for number in range(20)])
    assert disk.operations.count("sync") - before == 1


def test_tending_makes_safe_what_an_interval_left():
    disk = FaultyDisk()
    now = [0.0]
    journal = opened(disk, sync=1_000, clock=lambda: now[0])
    before = disk.operations.count("sync")
    journal.feed(fail(1))
    journal.tend()
    assert disk.operations.count("sync") - before == 0
    now[0] = 1.0
    journal.tend()
    assert disk.operations.count("sync") - before == 1
