"""What a crash leaves: a whole state, as of some input, and every decision to act upon once."""

import contextlib
import errno

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_scenes import fail
from journal.faulty_disk import FaultyDisk
from journal.journal_scenes import RULES, Acting, day, expected_ids, ids, opened
from wakeful import Engine
from wakeful.journal import JournalError

INPUTS = day()
EXPECTED = expected_ids(INPUTS)
SNAPSHOTS = []
_engine = Engine(RULES, at=0)
for _item in (None, *INPUTS):
    if _item is not None:
        _engine.feed(_item)
    SNAPSHOTS.append(_engine.snapshot())

POLICIES = st.sampled_from(("each", "never", 0, 1_000, 5_000))


class PowerLost(BaseException):
    """The process is gone."""


def crash_after(disk: FaultyDisk, operations: int) -> None:
    left = [operations]

    def fail_(_name: str) -> OSError | None:
        left[0] -= 1
        if left[0] < 0:
            raise PowerLost
        return None

    disk.fail = fail_


class Worker:
    """Feeds the whole log over crashes, acting as it goes."""

    def __init__(self, policy: object, every: int) -> None:
        self.policy, self.every = policy, every
        self.disk = FaultyDisk()
        self.acting = Acting()
        self.returned = 0
        self.now = 0.0

    def clock(self) -> float:
        self.now += 0.7
        return self.now

    def work(self) -> None:
        journal = opened(self.disk, sync=self.policy, snapshot_every=self.every, clock=self.clock)
        taken = journal.statistics().inputs
        assert SNAPSHOTS[taken] == journal.snapshot()
        if self.policy == "each":
            assert taken - self.returned in {0, 1}
        self.returned = taken
        self.acting.catch_up(journal)
        for item in INPUTS[taken:]:
            outputs = journal.feed(item)
            self.returned += 1
            self.acting.act(journal, [one for one in journal.outstanding if one in outputs])
        assert journal.outstanding == ()
        journal.close()


def run_over_crashes(data: st.DataObject, policy: object, every: int, most: int, crash) -> None:
    worker = Worker(policy, every)
    crashes = data.draw(st.lists(st.integers(0, most), max_size=6))
    for operations in crashes:
        crash_after(worker.disk, operations)
        try:
            worker.work()
        except PowerLost:
            worker.disk = crash(worker.disk, data)
        else:
            break
    worker.disk.fail = lambda _name: None
    worker.work()
    assert list(worker.acting.acted) == EXPECTED


def lose_power(disk: FaultyDisk, data: st.DataObject) -> FaultyDisk:
    return disk.lose_power(lambda most: data.draw(st.integers(0, most)))


@settings(max_examples=25)
@given(data=st.data(), policy=POLICIES, every=st.sampled_from((3, 20, 1_000)))
def test_over_losses_of_power_every_decision_is_acted_upon_once(data, policy, every):
    run_over_crashes(data, policy, every, 400, lose_power)


@settings(max_examples=10)
@given(data=st.data(), policy=POLICIES, every=st.sampled_from((3, 20, 1_000)))
def test_over_kills_every_decision_is_acted_upon_once(data, policy, every):
    run_over_crashes(data, policy, every, 400, lambda disk, _data: disk.killed())


@pytest.mark.deep
@settings(settings.get_profile("deep"), max_examples=3_000)
@given(data=st.data(), policy=POLICIES, every=st.sampled_from((1, 2, 3, 7, 20, 1_000)))
def test_over_thousands_of_losses_of_power_every_decision_is_acted_upon_once(data, policy, every):
    run_over_crashes(data, policy, every, 700, lose_power)


@pytest.mark.parametrize("policy", ["each", "never", 1_000])
def test_a_kill_at_any_operation_loses_no_input_whose_call_returned(policy):
    for operations in range(0, 120, 7):
        worker = Worker(policy, 10)
        crash_after(worker.disk, operations)
        with pytest.raises(PowerLost):
            worker.work()
        worker.disk = worker.disk.killed()
        again = opened(worker.disk, sync=policy)
        assert again.statistics().inputs - worker.returned in {0, 1}


