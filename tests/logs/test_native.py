"""The native log: every kind of line, and every way in which a line can be wrong."""

import json

import pytest

from logs.kit import at, kinds, read, write
from wakeful.logs import input_hash
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    Tool,
    TurnStarted,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.triggers import TriggerEvent, TriggerType

NOW = "2026-03-02T10:00:00.000Z"
T = at("10:00:00.000")
FACTS = {
    "owner": "user:ann",
    "provider": "claude",
    "project": "web",
    "folders": ["file:///web"],
    "automated": True,
}
SAME_FACTS = Facts(
    owner="user:ann", provider="claude", project="web", folders=("file:///web",), automated=True
)


def one(tmp_path, **members):
    """The input of one line."""
    (found,), report = read(write(tmp_path / "a.jsonl", [{"at": NOW, **members}]))
    assert report.unreadable == 0
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"kind": "activity", "session": "s"}, Activity("s", T)),
        ({"kind": "sessionEnded", "session": "s"}, SessionEnded("s", T)),
        (
            {"kind": "turnStarted", "session": "s", "title": "A title", **FACTS},
            TurnStarted("s", T, SAME_FACTS, "A title"),
        ),
        (
            {"kind": "idle", "session": "s", "running": False, "queued": 0, **FACTS},
            SessionEvent("idle", "s", T, SAME_FACTS, running=False, queued=0),
        ),
        (
            {
                "kind": "toolFailed",
                "session": "s",
                "turnToolCalls": 3,
                "tool": {"name": "Bash", "inputHash": "sha256:1"},
            },
            SessionEvent("toolFailed", "s", T, turn_tool_calls=3, tool=Tool("Bash", "sha256:1")),
        ),
        (
            {"kind": "childFinished", "session": "s", "child": "c", "title": "T"},
            SessionEvent("childFinished", "s", T, child="c", title="T"),
        ),
        (
            {"kind": "plugin", "type": "ci", "event": "red", "data": {"a": [1]}, "by": "x"},
            PluginEvent(type="ci", event="red", at=T, data={"a": [1]}, by="x"),
        ),
        (
            {"kind": "plugin", "type": "ci", "event": "red"},
            PluginEvent(type="ci", event="red", at=T),
        ),
        (
            {"kind": "runStarted", "automation": "ahp-automation:/a", "run": "r"},
            RunStarted(automation="ahp-automation:/a", run="r", at=T),
        ),
        (
            {"kind": "runStarted", "automation": "a", "run": "r", "session": "s"},
            RunStarted(automation="ahp-automation:/a", run="r", at=T, session="s"),
        ),
        (
            {"kind": "runLinked", "automation": "a", "run": "r", "session": "s"},
            RunLinked(automation="ahp-automation:/a", run="r", session="s", at=T),
        ),
        (
            {"kind": "runSettled", "automation": "a", "run": "r", "outcome": "failed"},
            RunSettled(automation="ahp-automation:/a", run="r", outcome="failed", at=T),
        ),
        (
            {"kind": "steerFailed", "automation": "a", "run": "r"},
            SteerFailed(automation="ahp-automation:/a", run="r", at=T),
        ),
        (
            {"kind": "press", "automation": "a", "requestId": "p"},
            Press(automation="ahp-automation:/a", request_id="p", at=T),
        ),
        (
            {"kind": "definitionRemoved", "automation": "a"},
            DefinitionRemoved(automation="ahp-automation:/a", at=T),
        ),
        (
            {
                "kind": "typeRegistered",
                "by": "ci",
                "definition": {
                    "type": "ci",
                    "title": "CI",
                    "events": [{"id": "red", "title": "Red"}],
                },
            },
            TypeRegistered(
                definition=TriggerType(
                    type="ci", title="CI", events=(TriggerEvent(id="red", title="Red"),)
                ),
                at=T,
                by="ci",
            ),
        ),
        ({"kind": "typeRemoved", "type": "ci"}, TypeRemoved(type="ci", at=T)),
        (
            {"kind": "grantsChanged", "principal": "user:ann", "grants": ["session:read"]},
            GrantsChanged(principal="user:ann", grants=("session:read",), at=T),
        ),
        ({"kind": "resumed"}, Resumed(at=T)),
        ({"kind": "resumed", "live": ["r"]}, Resumed(at=T, live=("r",))),
        ({"kind": "tick"}, Tick(T)),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) else "",
)
def test_a_line_is_its_input(tmp_path, line, expected):
    assert one(tmp_path, **line) == expected


def test_a_saved_definition_is_read_as_rulesets_are(tmp_path):
    found = one(
        tmp_path,
        kind="definitionSaved",
        automation="ahp-automation:/a",
        owner="user:ann",
        definition={"title": "A", "message": {"text": "hello"}, "triggers": []},
    )

    assert isinstance(found, DefinitionSaved)
    assert found.automation.resource == "ahp-automation:/a"
    assert found.automation.owner == "user:ann"
    assert found.automation.definition.title == "A"


