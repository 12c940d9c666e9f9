"""What a run is told (semantics 8.2 to 8.7)."""

import pytest

from gate.gate_world import World, automation
from wakeful.messages import Telling, Template, event_title, summary_block, trigger_title
from wakeful.model.rules import SessionRule
from wakeful.model.triggers import (
    PluginTrigger,
    ScheduleTrigger,
    SessionTrigger,
    TriggerEvent,
    TriggerType,
    WatchTrigger,
)
from wakeful.presets import PRESETS

RULE = SessionRule(events=frozenset({"toolFailed"}))

TOLD = Telling(
    at=1791382925118,
    trigger="Failing tests",
    event="A tool call failed",
    session="ahp-session://claude/local/9f2c",
    session_title="Fix the parser",
    count=3,
    data={"branch": "main", "tries": 3, "tags": ["a", "ü"], "nested": {"b": None}},
)

CI = TriggerType(
    type="ci", title="Builds", events=(TriggerEvent(id="failed", title="A build failed"),)
)


def types(name: str) -> TriggerType | None:
    return CI if name == "ci" else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{trigger}}", "Failing tests"),
        ("{{event}}", "A tool call failed"),
        ("{{session}}", "ahp-session://claude/local/9f2c"),
        ("{{sessionTitle}}", "Fix the parser"),
        ("{{count}}", "3"),
        ("{{at}}", "2026-10-07T14:22:05.118Z"),
        ("{{event}}{{count}} {{event}}", "A tool call failed3 A tool call failed"),
        ("no name at all", "no name at all"),
        ("", ""),
        ("{{{count}}}", "{3}"),
    ],
)
def test_a_name_of_the_table_is_filled(text, expected):
    assert Template(text).fill(TOLD) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{{unknown}}",
        "{{Event}}",
        "{{ event }}",
        "{event}",
        "{{event",
        "{{sessiontitle}}",
        "{{evént}}",
        "{{count٣}}",
        "{{event.}}",
        "{{event.a.b}}",
        "{{session.id}}",
        "{{event.a-b}}",
        "{{event.bränch}}",
        "{{}}",
        "{{\nevent}}",
    ],
)
def test_a_name_that_is_not_in_the_table_stays(text):
    assert Template(text).fill(TOLD) == text


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("branch", "main"),
        ("tries", "3"),
        ("tags", '["a","ü"]'),
        ("nested", '{"b":null}'),
        ("nothing", ""),
    ],
)
def test_a_field_of_a_plugin_event_is_text_as_it_is_and_anything_else_as_json(field, expected):
    assert Template(f"<{{{{event.{field}}}}}>").fill(TOLD) == f"<{expected}>"


def test_a_value_that_holds_itself_is_filled_with_nothing():
    endless = []
    endless.append(endless)

    assert Template("<{{event.x}}>").fill(Telling(at=0, data={"x": endless})) == "<>"


def test_a_field_is_filled_with_nothing_where_the_event_has_no_data():
    assert Template("<{{event.branch}}>").fill(Telling(at=0)) == "<>"


def test_what_an_event_does_not_carry_is_filled_with_nothing():
    text = "<{{trigger}}{{event}}{{session}}{{sessionTitle}}{{count}}>"

    assert Template(text).fill(Telling(at=0)) == "<>"


def test_what_was_filled_in_is_never_filled_again():
    told = Telling(at=0, session_title="{{count}}", count=3, data={"x": "{{event.x}}"})

    assert Template("{{sessionTitle}} {{event.x}}").fill(told) == "{{count}} {{event.x}}"


def test_the_block_stands_after_the_text_and_one_empty_line():
    assert Template("Examining the failing tests.").tell(TOLD) == (
        "Examining the failing tests.\n"
        "\n"
        "What woke this run: A tool call failed\n"
        "Session: Fix the parser (ahp-session://claude/local/9f2c)\n"
        "Count: 3\n"
        "At: 2026-10-07T14:22:05.118Z"
    )


@pytest.mark.parametrize("title", [None, ""])
def test_a_session_without_a_title_goes_by_its_uri(title):
    block = summary_block(Telling(at=0, event="e", session="s:/1", session_title=title, count=1))

    assert block.splitlines()[1] == "Session: s:/1"


def test_where_there_is_no_session_there_is_no_line_for_it():
    block = summary_block(Telling(at=0, event="A build failed", count=1))

    assert block == "What woke this run: A build failed\nCount: 1\nAt: 1970-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("event", "title"),
    [
        ("turnCompleted", "A turn finished"),
        ("turnFailed", "A turn failed"),
        ("turnCancelled", "A turn was cancelled"),
        ("toolCalled", "A tool call finished"),
        ("toolFailed", "A tool call failed"),
        ("messageQueued", "A message was queued"),
        ("idle", "The session went idle"),
        ("childFinished", "A session it started finished"),
        ("turnStarted", "A turn fell silent"),
    ],
)
def test_an_event_of_a_session_has_a_title(event, title):
    assert event_title(event) == title


