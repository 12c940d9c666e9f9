"""Static pictures: of one session or automation, as SVG and PNG."""

import sys
from xml.etree import ElementTree as ET

import pytest

from report_scene import FAILING_DAY, automation, called, failed, started
from wakeful.errors import WakefulError
from wakeful.report import Shown, write
from wakeful.report.still import still

SVG = "{http://www.w3.org/2000/svg}"


def picture(scene, *, day=FAILING_DAY, shown=None, rules=()):
    gathered, _ = scene.write(day, *rules).gathered(shown=shown)
    return ET.fromstring(still(gathered))


def texts(tree):
    return ["".join(each.itertext()) for each in tree.iter(f"{SVG}text")]


def titles(tree, what):
    return [
        title.text
        for each in tree.iter(f"{SVG}{what}")
        if (title := each.find(f"{SVG}title")) is not None
    ]


def test_one_session_is_drawn(scene):
    tree = picture(scene, shown=Shown(session="s2"))

    assert "A quiet one" in texts(tree)
    assert "Mend the tests" not in texts(tree)


def test_an_automation_is_drawn_with_the_sessions_it_matched_in(scene):
    tree = picture(scene, shown=Shown(automation="ahp-automation:/failing"))

    assert [
        texts(tree)[0],
        "Mend the tests" in texts(tree),
        "A quiet one" in texts(tree),
    ] == ["Failing", True, False]


def test_the_busiest_session_is_drawn_where_none_was_asked_for(scene):
    assert texts(picture(scene))[0] == "Mend the tests"


def test_turns_silences_failures_and_wakes_say_what_they_are(scene):
    tree = picture(scene)

    [turn] = [each for each in titles(tree, "rect") if each.startswith("completed")]
    marks = titles(tree, "use")
    assert "2026-09-21 14:13:20.000 to 2026-09-21 14:14:00.000" in turn
    assert len([each for each in marks if each.startswith("a call failed")]) == 3
    assert [each for each in marks if each.startswith("start")] == [
        "start: failing at 2026-09-21 14:13:50.000"
    ]


def test_what_the_rule_had_stands_beneath(scene):
    tree = picture(scene)

    assert "failing · t1" in texts(tree)
    assert [each for each in titles(tree, "use") if each.startswith("match")] == [
        "match at 2026-09-21 14:13:50.000"
    ]


def test_hostile_text_stays_text(scene, tmp_path):
    hostile = "</svg><script>x</script>\x00\x1b\uffff"
    gathered, _ = scene.write(
        [started(0, title=hostile), failed(1), failed(2), failed(3)]
    ).gathered()
    write(tmp_path / "x.svg", gathered)
    tree = ET.parse(tmp_path / "x.svg").getroot()

    assert "</svg><script>x</script>\ufffd\ufffd\ufffd" in texts(tree)
    assert list(tree.iter(f"{SVG}script")) == []


def test_times_are_told_on_the_axis_in_the_zone(scene):
    day = [started(0), *(called(each * 60) for each in range(1, 31))]

    assert {"14:15", "14:20", "14:40"} <= set(texts(picture(scene, day=day)))


def test_nothing_to_draw_is_a_picture_too(scene):
    assert texts(picture(scene, day=[]))[0] == "Nothing to draw"


def test_a_png_is_made_of_it(scene, tmp_path):
    pytest.importorskip("resvg_py", reason="the extra png is not installed")
    gathered, _ = scene.write(FAILING_DAY, automation()).gathered()
    write(tmp_path / "x.png", gathered)
    content = (tmp_path / "x.png").read_bytes()

    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20]) == 2_000


def test_a_png_without_its_extra_says_what_to_install(scene, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    gathered, _ = scene.write(FAILING_DAY).gathered()

    with pytest.raises(WakefulError, match=r"wakeful\[png\]"):
        write(tmp_path / "x.png", gathered)


def test_another_ending_is_no_picture(scene, tmp_path):
    gathered, _ = scene.write(FAILING_DAY).gathered()

    with pytest.raises(ValueError, match=r"\.html, \.svg, \.png"):
        write(tmp_path / "x.pdf", gathered)