def test_a_definition_that_is_refused_is_a_problem_of_its_line(tmp_path):
    log = write(
        tmp_path / "a.jsonl",
        [
            {"at": NOW, "kind": "tick"},
            {"at": NOW, "kind": "definitionSaved", "automation": "a", "definition": {"titel": 1}},
        ],
    )

    inputs, report = read(log)

    assert kinds(inputs) == ["Tick"]
    assert report.problems[0].line == 2
    assert "titel" in report.problems[0].message


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-02T10:00:00.000Z",
        "2026-03-02T10:00:00Z",
        "2026-03-02T12:00:00+02:00",
        "2026-03-02T12:00:00.000+0200",
        "2026-03-02T10:00:00.0000001Z",
        "2026-03-02t10:00:00.000z",
        T,
    ],
)
def test_an_instant_is_read_in_any_of_its_forms(tmp_path, written):
    assert one(tmp_path, at=written, kind="tick") == Tick(T)
    assert one(tmp_path, at=written, kind="idle", session="s") == SessionEvent("idle", "s", T)


def test_an_instant_without_a_zone_needs_one_to_be_given(tmp_path):
    from zoneinfo import ZoneInfo

    log = write(
        tmp_path / "a.jsonl", [{"at": "2026-03-02T11:00:00.000", "kind": "idle", "session": "s"}]
    )

    _, report = read(log)
    assert "no zone" in report.problems[0].message

    inputs, report = read(log, zone=ZoneInfo("Europe/Berlin"))
    assert [one.at for one in inputs] == [T]
    assert report.unreadable == 0


@pytest.mark.parametrize(
    "line",
    [
        {"at": NOW, "kind": "idle"},
        {"at": NOW, "kind": "idle", "session": 5},
        {"at": NOW, "kind": "idle", "session": "s", "queued": "3"},
        {"at": NOW, "kind": "idle", "session": "s", "running": 1},
        {"at": NOW, "kind": "idle", "session": "s", "folders": "file:///a"},
        {"at": NOW, "kind": "toolCalled", "session": "s", "tool": {"name": "Bash"}},
        {"at": NOW, "kind": "toolCalled", "session": "s", "tool": "Bash"},
        {"at": NOW, "kind": "runSettled", "automation": "a", "run": "r", "outcome": "fine"},
        {"at": NOW, "kind": "press", "automation": "a"},
        {"at": NOW, "kind": "grantsChanged", "principal": "user:a", "grants": "session:read"},
        {"at": NOW},
        {"kind": "tick"},
        {"at": "yesterday", "kind": "tick"},
        {"at": "2026-02-30T10:00:00.000Z", "kind": "idle", "session": "s"},
        {"at": "2026-03-02T10:00:60.000Z", "kind": "idle", "session": "s"},
        {"at": True, "kind": "tick"},
        {"at": 1.5, "kind": "tick"},
        {"at": 10**30, "kind": "tick"},
        [1, 2],
        3,
        None,
        "not JSON at all",
        b'"a text"',
        b"\xff\xfe{}",
        b"[" * 100_000,
    ],
    ids=lambda line: str(line)[:60],
)
def test_a_line_that_cannot_be_read_is_a_problem_with_its_file_and_line(tmp_path, line):
    good = {"at": NOW, "kind": "idle", "session": "s"}
    log = write(tmp_path / "a.jsonl", [good, line, good])

    inputs, report = read(log)

    assert kinds(inputs) == ["idle", "idle"]
    assert report.unreadable == 1
    assert (report.problems[0].file, report.problems[0].line) == (str(log), 2)


def test_unknown_members_are_no_error_whatever_their_type(tmp_path):
    lines = [
        {"at": NOW, "kind": "idle", "session": "s", "mood": "good"},
        {"at": NOW, "kind": "tick", "session": 5, "tool": 1},
        {"at": NOW, "kind": "activity", "session": "s", "queued": "many"},
        {"at": NOW, "kind": "turnStarted", "session": "s", "tool": 3},
    ]

    inputs, report = read(write(tmp_path / "a.jsonl", lines))

    assert kinds(inputs) == ["idle", "Tick", "TurnStarted"]
    assert (len(inputs), report.unreadable) == (4, 0)


def test_members_that_are_null_are_left_out(tmp_path):
    nothing = dict.fromkeys(["owner", "provider", "project", "folders", "automated", "tool"])
    assert one(tmp_path, kind="idle", session="s", **nothing) == SessionEvent("idle", "s", T)


def test_unknown_kinds_are_skipped_and_counted(tmp_path):
    lines = [{"at": NOW, "kind": kind, "session": "s"} for kind in ("idle", "note", "x", "note")]

    inputs, report = read(write(tmp_path / "a.jsonl", lines))

    assert kinds(inputs) == ["idle"]
    assert report.skipped == {"note": 2, "x": 1}
    assert report.unreadable == 0


def test_an_input_is_hashed_as_canonical_json(tmp_path):
    # The SHA-256 of `{"a":1,"b":[2,"é"]}` in UTF-8.
    expected = "sha256:992f8d0a5d6192a6c1c9dd35a695b4ce8c743eaa26836ab176d7367cf0bd62b1"
    found = one(
        tmp_path,
        kind="toolCalled",
        session="s",
        tool={"name": "Bash", "input": {"b": [2, "é"], "a": 1}},
    )
    assert found.tool == Tool("Bash", expected)


