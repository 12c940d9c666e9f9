"""The one file of an earlier version, converted once."""

import json
import os

import pytest

from storage.storage_builders import scheduled
from wakeful.storage import AutomationFolder, RunProgress
from wakeful.storage.run_state import read_run_state


def old(id_="nightly", **more):
    return {
        "resource": f"ahp-automation:/{id_}",
        "definition": {
            "title": id_,
            "message": {"text": "Look.", "origin": {"kind": "automation"}},
            "session": {},
            "enabled": True,
            "triggers": [scheduled("0 9 * * *"), scheduled("30 9 * * *", "t2")],
        },
        "owner": "user:ann",
        "runCount": 2,
        "createdAt": "2026-01-01T00:00:00.000Z",
        "modifiedAt": "2026-02-01T00:00:00.000Z",
        "nextRunAt": "2026-10-07T07:00:00.000Z",
        **more,
    }


def write_old(folder, *automations, version=1):
    path = folder.parent / "automations.json"
    path.write_text(json.dumps({"version": version, "automations": automations}))
    return path


def names(folder):
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def test_each_becomes_a_file_and_its_run_state_goes_beside(folder):
    path = write_old(folder, old(), old("Daily Review"))
    original = path.read_bytes()
    second, first = AutomationFolder(folder).load()

    assert names(folder) == ["YWhwLWF1dG9tYXRpb246L0RhaWx5IFJldmlldw.md", "nightly.md"]
    assert second.resource == "ahp-automation:/Daily Review"
    assert (first.owner, first.created_at, first.modified_at) == (
        "user:ann",
        1_767_225_600_000,
        1_769_904_000_000,
    )
    assert first.progress == RunProgress(
        run_count=2, occurrences={"t1": 1_791_356_400_000, "t2": 1_791_358_200_000}
    )
    assert not path.exists()
    assert (folder.parent / "automations.json.migrated").read_bytes() == original


def test_it_is_converted_once(folder):
    write_old(folder, old())
    AutomationFolder(folder).load()
    (folder / "nightly.md").unlink()
    assert AutomationFolder(folder).load() == ()


def test_a_folder_that_holds_an_automation_is_left_as_it_is(folder):
    folder.mkdir()
    (folder / "mine.md").write_text("---\ntitle: Mine\n---\nLook.\n")
    path = write_old(folder, old())
    kept = AutomationFolder(folder).load()

    assert [each.resource for each in kept] == ["ahp-automation:/mine"]
    assert path.exists()


def test_what_is_kept_beside_is_never_written_over(folder):
    (folder.parent / "automations.json.migrated").write_text("older")
    write_old(folder, old())
    AutomationFolder(folder).load()
    assert (folder.parent / "automations.json.migrated").read_text() == "older"
    assert (folder.parent / "automations.json.migrated-2").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ('{"version": 2, "automations": []}', "2 is not 1"),
        ('{"version": 1}', "automations"),
        ("[]", "object"),
    ],
)
def test_one_that_cannot_be_read_is_told_and_left(folder, text, said):
    path = folder.parent / "automations.json"
    path.write_text(text)
    automations = AutomationFolder(folder)

    assert automations.load() == ()
    assert said in str(automations.problems[0])
    assert automations.problems[0].file == str(path)
    assert path.read_text() == text


def test_an_automation_that_cannot_be_meant_is_told_and_the_others_converted(folder):
    bad = old("bad")
    bad["definition"]["title"] = ""
    write_old(folder, bad, old(), old(), old("x", resource="ahp-session:/x"), {"resource": 1})
    automations = AutomationFolder(folder)
    kept = automations.load()

    assert [each.resource for each in kept] == ["ahp-automation:/nightly"]
    assert [problem.path for problem in automations.problems] == [
        "automations[0].definition.title",
        "automations[2].resource",
        "automations[3].resource",
        "automations[4]",
    ]


def test_the_chat_of_a_pinned_one_goes_to_the_run_state(folder):
    entry = old()
    entry["definition"]["_meta"] = {
        "ahpd": {"session": "pinned", "pinnedSession": "ahp-session:/1"}
    }
    write_old(folder, entry)
    (kept,) = AutomationFolder(folder).load()
    assert kept.definition.pinned_session == "ahp-session:/1"
    assert "ahp-session" not in (folder / "nightly.md").read_text()


def test_a_conversion_that_was_cut_short_is_gone_on_with(folder, monkeypatch):
    path = write_old(folder, old("a"), old("b"), old("c"))
    real, calls = os.link, []

    def link(*arguments, **named):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(*arguments, **named)

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(KeyboardInterrupt):
        AutomationFolder(folder).load()
    monkeypatch.undo()
    assert names(folder) == ["a.md"]
    (folder / "a.md").write_text("---\ntitle: Edited\n---\nLook.\n")

    kept = AutomationFolder(folder).load()
    assert [each.definition.title for each in kept] == ["Edited", "b", "c"]
    assert [each.progress.run_count for each in kept] == [2, 2, 2]
    assert not path.exists()
    assert not read_run_state(folder.parent / "automations-state.json").converting
