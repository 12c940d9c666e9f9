"""The page that is made of saved results: every place in it is one that a run fills."""

import json
import re
from xml.etree import ElementTree as ET

import pytest
from report.charts import chart
from report.parts import PARTS, pictures
from report.results import Results
from report.write import PAGE, PLACE

MACHINE = {
    "cpu": {"brand_raw": "A processor", "count": 2},
    "system": "Linux",
    "machine": "x86_64",
    "python_implementation": "CPython",
    "python_version": "3.11.7",
    "packages": {"eql": "1.0"},
}


def results(tmp_path, *told):
    benchmarks = [{"group": group, "extra_info": figures} for group, figures in told]
    data = {
        "machine_info": MACHINE,
        "commit_info": {"id": "0123456789abcdef", "dirty": False},
        "datetime": "2026-12-01T01:02:03",
        "benchmarks": benchmarks,
    }
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data))
    return Results(path)


def raced(name, rules, rate, ahead):
    figures = {"peer": name, "rules": rules, "events_per_second": rate, "ahead": ahead}
    return "peers", figures | {"wakeful_events_per_second": 400_000, "differs": "no absence"}


def test_each_part_has_its_place_in_the_page():
    assert list(PARTS) == sorted(
        (name for _, name, _ in PLACE.findall(PAGE.read_text())), key=list(PARTS).index
    )


def test_the_pictures_of_the_page_are_there():
    named = re.findall(r"\((images/[\w-]+\.svg)\)", PAGE.read_text())
    assert [(PAGE.parent / name).is_file() for name in named] == [True, True]


@pytest.mark.parametrize("name", [name for name in PARTS if name not in ("machine", "yardsticks")])
def test_what_was_not_measured_is_said(tmp_path, name):
    assert "Not measured in this run." in PARTS[name](results(tmp_path))


def test_peers_are_told_by_number_of_rules(tmp_path):
    few, many = raced("eql", 10, 40_000, 10.0), raced("eql", 100, 4_000, 100.0)
    told = PARTS["peers"](results(tmp_path, few, many))
    assert "| events a second | 10 rules | 100 rules |" in told
    assert "| **wakeful** | 400 k | 400 k |" in told
    assert "| eql | 40 k (10 x) | 4 k (100 x) |" in told
    assert "- eql: no absence." in told


def test_a_peer_that_is_faster_is_told_so(tmp_path):
    assert "2 M (1/4 x)" in PARTS["peers"](results(tmp_path, raced("a loop", 10, 2e6, 0.25)))


@pytest.mark.parametrize(
    ("bound", "reached", "expected"),
    [("at most", 1.2, "yes"), ("at most", 1.3, "**no**"), ("at least", 1.1, "**no**")],
)
def test_a_yardstick_is_reached_or_not(tmp_path, bound, reached, expected):
    row = {"what": "a thing", "asked": 1.2, "bound": bound, "reached": reached, "unit": "times"}
    told = PARTS["yardsticks"](results(tmp_path, ("growth", {"yardsticks": [row]})))
    assert f"| a thing | {bound} 1.2 | {reached} | {expected} |" in told


def test_no_picture_is_drawn_of_nothing(tmp_path):
    assert pictures(results(tmp_path)) == {}


def test_a_picture_has_a_line_for_each_name():
    lines = {"a<b": [(1, 10), (100, 1_000)], "c": [(10, 5)]}
    drawn = ET.fromstring(chart("T", "x", "y", lines))
    texts = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"T", "x", "y", "a<b", "c"} <= set(texts)
