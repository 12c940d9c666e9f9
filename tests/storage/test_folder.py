"""A folder of automations: what is kept where, what is refused, what others change."""

import os
import stat

import attrs
import pytest

from storage.storage_builders import NIGHTLY, definition, scheduled, stored
from wakeful.errors import InvalidError
from wakeful.reading import load_rules
from wakeful.storage import (
    AutomationFolder,
    FileRefused,
    FileRemoved,
    FileSaved,
    OccurrenceTakenError,
    RunProgress,
    StorageError,
)

RESOURCE = "ahp-automation:/nightly-review"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def opened(folder):
    automations = AutomationFolder(folder)
    return automations, automations.load()


# -- keeping ------------------------------------------------------------------------------------


def test_what_is_saved_is_there_for_the_next_process(folder):
    kept = stored(
        owner="user:ann",
        triggers=[scheduled()],
        _meta={"ahpd": {"session": "pinned", "pinnedSession": "ahp-session:/1"}},
    )
    AutomationFolder(folder).save(kept)
    assert opened(folder)[1] == (kept,)


def test_files_are_their_owners_alone(folder):
    old = os.umask(0)
    try:
        AutomationFolder(folder).save(stored())
    finally:
        os.umask(old)
    assert mode(folder) == 0o700
    assert mode(folder / "nightly-review.md") == 0o600
    assert mode(folder.parent / "automations-state.json") == 0o600


def test_a_resource_of_any_uri_has_a_file(folder):
    kept = attrs.evolve(stored(), resource="ahp-automation:/Daily Review")
    AutomationFolder(folder).save(kept)
    assert [file.name for file in folder.iterdir()] == ["YWhwLWF1dG9tYXRpb246L0RhaWx5IFJldmlldw.md"]
    assert opened(folder)[1] == (kept,)


def test_files_come_by_name(folder):
    automations = AutomationFolder(folder)
    for id_ in ("b", "c", "a"):
        automations.save(stored(id_))
    assert [each.resource[-1] for each in opened(folder)[1]] == ["a", "b", "c"]


def test_a_file_written_by_hand_was_made_when_it_was_first_seen(folder):
    folder.mkdir()
    file = folder / "nightly-review.md"
    file.write_text(NIGHTLY)
    os.utime(file, ns=(0, 5_000_000_000))
    (first,) = opened(folder)[1]
    file.write_text(NIGHTLY.replace("nine", "ten"))
    (later,) = opened(folder)[1]

    assert (first.created_at, later.created_at) == (5_000, 5_000)
    assert file.read_text().count("createdAt") == 0


def test_a_copy_under_a_new_name_is_a_new_automation(folder):
    automations = AutomationFolder(folder)
    automations.save(stored(progress=RunProgress(run_count=3)))
    (folder / "monday-review.md").write_bytes((folder / "nightly-review.md").read_bytes())
    (change,) = automations.refresh()

    assert change.stored.resource == "ahp-automation:/monday-review"
    assert change.stored.progress == RunProgress()
    assert change.stored.definition == stored().definition


