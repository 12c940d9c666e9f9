"""``wakeful convert`` and ``wakeful logs``: what logs hold, and the same as native lines."""

import json

import pytest

from wakeful.logs import open_logs

TRANSCRIPT = [
    {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s1",
        "cwd": "/w/api",
        "timestamp": "2026-10-07T14:00:00.000Z",
        "message": {"role": "user", "content": "Mend the parser"},
    },
    {
        "type": "assistant",
        "uuid": "u2",
        "sessionId": "s1",
        "cwd": "/w/api",
        "timestamp": "2026-10-07T14:00:02.000Z",
        "message": {
            "id": "m1",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "x"}}
            ],
        },
    },
    {
        "type": "user",
        "uuid": "u3",
        "sessionId": "s1",
        "cwd": "/w/api",
        "timestamp": "2026-10-07T14:00:03.000Z",
        "message": {
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}
            ]
        },
    },
    {"type": "custom-title", "sessionId": "s1", "customTitle": "The parser"},
    {
        "type": "system",
        "subtype": "turn_duration",
        "uuid": "u4",
        "sessionId": "s1",
        "cwd": "/w/api",
        "timestamp": "2026-10-07T14:00:05.000Z",
        "durationMs": 5000,
    },
]


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in TRANSCRIPT), encoding="utf-8")
    return path


def test_a_converted_log_gives_the_inputs_of_the_log(wakeful, transcript, tmp_path):
    ran = wakeful("convert", str(transcript))
    native = tmp_path / "native.jsonl"
    native.write_text(ran.out, encoding="utf-8")

    assert ran.status == 0
    assert list(open_logs([native], format="wakeful")) == list(open_logs([transcript]))


def test_a_redacted_log_tells_no_title(wakeful, transcript):
    assert "The parser" in wakeful("convert", str(transcript)).out
    assert "The parser" not in wakeful("convert", str(transcript), "--redact").out


def test_converting_what_is_not_there_is_bad_news(wakeful, tmp_path):
    ran = wakeful("convert", str(tmp_path / "none.jsonl"))

    assert ran.status == 1
    assert "none.jsonl" in ran.err


def test_logs_tell_what_lies_at_each_place(wakeful, transcript):
    ran = wakeful("logs", str(transcript), "--json")
    (place,) = [json.loads(line) for line in ran.out.splitlines()]

    assert ran.status == 0
    assert (place["formats"], place["files"], place["sessions"]) == (["claude-code"], 1, 1)
    assert (place["first"], place["last"]) == (
        "2026-10-07T14:00:00.000Z",
        "2026-10-07T14:00:05.000Z",
    )
    assert place["inputs"] == len(list(open_logs([transcript])))


def test_logs_name_what_cannot_be_read_and_go_on(wakeful, transcript, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"at":1,"kind":"idle","session":"s"}\nnot json\n', encoding="utf-8")
    ran = wakeful("logs", str(broken), str(tmp_path / "none"), str(transcript), "--json")

    assert ran.status == 1
    assert [json.loads(line)["unreadable"] for line in ran.out.splitlines()] == [1, 0]
    assert "broken.jsonl:2" in ran.err
    assert "none" in ran.err


def test_logs_without_a_path_look_where_agents_write(wakeful, transcript, tmp_path, monkeypatch):
    home = tmp_path / "home"
    folder = home / ".claude" / "projects" / "-w-api"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_bytes(transcript.read_bytes())
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    ran = wakeful("logs", "--json")

    assert ran.status == 0
    assert [json.loads(line)["path"] for line in ran.out.splitlines()] == [
        str(home / ".claude" / "projects")
    ]