@pytest.mark.parametrize("room", range(0, 9_000, 397))
def test_a_full_disk_at_any_write_refuses_the_input_and_goes_on_when_there_is_room(room):
    disk = FaultyDisk()
    acting = Acting()
    journal = opened(disk, snapshot_every=20)
    disk.room = room
    for item in INPUTS:
        before = journal.snapshot()
        refused = None
        try:
            journal.feed(item)
        except JournalError as error:
            refused = str(error)
        if refused is not None:
            assert "nothing was written" in refused
            assert before == journal.snapshot()
            disk.room = None
            journal.feed(item)
        disk_full = disk.room is not None
        try:
            acting.act(journal, journal.outstanding)
        except JournalError:
            assert disk_full
            disk.room = None
            acting.act(journal, journal.outstanding)
    assert list(acting.acted) == EXPECTED
    assert SNAPSHOTS[-1] == journal.snapshot()
    assert SNAPSHOTS[-1] == opened(disk.killed()).snapshot()


def test_a_snapshot_that_finds_no_room_is_told_and_the_journal_goes_on():
    disk = FaultyDisk()
    journal = opened(disk, snapshot_every=20)
    journal.feed_many(INPUTS[:19])
    disk.room = 400
    journal.feed(INPUTS[19])
    assert journal.snapshot_fault is not None
    disk.room = None
    journal.feed(INPUTS[20])
    assert journal.snapshot_fault is None
    assert SNAPSHOTS[21] == opened(disk.killed()).snapshot()


def test_a_full_disk_does_not_stop_a_journal_from_being_opened():
    disk = FaultyDisk()
    opened(disk).feed_many(INPUTS)
    disk = disk.killed()
    disk.room = 0
    journal = opened(disk)
    assert SNAPSHOTS[-1] == journal.snapshot()
    assert journal.snapshot_fault is not None


@pytest.mark.parametrize("operation", ["sync", "sync_folder", "rename", "create", "truncate"])
def test_an_operation_that_fails_once_leaves_a_journal_that_opens_again(operation):
    for nth in range(6):
        disk = FaultyDisk()
        left = [nth]
        acting = Acting()
        journal = opened(disk, snapshot_every=10)

        def fail_(name: str, left=left) -> OSError | None:
            if name != operation:
                return None
            left[0] -= 1
            return OSError(errno.EIO, "input/output error") if left[0] == -1 else None

        disk.fail = fail_
        if operation == "truncate":
            disk.room = 500 + 100 * nth
        taken = 0
        while taken < len(INPUTS):
            try:
                acting.catch_up(journal)
                journal.feed(INPUTS[taken])
            except JournalError:
                disk = disk.killed()
                disk.fail = fail_
                try:
                    journal = opened(disk, snapshot_every=10)
                except JournalError:
                    disk = disk.killed()
                    journal = opened(disk, snapshot_every=10)
            taken = journal.statistics().inputs
            assert SNAPSHOTS[taken] == journal.snapshot()
        acting.catch_up(journal)
        assert list(acting.acted) == EXPECTED


def test_after_a_failed_sync_nothing_goes_on_until_it_is_opened_again():
    disk = FaultyDisk()
    journal = opened(disk)
    disk.fail = lambda name: OSError(errno.EIO, "gone") if name == "sync" else None
    with pytest.raises(JournalError, match="open the journal again"):
        journal.feed(fail(1))
    disk.fail = lambda _name: None
    for call in (lambda: journal.feed(fail(2)), lambda: journal.advance(5), journal.tend):
        with pytest.raises(JournalError, match="open the journal again"):
            call()
    journal.close()


def test_a_crash_at_any_operation_of_opening_a_new_journal_leaves_one_that_opens():
    for operations in range(12):
        disk = FaultyDisk()
        crash_after(disk, operations)
        with contextlib.suppress(PowerLost):
            opened(disk)
        again = opened(disk.lose_power(lambda most: most))
        assert ids(again.feed_many(INPUTS)) == EXPECTED