@pytest.mark.parametrize(
    ("preset", "title"),
    [
        ("looks-stuck", "Looks stuck"),
        ("failing-tools", "Failing tools"),
        ("long-silent-turn", "Long silent turn"),
        ("idle-after-failure", "Idle after failure"),
        ("waiting-while-busy", "Waiting while busy"),
    ],
)
def test_the_event_of_a_watch_is_told_by_its_presets_title(preset, title):
    assert event_title("turnStarted", preset=preset) == title


def test_a_plugins_event_is_told_by_the_title_its_type_gives_it():
    trigger = PluginTrigger(id="t", type="ci", events=("failed",))

    assert event_title("failed", trigger=trigger, find_type=types) == "A build failed"


@pytest.mark.parametrize(("kind", "event"), [("ci", "passed"), ("unheard-of", "failed")])
def test_a_plugins_event_that_nobody_titles_goes_by_its_id(kind, event):
    trigger = PluginTrigger(id="t", type=kind, events=(event,))

    assert event_title(event, trigger=trigger, find_type=types) == event


def test_a_plugins_event_that_is_called_like_a_sessions_keeps_its_own_title():
    trigger = PluginTrigger(id="t", type="mine", events=("idle",))

    assert event_title("idle", trigger=trigger) == "idle"


@pytest.mark.parametrize(
    "trigger",
    [
        ScheduleTrigger(id="t", expression="* * * * *", title="Mine"),
        SessionTrigger(id="t", events=("toolFailed",), rule=RULE, title="Mine"),
        WatchTrigger(id="t", rules=(), title="Mine"),
        PluginTrigger(id="t", type="ci", events=("failed",), title="Mine"),
    ],
    ids=lambda trigger: type(trigger).__name__,
)
def test_a_triggers_title_stays_as_its_author_wrote_it(trigger):
    assert trigger_title(trigger, types) == "Mine"


@pytest.mark.parametrize(
    ("trigger", "title"),
    [
        (ScheduleTrigger(id="t", expression="* * * * *"), ""),
        (SessionTrigger(id="t", events=("toolFailed",), rule=RULE), "What a session does"),
        (WatchTrigger(id="t", rules=()), "Patterns worth watching for"),
        (PluginTrigger(id="t", type="ci", events=("failed",)), "Builds"),
        (PluginTrigger(id="t", type="unheard-of", events=("failed",)), "unheard-of"),
        (None, ""),
    ],
)
def test_a_trigger_without_a_title_goes_by_its_types(trigger, title):
    assert trigger_title(trigger, types) == title


# Through the gate


def test_a_start_is_told_its_trigger_event_session_count_and_instant():
    world = World(automation(text="{{trigger}}: {{event}} in {{sessionTitle}}"))
    world.now = 5

    (start,) = world.match(count=3, title="Fix it", session="s:/1")

    assert start.message == (
        "Failing: A tool call failed in Fix it\n"
        "\n"
        "What woke this run: A tool call failed\n"
        "Session: Fix it (s:/1)\n"
        "Count: 3\n"
        "At: 1970-01-01T00:00:00.005Z"
    )


def test_a_watch_is_told_by_its_preset_in_text_and_block():
    watch = WatchTrigger(id="t", rules=(("looks-stuck", PRESETS["looks-stuck"].rule()),))
    world = World(automation(text="{{event}}", triggers=(watch,)))

    (start,) = world.match(preset="looks-stuck")

    assert start.message.startswith("Looks stuck\n\nWhat woke this run: Looks stuck\n")


def test_a_plugins_event_is_told_with_its_data_and_no_session():
    trigger = PluginTrigger(id="t", type="ci", events=("failed",))
    world = World(automation(text="{{trigger}} {{event.branch}}", triggers=(trigger,)))
    world.types["ci"] = CI

    (start,) = world.match(session=None, event="failed", data={"branch": "main"})

    assert start.message == (
        "Builds main\n\nWhat woke this run: A build failed\nCount: 1\nAt: 1970-01-01T00:00:00.000Z"
    )


def test_a_drop_a_hold_and_a_fold_have_no_message():
    world = World()
    decisions = [*world.match(), *world.match(), *world.match()]

    assert [each.message is None for each in decisions] == [False, True, True]


def test_without_messages_nothing_is_filled():
    world = World(messages=False)
    made = [*world.match(), *world.match(), *world.settled("never-told", "notStarted")]
    made += world.press("p1")

    assert [each.message for each in made] == [None] * 4


def test_an_occurrence_is_told_its_schedules_title_and_instant_and_gets_no_block():
    world = World(automation(text="{{trigger}}|{{at}}|{{session}}{{count}}{{event.x}}|{{no}}"))
    world.now = 7

    (start,) = world.occurrence()

    assert start.message == "Every night|1970-01-01T00:00:00.007Z||{{no}}"
