"""The engine as whoever embeds it meets it: feeding, refusals, deadlines, what it tells."""

import attrs
import pytest

from engine_scenes import (
    MATCHES_ONLY,
    absent,
    automation,
    decisions,
    ended,
    event,
    event_within,
    fail,
    idle,
    matched_at,
    matches,
    ms,
    ok,
    on,
    saved,
    schedule,
    settled,
    started,
    turn,
    waits,
    watch,
    words,
)
from wakeful import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    Engine,
    GrantsChanged,
    InputRefusedError,
    InvalidError,
    Pending,
    Press,
    Resumed,
    RunSettled,
    ScheduleTrigger,
    SessionEvent,
    Settings,
    Tick,
    TurnStarted,
)
from wakeful.model.time import HOUR, MAX_INSTANT, format_instant

EACH = automation(on("toolFailed"))
LIVE = Settings(run_time="log")


# -- feeding ----------------------------------------------------------------------------


def a_busy_log():
    return [
        turn(0), fail(1, call="x"), fail(2, call="x"), turn(2, "other"), words(3), ok(4),
        fail(5, "other"), event("turnFailed", 6), event("idle", 6), fail(4, "other"),
        started(7, "r"), settled(8, "r"), Tick(ms(70)), Press(automation=EACH.resource, request_id="q", at=ms(71)),
        ended(80), Resumed(at=ms(300)),
    ]  # fmt: skip


BUSY_RULES = [
    EACH,
    automation(watch("looks-stuck", "long-silent-turn", times=2, minutes=1), id="b"),
    automation(on("turnFailed", then=idle("30s")), schedule("* * * * *", id="t2"), id="c"),
]


def test_feeding_many_gives_the_outputs_of_feeding_one_by_one():
    one, many = Engine(BUSY_RULES), Engine(BUSY_RULES)
    expected = [output for each in a_busy_log() for output in one.feed(each)]
    assert len(expected) > 10
    assert many.feed_many(a_busy_log()) == expected


def test_feeding_many_takes_any_iterable():
    assert matched_at(Engine([EACH]).feed_many(fail(at) for at in range(3))) == [0, 1, 2]


def test_feeding_many_keeps_what_came_before_a_refused_input():
    engine = Engine([EACH])
    with pytest.raises(InputRefusedError):
        engine.feed_many([fail(0), object(), fail(1)])
    assert engine.statistics().inputs == 1


def test_an_engine_without_rules_gives_nothing():
    assert Engine().feed_many([turn(0), fail(1), ended(2)]) == []


def test_before_the_first_input_there_is_no_instant():
    assert Engine().now is None
    assert Engine(at=5).now == 5


def test_the_instant_is_that_of_the_last_call():
    engine = Engine()
    engine.feed(fail(3))
    assert engine.now == ms(3)
    engine.advance(ms(9))
    assert engine.now == ms(9)


@pytest.mark.parametrize(
    "call", [lambda engine: engine.advance(-5), lambda engine: engine.feed(Tick(-5))]
)
def test_instants_before_1970_are_instants(call):
    engine = Engine([EACH])
    call(engine)
    assert engine.now == -5
    assert matches(engine.feed(fail(-0.001))) == ["-0.001 a/t1 s toolFailed x1"]


# -- refusals ---------------------------------------------------------------------------

