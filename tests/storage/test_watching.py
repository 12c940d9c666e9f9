"""A folder that is followed: what editors do to files, and what happens to folders."""

import asyncio
import queue
import shutil
import threading
import time

import pytest

from storage.storage_builders import NIGHTLY, stored
from wakeful.storage import AutomationFolder, FileRefused, FileRemoved, FileSaved
from wakeful.storage.watching import FolderWatcher

RESOURCE = "ahp-automation:/nightly-review"
LONG = 15.0
"""A machine that is busy may take its time; what is asserted is what happens, not how fast."""


class Followed:
    """A folder that a thread watches, and what is found when it says to look."""

    def __init__(self, path):
        self.folder = AutomationFolder(path)
        self.folder.load()
        self.touched = queue.Queue()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._watch, args=(FolderWatcher(path),))
        self.thread.start()
        self.looks = 0
        self.changes = []

    def _watch(self, watcher):
        for names in watcher.touched(self.stop):
            self.touched.put(names)

    def armed(self):
        assert self.touched.get(timeout=LONG) is None
        self.changes += self.folder.refresh()
        return self

    def until(self, holds):
        """Look whenever it is said to, until the changes are as they should be."""
        end = time.monotonic() + LONG
        while not holds(self.changes):
            names = self.touched.get(timeout=max(end - time.monotonic(), 0.01))
            self.looks += 1
            self.changes += self.folder.refresh(names)
        return self.changes

    def quiet(self, seconds=0.4):
        """What else comes in a while."""
        before = len(self.changes)
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            try:
                self.changes += self.folder.refresh(self.touched.get(timeout=rest))
            except queue.Empty:
                break
        return self.changes[before:]


@pytest.fixture
def follow(folder):
    made = []

    def start():
        made.append(Followed(folder))
        return made[-1].armed()

    yield start
    for one in made:
        one.stop.set()
        one.thread.join(timeout=LONG)


@pytest.fixture
def file(folder):
    AutomationFolder(folder).save(stored())
    return folder / "nightly-review.md"


def titles(changes):
    return [one.stored.definition.title for one in changes if isinstance(one, FileSaved)]


def test_a_file_that_is_added_edited_and_removed_is_told(folder, follow):
    folder.mkdir()
    followed = follow()
    file = folder / "nightly-review.md"
    file.write_text(NIGHTLY)
    followed.until(lambda changes: titles(changes) == ["Nightly review"])
    file.write_text(NIGHTLY.replace("Nightly", "Daily"))
    followed.until(lambda changes: titles(changes) == ["Nightly review", "Daily review"])
    file.unlink()
    followed.until(lambda changes: changes[-1] == FileRemoved(resource=RESOURCE))


def test_an_editor_that_saves_by_renaming_over_it_is_an_edit(file, folder, follow):
    followed = follow()
    (folder / ".nightly-review.md.swp").write_text("x")
    (folder / "4913").write_text("x")
    new = folder / "nightly-review.md~new"
    new.write_text(NIGHTLY.replace("Nightly", "Daily"))
    new.rename(file)

    followed.until(lambda changes: titles(changes) == ["Daily review"])
    assert followed.quiet() == []
    assert len(followed.changes) == 1


def test_an_editor_that_renames_the_old_file_away_first_removes_nothing(file, folder, follow):
    followed = follow()
    file.rename(folder / "nightly-review.md~")
    time.sleep(0.05)
    file.write_text(NIGHTLY.replace("Nightly", "Daily"))

    followed.until(lambda changes: titles(changes) == ["Daily review"])
    assert not any(isinstance(change, FileRemoved) for change in followed.changes)


def test_a_half_written_file_is_told_and_the_rest_follows(file, follow):
    followed = follow()
    text = NIGHTLY.replace("Nightly", "Daily")
    with file.open("w") as open_file:
        open_file.write(text[:40])
        open_file.flush()
        followed.until(bool)
        open_file.write(text[40:])
    followed.until(lambda changes: titles(changes) == ["Daily review"])

    assert isinstance(followed.changes[0], FileRefused)
    assert followed.changes[0].resource == RESOURCE


def test_ten_edits_in_a_second_end_with_the_last(file, follow):
    followed = follow()
    for number in range(10):
        file.write_text(NIGHTLY.replace("Nightly review", f"Edit {number}"))
        time.sleep(0.03)
    followed.until(lambda changes: titles(changes)[-1:] == ["Edit 9"])
    assert followed.looks <= 20


def test_a_folder_that_is_removed_and_comes_back_is_followed_again(file, folder, follow):
    followed = follow()
    shutil.rmtree(folder)
    followed.until(lambda changes: changes == [FileRemoved(resource=RESOURCE)])
    folder.mkdir()
    file.write_text(NIGHTLY)
    followed.until(lambda changes: titles(changes) == ["Nightly review"])
    file.write_text(NIGHTLY.replace("Nightly", "Daily"))
    followed.until(lambda changes: titles(changes) == ["Nightly review", "Daily review"])


def test_a_folder_that_is_not_there_yet_is_found_when_it_is_made(folder, follow):
    followed = follow()
    folder.mkdir()
    (folder / "nightly-review.md").write_text(NIGHTLY)
    followed.until(lambda changes: titles(changes) == ["Nightly review"])


def test_what_this_process_writes_is_no_change(file, follow):
    followed = follow()
    followed.folder.save(stored(title="Other"))
    assert followed.quiet() == []


def test_a_moved_away_folder_with_another_in_its_place(file, folder, follow):
    followed = follow()
    folder.rename(folder.parent / "old")
    folder.mkdir()
    (folder / "a.md").write_text(NIGHTLY)
    followed.until(lambda changes: FileRemoved(resource=RESOURCE) in changes and titles(changes))
    saved = [change for change in followed.changes if isinstance(change, FileSaved)]
    assert [change.stored.resource for change in saved] == ["ahp-automation:/a"]


def test_everything_is_looked_at_every_now_and_then(file, folder):
    stop = threading.Event()
    watcher = FolderWatcher(folder, look_every=0.05)
    seen = []
    for names in watcher.touched(stop):
        seen.append(names)
        if len(seen) == 3:
            stop.set()
    assert seen == [None, None, None]


def test_the_same_with_an_event_loop(file, folder):
    async def follow():
        stop = asyncio.Event()
        found = []
        async for names in FolderWatcher(folder).touched_async(stop):
            found.append(names)
            if names is None:
                file.write_text(NIGHTLY)
            else:
                stop.set()
        return found

    found = asyncio.run(asyncio.wait_for(follow(), LONG))
    assert found[0] is None
    assert found[-1] == {"nightly-review.md"}
