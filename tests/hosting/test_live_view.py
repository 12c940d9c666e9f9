"""The screen of ``wakeful watch``: right at any size, whatever a log holds."""

import pytest
from rich.cells import cell_len
from rich.console import Console

from hosting.hosting_world import AT, MINUTE, automation, engine_of
from wakeful import Decision, DecisionKind, OrderKey, Reason
from wakeful.cli.live_view import LiveView, Shown, plain
from wakeful.cli.words import timezone
from wakeful.hosting.live_state import LiveState
from wakeful.testing import SessionScript


def lines(shown, width, height=30):
    console = Console(width=width, height=height, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(LiveView(shown, timezone(None)))
    return capture.get().splitlines()


def state(*scripts):
    live = LiveState()
    for inputs in scripts:
        for item in inputs:
            live.took(item, now=item.at)
    return live


def shown(live, *, waiting=(), decisions=(), now=AT + MINUTE, notes=()):
    sessions = tuple(reversed(live.sessions.values()))
    return Shown(now=now, sessions=sessions, waiting=waiting, decisions=decisions, notes=notes)


def working(name="s1", **options):
    script = SessionScript(name, at=AT, provider="claude", folder="/home/ann/web", **options)
    return [
        *script.start(),
        *script.after("20s").fail("bash"),
        *script.call("bash"),
        *script.queue(),
    ]


def decision(**members):
    return Decision(
        at=AT,
        automation="ahp-automation:/failing-tests",
        key=OrderKey(AT, 1, 0, 1, ()),
        **{
            "kind": DecisionKind.DROP,
            "count": 3,
            "session": "s1",
            "reason": Reason.RATE_LIMITED,
            **members,
        },
    )


def test_a_session_tells_its_turn_silence_calls_failures_and_queue():
    (row,) = [line for line in lines(shown(state(working())), 80) if "s1" in line]

    assert row.split() == ["claude", "s1", "1m", "40s", "2", "1", "1"]


def test_a_turn_that_is_over_is_no_turn():
    script = SessionScript("s1", at=AT)
    live = state([*script.start(), *script.end()])
    (row,) = [line for line in lines(shown(live), 80) if "s1" in line]

    assert row.split()[1] == "-"


def test_what_waits_tells_when_it_is_due():
    engine = engine_of(automation(then={"kind": "idle", "for": "5m"}))
    script = SessionScript("s1", at=AT)
    inputs = [*script.start(), *script.after("20s").fail("bash")]
    engine.feed_many(inputs)
    text = lines(shown(state(inputs), waiting=engine.pending()), 80)
    (row,) = [line for line in text if line.startswith("a ")]

    # Due five minutes after the failure, which was 40 s before now.
    assert row.split() == ["a", "idle", "s1", "4m", "20s"]


def test_a_decision_tells_its_reason():
    (row,) = [
        line
        for line in lines(shown(state(), decisions=[decision()]), 80)
        if "failing-tests" in line
    ]

    assert row.split() == ["14:20:00", "drop", "failing-tests", "3", "s1", "rateLimited"]


@pytest.mark.parametrize("width", [40, 80, 132, 200])
@pytest.mark.parametrize("height", [12, 24, 50])
def test_no_row_is_wider_than_the_screen_and_all_rows_fit(width, height):
    live = state(*(working(f"a-session-with-a-long-name-{number}" * 3) for number in range(60)))
    decisions = [decision(session="x" * 300)] * 60
    text = lines(shown(live, decisions=decisions, notes=["paused"]), width, height)

    assert max(map(cell_len, text)) <= width
    assert len(text) <= max(height, 15)


def test_what_does_not_fit_is_counted():
    live = state(*(working(f"s{number}") for number in range(60)))
    text = lines(shown(live), 80, 24)
    rows = [line for line in text if line.startswith("claude")]

    assert f"Sessions (60, {60 - len(rows)} not shown)" in text
    assert 5 <= len(rows) < 24


def test_room_that_one_part_leaves_goes_to_the_others():
    live = state(*(working(f"s{number}") for number in range(60)))
    rows = [line for line in lines(shown(live), 80, 50) if line.startswith("claude")]

    assert len(rows) >= 35


def test_a_wide_screen_has_room_for_the_project():
    assert any("Project" in line for line in lines(shown(state(working())), 200))
    assert not any("Project" in line for line in lines(shown(state(working())), 80))


def test_nothing_that_a_log_says_is_obeyed_by_a_terminal():
    evil = "\x1b[2J\x1b]0;owned\x07\u202etitle\nnext[bold]"
    script = SessionScript("\x1b[31ms1", at=AT).called(evil)
    live = state(script.start())
    text = "\n".join(lines(shown(live, decisions=[decision(session=evil)]), 200))

    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[bold]" in text


def test_wide_letters_are_cut_by_what_they_take():
    live = state(SessionScript("界" * 100, at=AT).start())

    assert max(map(cell_len, lines(shown(live), 80))) <= 80


def test_the_oldest_sessions_are_let_go():
    live = state(*(SessionScript(f"s{number}", at=AT).start() for number in range(600)))

    assert (len(live.sessions), "s0" in live.sessions) == (500, False)


def test_a_session_that_is_over_is_gone():
    script = SessionScript("s1", at=AT)

    assert not state(script.start(), script.close()).sessions


def test_plain_keeps_what_is_read():
    assert plain("Müller 界 ok\tgo\r\n") == "Müller 界 ok go  "
