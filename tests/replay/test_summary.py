"""What a replay comes to: counts, silences, capped hours."""

from zoneinfo import ZoneInfo

from replay_cases import at, automation, event, failure
from replay_player import ZERO, inputs, play, player
from wakeful.model.outputs import Fault, OrderKey
from wakeful.replay import Tally

ONE = automation("one", "toolFailed")


def silences(*records, **options):
    summary = play([], records, **options)
    return [(one.session, one.length, one.open) for one in summary.silences]


def test_inputs_are_counted_by_kind():
    summary = play([], [failure(0), failure(1), event(2, "turnStarted"), event(3, "activity")])

    assert summary.inputs == {"toolFailed": 2, "activity": 1, "turnStarted": 1}


def test_an_input_from_before_the_one_fed_last_is_late():
    assert play([], [failure(5), failure(4), failure(5)]).late == 1


def test_matches_are_counted_by_rule():
    watch = automation("watch", "failing-tools", "looks-stuck", times=2)
    watch["triggers"][0]["type"] = "watch"

    (each,) = play([watch], [failure(0), failure(1)]).automations

    assert each.matches == {"t1/failing-tools": 1, "t1/looks-stuck": 1}


def test_first_decisions_add_up_to_the_matches():
    records = [failure(n * 10, f"s{n % 3}") for n in range(60)]
    summary = play(
        [automation(mode, "toolFailed", overlap=mode) for mode in ("queue", "skip", "parallel")],
        records,
        run_time=45_000,
    )

    words = summary.decisions
    first = sum(words.get(word, 0) for word in ("start", "hold", "fold", "drop"))
    assert first == summary.matches == 180


def test_delivered_is_what_reached_an_agent():
    (each,) = play([ONE], [failure(0), failure(1), failure(2)], run_time=10_000).automations

    assert each.decisions == {"start": {"": 1}, "hold": {"": 1}, "fold": {"": 1}}
    assert (each.delivered, each.folded, each.dropped) == (1, 1, {})


def test_a_steer_that_was_not_delivered_is_delivered_once():
    resource = "ahp-automation:/one"
    steered = automation("one", "toolFailed", overlap="steer")
    run = {"automation": resource, "run": "r1"}
    records = [
        failure(0),
        {"at": at(0), "kind": "runStarted", **run, "session": "s9"},
        event(1, "turnStarted", "s9"),
        failure(2),
        {"at": at(3), "kind": "steerFailed", **run},
        {"at": at(4), "kind": "runSettled", **run, "outcome": "completed"},
    ]

    (each,) = play([steered], records, run_time="log").automations

    assert each.decisions["steer"] == {"": 1}
    assert each.decisions["hold"] == {"notDelivered": 1}
    assert each.decisions["release"] == {"": 1}
    assert each.delivered == 2


def test_the_hours_in_which_the_cap_was_hit_are_those_of_the_zone():
    records = [failure(n) for n in range(25)]

    (utc,) = play([ONE], records).automations
    (india,) = play([ONE], records, zone=ZoneInfo("Asia/Kolkata")).automations

    assert utc.dropped == {"rateLimited": 5}
    assert utc.capped_hours == {ZERO: 5}
    assert india.capped_hours == {ZERO - 30 * 60_000: 5}  # 14:00 UTC is 19:30 there


def test_code_of_a_plugin_that_raised_is_counted():
    tally = Tally()
    key = OrderKey(ZERO, 1, 0, 1, ())

    tally.output(Fault(at=ZERO, automation="a", trigger="t1", key=key, message="KeyError"))

    assert tally.summary().faults == 1


class TestSilences:
    def test_the_longest_time_between_two_signs_of_a_turn(self):
        records = [
            event(0, "turnStarted"),
            event(10, "activity"),
            failure(40),
            event(55, "turnCompleted"),
        ]

        assert silences(*records) == [("s1", 30_000, False)]

    def test_time_between_turns_is_none(self):
        records = [
            event(0, "turnStarted"),
            event(5, "turnCompleted"),
            event(500, "turnStarted"),
            event(502, "turnCompleted"),
        ]

        assert silences(*records) == [("s1", 5_000, False)]

    def test_a_turn_whose_start_was_not_seen_has_none(self):
        assert silences(failure(0), failure(100)) == []

    def test_one_that_the_log_ends_in_is_open(self):
        records = [event(0, "turnStarted"), event(1, "activity"), failure(90, "s2")]

        assert silences(*records) == [("s1", 89_000, True)]

    def test_the_session_with_the_longest_comes_first(self):
        records = [
            event(0, "turnStarted", "s1"),
            event(0, "turnStarted", "s2"),
            event(10, "turnCompleted", "s1"),
            event(20, "turnCompleted", "s2"),
        ]

        assert [session for session, _, _ in silences(*records)] == ["s2", "s1"]


def test_what_waits_is_in_order_of_deadline():
    rules = [
        automation("late", "turnFailed", then={"kind": "idle", "for": "9m"}),
        automation("soon", "turnFailed", then={"kind": "absent", "event": "idle", "for": "1m"}),
    ]

    waiting = play(rules, [event(0, "turnFailed")]).waiting

    assert [(one.automation, one.what, one.awaited) for one in waiting] == [
        ("ahp-automation:/soon", "absent", "idle"),
        ("ahp-automation:/late", "idle", None),
    ]


def test_as_plain_data_instants_are_text():
    data = play([ONE], [failure(0)]).to_dict()

    assert (data["from"], data["until"]) == (at(0), at(0))
    assert data["automations"][0]["decisions"] == {"start": {"": 1}}


def test_what_went_at_a_bound_is_counted():
    rules = [automation("a", "toolFailed", count={"n": 2})]
    bounded = player(*rules, sessions_kept=2)
    for _ in bounded.outputs(inputs(*[failure(n, f"s{n}") for n in range(5)])):
        pass

    assert bounded.summary().let_go == {"sessions": 3}
    assert bounded.summary().to_dict()["letGo"] == {"sessions": 3}


def test_where_nothing_went_nothing_is_said_of_it():
    assert "letGo" not in play([ONE], [failure(0)]).to_dict()
