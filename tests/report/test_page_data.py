"""What the page is drawn from: the numbers of the replay, and nothing of a log as markup."""

import json
import re
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest

from report_scene import (
    BEGIN,
    FAILING_DAY,
    MINUTE,
    SECOND,
    automation,
    called,
    ended,
    failed,
    record,
    started,
)
from wakeful.model.outputs import Decision
from wakeful.model.time import parse_instant
from wakeful.replay import decision_record
from wakeful.report import Shown
from wakeful.report.data import page_data
from wakeful.report.offsets import offsets
from wakeful.report.page import page

OWN = {"rule", "t"}
HOSTILE = "</script><script>alert(1)</script>\"'<b>&amp;\x00\x1b\u202eevil\u2028"


class Outline(HTMLParser):
    """The elements of a page, and the text of its data."""

    def __init__(self) -> None:
        super().__init__()
        self.elements = []
        self.data = ""
        self._inside = False

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self._inside = dict(attrs).get("id") == "wakeful-data"

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.data += data


def outline(text):
    found = Outline()
    found.feed(text)
    return found


def records(data):
    return [
        {name: value for name, value in each.items() if name not in OWN}
        for each in data["decisions"]
    ]


def test_its_decisions_are_those_of_the_replay(scene):
    gathered, outputs = scene.write(FAILING_DAY).gathered()
    expected = [decision_record(each) for each in outputs if isinstance(each, Decision)]

    assert len(expected) == 1
    assert expected == records(page_data(gathered))


def test_its_summary_is_that_of_the_replay(scene):
    gathered, _ = scene.write(FAILING_DAY).gathered()

    assert gathered.recording.replay.summary().to_dict() == page_data(gathered)["summary"]


def test_its_numbers_are_exact(scene):
    gathered, _ = scene.write(FAILING_DAY).gathered()
    counts = page_data(gathered)["counts"]

    assert tuple(
        counts[name] for name in ("decisions", "matches", "wakes", "sessions", "inputs")
    ) == (1, 1, 1, 2, 9)
    assert counts["byDecision"] == {"start": 1}


def test_outputs_that_are_hidden_are_not_in_it(scene):
    shown = Shown(session="s2")
    gathered, _ = scene.write(FAILING_DAY).gathered(shown=shown)
    data = page_data(gathered)

    assert (data["decisions"], data["counts"]["decisions"]) == ([], 0)
    assert [each["id"] for each in data["sessions"]] == ["s2"]


def test_what_came_out_before_from_is_not_in_it(scene):
    shown = Shown(since=BEGIN + 35 * SECOND)
    gathered, _ = scene.write(FAILING_DAY).gathered(shown=shown)

    assert (records(page_data(gathered)), gathered.start) == ([], BEGIN + 35 * SECOND)


def test_every_decision_is_explained(scene):
    gathered, _ = scene.write(FAILING_DAY).gathered()
    [lines] = page_data(gathered)["explained"].values()

    assert any("3 counted" in line for line in lines)
    assert any(line.startswith("started") for line in lines)


def test_explanations_tell_times_in_the_zone(scene):
    gathered, _ = scene.write(FAILING_DAY).gathered(
        zone=ZoneInfo("Asia/Tokyo"), zone_name="Asia/Tokyo"
    )
    [lines] = page_data(gathered)["explained"].values()

    assert any("2026-09-21 23:13:40" in line for line in lines)


def test_hostile_text_is_data(scene):
    day = [started(0, title=HOSTILE), failed(1, tool=HOSTILE), failed(2), failed(3)]
    gathered, _ = scene.write(day, automation(title=HOSTILE)).gathered()
    found = outline(page(gathered))
    harmless, _ = scene.write(FAILING_DAY).gathered()

    data = json.loads(found.data)
    assert HOSTILE == data["sessions"][0]["title"] == data["rules"][0]["title"]
    assert outline(page(harmless)).elements == found.elements


def test_the_page_names_no_address_to_load_from(scene):
    gathered, _ = scene.write(FAILING_DAY).gathered()
    text = page(gathered)
    head = text[: text.index('<script type="application/json"')]

    assert re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:)[^"']*""", head) == []
    assert re.findall(r"<script[^>]*\ssrc=", text) == []


