"""Logs as one stream: files, folders, compression, order, and what cannot be read."""

import gzip
import io
import json
import os
import random
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from logs import claude
from logs.kit import at, kinds, read, short, write
from wakeful.errors import LogError
from wakeful.logs import open_logs
from wakeful.logs.sources import LineSource
from wakeful.model.events import Tick

T = at("10:00:00.000")


def open_handles():
    return len(list(Path("/proc/self/fd").iterdir()))


def tick(offset):
    return {"at": T + offset, "kind": "tick"}


def offsets(inputs):
    return [one.at - T for one in inputs]


def test_several_logs_are_merged_by_instant(tmp_path):
    a = write(tmp_path / "a.jsonl", [tick(0), tick(20), tick(40)])
    b = write(tmp_path / "b.jsonl", [tick(10), tick(30), tick(50)])
    inputs, report = read(a, b)
    assert offsets(inputs) == [0, 10, 20, 30, 40, 50]
    assert report.inputs == {"tick": 6}


def test_at_one_instant_files_come_in_the_order_given_and_lines_as_they_stand(tmp_path):
    def say(name):
        return [{"at": T, "kind": "activity", "session": f"{name}{n}"} for n in range(3)]

    b = write(tmp_path / "b.jsonl", say("b"))
    a = write(tmp_path / "a.jsonl", say("a"))
    inputs, _ = read(b, a)
    assert [one.session for one in inputs] == ["b0", "b1", "b2", "a0", "a1", "a2"]


