"""``wakeful list``, ``export`` and ``import`` over a folder of automation files."""

import json
import os

import pytest

from storage.storage_builders import BLUEPRINT, EXPORTED, NIGHTLY
from wakeful.reading.markdown import read_automation_file
from wakeful.storage.local_zone import local_zone


@pytest.fixture
def work(folder):
    """A folder that automations run in, there and absolute."""
    path = folder.parent / "work"
    path.mkdir()
    return path


@pytest.fixture
def nightly(folder):
    folder.mkdir()
    (folder / "nightly-review.md").write_text(NIGHTLY)
    return folder


def new_file(folder):
    """The one file that an import made."""
    (file,) = [file for file in folder.iterdir() if file.name != "nightly-review.md"]
    return file


# -- list -----------------------------------------------------------------------------------------


def test_a_row_is_the_seeds(wakeful, folder):
    folder.mkdir()
    id_ = "0b6f1c1e-4d8e-4d8a-9a43-6a3f4c2b9e10"
    (folder / f"{id_}.md").write_text(
        EXPORTED.replace("Nightly review", "Review yesterday's commits").replace("10 *", "0 9")
    )
    ran = wakeful("list", "--in", folder)
    assert ran.status == 0
    assert ran.out == (
        f"{id_}  Review yesterday's commits  /home/softov/ahpd"
        "  0 9 * * * America/Campo_Grande  on\n"
    )


def test_json_gives_the_same_rows(wakeful, nightly):
    (nightly / "YWhwLWF1dG9tYXRpb246L0RhaWx5IFJldmlldw.md").write_text(
        "---\ntitle: B\nenabled: false\n---\nLook.\n"
    )
    ran = wakeful("list", "--in", nightly, "--json")
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {"id": "Daily Review", "title": "B", "folders": [], "schedule": None, "enabled": False},
        {
            "id": "nightly-review",
            "title": "Nightly review",
            "folders": [],
            "schedule": "0 9 * * * Europe/Berlin",
            "enabled": True,
        },
    ]


def test_a_broken_file_is_told_and_the_others_listed(wakeful, nightly):
    (nightly / "a.md").write_text("# no front matter\n")
    ran = wakeful("list", "--in", nightly)
    assert (ran.status, len(ran.out.splitlines())) == (1, 1)
    assert f"{nightly / 'a.md'}:1:1: no front matter" in ran.err


def test_a_list_writes_nothing(wakeful, nightly):
    before = sorted(os.walk(nightly.parent))
    wakeful("list", "--in", nightly)
    assert sorted(os.walk(nightly.parent)) == before


def test_an_empty_folder_lists_nothing(wakeful, folder):
    folder.mkdir()
    assert wakeful("list", "--in", folder).out == ""


@pytest.mark.parametrize("command", [["list"], ["export", "nightly-review"]])
def test_a_folder_that_is_not_there_is_wrong_usage(wakeful, folder, command):
    assert wakeful(*command, "--in", folder).status == 2


@pytest.mark.parametrize("command", [["list"], ["export", "nightly-review"], ["import", "x.md"]])
def test_everything_is_refused_while_the_run_state_cannot_be_read(
    wakeful, nightly, command, monkeypatch
):
    monkeypatch.chdir(nightly.parent)
    (nightly.parent / "x.md").write_text(NIGHTLY)
    (nightly.parent / "automations-state.json").write_text("{")
    ran = wakeful(*command, "--in", nightly)
    assert (ran.status, ran.out) == (1, "")
    assert "automations unavailable until " in ran.err
    assert (
        "Automation storage is unavailable and must be recovered before automations can run"
        in ran.err
    )


# -- export ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("id_", ["nightly-review", "ahp-automation:/nightly-review"])
def test_an_export_goes_to_standard_output(wakeful, nightly, id_):
    ran = wakeful("export", id_, "--in", nightly)
    assert (ran.status, ran.out) == (0, NIGHTLY)


def test_an_export_goes_to_a_file(wakeful, nightly, tmp_path):
    out = tmp_path / "x.automation.md"
    assert wakeful("export", "nightly-review", "--in", nightly, "--out", out).out == ""
    assert out.read_text() == NIGHTLY


def test_an_export_to_vscode(wakeful, nightly):
    ran = wakeful("export", "nightly-review", "--in", nightly, "--vscode")
    assert ran.out.startswith('---\nversion: 1\nid: "nightly-review"\nname: "Nightly review"\n')


def test_an_export_that_vscode_cannot_hold_says_why(wakeful, nightly):
    file = nightly / "nightly-review.md"
    file.write_text(NIGHTLY.replace("schedule:\n", "misfirePolicy: skip\n    schedule:\n"))
    ran = wakeful("export", "nightly-review", "--in", nightly, "--vscode")
    assert (ran.status, ran.out) == (3, "")
    assert "VS Code always catches a missed run up" in ran.err


def test_an_automation_that_is_not_there_is_told(wakeful, nightly):
    ran = wakeful("export", "other", "--in", nightly)
    assert (ran.status, ran.err) == (1, "wakeful: Automation not found: ahp-automation:/other\n")


def test_a_broken_file_is_not_exported(wakeful, nightly):
    (nightly / "a.md").write_text("x")
    ran = wakeful("export", "a", "--in", nightly)
    assert (ran.status, ran.out) == (3, "")