def test_an_input_that_is_null_is_an_input(tmp_path):
    found = one(tmp_path, kind="toolCalled", session="s", tool={"name": "X", "input": None})
    assert found.tool == Tool("X", input_hash(None))


def test_38_the_order_of_an_inputs_keys_does_not_matter():
    assert input_hash({"a": 1, "b": 2}) == input_hash({"b": 2, "a": 1})


def test_three_and_three_point_zero_are_two_inputs():
    assert input_hash({"n": 3}) != input_hash({"n": 3.0})


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        (rb'"a\ud800b"', "a\\ud800b"),
        (rb'"\ud83d\ude00"', "😀"),
        (b'"\xff"', "\\udcff"),
    ],
)
def test_46_texts_that_json_libraries_disagree_on_are_read(tmp_path, raw, title):
    line = b'{"at":%d,"kind":"idle","session":"s","title":%s}' % (T, raw)
    inputs, report = read(write(tmp_path / "a.jsonl", [line]))
    assert inputs == [SessionEvent("idle", "s", T, title=title)]
    assert report.unreadable == 0


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1e999", "Infinity"),
    ],
)
def test_46_numbers_that_json_libraries_disagree_on_are_read(tmp_path, raw, meant):
    line = b'{"at":%d,"kind":"toolCalled","session":"s","tool":{"name":"X","input":{"n":%s}}}'
    inputs, report = read(write(tmp_path / "a.jsonl", [line % (T, raw)]))
    assert [one.tool for one in inputs] == [Tool("X", input_hash({"n": meant}))]
    assert report.unreadable == 0


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    "members",
    [
        '"kind":"idle","session":"s","x":%s',
        '"kind":"plugin","type":"a/b","event":"e","data":{"n":%s}',
    ],
)
def test_words_for_numbers_that_json_does_not_have_are_refused_with_their_line(
    tmp_path, word, members
):
    good = {"at": NOW, "kind": "tick"}
    path = write(tmp_path / "a.jsonl", [good, f'{{"at":{T},{members % word}}}', good])
    inputs, report = read(path)
    assert inputs == [Tick(T)] * 2
    assert [(one.file, one.line) for one in report.problems] == [(str(path), 2)]
    assert f"{word} is no JSON number" in report.problems[0].sentence


def test_sessions_that_differ_in_a_lone_surrogate_or_a_byte_stay_two(tmp_path):
    line = b'{"at":%d,"kind":"activity","session":"s%s"}'
    names = [rb"\ud800", rb"\ud801", b"\xfe", b"\xff"]
    inputs, report = read(write(tmp_path / "a.jsonl", [line % (T, name) for name in names]))
    assert len({one.session for one in inputs}) == 4
    assert report.unreadable == 0


@pytest.mark.parametrize("name", ["auto", "wakeful"])
def test_a_line_with_a_nul_byte_is_the_one_that_is_not_read(tmp_path, name):
    good = {"at": NOW, "kind": "tick"}
    path = write(tmp_path / "a.jsonl", [good, b'{"at":%d,"kind":"ti\0ck"}' % T, good])
    inputs, report = read(path, format=name)
    assert inputs == [Tick(T)] * 2
    assert [one.line for one in report.problems] == [2]


def test_46_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    line = json.dumps({"at": NOW, "kind": "tick"})
    log = write(tmp_path / "a.jsonl", ["\ufeff" + line, line, "", line], end="\r\n")
    inputs, report = read(log)
    assert inputs == [Tick(T)] * 3
    assert report.unreadable == 0


def test_46_a_line_of_many_megabytes_is_read(tmp_path):
    line = {"at": NOW, "kind": "idle", "session": "s", "title": "x" * 5_000_000}
    (found,), _ = read(write(tmp_path / "a.jsonl", [line]))
    assert len(found.title) == 5_000_000


def test_facts_and_tools_that_are_equal_are_one_record(tmp_path):
    line = {
        "at": NOW,
        "kind": "toolCalled",
        "session": "s",
        "tool": {"name": "Bash", "input": 1},
        **FACTS,
    }
    other = line | {"session": "t", "kind": "toolFailed"}
    (first, second), _ = read(write(tmp_path / "a.jsonl", [line, other]))
    assert first.facts is second.facts
    assert first.tool == second.tool


def test_lines_in_columns_and_one_by_one_are_the_same(tmp_path):
    lines = [
        {"at": T + n, "kind": ("idle", "activity", "turnStarted")[n % 3], "session": f"s{n % 7}"}
        | ({"tool": {"name": "X", "inputHash": str(n % 5)}} if n % 3 == 0 else {})
        | ({} if n % 2 else FACTS)
        for n in range(500)
    ]
    together, _ = read(write(tmp_path / "a.jsonl", lines))
    apart, _ = read(
        write(tmp_path / "b.jsonl", [x for line in lines for x in (line, {"at": T, "kind": "?"})])
    )
    assert together == apart
    assert len(together) == 500
