"""Writes that are cut short at every step: what is kept is the old or the new, whole."""

import os
import shutil

import attrs
import pytest

from storage.cut_short import calls_of, disk_full_at, killed_at
from storage.storage_builders import definition, scheduled, stored
from wakeful.reading.markdown import read_automation_file
from wakeful.storage import AutomationFolder, RunProgress, StorageError
from wakeful.storage.whole_files import write_file

RESOURCE = "ahp-automation:/nightly-review"
OLD = stored(text="old " * 2_000, triggers=[scheduled()])
NEW = stored(text="new " * 3_000, triggers=[scheduled()])
MOVED = RunProgress(run_count=1, occurrences={"t1": 2_000}, going=("r",))


def edit(automations):
    automations.save(NEW)


def move(automations):
    automations.move(RESOURCE, MOVED)


def remove(automations):
    automations.remove(RESOURCE)


def add(automations):
    automations.save(stored("other"))


WORKS = {"edit": edit, "move": move, "remove": remove, "add": add}
"""What is done to a folder that holds OLD, and nothing else."""

OUTCOMES = {
    "edit": ([OLD], [NEW]),
    "move": ([OLD], [attrs.evolve(OLD, progress=MOVED)]),
    "remove": ([OLD], []),
    "add": ([OLD], [OLD, stored("other")]),
}
"""Before, and after."""


def prepared(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for beside in folder.parent.glob("*automations*"):
        if beside.is_file():
            beside.unlink()
    automations = AutomationFolder(folder)
    automations.save(OLD)
    return automations


def leftovers(folder):
    return [file.name for file in folder.parent.rglob("*") if file.suffix == ".tmp"]


def error_of(work):
    try:
        work()
    except StorageError as error:
        return error
    return None


def found(folder):
    """What a process finds that comes later; and nothing half-written is left after it."""
    kept = AutomationFolder(folder).load()
    assert leftovers(folder) == []
    return list(kept)


def steps_of(work, folder):
    automations = prepared(folder)
    return calls_of(lambda: WORKS[work](automations))


@pytest.mark.parametrize("work", WORKS)
def test_a_kill_at_every_step_leaves_the_old_or_the_new(folder, work):
    steps = steps_of(work, folder)
    seen = []
    for step, name in enumerate(steps):
        for when in ("before", "in", "after") if name == "write" else ("before", "after"):
            automations = prepared(folder)
            assert killed_at(step, when, lambda: WORKS[work](automations))  # noqa: B023
            kept = found(folder)
            assert kept in OUTCOMES[work], (step, name, when)
            seen.append(OUTCOMES[work].index(kept))

    assert (seen[0], seen[-1]) == (0, 1)
    assert seen == sorted(seen)
    automations = prepared(folder)
    assert not killed_at(len(steps), "before", lambda: WORKS[work](automations))


@pytest.mark.parametrize("work", WORKS)
def test_a_disk_that_is_full_at_any_call_loses_nothing(folder, work):
    steps = steps_of(work, folder)
    for step, name in enumerate(steps):
        automations = prepared(folder)
        with disk_full_at(step):
            raised = error_of(lambda: WORKS[work](automations))  # noqa: B023
        assert raised is None or "No space left on device" in str(raised)
        before, after = OUTCOMES[work]
        kept = found(folder)
        # What was told as done is done. What was told as failed may be done only where the
        # one thing that failed was to make sure of it.
        assert kept in ([before, after] if raised else [after]), (step, name)
        WORKS[work](automations)
        assert found(folder) == after, (step, name)


def test_a_kill_while_a_folder_is_made_leaves_none_or_one(folder):
    steps = calls_of(lambda: AutomationFolder(folder).save(OLD))
    for step in range(len(steps)):
        shutil.rmtree(folder, ignore_errors=True)
        killed_at(step, "after", lambda: AutomationFolder(folder).save(OLD))
        assert list(AutomationFolder(folder).load()) in ([], [OLD])
        folder.mkdir(exist_ok=True)
        AutomationFolder(folder).remove(RESOURCE)


def test_a_kill_during_a_conversion_loses_no_automation(folder):
    from storage.test_migration import names, old, write_old

    def convert():
        AutomationFolder(folder).load()

    write_old(folder, old("a"), old("b"))
    steps = calls_of(convert)
    for step in range(len(steps)):
        for path in folder.parent.glob("automations*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        write_old(folder, old("a"), old("b"))
        assert killed_at(step, "after", convert)
        kept = AutomationFolder(folder).load()
        assert [each.definition.title for each in kept] == ["a", "b"], steps[step]
        assert [each.progress.run_count for each in kept] == [2, 2]
        assert names(folder) == ["a.md", "b.md"]


def test_what_a_kill_left_behind_is_cleared_away(folder):
    automations = prepared(folder)
    step = steps_of("edit", folder).index("replace")
    automations = prepared(folder)
    killed_at(step, "before", lambda: edit(automations))
    assert len(leftovers(folder)) == 1
    found(folder)


def test_a_file_system_without_links_refuses_a_taken_name_too(tmp_path, monkeypatch):
    import errno

    def no_links(*_arguments, **_named):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "a.md"
    write_file(path, b"one", prefix=".x-", is_new=True)
    with pytest.raises(FileExistsError):
        write_file(path, b"two", prefix=".x-", is_new=True)
    assert path.read_bytes() == b"one"
    assert [file.name for file in tmp_path.iterdir()] == ["a.md"]


@pytest.mark.deep
def test_a_writer_that_is_killed_again_and_again_never_leaves_half_a_file(folder):
    """A process writes one definition after another; it is killed whenever it happens to be."""
    import random
    import signal
    import time

    prepared(folder)
    chance = random.Random(7)
    for _ in range(300):
        child = os.fork()
        if child == 0:
            automations = AutomationFolder(folder)
            automations.load()
            for number in range(10_000):
                text = f"{number} " * 20_000
                automations.save(attrs.evolve(OLD, definition=definition(text=text)))
            os._exit(0)
        time.sleep(chance.uniform(0.005, 0.08))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        file = folder / "nightly-review.md"
        words = set(read_automation_file(file.read_text()).definition.message.text.split())
        assert len(words) == 1
        assert len(AutomationFolder(folder).load()) == 1