def test_a_file_that_cannot_be_written_is_told(wakeful, nightly, tmp_path):
    ran = wakeful("export", "nightly-review", "--in", nightly, "--out", tmp_path / "no" / "x")
    assert (ran.status, "No such file" in ran.err) == (1, True)


# -- import ---------------------------------------------------------------------------------------


def test_an_import_is_new_and_switched_off_and_its_id_is_told(wakeful, nightly):
    ran = wakeful("import", nightly / "nightly-review.md", "--in", nightly)
    file = new_file(nightly)
    made = read_automation_file(file.read_text())

    assert ran.out == f"{file.stem}\n"
    assert not made.definition.enabled
    assert made.created_at is not None
    listed = wakeful("list", "--in", nightly, "--json").out
    assert [json.loads(line)["id"] for line in listed.splitlines()].count(file.stem) == 1


def test_a_second_import_is_a_second_automation(wakeful, nightly):
    for _ in range(2):
        wakeful("import", nightly / "nightly-review.md", "--in", nightly)
    assert len(list(nightly.iterdir())) == 3


def test_an_import_makes_the_folder(wakeful, folder):
    source = folder.parent / "x.automation.md"
    source.write_text(NIGHTLY)
    assert wakeful("import", source, "--in", folder).status == 0
    assert len(list(folder.iterdir())) == 1


def test_the_folders_of_an_import_have_to_be_there(wakeful, nightly, work):
    source = nightly.parent / "x.automation.md"
    source.write_text(EXPORTED.replace("/home/softov/ahpd", str(work / "gone")))
    ran = wakeful("import", source, "--in", nightly)
    assert (ran.status, "is not a folder that this host serves" in ran.err) == (3, True)
    assert wakeful("import", source, "--in", nightly, "--folder", work).status == 0
    made = read_automation_file(new_file(nightly).read_text())
    assert made.definition.session["workingDirectories"] == [work.as_uri()]


def test_a_vscode_file_needs_the_option(wakeful, nightly):
    source = nightly.parent / "x.automation.md"
    source.write_text(BLUEPRINT)
    ran = wakeful("import", source, "--in", nightly)
    assert ran.status == 3
    assert "This is a VS Code automation file. Add --vscode." in ran.err


def test_a_vscode_file_needs_a_folder(wakeful, nightly):
    source = nightly.parent / "x.automation.md"
    source.write_text(BLUEPRINT)
    assert wakeful("import", source, "--in", nightly, "--vscode").status == 2


@pytest.mark.parametrize("given", ["work", "/nowhere/at/all"])
def test_a_folder_has_to_be_absolute_and_there(wakeful, nightly, work, given, monkeypatch):
    monkeypatch.chdir(work.parent)
    ran = wakeful("import", nightly / "nightly-review.md", "--in", nightly, "--folder", given)
    assert ran.status == 2


def test_a_vscode_file_is_read_in_the_zone_of_tz(wakeful, nightly, work, monkeypatch):
    source = nightly.parent / "x.automation.md"
    source.write_text(BLUEPRINT)
    monkeypatch.setenv("TZ", "America/Campo_Grande")
    ran = wakeful("import", source, "--in", nightly, "--vscode", "--folder", work)
    assert ran.status == 0
    (trigger,) = read_automation_file(new_file(nightly).read_text()).definition.triggers
    assert (trigger.expression, trigger.time_zone) == ("0 9 * * *", "America/Campo_Grande")


def test_a_file_that_vscode_refuses_is_refused_with_file_and_line(wakeful, nightly, work):
    source = nightly.parent / "x.automation.md"
    source.write_text(BLUEPRINT.replace("version: 1", "version: 2"))
    ran = wakeful("import", source, "--in", nightly, "--vscode", "--folder", work)
    assert (ran.status, ran.err) == (3, f"{source}:2:10: version: unsupportedVersion: 2\n")


def test_a_file_that_is_not_there_and_one_of_bytes_are_told(wakeful, nightly, tmp_path):
    assert wakeful("import", tmp_path / "x", "--in", nightly).status == 1
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    ran = wakeful("import", tmp_path / "x", "--in", nightly)
    assert (ran.status, "not UTF-8 text" in ran.err) == (3, True)


# -- the zone -------------------------------------------------------------------------------------

ZONES = [
    ("Europe/Berlin", "Europe/Berlin"),
    (":Europe/Berlin", "Europe/Berlin"),
    ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
    ("", "UTC"),
    ("UTC", "UTC"),
]


@pytest.mark.parametrize(("given", "zone"), ZONES)
def test_the_zone_of_tz(monkeypatch, given, zone):
    monkeypatch.setenv("TZ", given)
    assert local_zone() == zone


@pytest.mark.parametrize("given", [None, "Mars/Olympus", "CET-1CEST"])
def test_without_a_zone_that_is_known_it_is_the_systems_or_utc(monkeypatch, tmp_path, given):
    from wakeful.storage import local_zone as module

    if given is None:
        monkeypatch.delenv("TZ", raising=False)
    else:
        monkeypatch.setenv("TZ", given)
    monkeypatch.setattr(module, "_LOCALTIME", tmp_path / "localtime")
    monkeypatch.setattr(module, "_TIMEZONE", tmp_path / "timezone")
    assert local_zone() == "UTC"
    (tmp_path / "timezone").write_text("Asia/Tokyo\n")
    assert local_zone() == "Asia/Tokyo"
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/Europe/Paris")
    assert local_zone() == "Europe/Paris"
