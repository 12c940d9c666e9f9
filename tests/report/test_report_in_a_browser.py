"""The page, opened in a headless Chromium: what it shows, what it does, what it leaves alone."""

import json

import pytest

from report_browser import browser, executable, tab
from report_scene import (
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
from wakeful.cli import main

pytestmark = pytest.mark.skipif(
    executable() is None, reason="there is no Chromium (apt-get install chromium)"
)

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'"
UNSEEN = "a\x00b\x1bc\u202ed\u200fe"
VISIBLE_ROWS = "document.querySelectorAll('#rows tr').length"
LABELS = "[...document.querySelectorAll('#labels button')].map(each => each.textContent)"
RANGE = "document.getElementById('lanes')._fullLayout.xaxis.range.map(Number)"
TRACES = (
    "Object.fromEntries(document.getElementById('lanes').data.map(each => "
    "[each.name, each.x.length]))"
)
WAKES = (
    "document.getElementById('lanes').data.filter(each => /decision (start|release|steer)/"
    ".test(each.name)).flatMap(each => each.x)"
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as address:
        yield address


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    """The recorded day, drawn by the command, with what ``--json`` says of it."""
    folder = tmp_path_factory.mktemp("day")
    page, summary = folder / "day.html", folder / "day.json"
    assert main(["replay", "-q", "--report", str(page), "--summary", str(summary)]) == 0
    return page, json.loads(summary.read_text())


def assert_harmless(page):
    """The page asked for nothing and complained of nothing."""
    assert page.errors == []
    assert page.requests == [page.path.as_uri()]


@pytest.fixture
def opened(chromium):
    """Opens a page in a tab of its own."""
    with tab(chromium) as page:
        yield page.open
        assert_harmless(page)


@pytest.fixture(scope="module")
def day_tab(chromium, day):
    with tab(chromium) as page:
        yield page.open(day[0])


@pytest.fixture
def day_page(day_tab):
    """The recorded day, as it is when it was just opened."""
    day_tab.ask(
        "(() => { wakeful.view.chosen = null; wakeful.view.open.clear(); wakeful.whole(); "
        "document.getElementById('f-clear').click(); })()"
    )
    day_tab.ask("new Promise(done => setTimeout(done, 50))")
    day_tab.settle()
    yield day_tab
    assert_harmless(day_tab)


def drawn(scene, records, *automations, **options):
    scene.write(records, *automations)
    path = scene.folder / "page.html"
    arguments = ["replay", "-q", str(scene.log), "--rules", str(scene.rules), "--report", str(path)]
    for name, value in options.items():
        arguments += [f"--{name}", value]
    assert main(arguments) == 0
    return path


def choose(page, name, value):
    page.ask(
        f"(() => {{ const each = document.getElementById('f-{name}'); "
        f"if (each.type === 'checkbox') each.checked = {json.dumps(value)}; "
        f"else each.value = {json.dumps(value)}; "
        "each.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.settle()


def test_it_shows_lanes_marks_and_the_table(day_page, day):
    page = day_page
    decisions = sum(day[1]["decisions"].values())

    assert decisions == page.ask(VISIBLE_ROWS)
    assert len(page.ask(LABELS)) == page.ask(
        "wakeful.data.sessions.filter(each => each.matches).length"
    )
    traces = page.ask(TRACES)
    assert {"turn completed", "turn failed", "silence", "toolCalled", "toolFailed"} <= set(traces)
    assert day[1]["decisions"]["start"] == traces["decision start"]
    assert page.ask("document.querySelectorAll('#hours .bars path, #hours .point').length") > 0
    assert page.ask("document.querySelectorAll('#reasons .bars .point').length") > 0


def test_its_numbers_are_those_of_the_replay(day_page, day, capsys):
    capsys.readouterr()
    main(["replay", "-q", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    page = day_page
    data = json.loads(page.ask("document.getElementById('wakeful-data').textContent"))

    assert lines == [
        {name: value for name, value in each.items() if name not in {"rule", "t"}}
        for each in data["decisions"]
    ]
    assert day[1] == data["summary"]
    wakes = sum(each["decision"] in {"start", "release", "steer"} for each in lines)
    assert [str(wakes), str(len(lines)), str(day[1]["matches"])] == page.ask(
        "['wakes', 'decisions', 'matches'].map(name => "
        "document.getElementById('n-' + name).textContent)"
    )


def test_labels_stand_beside_their_lanes(day_page):
    page = day_page
    page.ask("document.querySelector('#labels button').click()")
    page.settle()

    assert page.ask(
        "(() => { const chart = document.getElementById('lanes'); const axis = "
        "chart._fullLayout.yaxis; return wakeful.rows().every((row, place) => Math.abs("
        "axis.l2p(row.y) - parseFloat(document.getElementById('labels').children[place]"
        ".style.top)) < 1); })()"
    )


def test_a_lane_unfolds_to_what_rules_had_in_it(day_page):
    page = day_page
    before = page.ask("wakeful.rows().length")
    page.ask("document.querySelector('#labels button').click()")
    page.settle()

    assert page.ask("document.querySelector('#labels button').ariaExpanded") == "true"
    assert page.ask("wakeful.rows().length") > before
    assert {"match", "hits"} <= set(page.ask(TRACES))


def test_a_click_on_a_wake_in_the_table_moves_the_view_and_tells_its_story(day_page):
    page = day_page
    before = page.ask(RANGE)
    page.ask(
        "document.querySelector('#rows tr.wake:nth-last-child(5) button, #rows tr.wake button').click()"
    )
    page.settle()
    start, end = page.ask(RANGE)
    at = page.ask("wakeful.view.chosen.t")

    assert [start, end] != before
    assert abs((start + end) / 2 - at) < MINUTE
    assert at in page.ask(WAKES)
    assert page.ask("!document.getElementById('detail').hidden")
    assert page.ask("document.getElementById('detail').textContent.includes('counted')")
    assert page.ask("document.querySelectorAll('#rows tr.chosen').length") == 1


def test_a_click_on_a_wake_in_the_picture_moves_the_view(opened, scene):
    page = opened(drawn(scene, [*FAILING_DAY, record("tick", 6_000)]))
    page.ask("document.getElementById('stage').scrollIntoView({block: 'center'})")
    page.settle()
    before = page.ask(RANGE)
    x, y = page.ask(
        "(() => { const chart = document.getElementById('lanes'); const box = "
        "chart.getBoundingClientRect(); const layout = chart._fullLayout; const star = "
        "chart.data.find(each => each.name === 'decision start'); return [box.left + "
        "layout.xaxis._offset + layout.xaxis.l2p(star.x[0]), box.top + layout.yaxis._offset "
        "+ layout.yaxis.l2p(star.y[0])]; })()"
    )
    page.click(x, y)

    assert page.ask(RANGE) != before
    assert page.ask("wakeful.view.chosen.t") == 30 * SECOND
    assert page.ask("document.getElementById('tip').textContent").startswith("start")


def test_filters_filter(day_page, day):
    page = day_page
    every = page.ask(VISIBLE_ROWS)
    choose(page, "decision", "drop")
    drops = page.ask(VISIBLE_ROWS)
    traces = page.ask(TRACES)
    choose(page, "decision", "wakes")
    wakes = page.ask(
        "[...document.querySelectorAll('#rows tr')].every(each => each.classList.contains('wake'))"
    )
    page.ask("document.getElementById('f-clear').click()")
    page.ask("new Promise(done => setTimeout(done, 50))")
    page.settle()

    assert day[1]["decisions"]["drop"] == drops
    assert {"decision drop"} == {each for each in traces if each.startswith("decision ")}
    assert wakes
    assert every == page.ask(VISIBLE_ROWS)


def test_a_rule_a_reason_and_a_session_are_filtered_by(day_page):
    page = day_page
    choose(page, "rule", "a:ahp-automation:/failing-tools")
    rules = page.ask("[...new Set(wakeful.visibleDecisions().map(each => each.automation))]")
    choose(page, "rule", "")
    choose(page, "reason", "skipped")
    reasons = page.ask("[...new Set(wakeful.visibleDecisions().map(each => each.reason))]")
    choose(page, "reason", "")
    name = page.ask("wakeful.data.sessions[0].id")
    choose(page, "session", name)

    assert (rules, reasons) == (["ahp-automation:/failing-tools"], ["skipped"])
    assert [name] == page.ask("[...new Set(wakeful.visibleDecisions().map(each => each.session))]")
    assert len(page.ask(LABELS)) == 1


def test_sessions_without_a_match_are_folded_away_until_asked_for(opened, scene):
    page = opened(drawn(scene, FAILING_DAY))
    before = page.ask(LABELS)
    choose(page, "quiet", True)

    assert before == ["Mend the tests"]
    assert page.ask(LABELS) == ["Mend the tests", "A quiet one"]


def test_hostile_text_stays_text(opened, scene):
    records = [
        started(0, HOSTILE, title=HOSTILE + UNSEEN),
        failed(1, HOSTILE, HOSTILE),
        failed(2, HOSTILE, HOSTILE),
        failed(3, HOSTILE, HOSTILE),
    ]
    page = opened(drawn(scene, records, automation("a<b>&amp;", title=HOSTILE)))
    page.ask("document.querySelector('#rows button').click()")
    page.settle()

    shown = HOSTILE + "a\\u0000b\\u001bc\\u202ed\\u200fe"
    assert [shown] == page.ask(LABELS)
    assert page.ask("window.hacked === undefined && !document.querySelector('img')")
    assert HOSTILE in page.ask("document.getElementById('detail').textContent")
    assert "a<b>&amp;" in page.ask("document.querySelector('#hours .legend').textContent")


def test_times_are_those_of_the_zone(opened, scene):
    page = opened(drawn(scene, FAILING_DAY, zone="Asia/Tokyo"))

    assert (
        page.ask("document.querySelector('#rows button').textContent") == "2026-09-21 23:13:50.000"
    )
    assert "times in Asia/Tokyo" in page.ask("document.querySelector('header').textContent")


def test_keys_zoom_pan_and_go_from_wake_to_wake(day_page):
    page = day_page
    page.ask("document.getElementById('stage').focus()")
    whole = page.ask(RANGE)
    page.press("+")
    closer = page.ask(RANGE)
    page.press("ArrowRight")
    panned = page.ask(RANGE)
    page.press("n")
    first = page.ask("wakeful.view.chosen.place")
    page.press("n")
    second = page.ask("wakeful.view.chosen.place")
    page.press("p")
    back = page.ask("wakeful.view.chosen.place")
    page.press("0")

    assert closer[1] - closer[0] == pytest.approx((whole[1] - whole[0]) / 2)
    assert panned[0] > closer[0]
    assert (first, first) == (min(first, second), back)
    assert second > first
    assert whole == pytest.approx(page.ask(RANGE))


def test_dark_and_light_differ_and_paper_is_light(day_page):
    page = day_page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.ask(paper)
    page.ask("document.getElementById('theme').click()")
    dark = page.ask(paper)
    page.ask("dispatchEvent(new Event('beforeprint'))")

    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 24, 29)")
    printed = page.ask(paper)
    page.ask("dispatchEvent(new Event('afterprint'))")
    page.ask("document.getElementById('theme').click()")

    assert (light, dark, printed) == ("rgb(255, 255, 255)", "rgb(20, 24, 29)", light)


def test_the_colours_follow_the_system(opened, scene):
    page = opened(drawn(scene, FAILING_DAY))
    page.send(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    page.settle()

    assert page.ask("document.documentElement.dataset.theme") == "dark"


def test_on_paper_there_is_nothing_to_press(opened, scene):
    page = opened(drawn(scene, FAILING_DAY))
    page.send("Emulation.setEmulatedMedia", media="print")
    page.settle()

    assert page.ask(
        "['filters', 'theme'].map(name => document.getElementById(name).offsetParent === null "
        "? 'none' : 'shown')"
    ) == ["none", "none"]
    assert page.ask("document.getElementById('table').offsetHeight") > 0


def test_five_hundred_sessions_are_readable(opened, scene):
    records = []
    for number in range(500):
        name = f"s{number:03d}"
        fails = 3 if number % 5 == 0 else 1
        records += [started(number * 60, name)]
        records += [failed(number * 60 + each, name) for each in range(1, 1 + fails)]
        records.append(ended(number * 60 + 9, name))
    page = opened(drawn(scene, records))
    first = page.ask(LABELS)
    page.ask("document.getElementById('more-lanes').click()")
    page.settle()

    assert (len(first), len(page.ask(LABELS))) == (40, 80)
    assert (
        page.ask("document.getElementById('lanes-told').textContent")
        == "80 of 500 sessions are shown; 400 without a match are folded away."
    )


@pytest.mark.parametrize(("step", "tick"), [(2, "14:13:30"), (6 * 60 * 60, "2026-09-23")])
def test_the_axis_suits_a_minute_and_a_week(opened, scene, step, tick):
    records = [started(0), *(failed(each * step) for each in range(1, 31)), called(31 * step)]
    page = opened(drawn(scene, records))
    texts = page.ask("document.getElementById('lanes').layout.xaxis.ticktext")

    assert 3 <= len(texts) <= 14
    assert any(text.startswith(tick) for text in texts)


def test_an_empty_log_is_a_page_too(opened, scene):
    page = opened(drawn(scene, [record("tick", 0)]))

    assert (page.ask(VISIBLE_ROWS), page.ask(LABELS)) == (0, [])
