"""The folder as a catalogue's store: what clients write is in files, what is in files is told."""

import json

import pytest

from catalogue.catalogue_world import START, World, at
from storage.storage_builders import NIGHTLY
from wakeful.hosting.folder_store import FolderStore
from wakeful.model.time import HOUR
from wakeful.storage import AutomationFolder

NINE = {"id": "s", "kind": "schedule", "schedule": {"expression": "0 15 * * *", "timeZone": "UTC"}}


@pytest.fixture
def store(folder):
    return FolderStore(AutomationFolder(folder, clock=lambda: START))


def test_what_a_client_creates_is_a_file_and_comes_back_with_the_next_host(folder, store):
    World(store=store).create(triggers=[NINE])
    before = World(store=FolderStore(folder)).entries()["a"]
    assert (folder / "a.md").read_text().count("owner: user:ann\n") == 1
    assert before["definition"]["_meta"]["ahpd.owner"] == "user:ann"
    assert "nextRunAt" in before


def test_an_occurrence_is_moved_on_and_its_run_recorded_before_the_start(folder, store):
    world = World(store=store)
    world.create(triggers=[NINE])
    real, seen = world.host.start, []

    def start(asked):
        state = json.loads((folder.parent / "automations-state.json").read_text())
        part = state["automations"]["ahp-automation:/a"]
        seen.append((part["occurrences"]["s"], part["going"] == [asked.run]))
        real(asked)

    world.host.start = start
    due = world.entries()["a"]["nextRunAt"]
    world.later(3_600)
    assert [recorded for _, recorded in seen] == [True]
    assert seen[0][0] > due


def test_of_two_hosts_on_one_folder_one_starts_the_run(folder, store):
    first = World(store=store)
    first.create(triggers=[NINE])
    second = World(store=FolderStore(AutomationFolder(folder, clock=lambda: START)))
    second.later(3_600)
    first.later(3_600)

    assert (len(second.host.asked), len(first.host.asked)) == (1, 0)
    (failed,) = first.entries()["a"]["runs"]
    assert failed["lifecycle"]["status"] == "failed"


def test_a_file_that_is_added_edited_and_removed_reaches_clients_at_once(folder, store):
    world = World(store=store)
    world.subscribe("ann")
    folder.mkdir()
    file = folder / "nightly-review.md"
    file.write_text(NIGHTLY)
    store.follow(world.catalogue, at=START)
    file.write_text(NIGHTLY.replace("Nightly", "Daily"))
    store.follow(world.catalogue, [file.name], at=START)
    file.unlink()
    store.follow(world.catalogue, at=START)

    told = [each["action"] for each in world.heard("ann")]
    assert [one["type"] for one in told] == [
        "automation/set",
        "automation/set",
        "automation/removed",
    ]
    titles = [one["automation"]["definition"]["title"] for one in told[:2]]
    assert titles == ["Nightly review", "Daily review"]
    assert "nextRunAt" in told[0]["automation"]


def test_following_writes_nothing_into_a_file(folder, store):
    world = World(store=store)
    folder.mkdir()
    file = folder / "nightly-review.md"
    file.write_text(NIGHTLY)
    store.follow(world.catalogue, at=START)
    assert file.read_text() == NIGHTLY
    assert store.folder.refresh() == ()


def test_a_file_that_the_host_refuses_is_told_and_what_it_said_goes_on(folder, store):
    world = World(store=store)
    world.create()
    file = folder / "a.md"
    good = file.read_text()
    file.write_text("---\ntitle: ''\n---\nLook.\n")
    (refused,) = store.follow(world.catalogue, at=START)

    assert (refused.name, refused.problems[0].line) == ("a.md", 2)
    assert world.entries()["a"]["definition"]["title"] != ""
    assert store.follow(world.catalogue, at=START) == ()
    file.write_text(good)
    assert store.follow(world.catalogue, at=START) == ()


def test_a_run_state_that_cannot_be_read_is_no_catalogue(folder):
    (folder.parent / "automations-state.json").write_text("{")
    world = World(store=FolderStore(folder))
    assert world.catalogue.initialize() == {}
    number = world.dispatch(
        "ann",
        "automation/createRequested",
        resource="ahp-automation:/a",
        definition={"title": "A", "message": {"text": "x"}},
    )
    assert number == 1
    assert not folder.exists()


def test_a_schedule_that_was_edited_while_no_host_ran_waits_from_now(folder, store):
    World(store=store).create(triggers=[NINE])
    file = folder / "a.md"
    file.write_text(file.read_text().replace("0 15 * * *", "30 16 * * *"))
    world = World(store=FolderStore(AutomationFolder(folder, clock=lambda: START)))
    assert world.entries()["a"]["nextRunAt"] == at(2 * 3_600 + 1_800)


def test_many_new_files_are_armed_with_one_write(folder, monkeypatch):
    from wakeful.storage import state_file as module

    folder.mkdir()
    for number in range(20):
        (folder / f"a{number}.md").write_text(NIGHTLY)
    store = FolderStore(AutomationFolder(folder, clock=lambda: START))
    real, written = module.write_file, []

    def write_file(path, data, **named):
        written.append(path.name)
        real(path, data, **named)

    monkeypatch.setattr(module, "write_file", write_file)
    world = World(store=store)
    assert all("nextRunAt" in entry for entry in world.entries().values())
    assert written == ["automations-state.json"] * 2
    assert world.catalogue.next_deadline > START + HOUR - 1