def test_a_folder_is_walked_and_what_is_no_log_left_out(tmp_path):
    write(tmp_path / "x" / "b.jsonl", [tick(1)])
    write(tmp_path / "x" / "deep" / "a.ndjson", [tick(0)])
    write(tmp_path / "x" / "notes.txt", ["not a log"])
    write(tmp_path / "x" / "settings.json", [{"colour": "blue"}])
    inputs, report = read(tmp_path / "x")
    assert offsets(inputs) == [0, 1]
    assert report.unreadable == 0
    assert [Path(path).name for path in report.ignored] == ["settings.json"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path):
    log = write(tmp_path / "x" / "a.jsonl", [tick(0)])
    assert offsets(read(log, tmp_path / "x", log)[0]) == [0]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_logs_are_read_as_they_are(tmp_path, suffix):
    raw = write(tmp_path / "plain.jsonl", [tick(n) for n in range(50)]).read_bytes()
    pack = gzip.compress if suffix == ".gz" else zstandard.ZstdCompressor().compress
    log = tmp_path / f"a.jsonl{suffix}"
    # Two members one after another, as appending compressed logs leaves them.
    log.write_bytes(pack(raw) + pack(raw))

    inputs, report = read(log)

    assert offsets(inputs) == [*range(50), *range(50)]
    assert report.bytes_read == report.bytes_total == log.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compressed_log_that_was_cut_short_is_read_up_to_there(tmp_path, suffix):
    random.seed(1)
    lines = [tick(n) | {"noise": random.random()} for n in range(30_000)]
    raw = write(tmp_path / "plain.jsonl", lines).read_bytes()
    packed = gzip.compress(raw) if suffix == ".gz" else zstandard.compress(raw)
    log = tmp_path / f"a.jsonl{suffix}"
    log.write_bytes(packed[: len(packed) // 2])

    inputs, report = read(log)

    assert 0 < len(inputs) < 30_000
    assert report.unreadable == 1 or report.half_written


def test_standard_input_is_read(monkeypatch):
    text = "".join(json.dumps(tick(n)) + "\n" for n in range(3))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    stream = open_logs(["-"])
    assert offsets(stream) == [0, 1, 2]
    assert stream.report.bytes_total is None
    assert stream.report.bytes_read == len(text)


def test_a_pipe_is_read_among_files(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    log = write(tmp_path / "a.jsonl", [tick(1), tick(3)])
    if os.fork() == 0:
        pipe.write_bytes("".join(json.dumps(tick(n)) + "\n" for n in (0, 2)).encode())
        os._exit(0)
    inputs, _ = read(pipe, log, max_open=1)
    os.wait()
    assert offsets(inputs) == [0, 1, 2, 3]


def test_more_files_than_may_be_open_are_read_where_they_stood(tmp_path, monkeypatch):
    most = 0
    opened = LineSource._open

    def count(source):
        nonlocal most
        opened(source)
        most = max(most, open_handles())

    monkeypatch.setattr(LineSource, "_open", count)
    before = open_handles()
    for number in range(40):
        lines = [tick(number + 40 * line) for line in range(20)]
        path = write(tmp_path / "x" / f"{number:02}.jsonl", ["\ufeff" + json.dumps(lines[0])])
        with path.open("ab") as file:
            file.writelines(json.dumps(line).encode() + b"\n" for line in lines[1:])
        if number % 4 == 0:
            path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()

    inputs, report = read(tmp_path / "x", max_open=5)

    assert offsets(inputs) == list(range(800))
    assert report.unreadable == 0
    assert most - before <= 5 + 1


def test_45_a_half_written_last_line_is_told_and_is_no_error(tmp_path):
    log = write(tmp_path / "a.jsonl", [tick(0)])
    with log.open("ab") as file:
        file.write(b'{"at":"2026-03-02T10:00:')
    for others in ([], [write(tmp_path / "b.jsonl", [tick(1)])]):
        inputs, report = read(log, *others)
        assert len(inputs) == 1 + len(others)
        assert report.unreadable == 0
        assert report.half_written == [(str(log), 2)]


def test_a_last_line_without_a_newline_is_a_line(tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text(json.dumps(tick(0)) + "\n" + json.dumps(tick(1)))
    inputs, report = read(log)
    assert offsets(inputs) == [0, 1]
    assert report.half_written == []


@pytest.mark.parametrize("content", [b"", b"\n\n \r\n", b"\xef\xbb\xbf"])
def test_46_a_file_with_nothing_in_it_is_no_error(tmp_path, content):
    (tmp_path / "a.jsonl").write_bytes(content)
    inputs, report = read(tmp_path / "a.jsonl")
    assert inputs == []
    assert report.unreadable == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.jsonl", None, "no such file"),
        ("binary.jsonl", b"\x7fELF\0\0\1", "binary"),
        ("photo.png", bytes(range(256)), "binary"),
        ("wide.jsonl", json.dumps(tick(0)).encode("utf-16"), "binary"),
        ("prose.txt", b"Once upon a time\nthere was a log.\n", "no known format"),
        ("other.jsonl", b'{"colour":"blue"}\n', "no known format"),
        ("broken.gz", b"\x1f\x8b\x08garbage", "broken.gz"),
        ("plain.gz", b'{"at":1,"kind":"tick"}\n', "plain.gz"),
        ("plain.zst", b'{"at":1,"kind":"tick"}\n', "plain.zst"),
        ("empty", "folder", "holds no logs"),
    ],
)
def test_what_cannot_be_read_at_all_is_one_clear_error(tmp_path, name, content, said):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)

    with pytest.raises(LogError, match=said) as refused:
        open_logs([path])
    assert str(path) in str(refused.value)

    good = write(tmp_path / "good.jsonl", [tick(0)])
    inputs, report = read(path, good)
    assert inputs == [Tick(T)]
    assert report.unreadable == 1
    assert said in report.problems[0].message


def test_a_file_that_may_not_be_read_is_one_clear_error(tmp_path, monkeypatch):
    def refuse(source):
        raise PermissionError(13, "Permission denied", source.path)

    log = write(tmp_path / "a.jsonl", [tick(0)])
    monkeypatch.setattr(LineSource, "_open", refuse)
    with pytest.raises(LogError, match="Permission denied"):
        open_logs([log])


def test_an_unknown_format_is_refused_with_those_that_there_are(tmp_path):
    with pytest.raises(LogError, match="'vim' is no format of logs; there are auto, wakeful"):
        open_logs([tmp_path], format="vim")


def test_a_format_that_is_asked_for_is_not_recognised_but_believed(tmp_path):
    log = write(tmp_path / "a.txt", [{"colour": "blue"}, tick(0)])
    inputs, report = read(log, format="wakeful")
    assert offsets(inputs) == [0]
    assert report.problems[0].line == 1


def test_problems_are_kept_up_to_a_number_and_counted_beyond(tmp_path):
    _, report = read(write(tmp_path / "a.jsonl", [tick(0), *["nonsense"] * 1_500]))
    assert report.unreadable == 1_500
    assert len(report.problems) == 1_000
    assert report.files[0].unreadable == 1_500


def test_a_late_record_keeps_its_place_in_a_native_log_and_is_counted(tmp_path):
    a = write(tmp_path / "a.jsonl", [tick(0), tick(50), tick(10), tick(60)])
    b = write(tmp_path / "b.jsonl", [tick(20), tick(55)])
    for paths, expected in (([a], [0, 50, 10, 60]), ([a, b], [0, 20, 50, 10, 55, 60])):
        inputs, report = read(*paths)
        assert offsets(inputs) == expected
        assert report.late == 1


def test_44_a_reorder_window_gives_the_sorted_log_and_counts_what_is_later_still(tmp_path):
    lines = [tick(n) for n in (0, 30, 10, 20, 2_000, 1_000, 999, 3_000)]
    inputs, report = read(write(tmp_path / "a.jsonl", lines), reorder=1_000)
    assert offsets(inputs) == [0, 10, 20, 30, 1_000, 999, 2_000, 3_000]
    assert report.late == 1


def test_44_a_window_that_is_long_enough_sorts_any_log(tmp_path):
    shuffled = list(range(0, 400, 7))
    random.Random(5).shuffle(shuffled)
    inputs, report = read(write(tmp_path / "a.jsonl", map(tick, shuffled)), reorder=400)
    assert offsets(inputs) == sorted(shuffled)
    assert report.late == 0


@pytest.mark.parametrize("others", [0, 1])
def test_until_ends_at_the_first_record_after_it(tmp_path, others):
    a = write(tmp_path / "a.jsonl", [tick(0), tick(10), tick(11), tick(5)])
    rest = [write(tmp_path / "b.jsonl", [tick(3)])] * others
    inputs, report = read(a, *rest, until=T + 10)
    assert offsets(inputs) == sorted([0, 10] + [3] * others)
    assert report.inputs == {"tick": 2 + others}


def test_the_report_says_what_each_file_came_to(tmp_path):
    a = write(tmp_path / "a.jsonl", [tick(5), "nonsense", tick(9)])
    b = write(tmp_path / "b.jsonl", [claude.prompt("10:00:01.000")])
    _, report = read(a, b)
    first, second = report.files
    assert (first.path, first.format, first.inputs, first.unreadable) == (str(a), "wakeful", 2, 1)
    assert (first.first_at, first.last_at) == (T + 5, T + 9)
    assert (second.format, second.inputs) == ("claude-code", 1)
    assert "approval" in report.cannot_show["claude-code"]
    assert report.endings_inferred == {"claude-code"}


def test_formats_are_recognised_file_by_file_and_merged(tmp_path):
    write(tmp_path / "x" / "a.jsonl", [{"at": T + 500, "kind": "idle", "session": "native"}])
    write(tmp_path / "x" / "b.jsonl", [claude.prompt("10:00:00.000"), claude.text("10:00:01.000")])
    assert short(read(tmp_path / "x")[0]) == [
        "10:00:00.000 TurnStarted s1",
        "10:00:00.500 idle native",
    ]


def test_a_log_whose_first_lines_are_broken_is_recognised_by_the_others(tmp_path):
    log = write(tmp_path / "a.jsonl", ["garbage", "{", tick(0)])
    inputs, report = read(log)
    assert offsets(inputs) == [0]
    assert [problem.line for problem in report.problems] == [1, 2]


def test_further_formats_plug_in(tmp_path, monkeypatch):
    from wakeful.logs import formats, native

    class Shouting(native.NativeFormat):
        name = "shouting"

        def recognise(self, head):
            return head.path.endswith(".loud")

    class Point:
        name = "shouting"

        def load(self):
            return Shouting

    monkeypatch.setattr(formats, "entry_points", lambda group: [Point()])
    log = write(tmp_path / "a.loud", [tick(0)])
    assert offsets(read(log, format="shouting")[0]) == [0]


def test_memory_is_bounded_by_a_chunk_and_not_by_the_log(tmp_path):
    log = write(tmp_path / "a.jsonl", [tick(n) | {"pad": "x" * 200} for n in range(40_000)])
    tracemalloc.start()
    for _ in open_logs([log]):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert log.stat().st_size > 9_000_000
    assert peak < 3_000_000


def test_giving_up_in_the_middle_closes_the_files(tmp_path):
    a = write(tmp_path / "a.jsonl", [tick(n) for n in range(9)])
    b = write(tmp_path / "b.jsonl", [tick(n) for n in range(9)])
    before = open_handles()
    with open_logs([a, b]) as stream:
        for one in stream:
            assert kinds([one]) == ["Tick"]
            break
    assert open_handles() == before


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_compressed_log_is_known_by_its_first_bytes(tmp_path, monkeypatch, compress):
    path = tmp_path / "named-as-it-likes.jsonl"
    path.write_bytes(compress(json.dumps(tick(0)).encode() + b"\n"))
    assert offsets(read(path)[0]) == [0]

    with path.open("rb") as raw:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        assert offsets(read("-")[0]) == [0]


@pytest.mark.parametrize("name", ["auto", "wakeful"])
def test_a_pipe_in_a_folder_is_left_out_and_told(tmp_path, name):
    write(tmp_path / "a.jsonl", [tick(0)])
    os.mkfifo(tmp_path / "b.jsonl")
    inputs, report = read(tmp_path, format=name)
    assert offsets(inputs) == [0]
    assert report.no_files == [str(tmp_path / "b.jsonl")]
    assert report.unreadable == 0


@pytest.fixture
def locked(monkeypatch):
    """Folders of this name cannot be read, not even by root."""
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


def test_a_folder_that_cannot_be_read_is_no_empty_one(tmp_path, locked):
    (tmp_path / "locked").mkdir()
    with pytest.raises(LogError, match="locked: Permission denied"):
        open_logs([tmp_path / "locked"])


def test_a_folder_below_that_cannot_be_read_is_told_and_the_rest_is_read(tmp_path, locked):
    (tmp_path / "locked").mkdir()
    write(tmp_path / "a.jsonl", [tick(0)])
    inputs, report = read(tmp_path)
    assert offsets(inputs) == [0]
    assert [one.sentence for one in report.problems] == [
        f"{tmp_path / 'locked'}: Permission denied"
    ]


def test_a_log_in_which_nothing_is_of_the_format_that_was_asked_for_is_told(tmp_path):
    path = write(tmp_path / "a.jsonl", [tick(0), tick(1)])
    inputs, report = read(path, format="codex")
    assert inputs == []
    assert [str(one) for one in report.problems] == [
        f"{path}: nothing in it is recognised as a codex log"
    ]