def test_the_hours_of_the_overview_are_those_of_the_zone(scene):
    day = [started(0), failed(1), failed(2), failed(3)]
    kathmandu = ZoneInfo("Asia/Kathmandu")
    gathered, _ = scene.write(day).gathered(zone=kathmandu, zone_name="Asia/Kathmandu")
    [bars, cap] = page_data(gathered)["overview"]["hours"]["data"]

    # The bar stands on the middle of its hour.
    assert [parse_instant("2026-09-21T19:30:00+05:45")] == list(bars["x"])
    assert (list(bars["y"]), list(cap["y"])) == ([1], [20, 20])


def test_where_the_cap_was_hit_is_marked(scene):
    day = [started(0), *(failed(each) for each in range(1, 24))]
    gathered, _ = scene.write(day, automation(count={"n": 1})).gathered()
    data = page_data(gathered)
    names = {each["name"]: each for each in data["overview"]["hours"]["data"]}

    assert data["counts"]["byReason"] == {"rateLimited": 3}
    assert list(names["cap hit"]["customdata"]) == ["cap hit 3 times"]
    assert list(names["failing"]["y"]) == [20]


def test_automations_that_plotly_would_take_for_markup_are_escaped(scene):
    day = [started(0), failed(1), failed(2), failed(3)]
    gathered, _ = scene.write(day, automation("a<b>c")).gathered()

    assert page_data(gathered)["overview"]["hours"]["data"][0]["name"] == "a&lt;b&gt;c"


def test_a_zone_is_told_by_its_offsets():
    berlin = ZoneInfo("Europe/Berlin")
    change = parse_instant("2026-10-25T01:00:00Z")

    expected = [[change - 90 * MINUTE, 120], [change, 60]]
    assert expected == offsets(change - 90 * MINUTE, change + 90 * MINUTE, berlin)


def test_a_long_log_is_thinned_and_says_so(scene):
    day = [started(0), failed(1), failed(2), failed(3)]
    day += [called(1_000 + each) for each in range(400)]
    gathered, _ = scene.write(day).gathered(budget=50)
    [session] = page_data(gathered)["sessions"]

    assert [note for note in gathered.notes if note.startswith("Thinned")]
    assert len(session["marks"]) < 60
    assert sum(mark[3] if len(mark) > 3 else 1 for mark in session["marks"]) == 403


def test_of_a_long_log_the_sessions_with_most_matches_are_traced(scene):
    loud = [failed(each / 10, "loud") for each in range(20)]
    day = [*loud, *(failed(3 + each / 10, "less") for each in range(3))]
    gathered, _ = scene.write(day).gathered(traced=20)
    traced = {part.lane.name: part.traced for part in gathered.sessions}

    assert traced == {"loud": True, "less": False}
    assert any("1 more have matches" in note for note in gathered.notes)


def test_messages_of_very_many_decisions_are_cut(scene, monkeypatch):
    monkeypatch.setattr("wakeful.report.data._TEXT", 100)
    gathered, _ = scene.write(FAILING_DAY).gathered()
    [decision] = page_data(gathered)["decisions"]

    assert (len(decision["message"]), decision["message"][-1]) == (100, "…")


def test_five_hundred_sessions_fit_a_small_page(scene):
    day = []
    for number in range(500):
        name = f"s{number}"
        fails = 3 if number % 10 == 0 else 1
        day += [started(number, name), *(failed(number + each / 10, name) for each in range(fails))]
        day.append(ended(number + 0.5, name))
    gathered, _ = scene.write(day).gathered()
    data = page_data(gathered)

    assert (len(data["sessions"]), data["counts"]["matches"]) == (500, 50)
    assert [each["matches"] > 0 for each in data["sessions"][:50]] == [True] * 50
    assert len(json.dumps(data)) < 500_000


@pytest.mark.parametrize("day", [[], [record("tick", 0)]])
def test_a_log_in_which_nothing_happened_is_drawn_too(scene, day):
    gathered, _ = scene.write(day).gathered()

    assert json.loads(outline(page(gathered)).data)["sessions"] == []
