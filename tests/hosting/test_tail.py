"""The end of a file that grows, is rotated, cut short, written anew, or gone."""

import os

import pytest

from wakeful.hosting import tail as tail_module
from wakeful.hosting.tail import FileTail, Place


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.jsonl"


def append(path, text):
    with path.open("a") as file:
        file.write(text)


def texts(tail):
    return [line.text.decode() for line in tail.lines()]


def test_whole_lines_are_given_once(path):
    tail = FileTail(path)
    append(path, "a\nb\n")

    assert (texts(tail), texts(tail)) == (["a", "b"], [])
    append(path, "c\n")
    assert texts(tail) == ["c"]


def test_each_line_says_where_it_begins(path):
    append(path, "one\ntwo\n")

    assert [line.offset for line in FileTail(path).lines()] == [0, 4]


def test_a_half_written_line_is_left_for_later(path):
    tail = FileTail(path)
    append(path, "a\nb")
    first = texts(tail)
    append(path, "c\nd")

    assert (first, texts(tail), tail.place.offset) == (["a"], ["bc"], 5)


def test_a_file_that_is_not_there_yet_is_followed_when_it_comes(path):
    tail = FileTail(path)
    before = texts(tail)
    append(path, "a\n")

    assert (before, texts(tail)) == ([], ["a"])


def test_a_rotated_file_is_read_to_its_end_and_then_the_new_one(path):
    tail = FileTail(path)
    append(path, "a\n")
    texts(tail)
    append(path, "b\nc")
    path.rename(path.with_suffix(".1"))
    append(path, "d\n")

    assert texts(tail) == ["b", "c", "d"]


def test_a_file_that_was_moved_away_is_followed_until_another_comes(path):
    tail = FileTail(path)
    append(path, "a\n")
    texts(tail)
    moved = path.rename(path.with_suffix(".1"))
    append(moved, "b\n")
    away = texts(tail)
    append(path, "c\n")

    assert (away, texts(tail)) == (["b"], ["c"])


def test_a_truncated_file_is_read_from_its_beginning(path):
    tail = FileTail(path)
    append(path, "a\nb\n")
    texts(tail)
    path.write_text("c\n")

    assert (texts(tail), tail.restarts) == (["c"], 1)


def test_a_file_cut_and_grown_past_where_it_was_is_noticed(path):
    tail = FileTail(path)
    append(path, "aaa\n")
    texts(tail)
    os.truncate(path, 0)
    append(path, "bbb\nccc\n")

    assert texts(tail) == ["bbb", "ccc"]


def test_a_file_written_anew_with_what_was_read_goes_on_where_it_was(path):
    tail = FileTail(path)
    append(path, "a\nb\n")
    texts(tail)
    new = path.with_suffix(".new")
    new.write_text("a\nb\nc\n")
    new.rename(path)

    assert (texts(tail), tail.restarts) == (["c"], 0)


def test_another_tail_goes_on_from_a_place(path):
    first = FileTail(path)
    append(path, "a\nb")
    texts(first)
    append(path, "b\nc\n")

    assert texts(FileTail(path, first.place)) == ["bb", "c"]


def test_a_place_in_a_file_that_holds_something_else_is_none(path):
    first = FileTail(path)
    append(path, "a\nb\n")
    texts(first)
    path.write_text("x\ny\nz\n")

    assert texts(FileTail(path, first.place)) == ["x", "y", "z"]


def test_a_place_without_what_was_there_trusts_the_file(path):
    append(path, "a\nb\n")
    status = path.stat()

    assert texts(FileTail(path, Place(2, status.st_dev, status.st_ino))) == ["b"]


def test_a_closed_tail_goes_on(path):
    tail = FileTail(path)
    append(path, "a\nb")
    texts(tail)
    tail.close()
    append(path, "b\n")

    assert (tail.is_open, texts(tail)) == (False, ["bb"])


def test_a_line_that_is_too_long_is_passed_over(path, monkeypatch):
    monkeypatch.setattr(tail_module, "MAX_LINE", 100)
    tail = FileTail(path)
    append(path, "a\n" + "x" * 150)
    first = texts(tail)
    append(path, "x" * 150)
    second = texts(tail)
    append(path, "x\nb\n")

    assert (first, second, texts(tail), tail.too_long) == (["a"], [], ["b"], 1)


def test_reading_in_chunks_changes_nothing(path, monkeypatch):
    monkeypatch.setattr(tail_module, "_CHUNK", 3)
    append(path, "one\ntwo\nthree\n")

    assert texts(FileTail(path)) == ["one", "two", "three"]
