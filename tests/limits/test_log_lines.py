"""A line that is longer than the limit ends the reading of its file, which is told."""

from wakeful import open_logs
from wakeful.model.limits import Limits

LINE = '{"at":1,"kind":"idle","session":"s"}'
LONG = f'{{"at":2,"kind":"idle","session":"s","more":"{"x" * 300_000}"}}'
SHORT = Limits(line=200_000)


def read(*paths, **how):
    with open_logs(paths, **how) as stream:
        found = list(stream)
    return found, stream.report


def test_lines_up_to_one_that_is_too_long_are_read(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([*[LINE] * 5_000, LONG, LINE, ""]))
    found, report = read(path, limits=SHORT)
    assert len(found) <= 5_000
    assert "a line of more than 200000 bytes" in str(report.problems[0])
    assert report.unreadable == 1


def test_another_file_is_read_all_the_same(tmp_path):
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    bad.write_text(f"{LONG}\n")
    good.write_text(f"{LINE}\n{LINE}\n")
    found, report = read(bad, good, limits=SHORT)
    assert len(found) == 2
    assert report.unreadable == 1


def test_a_line_of_many_megabytes_is_read_by_default(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(LONG.replace("xxx", "x" * 30) + "\n")
    found, report = read(path, limits=Limits())
    assert len(found) == 1
    assert report.unreadable == 0


def test_a_single_record_that_is_too_long_is_refused(tmp_path):
    path = tmp_path / "session.json"
    path.write_text('{"sessionId": "s", "messages": [\n' + '{"x": 1},\n' * 40_000 + "{}]}")
    found, report = read(path, limits=SHORT, format="gemini-cli")
    assert found == []
    assert "longer than 200000 bytes, and one record" in str(report.problems[0])