REFUSED = {
    "an event of no kind": (SessionEvent("toolExploded", "s", 5), "'toolExploded' is no event kind"),
    "no input": (object(), "object is no input|instant of object"),
    "nothing": (None, "NoneType"),
    "text": ("toolFailed", "str"),
    "an instant with a fraction": (SessionEvent("idle", "s", 5.5), "5.5"),
    "no instant": (Activity("s", None), "None"),
    "a truth for an instant": (Tick(True), "True"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_input_is_refused_by_name(given, says):
    with pytest.raises(InputRefusedError, match=says):
        Engine([EACH]).feed(given)


def state_of(engine):
    return (engine.now, engine.statistics(), engine.pending(), engine.next_deadline)


def busy_engine():
    engine = Engine(BUSY_RULES, settings=LIVE)
    engine.feed_many([turn(0), fail(1, call="x"), event("turnFailed", 2)])
    return engine


@pytest.mark.parametrize("given", [each[0] for each in REFUSED.values()], ids=REFUSED)
def test_a_refused_input_leaves_no_trace(given):
    engine, spared = busy_engine(), busy_engine()
    with pytest.raises(InputRefusedError):
        engine.feed(given)
    assert state_of(engine) == state_of(spared)
    log = [fail(3, call="x"), Tick(ms(500))]
    assert engine.feed_many(log) == spared.feed_many(log)


def unreadable(**changes):
    """A definition put together in code that no reader would let through."""
    good = automation(on("toolFailed"), schedule("0 * * * *", id="t2"))
    owner = changes.pop("owner", None)
    return attrs.evolve(good, owner=owner, definition=attrs.evolve(good.definition, **changes))


def bad_schedule():
    return (
        ScheduleTrigger(id="t1", expression="61 * * * *"),
        ScheduleTrigger(id="t2", expression="0 0 30 2 *"),
        ScheduleTrigger(id="t3", expression="0 * * * *", time_zone="Mars/Olympus"),
    )


BAD = {
    "owner": (unreadable(owner="ann"), ["owner"]),
    "overlap": (unreadable(overlap="wait"), ["overlap"]),
    "pinned and parallel": (unreadable(overlap="parallel", pinned=True), ["overlap"]),
    "schedules": (
        unreadable(triggers=bad_schedule()),
        ["triggers[0].schedule", "triggers[1].schedule", "triggers[2].schedule"],
    ),
    "two at once": (unreadable(owner="", overlap="wait"), ["owner", "overlap"]),
}


@pytest.mark.parametrize(("bad", "paths"), BAD.values(), ids=BAD)
def test_a_definition_that_cannot_be_meant_is_refused_with_every_problem(bad, paths):
    with pytest.raises(InputRefusedError) as raised:
        Engine([EACH]).feed(saved(5, bad))
    assert [problem.path.split(":")[0] for problem in raised.value.problems] == paths


@pytest.mark.parametrize("bad", [each[0] for each in BAD.values()], ids=BAD)
def test_a_refused_definition_leaves_the_one_before_it_in_place(bad):
    engine, spared = busy_engine(), busy_engine()
    with pytest.raises(InputRefusedError):
        engine.feed(saved(500, bad))
    assert state_of(engine) == state_of(spared)
    log = [fail(3, call="x"), Tick(ms(500))]
    assert engine.feed_many(log) == spared.feed_many(log)


@pytest.mark.parametrize(("bad", "paths"), BAD.values(), ids=BAD)
def test_an_engine_is_not_made_of_what_cannot_be_meant(bad, paths):
    with pytest.raises(InvalidError) as raised:
        Engine([EACH, bad])
    found = [problem.path.split(":")[0] for problem in raised.value.problems]
    assert [path for path in found if path != "resource"] == paths


def test_two_automations_of_one_resource_are_refused():
    with pytest.raises(InvalidError, match="more than one automation is called ahp-automation:/a"):
        Engine([EACH, EACH])


def test_removing_what_nobody_saved_is_no_error():
    engine = Engine([EACH])
    assert engine.feed(DefinitionRemoved(automation="ahp-automation:/nobody", at=0)) == []
    assert matched_at(engine.feed(fail(1))) == [1]


def test_records_of_runs_nobody_knows_are_no_error():
    engine = Engine([EACH])
    assert engine.feed_many([settled(0, "r"), started(1, "r", of="nobody")]) == []


# -- deadlines --------------------------------------------------------------------------

TIMED = {
    "absent": (on("toolFailed", then=absent("toolCalled", "60s")), [fail(0)], 60),
    "idle": (on("toolFailed", then=idle("60s")), [fail(0)], 60),
    "silence": (on("turnFailed", when={"turnLongerThan": "60s"}), [turn(0)], 60),
    "silence, put off": (on("turnFailed", when={"turnLongerThan": "60s"}), [turn(0), words(30)], 90),
    "schedule": (schedule("*/2 * * * *"), [Tick(ms(1))], 120),
}  # fmt: skip


@pytest.mark.parametrize(("trigger", "inputs", "due"), TIMED.values(), ids=TIMED)
def test_going_from_deadline_to_deadline_finds_what_is_due_on_time(trigger, inputs, due):
    engine = Engine([automation(trigger)], settings=MATCHES_ONLY)
    engine.feed_many(inputs)
    steps = 0
    while not (outputs := engine.advance(engine.next_deadline)):
        steps += 1
        assert steps < 5
    assert outputs[-1].at == ms(due)
    assert engine.now == ms(due)


@pytest.mark.parametrize(("trigger", "inputs", "due"), TIMED.values(), ids=TIMED)
def test_the_next_deadline_is_never_late(trigger, inputs, due):
    engine = Engine([automation(trigger)])
    engine.feed_many(inputs)
    assert engine.next_deadline <= ms(due)


def test_an_event_wait_is_no_deadline():
    engine = Engine([automation(on("toolFailed", then=event_within("idle", "60s")))])
    engine.feed(fail(0))
    assert engine.next_deadline is None


def test_where_nothing_can_fall_due_there_is_no_deadline():
    engine = Engine([EACH])
    engine.feed(fail(0))
    assert engine.next_deadline is None


def test_a_run_that_settles_by_itself_is_a_deadline():
    engine = Engine([EACH], settings=Settings(run_time=ms(30)))
    engine.feed_many([fail(0), fail(1)])
    assert engine.next_deadline == ms(30)
    assert decisions(engine.advance(ms(30))) == ["30 a release 1"]


def test_a_date_that_switches_off_is_a_deadline():
    soon = automation(
        on("toolFailed"),
        disableConditions=[{"kind": "afterDate", "date": "1970-01-01T00:01:00Z"}],
    )
    engine = Engine([soon], settings=LIVE)
    engine.feed_many([fail(0), fail(1)])
    assert engine.next_deadline == ms(60)
    assert decisions(engine.advance(ms(60))) == ["60 a drop disabled 1"]
    assert engine.feed(fail(61)) == []


# -- what it tells ----------------------------------------------------------------------


def test_statistics_of_a_new_engine_count_its_definitions():
    assert Engine(BUSY_RULES).statistics().automations == 3


def test_statistics_count_what_is_held():
    rules = [
        automation(on("toolFailed", count={"n": 5}), id="hits"),
        automation(on("toolFailed", then=idle("60s")), id="wait"),
        automation(on("toolFailed", then=event_within("idle", "60s")), id="event"),
        automation(watch("long-silent-turn", "failing-tools"), id="watch"),
        automation(on("toolFailed"), enabled=False, id="off"),
    ]
    engine = Engine(rules)
    engine.feed_many([turn(0), fail(1), turn(2, "other"), fail(0)])
    held = engine.statistics()
    assert (held.automations, held.rules, held.sessions, held.turns) == (5, 5, 2, 2)
    # Of "wait" the second failure broke and armed anew; both rules that count hold two.
    assert (held.hits, held.waits, held.timers) == (4, 2, 3)
    assert (held.inputs, held.late, held.evicted) == (4, 1, 0)


def test_statistics_count_no_hit_that_no_longer_counts():
    rules = [
        automation(on("toolFailed", count={"n": 5, "within": "10s"}), id="a"),
        automation(on("toolFailed", count={"n": 5, "consecutive": True}), id="b"),
    ]
    engine = Engine(rules)
    engine.feed_many([fail(0), fail(5)])
    assert engine.statistics().hits == 4
    engine.feed(ok(12))
    assert engine.statistics().hits == 1


def test_statistics_count_no_quiet_that_was_broken():
    engine = Engine([automation(on("toolFailed", then=idle("60s")))])
    engine.feed_many([fail(0), words(1)])
    assert (engine.statistics().waits, engine.statistics().timers) == (0, 0)


def test_asking_for_statistics_changes_no_output():
    asked, spared = busy_engine(), busy_engine()
    log = a_busy_log()[3:]
    found = []
    for each in log:
        asked.statistics()
        asked.pending()
        found += asked.feed(each)
    assert found == spared.feed_many(log)


def test_pending_lists_a_held_wake_first_and_without_a_deadline():
    rules = [EACH, automation(on("toolFailed", then=idle("60s")), id="b")]
    engine = Engine(rules, settings=LIVE)
    engine.feed_many([fail(0), fail(1), fail(2)])
    assert engine.pending() == (
        Pending(
            kind="wake", automation=EACH.resource, trigger="t1", deadline=None,
            session="s", event="toolFailed", count=2,
        ),
        Pending(
            kind="wait", automation="ahp-automation:/b", trigger="t1", deadline=ms(62),
            session="s", what="idle", event="toolFailed", count=1,
        ),
    )  # fmt: skip


def test_pending_lists_occurrences_among_the_rest_by_deadline():
    rules = [automation(schedule("0 * * * *"), on("toolFailed", id="t2", then=idle("2h")))]
    engine = Engine(rules, at=0)
    engine.feed(fail(0))
    assert waits(engine) == ["3600 a/t1 occurrence", "7200 a/t2 s idle"]


def test_pending_tells_the_preset_and_what_is_awaited():
    rules = [
        automation(watch("idle-after-failure", minutes=1)),
        automation(on("turnFailed", then=absent("turnCompleted", "9s")), id="b"),
    ]
    engine = Engine(rules)
    engine.feed(event("turnFailed", 0))
    assert [(each.preset, each.awaited) for each in engine.pending()] == [
        (None, "turnCompleted"),
        ("idle-after-failure", None),
    ]


def test_next_run_at_is_the_earliest_occurrence_and_absent_while_off():
    both = automation(schedule("0 5 * * *"), schedule("0 3 * * *", id="t2"))
    engine = Engine([both, automation(on("toolFailed"), id="e")], at=0)
    assert engine.next_run_at(both.resource) == 3 * HOUR
    assert engine.next_run_at("ahp-automation:/e") is None
    assert engine.next_run_at("ahp-automation:/nobody") is None
    engine.feed(saved(1, automation(schedule("0 5 * * *"), enabled=False)))
    assert engine.next_run_at(both.resource) is None


# -- sight, through the engine ----------------------------------------------------------

ANN = "user:ann"


def test_an_owner_the_host_has_not_met_sees_nothing():
    engine = Engine([automation(on("toolFailed"), owner=ANN)])
    assert engine.feed(fail(0)) == []


def grants(at, *held, principal=ANN):
    return GrantsChanged(principal=principal, grants=held, at=ms(at))


def test_sight_regained_starts_from_nothing():
    engine = Engine([automation(on("toolFailed", count={"n": 2}), owner=ANN)])
    engine.feed_many([grants(0, "session:read"), fail(1), grants(2), grants(3, "session:read")])
    assert matched_at(engine.feed_many([fail(4), fail(5)])) == [5]


@pytest.mark.parametrize(
    "trigger",
    [
        on("toolFailed", then=idle("60s")),
        on("toolFailed", then=absent("toolCalled", "60s")),
        on("turnFailed", when={"turnLongerThan": "60s"}),
    ],
)
def test_losing_sight_forgets_waits_and_silences(trigger):
    engine = Engine([automation(trigger, owner=ANN)])
    engine.feed_many([grants(0, "session:read"), turn(1), fail(1), grants(2)])
    assert engine.pending() == ()
    assert engine.advance(ms(600)) == []


def test_the_grants_of_one_owner_change_nothing_for_another():
    rules = [
        automation(on("toolFailed", count={"n": 2}), owner=ANN),
        automation(on("toolFailed", count={"n": 2}), id="b", owner="user:bob"),
    ]
    engine = Engine(rules)
    engine.feed_many([grants(0, "session:read"), grants(0, "session:read", principal="user:bob")])
    outputs = engine.feed_many([fail(1), grants(2), fail(3)])
    assert matches(outputs) == ["3 b/t1 s toolFailed x2"]


def test_where_the_host_says_so_an_automation_without_an_owner_sees_nothing():
    engine = Engine([EACH], settings=Settings(unowned="none"))
    assert engine.feed(fail(0)) == []


def test_a_hosts_own_sight_is_asked():
    class OwnWorkOnly:
        """Each owner sees the sessions that are its own."""

        def sees(self, owner, session, facts):
            return owner == facts.owner

        def met(self, owner):
            return True

    engine = Engine([automation(on("toolFailed"), owner=ANN)], sight=OwnWorkOnly())
    mine, theirs = {"owner": ANN}, {"owner": "user:bob"}
    outputs = engine.feed_many([fail(0, "x", facts=mine), fail(1, "y", facts=theirs), fail(2, "z")])
    assert matches(outputs) == ["0 a/t1 x toolFailed x1"]


def test_a_hosts_own_sight_may_tell_sessions_of_the_same_facts_apart():
    class OnlyMine:
        def sees(self, owner, session, facts):
            return session is not None and session.startswith("mine")

        def met(self, owner):
            return True

    engine = Engine([automation(on("toolFailed"), owner=ANN)], sight=OnlyMine())
    outputs = engine.feed_many([fail(0, "mine-1"), fail(1, "theirs-1")])
    assert matches(outputs) == ["0 a/t1 mine-1 toolFailed x1"]


def test_what_a_host_shows_anew_is_seen_from_the_change_of_grants_on():
    shown = set()

    class Shown:
        def sees(self, owner, session, facts):
            return session in shown

        def met(self, owner):
            return True

    engine = Engine([automation(on("toolFailed"), owner=ANN)], sight=Shown())
    assert engine.feed_many([fail(0, "x"), fail(0, "y")]) == []
    shown.add("x")
    outputs = engine.feed_many([grants(1), fail(2, "x"), fail(2, "y")])
    assert matches(outputs) == ["2 a/t1 x toolFailed x1"]


@pytest.mark.parametrize(
    "item",
    [
        SessionEvent("idle", [], 2),
        SessionEvent([], "s", 2),
        SessionEvent("idle", "s", 2, facts={}),
        SessionEvent("idle", "s", 10**15),
        Tick(-(10**15)),
        TurnStarted(7, 2),
        GrantsChanged(principal="user:ann", grants=None, at=2),
        DefinitionSaved(automation=None, at=2),
        RunSettled(automation="a", run="r", outcome="exploded", at=2),
    ],
    ids=str,
)
def test_what_is_malformed_is_refused_before_time_passes(item):
    engine = Engine(at=0)
    before = engine.snapshot()
    with pytest.raises(InputRefusedError):
        engine.feed(item)
    with pytest.raises(InputRefusedError):
        list(engine.stream([item]))
    assert engine.snapshot() == before


def test_a_deadline_may_lie_past_the_last_instant_and_is_listed():
    engine = Engine([automation(on("toolFailed", then={"kind": "idle", "for": "87600000h"}))], at=0)
    engine.feed(fail(1))
    assert format_instant(engine.pending()[0].deadline) == "+011963-05-13T00:00:01.000Z"
    assert engine.advance(MAX_INSTANT) == []


@pytest.mark.parametrize("instant", [2**62, 2**63, -(2**62), 10**15])
def test_no_engine_advances_out_of_the_years_1_to_9999(instant):
    engine = Engine(at=0)
    with pytest.raises(InputRefusedError):
        engine.advance(instant)
    assert engine.now == 0
