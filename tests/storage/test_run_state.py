"""The run state's file: what it holds, and what becomes of one that cannot be understood."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.storage_builders import stored
from wakeful.storage import AutomationFolder, RunProgress, StorageError, StorageUnavailableError
from wakeful.storage.run_state import AutomationRunState, RunState, read_run_state

SENTENCE = "Automation storage is unavailable and must be recovered before automations can run"

names = st.text(max_size=8)
instants = st.integers(0, 4 * 10**12)
progress = st.builds(
    RunProgress,
    run_count=st.none() | st.integers(0, 2**53),
    occurrences=st.dictionaries(names, instants, max_size=3),
    going=st.lists(names, max_size=3).map(tuple),
    requests=st.dictionaries(names, names, max_size=3),
)
states = st.builds(
    AutomationRunState,
    created_at=instants,
    modified_at=instants,
    progress=progress,
    pinned_session=st.none() | names,
)


@given(st.dictionaries(names, states, max_size=4))
def test_what_is_written_reads_back_equal(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("state") / "state.json"
    path.write_bytes(RunState().having_all(parts).encode())
    found = read_run_state(path)
    assert {resource: found.of(resource) for resource in found.resources} == parts


def test_without_a_file_nothing_has_run_yet(tmp_path):
    assert list(read_run_state(tmp_path / "state.json").resources) == []


def test_it_stands_beside_the_folder_and_holds_what_the_seed_says(folder):
    automations = AutomationFolder(folder)
    automations.save(stored(disableConditions=[{"kind": "afterRuns", "max": 3}]))
    automations.move(
        "ahp-automation:/nightly-review",
        RunProgress(
            run_count=2,
            occurrences={"t1": 3_000},
            going=("ahp-automation-run:/1",),
            requests={"r": "ahp-automation-run:/1"},
        ),
    )
    written = json.loads((folder.parent / "automations-state.json").read_text())
    assert written == {
        "version": 1,
        "automations": {
            "ahp-automation:/nightly-review": {
                "createdAt": "1970-01-01T00:16:40.000Z",
                "modifiedAt": "1970-01-01T00:33:20.000Z",
                "runCount": 2,
                "occurrences": {"t1": "1970-01-01T00:00:03.000Z"},
                "going": ["ahp-automation-run:/1"],
                "requests": {"r": "ahp-automation-run:/1"},
            }
        },
    }


PART = {"createdAt": "2026-10-07T14:22:05Z", "modifiedAt": "2026-10-07T14:22:05Z"}
BROKEN = {
    "not JSON": b"{",
    "half a file": RunState().encode()[:20],
    "empty": b"",
    "not UTF-8": b'{"version": 1, "automations": {"\xff": {}}}',
    "a list": b"[]",
    "another version": json.dumps({"version": 2, "automations": {}}).encode(),
    "another version's shape": json.dumps({"version": 7, "all": []}).encode(),
    "no version": b'{"automations": {}}',
    "a member that is not known": json.dumps(
        {"version": 1, "automations": {}, "history": []}
    ).encode(),
    "a part's member that is not known": json.dumps(
        {"version": 1, "automations": {"a": {**PART, "tries": 3}}}
    ).encode(),
    "a count that is none": json.dumps(
        {"version": 1, "automations": {"a": {**PART, "runCount": "3"}}}
    ).encode(),
    "an instant that is none": json.dumps(
        {"version": 1, "automations": {"a": {**PART, "occurrences": {"t": "soon"}}}}
    ).encode(),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_understood_is_reported_left_alone_and_refuses_everything(folder, data):
    folder.mkdir()
    (folder / "a.md").write_text("---\ntitle: A\n---\nLook.\n")
    path = folder.parent / "automations-state.json"
    path.write_bytes(data)
    automations = AutomationFolder(folder)

    assert str(path) in automations.fault
    for attempt in (
        automations.load,
        automations.peek,
        automations.refresh,
        lambda: automations.save(stored()),
        lambda: automations.remove("ahp-automation:/a"),
        lambda: automations.move("ahp-automation:/a", RunProgress()),
    ):
        with pytest.raises(StorageUnavailableError) as caught:
            attempt()
        assert str(caught.value) == SENTENCE
    assert path.read_bytes() == data
    assert sorted(file.name for file in folder.iterdir()) == ["a.md"]


def test_a_file_that_may_not_be_read_is_unavailable_too(folder):
    (folder.parent / "automations-state.json").mkdir()
    assert "automations-state.json" in AutomationFolder(folder).fault


def test_it_stays_unavailable_until_it_is_opened_again(folder):
    path = folder.parent / "automations-state.json"
    path.write_text("{")
    automations = AutomationFolder(folder)
    path.unlink()

    with pytest.raises(StorageUnavailableError):
        automations.load()
    assert AutomationFolder(folder).load() == ()


def test_it_becomes_unavailable_where_somebody_breaks_it_meanwhile(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    (folder.parent / "automations-state.json").write_text("oh")

    with pytest.raises(StorageError, match=SENTENCE):
        automations.move("ahp-automation:/nightly-review", RunProgress(run_count=1))
    assert automations.fault is not None
    assert (folder.parent / "automations-state.json").read_text() == "oh"