def test_a_run_never_writes_the_automations_file(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    before = (folder / "nightly-review.md").stat()
    automations.move(RESOURCE, RunProgress(run_count=1, going=("r",)))
    chat = {"ahpd": {"pinnedSession": "ahp-session:/1"}}
    automations.save(attrs.evolve(stored(), definition=definition(_meta=chat)))

    after = (folder / "nightly-review.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_chat_that_somebody_wrote_into_the_file_is_dropped(folder):
    folder.mkdir()
    notes = "_meta:\n  ahpd:\n    session: pinned\n    pinnedSession: ahp-session:/of-another\n"
    (folder / "a.md").write_text(f"---\ntitle: A\n{notes}---\nLook.\n")
    ((kept,)) = opened(folder)[1]
    assert (kept.definition.pinned, kept.definition.pinned_session) == (True, None)


def test_removing_takes_the_file_and_what_runs_changed(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    automations.move(RESOURCE, RunProgress(run_count=1))
    automations.remove(RESOURCE)
    automations.remove(RESOURCE)
    automations.save(stored())

    assert opened(folder)[1] == (stored(),)


def test_what_runs_changed_outlives_a_folder_that_is_gone(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    automations.move(RESOURCE, RunProgress(run_count=1))
    folder.rename(folder.parent / "away")
    assert automations.refresh() == (FileRemoved(resource=RESOURCE),)
    automations.remove(RESOURCE)
    (folder.parent / "away").rename(folder)

    (change,) = automations.refresh()
    assert change.stored.progress.run_count == 1


def test_every_command_that_takes_rules_takes_the_folder(folder):
    automations = AutomationFolder(folder)
    automations.save(stored(owner="user:ann"))
    assert load_rules([folder]).automations == (stored(owner="user:ann").automation,)


# -- refusing -----------------------------------------------------------------------------------


def test_another_scheme_is_refused(folder):
    with pytest.raises(InvalidError, match="Automation resource must use the ahp-automation"):
        AutomationFolder(folder).save(attrs.evolve(stored(), resource="ahp-session:/a"))
    assert not folder.exists()


@pytest.mark.parametrize("content", [NIGHTLY, "cannot be loaded"])
def test_a_new_automation_whose_file_is_there_is_refused(folder, content):
    folder.mkdir()
    automations, _ = opened(folder)
    (folder / "nightly-review.md").write_text(content)
    with pytest.raises(StorageError, match=r"^Automation file already exists: nightly-review.md$"):
        automations.save(stored())
    assert (folder / "nightly-review.md").read_text() == content


@pytest.mark.parametrize("target", ["elsewhere.md", "nothing.md"])
def test_a_link_is_not_followed_and_not_replaced(folder, target):
    folder.mkdir()
    (folder.parent / "elsewhere.md").write_text(NIGHTLY)
    link = folder / "nightly-review.md"
    link.symlink_to(folder.parent / target)
    automations, kept = opened(folder)

    assert kept == ()
    assert "a symbolic link, which is not followed" in str(automations.problems[0])
    with pytest.raises(StorageError, match="Automation file already exists"):
        automations.save(stored())
    assert link.is_symlink()


def test_a_name_that_is_no_automations_is_told_and_passed_over(folder):
    folder.mkdir()
    (folder / "README.md").write_text("# Read me\n")
    (folder / ".hidden.md").write_text("x")
    (folder / "notes.txt").write_text("x")
    (folder / "sub.md").mkdir()
    automations, kept = opened(folder)

    assert kept == ()
    assert [problem.sentence[:30] for problem in automations.problems] == [
        "'README.md' names no automatio",
        "not a file",
    ]


def test_a_file_that_was_broken_meanwhile_is_not_written_over(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    (folder / "nightly-review.md").write_text("---\ntitle: [\n---\n")
    with pytest.raises(StorageError, match="is left alone"):
        automations.save(stored(title="Other"))
    assert (folder / "nightly-review.md").read_text() == "---\ntitle: [\n---\n"


def test_a_definition_that_cannot_be_written_changes_nothing(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    before = (folder / "nightly-review.md").read_bytes()
    with pytest.raises(InvalidError, match="NUL"):
        automations.save(stored(text="a\0b"))
    assert (folder / "nightly-review.md").read_bytes() == before


def test_an_unknown_automation_cannot_be_moved(folder):
    with pytest.raises(StorageError, match="Automation not found"):
        AutomationFolder(folder).move(RESOURCE, RunProgress())


# -- what others change -------------------------------------------------------------------------


def test_an_added_an_edited_and_a_removed_file_are_told_once(folder):
    automations, _ = opened(folder)
    folder.mkdir()
    file = folder / "nightly-review.md"
    file.write_text(NIGHTLY)
    (added,) = automations.refresh()
    file.write_text(NIGHTLY.replace("Nightly", "Daily"))
    (edited,) = automations.refresh([file.name])
    file.unlink()

    assert added.stored.definition.title == "Nightly review"
    assert edited.stored.definition.title == "Daily review"
    assert automations.refresh() == (FileRemoved(resource=RESOURCE),)
    assert automations.refresh() == ()


def test_a_broken_file_is_told_once_and_what_it_said_goes_on(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    file = folder / "nightly-review.md"
    good = file.read_text()
    file.write_text("---\ntitle: ''\n---\n")
    (refused,) = automations.refresh()

    assert isinstance(refused, FileRefused)
    assert (refused.resource, refused.problems[0].line) == (RESOURCE, 2)
    assert automations.refresh() == ()
    assert automations.problems == refused.problems
    file.write_text(good)
    assert automations.refresh() == ()
    assert automations.problems == ()


def test_a_save_that_changes_no_meaning_is_no_change(folder):
    folder.mkdir()
    file = folder / "nightly-review.md"
    file.write_text(NIGHTLY)
    automations, _ = opened(folder)
    file.write_text(NIGHTLY.replace("enabled: true", "# on\nenabled: true"))
    assert automations.refresh() == ()


def test_what_this_process_wrote_is_no_change(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    automations.save(stored(title="Other"))
    assert automations.refresh() == ()


# -- two on one folder --------------------------------------------------------------------------


def test_two_edits_of_different_keys_are_both_kept(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    file = folder / "nightly-review.md"
    file.write_text(file.read_text().replace("Nightly review", "By hand   # mine"))
    automations.save(attrs.evolve(stored(), definition=definition(enabled=False)))
    (change,) = automations.refresh()

    assert "By hand   # mine" in file.read_text()
    assert (change.stored.definition.title, change.stored.definition.enabled) == ("By hand", False)


def test_an_occurrence_is_claimed_by_one(folder):
    first = AutomationFolder(folder)
    first.save(stored(triggers=[scheduled()]))
    first.move(RESOURCE, RunProgress(occurrences={"t1": 1_000}))
    second, _ = opened(folder)

    second.move(RESOURCE, RunProgress(occurrences={"t1": 2_000}, going=("r2",)))
    with pytest.raises(OccurrenceTakenError):
        first.move(RESOURCE, RunProgress(occurrences={"t1": 2_000}, going=("r1",)))
    # Then it goes on from there, without a run of that occurrence.
    first.move(RESOURCE, RunProgress(occurrences={"t1": 2_000}))
    first.move(RESOURCE, RunProgress(occurrences={"t1": 3_000}, going=("r3",)))
    assert opened(folder)[1][0].progress == RunProgress(
        occurrences={"t1": 3_000}, going=("r2", "r3")
    )


def test_arming_a_schedule_does_not_take_back_what_another_moved_on(folder):
    first = AutomationFolder(folder)
    first.save(stored(triggers=[scheduled()]))
    second, _ = opened(folder)
    first.move(RESOURCE, RunProgress(occurrences={"t1": 1_000}))
    first.move(RESOURCE, RunProgress(occurrences={"t1": 2_000}))
    second.move(RESOURCE, RunProgress(occurrences={"t1": 1_000}))

    with pytest.raises(OccurrenceTakenError):
        second.move(RESOURCE, RunProgress(occurrences={"t1": 2_000}, going=("r",)))


def test_counts_runs_and_requests_of_both_are_kept(folder):
    first = AutomationFolder(folder)
    first.save(stored())
    first.move(RESOURCE, RunProgress(run_count=1, going=("a",), requests={"x": "a"}))
    second, _ = opened(folder)
    first.move(RESOURCE, RunProgress(run_count=2, going=("a", "b"), requests={"x": "a"}))
    second.move(RESOURCE, RunProgress(run_count=2, going=("c",), requests={"x": "a", "y": "c"}))
    assert opened(folder)[1][0].progress == RunProgress(
        run_count=3, going=("b", "c"), requests={"x": "a", "y": "c"}
    )


def test_many_moves_are_written_together(folder):
    automations = AutomationFolder(folder)
    for id_ in ("a", "b"):
        automations.save(stored(id_))
    state = folder.parent / "automations-state.json"
    before = state.read_bytes()
    with automations.together():
        for id_ in ("a", "b"):
            automations.move(f"ahp-automation:/{id_}", RunProgress(run_count=1))
            assert state.read_bytes() == before
    assert [each.progress.run_count for each in opened(folder)[1]] == [1, 1]


def test_a_change_tells_the_state_as_it_is(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    automations.move(RESOURCE, RunProgress(run_count=2))
    file = folder / "nightly-review.md"
    file.write_text(file.read_text().replace("Nightly", "Daily"))
    (change,) = automations.refresh()
    assert isinstance(change, FileSaved)
    assert change.stored.progress.run_count == 2


def test_a_file_that_is_too_large_is_told_and_not_read(folder):
    folder.mkdir()
    with (folder / "a.md").open("wb") as file:
        file.truncate(2**30)
    automations, kept = opened(folder)
    assert (kept, "larger than" in str(automations.problems[0])) == ((), True)


def test_two_edits_in_one_tick_of_the_clock_are_both_found(folder):
    automations = AutomationFolder(folder)
    automations.save(stored(title="AAAA"))
    file = folder / "nightly-review.md"
    at = file.stat().st_mtime_ns
    for title in ("BBBB", "CCCC"):
        file.write_text(file.read_text().replace("AAAA", title).replace("BBBB", title))
        os.utime(file, ns=(at, at))
        (change,) = automations.refresh()
        assert change.stored.definition.title == title
